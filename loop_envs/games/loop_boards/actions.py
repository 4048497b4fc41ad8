"""The actions of loop_boards: sets of 1 to 4 cards and runs of 2 to 4 (rules 10 to 13)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.climbing import tables
from loop_envs.climbing.tables import Deck
from loop_envs.games.loop_boards.options import deck_of

MAX_COMBINATION = 4

RECORD = np.dtype(
    [
        *tables.FIELDS,
        ("rounds", np.int8),
        ("clear_on_exit", np.int8),
        ("golden", np.int8),  # -1: random
        ("golden_travels", np.int8),
        ("count_self", np.int8),
        ("placings", np.int8),
    ]
)


def combinations_of(options: dict[str, Any]) -> Deck:
    """The combinations under resolved options."""
    colours, values = deck_of(options)
    return Deck(
        colours=colours,
        values=values,
        max_set=MAX_COMBINATION,
        shortest_run=2,
        longest_run=min(MAX_COMBINATION, values),
        same_colour=options["run_same_colour"],
        wrap=options["run_wrap"],
        eight=options["eight"],
    )


def build_tables(options: dict[str, Any]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Builds the action table and the options record."""
    table, record = tables.build_tables(combinations_of(options), RECORD)
    r = record[0]
    r["players"] = options["num_players"]
    r["reveal"] = tables.REVEALS[options["reveal"]]
    r["clear_on_exit"] = options["on_exit"] == "clear"
    r["golden"] = -1 if options["golden"] == "random" else options["golden"]
    r["placings"] = options["tie_break"] == "placings"
    for name in (
        "hand_size",
        "set_aside",
        "rounds",
        "reveal_on_lead",
        "golden_travels",
        "count_self",
    ):
        r[name] = options[name]
    return table, record
