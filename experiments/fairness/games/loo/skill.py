"""Skill, luck and tails of deals: estimators over boards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from experiments.fairness.boards import Floats
from experiments.fairness.games.loo.reading import Deals, Ints, over
from loop_envs.duplicate import Interval, critical_repetition_frequency, jackknife_interval

TOP = 0.01
"""Share of the deals, those with the largest pools, that makes the tail."""

Difference = Callable[[Deals], Floats]
"""From deals, float64 [K]: what one side gains more than another; nan where one does not sit."""


class Sums(NamedTuple):
    """Sums of a difference d over the deals of every board, each float64 [boards]."""

    d: Floats
    squares: Floats
    deals: Floats


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


def best_rest(agents: int, by_pool: bool = False) -> Difference:
    """The ladder's best agent minus the mean of the others at the table.

    Args:
        agents: Number of agents on the ladder.
        by_pool: Whether chips are divided by the pool of the deal.
    """

    def difference(deals: Deals) -> Floats:
        found: Floats = deals.by_agent("margin", agents)[:, 0] * (deals.n / (deals.n - 1))
        return found / deals.pool if by_pool else found

    return difference


def pair(a: int, b: int, agents: int) -> Difference:
    """One agent of the ladder minus another."""

    def difference(deals: Deals) -> Floats:
        gains = deals.by_agent("margin", agents)
        found: Floats = gains[:, a] - gains[:, b]
        return found

    return difference


def sums_of(deals: Deals, difference: Difference) -> Sums:
    """The sums by board that skill and luck are made of."""
    d = difference(deals)
    there = ~np.isnan(d)
    d = np.where(there, d, 0.0)
    return Sums(*(deals.sums(x) for x in (d, d * d, there.astype(np.float64))))


def moments(sums: Floats) -> tuple[float, float]:
    """Mean and standard deviation in a deal, from sums of `Sums`, float64 [boards, 3]."""
    d, squares, deals = sums.sum(axis=0).tolist()
    mean = over(d, deals)
    return mean, math.sqrt(max(0.0, over(squares, deals) - mean * mean)) if deals else math.nan


def log_repetitions(sums: Floats) -> float:
    """Logarithm of the number of deals from which on skill outweighs luck; nan for none."""
    mean, deviation = moments(sums)
    if math.isnan(mean) or mean == 0 or deviation == 0:
        return math.nan
    return math.log(critical_repetition_frequency(mean, deviation))


def signal(deals: Deals, difference: Difference) -> Signal:
    """Skill and luck of a difference, with intervals over boards."""
    sums = np.stack(sums_of(deals, difference), axis=1)
    mean = jackknife_interval(sums, lambda x: moments(x)[0])
    quotient = jackknife_interval(sums, lambda x: over(*moments(x)))
    return Signal(mean, moments(sums)[1], quotient)


class Measure(NamedTuple):
    """A number that comes from sums over boards.

    Attributes:
        sums: float64 [boards, ...].
        statistic: Takes sums of some of the boards.
    """

    sums: Floats
    statistic: Callable[[Floats], float]

    def interval(self) -> Interval:
        """The number and its interval."""
        return jackknife_interval(self.sums, self.statistic)

    def minus(self, other: Measure) -> Interval:
        """How much more it is than another one on the same boards, with its interval."""
        boards = min(len(self.sums), len(other.sums))
        columns = self.sums.shape[1]
        both = np.concatenate([self.sums[:boards], other.sums[:boards]], axis=1)
        return jackknife_interval(
            both, lambda x: self.statistic(x[:, :columns]) - other.statistic(x[:, columns:])
        )


def repetitions(deals: Deals, difference: Difference) -> Measure:
    """Logarithm of the critical repetition frequency of a difference, see `log_repetitions`."""
    return Measure(np.stack(sums_of(deals, difference), axis=1), log_repetitions)


def spread(deals: Deals) -> Measure:
    """Logarithm of the spread: the root of the mean squared margin of a player in a deal."""
    squares = (deals.of["margin"] ** 2).mean(axis=1)
    sums = np.stack([deals.sums(x) for x in (squares, np.ones(len(squares)))], axis=1)

    def statistic(x: Floats) -> float:
        mean = over(*x.sum(axis=0))
        return 0.5 * math.log(mean) if mean > 0 else math.nan

    return Measure(sums, statistic)


def tail_share(deals: Deals, top: float = TOP) -> Interval:
    """Share of all squared margins that the deals with the largest pools have.

    Args:
        deals: The deals.
        top: Their share. Of deals with equal pools the part that is needed counts.

    Returns:
        The share with its interval over boards.
    """
    order = np.argsort(-deals.pool, kind="stable")
    pool, board = deals.pool[order], deals.board[order]
    squares = (deals.of["margin"] ** 2).sum(axis=1)[order]

    def share(boards: Ints) -> float:
        chosen = np.isin(board, boards)
        x = squares[chosen]
        _, start, counts = np.unique(-pool[chosen], return_index=True, return_counts=True)
        sums = np.add.reduceat(x, start)
        # Deals with equal pools count alike, whatever their order.
        wanted = np.clip((top * len(x) - start) / counts, 0, 1)
        return over((sums * wanted).sum(), x.sum())

    return jackknife_interval(np.arange(deals.boards), share)
