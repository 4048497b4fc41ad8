"""Means with error bars, over units that are independent of each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special


class Interval(NamedTuple):
    """A mean and its confidence interval.

    Attributes:
        mean: Mean over the units; nan if there are none.
        low: Lower bound; nan if there are fewer than two units.
        high: Upper bound; nan if there are fewer than two units.
        n: Number of units.
    """

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Mean of independent values, with Student's t interval.

    The interval is ``mean ± t · s / √n``, where s is the standard deviation with divisor n - 1
    and t the quantile of order ``(1 + level) / 2`` of Student's distribution with n - 1 degrees
    of freedom. It is exact for normal values and good for the means of many others, but only if
    the values are independent: in a duplicate tournament the units are boards, not matches,
    because matches on one board share their cards.

    Args:
        values: One number for every independent unit.
        level: Confidence level, between 0 and 1.

    Raises:
        ValueError: If `level` is out of range, `values` is no vector, or a value is not finite.
    """
    if not 0 < level < 1:
        raise ValueError(f"level: got {level!r}, allowed: a number between 0 and 1")
    x = np.asarray(values, np.float64)
    if x.ndim != 1:
        raise ValueError(f"values must be a vector, got shape {x.shape}")
    if not np.isfinite(x).all():
        wrong = int(np.flatnonzero(~np.isfinite(x))[0])
        raise ValueError(f"values must be finite, got {x[wrong]} at index {wrong}")
    n = len(x)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    mean = float(x.mean())
    if n == 1:
        return Interval(mean, math.nan, math.nan, 1)
    quantile = float(special.stdtrit(n - 1, (1 + level) / 2))
    half = quantile * float(x.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n)


def jackknife_interval(
    values: npt.ArrayLike,
    statistic: Callable[[npt.NDArray[Any]], float],
    groups: int = 20,
    level: float = 0.95,
) -> Interval:
    """Interval of any smooth statistic of boards, by leaving out groups of them.

    The boards are dealt to the groups in turn; the statistic is computed without each group, and
    the pseudo-values ``g · all - (g - 1) · without group`` are treated as in `mean_interval`
    (delete-a-group jackknife: Tukey 1958; Shao and Wu 1989). It needs only as many computations
    as there are groups.

    Args:
        values: [boards, ...]: what the statistic takes; boards are independent of each other.
            The numbers of the boards will do, if the statistic picks their rows from a table.
        statistic: A function of such an array with fewer boards.
        groups: Number of groups, at least 2; no more are made than there are boards.
        level: Confidence level, between 0 and 1.

    Returns:
        The statistic of all boards as the mean; its bounds, which are nan if the statistic is
        not finite for all boards and without each group; the number of groups as n.

    Raises:
        ValueError: If there are fewer than two boards or groups, or `level` is out of range.
    """
    x = np.asarray(values)
    groups = min(groups, len(x))
    if groups < 2:
        raise ValueError(f"values, groups: got {len(x)} boards, {groups} groups, allowed: ≥ 2")
    member = np.arange(len(x)) % groups
    whole = float(statistic(x))
    parts = np.array([statistic(x[member != g]) for g in range(groups)])
    if not np.isfinite([whole, *parts]).all():
        return Interval(whole, math.nan, math.nan, groups)
    center, low, high, _ = mean_interval(groups * whole - (groups - 1) * parts, level)
    return Interval(whole, whole + low - center, whole + high - center, groups)
