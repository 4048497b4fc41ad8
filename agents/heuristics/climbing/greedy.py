"""`greedy`: sheds the most cards at the lowest cost, one decision at a time."""

from __future__ import annotations

import numpy as np

from agents.heuristics.climbing.tables import (
    ACTIONS,
    ASIDE,
    ASIDE_ACTION,
    CARDS_LEFT,
    COLOURS,
    CURRENT_KIND,
    EIGHT,
    HAND,
    INVERTED,
    PASS_ACTION,
    PHASE,
    ROW,
    ROW_EIGHTS,
    ROW_SIZE,
    ROW_STRENGTH,
    SAME_COLOUR,
    SEAT_ACTION,
    SET_ASIDE,
    VALUES,
)
from loop_envs.bits import load8, lowest_bit
from loop_envs.jit import compiled
from loop_envs.jit_policies import compile_policy

_PASS = -1_000  # better than to spend an 8, worse than everything else
_EIGHT = -2_000
_REVEAL = -10_000
_OUT = 100_000


@compiled
def usefulness(tables, observation, value, colour):
    """How much a card in hand helps: by the cards it can be combined with, then by value."""
    values = np.int64(tables[VALUES])
    hand = np.int64(tables[HAND])
    score = 0
    for c in range(tables[COLOURS]):
        at = hand + c * values + value
        if c != colour:
            score += 40 * np.int64(observation[at])
        if c == colour or tables[SAME_COLOUR] == 0:
            if value > 0:
                score += 40 * np.int64(observation[at - 1])
            if value + 1 < values:
                score += 40 * np.int64(observation[at + 1])
    if value == tables[EIGHT]:
        score += 1_000
    return score + value


@compiled
def _order(card, values, colours):
    """Place of a card in card order: by value, then colour."""
    return card % values * colours + card // values


@compiled
def _set_aside(tables, observation, mask):
    """One of the two least useful cards, the earlier first as the rules want it."""
    values, colours = np.int64(tables[VALUES]), np.int64(tables[COLOURS])
    hand, first = np.int64(tables[HAND]), np.int64(tables[ASIDE_ACTION])
    picked = 0
    for i in range(colours * values):
        picked += observation[tables[ASIDE] + i]
    one, two, least, second = -1, -1, 1 << 20, 1 << 20
    pair = picked + 1 < tables[SET_ASIDE]
    for value in range(values):  # in card order, so that ties go to the earlier card
        for colour in range(colours):
            i = colour * values + value
            if observation[hand + i] == 0 or not (pair or mask[first + i] != 0):
                continue
            score = usefulness(tables, observation, value, colour)
            if score < least:
                two, second = one, least
                one, least = i, score
            elif score < second:
                two, second = i, score
    if pair and two >= 0 and _order(two, values, colours) < _order(one, values, colours):
        one = two
    return first + one


@compiled
def _play(tables, observation, mask):
    lead = observation[tables[CURRENT_KIND]] == 0 and observation[tables[CURRENT_KIND] + 1] == 0
    mine = observation[tables[CARDS_LEFT]]
    inverted = observation[tables[INVERTED]] != 0
    passing = np.int64(tables[PASS_ACTION])
    best, most = passing, _REVEAL
    if mask[passing] != 0:
        most = _PASS
    elif mask[passing + 1] != 0:
        best = passing + 1
    i, action = 0, 0
    while i < passing:
        if i + 8 <= mask.shape[0]:
            word = load8(mask, i)
            if word == 0:
                i += 8
                continue
            action = i + (lowest_bit(word) >> 3)
        else:
            action = i
        i = action + 1
        if mask[action] == 0 or action >= passing:
            continue
        row = ACTIONS + ROW * action
        strength = tables[row + ROW_STRENGTH]
        size = tables[row + ROW_SIZE]
        score = strength - 16 if inverted else -strength
        if lead:
            score += 32 * size
        if size == mine:
            score += _OUT
        elif tables[row + ROW_EIGHTS] != 0:
            score += _EIGHT
        if score > most:
            best, most = action, score
    return best


@compile_policy
def choose_greedy(tables, observation, mask, key):
    """Chooses an action, see `loop_envs.policies.Policy`."""
    action = np.int64(tables[SEAT_ACTION])
    if action >= 0 and mask[action] != 0:
        return action
    if observation[tables[PHASE]] != 0:
        action = _set_aside(tables, observation, mask)
    else:
        action = _play(tables, observation, mask)
    if mask[action] != 0:
        return action
    action = 0
    while mask[action] == 0:
        action += 1
    return action
