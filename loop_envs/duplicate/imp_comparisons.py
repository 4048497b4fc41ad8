"""Comparisons on bridge's scale of IMPs, for which points are turned into bridge points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.bridge import IMP_BOUNDS, imps, victory_points
from loop_envs.duplicate.compared import Compared, Integers, compare


def butler(
    results: pl.DataFrame,
    *,
    column: str = "points",
    name: str = "score",
    unit: float = 1.0,
    trim: int = 1,
    rounding: float | None = 10.0,
) -> pl.DataFrame:
    """IMPs of the difference to the datum: the mean without extremes, rounded.

    Args:
        results: A table of results.
        column: What is compared; more is better.
        name: Name of the new column.
        unit: How many points of bridge one unit of the column is worth, more than 0. A trick-taking
            or climbing game has far smaller scores than bridge.
        trim: How many of the best and of the worst results the datum leaves out, at least 0;
            none where that would leave nothing.
        rounding: The datum is rounded to a multiple of this number of bridge points, from the
            middle to an even one; None does not round.

    Returns:
        The results with the score, float64, in IMPs. It need not sum to 0.

    Raises:
        ValueError: If a column is missing, has nulls or no finite numbers; or if unit, trim or
            rounding are out of range.
    """
    _check_unit(unit)
    if trim < 0:
        raise ValueError(f"trim: got {trim}, allowed: an integer ≥ 0")
    if rounding is not None and not rounding > 0:
        raise ValueError(f"rounding: got {rounding}, allowed: None or a number > 0")
    c = compare(results, column)
    cut = np.where(c.size > 2 * trim, trim, 0)
    place = np.arange(len(c.row)) - c.start
    kept = c.total(np.where((place >= cut) & (place < c.size - cut), c.value, 0))
    count = c.size - 2 * cut
    difference = (c.value * count - kept) / count * unit
    if rounding is not None:
        datum = (c.least * count + kept) / count * unit
        difference = (c.least + c.value) * unit - np.rint(datum / rounding) * rounding
    return c.add_to(results, name, imps(difference))


def imps_to_mean(
    results: pl.DataFrame, *, column: str = "points", name: str = "score", unit: float = 1.0
) -> pl.DataFrame:
    """IMPs of the difference to the plain mean of the board and seat; see `butler`."""
    return butler(results, column=column, name=name, unit=unit, trim=0, rounding=None)


def cross_imps(
    results: pl.DataFrame, *, column: str = "points", name: str = "score", unit: float = 1.0
) -> pl.DataFrame:
    """The mean of the IMPs against every other table; with two tables a match of teams.

    Args:
        results: A table of results.
        column: What is compared; more is better.
        name: Name of the new column.
        unit: How many points of bridge one unit of the column is worth, more than 0.

    Returns:
        The results with the score, float64, in IMPs. It sums to 0 on each board and seat.

    Raises:
        ValueError: If a column is missing, has nulls or no finite numbers; or if the unit is
            out of range.
    """
    _check_unit(unit)
    c = compare(results, column)
    return c.add_to(results, name, _imp_sums(c, unit) / np.maximum(c.size - 1, 1))


def match_victory_points(
    results: pl.DataFrame,
    *,
    column: str = "points",
    name: str = "score",
    unit: float = 1.0,
    num_boards: int = 16,
) -> pl.DataFrame:
    """Victory points of matches of several boards, that an agent plays against the field.

    Boards in the order of their numbers are cut into matches. In each, an agent's margin is the
    sum over its boards of its mean cross-IMPs there, and all its rows get the match's victory
    points.

    Args:
        results: A table of results.
        column: What is compared; more is better.
        name: Name of the new column.
        unit: How many points of bridge one unit of the column is worth, more than 0.
        num_boards: Boards of a match, at least 1; the last one may be shorter.

    Returns:
        The results with the score, float64, 0 to 20.

    Raises:
        ValueError: If a column is missing, has nulls or no finite numbers; or if unit or number
            of boards are out of range.
    """
    if num_boards < 1:
        raise ValueError(f"num_boards: got {num_boards}, allowed: an integer ≥ 1")
    if "agent" not in results.columns:
        raise ValueError(f"no column 'agent' in the results: {', '.join(results.columns)}")
    scored = cross_imps(results, column=column, name="_imps", unit=unit).with_row_index("_row")
    scored = scored.with_columns(
        _match=(pl.col("board").rank("dense").cast(pl.Int64) - 1) // num_boards
    )
    margins = (
        scored.group_by("_match", "agent", "board")
        .agg(pl.col("_imps").mean())
        .sort("_match", "agent", "board")
        .group_by("_match", "agent")
        .agg(pl.col("_imps").sum(), boards=pl.len())
    )
    points = victory_points(margins["_imps"].to_numpy(), margins["boards"].to_numpy())
    scores = margins.select("_match", "agent", pl.Series("_points", points))
    joined = scored.join(scores, on=["_match", "agent"], how="left").sort("_row")
    return results.with_columns(joined["_points"].alias(name))


def _imp_sums(c: Compared, unit: float) -> Integers:
    """By sorted row, the sum of its IMPs against all rows of its group.

    The IMPs of a difference are the number of bounds that it reaches. So for each bound, it is
    enough to count the values that are lower by the bound or more; that is a search among the
    different values of all groups, in order, and takes no pairs. Whoever is beaten so loses as
    much, which makes the sum exactly 0.
    """
    first = np.flatnonzero(c.start + c.below == np.arange(len(c.row)))
    count = (c.size - c.below - c.above)[first]
    levels, level = np.unique(c.value[first] * unit, return_inverse=True)
    _, begin, group = np.unique(c.group[first], return_index=True, return_inverse=True)
    begin = begin[group]
    width = len(levels) + 1
    key = group * width + level
    before = np.concatenate([[0], np.cumsum(count)])
    total: npt.NDArray[np.int64] = np.zeros(len(first), np.int64)
    for bound in IMP_BOUNDS:
        if not len(levels) or levels[-1] < bound:
            break
        lower = np.searchsorted(levels, levels - bound, side="right")[level]
        end = np.searchsorted(key, group * width + lower)
        total += before[end] - before[begin]
        # Everybody from the group's first to the last who is beaten.
        losses = np.zeros(len(first) + 1, np.int64)
        np.add.at(losses, begin, count)
        np.subtract.at(losses, end, count)
        total -= np.cumsum(losses)[:-1]
    return np.repeat(total, count)


def _check_unit(unit: float) -> None:
    if not 0 < unit < float("inf"):
        raise ValueError(f"unit: got {unit}, allowed: a finite number > 0")
