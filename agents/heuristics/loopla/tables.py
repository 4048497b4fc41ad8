"""What the players of loopla need to know of it, as one vector, and how they read cards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loop_envs.game import Game
from loop_envs.jit import compiled

# The vector, entry by entry; the weights come last.
PLAYERS, VALUES, COPIES, JOKER, JOKER_DOUBLES, FREE_AFTER_FALL, WHOOP = range(7)
HAND, SEEN, COLLECTIONS, TOP, COVERED, REVERSED, CARDS_LEFT, ACTIVE = range(7, 15)
WEIGHTS = 15

BITS = 3
"""Bits of a count in a packed word of counts by value: at most four copies of 13 values."""


def build(game: Game, weights: Sequence[int] = ()) -> npt.NDArray[np.int32]:
    """Builds the vector.

    Args:
        game: The game.
        weights: The card counter's weights, see `weights.py`.
    """
    record, offsets = game.record[0], game.layout.offsets
    header = np.zeros(WEIGHTS, np.int32)
    for entry, name in (
        (PLAYERS, "players"),
        (VALUES, "values"),
        (COPIES, "copies"),
        (JOKER, "joker"),
        (JOKER_DOUBLES, "joker_doubles"),
        (FREE_AFTER_FALL, "free_after_fall"),
        (WHOOP, "whoop_size"),
    ):
        header[entry] = record[name]
    for entry, name in (
        (HAND, "hand"),
        (SEEN, "seen"),
        (COLLECTIONS, "collections"),
        (TOP, "top"),
        (COVERED, "covered"),
        (REVERSED, "reversed"),
        (CARDS_LEFT, "cards_left"),
        (ACTIVE, "active"),
    ):
        header[entry] = offsets[name]
    return np.concatenate([header, np.array(weights, np.int32)])


@compiled
def one_of(tables, observation, field):
    """The value that a one-hot field shows, -1 for none."""
    for v in range(tables[VALUES]):
        if observation[tables[field] + v] != 0:
            return np.int64(v)
    return np.int64(-1)


@compiled
def counts_of(tables, observation, field):
    """Packed counts by value of a set of cards."""
    counts = np.int64(0)
    values = np.int64(tables[VALUES])
    for k in range(tables[COPIES]):
        at = tables[field] + k * values
        for v in range(values):
            counts += np.int64(observation[at + v]) << (BITS * v)
    return counts


@compiled
def values_of(tables, observation, at):
    """The values of a set, as a word of bits, from where its first entry is."""
    word = np.int64(0)
    for v in range(tables[VALUES]):
        word |= np.int64(observation[at + v]) << v
    return word


@compiled
def collection_of(tables, observation, player):
    """The values that a player has collected, as a word of bits; 0 is the observer."""
    return values_of(tables, observation, tables[COLLECTIONS] + player * np.int64(tables[VALUES]))
