"""Values by board: the independent units of everything a study estimates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from experiments.fairness.played import Part, Played
from loop_envs.duplicate import Interval, mean_interval

Floats = npt.NDArray[np.float64]
RowsOf = Callable[[Part], pl.LazyFrame]
MATCH = ("board", "lineup", "rotation")
FOLDS = 20
"""As many as `jackknife_interval` makes groups."""


def matches_of(part: Part) -> pl.LazyFrame:
    """The table of matches."""
    return part.matches


def rounds_of(part: Part) -> pl.LazyFrame:
    """The table of rounds."""
    return part.rounds


def by_board(
    played: Played, by: Sequence[str], value: pl.Expr | str, rows: RowsOf = matches_of
) -> tuple[list[tuple[Any, ...]], Floats]:
    """Means of a value on every board, for every combination of some columns.

    Args:
        played: An arm.
        by: The columns; their values are sorted.
        value: An expression of rows.
        rows: Takes a table with the column board from a part of the arm; by default its matches.

    Returns:
        The combinations that occur, and float64 [boards, combinations], boards in ascending
        order; nan where a combination does not occur on a board. Boards without any row are left
        out.
    """
    value = pl.col(value) if isinstance(value, str) else value
    names = [f"_{i}" for i in range(len(by))]
    keys = [pl.col(column).alias(name) for column, name in zip(by, names, strict=True)]
    parts: list[tuple[pl.DataFrame, Floats]] = []
    for part in played.parts():
        means = (
            rows(part)
            .select("board", *keys, _value=value.cast(pl.Float64))
            .group_by("board", *names)
            .agg(pl.col("_value").mean())
            .collect()
        )
        # Enums sort by their order of appearance, texts by the alphabet.
        groups = means.select(names).unique().sort(names)
        cells = means.join(groups.with_row_index("_column"), on=names)
        boards, row = np.unique(cells["board"].to_numpy(), return_inverse=True)
        matrix = np.full((len(boards), groups.height), np.nan)
        matrix[row, cells["_column"].to_numpy()] = cells["_value"].to_numpy()
        parts.append((groups, matrix))
    every = pl.concat(groups for groups, _ in parts).unique().sort(names).rows()
    column = {key: i for i, key in enumerate(every)}
    found = np.full((sum(len(matrix) for _, matrix in parts), len(every)), np.nan)
    start = 0
    for groups, matrix in parts:
        stop = start + len(matrix)
        found[start:stop, [column[key] for key in groups.iter_rows()]] = matrix
        start = stop
    return every, found


def each_board(played: Played, values: Callable[[Part], Floats]) -> Floats:
    """Values of every board, [boards, ...], made of a part of an arm at a time."""
    return np.concatenate([values(part) for part in played.parts()])


def folded(
    played: Played, sums: Callable[[Part], Mapping[str, npt.NDArray[Any]]]
) -> dict[str, Floats]:
    """Sums over boards, made of a part of an arm at a time.

    The boards are dealt to FOLDS folds in turn, as `jackknife_interval` deals them to its groups:
    so, if there are as many boards at least, it finds the same interval for a statistic of sums by
    fold as for one of sums by board, but memory does not grow with the boards.

    Args:
        played: An arm.
        sums: Makes arrays [boards, ...] by name from a part of it; their shapes but for the
            boards may not change from part to part.

    Returns:
        By name, float64 [FOLDS, ...].
    """
    total: dict[str, Floats] = {}
    for part in played.parts():
        fold = np.arange(part.numbers.start, part.numbers.stop) % FOLDS
        for name, values in sums(part).items():
            if name not in total:
                total[name] = np.zeros((FOLDS, *values.shape[1:]))
            np.add.at(total[name], fold, values)
    return total


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


def within(interval: Interval) -> Interval:
    """The interval of a number that lies between 0 and 1."""
    return interval._replace(low=max(interval.low, 0.0), high=min(interval.high, 1.0))


def triples(intervals: Sequence[Interval]) -> Floats:
    """Means and bounds, float64 [k, 3]."""
    return np.array([[i.mean, i.low, i.high] for i in intervals], np.float64).reshape(-1, 3)
