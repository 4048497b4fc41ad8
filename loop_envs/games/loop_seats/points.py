"""Points and places of loop_seats; rule numbers are those of the game's README."""

from __future__ import annotations

import numpy as np

from loop_envs.jit import compiled

OVER, CUT = 1, 2  # loop_envs.game.TERMINATED, TRUNCATED


@compiled
def book(options, state, p):
    """Books what a player's rank of this round is worth (rules 14 to 16)."""
    rank = np.int64(state.rank[p])
    earned = np.int64(0)
    if state.rounds_done == 0 or not options.change_only:
        earned += options.base_points[rank - 1]
    reference = np.int64(state.before[p] if options.by_player else state.card[state.seat_of[p]])
    if reference > 0:
        earned += options.rank_step * (reference - rank)
    state.earned[p] = earned
    total = np.int64(state.points[p]) + earned
    state.points[p] = max(total, 0) if options.floor_zero else total


@compiled
def places(options, state, out):
    """Places by points; among equals who went out earlier in the round is ahead (rule 22)."""
    n = options.players
    for p in range(n):
        out[p] = 0
        for q in range(n):
            if state.points[q] > state.points[p] or (
                state.points[q] == state.points[p] and _order(state, q) < _order(state, p)
            ):
                out[p] += 1


@compiled
def _order(state, p):
    """The rank of the running or last round; those who still hold cards come last, level."""
    return np.int64(state.rank[p]) if state.rank[p] > 0 else np.int64(100)
