"""The actions of loop_boards and the small tables that make masks from bit words.

Actions in order: every set (value by value, each with its colours), every run (length by length,
each with its colour or colours), every card to set aside, PASS, REVEAL. A row of the action table
holds the cards as one word per colour and what the rules ask of a combination.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.cards import MAX_RANKS, MAX_SUITS, WORDS
from loop_envs.games.loop_boards.options import deck_of

# Columns of the action table behind the words of the cards. A row is three 64-bit words.
KIND, SIZE, STRENGTH, CLEARS, COLUMNS = WORDS, WORDS + 1, WORDS + 2, WORDS + 3, WORDS + 4
SET, RUN, ASIDE, PASS, REVEAL = 1, 2, 3, 4, 5
MAX_COMBINATION = 4
LETTERS = "RGBYPO"

REVEALS = {"off": 0, "allowed": 1, "stuck_only": 2}

RECORD = np.dtype(
    [
        # subsets[s]: which of a value's colour subsets (by number) lie within the colours s;
        # of_size[k]: which of them have k colours.
        ("subsets", np.uint64, (1 << MAX_SUITS,)),
        ("of_size", np.uint64, (MAX_COMBINATION + 1,)),
        ("num_actions", np.int64),
        ("run_offset", np.int64, (MAX_COMBINATION + 1,)),
        ("aside_offset", np.int64),
        ("pass_action", np.int64),
        ("num_subsets", np.int64),
        # starts[k]: lowest values of the runs of length k that exist; beats[inverted, k, x]:
        # those of them that beat a run of strength x; k = 1 serves for sets.
        ("starts", np.uint16, (MAX_COMBINATION + 1,)),
        ("beats", np.uint16, (2, MAX_COMBINATION + 1, MAX_RANKS + 1)),
        ("players", np.int8),
        ("colours", np.int8),
        ("values", np.int8),
        ("hand_size", np.int8),
        ("set_aside", np.int8),
        ("rounds", np.int8),
        ("eight", np.int8),  # rank of the value with powers, -1 for none
        ("same_colour", np.int8),
        ("reveal", np.int8),
        ("reveal_on_lead", np.int8),
        ("clear_on_exit", np.int8),
        ("golden", np.int8),  # -1: random
        ("golden_travels", np.int8),
        ("count_self", np.int8),
        ("placings", np.int8),
    ]
)


def run_starts(values: int, length: int, wrap: bool) -> list[tuple[int, int]]:
    """(lowest rank, strength) of every run of a length (rules 10, 12).

    Under `wrap` a run that passes the top has the highest value as its strength; a run through
    all values is one run, wherever it starts.
    """
    plain = [(s, s + length - 1) for s in range(values - length + 1)]
    if wrap and length < values:
        plain += [(s, values - 1) for s in range(values - length + 1, values)]
    return plain


def colour_subsets(colours: int) -> list[tuple[int, ...]]:
    """The colour subsets that a set can have, by number: 1 to 4 colours, by size (rule 13)."""
    return [
        subset
        for size in range(1, MAX_COMBINATION + 1)
        for subset in combinations(range(colours), size)
    ]


def _rows(options: dict[str, Any]) -> Iterator[tuple[int, int, int, list[tuple[int, int]]]]:
    """Every action as (kind, size, strength, cards), cards as (rank, colour)."""
    colours, values = deck_of(options)
    for value in range(values):
        for subset in colour_subsets(colours):
            yield SET, len(subset), value, [(value, c) for c in subset]
    for length in range(2, MAX_COMBINATION + 1):
        starts = run_starts(values, length, options["run_wrap"])
        if options["run_same_colour"]:
            # Colour by colour and dense in the start, so that a word of starts unpacks into the
            # mask; starts that do not exist leave no gap since they are the highest.
            for c in range(colours):
                for start, strength in starts:
                    yield RUN, length, strength, [((start + i) % values, c) for i in range(length)]
        else:
            for start, strength in starts:
                for coloured in product(range(colours), repeat=length):
                    cards = [((start + i) % values, c) for i, c in enumerate(coloured)]
                    yield RUN, length, strength, cards
    for c in range(colours):
        for value in range(values):
            yield ASIDE, 1, value, [(value, c)]
    yield PASS, 0, 0, []
    yield REVEAL, 0, 0, []


def build_tables(options: dict[str, Any]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Builds the action table, uint16 of shape (actions, COLUMNS), and the options record."""
    colours, values = deck_of(options)
    eight = options["eight"]
    rank_of_eight = eight - 1 if eight is not None and eight <= values else -1
    rows = list(_rows(options))
    table = np.zeros((len(rows), COLUMNS), np.uint16)
    for row, (kind, size, strength, cards) in zip(table, rows, strict=True):
        for rank, colour in cards:
            row[colour] |= 1 << rank
        row[[KIND, SIZE, STRENGTH]] = kind, size, strength
        row[CLEARS] = kind in (SET, RUN) and any(rank == rank_of_eight for rank, _ in cards)

    record = np.zeros(1, RECORD)
    r = record[0]
    kinds, sizes = table[:, KIND], table[:, SIZE]
    r["num_actions"] = len(rows)
    r["aside_offset"] = np.argmax(kinds == ASIDE)
    r["pass_action"] = np.argmax(kinds == PASS)
    for length in range(2, MAX_COMBINATION + 1):
        r["run_offset"][length] = np.argmax((kinds == RUN) & (sizes == length))

    subsets = colour_subsets(colours)
    r["num_subsets"] = len(subsets)
    for number, subset in enumerate(subsets):
        r["of_size"][len(subset)] |= np.uint64(1 << number)
        for held in range(1 << colours):
            if all(held >> c & 1 for c in subset):
                r["subsets"][held] |= np.uint64(1 << number)
    for length in range(1, MAX_COMBINATION + 1):
        for start, strength in run_starts(values, length, options["run_wrap"] and length > 1):
            r["starts"][length] |= np.uint16(1 << start)
            for other in range(values):
                r["beats"][0, length, other] |= np.uint16((strength > other) << start)
                r["beats"][1, length, other] |= np.uint16((strength < other) << start)

    r["players"], r["colours"], r["values"] = options["num_players"], colours, values
    r["eight"] = rank_of_eight
    r["same_colour"] = options["run_same_colour"]
    r["reveal"] = REVEALS[options["reveal"]]
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
