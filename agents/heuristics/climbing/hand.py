"""The own hand as bits, its combinations, and the best ways to split it into combinations.

Every card in hand has a bit. Cards that can be combined with others have the lowest bits, in card
order; only over those is a split looked for, by dynamic programming over all their subsets.
"""

from __future__ import annotations

import numpy as np

from agents.heuristics.climbing.tables import (
    ACTIONS,
    COLOURS,
    HAND,
    LONGEST_RUN,
    MAX_SET,
    NUM_SUBSETS,
    ROW,
    ROW_EIGHTS,
    ROW_STRENGTH,
    RUN_ACTION,
    RUN_STARTS,
    SAME_COLOUR,
    SHORTEST_RUN,
    SUBSETS,
    VALUES,
    WRAP,
)
from loop_envs.bits import lowest_bit, ones
from loop_envs.jit import compiled

MOST_CARDS = 13
MOST_COMBINATIONS = 512
# Columns of a card; of a combination.
VALUE, COLOUR, CARD_COLUMNS = range(3)
CARDS, ACTION, TYPE, STRENGTH, EIGHTS, NEXT, COLUMNS = range(7)


@compiled
def read_hand(tables, observation, words, bits, cards):
    """Reads the hand.

    Args:
        words: Filled with the colours held of each value, as bits, int64 [16].
        bits: Filled with the bit of each card held, by value and colour, int64 [16, 8].
        cards: Filled with value and colour of each bit, int64 [13, 2].

    Returns:
        Number of cards in hand, and how many of them can be combined.
    """
    values, colours = np.int64(tables[VALUES]), np.int64(tables[COLOURS])
    for v in range(values):
        word = 0
        for c in range(colours):
            if observation[tables[HAND] + c * values + v] != 0:
                word |= 1 << c
        words[v] = word
    size, combined = 0, 0
    for alone in range(2):
        for v in range(values):
            word = words[v]
            if word == 0:
                continue
            below = words[v - 1] if v > 0 else (words[values - 1] if tables[WRAP] != 0 else 0)
            above = words[v + 1] if v + 1 < values else (words[0] if tables[WRAP] != 0 else 0)
            near = below | above
            if word & (word - 1) or (near and tables[SAME_COLOUR] == 0):
                near = word
            word &= ~near if alone else near
            while word:
                c = lowest_bit(np.uint64(word))
                word &= word - 1
                bits[v, c] = 1 << size
                cards[size, VALUE], cards[size, COLOUR] = v, c
                size += 1
        if not alone:
            combined = size
    return size, combined


@compiled
def list_combinations(tables, words, bits, combinations, heads):
    """Lists every combination of the hand.

    Args:
        words: See `read_hand`.
        bits: See `read_hand`.
        combinations: Filled, int64 [MOST_COMBINATIONS, COLUMNS]. `NEXT` is the next combination
            with the same lowest card.
        heads: Filled with the first combination of each lowest card, -1 for none, int64 [13].

    Returns:
        Number of combinations.
    """
    heads[:] = -1
    number = np.int64(0)  # not a literal, which would compile the functions below twice
    values = np.int64(tables[VALUES])
    for v in range(values):
        held = words[v]
        part = held
        while part:
            if ones(np.uint64(part)) <= tables[MAX_SET]:
                cards = np.int64(0)
                rest = part
                while rest:
                    cards |= bits[v, lowest_bit(np.uint64(rest))]
                    rest &= rest - 1
                action = v * tables[NUM_SUBSETS] + tables[SUBSETS + part]
                kind = ones(np.uint64(part)) - 1
                number = _add(tables, combinations, heads, number, cards, action, kind)
            part = (part - 1) & held
    for start in range(values):
        if words[start] == 0:
            continue
        if tables[SAME_COLOUR] != 0:
            number = _runs(tables, words, bits, combinations, heads, number, start)
        else:
            number = _mixed_runs(tables, words, bits, combinations, heads, number, start)
    return number


@compiled
def _add(tables, combinations, heads, number, cards, action, kind):
    if number == MOST_COMBINATIONS:  # only where runs may mix colours; singles come first
        return number
    row = ACTIONS + ROW * action
    first = lowest_bit(np.uint64(cards))
    combinations[number, CARDS] = cards
    combinations[number, ACTION] = action
    combinations[number, TYPE] = kind
    combinations[number, STRENGTH] = tables[row + ROW_STRENGTH]
    combinations[number, EIGHTS] = tables[row + ROW_EIGHTS]
    combinations[number, NEXT] = heads[first]
    heads[first] = number
    return number + 1


