"""What to set aside."""

from __future__ import annotations

import numpy as np

from agents.heuristics.climbing.hand import COLOUR, VALUE
from agents.heuristics.climbing.tables import (
    ASIDE,
    ASIDE_ACTION,
    CAN_REVEAL,
    COLOURS,
    EIGHT,
    REVEALED,
    SET_ASIDE,
    VALUES,
)
from agents.heuristics.climbing.weights import W
from agents.heuristics.climbing.worth import left_cost
from loop_envs.jit import compiled

_OWN_EIGHT, _OWN_EIGHT_TURN = int(W.OWN_EIGHT), int(W.OWN_EIGHT_TURN)


@compiled
def own_eights(tables, observation):
    """Number of own set-aside 8s that may still be revealed."""
    number = 0
    if tables[EIGHT] >= 0 and tables[CAN_REVEAL] != 0:
        for c in range(tables[COLOURS]):
            number += observation[tables[ASIDE] + c * tables[VALUES] + tables[EIGHT]]
            number -= observation[tables[REVEALED] + c]
    return number


@compiled
def choose_aside(tables, weights, observation, mask, cards, size, combined, singles, costs, plans):
    """The pick that leaves the cheapest hand, with the best second pick where there is one."""
    values = np.int64(tables[VALUES])
    picked, eights = 0, 0
    for i in range(tables[COLOURS] * values):
        if observation[tables[ASIDE] + i] != 0:
            picked += 1
            eights += i % values == tables[EIGHT]
    pair = picked + 1 < tables[SET_ASIDE]
    best, most = np.int64(-1), -1e9
    for b in range(size):
        action = tables[ASIDE_ACTION] + cards[b, COLOUR] * values + cards[b, VALUE]
        if mask[action] == 0:
            continue
        rest = ((1 << size) - 1) ^ (1 << b)
        one = eights + (cards[b, VALUE] == tables[EIGHT])
        order = cards[b, VALUE] * 8 + cards[b, COLOUR]
        for b2 in range(size if pair else 1):
            two, left = one, rest
            if pair:
                if cards[b2, VALUE] * 8 + cards[b2, COLOUR] <= order:
                    continue
                two += cards[b2, VALUE] == tables[EIGHT]
                left ^= 1 << b2
            cost, _ = left_cost(left, combined, size, singles, costs[0], plans[0])
            worth = -cost
            if two and tables[CAN_REVEAL] != 0:
                other, _ = left_cost(left, combined, size, singles, costs[1], plans[1])
                worth += 0.001 * two * tables[weights + _OWN_EIGHT]
                worth += 0.001 * max(0.0, cost - other) * tables[weights + _OWN_EIGHT_TURN]
            if worth > most:
                best, most = action, worth
    return best
