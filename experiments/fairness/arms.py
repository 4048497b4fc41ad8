"""Arms of a study: tables that are played on many boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agents.base import Agent
from experiments.schedule import Table
from loop_envs.game import Game


class Player(NamedTuple):
    """Who plays under a name.

    Attributes:
        what: Says what it is, so that results of another one are not used.
        make: Makes it for a game.
    """

    what: str
    make: Callable[[Game], Agent]


@dataclass(frozen=True)
class Arm:
    """Tables that are played on boards.

    Attributes:
        name: Name of its folder.
        players: Who plays, by name.
        tables: Board number x is played at those at x modulo their length; equally many each.
        boards: Number of boards.
        options: What differs from the game's options.
        rounds: Whether rounds are kept too; then all players must be compiled.
    """

    name: str
    players: Mapping[str, Player]
    tables: Sequence[Sequence[Table]]
    boards: int
    options: Mapping[str, Any] = field(default_factory=dict)
    rounds: bool = True

    def __post_init__(self) -> None:
        sizes = {len(tables) for tables in self.tables}
        if len(sizes) != 1:
            raise ValueError(f"tables: got {sorted(sizes)} of a board, allowed: equally many")

    @property
    def num_matches(self) -> int:
        """Number of matches on all boards."""
        return self.boards * len(self.tables[0])
