"""Between the rounds of loop_seats: the end of one, the change of seats, the next one."""

from __future__ import annotations

import numpy as np

from loop_envs.climbing.shown import remember_shown
from loop_envs.climbing.tables import CHOOSING, PLAYING
from loop_envs.games.loop_seats.actions import STARTS
from loop_envs.games.loop_seats.points import CUT, OVER, book
from loop_envs.games.loop_seats.state import SEATING
from loop_envs.jit import ONE, compiled

_LAST, _WINNER, _LAST_SEAT = STARTS["last"], STARTS["winner"], STARTS["last_seat"]


@compiled
def start_round(options, state, first):
    """Gives everybody the hand of their seat; `first` is the seat that starts."""
    n = np.int64(options.players)
    for s in range(n):
        p = np.int64(state.player_at[s])
        for c in range(options.colours):
            state.left[s, c] = state.hands[s, c]
            state.aside[s, c] = 0
        state.revealed[s] = 0
        state.held[s] |= np.uint8(1 << p)
        state.rank[p] = 0
    if not options.keep_order:
        state.inverted = 0  # rule 11
    state.current = -1
    state.owner = -1
    state.passed = 0
    state.must_play = 0
    state.active = (1 << n) - 1
    state.phase = CHOOSING if options.set_aside > 0 else PLAYING
    state.first = first
    state.player = state.player_at[first]


@compiled
def end_round(options, state):
    """Books the round, and ends the match or goes on to the change of seats (rules 15 to 23)."""
    n = np.int64(options.players)
    reached = False
    for p in range(n):
        if not options.immediate:
            book(options, state, p)
        reached |= state.points[p] >= options.threshold
    state.rounds_done += 1
    if reached or state.rounds_done == options.max_rounds:
        # Nothing is left to decide; what the last round looked like stays in the record.
        state.player = -1
        state.status = OVER if reached else CUT
        return
    for s in range(n):
        remember_shown(options, state, s, s)
    if n == 4 and options.fourth_chooses:
        state.phase = SEATING
        state.player = _of_rank(options, state, n)
    else:
        take_seats(options, state, np.int64(0))


@compiled
def _of_rank(options, state, rank):
    """The player who took a rank in this round."""
    for p in range(options.players):
        if state.rank[p] == rank:
            return p
    return -1


@compiled
def take_seats(options, state, choice):
    """Moves everybody (rule 18) and starts the next round.

    Args:
        options: Options record.
        state: Changed in place.
        choice: 0: the last of four takes the seat of the first; 1: that of the second.
    """
    n = np.int64(options.players)
    for p in range(n):
        s = np.int64(state.seat_of[p])
        state.card[s] = state.rank[p]  # rule 19
        state.before[p] = state.rank[p]
    worst = _of_rank(options, state, n)
    hand_of_last = np.int64(state.seat_of[worst])
    for p in range(n):
        rank = np.int64(state.rank[p])
        state.player_at[_seat_of_rank(options, state, _takes_from(options, n, rank, choice))] = p
    for s in range(n):
        state.seat_of[state.player_at[s]] = s
    if options.start == _LAST:
        first = np.int64(state.seat_of[worst])
    elif options.start == _WINNER:
        first = np.int64(state.seat_of[_of_rank(options, state, ONE)])
    elif options.start == _LAST_SEAT:
        first = hand_of_last
    else:
        first = np.int64(state.start_seat)
    start_round(options, state, first)


@compiled
def _takes_from(options, n, rank, choice):
    """The rank whose seat the player of a rank takes over."""
    if n == 2:
        return 3 - rank
    if n == 3:
        return rank - 1 if rank > 1 else np.int64(3)
    if rank == 4:
        return 1 + choice
    if rank == 3:
        return 2 - choice
    if rank == 1:
        return np.int64(3 if options.first_to_third else 4)
    return np.int64(4 if options.first_to_third else 3)


@compiled
def _seat_of_rank(options, state, rank):
    """The seat whose rank card, just placed, shows a rank."""
    for s in range(options.players):
        if state.card[s] == rank:
            return s
    return -1