@compiled
def _runs(tables, words, bits, combinations, heads, number, start):
    """Adds the runs of one colour from a value on."""
    values = np.int64(tables[VALUES])
    held = words[start]
    for length in range(2, tables[LONGEST_RUN] + 1):
        v = start + length - 1
        held &= words[v if v < values else v - values]
        if length < tables[SHORTEST_RUN] and held:
            continue
        if held == 0 or start >= tables[RUN_STARTS + length]:
            break
        rest = held
        while rest:
            c = lowest_bit(np.uint64(rest))
            rest &= rest - 1
            cards = np.int64(0)
            for i in range(start, start + length):
                cards |= bits[i if i < values else i - values, c]
            action = tables[RUN_ACTION + length] + c * tables[RUN_STARTS + length] + start
            number = _add(tables, combinations, heads, number, cards, action, length + 2)
    return number


@compiled
def _mixed_runs(tables, words, bits, combinations, heads, number, start):
    """Adds the runs of any colours from a value on."""
    values, colours = np.int64(tables[VALUES]), np.int64(tables[COLOURS])
    per_start = colours
    for length in range(2, tables[LONGEST_RUN] + 1):
        v = start + length - 1
        if words[v if v < values else v - values] == 0 or start >= tables[RUN_STARTS + length]:
            break
        per_start *= colours
        for code in range(per_start):
            rest = code
            cards = np.int64(0)
            whole = True
            for i in range(start + length - 1, start - 1, -1):  # the last card's colour is lowest
                v = i if i < values else i - values
                c = rest % colours
                rest //= colours
                if not words[v] >> c & 1:
                    whole = False
                    break
                cards |= bits[v, c]
            if whole:
                action = tables[RUN_ACTION + length] + start * per_start + code
                number = _add(tables, combinations, heads, number, cards, action, length + 2)
    return number


@compiled
def plan(combined, combinations, heads, costs, plans):
    """Finds the best split of every subset of the cards that can be combined.

    Args:
        combined: Number of those cards.
        combinations: See `list_combinations`.
        heads: See `list_combinations`.
        costs: By combination: its cost, and its chance to win a trick, float64 [.., 2].
        plans: Filled by subset, float64 [3, 2^combined]: the least sum of costs; the best
            product of chances; the best product but for the last combination played.
    """
    plans[0, :], plans[1, :], plans[2, :] = 1e9, 0.0, 0.0
    plans[0, 0], plans[1, 0], plans[2, 0] = 0.0, 1.0, 1.0
    everything = (1 << combined) - 1
    # The lowest card of a subset lies in one of its combinations; the rest is higher.
    for b in range(combined - 1, -1, -1):
        k = heads[b]
        while k >= 0:
            cards, cost, win = combinations[k, CARDS], costs[k, 0], costs[k, 1]
            others = everything & (-2 << b) & ~cards
            rest = 0
            while True:  # all subsets of `others`, in ascending order
                subset = rest | cards
                plans[0, subset] = min(plans[0, subset], cost + plans[0, rest])
                all_win = plans[1, rest]
                plans[1, subset] = max(plans[1, subset], win * all_win)
                plans[2, subset] = max(plans[2, subset], max(win * plans[2, rest], all_win))
                if rest == others:
                    break
                rest = (rest - others) & others
            k = combinations[k, NEXT]


@compiled
def plan_costs(combined, combinations, heads, costs, costs2, plans, plans2):
    """Like `plan`, for two prices at once, but finds only the least sums of costs."""
    plans[0, :], plans2[0, :] = 1e9, 1e9
    plans[1:, :], plans2[1:, :] = 0.0, 0.0
    plans[0, 0], plans2[0, 0] = 0.0, 0.0
    everything = (1 << combined) - 1
    for b in range(combined - 1, -1, -1):
        k = heads[b]
        while k >= 0:
            cards, cost, cost2 = combinations[k, CARDS], costs[k, 0], costs2[k, 0]
            others = everything & (-2 << b) & ~cards
            rest = 0
            while True:
                subset = rest | cards
                plans[0, subset] = min(plans[0, subset], cost + plans[0, rest])
                plans2[0, subset] = min(plans2[0, subset], cost2 + plans2[0, rest])
                if rest == others:
                    break
                rest = (rest - others) & others
            k = combinations[k, NEXT]
