"""What combinations cost while they are held, and what a hand and a play are worth."""

from __future__ import annotations

import numpy as np

from agents.heuristics.climbing.belief import NOW, STAYS, WIN, danger
from agents.heuristics.climbing.hand import ACTION, CARDS, EIGHTS, STRENGTH, TYPE
from agents.heuristics.climbing.tables import (
    CARDS_LEFT,
    FLIPS,
    HAND_SIZE,
    PLAYERS,
    SET_ASIDE,
    VALUES,
)
from agents.heuristics.climbing.weights import W
from loop_envs.jit import compiled

_SINGLE, _SINGLE_WIN = int(W.SINGLE), int(W.SINGLE_WIN)
_SINGLE_WIN2, _SINGLE_HIGH = int(W.SINGLE_WIN2), int(W.SINGLE_HIGH)
_SET, _RUN = int(W.SET), int(W.RUN)
_EIGHT, _EIGHT_MORE, _FLIP = int(W.EIGHT), int(W.EIGHT_MORE), int(W.FLIP)
_WIN, _WIN_DANGER, _WIN_LEFT = int(W.WIN), int(W.WIN_DANGER), int(W.WIN_LEFT)
_RUN_OUT, _RUN_DANGER, _RUN_WAIT = int(W.RUN_OUT), int(W.RUN_DANGER), int(W.RUN_WAIT)
_DANGER_OUT, _SURE = int(W.DANGER_OUT), int(W.SURE)
_OWN_EIGHT_RUN, _OWN_EIGHT_TURN = int(W.OWN_EIGHT_RUN), int(W.OWN_EIGHT_TURN)
_OUT = 1_000.0  # better than any other worth

# Worths that are the same for all plays of a decision.
OF_WIN, OF_RUN, OF_WAIT, OF_OUT, OF_SURE, OF_EIGHT, OF_TURN, WORTHS = range(8)


@compiled
def weigh(tables, weights, observation, worths):
    """Fills in the worths [WORTHS] that are the same for all plays of a decision."""
    worst = 0.0
    for j in range(1, tables[PLAYERS]):
        left = observation[tables[CARDS_LEFT] + j]
        if left > 0:
            worst = max(worst, danger(tables, weights, left))
    share = observation[tables[CARDS_LEFT]] / (tables[HAND_SIZE] - tables[SET_ASIDE])
    worths[OF_EIGHT] = 0.001 * tables[weights + _OWN_EIGHT_RUN]
    worths[OF_TURN] = 0.001 * tables[weights + _OWN_EIGHT_TURN]
    worths[OF_WIN] = 0.001 * (
        tables[weights + _WIN]
        + worst * tables[weights + _WIN_DANGER]
        + share * tables[weights + _WIN_LEFT]
    )
    worths[OF_RUN] = 0.001 * (tables[weights + _RUN_OUT] + worst * tables[weights + _RUN_DANGER])
    worths[OF_OUT] = 0.001 * tables[weights + _DANGER_OUT]
    worths[OF_WAIT] = 0.001 * tables[weights + _RUN_WAIT]
    worths[OF_SURE] = 0.001 * tables[weights + _SURE]


@compiled
def turns(tables, eights):
    """Whether playing a combination with so many 8s turns the order around."""
    if tables[FLIPS] == 2:
        return eights & 1 != 0
    return tables[FLIPS] == 1 and eights > 0


@compiled
def price(tables, weights, combinations, number, blend, inverted, chances, costs):
    """Fills in `costs`: what each combination costs in hand, and its chance to win a trick."""
    top = tables[VALUES] - 1.0
    for k in range(number):
        kind = combinations[k, TYPE]
        strength = combinations[k, STRENGTH]
        if combinations[k, EIGHTS] != 0 and tables[FLIPS] == 0:
            size = kind + 0.0 if kind < 4 else kind - 3.0
            costs[k, 0] = 0.001 * (tables[weights + _EIGHT] + size * tables[weights + _EIGHT_MORE])
            costs[k, 1] = 1.0
            continue
        turned = turns(tables, combinations[k, EIGHTS])
        win = chances[1 - inverted if turned else inverted, WIN, kind, strength]
        lowest = 0.0 if kind < 4 else kind - 3.0  # the weakest run of a length
        high = (strength - lowest) / (top - lowest) if top > lowest else 0.0
        if inverted:
            high = 1.0 - high
        costs[k, 1] = win
        if not turned:
            win += blend * (chances[1 - inverted, WIN, kind, strength] - win)
        high += blend * (1.0 - 2.0 * high)
        if kind == 0:
            cost = (
                tables[weights + _SINGLE]
                - win * tables[weights + _SINGLE_WIN]
                - win * win * tables[weights + _SINGLE_WIN2]
                - high * high * tables[weights + _SINGLE_HIGH]
            )
        else:
            base = weights + (_SET if kind < 4 else _RUN)
            more = (kind - 1 if kind < 4 else kind - 4) + 0.0
            cost = (
                tables[base]
                + more * tables[base + 1]
                - win * tables[base + 2]
                - high * tables[base + 3]
            )
        if turned:
            cost += tables[weights + _FLIP]
        costs[k, 0] = 0.001 * cost


