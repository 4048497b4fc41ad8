"""`card_counter`: counts the cards that are out, and plays what makes others fall but not itself.

A play is worth what the player keeps if nobody else can go on, plus what it may expect to keep
otherwise: the own collection times the chance to be able to answer what may come. Falls of the
others count by what they lose, cards that are left to them by what they gain. The chance that a
player cannot answer is that of a hand of its size drawn from the cards nobody has seen.
"""

from __future__ import annotations

import numpy as np

from agents.heuristics.loopla.tables import (
    ACTIVE,
    BITS,
    CARDS_LEFT,
    COPIES,
    COVERED,
    FREE_AFTER_FALL,
    HAND,
    JOKER,
    JOKER_DOUBLES,
    PLAYERS,
    REVERSED,
    SEEN,
    TOP,
    VALUES,
    WEIGHTS,
    WHOOP,
    collection_of,
    counts_of,
    one_of,
)
from agents.heuristics.loopla.weights import W
from loop_envs.bits import lowest_bit, ones
from loop_envs.jit import compiled
from loop_envs.jit_policies import compile_policy

_ALONE, _FUTURE, _FALL, _FEED = int(W.ALONE), int(W.FUTURE), int(W.FALL), int(W.FEED)
_HARD, _SOVEREIGN, _ROOM = int(W.HARD), int(W.SOVEREIGN), int(W.ROOM)
_JOKER, _TOP, _LOW = int(W.JOKER), int(W.TOP), int(W.LOW)
_EMPTY, _NEAR = int(W.EMPTY), int(W.NEAR)
_COUNT = (1 << BITS) - 1
WHOOP_BONUS, EMPTY_BONUS = 15.0, 5.0


@compiled
def weight(tables, name):
    """A weight in its own unit."""
    return 0.001 * tables[WEIGHTS + name]


@compiled
def unseen_cards(tables, observation):
    """Packed counts by value of the cards whose place the player does not know."""
    everything = np.int64(0)
    for v in range(tables[VALUES]):
        everything += np.int64(tables[COPIES]) << (BITS * v)
    seen = counts_of(tables, observation, SEEN)
    return everything - counts_of(tables, observation, HAND) - seen


@compiled
def number_in(counts, values):
    """Number of cards of some values, given as a word of bits, in packed counts."""
    total = np.int64(0)
    rest = np.int64(values)
    while rest:
        total += counts >> (BITS * lowest_bit(np.uint64(rest))) & _COUNT
        rest &= rest - 1
    return total


@compiled
def answers(tables, top, kind):
    """Word of the values that answer a card under 0 up, 1 down, 2 doubled, 3 Sovereign."""
    everything = (np.int64(1) << tables[VALUES]) - 1
    joker = np.int64(1) << tables[JOKER] if tables[JOKER] >= 0 else np.int64(0)
    if kind == 0:
        return (everything >> top << top) | joker
    if kind == 1:
        return ((np.int64(2) << top) - 1) | joker
    if kind == 2:
        return (np.int64(7) << top >> 1 & everything) | joker
    return np.int64(1) << (tables[VALUES] - 1) | joker


@compiled
def sum_of(values):
    """Sum of a collection."""
    total = 0.0
    rest = np.int64(values)
    while rest:
        total += lowest_bit(np.uint64(rest)) + 1.0
        rest &= rest - 1
    return total


@compiled
def worth_of_table(tables, observation, unseen, top, kind, turned, keep, stay):
    """Worth of handing on a card under a constraint.

    Args:
        tables: See `tables.py`.
        observation: The observation.
        unseen: See `unseen_cards`.
        top: The card.
        kind: See `answers`.
        turned: Whether play goes the other way round than the observation says.
        keep: What the player keeps if all others fall.
        stay: What the player may expect to keep otherwise.
    """
    n = np.int64(tables[PLAYERS])
    legal = number_in(unseen, answers(tables, top, kind))
    number = number_in(unseen, (np.int64(1) << tables[VALUES]) - 1)
    back = (observation[tables[REVERSED]] != 0) != turned
    worth, reached = 0.0, 1.0
    for j in range(1, n):
        q = n - j if back else j
        if observation[tables[ACTIVE] + q] == 0 or reached == 0.0:
            continue
        falls = 1.0
        for i in range(observation[tables[CARDS_LEFT] + q]):
            if number > i:
                falls *= max(0.0, 1.0 * (number - legal - i)) / (number - i)
        collected = collection_of(tables, observation, q)
        future = weight(tables, _FUTURE)
        worth += reached * falls * weight(tables, _FALL) * (sum_of(collected) + future)
        if not collected >> top & 1:
            gain = top + 1.0
            if ones(np.uint64(collected)) + 1 == tables[WHOOP]:
                gain += WHOOP_BONUS
            worth -= reached * (1.0 - falls) * weight(tables, _FEED) * gain
        reached *= 0.0 if tables[FREE_AFTER_FALL] != 0 and falls < 1.0 else falls
    return worth + reached * (keep + weight(tables, _ALONE)) + (1.0 - reached) * stay


