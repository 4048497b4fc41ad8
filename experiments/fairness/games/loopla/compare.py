"""Loopla: comparisons by board, and how well players are told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from experiments.fairness.answers import p_text, shown
from experiments.fairness.boards import FOLDS, Floats, over_boards, p_value
from experiments.fairness.games.loopla.tables import Ints
from loop_envs.duplicate import Interval, holm, jackknife_interval

UNIT = "points a round"
WINS = "share of wins"


class Telling(NamedTuple):
    """What tells neighbours on the ladder apart: sums over the boards of every fold.

    Attributes:
        boards: float64 [FOLDS], number of boards.
        cost: float64 [FOLDS], sum of what a table costs.
        ahead: float64 [FOLDS, pairs, tables, 2], for every two neighbours and every table of
            both, sums of how far the better is ahead and of its square.
    """

    boards: Floats
    cost: Floats
    ahead: Floats

    @property
    def mean_cost(self) -> float:
        """What a table costs."""
        return float(self.cost.sum() / self.boards.sum())

    def some(self, folds: Ints) -> Telling:
        """Of some folds."""
        return Telling(self.boards[folds], self.cost[folds], self.ahead[folds])


def summands(ahead: Floats, cost: Floats) -> Mapping[str, Floats]:
    """What is summed up for `Telling`, by board.

    Args:
        ahead: As `gaps` gives it; there may be more axes in between.
        cost: float64 [boards, ...], what a table costs.
    """
    squares = np.stack([ahead, ahead**2], axis=-1)
    return {"boards": np.ones(len(cost)), "cost": cost, "ahead": squares}


def gaps(matches: pl.LazyFrame, ladder: Sequence[str]) -> Floats:
    """How many points the better of two neighbours is ahead in every match of both.

    Args:
        matches: Rows of seats with board, lineup, rotation, agent and points.
        ladder: Names, best first.

    Returns:
        float64 [boards, pairs, tables]; the pairs are neighbours, the tables those of both.
    """
    agent, score = pl.col("agent").cast(pl.String), pl.col("points").cast(pl.Float64)
    keys = ["board", "lineup", "rotation"]
    own = [score.filter(agent == name).mean().alias(name) for name in ladder]
    means = matches.group_by(keys).agg(own).sort(keys).collect()
    boards = means["board"].n_unique()
    found = []
    for better, worse in pairwise(ladder):
        ahead = (means[better] - means[worse]).drop_nulls().to_numpy()
        found.append(ahead.reshape(boards, -1))
    return np.stack(found, axis=1)


def separation(told: Telling) -> float:
    """Mean over pairs of d: how far the better is ahead, in standard deviations of one table."""
    boards = told.boards.sum()
    total, squares = np.moveaxis(told.ahead.sum(axis=0), -1, 0)
    variance = np.maximum(squares - total**2 / boards, 0) / (boards - 1)  # rounding, if 0
    spread = np.sqrt(variance.mean(axis=1))
    d = np.full(len(spread), math.nan)
    np.divide(total.mean(axis=1) / boards, spread, out=d, where=spread > 0)
    return float(d.mean())


def strength(told: Telling) -> Interval:
    """`separation` with its interval, by the jackknife over boards."""
    return jackknife_interval(np.arange(FOLDS), lambda folds: separation(told.some(folds)))


def worth(one: Telling, other: Telling, level: float = 0.95) -> Interval:
    """What a unit of cost tells by one rule, as a multiple of what it tells by another.

    The ratio of ``d² / c``, with d as in `separation` and the mean cost c of a table: k tables
    have √k · d, so this is the ratio of the costs at which both tell as much. The interval is
    that of the logarithm, by the jackknife over boards.

    Args:
        one: By the one rule.
        other: By the other, on the same boards.
        level: Of the interval.

    Returns:
        Nan where the better are not ahead by both rules.
    """

    def log_ratio(folds: Ints) -> float:
        rules = [rule.some(folds) for rule in (one, other)]
        d = [separation(rule) for rule in rules]
        if not min(d) > 0:
            return math.nan
        return 2 * math.log(d[0] / d[1]) - math.log(rules[0].mean_cost / rules[1].mean_cost)

    mean, low, high, _ = jackknife_interval(np.arange(FOLDS), log_ratio, level=level)
    return Interval(math.exp(mean), math.exp(low), math.exp(high), int(one.boards.sum()))


def over_columns(values: Floats) -> list[Interval]:
    """`over_boards` of every column of float64 [boards, columns]."""
    return [over_boards(column) for column in values.T]


def adjusted(intervals: Sequence[Interval]) -> list[float]:
    """P values of means of zero with Holm's adjustment for their number.

    Args:
        intervals: 95 % intervals by Student's t distribution over their units. Without a spread
            a p value is 1 if the mean is zero and else 0; without an interval it is 1.
    """
    return [float(x) for x in holm([p_value(one) for one in intervals])]


def verdict(
    one: Interval, p: float, more: str, less: str, unclear: str, unit: str = UNIT, but: str = ""
) -> str:
    """A comparison in words: clearly more, clearly less, or not clear.

    Args:
        one: The difference.
        p: Its p value, adjusted.
        more: What is said where it is clearly above 0.
        less: And clearly below.
        unclear: What is said otherwise.
        unit: Its unit.
        but: A reservation.
    """
    words = unclear if p >= 0.05 else more if one.mean > 0 else less
    value = p_text(p)
    return f"{words} ({shown(one)} {unit}, {value}{but})"
