"""The whole state of a loop_seats match as one fixed-size record."""

from __future__ import annotations

import numpy as np

from loop_envs.cards import WORDS
from loop_envs.game import state_dtype
from loop_envs.games.loop_seats.options import MAX_SEATS
from loop_envs.jit import inlined

SEATING = 2
"""Phase in which the fourth of four players chooses a seat; see `climbing.tables` for others."""

DTYPE = state_dtype(
    [
        # Sets of cards. A hand stays at its seat, so all of these are by seat.
        ("hands", np.uint16, (MAX_SEATS, WORDS)),  # the cards as dealt
        ("seen", np.uint16, (MAX_SEATS, WORDS)),  # shown to all in earlier rounds
        ("left", np.uint16, (MAX_SEATS, WORDS)),  # still in hand this round
        ("aside", np.uint16, (MAX_SEATS, WORDS)),  # set aside this round
        ("earned", np.int32, (MAX_SEATS,)),  # by player: booked last
        ("rounds_done", np.int16),
        ("current", np.int16),  # action to beat, -1 for a lead
        ("revealed", np.uint8, (MAX_SEATS,)),  # by seat: colours of the revealed 8s
        ("held", np.uint8, (MAX_SEATS,)),  # by seat: bit per player who has sat there
        ("seat_of", np.int8, (MAX_SEATS,)),  # by player
        ("player_at", np.int8, (MAX_SEATS,)),  # by seat
        ("rank", np.int8, (MAX_SEATS,)),  # by player: taken this round, 0 none
        ("card", np.int8, (MAX_SEATS,)),  # by seat: its rank card, 0 in the first round
        ("before", np.int8, (MAX_SEATS,)),  # by player: rank in the round before, 0 none
        ("active", np.uint8),  # bit per seat that still holds cards this round
        ("passed", np.uint8),  # bit per seat that has passed and may not be asked now
        ("owner", np.int8),  # seat that played the current combination
        ("start_seat", np.int8),  # that of the deal
        ("first", np.int8),  # seat that starts this round
        ("phase", np.int8),
        ("inverted", np.int8),  # 1: low beats high
        ("must_play", np.int8),  # 1: who is to move has just revealed
    ]
)


@inlined
def next_seat(options, among, seat):
    """The next seat clockwise of a bit set that is not empty (rule 21)."""
    following = np.int64(seat)
    while True:
        following = following + 1 if following + 1 < options.players else 0
        if np.int64(among) >> following & 1:
            return following
