"""`planner`: plans how to empty its hand, and weighs every play by what it leaves.

The worth of a play is minus the cost of the best split of the cards that stay, plus what winning
the trick is worth times its chance, plus the chance to run out from the lead. Passing leaves all
cards and lets somebody else lead.
"""

from __future__ import annotations

import numpy as np

from agents.heuristics.climbing.aside import choose_aside, own_eights
from agents.heuristics.climbing.belief import (
    CHANCES,
    LANES,
    OTHERS,
    TYPES,
    danger,
    fill_chances,
)
from agents.heuristics.climbing.hand import (
    CARDS,
    COLUMNS,
    MOST_CARDS,
    MOST_COMBINATIONS,
    TYPE,
    VALUE,
    list_combinations,
    plan,
    plan_costs,
    read_hand,
)
from agents.heuristics.climbing.tables import (
    CARDS_LEFT,
    COLOURS,
    CURRENT,
    CURRENT_KIND,
    CURRENT_SIZE,
    EIGHT,
    FLIPS,
    INVERTED,
    OWNER,
    PASS_ACTION,
    PHASE,
    PLAYERS,
    SEAT_ACTION,
    VALUES,
    weights_at,
)
from agents.heuristics.climbing.weights import W
from agents.heuristics.climbing.worth import (
    OF_WAIT,
    WORTHS,
    best_play,
    left_cost,
    price,
    turned_cost,
    weigh,
)
from loop_envs.bits import lowest_bit
from loop_envs.cards import MAX_CARDS
from loop_envs.jit import allocating, compiled
from loop_envs.jit_policies import compile_policy
from loop_envs.policies import count_legal, nth_legal

_PASS, _REVEAL = int(W.PASS), int(W.REVEAL)
_BLEND, _DANGER_OWNER = int(W.BLEND), int(W.DANGER_OWNER)


@compiled
def _to_beat(tables, observation):
    """Type (-1 on a lead) and strength of the combination to beat."""
    kind, strength = -1, 0
    at = np.int64(tables[CURRENT_KIND])
    if observation[at] != 0 or observation[at + 1] != 0:
        kind = 0 if observation[at] != 0 else 3
        for i in range(tables[OWNER] - tables[CURRENT_SIZE]):
            if observation[tables[CURRENT_SIZE] + i] != 0:
                kind += i
        # A run that wraps counts by the highest value, which is among its cards.
        values = np.int64(tables[VALUES])
        for i in range(tables[COLOURS] * values):
            if observation[tables[CURRENT] + i] != 0:
                strength = max(strength, i % values)
    return kind, strength


@allocating
def _decide(tables, observation, mask):
    """Chooses where there is a choice; -1 where it finds nothing."""
    weights = weights_at(tables)
    inverted = np.int64(observation[tables[INVERTED]])
    kind, strength = _to_beat(tables, observation)
    words = np.zeros(16, np.int64)
    bits = np.zeros((16, 8), np.int64)
    cards = np.zeros((MOST_CARDS, 2), np.int64)
    heads = np.empty(MOST_CARDS, np.int64)
    singles = np.zeros(MOST_CARDS, np.int64)
    combinations = np.empty((MOST_COMBINATIONS, COLUMNS), np.int64)
    costs = np.empty((2, MOST_COMBINATIONS, 2), np.float64)
    chances = np.empty((2, CHANCES, TYPES, LANES), np.float64)
    worths = np.empty(WORTHS, np.float64)
    size, combined = read_hand(tables, observation, words, bits, cards)
    number = list_combinations(tables, words, bits, combinations, heads)
    for k in range(number):
        if combinations[k, TYPE] == 0:
            singles[lowest_bit(np.uint64(combinations[k, CARDS]))] = k
    plans = np.empty((2, 3, 1 << combined), np.float64)
    unseen_eights = fill_chances(
        tables, weights, observation, kind, np.empty(MAX_CARDS, np.int64),
        np.empty(MAX_CARDS, np.float64), np.empty((2, TYPES, LANES), np.float64), chances,
    )  # fmt: skip
    blend = 0.001 * unseen_eights * tables[weights + _BLEND]
    price(tables, weights, combinations, number, blend, inverted, chances, costs[0])
    choosing = observation[tables[PHASE]] != 0
    eights = own_eights(tables, observation)
    both = eights > 0
    if tables[FLIPS] != 0:
        for b in range(size):
            both |= cards[b, VALUE] == tables[EIGHT]
    if choosing or both:
        price(tables, weights, combinations, number, blend, 1 - inverted, chances, costs[1])
    if choosing:
        plan_costs(combined, combinations, heads, costs[0], costs[1], plans[0], plans[1])
        return choose_aside(
            tables, weights, observation, mask, cards, size, combined, singles, costs, plans
        )
    for turned in range(2 if both else 1):
        plan(combined, combinations, heads, costs[turned], plans[turned])
    weigh(tables, weights, observation, worths)
    passing = np.int64(tables[PASS_ACTION])
    turn = eights > 0
    best, most = best_play(
        tables, mask, combinations, number, size, combined, singles, costs[0], plans[0],
        chances[inverted], worths, inverted, inverted, kind, strength, turn,
        costs[1], plans[1], chances[1 - inverted],
    )  # fmt: skip
    if mask[passing] != 0:
        everything = (1 << size) - 1
        cost, run_out = left_cost(everything, combined, size, singles, costs[0], plans[0])
        if turn:
            cost = turned_cost(
                cost, everything, combined, size, singles, costs[1], plans[1], worths
            )
        worth = _worth_of_pass(
            tables, weights, observation, chances[inverted, OTHERS, kind, strength], worths, cost,
            run_out,
        )  # fmt: skip
        if worth > most:
            best, most = passing, worth
    if mask[passing + 1] != 0:
        _, worth = best_play(
            tables, mask, combinations, number, size, combined, singles, costs[1], plans[1],
            chances[1 - inverted], worths, 1 - inverted, inverted, kind, strength,
            eights > 1, costs[0], plans[0], chances[inverted],
        )  # fmt: skip
        if worth - 0.001 * tables[weights + _REVEAL] > most:
            best = passing + 1
    return best


@compiled
def _worth_of_pass(tables, weights, observation, stands, worths, cost, run_out):
    """Worth of passing on a combination that stands with a chance."""
    worth = 0.001 * tables[weights + _PASS] + run_out * worths[OF_WAIT] - cost
    for j in range(1, tables[PLAYERS]):
        left = observation[tables[CARDS_LEFT] + j]
        if observation[tables[OWNER] + j] != 0 and left > 0:
            near = danger(tables, weights, left)
            worth -= 0.001 * stands * near * tables[weights + _DANGER_OWNER]
    return worth


@compile_policy
def choose_planner(tables, observation, mask, key):
    """Chooses an action, see `loop_envs.policies.Policy`."""
    if count_legal(mask) == 1:
        return nth_legal(mask, 0)
    if tables[SEAT_ACTION] >= 0 and mask[tables[SEAT_ACTION]] != 0:
        return np.int64(tables[SEAT_ACTION])
    action = _decide(tables, observation, mask)
    if action < 0 or mask[action] == 0:
        return nth_legal(mask, 0)
    return action
