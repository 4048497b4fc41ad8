"""The rules of loop_seats, compiled. Numbers in comments are those of the game's README."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import lowest_bit, ones
from loop_envs.climbing.masks import write_legal
from loop_envs.climbing.moves import add_aside, reveal_eight, take_out
from loop_envs.climbing.tables import ASIDE, EIGHTS, KIND, PASS, PLAYING, REVEAL
from loop_envs.deals import deal_key, draw, shuffle
from loop_envs.games.loop_seats.between import end_round, start_round, take_seats
from loop_envs.games.loop_seats.observation import observe
from loop_envs.games.loop_seats.points import OVER, book, places
from loop_envs.games.loop_seats.resample import resample
from loop_envs.games.loop_seats.state import SEATING, next_seat
from loop_envs.jit import ZERO, compiled

__all__ = ["deal", "legal", "observe", "places", "resample", "start", "step"]


@compiled
def deal(options, seed, board, index, deck):
    """Shuffles the deck (rule 3); behind the cards lie the start seat and everybody's seat."""
    cards = np.int64(options.colours) * options.values
    key = deal_key(seed, board, index)
    shuffle(key, deck, cards)
    # Draws 1..cards-1 made the shuffle; draw 0 is free.
    deck[cards] = draw(key, ZERO, np.int64(options.players))
    for p in range(options.players):
        deck[cards + 1 + p] = p


@compiled
def start(options, state, deck):
    """Deals the hands, `hand_size` cards to each seat in turn, and begins the first round."""
    n, values = np.int64(options.players), np.int64(options.values)
    for s in range(n):
        for i in range(s * options.hand_size, (s + 1) * options.hand_size):
            state.hands[s, deck[i] // values] |= np.uint16(1 << deck[i] % values)
    cards = options.colours * values
    for p in range(n):
        state.seat_of[p] = deck[cards + 1 + p]
        state.player_at[state.seat_of[p]] = p
    state.start_seat = deck[cards]
    start_round(options, state, np.int64(state.start_seat))


@compiled
def legal(options, tables, state, mask):
    """Writes the mask of the player to move; all zero when the match is over."""
    mask[:] = 0
    if state.player < 0:
        return
    if state.phase == SEATING:
        mask[options.pass_action + 2] = 1
        mask[options.pass_action + 3] = 1
    else:
        write_legal(options, tables, state, np.int64(state.seat_of[state.player]), mask)


@compiled
def step(options, tables, state, action):
    """Plays a legal action."""
    seat = np.int64(state.seat_of[state.player])
    kind = tables[action, KIND]
    state.ply += 1
    if kind == PASS:
        state.passed |= np.uint8(1 << seat)
        _go_on(options, state, seat)
    elif kind == ASIDE:
        if add_aside(options, tables, state, seat, action) == options.set_aside:
            # Everybody makes all picks before the next in turn order; then the first seat leads.
            following = seat + 1 if seat + 1 < options.players else 0
            state.player = state.player_at[following]
            if following == state.first:
                state.phase = PLAYING
    elif kind == REVEAL:
        reveal_eight(options, state, seat)
    elif state.phase == SEATING:
        take_seats(options, state, action - options.pass_action - 2)
    else:
        _play(options, tables, state, seat, action)


@compiled
def _play(options, tables, state, seat, action):
    out = take_out(options, tables, state, seat, action)
    eights = np.int64(tables[action, EIGHTS])
    state.current = action
    state.owner = seat
    state.must_play = 0
    if not options.hard_pass:
        state.passed = 0  # rule 8
    if eights > 0 and not options.published:
        state.inverted ^= (eights if options.flip_per_card else 1) & 1  # rule 10
    if out:
        _go_out(options, state, seat)
        if state.status == OVER:
            return
        if ones(np.int64(state.active)) == 1:  # rule 12
            _go_out(options, state, lowest_bit(np.int64(state.active)))
            if state.status != OVER:
                end_round(options, state)
            return
    if eights > 0 and options.published:
        _end_trick(options, state, seat)  # everybody else is forced to pass
    else:
        _go_on(options, state, seat)


@compiled
def _go_on(options, state, seat):
    """Turns to the next seat that may beat the combination, or ends the trick (rules 8, 9)."""
    waiting = np.int64(state.active) & ~np.int64(state.passed) & ~(1 << np.int64(state.owner))
    if waiting:
        state.player = state.player_at[next_seat(options, waiting, seat)]
    else:
        _end_trick(options, state, np.int64(state.owner))


@compiled
def _end_trick(options, state, winner):
    """The winner leads, or the next seat clockwise where the winner is out (rules 9, 13)."""
    state.current = -1
    state.owner = -1
    state.passed = 0
    if not np.int64(state.active) >> winner & 1:
        winner = next_seat(options, np.int64(state.active), winner)
    state.player = state.player_at[winner]


@compiled
def _go_out(options, state, seat):
    """Takes the next rank (rule 12), and books it at once where that is asked for (rule 22)."""
    state.active &= ~np.uint8(1 << seat)
    p = np.int64(state.player_at[seat])
    rank = 1
    for q in range(options.players):
        if state.rank[q] != 0:
            rank += 1
    state.rank[p] = rank
    if options.immediate:
        book(options, state, p)
        if state.points[p] >= options.threshold:
            state.player = -1
            state.status = OVER
