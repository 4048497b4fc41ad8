"""What has been shown of a hand, as halves (0 or 1) of a set of four colours each."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import word64
from loop_envs.jit import compiled, inlined


@inlined
def played_half(state, hand, holder, half):
    """Cards that the holder of a hand has played this round."""
    rest = word64(state.left, 2 * holder + half) | word64(state.aside, 2 * holder + half)
    return word64(state.hands, 2 * hand + half) & ~rest


@inlined
def shown_half(options, state, hand, holder, half):
    """Cards that the holder of a hand has shown this round: played, or revealed 8s."""
    cards = played_half(state, hand, holder, half)
    if state.revealed[holder]:
        cards |= _revealed_half(options, state, holder, half)
    return cards


@compiled
def _revealed_half(options, state, holder, half):
    """The set-aside 8s that the holder of a hand has revealed this round."""
    cards = np.uint64(0)
    for c in range(4):
        if state.revealed[holder] >> (4 * half + c) & 1:
            cards |= np.uint64(1) << np.uint64(16 * c + options.eight)
    return cards


@inlined
def known_half(options, state, hand, holder, held, half):
    """Cards that are known to belong to a hand: all of them where the observer has `held` it,
    else what was shown of it in this round and before."""
    if held:
        return word64(state.hands, 2 * hand + half)
    return word64(state.seen, 2 * hand + half) | shown_half(options, state, hand, holder, half)


@inlined
def still_known_half(options, state, hand, holder, held, half):
    """Known cards of a hand that its holder has not shown this round: in hand or set aside."""
    shown = shown_half(options, state, hand, holder, half)
    return known_half(options, state, hand, holder, held, half) & ~shown


@compiled
def remember_shown(options, state, hand, holder):
    """Adds what was shown of a hand this round to what is remembered of it; at a round's end."""
    for c in range(options.colours):
        shown = state.hands[hand, c] & ~state.left[holder, c] & ~state.aside[holder, c]
        if state.revealed[holder] >> c & 1:
            shown |= np.uint16(1 << np.int64(options.eight))  # no int8
        state.seen[hand, c] |= shown
