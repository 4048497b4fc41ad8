"""From the deal to the first lead in Loo: declarations, exchanges, and a new stock.

Numbers in comments are those of the game's README.
"""

from __future__ import annotations

import numpy as np

from loop_envs.bits import lowest_bit, ones
from loop_envs.games.loo.actions import IN, LAST_TWO, PASS
from loop_envs.games.loo.money import seat_after, settle_flush
from loop_envs.games.loo.state import (
    DEALS_APART,
    DECLARING,
    DRAWING,
    EMPTY,
    ONE_BIT,
    PASSED,
    PLAYING,
    RESHUFFLING,
    SUIT_BITS,
    next_active,
)
from loop_envs.jit import ONE, compiled, inlined

# Declarations -----------------------------------------------------------------------------------


@compiled
def must_play(options, state, player):
    """Whether the player to declare may not pass: the bold stand and its kin (rules 14, 16)."""
    if state.all_play:
        return True
    if options.bold_stand != LAST_TWO or not state.single:
        return False
    # The last two may not pass where everybody before them has.
    dealer = np.int64(state.dealer)
    last_two = ONE << dealer | ONE << seat_after(options, dealer, options.players - 1)
    return np.int64(state.active) & ~last_two == 0 and last_two >> player & 1 != 0


@compiled
def may_declare(options, state):
    """What the player to move may declare besides `in`, as bits: 1 pass, 2 miss, 4 defend."""
    player = np.int64(state.player)
    forced = must_play(options, state, player)
    miss_lies = state.miss != EMPTY and not state.all_play
    found = 2 if miss_lies else 0
    if forced:
        return found
    # The dealer opposite a lone player who has not taken the Miss defends the pool (rule 15).
    alone = player == state.dealer and ones(np.uint64(state.active)) == 1
    if alone and miss_lies and options.dealer_defends:
        return found + 4
    return found + 1


@compiled
def declare(options, state, kind):
    """Passes, or comes in.

    Returns:
        Whether the next player is to go on; not where cards are to be exchanged first.
    """
    p = np.int64(state.player)
    state.declared[p] = kind - PASS + PASSED
    if kind != PASS:
        state.active |= np.uint8(1 << p)
    if kind == IN:
        exchange_now = options.exchange and not options.after_all and not state.no_draw
        state.phase = DRAWING if exchange_now else DECLARING
        return not exchange_now
    give_up(state, p, state.hands[p])
    state.waste |= state.discards[p]
    if kind != PASS:  # the whole hand for the Miss, unseen (rule 11)
        state.hands[p] = state.miss
        state.kept[p] = state.miss
        state.miss = EMPTY
    return True


@inlined
def give_up(state, player, cards):
    """Takes cards from a hand as it was dealt."""
    state.generation[player] = state.reshuffles
    state.discards[player] = cards
    state.hands[player] &= ~cards
    state.kept[player] &= ~cards


@compiled
def go_on(options, state, player):
    """What follows when a player has declared, or exchanged (rules 11, 12, 15, 17, 24).

    Returns:
        Whether the deal is over and paid.
    """
    dealer = np.int64(state.dealer)
    first = next_active(options, state, dealer) if state.active else dealer
    if state.phase == DECLARING or not options.after_all:
        following = seat_after(options, player, ONE)
        nobody = state.active == 0 and following == dealer and not must_play(options, state, dealer)
        if player != dealer and not nobody:
            state.player = following
            state.phase = DECLARING
            return False
        if nobody or ones(np.uint64(state.active)) == 1:
            state.chips[first] += state.pool
            state.carry = 0
            return True
        if options.exchange and options.after_all and not state.no_draw:
            state.player = first
            state.phase = DRAWING
            return False
    else:
        following = next_active(options, state, player)
        if following != first:
            state.player = following
            state.phase = DRAWING
            return False
    if options.flushes and settle_flush(options, state):
        return True
    state.leader[0] = first
    state.player = first
    state.phase = PLAYING
    return False


# The exchange -----------------------------------------------------------------------------------


@compiled
def subset_of(hand, subset):
    """Of a hand in ascending order of rank, then suit, the cards whose bits are in `subset`."""
    chosen = EMPTY
    at = np.int64(0)
    ranks = hand | hand >> np.uint64(32)
    ranks = (ranks | ranks >> np.uint64(16)) & SUIT_BITS
    while ranks:
        column = ONE_BIT << np.uint64(lowest_bit(ranks))
        for _ in range(4):
            if hand & column:
                if subset >> at & 1:
                    chosen |= column
                at += 1
            column <<= np.uint64(16)
        ranks &= ranks - ONE_BIT
    return chosen


@compiled
def exchange(options, state, subset):
    """Gives up some cards and draws as many (rule 12).

    Returns:
        Whether that is done; not where the stock is to be made anew first.
    """
    p = np.int64(state.player)
    given = subset_of(state.hands[p], subset)
    number = ones(given)
    give_up(state, p, given)
    state.exchanged[p] = number + 1
    state.drawer = p
    state.needed = number
    draw_cards(options, state)
    if state.needed == 0:
        return True
    # What others gave up is made a new stock; the loops deal it (rule 13).
    state.drawn_after[p] = state.needed
    state.reshuffles += 1
    state.deals = DEALS_APART * state.deals_done + state.reshuffles
    state.phase = RESHUFFLING
    state.player = -1
    return False


@compiled
def draw_cards(options, state):
    """Draws from the stock what is needed, as far as it goes; then others may draw the discards."""
    p = np.int64(state.drawer)
    while state.needed > 0 and state.stock_at < state.stock_size:
        state.hands[p] |= options.card_bits[state.stock[state.stock_at]]
        state.stock_at += 1
        state.needed -= 1
    if state.needed == 0:
        state.waste |= state.discards[p]


@compiled
def reshuffle(options, state, deck):
    """Makes a new stock of what was given up, in the order of a deck, and ends the exchange."""
    size = np.int64(0)
    for i in range(4 * options.ranks):
        if options.card_bits[deck[i]] & state.waste:
            state.stock[size] = deck[i]
            size += 1
    for i in range(size, state.stock_size):
        state.stock[i] = 0
    state.stock_at = 0
    state.stock_size = size
    state.waste = EMPTY
    state.reshuffled = 1
    state.phase = DRAWING
    draw_cards(options, state)
