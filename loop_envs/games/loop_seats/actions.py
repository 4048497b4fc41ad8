"""The actions of loop_seats: sets of 1 to 3 cards, runs of any length, and a choice of seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.climbing import tables
from loop_envs.climbing.tables import Deck
from loop_envs.games.loop_seats.options import MAX_SEATS

MAX_SET = 3
SEAT_CHOICES = 2
STARTS = {"fixed": 0, "last": 1, "winner": 2, "last_seat": 3}

RECORD = np.dtype(
    [
        *tables.FIELDS,
        ("base_points", np.int32, (MAX_SEATS,)),
        ("threshold", np.int32),
        ("max_rounds", np.int32),
        ("published", np.int8),
        ("flip_per_card", np.int8),
        ("hard_pass", np.int8),
        ("rank_step", np.int8),
        ("by_player", np.int8),  # the reference rank is the player's own
        ("change_only", np.int8),
        ("fourth_chooses", np.int8),
        ("first_to_third", np.int8),
        ("start", np.int8),
        ("immediate", np.int8),
        ("floor_zero", np.int8),
        ("keep_order", np.int8),
    ]
)


def combinations_of(options: dict[str, Any]) -> Deck:
    """The combinations under resolved options (rule 6)."""
    return Deck(
        colours=options["colours"],
        values=options["values"],
        max_set=MAX_SET,
        shortest_run=options["min_run"],
        longest_run=min(options["values"], options["hand_size"] - options["set_aside"]),
        same_colour=True,
        wrap=False,
        eight=options["eight"],
    )


def build_tables(options: dict[str, Any]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Builds the action table and the options record."""
    table, record = tables.build_tables(combinations_of(options), RECORD, SEAT_CHOICES)
    r = record[0]
    r["players"] = options["num_players"]
    r["base_points"][: options["num_players"]] = options["base_points"]
    r["published"] = options["eight_mode"] == "published"
    r["reveal"] = tables.REVEALS["allowed" if r["published"] else "off"]
    r["reveal_on_lead"] = 1
    r["by_player"] = options["reference"] == "player"
    r["change_only"] = options["later_rounds"] == "change_only"
    r["first_to_third"] = options["winner_seats"] == "1to3"
    r["start"] = STARTS[options["start"]]
    r["immediate"] = options["threshold_check"] == "immediate"
    for name in (
        "hand_size",
        "set_aside",
        "flip_per_card",
        "hard_pass",
        "rank_step",
        "fourth_chooses",
        "threshold",
        "floor_zero",
        "keep_order",
        "max_rounds",
    ):
        r[name] = options[name]
    return table, record
