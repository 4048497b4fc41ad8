"""The whole state of a match of Loo as one fixed-size record.

A set of cards is one 64-bit word, the four words of `loop_envs.cards` side by side: bit 16 s + r
for the card of suit s and rank r. Suits are C D H S, ranks ascend to the ace. A card is its number
``suit * ranks + rank`` in actions and stocks, and a single bit where it meets sets.
"""

from __future__ import annotations

import numpy as np

from loop_envs.game import state_dtype
from loop_envs.games.loo.options import MAX_HAND, MAX_SEATS
from loop_envs.jit import compiled, inlined

MAX_DECK = 52
DECLARING, DRAWING, PLAYING, RESHUFFLING = 0, 1, 2, 3
"""What the player to move decides; RESHUFFLING: nobody is to move, the stock is to be made anew."""
PASSED, PLAYS, TOOK_MISS, DEFENDS = 1, 2, 3, 4
"""What a player has declared; 0 before that."""
DEALS_APART = 64
"""Deal k has the index 64 k, and its j-th reshuffle 64 k + j, so that no deal depends on how often
the stock was made anew before; there is one reshuffle per player at most."""

EMPTY = np.uint64(0)
ONE_BIT = np.uint64(1)
SUIT_BITS = np.uint64(0xFFFF)

DTYPE = state_dtype(
    [
        # Sets of cards
        ("hands", np.uint64, (MAX_SEATS,)),
        ("kept", np.uint64, (MAX_SEATS,)),  # of the hand as dealt, what was not given up
        ("discards", np.uint64, (MAX_SEATS,)),  # given up: exchanged, passed, or left for the Miss
        ("played", np.uint64, (MAX_SEATS,)),
        ("barred", np.uint64, (MAX_SEATS,)),  # known by everybody not to be held
        ("miss", np.uint64),  # empty once taken
        ("waste", np.uint64),  # given up and not in a new stock yet
        ("turn_up", np.uint64),
        ("trumps", np.uint64),  # Pam included; empty before the first lead of Irish
        ("honour", np.uint64),  # the trump ace, or the king where the ace is turned up
        ("pam", np.uint64),  # empty where there is none in play
        ("table", np.uint64),  # this trick's cards
        ("led", np.uint64),  # all cards that follow the lead
        ("best", np.uint64),  # the card that wins the trick so far
        # Chips
        ("chips", np.int32, (MAX_SEATS,)),
        ("pool", np.int32),
        ("carry", np.int32),  # of the pool, what earlier deals left
        ("deals_done", np.int32),
        # The deal
        ("stock", np.uint8, (MAX_DECK,)),  # card numbers in the order drawn
        ("stock_at", np.int8),  # the next to be drawn
        ("stock_size", np.int8),
        ("reshuffles", np.int8),  # of this deal
        ("reshuffled", np.int8),  # 1: the last start was one
        ("dealer", np.int8),
        ("single", np.int8),  # 1: the pool was single
        ("all_play", np.int8),  # 1: nobody may pass, and there is no Miss
        ("no_draw", np.int8),  # 1: no exchange in this deal
        ("phase", np.int8),
        ("active", np.uint8),  # bit per player who is in
        ("declared", np.int8, (MAX_SEATS,)),
        ("exchanged", np.int8, (MAX_SEATS,)),  # 0: not yet, k + 1: k cards
        ("drawn_after", np.int8, (MAX_SEATS,)),  # of these, after a reshuffle in the draw
        ("generation", np.int8, (MAX_SEATS,)),  # reshuffles before the player passed or drew
        ("needed", np.int8),  # cards that are to be drawn after the reshuffle
        ("drawer", np.int8),
        # The play
        ("trump", np.int8),  # a suit, or -1
        ("trick", np.int8),  # tricks that are complete
        ("leader", np.int8, (MAX_HAND + 1,)),  # by trick; behind them the last one's winner
        ("winning", np.int8),
        ("civil", np.int8),  # 1: Pam is barred from this trick
        ("was_civil", np.int8),  # 1: it was from an earlier trick
        ("few_trumps", np.uint8),  # bit per player known to hold one trump at most
        ("card_at", np.int8, (MAX_SEATS, MAX_HAND)),  # by player and trick
        ("tricks_won", np.int8, (MAX_SEATS,)),
        # The end of a deal
        ("looed", np.uint8),  # bit per player
        ("flushed", np.uint8),  # bit per player whose flush took the pool
        ("short", np.int8),  # 1: somebody could not pay in full
    ]
)


@inlined
def suit_of(options, suit):
    """All cards of a suit."""
    return options.deck & SUIT_BITS << np.uint64(16 * suit)


@inlined
def above(cards, bit):
    """Of some cards those beyond a card: the higher ones of its suit, and those of later suits."""
    return cards & ~(bit | bit - ONE_BIT)


@inlined
def next_active(options, state, player):
    """The next player clockwise who is in."""
    while True:
        player = player + 1 if player + 1 < options.players else 0
        if state.active >> player & 1:
            return player


@compiled
def set_trump(options, state, suit):
    """Makes a suit trumps, with Pam (rule 21), and finds its honour (rule 18)."""
    cards = suit_of(options, suit)
    ace = ONE_BIT << np.uint64(16 * suit + options.ranks - 1)
    state.trump = suit
    state.trumps = cards | state.pam
    state.honour = ace >> ONE_BIT if ace == state.turn_up else ace
