"""The schedule of a tournament: which tables play each board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from experiments.config_tournament import TournamentConfig
from experiments.lineups import Lineup, label, lineups, rotations
from loop_envs.duplicate.movements import MOVEMENTS, Movement

LATIN_BOARDS = 256
"""Boards with Latin squares of their own, before they are used again."""


class Table(NamedTuple):
    """One match of a board.

    Attributes:
        lineup: Who meets, in circular order.
        rotation: Number of the seating; board, line-up and rotation name a match.
        seats: Who sits where.
    """

    lineup: str
    rotation: int
    seats: Lineup


@dataclass(frozen=True)
class Part:
    """Tables whose results are kept together.

    Attributes:
        agents: Who plays, in the order of the line-up or of the configuration.
        movement: Name of the movement.
        tables: The tables of board number x are those at x modulo the length.
    """

    agents: tuple[str, ...]
    movement: str
    tables: list[list[Table]]

    def on(self, board: int) -> list[Table]:
        """The tables of a board."""
        return self.tables[board % len(self.tables)]


def schedule(t: TournamentConfig, n: int, seed: int) -> list[Part]:
    """Who plays what, in parts: every line-up by itself, or a whole movement.

    A board's tables are a function of its number, whatever the first board is.

    Args:
        t: The tournament.
        n: Number of seats.
        seed: Of movements that are drawn.

    Raises:
        ValueError: If the movement or the line-ups cannot be had with these agents and seats.
    """
    if t.movement != "lineups":
        made = make_movement(t.movement, t.agent_names, n, seed)
        boards = [_named(made.seatings(board)) for board in range(made.num_boards)]
        return [Part(tuple(t.agent_names), t.movement, boards)]
    return [
        Part(
            lineup,
            "lineups",
            [[Table(label(lineup), k, seats) for k, seats in enumerate(rotations(lineup))]],
        )
        for lineup in lineups(t.agent_names, n, t.lineups)
    ]


def make_movement(name: str, agents: Sequence[str], n: int, seed: int) -> Movement:
    """A movement of the library as a tournament plays it.

    Where there are fewer agents than places, the agents take the others in turn.

    Args:
        name: One of `loop_envs.duplicate.MOVEMENTS`.
        agents: Names of the agents.
        n: Number of seats.
        seed: Of movements that are drawn.

    Raises:
        ValueError: If it cannot be had with these agents and seats.
    """
    more: dict[str, Any] = {}
    if name == "latin":  # one square would favour the same neighbours on every board
        more = {"num_boards": LATIN_BOARDS, "seed": seed}
    elif name == "whist":
        more = {"seed": seed}
    elif name == "mitchell":  # without a switched round, lines would be compared with themselves
        more = {"switches": max(1, round(-(-len(agents) // n) / 8))}
    return MOVEMENTS[name](agents, n, **more)


def _named(seatings: Sequence[Lineup]) -> list[Table]:
    """Tables with names: of the rotations of a line-up, the first in the alphabet names it."""
    seen: Counter[str] = Counter()
    tables = []
    for seats in seatings:
        name = label(min(rotations(seats)))
        tables.append(Table(name, seen[name], seats))
        seen[name] += 1
    return tables


def pairs_on_every_board(parts: Sequence[Part]) -> set[frozenset[str]]:
    """The pairs of agents that meet at some table of every board."""
    found: set[frozenset[str]] = set()
    for part in parts:
        by_board = [_met(tables) for tables in part.tables]
        found |= set.intersection(*by_board)
    return found


def _met(tables: Sequence[Table]) -> set[frozenset[str]]:
    company = {frozenset(table.seats) for table in tables}
    return {frozenset((a, b)) for names in company for a in names for b in names if a < b}
