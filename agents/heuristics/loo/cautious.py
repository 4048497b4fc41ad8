"""`cautious`: comes in with a hand that should win a trick, and plays sensible tricks."""

from __future__ import annotations

import numpy as np

from agents.heuristics.loo.tables import (
    ANTE,
    EMPTY,
    FIRST_DRAW,
    FIRST_MISS,
    FIRST_PASS,
    HAND,
    LED,
    ONE_BIT,
    PHASE,
    PLAYERS,
    POOL,
    RANKS,
    SUIT_BITS,
    TABLE,
    TRUMP,
    TURN_UP,
    amount,
    has_declared,
    pam_bit,
    read_set,
    suit_shown,
)
from agents.heuristics.loo.tricks import follow_with, lead_with, winners
from loop_envs.bits import lowest_bit, ones
from loop_envs.jit import compiled
from loop_envs.jit_policies import compile_policy


@compiled
def trumps_of(tables, observation):
    """The trumps with Pam, and Pam; trumps are empty before there are any."""
    trump = suit_shown(tables, observation, TRUMP)
    turn_up = read_set(tables, observation, tables[TURN_UP])
    pam = pam_bit(tables, trump, turn_up)
    if trump < 0:
        return EMPTY, pam
    return SUIT_BITS << np.uint64(16 * trump) | pam, pam


@compiled
def strength(tables, hand, trumps, pam):
    """How many tricks a hand should win, roughly."""
    top = np.int64(tables[RANKS]) - 1
    total = 0.0 if trumps else 0.3  # any suit may still become trumps
    rest = hand
    while rest:
        place = lowest_bit(rest)
        bit = ONE_BIT << np.uint64(place)
        below = top - (place & 15)
        if bit == pam:
            total += 1.0
        elif bit & trumps:
            total += max(0.25, 1.0 - 0.18 * below)
        elif below < 3:
            total += 0.45 - 0.15 * below
        rest &= rest - ONE_BIT
    return total


@compiled
def _declare(tables, observation, mask, first, hand, trumps, pam):
    players_in = 0
    to_come = 0
    for j in range(1, tables[PLAYERS]):
        said = has_declared(tables, observation, j)
        players_in += said >= 2
        to_come += said == 0
    needed = 0.15 + 0.2 * players_in + 0.05 * to_come
    if amount(observation, tables[POOL]) > 2 * tables[PLAYERS] * tables[ANTE]:
        needed += 0.15  # a loo costs the pool
    if strength(tables, hand, trumps, pam) >= needed:
        return first + 1
    if mask[first] != 0:
        return first
    # A dealer defends a pool without risk; who must play takes the Miss for a bad hand.
    miss = np.int64(tables[FIRST_MISS])
    if miss >= 0:
        if mask[miss + 1] != 0:
            return miss + 1
        if mask[miss] != 0:
            return miss
    return first + 1


@compiled
def discard(tables, mask, hand, trumps, pam, below):
    """The exchange that keeps trumps, Pam, and plain cards down to `below` ranks under the ace."""
    first = np.int64(tables[FIRST_DRAW])
    top = np.int64(tables[RANKS]) - 1
    subset, at = np.int64(0), np.int64(0)
    for r in range(tables[RANKS]):
        for s in range(4):
            bit = ONE_BIT << np.uint64(16 * s + r)
            if hand & bit:
                if not bit & (trumps | pam) and top - r > below:
                    subset |= np.int64(1) << at
                at += 1
    # Where the stock is short, fewer cards: the highest of those are kept.
    while subset and mask[first + subset] == 0:
        smaller = np.int64(0)
        for i in range(at):
            without = subset & ~(np.int64(1) << i)
            if subset >> i & 1:
                smaller = without
        subset = smaller
    return first + subset


@compiled
def legal_cards(tables, mask):
    """The cards that may be played, as a set."""
    ranks = np.int64(tables[RANKS])
    legal = EMPTY
    for i in range(4 * ranks):
        if mask[i] != 0:
            legal |= ONE_BIT << np.uint64(i // ranks * 16 + i % ranks)
    return legal


@compiled
def read_trick(tables, observation, trumps, pam):
    """The trick on the table: the cards that follow its lead, and the best card; empty for none."""
    table = read_set(tables, observation, tables[TABLE])
    led, best = EMPTY, EMPTY
    if table == EMPTY:
        return led, best
    led = SUIT_BITS << np.uint64(16 * suit_shown(tables, observation, LED))
    led = trumps if led & trumps & ~pam else led & ~pam
    rest = table & (trumps | led)
    while rest:
        bit = rest & (~rest + ONE_BIT)
        if best == EMPTY or winners(bit, best, led, trumps, pam):
            best = bit
        rest &= rest - ONE_BIT
    return led, best


@compiled
def number_in(tables, observation):
    """How many players are in, the observer included."""
    number = 1
    for j in range(1, tables[PLAYERS]):
        number += has_declared(tables, observation, j) >= 2
    return number


@compiled
def choose_card(tables, observation, mask, trumps, pam):
    """A card by simple rules, as everybody would play it."""
    legal = legal_cards(tables, mask)
    led, best = read_trick(tables, observation, trumps, pam)
    if best == EMPTY:
        hand = read_set(tables, observation, tables[HAND])
        card = lead_with(legal, hand, trumps, pam)
    else:
        lying = ones(read_set(tables, observation, tables[TABLE]))
        last = lying == number_in(tables, observation) - 1
        card = follow_with(legal, best, led, trumps, pam, last)
    return action_of(tables, card)


@compiled
def action_of(tables, card):
    """The action that plays a card."""
    place = lowest_bit(card)
    return (place >> 4) * np.int64(tables[RANKS]) + (place & 15)


@compile_policy
def choose_cautious(tables, observation, mask, key):
    """Chooses an action, see `loop_envs.policies.Policy`."""
    trumps, pam = trumps_of(tables, observation)
    hand = read_set(tables, observation, tables[HAND])
    action = np.int64(-1)
    if observation[tables[PHASE]] != 0:
        first = np.int64(tables[FIRST_PASS])
        action = _declare(tables, observation, mask, first, hand, trumps, pam)
    elif observation[tables[PHASE] + 1] != 0:
        action = discard(tables, mask, hand, trumps, pam, np.int64(0))
    else:
        action = choose_card(tables, observation, mask, trumps, pam)
    if action >= 0 and mask[action] != 0:
        return action
    action = np.int64(0)
    while mask[action] == 0:
        action += 1
    return action
