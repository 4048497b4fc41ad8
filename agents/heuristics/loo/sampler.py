"""`sampler`: comes in when deals of the unseen cards say that it pays.

Before it declares it deals the cards it cannot know a number of times, plays each deal out as
everybody would, and compares what it wins with what it pays when it is looed. Players who are yet
to declare come in by chance; those who have come in choose the better of two hands. The Miss is
judged in the same way, and so is every card it may play.
"""

from __future__ import annotations

import numpy as np

from agents.heuristics.loo.card_play import choose_by_deals
from agents.heuristics.loo.cautious import choose_card, discard, strength, trumps_of
from agents.heuristics.loo.tables import (
    ANTE,
    DEALER,
    DISCARDS,
    EMPTY,
    FIRST_DRAW,
    FIRST_MISS,
    FIRST_PASS,
    HAND,
    LOO,
    LOO_AMOUNT,
    ONE_BIT,
    PHASE,
    PLAYERS,
    POOL,
    RANKS,
    SIZE,
    TURN_UP,
    UNDERTRUMP,
    WEIGHTS,
    amount,
    deck_of,
    has_declared,
    read_set,
)
from agents.heuristics.loo.tricks import play_out
from agents.heuristics.loo.weights import W
from loop_envs.bits import lowest_bit
from loop_envs.deals import draw
from loop_envs.jit import allocating, compiled
from loop_envs.jit_policies import compile_policy

_JOIN, _JOIN_LOOED, _CHOOSY, _COST = int(W.JOIN), int(W.JOIN_LOOED), int(W.CHOOSY), int(W.COST)
_EDGE, _KEEP, _MISS = int(W.EDGE), int(W.KEEP), int(W.MISS)
DEALS = 40
"""Deals that are looked at for a declaration."""
LIMITED, CAPPED = 1, 2


@compiled
def weight(tables, name):
    """A weight as a number."""
    return 0.001 * tables[WEIGHTS + name]


@compiled
def _take(pool, used, number, size, key, counter):
    """Draws cards from the pool of unseen ones; returns them as a set."""
    cards = EMPTY
    for i in range(used, used + number):
        j = i + draw(key, counter + i, size - i)
        card = pool[j]
        pool[j] = pool[i]
        pool[i] = card
        cards |= ONE_BIT << np.uint64(card)
    return cards


@compiled
def _exchanged(tables, hand, trumps, pam):
    """What stays of a hand in an exchange, and how many cards are drawn."""
    top = np.int64(tables[RANKS]) - 1
    below = np.int64(round(weight(tables, _KEEP)))
    kept, gone = EMPTY, np.int64(0)
    rest = hand
    while rest:
        place = lowest_bit(rest)
        bit = ONE_BIT << np.uint64(place)
        if bit & (trumps | pam) or top - (place & 15) <= below:
            kept |= bit
        else:
            gone += 1
        rest &= rest - ONE_BIT
    return kept, gone


@compiled
def _deal_hand(tables, own, number, trumps, pam, pool, used, size, key, counter):
    """A hand of `number` new cards and `own` ones, after an exchange where there is one.

    Returns:
        The hand, and how many cards of the pool are used then.
    """
    hand = own | _take(pool, used, number, size, key, counter)
    used += number
    if tables[FIRST_DRAW] >= 0:
        kept, gone = _exchanged(tables, hand, trumps, pam)
        gone = min(gone, size - used)
        hand = kept | _take(pool, used, gone, size, key, counter)
        used += gone
    return hand, used


@compiled
def stakes(tables, observation):
    """The pool, and what a loo costs."""
    chips = 1.0 * amount(observation, tables[POOL])
    if tables[LOO] == LIMITED:
        return chips, 1.0 * tables[LOO_AMOUNT]
    if tables[LOO] == CAPPED:
        return chips, min(chips, 1.0 * tables[LOO_AMOUNT])
    return chips, chips


