"""Skill, luck and tails of deals: estimators over boards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from experiments.fairness.boards import FOLDS, Floats
from experiments.fairness.games.loo.reading import Deals, over
from loop_envs.duplicate import Interval, critical_repetition_frequency, jackknife_interval

TOP = 0.01
"""Share of the deals, those with the largest pools, that makes the tail."""


class Sizes(NamedTuple):
    """Deals by the size of the pool.

    Attributes:
        pools: Sizes that there are, in chips, ascending, float64 [P].
        cells: By fold and size, numbers of deals and sums of `Deals.squares`, float64
            [FOLDS, P, 2].
    """

    pools: Floats
    cells: Floats


class Signal(NamedTuple):
    """Skill and luck of a difference in a deal.

    Attributes:
        mean: Mean difference, chips.
        deviation: Its standard deviation in a deal, chips.
        ratio: Their quotient.
    """

    mean: Interval
    deviation: float
    ratio: Interval


def differences(deals: Deals, agents: int) -> Floats:
    """What one side gains more than another in a deal.

    Args:
        deals: The deals.
        agents: Number of agents on the ladder.

    Returns:
        float64 [K, agents]: the best agent minus the mean of the others at the table, then every
        agent but the last minus the next one; nan where one does not sit.
    """
    gains = deals.by_agent("margin", agents)
    best = gains[:, :1] * (deals.n / (deals.n - 1))
    return np.concatenate([best, gains[:, :-1] - gains[:, 1:]], axis=1)


def sums_of(deals: Deals, d: Floats) -> Floats:
    """The sums that skill and luck are made of.

    Args:
        deals: The deals.
        d: Differences, float64 [K, ...], nan where there is none.

    Returns:
        float64 [boards, ..., 3]: sums of d and d², and numbers of deals with a difference.
    """
    there = ~np.isnan(d)
    d = np.where(there, d, 0.0)
    return np.stack([deals.sums(x) for x in (d, d * d, there)], axis=-1)


def moments(sums: Floats) -> tuple[float, float]:
    """Mean and standard deviation in a deal, from those of `sums_of`, float64 [rows, 3]."""
    d, squares, deals = sums.sum(axis=0).tolist()
    mean = over(d, deals)
    return mean, math.sqrt(max(0.0, over(squares, deals) - mean * mean)) if deals else math.nan


def log_repetitions(sums: Floats) -> float:
    """Logarithm of the number of deals from which on skill outweighs luck; nan for none."""
    mean, deviation = moments(sums)
    if math.isnan(mean) or mean == 0 or deviation == 0:
        return math.nan
    return math.log(critical_repetition_frequency(mean, deviation))


def signal(sums: Floats) -> Signal:
    """Skill and luck of a difference, with intervals over boards; sums as of `moments`."""
    mean = jackknife_interval(sums, lambda x: moments(x)[0])
    quotient = jackknife_interval(sums, lambda x: over(*moments(x)))
    return Signal(mean, moments(sums)[1], quotient)


class Measure(NamedTuple):
    """A number that comes from sums over boards.

    Attributes:
        sums: float64 [rows, columns].
        statistic: Takes some of the rows.
    """

    sums: Floats
    statistic: Callable[[Floats], float]

    def interval(self) -> Interval:
        """The number and its interval."""
        return jackknife_interval(self.sums, self.statistic)

    def minus(self, other: Measure) -> Interval:
        """How much more it is than another one on the same boards, with its interval."""
        columns = self.sums.shape[1]
        both = np.concatenate([self.sums, other.sums], axis=1)
        return jackknife_interval(
            both, lambda x: self.statistic(x[:, :columns]) - other.statistic(x[:, columns:])
        )


def repetitions(sums: Floats) -> Measure:
    """Logarithm of the critical repetition frequency of a difference, see `log_repetitions`."""
    return Measure(sums, log_repetitions)


def sizes_of(parts: Iterable[Deals]) -> Sizes:
    """Deals by the size of the pool, from parts of an arm."""
    found = Sizes(np.empty(0), np.zeros((FOLDS, 0, 2)))
    for deals in parts:
        pools = np.union1d(found.pools, deals.pool)
        cells = np.zeros((FOLDS, len(pools), 2))
        cells[:, np.searchsorted(pools, found.pools)] = found.cells
        fold = (deals.numbers.start + deals.board) % FOLDS
        at = fold * len(pools) + np.searchsorted(pools, deals.pool)
        for i, weights in enumerate((None, deals.squares)):
            sums = np.bincount(at, weights, FOLDS * len(pools))
            cells[:, :, i] += sums.reshape(FOLDS, len(pools))
        found = Sizes(pools, cells)
    return found


def spread(sizes: Sizes) -> Measure:
    """Logarithm of the spread: the root of the mean squared margin of a player in a deal."""

    def statistic(x: Floats) -> float:
        deals, squares = x.sum(axis=0)
        mean = over(squares, deals)
        return 0.5 * math.log(mean) if mean > 0 else math.nan

    return Measure(sizes.cells.sum(axis=1), statistic)


def tail_share(sizes: Sizes, top: float = TOP) -> Interval:
    """Share of all squared margins that the deals with the largest pools have.

    Args:
        sizes: The deals.
        top: Their share. Of deals with equal pools the part that is needed counts.

    Returns:
        The share with its interval over boards.
    """

    def share(cells: Floats) -> float:
        deals, squares = cells.sum(axis=0)[::-1].T  # largest pools first
        larger = deals.cumsum() - deals
        # Deals with equal pools count alike, whatever their order.
        wanted = np.clip((top * deals.sum() - larger) / np.maximum(deals, 1), 0, 1)
        return over((squares * wanted).sum(), squares.sum())

    return jackknife_interval(sizes.cells, share)
