"""The marker rule of loop_boards on tables of ranks, and hands by difficulty."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.boards import Floats, by_board, rounds_of
from experiments.fairness.played import Played
from experiments.fairness.study import Study

Ints = npt.NDArray[np.int64]
GROUPS = ("easiest", "easier", "harder", "hardest")
"""Quarters of the hands, by the ranks that are reached with them in other matches."""


def marker_values(rank: Ints) -> Ints:
    """Values of markers by the rule ``#{r' : rank[r'] >= rank[r]}`` over the last axis."""
    values: Ints = (rank[..., None, :] >= rank[..., :, None]).sum(axis=-1)
    return values


def with_markers(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Rounds with the value of every marker at the end of the match, in the column `marker`.

    `result` is the rank, better ones higher.
    """
    keys = ["board", "lineup", "rotation", "hand"]
    # On its own line and below are those that are not better.
    better = (pl.col("rank").rank("min").over(keys) - 1).cast(pl.Int64)
    return rounds.with_columns(marker=pl.len().over(keys).cast(pl.Int64) - better)


def one_rank_better(rank: Ints, n: int) -> Floats:
    """What a marker would gain, in points less the mean of all players, one rank further up.

    The marker itself gains the others on the line above; each of the others on the line that it
    leaves loses one point, as it is no longer level with them. All else stays, so this is the
    slope of the rule and no forecast of play; nan for those who are first.

    Args:
        rank: int64 [..., rounds].
        n: Number of players.
    """
    above = (rank[..., None, :] == rank[..., :, None] - 1).sum(axis=-1)
    level = (rank[..., None, :] == rank[..., :, None]).sum(axis=-1) - 1
    gain = above - (above - level) / n
    return np.where(rank > 1, gain, np.nan)


def grouped(difficulty: Floats) -> Ints:
    """The group of each value, 0 for the lowest, by the quartiles of all."""
    cuts = np.quantile(difficulty, [0.25, 0.5, 0.75])
    return np.searchsorted(cuts, difficulty, side="left").astype(np.int64)


def by_group(values: Floats, group: Ints) -> Floats:
    """Means by group of hands, spread over boards, see `group_means`.

    Args:
        values: float64 [boards, hands, ...]; nan is left out.
        group: Group of each hand, [boards, hands].
    """
    return group_means(group_sums(values, group))


def group_sums(values: Floats, group: Ints) -> Floats:
    """Sums and numbers of values by board and group of hands, float64 [boards, groups, 2]."""
    shape = group.shape + (1,) * (values.ndim - group.ndim)
    code = np.broadcast_to(group.reshape(shape), values.shape).reshape(len(values), -1)
    x = values.reshape(len(values), -1)
    found = np.zeros((len(values), len(GROUPS), 2))
    for g in range(len(GROUPS)):
        here = (code == g) & ~np.isnan(x)
        found[:, g, 0] = np.where(here, x, 0).sum(axis=1)
        found[:, g, 1] = here.sum(axis=1)
    return found


def group_means(sums: Floats) -> Floats:
    """Means by group of hands, spread over boards, float64 [boards, groups].

    Boards have different numbers of hands of a group, so its mean is a ratio of sums. The row of a
    board is ``m + (s - m c) / c̄`` with the mean m, the board's sum s and number c, and the mean
    number c̄: the mean over boards is m, and their spread gives the interval of the linearised
    ratio (W. G. Cochran, "Sampling Techniques", 1977, section 6.3).

    Args:
        sums: See `group_sums`.

    Returns:
        nan for a group that never occurs.
    """
    total, count = sums[:, :, 0], sums[:, :, 1]
    number = count.sum(axis=0)
    number[number == 0] = np.nan
    mean = total.sum(axis=0) / number
    found: Floats = mean + (total - mean * count) / (number / len(sums))
    return found


def difficulty(played: Played) -> Floats:
    """Mean rank reached with each hand, float64 [boards, hands]."""
    return by_board(played, ["hand"], "rank", rounds_of)[1]


def shared_boards(study: Study) -> int:
    """Boards that both the equal agents and the ladder have played."""
    return min(study.identical().boards, study.ladders().boards)