@compiled
def chance_to_answer(tables, hand, unseen):
    """Chance that a hand, given as packed counts, can answer what may come."""
    values = np.int64(tables[VALUES])
    held = np.int64(0)
    for v in range(values):
        held |= np.int64((hand >> (BITS * v) & _COUNT) > 0) << v
    hard = weight(tables, _HARD)
    total, good = 1e-9, 0.0
    for t in range(values):
        share = 0.1 + (unseen >> (BITS * t) & _COUNT)
        up = 1.0 if held & answers(tables, t, 0) else 0.0
        down = 1.0 if held & answers(tables, t, 1) else 0.0
        total += share
        good += share * (hard * min(up, down) + (1.0 - hard) * 0.5 * (up + down))
    number = number_in(unseen, (np.int64(1) << values) - 1) + 1.0
    often = min(
        1.0, weight(tables, _SOVEREIGN) * (unseen >> (BITS * (values - 1)) & _COUNT) / number
    )
    last = 1.0 if held & answers(tables, values - 1, 3) else 0.0
    return (1.0 - often) * good / total + often * last


@compiled
def worth_of_hand(tables, hand):
    """Worth of what stays in hand, besides the chance to answer."""
    worth = 0.0
    for v in range(tables[VALUES]):
        number = hand >> (BITS * v) & _COUNT
        if number > 0:
            worth += weight(tables, _ROOM)
        if v == tables[JOKER]:
            worth += number * weight(tables, _JOKER)
        elif v == tables[VALUES] - 1:
            worth += number * weight(tables, _TOP)
        elif v == 0:
            worth += number * weight(tables, _LOW)
    return worth


@compiled
def best_instruction(tables, observation, unseen, top, turned, keep, stay):
    """Worth of the better instruction, and which one it is: 0 up, 1 down."""
    up = worth_of_table(tables, observation, unseen, top, 0, turned, keep, stay)
    down = worth_of_table(tables, observation, unseen, top, 1, turned, keep, stay)
    return max(up, down), np.int64(down > up)


@compiled
def _choose_card(tables, observation, mask):
    values = np.int64(tables[VALUES])
    unseen = unseen_cards(tables, observation)
    hand = counts_of(tables, observation, HAND)
    covered = one_of(tables, observation, TOP)
    mine = collection_of(tables, observation, 0)
    if covered >= 0:
        mine |= np.int64(1) << covered
    keep = sum_of(mine)
    left = np.int64(observation[tables[CARDS_LEFT]])
    active = 0
    for q in range(tables[PLAYERS]):
        active += observation[tables[ACTIVE] + q]
    best, most = np.int64(-1), -1e9
    for v in range(values):
        if mask[v] == 0:
            continue
        rest = hand - (np.int64(1) << (BITS * v))
        if left == 1:
            worth = keep + EMPTY_BONUS + weight(tables, _EMPTY)
        else:
            chance = chance_to_answer(tables, rest, unseen)
            stay = chance * (keep + weight(tables, _FUTURE))
            turned = v == 0 and active >= 3
            if v == values - 1:
                worth = worth_of_table(tables, observation, unseen, v, 3, turned, keep, stay)
            elif v == covered and (v != tables[JOKER] or tables[JOKER_DOUBLES] != 0):
                worth = worth_of_table(tables, observation, unseen, v, 2, turned, keep, stay)
            else:
                worth, _ = best_instruction(tables, observation, unseen, v, turned, keep, stay)
            worth += worth_of_hand(tables, rest) + weight(tables, _NEAR) / left
        if worth > most:
            best, most = np.int64(v), worth
    return best


@compile_policy
def choose_card_counter(tables, observation, mask, key):
    """Chooses an action, see `loop_envs.policies.Policy`."""
    values = np.int64(tables[VALUES])
    if mask[values] != 0:
        # The covered card lies open: it busts or it does not.
        covered = one_of(tables, observation, COVERED)
        return values + (collection_of(tables, observation, 0) >> covered & 1)
    if mask[values + 2] == 0:
        return _choose_card(tables, observation, mask)
    unseen = unseen_cards(tables, observation)
    hand = counts_of(tables, observation, HAND)
    keep = sum_of(collection_of(tables, observation, 0))
    stay = chance_to_answer(tables, hand, unseen) * (keep + weight(tables, _FUTURE))
    top = one_of(tables, observation, TOP)
    _, down = best_instruction(tables, observation, unseen, top, False, keep, stay)
    return values + 2 + down