@compiled
def left_cost(cards, combined, size, singles, costs, plans):
    """Cost of a part of the hand, and its chance to run out from the lead."""
    inside = cards & ((1 << combined) - 1)
    cost = plans[0, inside]
    all_win, rest_win = plans[1, inside], plans[2, inside]
    for b in range(combined, size):
        if cards >> b & 1:
            k = singles[b]
            cost += costs[k, 0]
            rest_win = max(rest_win * costs[k, 1], all_win)
            all_win *= costs[k, 1]
    return cost, rest_win


@compiled
def turned_cost(cost, cards, combined, size, singles, costs, plans, worths):
    """The cost of a part of the hand if the direction can be turned; given are the other's."""
    other, run_out = left_cost(cards, combined, size, singles, costs, plans)
    return cost - worths[OF_TURN] * max(0.0, cost - other) - worths[OF_EIGHT] * run_out


@compiled
def worth_of_play(worths, chances, which, kind, strength, clears, cost, run_out, is_last):
    """Worth of a play.

    Args:
        worths: See `weigh`.
        chances: Those of the direction in which it is played, see `belief.fill_chances`.
        which: `NOW`, or `WIN` on a lead.
        kind: Its type.
        strength: Its strength.
        clears: Whether it clears.
        cost: Cost of what is left.
        run_out: Chance to run out with what is left from the lead.
        is_last: Whether nothing is left.
    """
    if is_last:
        return _OUT
    win, stays = 1.0, 1.0
    if not clears:
        win = chances[which, kind, strength]
        stays = chances[STAYS, kind, strength]
    worth = (
        win * (worths[OF_WIN] + run_out * worths[OF_RUN])
        + run_out * worths[OF_WAIT]
        - cost
        - (1.0 - stays) * worths[OF_OUT]
    )
    if win * run_out == 1.0:
        worth += worths[OF_SURE]
    return worth


@compiled
def best_play(
    tables, mask, combinations, number, size, combined, singles, costs, plans, chances, worths,
    direction, inverted, kind, strength, turn, costs2, plans2, chances2,
):  # fmt: skip
    """The best play and its worth; (-1, very low) where there is none.

    Plays are valued in `direction`. Where the game is `inverted` otherwise, the mask does not say
    which beat the combination of type `kind` (-1 for none) and its strength. With
    `turn` the player can turn the direction: `costs2`, `plans2` and `chances2` are those of the
    other one, which is also what holds after a play that turns it.
    """
    everything = (1 << size) - 1
    which = NOW if kind >= 0 else WIN
    best, most = np.int64(-1), -1e9
    for k in range(number):
        t, s = combinations[k, TYPE], combinations[k, STRENGTH]
        if direction != inverted:
            if kind >= 0 and (kind != t or (s >= strength if direction else s <= strength)):
                continue
        elif mask[combinations[k, ACTION]] == 0:
            continue
        rest = everything & ~combinations[k, CARDS]
        eights = combinations[k, EIGHTS]
        if turns(tables, eights):
            cost, run_out = left_cost(rest, combined, size, singles, costs2, plans2)
            worth = worth_of_play(worths, chances2, WIN, t, s, False, cost, run_out, rest == 0)
        else:
            cost, run_out = left_cost(rest, combined, size, singles, costs, plans)
            if turn:
                cost = turned_cost(cost, rest, combined, size, singles, costs2, plans2, worths)
            clears = eights != 0 and tables[FLIPS] == 0
            worth = worth_of_play(worths, chances, which, t, s, clears, cost, run_out, rest == 0)
        if worth > most:
            best, most = combinations[k, ACTION], worth
    return best, most
