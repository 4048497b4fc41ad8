"""What the players of loo need to know of it, as one vector, and how they read sets of cards.

A set of cards is a 64-bit word: bit 16 s + r for the card of suit s and rank r.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loop_envs.bits import read64
from loop_envs.game import Game
from loop_envs.jit import compiled

# The vector, entry by entry; the weights come last.
PLAYERS, RANKS, SIZE, PAM, LOO, LOO_AMOUNT, ANTE, UNDERTRUMP = range(8)
FIRST_PASS, FIRST_MISS, FIRST_DRAW = range(8, 11)
HAND, DISCARDS, TURN_UP, TABLE, PLAYED, BARRED, TRUMP, LED, DEALER = range(11, 20)
PHASE, DECLARED, TRICKS_WON, POOL = range(20, 24)
WEIGHTS = 24
_FIELDS = {
    HAND: "hand",
    DISCARDS: "discards",
    TURN_UP: "turn_up",
    TABLE: "table",
    PLAYED: "played",
    BARRED: "barred",
    TRUMP: "trump",
    LED: "led",
    DEALER: "dealer",
    PHASE: "phase",
    DECLARED: "declared",
    TRICKS_WON: "tricks_won",
    POOL: "pool",
}
DECLARATIONS = 4
SUITS = 4
EMPTY, ONE_BIT = np.uint64(0), np.uint64(1)
SUIT_BITS = np.uint64(0xFFFF)
JACK_BELOW_ACE = 3


def build(game: Game, weights: Sequence[int] = ()) -> npt.NDArray[np.int32]:
    """Builds the vector.

    Args:
        game: The game.
        weights: The sampler's weights, see `weights.py`.
    """
    record, offsets = game.record[0], game.layout.offsets
    header = np.zeros(WEIGHTS, np.int32)
    for entry, name in (
        (PLAYERS, "players"),
        (RANKS, "ranks"),
        (SIZE, "hand_size"),
        (PAM, "pam"),
        (LOO, "loo"),
        (ANTE, "dealer_ante"),
        (UNDERTRUMP, "undertrump"),
        (FIRST_PASS, "first_pass"),
        (FIRST_MISS, "first_miss"),
        (FIRST_DRAW, "first_draw"),
    ):
        header[entry] = record[name]
    header[LOO_AMOUNT] = min(int(record["loo_amount"]), 2**31 - 1)
    for entry, name in _FIELDS.items():
        header[entry] = offsets[name]
    return np.concatenate([header, np.array(weights, np.int32)])


@compiled
def read_set(tables, observation, at):
    """A set of cards from where its planes begin."""
    ranks = np.uint64(tables[RANKS])
    word = np.uint64(read64(observation, at))
    suit = (ONE_BIT << ranks) - ONE_BIT
    cards = word & suit
    cards |= (word >> ranks & suit) << np.uint64(16)
    cards |= (word >> (ranks + ranks) & suit) << np.uint64(32)
    return cards | (word >> (ranks + ranks + ranks) & suit) << np.uint64(48)


@compiled
def deck_of(tables):
    """All cards."""
    suit = (ONE_BIT << np.uint64(tables[RANKS])) - ONE_BIT
    return suit | suit << np.uint64(16) | suit << np.uint64(32) | suit << np.uint64(48)


@compiled
def suit_shown(tables, observation, field):
    """The suit of a one-hot field, -1 for none."""
    for s in range(SUITS):
        if observation[tables[field] + s] != 0:
            return np.int64(s)
    return np.int64(-1)


@compiled
def pam_bit(tables, trump, turn_up):
    """The card that is Pam, empty where there is none in play."""
    jack = np.uint64(tables[RANKS] - 1 - JACK_BELOW_ACE)
    pam = EMPTY
    if tables[PAM] == 1:
        pam = ONE_BIT << jack
    elif tables[PAM] == 2 and trump >= 0:
        pam = ONE_BIT << (jack + np.uint64(16 * trump))
    return EMPTY if pam == turn_up else pam


@compiled
def amount(observation, at):
    """A single number of chips from its three fields."""
    total = np.int64(observation[at]) + 100 * np.int64(observation[at + 1])
    return total + 10_000 * np.int64(observation[at + 2])


@compiled
def has_declared(tables, observation, player):
    """0 not yet, 1 passed, 2 plays, 3 took the Miss, 4 defends."""
    at = tables[DECLARED] + DECLARATIONS * player
    for k in range(DECLARATIONS):
        if observation[at + k] != 0:
            return np.int64(k + 1)
    return np.int64(0)
