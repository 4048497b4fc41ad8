"""The frame of all comparisons: values of one board and seat side by side, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BOARD_SEAT = ("board", "seat")


class Compared(NamedTuple):
    """Rows sorted by group and, within a group, by value; everything is by sorted row.

    Sums run over sorted rows, so the order of the results changes nothing, not even rounding.

    Attributes:
        row: Where the row stands in the results.
        group: Number of its group, from 0.
        outer: Number of what its group belongs to: the rows with the same first key.
        least: Least value of its group, int64 or float64.
        value: Its value above the least one, int64 or float64. A constant added to a whole
            group of integers leaves it unchanged.
        size: Number of rows in its group.
        start: Index of its group's first row.
        below: How many rows of its group have a smaller value.
        above: How many have a greater one.
    """

    row: Integers
    group: Integers
    outer: Integers
    least: Integers | Floats
    value: Integers | Floats
    size: Integers
    start: Integers
    below: Integers
    above: Integers

    def total(self, x: npt.NDArray[np.generic]) -> Integers | Floats:
        """The sum of x over its group, for every sorted row."""
        if not len(x):
            return np.zeros(0)
        sums: Integers | Floats = np.add.reduceat(x, np.unique(self.start))
        return sums[self.group]

    def add_to(self, results: pl.DataFrame, name: str, scores: npt.ArrayLike) -> pl.DataFrame:
        """The results with the scores of the sorted rows as a float64 column."""
        column = np.empty(len(self.row))
        column[self.row] = scores
        return results.with_columns(pl.Series(name, column))


def compare(results: pl.DataFrame, column: str, groups: Sequence[str] = BOARD_SEAT) -> Compared:
    """Puts the values of each group side by side.

    Args:
        results: A table of results.
        column: What is compared; numbers, of which more is better, or booleans.
        groups: Columns that say which rows are compared with each other.

    Raises:
        ValueError: If a column is missing, has nulls, or is compared and no finite number.
    """
    used = [*groups, column]
    if missing := [name for name in used if name not in results.columns]:
        raise ValueError(f"no column {missing[0]!r} in the results: {', '.join(results.columns)}")
    dtype = results.schema[column]
    if not (dtype.is_numeric() or dtype == pl.Boolean):
        raise ValueError(f"column {column!r} is of type {dtype}, allowed: numbers and booleans")
    exact = dtype.is_integer() or dtype == pl.Boolean
    rows = results.select(
        *groups, _value=pl.col(column).cast(pl.Int64 if exact else pl.Float64)
    ).with_row_index("_row")
    if any(rows.null_count().row(0)):
        raise ValueError(f"there are nulls in a column of {', '.join(used)}")
    if not exact and not rows["_value"].is_finite().all():
        raise ValueError(f"column {column!r} must be finite")
    rows = rows.sort(*groups, "_value")
    new = [_changes(rows[name]) for name in (*groups, "_value")]
    first = np.logical_or.reduce(new[:-1])
    start, size = _runs(first)
    tie_start, tie_size = _runs(first | new[-1])
    value = rows["_value"].to_numpy()
    least = value[start]
    below = tie_start - start
    return Compared(
        row=rows["_row"].to_numpy().astype(np.int64),
        group=np.cumsum(first) - 1,
        outer=np.cumsum(new[0]) - 1,
        least=least,
        value=value - least,
        size=size,
        start=start,
        below=below,
        above=size - below - tie_size,
    )


def _changes(column: pl.Series) -> npt.NDArray[np.bool_]:
    """Where a sorted column differs from the row before; true in the first row."""
    changes: npt.NDArray[np.bool_] = column.ne_missing(column.shift()).to_numpy()
    return changes


def _runs(first: npt.NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """The start and the length of the run that each row belongs to."""
    starts = np.flatnonzero(first)
    lengths = np.diff(starts, append=len(first))
    return np.repeat(starts, lengths), np.repeat(lengths, lengths)
