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
from experiments.fairness.answers import Answer, Finding, finding, number, shown
from experiments.fairness.boards import MATCH, Floats
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import (
    Interval,
    boards_needed,
    decision_study,
    jackknife_interval,
    mean_interval,
    variance_components,
)

COMPONENT_BOARDS = 400
"""Boards whose variance is split up; more would cost more than they tell."""
TERMS = (("agent",), ("board",), ("seat",), ("board", "seat"), ("agent", "board"))
WORDS = {
    "agent": "skill",
    "board": "the deal as a whole",
    "seat": "the seat",
    "board×seat": "the cards of a seat",
    "agent×board": "what suits an agent",
    "rest": "all else, such as who else plays",
}


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
    some = pl.col("board") < study.settings.first_board + few
    matches = played.matches.filter(some).select(*MATCH, "seat", "agent", "points").collect()
    score, unit = study.about.score, study.about.score_unit
    rounds = played.rounds.filter(some).select(*MATCH, "round", "seat", "agent", score).collect()
    shares, curves = [], {}
    for name, frame, column in (
        ("match", matches, "points"),
        ("round", _first_rounds(rounds), score),
    ):
        share = _skill_share(frame, column)
        shares.append(share)
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
        parts = variance_components(frame, TERMS, column)
        _component_table(answer, name, parts)
        if name == "match":
            curves = _reliability(parts, study.num_players)
    alt = "Reliability of the ranking against the number of matches, with and without duplicate"
    svg = plots.curve_plot(
        "reliability", alt, curves, "matches of an agent", "reliability", log=True
    )
    answer.plots.append(
        Plot(svg, "Share of the variance of agents' means that is skill, by matches played.")
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


def _first_rounds(rounds: pl.DataFrame) -> pl.DataFrame:
    return rounds.filter(pl.col("round") == 0)


def _skill_share(frame: pl.DataFrame, column: str) -> Interval:
    boards = frame["board"].unique().sort().to_numpy()
    parts = {int(key[0]): part for key, part in frame.partition_by("board", as_dict=True).items()}

    def share(chosen: npt.NDArray[np.int64]) -> float:
        some = pl.concat([parts[int(board)] for board in chosen])
        components = variance_components(some, TERMS, column)
        return float(components.row(0, named=True)["share"])

    mean, low, high, _ = jackknife_interval(boards, share, 10)
    return Interval(mean, max(low, 0.0), min(high, 1.0), len(boards))


def _component_table(answer: Answer, name: str, parts: pl.DataFrame) -> None:
    rows = [["source", "what it is", "variance", "share"]]
    for row in parts.iter_rows(named=True):
        words = WORDS[row["component"]]
        rows.append([row["component"], words, number(row["variance"]), f"{row['share']:.1%}"])
    answer.tables.append(Table(rows, f"Where the variance of a {name} comes from", left=2))


def _reliability(parts: pl.DataFrame, n: int) -> dict[str, Floats]:
    """Reliability against the number of matches, fresh deals and duplicate."""
    fresh, duplicate = [], []
    for matches in np.unique(np.geomspace(n, 4096, 25).round()):
        value = decision_study(parts, float(matches)).phi
        fresh.append((matches, value, value, value))
        value = decision_study(parts, float(matches) / n, n).coefficient
        duplicate.append((matches, value, value, value))
    return {"fresh deals": np.array(fresh), "duplicate": np.array(duplicate)}


class _Unit(NamedTuple):
    """What is repeated until two agents are told apart.

    Attributes:
        name: Name.
        matches: Matches that one costs; nan where it is a part of a match.
        values: float64 [boards, units]: differences of the two agents.
    """

    name: str
    matches: float
    values: Floats


def _neighbours(study: Study, answer: Answer, better: str, worse: str) -> list[Finding]:
    played = study.ladders()
    n = study.num_players
    tables = _differences(played.matches, better, worse, "margin", MATCH)
    rounds = _differences(
        played.rounds, better, worse, study.about.score, (*MATCH, "round"), first_round=True
    )
    duplicate = tables.reshape(len(tables), -1, n).mean(axis=2)
    units = [
        _Unit("first rounds", 1.0, rounds),
        _Unit("matches on fresh deals", 1.0, tables),
        _Unit("matches in duplicate", float(n), duplicate),
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
        found.append(finding(name, needed, unit.name.split()[0], text))
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


def _differences(
    frame: pl.LazyFrame,
    a: str,
    b: str,
    column: str,
    match: tuple[str, ...],
    first_round: bool = False,
) -> Floats:
    """Differences at every table where both sit, float64 [boards, tables].

    Tables of a line-up come together, in order of their rotations.
    """
    if first_round:
        frame = frame.filter(pl.col("round") == 0)
    agent = pl.col("agent").cast(pl.String)
    signed = pl.col(column) * (agent == a) - pl.col(column) * (agent == b)
    both = (
        frame.filter(agent.is_in([a, b]))
        .group_by(match)
        .agg(signed.cast(pl.Float64).sum().alias("value"), pl.len())
        .filter(pl.col("len") == 2)
        .sort(match)
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
