"""How balanced a movement is: who sits where, meets whom and plays what, and how often.

Works on a movement's tables: a row for every seat, with the integer columns round, table, board
and seat (0 to n - 1) and the column agent. (round, table) names a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

Integers = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Balance:
    """Counts of a movement; pairs that never occur are there with 0.

    Attributes:
        seats: agent, seat, plays: how often the agent sits there.
        opponents: agent, opponent, plays: how often they meet at a table, another one for each
            seat in which an agent sits.
        left: agent, left, plays: how often `left` sits at the agent's left hand, which is the
            next seat. An agent that takes several seats of a table is no opponent and no
            neighbour of itself.
        boards: agent, board, plays.
        previous: agent, previous, plays: how often the agent plays a seat's cards that
            `previous` held at the same table and board the round before. All 0 where no board
            stays at its table.
        quality: Manning's quality, see `manning_quality`.
    """

    seats: pl.DataFrame
    opponents: pl.DataFrame
    left: pl.DataFrame
    boards: pl.DataFrame
    previous: pl.DataFrame
    quality: float

    def summary(self) -> pl.DataFrame:
        """The least, mean and greatest number of plays in each table of counts.

        Returns:
            A row for each of seats, opponents, left, boards and previous: count, least, mean,
            most. Balance is perfect where least and most are equal.
        """
        plays = pl.col("plays")
        counts = {
            "seats": self.seats,
            "opponents": self.opponents,
            "left": self.left,
            "boards": self.boards,
            "previous": self.previous,
        }
        return pl.concat(
            frame.select(count=pl.lit(name), least=plays.min(), mean=plays.mean(), most=plays.max())
            for name, frame in counts.items()
        )


class _Seatings(NamedTuple):
    """Tables as arrays: names by number; who sits where [T, n]; round, table and board [T]."""

    names: pl.Series
    who: Integers
    round: Integers
    table: Integers
    board: Integers


def balance(tables: pl.DataFrame) -> Balance:
    """Reports how balanced a movement is.

    Args:
        tables: The tables of a movement.

    Returns:
        Counts as tables sorted by their columns, names in order of first appearance; and
        Manning's quality.

    Raises:
        ValueError: If there is no table, or tables differ in seats.
    """
    s = _seatings(tables)
    k, n = len(s.names), s.who.shape[1]
    seats = sum(_crossed(s.who[:, i], np.full_like(s.board, i), k, n) for i in range(n))
    ring = [_crossed(s.who, np.roll(s.who, -d, axis=1), k, k) for d in range(1, n)]
    numbers, board = np.unique(s.board, return_inverse=True)
    boards = sum(_crossed(s.who[:, i], board, k, len(numbers)) for i in range(n))
    return Balance(
        seats=_frame(seats, s.names, "seat", pl.Series(range(n))),
        opponents=_frame(sum(ring), s.names, "opponent"),
        left=_frame(ring[0], s.names, "left"),
        boards=_frame(boards, s.names, "board", pl.Series(numbers)),
        previous=_frame(_previous(s), s.names, "previous"),
        quality=_quality(s),
    )


def manning_quality(tables: pl.DataFrame) -> float:
    """Manning's quality of a movement, as a percentage: 100 if all compete equally.

    How much each result of one agent bears on the comparison of another: on a board with t
    tables, h = t - 1, two agents that meet compete with weight h, two in the same seat at
    different tables with 1, two in opposite seats at different tables with -1. With S the sum
    of these weights over all N pairs of agents and SS the sum of the squares of the pairs'
    totals, the quality is ``100 S² / (N · SS)`` (John Manning, "Competition, balance and
    arrow-switching", from the 1990s, and the English Bridge Union's manual of movements).

    With n > 2 seats that share a constant sum, a player's result takes 1 / (n - 1) from each
    opponent, so that the weights become h, n - 1 and -1; n = 2 gives Manning's.

    Args:
        tables: The tables of a movement.

    Returns:
        0 to 100; nan if there is nothing to compare: one agent, or one table on each board.

    Raises:
        ValueError: If there is no table, or tables differ in seats.
    """
    return _quality(_seatings(tables))


def _seatings(tables: pl.DataFrame) -> _Seatings:
    if tables.is_empty():
        raise ValueError("a movement needs at least one table, got none")
    rows = tables.sort("round", "table", "seat")
    n = int(rows["seat"].max()) + 1  # type: ignore[arg-type]
    seats = rows["seat"].to_numpy()
    if len(seats) % n or (seats.reshape(-1, n) != np.arange(n)).any():
        raise ValueError(f"every table must have each of the seats 0 to {n - 1} once")
    names = rows["agent"].unique(maintain_order=True)
    who = rows["agent"].replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    places = (rows[name].to_numpy()[::n] for name in ("round", "table", "board"))
    return _Seatings(names, who.to_numpy().reshape(-1, n), *places)


def _crossed(a: Integers, b: Integers, rows: int, columns: int) -> Counts:
    """How often each number of a occurs together with each number of b, [rows, columns]."""
    flat = np.bincount((a * columns + b).reshape(-1), minlength=rows * columns)
    return flat.reshape(rows, columns)


def _frame(
    counts: Counts | int, names: pl.Series, what: str, values: pl.Series | None = None
) -> pl.DataFrame:
    """Counts [agents, values] as a long table; None: values are agents, except the same one."""
    plays = np.asarray(counts)
    i, j = np.divmod(np.arange(plays.size), plays.shape[1])
    if values is None:
        keep = i != j
        i, j, values = i[keep], j[keep], names
    return pl.DataFrame(
        {"agent": names.gather(i), what: values.gather(j), "plays": plays[i, j].astype(np.int64)}
    )


def _previous(s: _Seatings) -> Counts:
    order = np.lexsort((s.round, s.board, s.table))
    before, after = order[:-1], order[1:]
    stays = (s.table[before] == s.table[after]) & (s.board[before] == s.board[after])
    stays &= s.round[before] + 1 == s.round[after]
    k = len(s.names)
    return _crossed(s.who[after[stays]], s.who[before[stays]], k, k)


def _quality(s: _Seatings) -> float:
    k, (_, n) = len(s.names), s.who.shape
    _, board, num_tables = np.unique(s.board, return_inverse=True, return_counts=True)
    meet = np.zeros((k, k))
    weighted = np.zeros((k, k))
    h = (num_tables[board] - 1).astype(np.float64)
    for d in range(1, n):
        for i in range(n):
            pair = s.who[:, i] * k + s.who[:, (i + d) % n]
            meet += np.bincount(pair, minlength=k * k).reshape(k, k)
            weighted += np.bincount(pair, h, minlength=k * k).reshape(k, k)
    # By seat, how often an agent sits there on a board: products count pairs of tables.
    sits = [_crossed(board, s.who[:, i], len(num_tables), k).astype(float) for i in range(n)]
    same = sum(x.T @ x for x in sits)
    everywhere = sum(sits)
    different = everywhere.T @ everywhere - same - meet  # type: ignore[union-attr]
    pairs = (weighted + (n - 1) * same - different)[np.triu_indices(k, 1)]
    squares = float((pairs**2).sum())
    return 100 * float(pairs.sum()) ** 2 / (len(pairs) * squares) if squares > 0 else float("nan")
