"""Rounds and matches of loop_seats as arrays, and estimates from sums over boards.

Players hold the same hands again and again within a match, and a match ends when somebody has
enough, so neither rounds nor matches of one board are independent, and longer matches differ from
shorter ones. All estimates here are functions of sums over boards, with intervals by the jackknife
over boards, for which sums by fold will do. A mean over rounds is a sum over all rounds divided by
their number: whether a round is played depends only on those before it, so by Wald's identity such
a ratio converges to the mean of a round, which the mean of the means of matches would not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.boards import folded
from experiments.fairness.played import Part, Played
from loop_envs.duplicate import Interval, jackknife_interval

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
"""Numbers of rows of sums, from 0: of boards, or of folds of boards."""
Statistic = Callable[[Rows], float]
"""A function of the rows of these numbers."""
TINY = 1e-9
"""Points: what is smaller comes from rounding."""
LATEST = 10
"""Rounds from this one on, counted from 0, are taken together."""


class Rounds(NamedTuple):
    """K rounds of n players, in order.

    Attributes:
        boards: Number of boards, B.
        cells: Number of cells that there are in the whole arm.
        board: Its number, counted from 0, int64 [K].
        number: Of the round in its match, from 0, int64 [K].
        agent: Number of each player's agent, int64 [K, n].
        cell: Number of the line-up, agent and round together, int64 [K, n].
        values: By name: gain, base, change, rank, turn, reference, each numbers [K, n].
    """

    boards: int
    cells: int
    board: Ints
    number: Ints
    agent: Ints
    cell: Ints
    values: dict[str, npt.NDArray[Any]]

    def ints(self, name: str) -> Ints:
        """A column of small integers, int64 [K, n]."""
        return self.values[name].astype(np.int64)

    def more(self, name: str) -> Floats:
        """A column minus its mean at the table, in every round."""
        x = self.values[name]
        more: Floats = x - x.mean(axis=1, keepdims=True)
        return more

    @property
    def lead(self) -> Floats:
        """What a player had gained before the round above the mean of the table."""
        gained = np.cumsum(self.more("gain"), axis=0)
        before = gained - self.more("gain")
        starts = np.flatnonzero(self.number == 0)
        lengths = np.diff(starts, append=len(self.number))
        lead: Floats = before - np.repeat(before[starts], lengths, axis=0)
        return lead


def read_rounds(part: Part) -> Rounds:
    """Rounds of a part of an arm."""
    names = ("gain", "base", "change", "rank", "turn", "reference")
    frame = part.rounds.select("board", "round", "agent", "lineup", *names).collect()
    n = part.game.num_players
    board = frame["board"].to_numpy()[::n].astype(np.int64) - part.numbers.start
    number = frame["round"].to_numpy()[::n].astype(np.int64)
    agent, lineup = (
        frame[name].to_physical().to_numpy().reshape(-1, n).astype(np.int64)
        for name in ("agent", "lineup")
    )
    agents, lineups = (
        len(cast(pl.Enum, frame.schema[name]).categories) for name in ("agent", "lineup")
    )
    cell = (lineup * agents + agent) * (LATEST + 1) + np.minimum(number, LATEST)[:, None]
    values = {name: frame[name].to_numpy().reshape(-1, n) for name in names}
    cells = lineups * agents * (LATEST + 1)
    return Rounds(part.boards, cells, board, number, agent, cell, values)


def round_sums(played: Played, *sums: Callable[[Rounds], Floats]) -> list[Floats]:
    """Sums by fold of the boards of an arm.

    Args:
        played: The arm.
        sums: Functions of the rounds of a part of it, each float64 [boards, ...].

    Returns:
        For each function float64 [FOLDS, ...].
    """

    def made(part: Part) -> dict[str, Floats]:
        rounds = read_rounds(part)
        return {str(k): of(rounds) for k, of in enumerate(sums)}

    return list(folded(played, made).values())


class Matches(NamedTuple):
    """M matches of n players, in the order of their rounds.

    Attributes:
        boards: Number of boards, B.
        board: Its number, counted from 0, int64 [M].
        agent: Number of each player's agent, int64 [M, n].
        lineup: Name of the line-up, [M].
        points: Points, float64 [M, n].
        wins: 1 for the winner, shared by equals, float64 [M, n].
        decisions: Number of decisions, float64 [M].
    """

    boards: int
    board: Ints
    agent: Ints
    lineup: npt.NDArray[np.str_]
    points: Floats
    wins: Floats
    decisions: Floats


def read_matches(part: Part) -> Matches:
    """Matches of a part of an arm."""
    names = ("board", "lineup", "agent", "points", "winner", "decisions")
    frame = part.matches.select(*names).collect()
    n = part.game.num_players
    won = frame["winner"].to_numpy().reshape(-1, n).astype(np.float64)
    return Matches(
        part.boards,
        frame["board"].to_numpy()[::n].astype(np.int64) - part.numbers.start,
        frame["agent"].to_physical().to_numpy().reshape(-1, n).astype(np.int64),
        frame["lineup"].cast(pl.String).to_numpy()[::n].astype(np.str_),
        frame["points"].to_numpy().reshape(-1, n).astype(np.float64),
        won / won.sum(axis=1, keepdims=True),
        frame["decisions"].to_numpy()[::n].astype(np.float64),
    )


def board_sums(
    boards: int, board: Ints, group: Ints, groups: int, values: Sequence[npt.NDArray[Any]]
) -> Floats:
    """Sums of values on every board, by group.

    Args:
        boards: Number of boards, B.
        board: Board of every row, int64 [K].
        group: Group of every entry, int64 [K, n]; entries of negative ones are left out.
        groups: Number of groups.
        values: Each numbers [K, n].

    Returns:
        float64 [B, groups, values + 1]; the last is the number of entries.
    """
    used = group >= 0
    index = (board[:, None] * groups + group)[used]
    parts = [np.bincount(index, value[used], boards * groups) for value in values]
    parts.append(np.bincount(index, minlength=boards * groups))
    sums: Floats = np.stack(parts, axis=1).astype(np.float64).reshape(boards, groups, -1)
    return sums


def over(rows: int, statistic: Statistic) -> Interval:
    """A statistic of the rows of sums with its jackknife interval.

    The interval's n is the number of groups of the jackknife, as `p_value` wants it.

    Args:
        rows: Number of rows of the sums behind it: FOLDS, or as many as there are boards.
        statistic: The statistic.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, low, high, n = jackknife_interval(np.arange(rows), statistic)
    if max(abs(mean), abs(low), abs(high)) < TINY:
        return Interval(0.0, 0.0, 0.0, n)
    return Interval(mean, low, high, n)


