"""Combinations, their actions, and the small tables that make masks from bit words.

A set is cards of one value; a run is consecutive values, in one colour or any. Actions in order:
every set (value by value, each with its colours), every run (length by length, each with its
colour or colours), every card to set aside, PASS, REVEAL, and then what a game adds. A row of the
action table holds the cards as one word per colour and what the rules ask of a combination.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.cards import MAX_RANKS, MAX_SUITS, WORDS

# Columns of the action table behind the words of the cards. A row is three 64-bit words.
KIND, SIZE, STRENGTH, EIGHTS, COLUMNS = WORDS, WORDS + 1, WORDS + 2, WORDS + 3, WORDS + 4
SET, RUN, ASIDE, PASS, REVEAL, OTHER = 1, 2, 3, 4, 5, 6
MAX_SET = 4
MAX_RUN = 13

CHOOSING, PLAYING = 0, 1
"""Phases of a round: setting cards aside, then tricks."""

REVEALS = {"off": 0, "allowed": 1, "stuck_only": 2}
"""When a set-aside 8 may be revealed, as the field `reveal` says it."""

FIELDS: list[tuple[Any, ...]] = [
    # subsets[s]: which of a value's colour subsets (by number) lie within the colours s;
    # of_size[k]: which of them have k colours.
    ("subsets", np.uint64, (1 << MAX_SUITS,)),
    ("of_size", np.uint64, (MAX_SET + 1,)),
    ("num_actions", np.int64),
    ("run_offset", np.int64, (MAX_RUN + 1,)),
    ("aside_offset", np.int64),
    ("pass_action", np.int64),
    ("num_subsets", np.int64),
    ("shortest_run", np.int64),
    ("longest_run", np.int64),
    # starts[k]: lowest values of the runs of length k that exist; beats[inverted, k, x]:
    # those of them that beat a run of strength x; k = 1 serves for sets.
    ("starts", np.uint16, (MAX_RUN + 1,)),
    ("beats", np.uint16, (2, MAX_RUN + 1, MAX_RANKS + 1)),
    ("players", np.int8),
    ("colours", np.int8),
    ("values", np.int8),
    ("hand_size", np.int8),
    ("set_aside", np.int8),
    ("eight", np.int8),  # rank of the value with powers, -1 for none
    ("same_colour", np.int8),
    ("reveal", np.int8),
    ("reveal_on_lead", np.int8),
]
"""Fields that the options record of such a game begins with."""


@dataclass(frozen=True)
class Deck:
    """What combinations a game has.

    Attributes:
        colours: Number of colours.
        values: Number of values.
        max_set: Most cards in a set.
        shortest_run: Fewest cards in a run.
        longest_run: Most cards in a run.
        same_colour: Whether a run has one colour.
        wrap: Whether the lowest value follows the highest.
        eight: The value with powers, or None.
    """

    colours: int
    values: int
    max_set: int
    shortest_run: int
    longest_run: int
    same_colour: bool
    wrap: bool
    eight: int | None

    @property
    def rank_of_eight(self) -> int:
        """Rank of the value with powers, -1 where the deck does not hold it."""
        return self.eight - 1 if self.eight is not None and self.eight <= self.values else -1

    @property
    def run_lengths(self) -> range:
        """Lengths of the runs that can be played."""
        return range(self.shortest_run, self.longest_run + 1)

    def run_starts(self, length: int) -> list[tuple[int, int]]:
        """(lowest rank, strength) of every run of a length.

        A run that wraps has the highest value as its strength; a run through all values is one
        run, wherever it starts.
        """
        values = self.values
        plain = [(s, s + length - 1) for s in range(values - length + 1)]
        if self.wrap and 1 < length < values:
            plain += [(s, values - 1) for s in range(values - length + 1, values)]
        return plain

    def colour_subsets(self) -> list[tuple[int, ...]]:
        """The colour subsets that a set can have, by number: by size, then by colours."""
        return [
            subset
            for size in range(1, self.max_set + 1)
            for subset in combinations(range(self.colours), size)
        ]

    def rows(self) -> Iterator[tuple[int, int, int, list[tuple[int, int]]]]:
        """Every action as (kind, size, strength, cards), cards as (rank, colour)."""
        colours, values = self.colours, self.values
        for value in range(values):
            for subset in self.colour_subsets():
                yield SET, len(subset), value, [(value, c) for c in subset]
        for length in self.run_lengths:
            starts = self.run_starts(length)
            if self.same_colour:
                # Colour by colour and dense in the start, so that a word of starts unpacks into
                # the mask; starts that do not exist leave no gap since they are the highest.
                for c in range(colours):
                    for start, strength in starts:
                        cards = [((start + i) % values, c) for i in range(length)]
                        yield RUN, length, strength, cards
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


def build_tables(
    deck: Deck, dtype: np.dtype[Any], others: int = 0
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Builds the action table and an options record that holds what the combinations say.

    Args:
        deck: The combinations.
        dtype: Dtype of the options record; has `FIELDS`.
        others: Number of actions that the game adds behind REVEAL, of kind `OTHER`.

    Returns:
        uint16 of shape (actions, COLUMNS), and a record of shape (1,).
    """
    rows = [*deck.rows(), *[(OTHER, 0, i, []) for i in range(others)]]
    table = np.zeros((len(rows), COLUMNS), np.uint16)
    for row, (kind, size, strength, cards) in zip(table, rows, strict=True):
        for rank, colour in cards:
            row[colour] |= 1 << rank
        row[[KIND, SIZE, STRENGTH]] = kind, size, strength
        if kind in (SET, RUN):
            row[EIGHTS] = sum(rank == deck.rank_of_eight for rank, _ in cards)

    record = np.zeros(1, dtype)
    r = record[0]
    kinds, sizes = table[:, KIND], table[:, SIZE]
    r["num_actions"] = len(rows)
    r["aside_offset"] = np.argmax(kinds == ASIDE)
    r["pass_action"] = np.argmax(kinds == PASS)
    r["colours"], r["values"], r["eight"] = deck.colours, deck.values, deck.rank_of_eight
    r["shortest_run"], r["longest_run"] = deck.shortest_run, deck.longest_run
    r["same_colour"] = deck.same_colour
    for length in deck.run_lengths:
        r["run_offset"][length] = np.argmax((kinds == RUN) & (sizes == length))
    subsets = deck.colour_subsets()
    r["num_subsets"] = len(subsets)
    for number, subset in enumerate(subsets):
        r["of_size"][len(subset)] |= np.uint64(1 << number)
        for held in range(1 << deck.colours):
            if all(held >> c & 1 for c in subset):
                r["subsets"][held] |= np.uint64(1 << number)
    for length in (1, *deck.run_lengths):
        for start, strength in deck.run_starts(length):
            r["starts"][length] |= np.uint16(1 << start)
            for other in range(deck.values):
                r["beats"][0, length, other] |= np.uint16((strength > other) << start)
                r["beats"][1, length, other] |= np.uint16((strength < other) << start)
    return table, record
