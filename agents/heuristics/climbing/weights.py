"""The planner's weights, in thousandths; found by evolution in matches against itself."""

from __future__ import annotations

from enum import IntEnum


class W(IntEnum):
    """Names of the weights. Costs and worths are counted in turns."""

    WILL_SINGLE = 0  # chance that an opponent who can beat a single does
    WILL_SET = 1
    WILL_RUN = 2
    BLEND = 3  # share of the other direction in all costs, times the share of 8s not yet seen
    SINGLE = 4  # cost of holding a single
    SINGLE_WIN = 5  # less by this times its chance to win a trick
    SINGLE_WIN2 = 6  # less by this times the square of that
    SINGLE_HIGH = 7  # less by this times the square of its place among the values
    SET = 8  # cost of holding a set
    SET_MORE = 9  # more for each card beyond two
    SET_WIN = 10
    SET_HIGH = 11
    RUN = 12  # cost of holding a run
    RUN_MORE = 13
    RUN_WIN = 14
    RUN_HIGH = 15
    EIGHT = 16  # cost of holding a combination that clears
    EIGHT_MORE = 17  # more for each card beyond one
    WIN = 18  # worth of winning the trick now
    WIN_DANGER = 19  # more by this times the danger of the opponents
    WIN_LEFT = 20  # more by this times the share of the hand that is left
    RUN_OUT = 21  # worth of running out from the lead, times its chance
    RUN_DANGER = 22  # more by this times the danger of the opponents
    RUN_WAIT = 23  # worth of the same chance where the lead is still to be won
    SURE = 24  # worth of a certain run to the end
    PASS = 25  # worth of passing
    DANGER_OWNER = 26  # cost of letting an owner with few cards lead
    DANGER_OUT = 27  # cost of letting an opponent go out by beating this
    DANGER_DECAY = 28  # how fast danger falls with the number of cards
    REVEAL = 29  # cost of revealing
    OWN_EIGHT = 30  # worth of setting an 8 aside
    OWN_EIGHT_TURN = 31  # worth of a set-aside 8 for each turn that the other direction saves
    OWN_EIGHT_RUN = 32  # and for the chance to run out in the other direction
    FLIP = 33  # cost of holding a combination that turns the order, more than what it is else


DEFAULT: dict[W, int] = {
    W.WILL_SINGLE: 728,
    W.WILL_SET: 776,
    W.WILL_RUN: 711,
    W.BLEND: 493,
    W.SINGLE: 1422,
    W.SINGLE_WIN: 1285,
    W.SINGLE_WIN2: 270,
    W.SINGLE_HIGH: 251,
    W.SET: 1227,
    W.SET_MORE: 0,
    W.SET_WIN: 875,
    W.SET_HIGH: 507,
    W.RUN: 1299,
    W.RUN_MORE: 141,
    W.RUN_WIN: 667,
    W.RUN_HIGH: 364,
    W.EIGHT: -316,
    W.EIGHT_MORE: -191,
    W.WIN: 553,
    W.WIN_DANGER: 1133,
    W.WIN_LEFT: -483,
    W.RUN_OUT: 2298,
    W.RUN_DANGER: 309,
    W.RUN_WAIT: 1304,
    W.SURE: 3000,
    W.PASS: -252,
    W.DANGER_OWNER: 686,
    W.DANGER_OUT: 324,
    W.DANGER_DECAY: 596,
    W.REVEAL: 2678,
    W.OWN_EIGHT: 2319,
    W.OWN_EIGHT_TURN: 237,
    W.OWN_EIGHT_RUN: 1217,
    W.FLIP: 0,
}


def in_order(changes: dict[W, int] | None = None) -> list[int]:
    """All weights as the tables hold them.

    Args:
        changes: Weights that differ from `DEFAULT`.
    """
    chosen = DEFAULT | (changes or {})
    return [chosen[name] for name in W]
