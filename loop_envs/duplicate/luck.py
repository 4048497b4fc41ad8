"""How much duplicate play and control tables gain over fresh deals, at equal cost."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.rankings import MATCH, require_scores
from loop_envs.duplicate.statistics import jackknife_interval


def variance_reduction(
    values: npt.ArrayLike,
    controls: npt.ArrayLike | None = None,
    control_tables: float = 1.0,
    level: float = 0.95,
) -> pl.DataFrame:
    """Variance of a mean difference per match played, under four ways to play.

    * `fresh`: every match has a board of its own, and the tables of a duplicate board are played
      equally often. One match's variance is the mean, over tables, of the variance over boards.
    * `duplicate`: every board is played at all tables. The variance of a board's mean, times the
      number of tables.
    * `fresh with control`, `duplicate with control`: each board is also played at control
      tables, and what they gave to the same seats is subtracted. The variance of what is left,
      times the number of tables including the control tables.

    The ratio is that of `fresh` to each; with a ratio of 2, half as many matches give the same
    standard error. Control variates with coefficient 1 (Hammersley and Handscomb 1964): nothing
    is fitted to the data that it is judged by.

    Args:
        values: [boards, tables], at least 3 boards: the difference at each table.
        controls: [boards, tables]: what the control tables of that board gave to the same seats;
            None if there are none.
        control_tables: Number of control tables per board, above 0.
        level: Confidence level, between 0 and 1.

    Returns:
        A row per way to play: method; matches (per board); variance (per match played); ratio,
        ratio_low, ratio_high (jackknife over boards, of the ratio's logarithm).

    Raises:
        ValueError: If a shape is wrong, a value is not finite, or a number is out of range.
    """
    x = np.asarray(values, np.float64)
    if x.ndim != 2 or len(x) < 3 or not x.shape[1] or not np.isfinite(x).all():
        raise ValueError(f"values: got shape {x.shape}, allowed: finite [≥ 3 boards, ≥ 1 tables]")
    if not control_tables > 0:
        raise ValueError(f"control_tables: got {control_tables}, allowed: a number above 0")
    ways = [("fresh", _Way(0, False, 1.0)), ("duplicate", _Way(0, True, float(x.shape[1])))]
    c = np.zeros_like(x)
    if controls is not None:
        c = np.asarray(controls, np.float64)
        if c.shape != x.shape or not np.isfinite(c).all():
            raise ValueError(f"controls: got shape {c.shape}, allowed: finite {x.shape}")
        ways += [
            (f"{name} with control", _Way(1, way.all_tables, way.matches + control_tables))
            for name, way in ways
        ]
    by_board = np.stack([x, x - c], axis=1)
    fresh = ways[0][1]
    rows = []
    for name, way in ways:
        ratio = jackknife_interval(by_board, partial(_log_ratio, fresh, way), level=level)
        rows.append((name, way.matches, way.variance(by_board), *np.exp(ratio[:3]).tolist()))
    schema = ["method", "matches", "variance", "ratio", "ratio_low", "ratio_high"]
    return pl.DataFrame(rows, schema, orient="row")


class _Way(NamedTuple):
    """A way to play: 1 with control tables, else 0; all tables of a board, or one; matches."""

    controlled: int
    all_tables: bool
    matches: float

    def variance(self, by_board: npt.NDArray[np.float64]) -> float:
        """Per match played; by_board is [boards, (plain, controlled), tables]."""
        x = by_board[:, self.controlled]
        whole = x.mean(axis=1).var(ddof=1) if self.all_tables else x.var(axis=0, ddof=1).mean()
        return self.matches * float(whole)


def _log_ratio(above: _Way, below: _Way, by_board: npt.NDArray[np.float64]) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):  # no variance: infinite, or nan
        return float(np.subtract(*np.log([way.variance(by_board) for way in (above, below)])))


def match_differences(
    results: pl.DataFrame, a: str, b: str, control: str | None = None, score: str = "points"
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None, float]:
    """Differences of two agents at every table of every board, for `variance_reduction`.

    At a table, the difference is a's mean score over its seats minus b's. A control table has
    the agent `control` in all seats; what it gave is the mean over a's seats minus that over
    b's. If a balanced movement brings both agents to all seats, control tables add nothing to
    complete duplicate boards; they help where only part of the tables are played.

    Args:
        results: A table of results with matches of both agents, and with the control tables.
        a: An agent.
        b: Another agent.
        control: Who plays the control tables; None if there are none.
        score: Name of a numeric column in which more is better.

    Returns:
        float64 [boards, tables] of the differences, where a table is a line-up and a rotation;
        the same of the controls, or None; control tables per board. Boards without all of the
        tables are left out.

    Raises:
        ValueError: If a is b, a score is missing, or there is no board with all tables.
    """
    if a == b:
        raise ValueError(f"a, b: got {a!r} twice, allowed: two agents")
    require_scores(results, score)
    groups = [name for name in MATCH if name != "board"]
    agents = results["agent"].cast(pl.String)
    frame = results.with_columns(agent=agents, value=pl.col(score).cast(pl.Float64))
    columns = ["value"]
    per_board = 0.0
    if control is not None:
        tables = frame.filter((pl.col("agent") == control).all().over(MATCH))
        given = tables.group_by("board", "seat").agg(given=pl.col("value").mean())
        frame = frame.join(given, on=["board", "seat"])
        played = tables.select(MATCH).unique().height
        per_board = played / max(tables["board"].n_unique(), 1)
        columns.append("given")
    tables = (
        frame.group_by(MATCH)
        .agg(
            pl.col(column).filter(pl.col("agent") == a).mean()
            - pl.col(column).filter(pl.col("agent") == b).mean()
            for column in columns
        )
        .drop_nulls()
    )
    names = tables.select(groups).unique().sort(groups).with_row_index("table")
    tables = (
        tables.join(names, on=groups)
        .filter(pl.len().over("board") == names.height)
        .sort("board", "table")
    )
    if tables.is_empty():
        raise ValueError(
            f"results: got no board with all tables of {a!r} and {b!r} and the control tables of "
            f"{control!r}, allowed: at least one"
        )
    values, *controls = (tables[c].to_numpy().reshape(-1, names.height) for c in columns)
    return values, controls[0] if controls else None, per_board
