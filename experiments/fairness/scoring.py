"""Which scoring rule puts agents in the right order most often?"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl
from scipy import special, stats

from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.boards import (
    MATCH,
    Floats,
    by_board,
    each_board,
    over_boards,
    triples,
    within,
)
from experiments.fairness.played import Part
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import (
    Interval,
    board_scaled,
    jackknife_interval,
    loop_board,
    matchpoints,
)


def _direct(value: pl.Expr) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda results: results.with_columns(score=value.cast(pl.Float64))


_SHARED = pl.col("winner") / pl.col("winner").sum().over("board", "lineup", "rotation")
RULES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "points": _direct(pl.col("margin")),
    "place": _direct(-pl.col("place")),
    "win": _direct(_SHARED),
    "matchpoints": matchpoints,
    "board-scaled": board_scaled,
    "Loop board": loop_board,
}
"""Scoring rules: each adds a score to whole boards of results."""
FRESH = "points, fresh deals"

Ahead = Callable[[Floats], Floats]
"""From values [boards, ...], for every pair, how many standard errors the better is ahead."""


def scoring(study: Study) -> Answer:
    """Probability of a wrong order, and rank correlation, at equal cost."""
    settings = study.settings
    answer = Answer(
        "scoring",
        "Scoring rules",
        f"After {settings.matches:,} matches, which scoring rule is least likely to rank two "
        "neighbours on the ladder the wrong way round, and comes closest to the known order?",
    )
    played = study.ladders()
    scores = _score_boards(study)
    tables = played.tables
    boards = max(1.0, settings.matches / tables)
    pairs = list(pairwise(range(len(study.ladder))))
    ahead = _z(pairs, boards)
    wrong = {name: _wrong(values, ahead, len(pairs)) for name, values in scores.items()}
    wrong[FRESH] = _wrong_fresh(study, pairs, settings.matches)
    baseline = scores["points"]
    for name, values in scores.items():
        mean = wrong[name][-1]
        text = (
            f"By **{name}**, neighbours come out the wrong way round with a probability of "
            f"{shown(mean)} on average"
        )
        if name != "points":
            change = _better(values, baseline, pairs, boards)
            word = (
                "less" if change.high < 0 else "more" if change.low > 0 else "neither more nor less"
            )
            text += f", {word} often than by points (difference {shown(change)})"
        answer.findings.append(
            finding(f"wrong order by {name}", mean, "probability", text + ".", played.boards)
        )
    mean = wrong[FRESH][-1]
    text = f"By **{FRESH}**, at the same number of matches, it is {shown(mean)}."
    answer.findings.append(
        finding(f"wrong order by {FRESH}", mean, "probability", text, played.boards)
    )
    taus = _taus(scores, max(1, round(boards)))
    for name, tau in taus.items():
        text = (
            f"By **{name}**, a tournament of {max(1, round(boards))} boards has a rank correlation "
            f"of {shown(tau)} with the known order (Kendall's τ, mean of {tau.n:,} tournaments)."
        )
        answer.findings.append(finding(f"τ by {name}", tau, "τ", text, played.boards))
    _show(answer, study, wrong, taus)
    answer.notes.append(
        "Each rule gives every seat a score from what was played on the board; an agent's score on "
        "a board is the mean over its seats. The probability of a wrong order is Φ(−d √b / s) with "
        "mean d and standard deviation s of the difference of two agents' scores on a board, for "
        f"the b = {boards:,.1f} boards of {tables:g} matches that the tournament has; intervals by "
        "the jackknife over boards. Places of the Loop board are those at the table."
    )
    return answer


def _score_boards(study: Study) -> dict[str, Floats]:
    """Mean score of every agent on every board, by rule: float64 [boards, agents]."""
    return {name: _by_agent(study, rule) for name, rule in RULES.items()}


def _by_agent(study: Study, rule: Callable[[pl.DataFrame], pl.DataFrame]) -> Floats:
    """Mean score of every agent on every board by a rule, agents in the order of the ladder."""

    def scored(part: Part) -> pl.LazyFrame:
        return rule(part.matches.collect()).lazy()

    keys, values = by_board(study.ladders(), ["agent"], "score", scored)
    names = [str(key[0]) for key in keys]
    return values[:, [names.index(name) for name in study.ladder]]


def _z(pairs: list[tuple[int, int]], boards: float) -> Ahead:
    """How many standard errors the better of each pair is ahead."""

    def z(values: Floats) -> Floats:
        differences = np.stack([values[:, a] - values[:, b] for a, b in pairs], axis=1)
        spread = differences.std(axis=0, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = differences.mean(axis=0) * np.sqrt(boards) / spread
        finite: Floats = np.nan_to_num(found, nan=0.0, posinf=40.0, neginf=-40.0)
        return finite

    return z


def _wrong(values: Floats, z: Ahead, pairs: int) -> list[Interval]:
    """Probability of a wrong order for every pair, and behind them their mean."""

    def of(column: int) -> Interval:
        ahead = jackknife_interval(values, lambda x: float(z(x)[column]))
        mean, low, high = special.ndtr([-ahead.mean, -ahead.high, -ahead.low]).tolist()
        return Interval(mean, low, high, len(values))

    mean = jackknife_interval(values, lambda x: float(special.ndtr(-z(x)).mean()))
    mean = within(mean)._replace(n=len(values))
    return [*(of(i) for i in range(pairs)), mean]


def _better(a: Floats, b: Floats, pairs: list[tuple[int, int]], boards: float) -> Interval:
    """Difference of the mean probabilities of a wrong order, on the same boards."""
    k, z = a.shape[1], _z(pairs, boards)

    def change(x: Floats) -> float:
        wrong = [special.ndtr(-z(y)).mean() for y in (x[:, :k], x[:, k:])]
        return float(wrong[0] - wrong[1])

    return jackknife_interval(np.concatenate([a, b], axis=1), change)


def _wrong_fresh(study: Study, pairs: list[tuple[int, int]], matches: int) -> list[Interval]:
    """The same by points where every match has a deal of its own, as if drawn from all tables.

    A match moves the difference of two agents' means by what they were above their own means,
    each if it took part, divided by the share of matches in which agents take part.
    """
    names, part = study.ladder, study.num_players / len(study.ladder)
    margins = _by_agent(study, RULES["points"])
    centred = [
        (pl.col("margin") - mean).filter(pl.col("agent").cast(pl.String) == name).sum().alias(name)
        for name, mean in zip(names, margins.mean(axis=0), strict=True)
    ]
    moved = [
        ((pl.col(names[a]) - pl.col(names[b])) / part).pow(2).mean().alias(f"{a} {b}")
        for a, b in pairs
    ]

    def squared(part: Part) -> Floats:
        of_match = part.matches.group_by(MATCH).agg(centred)
        of_board = of_match.group_by("board").agg(moved).sort("board").drop("board")
        return of_board.collect().to_numpy()

    squares = each_board(study.ladders(), squared)

    def z(x: Floats) -> Floats:
        k = len(names)
        means = x[:, :k].mean(axis=0)
        ahead = np.array([means[a] - means[b] for a, b in pairs])
        found: Floats = ahead * np.sqrt(matches / x[:, k:].mean(axis=0))
        return found

    return _wrong(np.concatenate([margins, squares], axis=1), z, len(pairs))


def _taus(scores: dict[str, Floats], boards: int) -> dict[str, Interval]:
    """Kendall's τ to the known order, over disjoint tournaments."""
    found = {}
    for name, values in scores.items():
        number = len(values) // boards
        means = values[: number * boards].reshape(number, boards, -1).mean(axis=1)
        known = -np.arange(values.shape[1])
        taus = np.array([stats.kendalltau(row, known).statistic for row in means])
        found[name] = over_boards(taus)
    return found


