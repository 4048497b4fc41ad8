"""How much of a round, of a match and of a duplicate match is luck?"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.boards import MATCH, Floats, each_board
from experiments.fairness.study import Study
from experiments.fairness.variance import Parts, parts_table, reliability
from experiments.html_sections import Plot
from loop_envs.duplicate import (
    Interval,
    boards_needed,
    jackknife_interval,
    mean_interval,
)

COMPONENT_BOARDS = 400
"""Boards whose variance is split up; more would cost more than they tell."""


def luck(study: Study) -> Answer:
    """Variance components, reliability, and what it takes to tell neighbours apart."""
    answer = Answer(
        "luck",
        "Luck and skill",
        "How much of a single round, of a match and of a duplicate match is luck, and how many "
        "boards does it take to tell two neighbours on the ladder apart?",
    )
    played = study.ladders()
    few = min(played.boards, COMPONENT_BOARDS)
    score, unit = study.about.score, study.about.score_unit
    keys = (*MATCH, "seat", "agent")
    some = list(played.some(few).parts())
    matches = pl.concat(part.matches.select(*keys, "points").collect() for part in some)
    rounds = pl.concat(_first_rounds(part.rounds).select(*keys, score).collect() for part in some)
    curves = {}
    for name, frame, column in (("match", matches, "points"), ("round", rounds, score)):
        parts = Parts(frame, column)
        share = parts.share("agent")
        what = "score of a single match" if name == "match" else f"{unit} of a single round"
        answer.findings.append(
            finding(
                f"skill in a {name}",
                share,
                "share of variance",
                f"Skill makes up {shown(share)} of the variance of the {what}, among the agents "
                f"of the ladder; the rest is cards, seats and chance.",
                few,
            )
        )
        answer.tables.append(parts_table(name, parts))
        if name == "match":
            curves = reliability(parts, study.num_players)
    alt = "Reliability of the ranking against the number of matches, with and without duplicate"
    svg = plots.curve_plot(
        "reliability", alt, curves, "matches of an agent", "reliability", log=True
    )
    answer.plots.append(
        Plot(
            svg,
            "Share of the variance of agents' means that is skill, by matches played, with 95 % "
            "intervals.",
        )
    )
    for better, worse in pairwise(study.ladder):
        answer.findings += _neighbours(study, answer, better, worse)
    answer.notes.append(
        "Variance components by Henderson's first method, all factors random; intervals by the "
        "delete-a-group jackknife over boards. A duplicate match is a line-up on one board in all "
        "its rotations. The numbers of matches are those at which a paired t test at 5 % finds the "
        "difference with a probability of 80 %."
    )
    return answer


def _first_rounds(rounds: pl.LazyFrame) -> pl.LazyFrame:
    return rounds.filter(pl.col("round") == 0)


class _Unit(NamedTuple):
    """What is repeated until two agents are told apart.

    Attributes:
        name: Name.
        counts: What is counted, rounds or matches.
        matches: Matches that one costs; nan where it is a part of a match.
        values: float64 [boards, units]: differences of the two agents.
    """

    name: str
    counts: str
    matches: float
    values: Floats


def _neighbours(study: Study, answer: Answer, better: str, worse: str) -> list[Finding]:
    played = study.ladders()
    n = study.num_players
    score = study.about.score
    tables = each_board(played, lambda part: _differences(part.matches, better, worse, "margin"))
    rounds = each_board(
        played, lambda part: _differences(_first_rounds(part.rounds), better, worse, score)
    )
    duplicate = tables.reshape(len(tables), -1, n).mean(axis=2)
    units = [
        _Unit("first rounds", "rounds", 1.0, rounds),
        _Unit("matches on fresh deals", "matches", 1.0, tables),
        _Unit("matches in duplicate", "matches", float(n), duplicate),
    ]
    found = []
    for unit in units:
        needed = _needed(unit)
        mean = mean_interval(unit.values.mean(axis=1))
        if mean.low <= 0 <= mean.high:
            text = (
                f"**{better}** and **{worse}** are too close for {mean.n:,} boards to say how "
                f"many {unit.name} would tell them apart."
            )
        else:
            text = f"To tell **{better}** from **{worse}** takes {shown(needed)} {unit.name}."
        name = f"{unit.name} for {better} − {worse}"
        found.append(finding(name, needed, unit.counts, text))
    gain = jackknife_interval(np.arange(len(tables)), _log_gain(tables, n))
    ends = [math.exp(x) for x in gain[:3]]
    interval = Interval(ends[0], ends[1], ends[2], len(tables))
    verdict = "neither helps nor hurts clearly"
    if interval.low > 1 or interval.high < 1:
        verdict = "helps" if interval.low > 1 else "is less exact than fresh deals"
    text = (
        f"Between **{better}** and **{worse}**, duplicate {verdict}: at the same number of matches "
        f"it divides the variance of their difference by {shown(interval)}."
    )
    found.append(finding(f"duplicate for {better} − {worse}", interval, "times", text))
    return found


def _differences(frame: pl.LazyFrame, a: str, b: str, column: str) -> Floats:
    """Differences at every table where both sit, float64 [boards, tables].

    Tables of a line-up come together, in order of their rotations.
    """
    agent = pl.col("agent").cast(pl.String)
    signed = pl.col(column) * (agent == a) - pl.col(column) * (agent == b)
    both = (
        frame.filter(agent.is_in([a, b]))
        .group_by(MATCH)
        .agg(signed.cast(pl.Float64).sum().alias("value"), pl.len())
        .filter(pl.col("len") == 2)
        .sort(MATCH)
        .collect()
    )
    return both["value"].to_numpy().reshape(both["board"].n_unique(), -1)


def _needed(unit: _Unit) -> Interval:
    """Matches until the difference is found; nan where there is none."""

    def log_ratio(values: Floats) -> float:
        spread = float(np.sqrt(values.var(axis=0, ddof=1).mean()))
        difference = abs(float(values.mean()))
        return 2 * math.log(spread / difference) if spread > 0 < difference else math.nan

    ratio = jackknife_interval(unit.values, log_ratio)
    if math.isnan(ratio.mean):
        return Interval(math.nan, math.nan, math.nan, len(unit.values))
    number = unit.matches * boards_needed(1.0, math.exp(ratio.mean / 2))
    low, high = (number * math.exp(end - ratio.mean) for end in (ratio.low, ratio.high))
    return Interval(number, low, high, len(unit.values))


def _log_gain(tables: Floats, n: int) -> Callable[[npt.NDArray[np.int64]], float]:
    """The logarithm of how much less the variance is, per match, where line-ups rotate."""

    def gain(boards: npt.NDArray[np.int64]) -> float:
        x = tables[boards]
        rotated = x.reshape(len(x), -1, n).mean(axis=2)
        fresh = float(x.var(axis=0, ddof=1).mean())
        together = n * float(rotated.var(axis=0, ddof=1).mean())
        return math.log(fresh / together) if fresh > 0 and together > 0 else math.nan

    return gain