def minus(a: Statistic, b: Statistic) -> Statistic:
    """The difference of two statistics of the same boards in the same rows."""
    return lambda rows: a(rows) - b(rows)


def mean_of(sums: Floats, rows: Rows, group: int | None = None, value: int = 0) -> float:
    """Mean of a value over all entries of a group, or of all groups, see `board_sums`."""
    total = sums[rows].sum(axis=0)
    total = total.sum(axis=0) if group is None else total[group]
    return float(total[value] / total[-1])


def ratio(sums: Floats, value: int, unit: int, rows: Rows) -> float:
    """How much of a value there is for each unit of another, sums float64 [rows, values]."""
    total = sums[rows].sum(axis=0)
    return float(total[value] / total[unit])


def catch_up_sums(rounds: Rounds, name: str = "gain") -> Floats:
    """What slopes of gains on leads are made of.

    Args:
        rounds: Rounds; the first of a match is not used.
        name: Of the column whose excess over the table's mean is what is gained.

    Returns:
        float64 [boards, cells, 5]: sums of lead, gain, lead², lead·gain, and 1.
    """
    lead, gain = rounds.lead, rounds.more(name)
    cell = np.where(rounds.number[:, None] > 0, rounds.cell, -1)
    values = [lead, gain, lead * lead, lead * gain]
    return board_sums(rounds.boards, rounds.board, cell, rounds.cells, values)


def slope(sums: Floats, rows: Rows, within: bool) -> float:
    """Points gained in a round above the table's mean, per point of lead before it.

    Without `within` the least-squares slope through the origin, Σ lead·gain / Σ lead², as both
    have mean 0 at every table. With it, leads and gains are counted from the means of the agent at
    tables of its line-up in rounds of the same number, so that what an agent gains anyway, being
    strong or weak, is left out.

    Args:
        sums: See `catch_up_sums`.
        rows: Rows of them.
        within: Whether means of cells are taken off.
    """
    m, g, mm, mg, count = sums[rows].sum(axis=0).T
    if within:
        count = np.maximum(count, 1)
        mm, mg = mm - m * m / count, mg - m * g / count
    return float(mg.sum() / mm.sum()) if mm.sum() > 0 else math.nan
