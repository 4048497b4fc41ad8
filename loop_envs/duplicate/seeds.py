"""Intervals over training seeds and boards: two kinds of units that cross each other."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import special

from loop_envs.duplicate.statistics import Interval, mean_interval


def seed_interval(
    a: npt.ArrayLike, b: npt.ArrayLike | None = None, level: float = 0.95
) -> Interval:
    """Mean of `a`, or of `a` minus `b`, over training seeds and boards, with an interval.

    Every training seed of `a` and of `b` played the same boards. The values of one seed share
    the seed's luck and those of one board share its cards, so neither all cells nor all boards
    are independent. With seed means ``S``, board means ``B`` of the difference, and the mean
    square of their interaction ``E``,

        variance = var(S of a) / seeds + var(S of b) / seeds + var(B) / boards
                   - E of a / cells - E of b / cells

    which is unbiased for two crossed random factors (Cornfield and Tukey 1956), with the degrees
    of freedom of Satterthwaite (1946). It is never taken smaller than the parts for seeds alone
    or for boards alone. With a single seed, its luck is not part of the interval: the statement
    is about this agent, not about how it was trained.

    Args:
        a: [seeds, boards].
        b: [seeds, boards], the same boards, seeds of its own; None for zeros. If the seeds are
            paired, give the difference as `a` instead.
        level: Confidence level, between 0 and 1.

    Returns:
        The mean and its bounds; n is the smallest number of units of a kind that has more than
        one. Bounds are nan where there is a single board.

    Raises:
        ValueError: If a shape is wrong, the numbers of boards differ, a value is not finite, or
            `level` is out of range.
    """
    groups = [_checked("a", a)] if b is None else [_checked("a", a), _checked("b", b)]
    boards = groups[0].shape[1]
    if groups[-1].shape[1] != boards:
        raise ValueError(f"b: got {groups[-1].shape[1]} boards, allowed: {boards}, the boards of a")
    by_board = sum(sign * g.mean(axis=0) for sign, g in zip((1, -1), groups, strict=False))
    plain = mean_interval(by_board, level)
    repeated = [g for g in groups if len(g) > 1]
    if boards < 2 or not repeated:
        return plain
    seeds = [(g.mean(axis=1).var(ddof=1) / len(g), len(g) - 1) for g in repeated]
    cards = [(np.var(by_board, ddof=1) / boards, boards - 1)]
    twice = [(-_interaction(g) / g.size, (len(g) - 1) * (boards - 1)) for g in repeated]
    # Each is a list of (part of the variance, its degrees of freedom).
    parts = max([*seeds, *cards, *twice], seeds, cards, key=lambda p: sum(v for v, _ in p))
    variance = sum(value for value, _ in parts)
    n = min(boards, *(len(g) for g in repeated))
    if variance == 0:
        return Interval(plain.mean, plain.mean, plain.mean, n)
    freedom = variance**2 / sum(value**2 / df for value, df in parts)
    half = float(special.stdtrit(freedom, (1 + level) / 2)) * math.sqrt(variance)
    return Interval(plain.mean, plain.mean - half, plain.mean + half, n)


def _checked(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    x = np.asarray(values, np.float64)
    if x.ndim != 2 or 0 in x.shape or not np.isfinite(x).all():
        raise ValueError(f"{name}: got shape {x.shape}, allowed: finite values [seeds, boards]")
    return x


def _interaction(x: npt.NDArray[np.float64]) -> float:
    """Mean square of what is neither of the row nor of the column."""
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    return float((rest**2).sum() / ((x.shape[0] - 1) * (x.shape[1] - 1)))
