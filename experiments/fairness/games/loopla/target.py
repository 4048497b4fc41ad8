"""Loopla: how long should a match be?"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl
from scipy import special

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import Floats, folded, over_boards, triples
from experiments.fairness.games.loopla.compare import (
    WINS,
    Telling,
    adjusted,
    gaps,
    over_columns,
    strength,
    summands,
    verdict,
    worth,
)
from experiments.fairness.games.loopla.first import first_edges, long_matches
from experiments.fairness.games.loopla.tables import LONG, TARGETS, Rounds, cut, usual_target
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval

MEASURES = ("ahead", "points")
"""What tells two players of a match apart: who has more points, or by how many."""
JUDGED = {"ahead": "who is ahead in a match", "points": "the points of a match"}
By = dict[str, dict[int, Telling]]
Means = dict[int, Interval]


def target(study: Study) -> Answer:
    """Length, reliability and the starter's advantage by the points that end a match."""
    answer = Answer(
        "target",
        "Target score",
        "How long is a match, how often does the better player come out ahead, and is one long "
        "match better than several short ones that take as many decisions together?",
    )
    played = study.ladders(LONG, "long")
    told, lengths, costs, ahead = _cuts(played, study.ladder)
    for points, length in lengths.items():
        text = (
            f"A match **to {points} points** takes {shown(length)} rounds, {shown(costs[points])} "
            f"decisions of all {study.num_players} players together."
        )
        answer.findings.append(finding(f"rounds of a match to {points}", length, "rounds", text))
    for points, share in ahead.items():
        text = (
            f"**To {points} points**, the better of two neighbours on the ladder comes out ahead "
            f"in {shown(share)} of the matches of both, ties counting half."
        )
        name = f"the better ahead, to {points}"
        answer.findings.append(finding(name, share, "share of matches", text))
    multiples = _worths(answer, told)
    _starter(study, answer)
    _plot(answer, told["ahead"], ahead)
    _table(answer, [lengths, costs, ahead], multiples)
    answer.notes.append(
        f"The ladder, {played.boards:,} boards, all line-ups and rotations, played to "
        f"{TARGETS[-1]} points; shorter matches are the beginnings of these, as they would have "
        f"been played: {_check(study, played)} Ahead: more points than the neighbour on "
        "the ladder in the same match. A match tells by d, the mean of a difference over its "
        "standard deviation, averaged over neighbours; k matches have √k · d. A decision is worth "
        "d² / c where a match takes c decisions; ratios with intervals by the jackknife over "
        "boards of their logarithm, for all of them together. The chance that the better is ahead "
        "in the sum of k matches is taken as Φ(√k · d)."
    )
    return answer


def _cuts(played: Played, ladder: list[str]) -> tuple[By, Means, Means, Means]:
    """What the ladder's matches tell when they are cut, and how long they are.

    Returns:
        What tells neighbours apart, by measure and target; and by target, rounds and decisions of
        a match, and how often the better of two neighbours is ahead.
    """
    means = []

    def sums(part: Part) -> Mapping[str, Floats]:
        rounds = Rounds(part)
        matches = [cut(part, points, rounds) for points in TARGETS]
        length, cost = (
            np.stack([_mean(one[name], part.boards) for one in matches], axis=1)
            for name in ("length", "decisions")
        )
        points = np.stack([gaps(one.lazy(), ladder) for one in matches], axis=1)
        means.append(np.stack([length, cost, share_ahead(points)], axis=2))
        return summands(np.stack([np.sign(points), points], axis=1), cost)

    all_of = Telling(**folded(played, sums))
    told = {
        measure: {
            points: Telling(all_of.boards, all_of.cost[:, k], all_of.ahead[:, i, k])
            for k, points in enumerate(TARGETS)
        }
        for i, measure in enumerate(MEASURES)
    }
    by_target = (over_columns(x) for x in np.moveaxis(np.concatenate(means), 2, 0))
    length, cost, ahead = (dict(zip(TARGETS, x, strict=True)) for x in by_target)
    return told, length, cost, ahead


def _mean(column: pl.Series, boards: int) -> Floats:
    """Mean over matches, float64 [boards]."""
    means: Floats = column.to_numpy().reshape(boards, -1).mean(axis=1)
    return means


def share_ahead(points: Floats) -> Floats:
    """Share of tables at which the better is ahead, ties half, float64 [boards, ...].

    Args:
        points: How far the better is ahead, float64 [boards, ..., pairs, tables].
    """
    shares: Floats = (1 + np.sign(points).mean(axis=(-2, -1))) / 2
    return shares


