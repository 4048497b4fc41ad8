"""The whole state of a LOOPLA! match as one fixed-size record, and what may be played in it.

Values count from 0: the value v + 1 of the rules is v here, and bit v of a word. Cards of a value
are all alike, so a set of cards is as many words as there can be copies, word k with the values
of which there are more than k: word 0 is the values that occur. Four words are 64 bits.
"""

from __future__ import annotations

import numpy as np

from loop_envs.game import state_dtype
from loop_envs.games.loopla.options import MAX_COPIES, MAX_SEATS
from loop_envs.jit import compiled, inlined

PLAYING, PICKING_UP, INSTRUCTING, OPENING = 0, 1, 2, 3
"""What the player to move decides; OPENING: the starter's instruction for the own first play."""
OPEN, FREE, UP, DOWN, DOUBLED, SOVEREIGN = -1, 0, 1, 2, 3, 4
"""What binds the next play; OPEN: a card was played and its player has yet to instruct."""

DTYPE = state_dtype(
    [
        ("left", np.uint16, (MAX_SEATS, MAX_COPIES)),  # by player: cards in hand
        ("seen", np.uint16, (1, MAX_COPIES)),  # cards that were face up this round
        ("rounds_done", np.int32),
        ("collection", np.uint16, (MAX_SEATS,)),  # by player: values collected this round
        ("lacks", np.uint16, (MAX_SEATS,)),  # by fallen player: values that would have been legal
        ("gained", np.int16, (MAX_SEATS,)),  # by player: points of the round that ended
        ("bonus", np.int8, (MAX_SEATS,)),
        ("cards_left", np.int8, (MAX_SEATS,)),
        ("active", np.uint8),  # bit per player who is in the round
        ("fallen", np.uint8),  # bit per player who fell this round
        ("busted", np.uint8),  # bit per player who had a bust this round
        ("top", np.int8),
        ("covered", np.int8),  # the card that may be picked up, -1 for none
        ("constraint", np.int8),
        ("giver", np.int8),  # who gave it, by instruction, double or Sovereign; -1 for nobody
        ("direction", np.int8),  # 1 clockwise, -1
        ("phase", np.int8),
        ("again", np.int8),  # 1: the player to move has the next turn too
        ("starter", np.int8),  # who played first in this round
        ("next_starter", np.int8),
        ("dealt", np.int8),  # the constraint that was dealt: FREE, UP, DOWN
    ]
)


@compiled
def legal_values(options, state):
    """Word of the values that meet the constraint (rules 9-13)."""
    top = np.int64(state.top)
    constraint = np.int64(state.constraint)
    everything = (np.int64(1) << options.values) - 1
    joker = np.int64(1) << options.joker if options.joker >= 0 else np.int64(0)
    if constraint == UP:
        return (everything >> top << top) | joker
    if constraint == DOWN:
        return ((np.int64(2) << top) - 1) | joker
    if constraint == DOUBLED:  # top - 1, top, top + 1, as far as there are such values
        return (np.int64(7) << top >> 1 & everything) | joker
    if constraint == SOVEREIGN:
        return np.int64(1) << (options.values - 1) | joker
    return everything


@inlined
def add_card(sets, row, value):
    """Adds a card of a value to a set of cards, a row of `sets`."""
    bit = np.uint16(1 << value)
    for k in range(MAX_COPIES):
        if not sets[row, k] & bit:
            sets[row, k] |= bit
            break


@inlined
def remove_card(sets, row, value):
    """Removes a card of a value from a set of cards that holds one."""
    bit = np.uint16(1 << value)
    for k in range(MAX_COPIES - 1, -1, -1):
        if sets[row, k] & bit:
            sets[row, k] ^= bit
            break
