"""The whole state of a loop_boards match as one fixed-size record."""

from __future__ import annotations

import numpy as np

from loop_envs.cards import WORDS
from loop_envs.game import state_dtype
from loop_envs.games.loop_boards.options import MAX_SEATS
from loop_envs.jit import inlined

DTYPE = state_dtype(
    [
        # Sets of cards. A hand and its score sheet are a "board" in the rules;
        # here both have the number of their first holder.
        ("hands", np.uint16, (MAX_SEATS, WORDS)),  # by board: the cards as dealt
        ("seen", np.uint16, (MAX_SEATS, WORDS)),  # by board: shown to all in earlier rounds
        ("left", np.uint16, (MAX_SEATS, WORDS)),  # by player: still in hand this round
        ("aside", np.uint16, (MAX_SEATS, WORDS)),  # by player: set aside this round
        ("current", np.int16),  # action to beat, -1 for a lead
        ("ranks", np.int8, (MAX_SEATS, MAX_SEATS)),  # by board and round: marker's row, 0 none
        ("revealed", np.uint8, (MAX_SEATS,)),  # by player: colours of the revealed 8s
        ("active", np.uint8),  # bit per player who still holds cards this round
        ("passed", np.uint8),  # bit per player who passed since the current combination
        ("owner", np.int8),  # who played the current combination
        ("golden", np.int8),  # who held the golden board in round 0
        ("rounds_done", np.int8),
        ("phase", np.int8),
        ("inverted", np.int8),  # 1: low beats high
        ("must_play", np.int8),  # 1: the player to move has just revealed
    ]
)


@inlined
def board_of(options, state, player):
    """The board that a player holds this round (rule 28)."""
    board = np.int64(player) - state.rounds_done
    return board if board >= 0 else board + options.players


@inlined
def first_player(options, state):
    """The holder of the golden board, who leads (rule 9)."""
    moved = np.int64(state.golden) + (state.rounds_done if options.golden_travels else 0)
    return moved if moved < options.players else moved - options.players
