"""The planner's weights, in thousandths; found by evolution in matches against itself."""

from __future__ import annotations

from enum import IntEnum


class W(IntEnum):
    """Names of the weights. Costs and worths are counted in turns."""

    WILL_SINGLE = 0  # chance that an opponent who can beat a single does
    WILL_SET = 1
    WILL_RUN = 2
    FLIP = 3  # how readily an opponent would turn the direction to beat a combination
    BLEND = 4  # share of the other direction in all costs, times the share of 8s not yet seen
    SINGLE = 5  # cost of holding a single
    SINGLE_WIN = 6  # less by this times its chance to win a trick
    SINGLE_WIN2 = 7  # less by this times the square of that
    SINGLE_HIGH = 8  # less by this times its place among the values
    SINGLE_HIGH2 = 9  # less by this times the square of that
    SET = 10  # cost of holding a set
    SET_MORE = 11  # more for each card beyond two
    SET_WIN = 12
    SET_HIGH = 13
    RUN = 14  # cost of holding a run
    RUN_MORE = 15
    RUN_WIN = 16
    RUN_HIGH = 17
    EIGHT = 18  # cost of holding a combination that clears
    EIGHT_MORE = 19  # more for each card beyond one
    WIN = 20  # worth of winning the trick now
    WIN_DANGER = 21  # more by this times the danger of the opponents
    WIN_LEFT = 22  # more by this times the share of the hand that is left
    RUN_OUT = 23  # worth of running out from the lead, times its chance
    RUN_DANGER = 24  # more by this times the danger of the opponents
    RUN_WAIT = 25  # worth of the same chance where the lead is still to be won
    SURE = 26  # worth of a certain run to the end
    PASS = 27  # worth of passing
    PASS_LEFT = 28  # more by this times the share of the hand that is left
    DANGER_OWNER = 29  # cost of letting an owner with few cards lead
    DANGER_OUT = 30  # cost of letting an opponent go out by beating this
    DANGER_DECAY = 31  # how fast danger falls with the number of cards
    REVEAL = 32  # cost of revealing
    OWN_EIGHT = 33  # worth of setting an 8 aside
    OWN_EIGHT_TURN = 34  # worth of a set-aside 8 for each turn that the other direction saves
    OWN_EIGHT_RUN = 35  # and for the chance to run out in the other direction


DEFAULT: dict[W, int] = {
    W.WILL_SINGLE: 581,
    W.WILL_SET: 775,
    W.WILL_RUN: 856,
    W.FLIP: 64,
    W.BLEND: 381,
    W.SINGLE: 1493,
    W.SINGLE_WIN: 1178,
    W.SINGLE_WIN2: 391,
    W.SINGLE_HIGH: -110,
    W.SINGLE_HIGH2: 409,
    W.SET: 1133,
    W.SET_MORE: -13,
    W.SET_WIN: 913,
    W.SET_HIGH: 591,
    W.RUN: 1256,
    W.RUN_MORE: 275,
    W.RUN_WIN: 478,
    W.RUN_HIGH: 518,
    W.EIGHT: -226,
    W.EIGHT_MORE: -169,
    W.WIN: 483,
    W.WIN_DANGER: 1094,
    W.WIN_LEFT: -488,
    W.RUN_OUT: 2511,
    W.RUN_DANGER: 296,
    W.RUN_WAIT: 1400,
    W.SURE: 3000,
    W.PASS: -218,
    W.PASS_LEFT: -40,
    W.DANGER_OWNER: 742,
    W.DANGER_OUT: 440,
    W.DANGER_DECAY: 437,
    W.REVEAL: 2736,
    W.OWN_EIGHT: 2200,
    W.OWN_EIGHT_TURN: 356,
    W.OWN_EIGHT_RUN: 1083,
}


def in_order(changes: dict[W, int] | None = None) -> list[int]:
    """All weights as the tables hold them.

    Args:
        changes: Weights that differ from `DEFAULT`.
    """
    chosen = DEFAULT | (changes or {})
    return [chosen[name] for name in W]
