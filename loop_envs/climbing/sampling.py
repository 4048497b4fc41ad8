"""A uniformly random alternative to what one player cannot know of hands and set-aside cards."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import ones
from loop_envs.cards import MAX_CARDS, WORDS
from loop_envs.climbing.masks import STUCK_ONLY, plays
from loop_envs.climbing.shown import known_half, played_half
from loop_envs.climbing.tables import CHOOSING, KIND, SIZE, STRENGTH
from loop_envs.deals import draw
from loop_envs.jit import ZERO, allocating, compiled


@allocating
def resample_hands(options, tables, state, me, mover, hand_of, held, key):
    """Deals the unknown cards anew and draws the others' hidden set-asides anew.

    Every consistent pair of a deal and set-asides is equally likely: the number of ways to set
    aside is the same for every deal, but for three conditions that are met by drawing again.
    These are: of two set-aside 8s the lower colour is revealed first; a first pick leaves a later
    card; who has just revealed has a play. The last can make the draw rare (at worst a four-card
    combination from 77 unseen cards).

    Args:
        options: Options record.
        tables: Action table.
        state: Changed in place.
        me: The observer, as the holder of cards.
        mover: The holder whose turn it is, -1 for nobody.
        hand_of: By holder, the number of the hand, int64 [players].
        held: By hand, whether the observer has held it, now or before, int64 [players].
        key: Random word.
    """
    n = np.int64(options.players)
    known = np.zeros((n, WORDS), np.int64)
    played = np.zeros((n, WORDS), np.int64)
    picked = np.zeros(n, np.int64)
    pool = np.zeros(MAX_CARDS, np.int64)
    choices = np.zeros(MAX_CARDS, np.int64)
    unseen = _gather(options, state, hand_of, held, known, played, picked, pool)
    counter = np.int64(0)
    while True:
        counter = _deal_unknown(options, state, known, pool, unseen, key, counter)
        consistent = True
        for q in range(n):
            if q != me:
                counter = _set_aside(
                    options, state, q, hand_of[q], played, picked, choices, key, counter
                )
                consistent &= _is_consistent(options, state, q, picked)
        if consistent and (mover == me or _can_move(options, tables, state, mover)):
            return


@compiled
def _gather(options, state, hand_of, held, known, played, picked, pool):
    """Fills in what is known and the pool of cards whose place is not; returns its size."""
    n, values = options.players, options.values
    for q in range(n):
        b = hand_of[q]
        for c in range(options.colours):
            shift = np.uint64(16 * (c & 3))
            words = known_half(options, state, b, q, held[b] != 0, c >> 2)
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
def _set_aside(options, state, q, b, played, picked, choices, key, counter):
    """Splits what holder q of hand b has not played into hand and set-aside cards."""
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
    """Whether holder q could have revealed and picked in this way."""
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
def _can_move(options, tables, state, mover):
    """Whether who is to move has a play where the rules promise one, and had none before a reveal
    where they ask for that."""
    if not state.must_play:
        return True
    kind, size, strength = 0, 0, 0
    if state.current >= 0:
        kind = np.int64(tables[state.current, KIND])
        size = np.int64(tables[state.current, SIZE])
        strength = np.int64(tables[state.current, STRENGTH])
    nothing = np.zeros(1, np.int8)
    now = np.int64(state.inverted)
    if options.reveal == STUCK_ONLY and plays(
        options, state, mover, kind, size, strength, 1 - now, nothing, ZERO
    ):
        return False
    return plays(options, state, mover, kind, size, strength, now, nothing, ZERO)
