"""A uniformly random alternative to a loop_boards match that one player cannot tell from it."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import ones
from loop_envs.cards import MAX_CARDS, WORDS
from loop_envs.deals import draw, mix
from loop_envs.games.loop_boards.actions import KIND, SIZE, STRENGTH
from loop_envs.games.loop_boards.masks import STUCK_ONLY, plays
from loop_envs.games.loop_boards.observation import known_half, played_half
from loop_envs.games.loop_boards.options import MAX_SEATS
from loop_envs.games.loop_boards.state import CHOOSING, board_of
from loop_envs.jit import allocating, compiled


@allocating
def resample(options, tables, state, player, key):
    """Deals the unknown cards anew and draws the others' hidden set-asides anew.

    What the player knows is exactly what `observe` shows. Every consistent pair of a deal and
    set-asides is equally likely: the number of ways to set aside is the same for every deal, but
    for three conditions that are met by drawing again. These are: of two set-aside 8s the lower
    colour is revealed first; a first pick leaves a later card; who has just revealed has a play.
    The last can make the draw rare (at worst a four-card combination from 77 unseen cards).
    """
    known = np.zeros((MAX_SEATS, WORDS), np.int64)
    played = np.zeros((MAX_SEATS, WORDS), np.int64)
    picked = np.zeros(MAX_SEATS, np.int64)
    pool = np.zeros(MAX_CARDS, np.int64)
    choices = np.zeros(MAX_CARDS, np.int64)
    unseen = _gather(options, state, player, known, played, picked, pool)
    counter = 0
    while True:
        counter = _deal_unknown(options, state, known, pool, unseen, key, counter)
        consistent = True
        for q in range(options.players):
            if q != player:
                counter = _set_aside(options, state, q, played, picked, choices, key, counter)
                consistent &= _is_consistent(options, state, q, picked)
        if consistent and (state.player == player or _can_move(options, tables, state)):
            break
    state.seed = mix(key) >> np.uint64(1)


@compiled
def _gather(options, state, player, known, played, picked, pool):
    """Fills in what is known and the pool of cards whose place is not; returns its size."""
    n, values = options.players, options.values
    for q in range(n):
        b = board_of(options, state, q)
        held = (q - player + n) % n <= state.rounds_done
        for c in range(options.colours):
            shift = np.uint64(16 * (c & 3))
            words = known_half(options, state, b, q, held, c >> 2)
            known[b, c] = np.int64(words >> shift) & 0xFFFF
            words = played_half(state, b, q, c >> 2)
            played[q, c] = np.int64(words >> shift) & 0xFFFF
            picked[q] += ones(state.aside[q, c])
    size = 0
    for c in range(options.colours):
        placed = np.int64(0)
        for b in range(n):
            placed |= known[b, c]
        for v in range(values):
            if not placed >> v & 1:
                pool[size] = c * values + v
                size += 1
    return size


@compiled
def _deal_unknown(options, state, known, pool, size, key, counter):
    """Fills every hand up to its size from the pool, by a partial Fisher–Yates shuffle."""
    used = 0
    for b in range(options.players):
        missing = np.int64(options.hand_size)
        for c in range(options.colours):
            state.hands[b, c] = known[b, c]
            missing -= ones(known[b, c])
        for _ in range(missing):
            j = used + draw(key, counter, size - used)
            counter += 1
            pool[used], pool[j] = pool[j], pool[used]
            card = pool[used]
            used += 1
            state.hands[b, card // options.values] |= np.uint16(1 << card % options.values)
    return counter


@compiled
def _set_aside(options, state, q, played, picked, choices, key, counter):
    """Splits what player q has not played into hand and set-aside cards."""
    b = board_of(options, state, q)
    size = 0
    hidden = picked[q]
    for c in range(options.colours):
        rest = np.int64(state.hands[b, c]) & ~played[q, c]
        state.aside[q, c] = 0
        if state.revealed[q] >> c & 1:
            state.aside[q, c] = 1 << np.int64(options.eight)
            hidden -= 1
        rest &= ~np.int64(state.aside[q, c])
        state.left[q, c] = rest
        for v in range(options.values):
            if rest >> v & 1:
                choices[size] = c * options.values + v
                size += 1
    for i in range(hidden):
        j = i + draw(key, counter, size - i)
        counter += 1
        choices[i], choices[j] = choices[j], choices[i]
        c, v = choices[i] // options.values, choices[i] % options.values
        state.aside[q, c] |= np.uint16(1 << v)
        state.left[q, c] &= ~np.uint16(1 << v)
    return counter


@compiled
def _is_consistent(options, state, q, picked):
    """Whether player q could have revealed and picked in this way."""
    shown = np.int64(state.revealed[q])
    if shown:
        lower = True
        for c in range(options.colours - 1, -1, -1):
            if shown >> c & 1:
                lower = False
            elif not lower and state.aside[q, c] >> options.eight & 1:
                return False
    if state.phase == CHOOSING and 0 < picked[q] < options.set_aside:
        for v in range(options.values - 1, -1, -1):
            for c in range(options.colours - 1, -1, -1):
                if state.left[q, c] >> v & 1:
                    return True
                if state.aside[q, c] >> v & 1:
                    return False
    return True


@allocating
def _can_move(options, tables, state):
    """Whether the player to move has a play where the rules promise one, and had none before a
    reveal where they ask for that."""
    if not state.must_play:
        return True
    kind, size, strength = 0, 0, 0
    if state.current >= 0:
        kind = np.int64(tables[state.current, KIND])
        size = np.int64(tables[state.current, SIZE])
        strength = np.int64(tables[state.current, STRENGTH])
    nothing = np.zeros(1, np.int8)
    before = 1 - state.inverted
    if options.reveal == STUCK_ONLY and plays(
        options, state, kind, size, strength, before, nothing, False
    ):
        return False
    return plays(options, state, kind, size, strength, state.inverted, nothing, False)
