"""The actions of LOOPLA! and the record of its options.

Actions in order: `play v` for every value, `take`, `leave`, `up`, `down`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Columns of the action table.
KIND, VALUE, COLUMNS = 0, 1, 2
PLAY, TAKE, LEAVE, UP, DOWN = 1, 2, 3, 4, 5

JOKER, REBEL = 6, 0
"""Values with powers, counted from 0 like all values in code; the highest is the Sovereign."""
NEVER = 2**31 - 1
"""More points or rounds than a match can have."""
FIRST_INSTRUCTIONS = {"free": 0, "random": 1, "starter": 2}
STARTERS = {"rotate": 0, "winner": 1, "loser": 2}

RECORD = np.dtype(
    [
        ("target", np.int64),
        ("rounds", np.int64),
        ("max_rounds", np.int64),
        ("players", np.int64),
        ("values", np.int64),
        ("copies", np.int64),
        ("hand_size", np.int64),
        ("whoop_size", np.int64),
        ("joker", np.int64),  # -1: none
        ("first_instruction", np.int8),
        ("start_card_power", np.int8),
        ("joker_doubles", np.int8),
        ("free_after_fall", np.int8),
        ("last_card_pickup", np.int8),
        ("larger_bonus", np.int8),
        ("bust_leaves", np.int8),
        ("again", np.int8),
        ("starter", np.int8),
    ]
)


def build_tables(options: dict[str, Any]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Builds the action table, uint16 of shape (actions, COLUMNS), and the options record."""
    values = options["values"]
    table = np.zeros((values + 4, COLUMNS), np.uint16)
    table[:values, KIND] = PLAY
    table[:values, VALUE] = np.arange(values)
    table[values:, KIND] = TAKE, LEAVE, UP, DOWN

    record = np.zeros(1, RECORD)
    r = record[0]
    for name in ("target", "rounds", "max_rounds"):
        r[name] = NEVER if options[name] is None else min(options[name], NEVER)
    for name in ("values", "copies", "hand_size", "whoop_size"):
        r[name] = options[name]
    r["players"] = options["num_players"]
    r["joker"] = JOKER if values > JOKER else -1
    r["first_instruction"] = FIRST_INSTRUCTIONS[options["first_instruction"]]
    r["starter"] = STARTERS[options["starter"]]
    r["joker_doubles"] = options["seven_on_seven_double"]
    r["free_after_fall"] = options["after_fall"] == "free"
    r["larger_bonus"] = options["bonuses"] == "larger"
    r["again"] = options["reverse_with_two"] == "again"
    for name in ("start_card_power", "last_card_pickup", "bust_leaves"):
        r[name] = options[name]
    return table, record