def _show(
    answer: Answer, study: Study, wrong: dict[str, list[Interval]], taus: dict[str, Interval]
) -> None:
    labels = list(wrong)
    values = triples([wrong[name][-1] for name in labels])
    alt = "Probability of a wrong order: " + "; ".join(
        f"{name} {row[0]:.3f}" for name, row in zip(labels, values, strict=True)
    )
    svg = plots.intervals("wrong-order", alt, labels, values, "probability of a wrong order")
    answer.plots.append(Plot(svg, "Mean over neighbours on the ladder, with 95 % intervals."))
    labels = list(taus)
    values = triples(list(taus.values()))
    alt = "Kendall's τ to the known order: " + "; ".join(
        f"{name} {row[0]:.3f}" for name, row in zip(labels, values, strict=True)
    )
    svg = plots.intervals("tau", alt, labels, values, "Kendall's τ to the known order", 1.0)
    answer.plots.append(Plot(svg, "Rank correlation of a tournament with the known order."))
    names = [f"{a} – {b}" for a, b in pairwise(study.ladder)]
    rows = [["rule", *names]]
    rows += [[rule, *(shown(one) for one in ones[:-1])] for rule, ones in wrong.items()]
    answer.tables.append(Table(rows, "Probability of a wrong order by pair"))
