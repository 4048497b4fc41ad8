"""Dealing in Loo: the deck, the hands, and what a new deal forgets of the one before.

Numbers in comments are those of the game's README.
"""

from __future__ import annotations

import numpy as np

from loop_envs.deals import deal_key, draw, shuffle
from loop_envs.games.loo.actions import ALL, NO_PAM, OF_TRUMPS
from loop_envs.games.loo.declare import go_on, reshuffle
from loop_envs.games.loo.money import end_deal, pay_antes, seat_after
from loop_envs.games.loo.options import MAX_HAND, MAX_SEATS
from loop_envs.games.loo.state import (
    DECLARING,
    EMPTY,
    ONE_BIT,
    RESHUFFLING,
    set_trump,
    suit_of,
)
from loop_envs.jit import ONE, ZERO, compiled


@compiled
def deal(options, seed, board, index, deck):
    """Shuffles the deck; behind the cards lies the first dealer of a match (rule 2)."""
    cards = 4 * options.ranks
    key = deal_key(seed, board, index)
    shuffle(key, deck, cards)
    # Draws 1..cards-1 made the shuffle; draw 0 is free.
    deck[cards] = draw(key, ZERO, options.players)


@compiled
def start(options, state, deck):
    """Sets up a deal, or gives the order of a new stock."""
    if state.phase == RESHUFFLING:
        reshuffle(options, state, deck)
        if go_on(options, state, np.int64(state.drawer)):
            end_deal(options, state)
        return
    if state.deals_done == 0:
        state.dealer = deck[4 * options.ranks]
        for p in range(options.players):
            state.chips[p] = options.stack
    else:
        state.dealer = seat_after(options, np.int64(state.dealer), ONE)
    clear(state)
    pay_antes(options, state)
    state.all_play = options.bold_stand == ALL and state.single  # rule 14
    deal_cards(options, state, deck)
    clubs = state.turn_up & suit_of(options, ZERO) != EMPTY
    state.no_draw = options.club_law and clubs  # rule 16
    state.all_play |= state.no_draw
    state.player = seat_after(options, np.int64(state.dealer), ONE)
    state.phase = DECLARING


@compiled
def clear(state):
    """Forgets the deal before."""
    for p in range(MAX_SEATS):
        state.hands[p] = EMPTY
        state.discards[p] = EMPTY
        state.played[p] = EMPTY
        state.barred[p] = EMPTY
        state.declared[p] = 0
        state.exchanged[p] = 0
        state.drawn_after[p] = 0
        state.generation[p] = 0
        state.tricks_won[p] = 0
        for t in range(MAX_HAND):
            state.card_at[p, t] = 0
    for t in range(MAX_HAND + 1):
        state.leader[t] = 0
    state.miss = EMPTY
    state.waste = EMPTY
    state.turn_up = EMPTY
    state.trumps = EMPTY
    state.honour = EMPTY
    state.pam = EMPTY
    state.trump = -1
    state.trick = 0
    state.reshuffles = 0
    state.reshuffled = 0
    state.drawer = 0
    state.active = 0
    state.few_trumps = 0
    state.was_civil = 0
    state.looed = 0
    state.flushed = 0
    state.short = 0


@compiled
def deal_cards(options, state, deck):
    """The hands, the Miss, the turn-up with trumps and Pam, and the stock (rules 7-10, 21)."""
    at = np.int64(0)
    for p in range(options.players):
        for _ in range(options.hand_size):
            state.hands[p] |= options.card_bits[deck[at]]
            at += 1
        state.kept[p] = state.hands[p]
    if options.has_miss and not state.all_play:
        for _ in range(options.hand_size):
            state.miss |= options.card_bits[deck[at]]
            at += 1
    if options.has_turn_up:
        state.turn_up = options.card_bits[deck[at]]
        suit = np.int64(deck[at]) // options.ranks
        at += 1
        if options.pam != NO_PAM:
            of_suit = suit if options.pam == OF_TRUMPS else ZERO  # clubs
            jack = ONE_BIT << np.uint64(16 * of_suit + options.ranks - 4)
            state.pam = jack & ~state.turn_up
        set_trump(options, state, suit)
    size = 4 * options.ranks - at
    for i in range(size):
        state.stock[i] = deck[at + i]
    state.stock_at = 0
    state.stock_size = size
