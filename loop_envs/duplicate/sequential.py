"""Stopping a match-up when it is decided, without raising its error rate.

Looking at a test again and again, and stopping when it is significant, errs far more often than
the test's level says. A group-sequential plan spends the allowed error over the looks: bounds
for the standardised mean are such that, if there is no difference, the probability of having
crossed one by look k is a function α(t) of the share t of the boards played so far (Lan and
DeMets 1983, "Discrete sequential boundaries for clinical trials", Biometrika 70, 659–663). The
bounds come from integrating the joint distribution of the looks (Armitage, McPherson and Rowe
1969; Jennison and Turnbull 2000, chapter 19).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

Spending = Literal["obrien_fleming", "pocock"]
Decision = Literal["ahead", "behind", "equal", "open", "undecided"]

_STEP = 0.1  # of the grid, in standard deviations of the smaller increment beside it
_TAIL = 8.5  # standard deviations beyond which the normal density is nothing


@dataclass(frozen=True)
class SequentialPlan:
    """When to look, and what counts as decided.

    Attributes:
        looks: Numbers of boards at which to look, ascending; the last one ends the match-up.
        bounds: float64 [looks]: at each look, the absolute value of mean / standard error, for
            known variance, from which on the difference is decided.
        level: Probability of no wrong decision if there is no difference.
    """

    looks: tuple[int, ...]
    bounds: npt.NDArray[np.float64]
    level: float


@dataclass(frozen=True)
class SequentialResult:
    """What a match-up has come to.

    Attributes:
        decision: `ahead` or `behind`: the interval excludes zero. `equal`: it lies within the
            margin. `open`: go on to the next look. `undecided`: the last look was reached.
        boards: Number of boards that the interval is about; 0 before the first look.
        mean: Their mean difference; nan before the first look.
        low: Lower bound of the repeated confidence interval; nan before the first look.
        high: Its upper bound.
    """

    decision: Decision
    boards: int
    mean: float
    low: float
    high: float


def sequential_plan(
    looks: Sequence[int],
    level: float = 0.95,
    spending: Spending = "obrien_fleming",
    comparisons: int = 1,
) -> SequentialPlan:
    """The bounds of a two-sided group-sequential test.

    Each side gets half of the error. With `obrien_fleming`, a side with error a spends
    ``2 - 2 Φ(z / √t)``, z the normal quantile of order ``1 - a / 2``: hardly anything early, and
    the last bound is close to that of a test with a single look. With `pocock` it spends
    ``a ln(1 + (e - 1) t)``: bounds are nearly constant, early stops are more frequent, and more
    boards are needed when the difference is small.

    Args:
        looks: Numbers of boards, ascending, at least 2 and at most 500 of them, none closer to
            the one before than 1 / 2000 of it. They must not depend on the results. Means of
            few boards are not normal: the first look should be at 20 or more.
        level: Confidence level, between 0 and 1.
        spending: How the error is spent.
        comparisons: Number of match-ups of one tournament; each gets the error
            ``(1 - level) / comparisons`` (Bonferroni), so that the level holds for all together.

    Raises:
        ValueError: If an argument is out of range.
    """
    gaps = np.diff(np.array(looks, np.float64))
    if (
        not 1 <= len(looks) <= 500
        or looks[0] < 2
        or not (gaps > 0).all()
        or not (gaps * 2000 >= looks[1:]).all()
    ):
        raise ValueError(
            f"looks: got {list(looks)}, allowed: 1 to 500 ascending integers ≥ 2, each at least "
            "1 / 2000 above the one before"
        )
    if not 0 < level < 1:
        raise ValueError(f"level: got {level!r}, allowed: a number between 0 and 1")
    if comparisons < 1:
        raise ValueError(f"comparisons: got {comparisons}, allowed: an integer ≥ 1")
    times = np.array(looks, np.float64) / looks[-1]
    alpha = (1 - level) / comparisons
    if spending == "obrien_fleming":
        spent = 4 * special.ndtr(special.ndtri(alpha / 4) / np.sqrt(times))
    elif spending == "pocock":
        spent = alpha * np.log1p(math.expm1(1) * times)
    else:
        raise ValueError(f"spending: got {spending!r}, allowed: obrien_fleming, pocock")
    bounds = _bounds(times, np.diff(spent, prepend=0.0))
    return SequentialPlan(tuple(int(n) for n in looks), bounds, level)


def sequential_test(
    differences: npt.ArrayLike, plan: SequentialPlan, margin: float = 0.0
) -> SequentialResult:
    """Applies a plan to the differences of the boards played so far, in the order of play.

    The interval at a look is ``mean ± t · s / √n``, where t is the quantile of Student's
    distribution with n - 1 degrees of freedom that has the tail probability of the plan's bound
    (the significance-level approach of Jennison and Turnbull 2000, section 3.8). The intervals
    of all looks together cover the true difference with the plan's level (repeated confidence
    intervals: Jennison and Turnbull 1989), whatever the reason for stopping. If all differences
    are the same number, it is taken for certain once a sign test would reject zero, and the
    interval is infinite before.

    Args:
        differences: [boards]: one difference per board. Boards after the deciding look are not
            used, so the result is the same whether play stopped there or went on.
        plan: The plan.
        margin: A difference that does not matter, at least 0. If it is positive, play also
            stops when the interval lies between -margin and margin.

    Raises:
        ValueError: If a difference is not finite, or the margin is negative.
    """
    x = np.asarray(differences, np.float64)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise ValueError(f"differences: got shape {x.shape}, allowed: a vector of finite numbers")
    if not margin >= 0:
        raise ValueError(f"margin: got {margin}, allowed: a number ≥ 0")
    result = SequentialResult("open", 0, math.nan, math.nan, math.nan)
    for n, bound in zip(plan.looks, plan.bounds.tolist(), strict=True):
        if n > len(x):
            break
        mean, deviation = float(x[:n].mean()), float(x[:n].std(ddof=1))
        tail = float(special.ndtr(-bound))
        half = -float(special.stdtrit(n - 1, tail)) * deviation / math.sqrt(n)
        if deviation == 0:  # equal values say nothing about their spread: the sign test decides
            half = 0.0 if mean == 0 or 0.5**n <= tail else math.inf
        low, high = mean - half, mean + half
        decision: Decision = "undecided" if n == plan.looks[-1] else "open"
        if low > 0 or high < 0:
            decision = "ahead" if low > 0 else "behind"
        elif margin and -margin < low and high < margin:
            decision = "equal"
        result = SequentialResult(decision, n, mean, low, high)
        if decision != "open":
            break
    return result


def _bounds(
    times: npt.NDArray[np.float64], spends: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Bounds of |sum| / √time such that each look spends its share, by recursive integration."""
    bounds = np.empty(len(times))
    # The density of the sum at the last look, over the paths that have crossed no bound.
    grid, density = np.zeros(1), np.ones(1)
    before = 0.0
    for k, (time, spend) in enumerate(zip(times, spends, strict=True)):
        step = math.sqrt(time - before)
        bounds[k] = math.inf
        if spend > 1e-300:
            bounds[k] = optimize.brentq(
                _excess, 0.0, 40.0, args=(grid, density, math.sqrt(time), step, spend), xtol=1e-10
            )
        new_grid, weight = _grid(min(bounds[k], _TAIL) * math.sqrt(time), times, k)
        kernel = np.exp(-(((new_grid[:, None] - grid) / step) ** 2) / 2)
        density = weight * (kernel @ density) / (step * math.sqrt(2 * math.pi))
        grid, before = new_grid, time
    return bounds


def _excess(
    bound: float,
    grid: npt.NDArray[np.float64],
    density: npt.NDArray[np.float64],
    scale: float,
    step: float,
    spend: float,
) -> float:
    """Probability of being beyond the bound on either side at this look, less what it may be."""
    return float(2 * density @ special.ndtr((grid - bound * scale) / step) - spend)


def _grid(
    edge: float, times: npt.NDArray[np.float64], k: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Simpson's rule between -edge and edge, fine enough for the increments around look k."""
    increments = np.diff(times, prepend=0.0)[k : k + 2]
    points = 2 * math.ceil(edge / (_STEP * math.sqrt(increments.min()))) + 1
    grid = np.linspace(-edge, edge, points)
    weight = np.full(points, 2.0)
    weight[1::2], weight[[0, -1]] = 4.0, 1.0
    return grid, weight * (2 * edge / (points - 1)) / 3
