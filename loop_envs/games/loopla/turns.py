"""From one turn of LOOPLA! to the next, and the end of a round; numbers are those of the README."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import lowest_bit, ones
from loop_envs.games.loopla.state import FREE, PLAYING, legal_values
from loop_envs.jit import compiled

TERMINATED, TRUNCATED = 1, 2  # as in loop_envs.game
ROTATE, WINNER = 0, 1  # STARTERS


@compiled
def _next_active(options, state, player):
    """The next player in the direction of play who is in the round."""
    following = player
    while True:
        following += state.direction
        if following < 0:
            following += options.players
        elif following >= options.players:
            following -= options.players
        if state.active >> following & 1:
            return following


@compiled
def end_turn(options, state):
    """Takes the next player, and out who had a bust where the rules say so."""
    p = np.int64(state.player)
    following = p if state.again else _next_active(options, state, p)
    state.again = 0
    if options.bust_leaves and state.busted >> p & 1:  # rule 18
        state.active &= ~np.uint8(1 << p)
        if ones(np.uint64(state.active)) == 1:
            end_round(options, state)
            return
    begin_turn(options, state, following)


@compiled
def begin_turn(options, state, player):
    """The player is to play, or falls, and so do all who cannot play either (rules 20, 21)."""
    p = player
    while True:
        values = legal_values(options, state)
        if values & np.int64(state.left[p, 0]):
            break
        state.lacks[p] = values
        state.collection[p] = 0
        state.fallen |= np.uint8(1 << p)
        state.active &= ~np.uint8(1 << p)
        if ones(np.uint64(state.active)) == 1:
            end_round(options, state)
            return
        if options.free_after_fall:
            state.constraint = FREE
            state.giver = -1
        p = _next_active(options, state, p)
    state.player = p
    state.phase = PLAYING


@compiled
def end_round(options, state):
    """Scores (rule 24); a deal is due then, unless the match is over (rules 27, 28)."""
    n = options.players
    best, least, most = np.int64(0), np.int64(1 << 30), np.int64(-1)
    for p in range(n):
        gained = np.int64(state.bonus[p])
        rest = np.int64(state.collection[p])
        while rest:
            gained += lowest_bit(np.uint64(rest)) + 1
            rest &= rest - 1
        state.gained[p] = gained
        state.points[p] += gained
        best = max(best, np.int64(state.points[p]))
        most = max(most, gained)
        least = min(least, gained)
    sought = most if options.starter == WINNER else least
    following = np.int64(state.starter)
    if options.starter == ROTATE:
        following = (following + 1) % n
    else:  # rule 5: the nearest clockwise from the starter, the starter first
        while state.gained[following] != sought:
            following = (following + 1) % n
    state.next_starter = following
    state.covered = -1
    state.rounds_done += 1
    state.player = -1
    if best >= options.target or state.rounds_done == options.rounds:
        state.status = TERMINATED
    elif state.rounds_done == options.max_rounds:
        state.status = TRUNCATED
