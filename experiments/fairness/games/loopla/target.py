"""Loopla: how long should a match be?"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from scipy import special

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.arms import Played
from experiments.fairness.boards import Floats, over_boards, triples
from experiments.fairness.games.loopla.compare import (
    WINS,
    Telling,
    adjusted,
    gaps,
    strength,
    verdict,
    worth,
)
from experiments.fairness.games.loopla.first import first_edges, long_matches
from experiments.fairness.games.loopla.tables import (
    LONG,
    TARGETS,
    Rounds,
    cut,
    overall,
    usual_target,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval

MEASURES = ("ahead", "points")
"""What tells two players of a match apart: who has more points, or by how many."""
JUDGED = {"ahead": "who is ahead in a match", "points": "the points of a match"}
By = dict[str, dict[int, Telling]]


def target(study: Study) -> Answer:
    """Length, reliability and the starter's advantage by the points that end a match."""
    answer = Answer(
        "target",
        "Target score",
        "How long is a match, how often does the better player come out ahead, and is one long "
        "match better than several short ones that take as many decisions together?",
    )
    played = study.ladders(LONG, "long")
    rounds = Rounds(played)
    matches = {points: cut(played, points, rounds) for points in TARGETS}
    lengths = {k: over_boards(overall(x.lazy(), "length")) for k, x in matches.items()}
    told = telling(matches, study.ladder)
    ahead = {k: over_boards(share_ahead(x.pairs)) for k, x in told["ahead"].items()}
    for points, length in lengths.items():
        cost = shown(over_boards(told["ahead"][points].cost))
        text = (
            f"A match **to {points} points** takes {shown(length)} rounds, {cost} decisions of "
            f"all {study.num_players} players together."
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
    _table(answer, lengths, told, ahead, multiples)
    answer.notes.append(
        f"The ladder, {played.boards:,} boards, all line-ups and rotations, played to "
        f"{TARGETS[-1]} points; shorter matches are the beginnings of these, as they would have "
        f"been played: {_check(study, played, rounds)} Ahead: more points than the neighbour on "
        "the ladder in the same match. A match tells by d, the mean of a difference over its "
        "standard deviation, averaged over neighbours; k matches have √k · d. A decision is worth "
        "d² / c where a match takes c decisions; ratios with intervals by the jackknife over "
        "boards of their logarithm, for all of them together. The chance that the better is ahead "
        "in the sum of k matches is taken as Φ(√k · d)."
    )
    return answer


def telling(matches: dict[int, pl.DataFrame], ladder: list[str]) -> By:
    """Differences of neighbours on the ladder, by measure and target; ahead: 1, 0 or -1.

    Args:
        matches: By target, as `cut` gives them.
        ladder: Names, best first.
    """
    told: By = {measure: {} for measure in MEASURES}
    for points, frame in matches.items():
        pairs = gaps(frame.lazy(), ladder)
        cost = overall(frame.lazy(), "decisions")
        told["points"][points] = Telling(pairs, cost)
        told["ahead"][points] = Telling([np.sign(x) for x in pairs], cost)
    return told


def share_ahead(signs: list[Floats]) -> Floats:
    """Share of tables at which the better is ahead, ties half, float64 [boards].

    Args:
        signs: For every two neighbours float64 [boards, tables], 1, 0 or -1.
    """
    shares: Floats = np.mean([(1 + values.mean(axis=1)) / 2 for values in signs], axis=0)
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
            many = number(float(of[longest].cost.mean() / of[points].cost.mean()))
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
    arms = [study.identical(), long_matches(study, study.num_players)]
    rounds = [Rounds(arm) for arm in arms]
    of = {points: 0 if usual and points <= goal else 1 for points in TARGETS}
    edges = {points: first_edges(arms[i], rounds[i], points) for points, i in of.items()}
    low, high = TARGETS[0], max(points for points in TARGETS if of[points] == of[TARGETS[0]])
    found = [over_boards(x) for x in (*edges.values(), edges[low] - edges[high])]
    p = adjusted(found)
    others = "than the others on average"
    for points, one, value in zip(edges, found, p, strict=False):
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
    cost = {points: float(one.cost.mean()) for points, one in told.items()}
    x = np.array(list(cost.values()))
    curves = {"one match": np.column_stack([x, triples(list(ahead.values()))])}
    spent = np.geomspace(x[0], x[-1], 20)
    for points in TARGETS[:2]:
        d = np.array(strength(told[points].pairs)[:3])
        chance = special.ndtr(np.sqrt(spent / cost[points])[:, None] * d)
        curves[f"matches to {points}"] = np.column_stack([spent, chance])
    ends = "; ".join(f"one match to {k} {one.mean:.3f}" for k, one in ahead.items())
    alt = f"Chance that the better of two neighbours comes out ahead, by decisions: {ends}"
    svg = plots.curve_plot("target-ahead", alt, curves, "decisions", "the better is ahead")
    caption = "One match of growing target, or several short ones, by the decisions they take."
    answer.plots.append(Plot(svg, caption))


def _table(
    answer: Answer,
    lengths: dict[int, Interval],
    told: By,
    ahead: dict[int, Interval],
    multiples: dict[tuple[str, int], Interval],
) -> None:
    rows = [["target", "rounds", "decisions", "the better ahead", "a decision's worth by ahead",
             "by points"]]  # fmt: skip
    for points in TARGETS:
        values = [lengths[points], over_boards(told["ahead"][points].cost), ahead[points]]
        of = [multiples.get((measure, points)) for measure in MEASURES]
        rows.append([str(points), *map(shown, values), *(shown(x) if x else "1" for x in of)])
    answer.tables.append(Table(rows, "Matches by target"))


def _check(study: Study, played: Played, rounds: Rounds) -> str:
    """Whether the ladder's own matches are beginnings of the long ones, in a sentence."""
    goal = usual_target(study.game)
    if study.game.options["target"] != goal or study.game.options["rounds"] is not None:
        return "the ladder's agents must not look at scores."
    usual = study.ladders()
    last = pl.col("board") < study.settings.first_board + min(usual.boards, played.boards)
    own = usual.matches.filter(last).select("points").collect()["points"].to_numpy()
    short = cut(played, goal, rounds).filter(last)["points"].to_numpy()
    same = float((own == short).mean())
    return f"of the scores of the matches played to {goal}, {same:.2%} are those of the cut ones."
