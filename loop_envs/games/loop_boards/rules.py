"""The rules of loop_boards, compiled. Numbers in comments are those of the game's README."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import lowest_bit, ones
from loop_envs.climbing.masks import write_legal
from loop_envs.climbing.moves import add_aside, reveal_eight, take_out
from loop_envs.climbing.shown import remember_shown
from loop_envs.climbing.tables import ASIDE, CHOOSING, EIGHTS, KIND, PASS, PLAYING, REVEAL
from loop_envs.deals import deal_key, draw, shuffle
from loop_envs.games.loop_boards.observation import observe
from loop_envs.games.loop_boards.resample import resample
from loop_envs.games.loop_boards.state import board_of, first_player
from loop_envs.jit import ZERO, compiled

__all__ = ["deal", "legal", "observe", "places", "resample", "start", "step"]

OVER = 1  # loop_envs.game.TERMINATED


@compiled
def deal(options, seed, board, index, deck):
    """Shuffles the deck (rule 3); behind the cards lies the golden board's seat (rule 4)."""
    cards = options.colours * options.values
    key = deal_key(seed, board, index)
    shuffle(key, deck, cards)
    # Draws 1..cards-1 made the shuffle; draw 0 is free.
    deck[cards] = options.golden
    if options.golden < 0:
        deck[cards] = draw(key, ZERO, np.int64(options.players))


@compiled
def start(options, state, deck):
    """Deals the hands, `hand_size` cards to each board in turn, and begins round 0."""
    for b in range(options.players):
        for i in range(b * options.hand_size, (b + 1) * options.hand_size):
            state.hands[b, deck[i] // options.values] |= np.uint16(1 << deck[i] % options.values)
    state.golden = deck[options.colours * options.values]
    _start_round(options, state)


@compiled
def _start_round(options, state):
    n = options.players
    for p in range(n):
        b = board_of(options, state, p)
        for c in range(options.colours):
            state.left[p, c] = state.hands[b, c]
            state.aside[p, c] = 0
        state.revealed[p] = 0
    state.inverted = 0  # rule 7
    state.current = -1
    state.owner = -1
    state.passed = 0
    state.must_play = 0
    state.active = (1 << n) - 1
    state.phase = CHOOSING if options.set_aside > 0 else PLAYING
    state.player = first_player(options, state)


@compiled
def _next_active(options, state, player):
    """The next player clockwise who holds cards (rule 26)."""
    following = np.int64(player)
    while True:
        following = following + 1 if following + 1 < options.players else 0
        if state.active >> following & 1:
            return following


# Playing --------------------------------------------------------------------------------------


@compiled
def legal(options, tables, state, mask):
    """Writes the mask of the player to move; all zero when the match is over."""
    mask[:] = 0
    if state.player >= 0:
        write_legal(options, tables, state, np.int64(state.player), mask)


@compiled
def step(options, tables, state, action):
    """Plays a legal action."""
    p = np.int64(state.player)
    kind = tables[action, KIND]
    state.ply += 1
    if kind == PASS:
        state.passed |= np.uint8(1 << p)
        waiting = state.active & ~state.passed & ~np.uint8(1 << state.owner)
        if waiting:
            state.player = _next_active(options, state, p)
        else:
            _end_trick(options, state, state.owner)  # rule 18
    elif kind == ASIDE:
        if add_aside(options, tables, state, p, action) == options.set_aside:
            # Everybody makes all picks before the next in turn order; then the first player leads.
            state.player = (p + 1) % options.players
            if state.player == first_player(options, state):
                state.phase = PLAYING
    elif kind == REVEAL:
        reveal_eight(options, state, p)
    else:
        _play(options, tables, state, p, action)


@compiled
def _play(options, tables, state, p, action):
    out = take_out(options, tables, state, p, action)
    state.current = action
    state.owner = p
    state.passed = 0
    state.must_play = 0
    if out:
        state.active &= ~np.uint8(1 << p)
        _place_marker(options, state, p)  # rule 22
        if ones(state.active) == 1:
            _place_marker(options, state, lowest_bit(np.int64(state.active)))  # rule 23
            _end_round(options, state)
            return
    if tables[action, EIGHTS]:
        _end_trick(options, state, p)  # rules 19, 25: everybody else is forced to pass
    elif out and options.clear_on_exit:
        _end_trick(options, state, p)
    else:
        state.player = _next_active(options, state, p)


@compiled
def _end_trick(options, state, winner):
    """The winner leads, or the next player clockwise where the winner is out (rules 18, 24)."""
    state.current = -1
    state.owner = -1
    state.passed = 0
    if state.active >> winner & 1:
        state.player = winner
    else:
        state.player = _next_active(options, state, winner)


@compiled
def _place_marker(options, state, player):
    """Takes the next rank and counts it in: every marker on a line counts those on its own line
    and below (rule 30), so the new one also pays the markers above it."""
    n = options.players
    b = board_of(options, state, player)
    rank = 1
    for q in range(n):
        if state.ranks[board_of(options, state, q), state.rounds_done] != 0:
            rank += 1
    state.ranks[b, state.rounds_done] = rank
    state.points[player] += options.count_self
    for r in range(state.rounds_done):
        earlier = state.ranks[b, r]
        if earlier <= rank:
            state.points[(b + r) % n] += 1
        if earlier >= rank:
            state.points[player] += 1


@compiled
def _end_round(options, state):
    for p in range(options.players):
        remember_shown(options, state, board_of(options, state, p), p)
    if state.rounds_done + 1 < options.rounds:
        state.rounds_done += 1
        _start_round(options, state)
    else:
        # Nothing is left to decide; what the last round looked like stays in the record.
        state.player = -1
        state.status = OVER


@compiled
def places(options, state, out):
    """Places by points, then (option) by most first places, second places, … (rule 31)."""
    n = options.players
    for p in range(n):
        out[p] = 0
        for q in range(n):
            if _ahead(options, state, q, p):
                out[p] += 1


@compiled
def _ahead(options, state, q, p):
    if state.points[q] != state.points[p] or not options.placings:
        return state.points[q] > state.points[p]
    n = options.players
    for rank in range(1, n + 1):
        more = 0
        for b in range(n):
            for r in range(options.rounds):
                if state.ranks[b, r] == rank:
                    holder = (b + r) % n
                    more += np.int64(holder == q) - np.int64(holder == p)
        if more != 0:
            return more > 0
    return False
