"""What moves do to the cards and to the order of values; what follows is the game's own."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import lowest_bit, ones
from loop_envs.climbing.masks import unrevealed_eights
from loop_envs.jit import compiled


@compiled
def add_aside(options, tables, state, holder, action):
    """Sets a card aside; returns how many the holder has set aside now."""
    picked = 0
    for c in range(options.colours):
        state.left[holder, c] &= ~tables[action, c]
        state.aside[holder, c] |= tables[action, c]
        picked += ones(state.aside[holder, c])
    return picked


@compiled
def reveal_eight(options, state, holder):
    """Reveals a set-aside 8 and turns the order around; of two the lower colour comes first."""
    state.inverted = 1 - state.inverted
    state.revealed[holder] |= np.uint8(1 << lowest_bit(unrevealed_eights(options, state, holder)))
    state.must_play = 1


@compiled
def take_out(options, tables, state, holder, action):
    """Takes a combination out of the holder's cards; whether none are left."""
    rest = 0
    for c in range(options.colours):
        state.left[holder, c] &= ~tables[action, c]
        rest |= state.left[holder, c]
    return rest == 0
