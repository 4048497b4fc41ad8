"""Would another set of boards say the same? Reliability and the stability of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special, stats

_CHUNK = 4_000_000  # values drawn at a time


def icc(scores: npt.ArrayLike, level: float = 0.95) -> pl.DataFrame:
    """The six intraclass correlations of Shrout and Fleiss (1979), with intervals.

    From the mean squares of the analysis of variance, as in McGraw and Wong (1996), "Forming
    inferences about some intraclass correlation coefficients", Psychological Methods 1, 30–46.
    ICC(1,·) takes every column of every row as a new draw; ICC(2,·) asks for agreement with
    random columns; ICC(3,·) for consistency, whatever the columns' means. With agents as rows
    and boards as columns, ICC(3,k) is the generalisability coefficient of k boards, and
    ICC(2,k) is Φ.

    Args:
        scores: [rows, columns], at least 2 of each.
        level: Confidence level, between 0 and 1.

    Returns:
        A row per coefficient: type (such as "ICC(3,k)"), icc, low, high, f (the test that there
        is no difference between rows), df1, df2, p_value.

    Raises:
        ValueError: If the shape is wrong, a score is not finite, or `level` is out of range.
    """
    x = np.asarray(scores, np.float64)
    if x.ndim != 2 or min(x.shape) < 2 or not np.isfinite(x).all():
        raise ValueError(f"scores: got shape {x.shape}, allowed: finite [≥ 2, ≥ 2]")
    if not 0 < level < 1:
        raise ValueError(f"level: got {level!r}, allowed: a number between 0 and 1")
    with np.errstate(divide="ignore", invalid="ignore"):  # rows without error: F is infinite
        return _icc(x, level)


def _icc(x: npt.NDArray[np.float64], level: float) -> pl.DataFrame:
    n, k = x.shape
    rows = k * x.mean(axis=1).var(ddof=1)
    columns = n * x.mean(axis=0).var(ddof=1)
    within = x.var(axis=1, ddof=1).mean()
    error = (n * (k - 1) * within - (k - 1) * columns) / ((n - 1) * (k - 1))
    df_rows, df_within, df_error = n - 1, n * (k - 1), (n - 1) * (k - 1)
    one = (rows - within) / (rows + (k - 1) * within)
    two = (rows - error) / (rows + (k - 1) * error + k * (columns - error) / n)
    three = (rows - error) / (rows + (k - 1) * error)
    bounds_one = _f_bounds(rows / within, df_rows, df_within, k, level)
    bounds_three = _f_bounds(rows / error, df_rows, df_error, k, level)
    bounds_two = _agreement_bounds(rows, columns, error, n, k, two, level)
    table = []
    for name, single, bounds, f, df2 in (
        ("1", one, bounds_one, rows / within, df_within),
        ("2", two, bounds_two, rows / error, df_error),
        ("3", three, bounds_three, rows / error, df_error),
    ):
        p = float(special.fdtrc(df_rows, df2, f))
        for size, factor in (("1", 1), ("k", k)):
            values = [_lengthened(value, factor) for value in (single, *bounds)]
            table.append((f"ICC({name},{size})", *values, f, df_rows, df2, p))
    schema = ["type", "icc", "low", "high", "f", "df1", "df2", "p_value"]
    return pl.DataFrame(table, schema, orient="row")


def _f_bounds(f: float, df1: int, df2: int, k: int, level: float) -> tuple[float, float]:
    """Bounds of a single score's correlation whose F ratio is exactly distributed."""
    tail = (1 + level) / 2
    low = f / special.fdtri(df1, df2, tail)
    high = f * special.fdtri(df2, df1, tail)
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _agreement_bounds(
    rows: float, columns: float, error: float, n: int, k: int, two: float, level: float
) -> tuple[float, float]:
    """Bounds of ICC(2,1), with Satterthwaite's degrees of freedom (McGraw and Wong, table 7)."""
    a = k * two / (n * (1 - two))
    b = 1 + k * two * (n - 1) / (n * (1 - two))
    df = (a * columns + b * error) ** 2 / (
        (a * columns) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
    )
    tail = (1 + level) / 2
    spread = k * columns + (k * n - k - n) * error
    down = special.fdtri(n - 1, df, tail)
    up = special.fdtri(df, n - 1, tail)
    low = n * (rows - down * error) / (down * spread + n * rows)
    high = n * (up * rows - error) / (spread + n * up * rows)
    return low, high


