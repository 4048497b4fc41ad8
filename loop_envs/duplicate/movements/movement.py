"""What a movement is: a list of tables, and who fills the seats that no agent takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.balance import Balance, balance

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Movement:
    """Who plays which board in which seat.

    A movement has boards 0 to ``num_boards - 1``. A tournament with more boards plays it again
    and again: board number x is played as board ``x mod num_boards``.

    Attributes:
        name: Kind of movement.
        num_seats: Seats of a table, numbered clockwise, so that the next seat is to the left.
        agents: Those whom the movement is for, in the order that was given.
        fill_ins: Who takes the seats for which there are too few agents, in order of their first
            use: outsiders, or agents that play several places. Empty if all seats are taken.
        tables: int64 columns round, table, board, seat, and the string column agent: a row for
            every seat, in this order. (round, table) names a table, which plays one board.
    """

    name: str
    num_seats: int
    agents: tuple[str, ...]
    fill_ins: tuple[str, ...]
    tables: pl.DataFrame

    @property
    def num_boards(self) -> int:
        """Number of boards."""
        return int(self.tables["board"].max()) + 1  # type: ignore[arg-type]

    @property
    def num_rounds(self) -> int:
        """Number of rounds."""
        return int(self.tables["round"].max()) + 1  # type: ignore[arg-type]

    def seatings(self, board: int) -> list[tuple[str, ...]]:
        """Everything that is to be played on a board: by table, the agents by seat.

        Args:
            board: Any board number of a tournament, at least 0.

        Raises:
            ValueError: If the board is negative.
        """
        if board < 0:
            raise ValueError(f"board: got {board}, allowed: an integer ≥ 0")
        return list(self._seatings[board % self.num_boards])

    @cached_property
    def _seatings(self) -> list[list[tuple[str, ...]]]:
        rows = self.tables.sort("board", "round", "table", "seat")
        result: list[list[tuple[str, ...]]] = [[] for _ in range(self.num_boards)]
        boards = rows["board"].to_list()[:: self.num_seats]
        agents = rows["agent"].to_numpy().reshape(-1, self.num_seats).tolist()
        for board, seats in zip(boards, agents, strict=True):
            result[board].append(tuple(seats))
        return result

    @cached_property
    def balance(self) -> Balance:
        """How evenly seats, opponents, neighbours and boards are shared out."""
        return balance(self.tables)

    def on_one_board(self) -> Movement:
        """The same tables, all on one board, so that each board is played by all of them.

        People cannot play a board twice, agents without memory can: a movement made for many
        boards becomes a small set of seatings for each.
        """
        tables = self.tables.with_columns(board=pl.lit(0, pl.Int64))
        return Movement(self.name, self.num_seats, self.agents, self.fill_ins, tables)


def movement(
    name: str,
    agents: Sequence[str],
    fill_ins: Sequence[str],
    names: Sequence[str],
    seatings: Integers,
    places: tuple[Integers, Integers, Integers],
) -> Movement:
    """Makes a movement from arrays.

    Args:
        name: Kind of movement.
        agents: Those whom it is for.
        fill_ins: Names, in order, of those who take the seats that would be empty.
        names: The name behind each number in `seatings`; may repeat.
        seatings: int64 [T, n]: by table and seat, who sits there.
        places: Three int64 [T]: round, table and board.
    """
    n = seatings.shape[1]
    columns = [np.repeat(place, n) for place in places]
    seats = np.tile(np.arange(n, dtype=np.int64), len(seatings))
    tables = pl.DataFrame(
        {
            **dict(zip(("round", "table", "board"), columns, strict=True)),
            "seat": seats,
            "agent": pl.Series(names, dtype=pl.String).gather(seatings.reshape(-1)),
        }
    ).sort("round", "table", "seat")
    return Movement(name, n, tuple(agents), tuple(dict.fromkeys(fill_ins)), tables)


def check_agents(agents: Sequence[str], n: int, fill_ins: Sequence[str]) -> None:
    """Refuses agents, seats and fill-ins that no movement is for.

    Raises:
        ValueError: If there is no agent, a name is empty or repeated, n is less than 2, or
            `fill_ins` is a string rather than a sequence of names.
    """
    if isinstance(agents, str) or isinstance(fill_ins, str):
        raise ValueError(f"names must be a sequence, got {agents!r} and fill-ins {fill_ins!r}")
    if not agents or len(set(agents)) != len(agents):
        raise ValueError(f"agents must be at least one and have different names, got {[*agents]}")
    if not all([*agents, *fill_ins]):
        raise ValueError(f"names must not be empty, got {[*agents]} and fill-ins {[*fill_ins]}")
    if n < 2:
        raise ValueError(f"seats: got {n}, allowed: an integer ≥ 2")


def fill(agents: Sequence[str], size: int, fill_ins: Sequence[str]) -> list[str]:
    """Those who fill up the agents to a number of places: the fill-ins in turn, or the agents.

    Args:
        agents: Names of the agents.
        size: Number of places; may be less than the number of agents.
        fill_ins: Names of fill-ins, used in turn; empty lets the agents take a second place in
            turn.

    Returns:
        ``max(0, size - len(agents))`` names.
    """
    return list(islice(cycle(fill_ins or agents), max(0, size - len(agents))))
