"""A uniformly random alternative to a match of Loo that one player cannot tell from it.

Hidden are the others' hands, what they gave up, the Miss, the order of the stock, and which cards
of a hand were drawn. Known of them are numbers, the cards that a hand is barred from, that every
lead was allowed and, in five_card, that no hand was a flush. Bars are met by counting; leads and
flushes, which seldom fail, by dealing anew.
"""

from __future__ import annotations

import numpy as np

from loop_envs.assignments import assign, count_ways
from loop_envs.bits import lowest_bit, ones
from loop_envs.deals import draw, mix
from loop_envs.games.loo.actions import HOYLE, PEEL
from loop_envs.games.loo.money import flush_value, seat_after
from loop_envs.games.loo.options import MAX_SEATS
from loop_envs.games.loo.returned import (
    collected_in,
    drawn_from,
    place_returned,
    returned_chances,
)
from loop_envs.games.loo.state import EMPTY, MAX_DECK, ONE_BIT, PLAYING
from loop_envs.games.loo.tricks import leading_cards, played_cards
from loop_envs.jit import ONE, allocating, compiled

# Boxes of hidden cards: hands by player, what players gave up, the Miss. The rest is the stock.
GIVEN_UP, MISS_BOX, BOXES = MAX_SEATS, np.int64(2 * MAX_SEATS), np.int64(2 * MAX_SEATS + 1)


@allocating
def resample(options, tables, state, player, key):
    """Deals the cards that the player has not seen anew."""
    me = np.int64(player)
    bits = np.zeros(MAX_DECK, np.uint64)
    barred = np.zeros(MAX_DECK, np.int64)
    box_of = np.zeros(MAX_DECK, np.int64)
    sizes = np.zeros(BOXES, np.int64)
    boxes = np.zeros(BOXES, np.uint64)
    returned = EMPTY
    counted = np.int64(0)
    reshuffle = collected_in(state, me)
    if reshuffle > 0:
        returned = state.discards[me] & ~played_cards(options, state)
        for q in range(options.players):
            if drawn_from(state, q, reshuffle) > 0:
                counted |= ONE << q
    unseen = _gather(options, state, me, returned, bits, barred, sizes)
    ways = count_ways(barred, unseen, sizes, BOXES, counted)
    chances = ways[2]
    if returned:
        others = np.int64(0)
        for b in range(BOXES):
            if ways[1][b] == 0:
                others += sizes[b]
        chances = returned_chances(options, state, me, returned, sizes, ways[1], ways[2], others)
    counter = np.int64(0)
    while True:
        _empty_hands(options, state, me)
        first = -ONE
        if returned:
            first = place_returned(options, state, returned, sizes, ways[1], chances, key, counter)
            counter += 2 * ones(returned)
        counter = assign(barred, unseen, sizes, BOXES, ways, first, key, counter, box_of)
        _fill(options, state, me, unseen, bits, box_of, boxes)
        if _fits(options, state, me):
            break
    _give_up(options, state, me, boxes)
    _label(options, state, me, key, counter)
    state.seed = mix(key) >> np.uint64(1)


@compiled
def _gather(options, state, me, returned, bits, barred, sizes):
    """Lists the unseen cards, but for own discards, who cannot hold them, and the boxes' sizes.

    Returns:
        The number of these cards.
    """
    seen = state.hands[me] | state.turn_up | played_cards(options, state) | returned
    if collected_in(state, me) == 0:
        seen |= state.discards[me]
    for q in range(options.players):
        if q != me:
            sizes[q] = ones(state.hands[q])
            if collected_in(state, q) == 0:
                sizes[GIVEN_UP + q] = ones(state.discards[q])
    sizes[MISS_BOX] = ones(state.miss)
    left = options.deck & ~seen
    number = np.int64(0)
    while left:
        bit = left & ~(left - ONE_BIT)
        left ^= bit
        bits[number] = bit
        for q in range(options.players):
            if q != me and state.barred[q] & bit:
                barred[number] |= ONE << q
        number += 1
    return number


@compiled
def _empty_hands(options, state, me):
    """Takes the others' cards."""
    for q in range(options.players):
        if q != me:
            state.hands[q] = EMPTY


@compiled
def _fill(options, state, me, number, bits, box_of, boxes):
    """Adds the cards dealt to hands, and collects those of the other boxes."""
    for b in range(BOXES):
        boxes[b] = EMPTY
    for i in range(number):
        if box_of[i] >= 0:
            boxes[box_of[i]] |= bits[i]
    for q in range(options.players):
        if q != me:
            state.hands[q] |= boxes[q]