def spearman_brown(reliability: npt.ArrayLike, factor: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Reliability of a test that is `factor` times as long (Spearman 1910, Brown 1910).

    ``factor · r / (1 + (factor - 1) · r)``. To find how much longer a test must be to get from
    r to R, see `lengthening`.

    Args:
        reliability: Up to 1, of any shape.
        factor: Above 0.

    Raises:
        ValueError: If an argument is out of range.
    """
    r, n = np.asarray(reliability, np.float64), np.asarray(factor, np.float64)
    if not (r <= 1).all() or not (n > 0).all():
        raise ValueError(
            f"reliability, factor: got {reliability!r} and {factor!r}, allowed: up to 1 and above 0"
        )
    return np.asarray(_lengthened(r, n))


def _lengthened(r: Any, n: Any) -> Any:
    return n * r / (1 + (n - 1) * r)


def lengthening(reliability: float, wanted: float) -> float:
    """How many times as many boards it takes to get from one reliability to another.

    The inverse of `spearman_brown`: ``wanted (1 - r) / (r (1 - wanted))``.

    Args:
        reliability: Between 0 and 1.
        wanted: Between 0 and 1.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not 0 < reliability < 1 or not 0 < wanted < 1:
        raise ValueError(
            f"reliability, wanted: got {reliability} and {wanted}, allowed: between 0 and 1"
        )
    return wanted * (1 - reliability) / (reliability * (1 - wanted))


def split_half_tau(
    values: npt.ArrayLike, splits: int = 200, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Kendall's τ-b between the rankings by two random halves of the boards.

    Args:
        values: [boards, agents], at least 2 of each; agents are ranked by their means. With an
            odd number of boards, one is left out of each split.
        splits: Number of random splits.
        seed: Of the splits.

    Returns:
        float64 [splits]; nan where all means of a half are equal. The splits share the boards,
        so their spread says how much a single split depends on chance; it is no interval for
        the τ of new boards.

    Raises:
        ValueError: If the shape is wrong or a value is not finite.
    """
    x = _matrix(values)
    half = len(x) // 2
    rng = np.random.default_rng(seed)
    result = np.empty(splits)
    for i in range(splits):
        order = rng.permutation(len(x))
        first, second = x[order[:half]].mean(axis=0), x[order[half : 2 * half]].mean(axis=0)
        result[i] = stats.kendalltau(first, second).statistic
    return result


def reversal_table(
    values: npt.ArrayLike,
    agents: Sequence[str],
    boards: int,
    order: Sequence[str] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """How often a smaller tournament would rank two agents the other way round.

    Boards are drawn with replacement; a pair is reversed if the better agent has the lower mean
    over the boards drawn, and half reversed if the means are equal.

    Args:
        values: [all boards, agents], at least 2 of each: scores under any scoring rule.
        agents: Names of the columns.
        boards: Number of boards of the smaller tournament.
        order: The agents as they are known to rank, best first; None: by their means over all
            boards.
        resamples: Number of tournaments drawn.
        seed: Of the draws.

    Returns:
        A row per pair: better, worse, difference (over all boards), reversed (probability).
        Neighbours in the ranking come first.

    Raises:
        ValueError: If a shape is wrong, a value is not finite, the order is not one of the
            agents, or a number is below 1.
    """
    x = _matrix(values)
    if len(agents) != x.shape[1]:
        raise ValueError(f"agents: got {len(agents)}, allowed: {x.shape[1]}, one per column")
    if boards < 1 or resamples < 1:
        raise ValueError(f"boards, resamples: got {boards}, {resamples}, allowed: integers ≥ 1")
    if order is not None and sorted(order) != sorted(agents):
        raise ValueError(f"order: got {list(order)}, allowed: the agents {list(agents)}")
    rng = np.random.default_rng(seed)
    mean = x.mean(axis=0)
    ranking = np.argsort(-mean, kind="stable")
    if order is not None:
        ranking = np.array([list(agents).index(name) for name in order])
    pairs = sorted(combinations(range(len(agents)), 2), key=lambda pair: pair[1] - pair[0])
    better, worse = ranking[np.array(pairs).T]
    chance = np.zeros(len(pairs))
    step = max(1, _CHUNK // (boards * len(agents)))
    for first in range(0, resamples, step):
        drawn = rng.integers(len(x), size=(min(step, resamples - first), boards))
        means = x[drawn].mean(axis=1)
        chance += (1 - np.sign(means[:, better] - means[:, worse])).sum(axis=0) / 2
    return pl.DataFrame(
        {
            "better": [agents[i] for i in better],
            "worse": [agents[i] for i in worse],
            "difference": mean[better] - mean[worse],
            "reversed": chance / resamples,
        }
    )


def _matrix(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    x = np.asarray(values, np.float64)
    if x.ndim != 2 or min(x.shape) < 2 or not np.isfinite(x).all():
        raise ValueError(f"values: got shape {x.shape}, allowed: finite [≥ 2 boards, ≥ 2 agents]")
    return x