@allocating
def worth_of_playing(tables, observation, own, trumps, pam, defends, key):
    """What coming in is worth, in chips.

    Args:
        tables: See `tables.py`.
        observation: The observation.
        own: The own hand; empty for the Miss.
        trumps: With Pam.
        pam: Pam.
        defends: Whether the player only keeps the pool from another.
        key: Random word.
    """
    n, hand_size = np.int64(tables[PLAYERS]), np.int64(tables[SIZE])
    unseen = deck_of(tables) & ~read_set(tables, observation, tables[HAND])
    unseen &= ~read_set(tables, observation, tables[DISCARDS])
    unseen &= ~read_set(tables, observation, tables[TURN_UP])
    pool = np.zeros(64, np.int64)
    size = np.int64(0)
    while unseen:
        pool[size] = lowest_bit(unseen)
        size += 1
        unseen &= unseen - ONE_BIT
    hands = np.zeros(8, np.uint64)
    order = np.zeros(8, np.int64)
    won = np.zeros(8, np.int64)
    dealer = np.int64(0)
    while observation[tables[DEALER] + dealer] == 0:
        dealer += 1
    chips, loo = stakes(tables, observation)
    looed_pool = chips > n * tables[ANTE]
    join = weight(tables, _JOIN) + (weight(tables, _JOIN_LOOED) if looed_pool else 0.0)
    total = 0.0
    for d in range(DEALS):
        counter = 128 * d
        used, table = np.int64(0), np.int64(0)
        missing = hand_size if own == EMPTY else np.int64(0)
        if own == EMPTY:
            hands[0] = _take(pool, used, missing, size, key, counter)
            used += missing
        else:
            hands[0], used = _deal_hand(
                tables, own, missing, trumps, pam, pool, used, size, key, counter
            )
        for k in range(1, n + 1):
            p = (dealer + k) % n
            said = has_declared(tables, observation, p) if p > 0 else np.int64(2)
            if p > 0:
                chance = 0.001 * draw(key, counter + 64 + p, 1000)
                if said == 1 or (said == 0 and chance >= join):
                    continue
                if size - used < 2 * hand_size:
                    continue
                hands[p], used = _deal_hand(
                    tables, EMPTY, hand_size, trumps, pam, pool, used, size, key, counter
                )
                choosy = 0.001 * draw(key, counter + 80 + p, 1000) < weight(tables, _CHOOSY)
                if said != 3 and choosy and size - used >= 2 * hand_size:
                    other, used = _deal_hand(
                        tables, EMPTY, hand_size, trumps, pam, pool, used, size, key, counter
                    )
                    if strength(tables, other, trumps, pam) > strength(
                        tables, hands[p], trumps, pam
                    ):
                        hands[p] = other
            order[table] = p
            table += 1
        for p in range(n):
            won[p] = 0
        if table == 1:
            total += chips
            continue
        play_out(hands, order, table, np.int64(0), trumps, pam, tables[UNDERTRUMP] != 0, won)
        if defends:
            continue
        if won[0] > 0:
            total += chips * won[0] / hand_size
        else:
            total -= weight(tables, _COST) * loo
    return total / DEALS


@compiled
def _declare(tables, observation, mask, hand, trumps, pam, key):
    first = np.int64(tables[FIRST_PASS])
    miss = np.int64(tables[FIRST_MISS])
    chips = 1.0 * amount(observation, tables[POOL])
    best, most = np.int64(-1), -1e18
    if mask[first] != 0:
        best, most = first, chips * weight(tables, _EDGE)
    elif miss >= 0 and mask[miss + 1] != 0:
        best, most = miss + 1, chips * weight(tables, _EDGE)  # no risk, and no gain
    worth = worth_of_playing(tables, observation, hand, trumps, pam, False, key)
    if worth > most:
        best, most = first + 1, worth
    if miss >= 0 and mask[miss] != 0:
        worth = worth_of_playing(tables, observation, EMPTY, trumps, pam, False, key)
        if worth - chips * weight(tables, _MISS) > most:
            best = miss
    return best


@compile_policy
def choose_sampler(tables, observation, mask, key):
    """Chooses an action, see `loop_envs.policies.Policy`."""
    trumps, pam = trumps_of(tables, observation)
    hand = read_set(tables, observation, tables[HAND])
    action = np.int64(-1)
    if observation[tables[PHASE]] != 0:
        action = _declare(tables, observation, mask, hand, trumps, pam, key)
    elif observation[tables[PHASE] + 1] != 0:
        below = np.int64(round(weight(tables, _KEEP)))
        action = discard(tables, mask, hand, trumps, pam, below)
    elif trumps == EMPTY:  # the first lead of Irish
        action = choose_card(tables, observation, mask, trumps, pam)
    else:
        chips, loo = stakes(tables, observation)
        loo *= weight(tables, _COST)
        action = choose_by_deals(tables, observation, mask, trumps, pam, chips, loo, key)
    if action >= 0 and mask[action] != 0:
        return action
    action = np.int64(0)
    while mask[action] == 0:
        action += 1
    return action