def _worths(answer: Answer, told: By) -> dict[tuple[str, int], Interval]:
    """What a decision in shorter matches is worth, as a multiple of one in the longest."""
    longest = TARGETS[-1]
    found = {}
    level = 1 - 0.05 / ((len(TARGETS) - 1) * len(MEASURES))
    for measure, of in told.items():
        for points in TARGETS[:-1]:
            one = worth(of[points], of[longest], level)
            found[measure, points] = one
            many = number(of[longest].mean_cost / of[points].mean_cost)
            better = "neither clearly better nor clearly worse"
            if one.low > 1 or one.high < 1:
                better = "**better**" if one.mean > 1 else "**worse**"
            text = (
                f"Judged by **{JUDGED[measure]}**, {many} matches to {points} points are {better} "
                f"than one to {longest}, which takes as many decisions: a decision in them tells "
                f"{shown(one)} times as much of who is better."
            )
            if math.isnan(one.low):
                text = (
                    f"Judged by **{JUDGED[measure]}**, {one.n:,} boards are too few to say what a "
                    f"decision in matches to {points} tells, compared with one to {longest}."
                )
            name = f"worth of a decision to {points} / to {longest}, by {measure}"
            answer.findings.append(finding(name, one, "times", text))
    return found


def _starter(study: Study, answer: Answer) -> None:
    """The first starter's advantage by target, with equal agents."""
    goal = usual_target(study.game)
    usual = study.game.options["rounds"] is None and study.game.options["target"] == goal
    # There are more boards of the game as it is, and they do for all that is shorter.
    short = [points for points in TARGETS if usual and points <= goal]
    arms = (
        (study.identical(), short),
        (long_matches(study, study.num_players), TARGETS[len(short) :]),
    )
    edges = [first_edges(arm, targets) for arm, targets in arms if targets]
    low, high = TARGETS[0], (short or TARGETS)[-1]  # both on the same boards
    found = [one for of in edges for one in over_columns(of)]
    found.append(over_boards(edges[0][:, 0] - edges[0][:, -1]))
    p = adjusted(found)
    others = "than the others on average"
    for points, one, value in zip(TARGETS, found, p, strict=False):
        words = verdict(
            one, value, f"more often {others}", f"less often {others}",
            f"neither clearly more nor clearly less often {others}", WINS,
        )  # fmt: skip
        text = f"**To {points} points**, who begins the first round wins {words}."
        answer.findings.append(finding(f"first starter, to {points}", one, WINS, text))
    words = verdict(
        found[-1], p[-1], f"greater to {low} points than to {high}",
        f"smaller to {low} points than to {high}",
        f"not clearly another to {low} points than to {high}", WINS,
    )  # fmt: skip
    text = f"What the first starter wins more often is {words}."
    answer.findings.append(finding(f"first starter, {low} − {high}", found[-1], WINS, text))


def _plot(answer: Answer, told: dict[int, Telling], ahead: dict[int, Interval]) -> None:
    """The chance that the better is ahead against the decisions that were spent."""
    cost = {points: one.mean_cost for points, one in told.items()}
    x = np.array(list(cost.values()))
    curves = {"one match": np.column_stack([x, triples(list(ahead.values()))])}
    spent = np.geomspace(x[0], x[-1], 20)
    for points in TARGETS[:2]:
        d = np.array(strength(told[points])[:3])
        chance = special.ndtr(np.sqrt(spent / cost[points])[:, None] * d)
        curves[f"matches to {points}"] = np.column_stack([spent, chance])
    ends = "; ".join(f"one match to {k} {one.mean:.3f}" for k, one in ahead.items())
    alt = f"Chance that the better of two neighbours comes out ahead, by decisions: {ends}"
    svg = plots.curve_plot("target-ahead", alt, curves, "decisions", "the better is ahead")
    caption = "One match of growing target, or several short ones, by the decisions they take."
    answer.plots.append(Plot(svg, caption))


def _table(
    answer: Answer, columns: list[Means], multiples: dict[tuple[str, int], Interval]
) -> None:
    rows = [["target", "rounds", "decisions", "the better ahead", "a decision's worth by ahead",
             "by points"]]  # fmt: skip
    for points in TARGETS:
        values = [of[points] for of in columns]
        worths = [multiples.get((measure, points)) for measure in MEASURES]
        rows.append([str(points), *map(shown, values), *(shown(x) if x else "1" for x in worths)])
    answer.tables.append(Table(rows, "Matches by target"))


def _check(study: Study, played: Played) -> str:
    """Whether the ladder's own matches are beginnings of the long ones, in a sentence."""
    goal = usual_target(study.game)
    if study.game.options["target"] != goal or study.game.options["rounds"] is not None:
        return "the ladder's agents must not look at scores."
    usual = study.ladders()
    boards = min(usual.boards, played.boards)
    same = 0
    # Both have as many matches of a board, so as many boards in a part.
    for own, long in zip(usual.some(boards).parts(), played.some(boards).parts(), strict=True):
        points = own.matches.select("points").collect()["points"]
        same += int((cut(long, goal)["points"] == points).sum())
    share = same / (boards * played.tables * study.num_players)
    return f"of the scores of the matches played to {goal}, {share:.2%} are those of the cut ones."
