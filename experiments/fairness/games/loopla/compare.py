"""Loopla: comparisons by board, and how well players are told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from experiments.fairness.answers import p_text, shown
from experiments.fairness.boards import Floats, p_value
from experiments.fairness.games.loopla.tables import Ints
from loop_envs.duplicate import Interval, holm, jackknife_interval

UNIT = "points a round"
WINS = "share of wins"


class Telling(NamedTuple):
    """What tells neighbours on the ladder apart.

    Attributes:
        pairs: For every two neighbours float64 [boards, tables]: how far the better is ahead.
        cost: float64 [boards], what a table costs.
    """

    pairs: list[Floats]
    cost: Floats


def gaps(matches: pl.LazyFrame, ladder: Sequence[str]) -> list[Floats]:
    """How many points the better of two neighbours is ahead in every match of both.

    Args:
        matches: Rows of seats with board, lineup, rotation, agent and points.
        ladder: Names, best first.

    Returns:
        For every two neighbours float64 [boards, tables].
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
    return found


def separation(pairs: Sequence[Floats], boards: Ints) -> float:
    """Mean over pairs of d: how far the better is ahead, in standard deviations of one table.

    Args:
        pairs: As `gaps` gives them.
        boards: Rows to take.
    """
    found = []
    for values in pairs:
        x = values[boards]
        spread = math.sqrt(float(x.var(axis=0, ddof=1).mean()))
        found.append(float(x.mean()) / spread if spread > 0 else math.nan)
    return float(np.mean(found))


def strength(pairs: Sequence[Floats]) -> Interval:
    """`separation` with its interval, by the jackknife over boards."""
    return jackknife_interval(np.arange(len(pairs[0])), lambda some: separation(pairs, some))


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

    def log_ratio(some: Ints) -> float:
        d = [separation(rule.pairs, some) for rule in (one, other)]
        if not min(d) > 0:
            return math.nan
        costs = [float(rule.cost[some].mean()) for rule in (one, other)]
        return 2 * math.log(d[0] / d[1]) - math.log(costs[0] / costs[1])

    boards = np.arange(len(one.cost))
    mean, low, high, _ = jackknife_interval(boards, log_ratio, level=level)
    return Interval(math.exp(mean), math.exp(low), math.exp(high), len(boards))


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
