"""The sampler's card play: every card that may be played is tried in deals of the unseen cards."""

from __future__ import annotations

import numpy as np

from agents.heuristics.loo.cautious import action_of, choose_card, legal_cards, read_trick
from agents.heuristics.loo.tables import (
    BARRED,
    DISCARDS,
    EMPTY,
    HAND,
    ONE_BIT,
    PLAYED,
    PLAYERS,
    RANKS,
    SIZE,
    TABLE,
    TRICKS_WON,
    TURN_UP,
    UNDERTRUMP,
    deck_of,
    has_declared,
    read_set,
)
from agents.heuristics.loo.tricks import play_out, play_trick
from loop_envs.bits import lowest_bit, ones
from loop_envs.deals import draw
from loop_envs.jit import ZERO, allocating, compiled

DEALS = 24
"""Deals that are looked at for a card."""


@compiled
def _deal(pool, size, barred, sizes, order, table, hands, key, counter):
    """Deals unseen cards to the others who are in, as far as it goes without barred cards."""
    used = np.int64(0)
    for i in range(table):
        p = order[i]
        if p == 0:
            continue
        hands[p] = EMPTY
        for _ in range(sizes[p]):
            if used >= size:
                return
            j = used + draw(key, counter, size - used)
            counter += 1
            # The next card that the player may hold, from a random place on; any at the worst.
            for step in range(size - used):
                t = used + (j - used + step) % (size - used)
                if not barred[p] >> np.uint64(pool[t]) & ONE_BIT:
                    j = t
                    break
            card = pool[j]
            pool[j] = pool[used]
            pool[used] = card
            used += 1
            hands[p] |= ONE_BIT << np.uint64(card)


@allocating
def choose_by_deals(tables, observation, mask, trumps, pam, chips, loo, key):
    """The card that does best over some deals.

    Args:
        tables: See `tables.py`.
        observation: The observation.
        mask: The action mask.
        trumps: With Pam; not empty.
        pam: Pam.
        chips: The pool.
        loo: What a loo costs.
        key: Random word.
    """
    legal = legal_cards(tables, mask)
    if legal == EMPTY or ones(legal) == 1:
        return choose_card(tables, observation, mask, trumps, pam)
    n, hand_size = np.int64(tables[PLAYERS]), np.int64(tables[SIZE])
    cards = 4 * np.int64(tables[RANKS])
    own = read_set(tables, observation, tables[HAND])
    table_cards = read_set(tables, observation, tables[TABLE])
    led, best = read_trick(tables, observation, trumps, pam)
    order = np.zeros(8, np.int64)
    sizes = np.zeros(8, np.int64)
    barred = np.zeros(8, np.uint64)
    hands = np.zeros(8, np.uint64)
    won = np.zeros(8, np.int64)
    unseen = deck_of(tables) & ~own & ~read_set(tables, observation, tables[DISCARDS])
    unseen &= ~read_set(tables, observation, tables[TURN_UP])
    # Turn order with the observer first; those whose card lies are the last of them.
    table, winner = np.int64(0), np.int64(-1)
    for p in range(n):
        played = read_set(tables, observation, tables[PLAYED] + p * cards)
        unseen &= ~played
        if p > 0 and has_declared(tables, observation, p) < 2:
            continue
        sizes[p] = hand_size - ones(played)
        if p > 0:
            barred[p] = read_set(tables, observation, tables[BARRED] + (p - 1) * cards)
        if best != EMPTY and played & best:
            winner = table
        order[table] = p
        table += 1
    lying = np.int64(ones(table_cards))
    leader = (table - lying) % table
    pool = np.zeros(64, np.int64)
    size = np.int64(0)
    while unseen:
        pool[size] = lowest_bit(unseen)
        size += 1
        unseen &= unseen - ONE_BIT
    chosen, most = EMPTY, -1e18
    rest = legal
    while rest:
        card = rest & (~rest + ONE_BIT)
        rest &= rest - ONE_BIT
        total = 0.0
        for d in range(DEALS):  # other deals for every card: the pool's order moves on
            _deal(pool, size, barred, sizes, order, table, hands, key, np.int64(64 * d))
            hands[0] = own
            for p in range(n):
                won[p] = 0
            won[0] = observation[tables[TRICKS_WON]]
            taker = play_trick(
                hands, order, table, leader, lying, led, best, card, winner, trumps, pam,
                tables[UNDERTRUMP] != 0,
            )  # fmt: skip
            won[order[taker]] += 1
            play_out(hands, order, table, taker, trumps, pam, tables[UNDERTRUMP] != 0, won)
            total += chips * won[0] / hand_size if won[0] > 0 else -loo
        if total > most:
            chosen, most = card, total
    return action_of(tables, chosen) if chosen != EMPTY else ZERO
