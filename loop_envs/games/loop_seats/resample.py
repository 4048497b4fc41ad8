"""A uniformly random alternative to a loop_seats match that one player cannot tell from it."""

from __future__ import annotations

import numpy as np

from loop_envs.climbing.sampling import resample_hands
from loop_envs.deals import mix
from loop_envs.games.loop_seats.options import MAX_SEATS
from loop_envs.jit import allocating


@allocating
def resample(options, tables, state, player, key):
    """Draws unknown cards and the others' hidden set-asides anew, and the seed.

    What the player knows is exactly what `observe` shows.
    """
    hand_of = np.arange(MAX_SEATS)
    held = np.zeros(MAX_SEATS, np.int64)
    for s in range(options.players):
        held[s] = np.int64(state.held[s]) >> player & 1
    me, mover = np.int64(state.seat_of[player]), np.int64(-1)
    if state.player >= 0:
        mover = np.int64(state.seat_of[state.player])
    resample_hands(options, tables, state, me, mover, hand_of, held, key)
    state.seed = mix(key) >> np.uint64(1)