@compiled
def _fits(options, state, me):
    """Whether every lead was allowed, and no hand a flush (rules 18, 24)."""
    if state.phase != PLAYING:
        return True
    ruled = options.lead_rule == HOYLE or options.lead_rule == PEEL
    for q in range(options.players):
        if q == me or not state.active >> q & 1:
            continue
        hand = state.hands[q] | state.played[q]
        if options.flushes and flush_value(options, state, hand) > 0:
            return False
        if ruled and not _leads_fit(options, state, q, hand):
            return False
    return True


@compiled
def _leads_fit(options, state, player, hand):
    """Whether a player whose whole hand was this one might lead what was led."""
    gone = EMPTY
    for t in range(state.trick + 1):
        bit = options.card_bits[state.card_at[player, t]]
        if t == state.trick and not state.table & state.played[player] & bit:
            break  # not played yet
        # The first lead of Irish without a turn-up was free (rule 18).
        bound = state.leader[t] == player and (t > 0 or options.has_turn_up)
        if bound and not leading_cards(options, state, hand, np.int64(t), gone) & bit:
            return False
        hand &= ~bit
        for q in range(options.players):
            if state.active >> q & 1:
                gone |= options.card_bits[state.card_at[q, t]]
    return True


@compiled
def _give_up(options, state, me, boxes):
    """Writes the Miss, and what lies outside hands and stock."""
    if state.miss != EMPTY:
        state.miss = boxes[MISS_BOX]
    state.waste = EMPTY
    for q in range(options.players):
        if collected_in(state, q) == 0:
            if q != me:
                state.discards[q] = boxes[GIVEN_UP + q]
            state.waste |= state.discards[q]


# What was drawn, and the stock ------------------------------------------------------------------


@compiled
def _label(options, state, me, key, counter):
    """Chooses which cards of the hands were drawn and who gave up what, and orders the stock.

    What a player gave up is known by number only, and once it is in a new stock it may be any of
    that stock's cards, drawn or not, but for the own discards.
    """
    n = options.players
    own = state.discards[me]
    own_drawn = (state.hands[me] | state.played[me]) & ~state.kept[me]
    stock = options.deck & ~(state.turn_up | state.miss | state.waste)
    for q in range(n):
        held = state.hands[q] | state.played[q]
        stock &= ~held
        if q != me:
            state.kept[q] = held
    at = np.int64(0)
    for k in range(state.reshuffles + 1):
        last = k == state.reshuffles
        back = own if k > 0 and collected_in(state, me) == k else EMPTY
        made = stock if last else EMPTY
        for j in range(1, n + 1):  # the order in which cards were drawn
            q = seat_after(options, np.int64(state.dealer), np.int64(j))
            number = drawn_from(state, q, np.int64(k))
            if q == me:
                drawn = random_cards(own_drawn, number, key, counter)
                own_drawn ^= drawn
            else:
                drawn = state.kept[q] & back
                more = number - ones(drawn)
                drawn |= random_cards(state.kept[q] & ~own, more, key, counter)
                state.kept[q] ^= drawn
            counter += number
            made |= drawn
            if last:
                at = _add_to_stock(options, state, drawn, at)
        made &= ~back
        for q in range(n):
            if k > 0 and q != me and collected_in(state, q) == k:
                number = ones(state.discards[q])
                state.discards[q] = random_cards(made, number, key, counter)
                made ^= state.discards[q]
                counter += number
    while stock:
        bit = random_cards(stock, ONE, key, counter)
        stock ^= bit
        counter += 1
        at = _add_to_stock(options, state, bit, at)


@compiled
def random_cards(cards, number, key, counter):
    """Some random cards of a set; uses as many draws."""
    chosen = EMPTY
    for i in range(number):
        left = cards
        for _ in range(draw(key, counter + i, ones(cards))):
            left &= left - ONE_BIT
        bit = left & ~(left - ONE_BIT)
        chosen |= bit
        cards ^= bit
    return chosen


@compiled
def _add_to_stock(options, state, cards, at):
    """Writes cards into the stock, in ascending order; returns the place behind them."""
    while cards:
        place = lowest_bit(cards)
        state.stock[at] = (place >> 4) * options.ranks + (place & 15)
        cards &= cards - ONE_BIT
        at += 1
    return at
