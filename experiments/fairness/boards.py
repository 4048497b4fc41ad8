"""Values by board: the independent units of everything a study estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from loop_envs.duplicate import Interval, mean_interval

Floats = npt.NDArray[np.float64]
MATCH = ("board", "lineup", "rotation")


def by_board(
    frame: pl.LazyFrame, by: Sequence[str], value: pl.Expr | str
) -> tuple[list[tuple[Any, ...]], Floats]:
    """Means of a value on every board, for every combination of some columns.

    Args:
        frame: A table with the column board.
        by: The columns; their values are sorted.
        value: An expression of rows.

    Returns:
        The combinations that occur, and float64 [boards, combinations], boards in ascending
        order; nan where a combination does not occur on a board.
    """
    value = pl.col(value) if isinstance(value, str) else value
    names = [f"_{i}" for i in range(len(by))]
    keys = [pl.col(column).alias(name) for column, name in zip(by, names, strict=True)]
    means = (
        frame.select("board", *keys, _value=value.cast(pl.Float64))
        .group_by("board", *names)
        .agg(pl.col("_value").mean())
        .collect(engine="streaming")
    )
    # Enums sort by their order of appearance, texts by the alphabet.
    groups = means.select(names).unique().sort(names).with_row_index("_column")
    cells = means.join(groups, on=names)
    boards, row = np.unique(cells["board"].to_numpy(), return_inverse=True)
    matrix = np.full((len(boards), groups.height), np.nan)
    matrix[row, cells["_column"].to_numpy()] = cells["_value"].to_numpy()
    return groups.select(names).rows(), matrix


def over_boards(values: Floats, level: float = 0.95) -> Interval:
    """Mean and interval of a value over the boards that have one."""
    return mean_interval(values[~np.isnan(values)], level)


def p_value(interval: Interval) -> float:
    """Two-sided p value of a true value of zero, from a 95 % interval by Student's t.

    Without a spread it is 1 if the mean is zero and else 0; without an interval it is 1.
    """
    half = (interval.high - interval.low) / 2
    if math.isnan(half) or interval.n < 2:
        return 1.0
    if half == 0:
        return 1.0 if interval.mean == 0 else 0.0
    df = interval.n - 1
    return float(2 * special.stdtr(df, -abs(interval.mean) / half * special.stdtrit(df, 0.975)))


def triples(intervals: Sequence[Interval]) -> Floats:
    """Means and bounds, float64 [k, 3]."""
    return np.array([[i.mean, i.low, i.high] for i in intervals], np.float64).reshape(-1, 3)
