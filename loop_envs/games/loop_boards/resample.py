"""A uniformly random alternative to a loop_boards match that one player cannot tell from it."""

from __future__ import annotations

import numpy as np

from loop_envs.climbing.sampling import resample_hands
from loop_envs.deals import mix
from loop_envs.games.loop_boards.options import MAX_SEATS
from loop_envs.games.loop_boards.state import board_of
from loop_envs.jit import allocating


@allocating
def resample(options, tables, state, player, key):
    """Draws unknown cards and the others' hidden set-asides anew, and the seed.

    What the player knows is exactly what `observe` shows.
    """
    n = np.int64(options.players)
    hand_of = np.zeros(MAX_SEATS, np.int64)
    held = np.zeros(MAX_SEATS, np.int64)
    for q in range(n):
        hand_of[q] = board_of(options, state, q)
        held[hand_of[q]] = (q - player + n) % n <= state.rounds_done
    me, mover = np.int64(player), np.int64(state.player)
    resample_hands(options, tables, state, me, mover, hand_of, held, key)
    state.seed = mix(key) >> np.uint64(1)
