"""Travelling hands as a movement of duplicate: is there a fairer one at the same cost?"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import FOLDS, Floats, p_value, triples, within
from experiments.fairness.games.loop_boards.single import (
    CYCLIC,
    HIDDEN,
    LOOP,
    WILLIAMS,
    all_scores,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import (
    Interval,
    decision_study,
    jackknife_interval,
    variance_components,
)

Ints = npt.NDArray[np.int64]


def movements(study: Study, answer: Answer) -> None:
    """Adds how well each way to play a board tells agents apart, and what the order does."""
    scores = all_scores(study)
    lineups = math.comb(len(study.ladder), study.num_players)
    boards = max(1.0, study.settings.matches / lineups)
    number_of = len(scores[LOOP].results)
    wrong = {
        name: within(jackknife_interval(one.apart, lambda x: _wrong(x, boards)))
        for name, one in scores.items()
    }
    reliable = {
        name: within(jackknife_interval(one.results, _reliability)) for name, one in scores.items()
    }
    for name in scores:
        text = (
            f"**{name}**: at the cost of {study.settings.matches:,} matches of Loop, neighbours on "
            f"the ladder come out the wrong way round with a probability of {shown(wrong[name])} "
            f"on average; a single board has a reliability of {shown(reliable[name])}."
        )
        answer.findings.append(
            finding(f"wrong order: {name}", wrong[name], "probability", text, number_of)
        )
    for name, base in ((HIDDEN, LOOP), (WILLIAMS, CYCLIC)):
        worth = information(scores[name].apart, scores[base].apart)
        word = "as much, as far as is seen, as"
        if worth.low > 1 or worth.high < 1:
            word = "more than" if worth.mean > 1 else "less than"
        text = (
            f"A round of **{name}** tells {word} a round of **{base}**: it is worth {shown(worth)} "
            "of them to tell neighbours on the ladder apart."
        )
        answer.findings.append(
            finding(f"a round of {name}", worth, f"rounds of {base}", text, number_of)
        )
    shares = {name: jackknife_interval(one.orders, order_share) for name, one in scores.items()}
    for name, share in shares.items():
        verdict = "does not move results as far as is seen"
        if share.mean > 0 and p_value(share) * len(shares) < 0.05:
            verdict = "moves results"
        text = (
            f"**{name}**: who sits after whom {verdict}: it makes up {shown(share)} of the "
            "variance of an agent's margin on a board."
        )
        answer.findings.append(finding(f"sitting order: {name}", share, "share", text, number_of))
    _show(answer, wrong, reliable, shares)
    answer.notes.append(
        "Movements: the ladder's line-ups, on the same boards and in the same circular orders. "
        "Loop plays each board once, in as many rounds as there are seats; a single round is a "
        "match of one round, and each hand goes to as many tables as there are seats (in a "
        "Williams square for an odd number of them to twice as many, at twice the cost, which is "
        "allowed for). Markers of single rounds are compared over all tables of a hand, by the "
        "rule of the game. In the cyclic movement the circular order stays as in Loop, in Williams "
        "squares everybody sits after everybody else. What separates Loop with memory hidden from "
        "cyclic single rounds is knowledge of results alone; but in the single rounds of a board "
        "noisy agents err at the same moments, which makes boards differ more, so single rounds "
        "are compared with each other. Whether an order moves results allows for there being "
        "several tests (Bonferroni). The probability of a wrong order is Φ(−√b d / s) for b "
        "boards, with mean d and standard deviation s of a board's difference; what a round is "
        "worth is the ratio of "
        "(d / s)², summed over pairs. The share of the order is a variance component, by the "
        "analysis of variance between orders; where it is nothing, chance makes it negative half "
        "of the time."
    )


def _apart(apart: Floats) -> Floats:
    """Mean difference in standard deviations of a single play of a board.

    Args:
        apart: Differences of neighbours, see `Scores`, of some folds.

    Returns:
        float64 [pairs].
    """
    boards, total, squares = np.moveaxis(apart.sum(axis=0), -1, 0)
    variance = np.maximum(squares - total**2 / boards, 0) / (boards - 1)  # rounding, if 0
    found: Floats = (total / boards).mean(axis=0) / np.maximum(
        np.sqrt(variance.mean(axis=0)), 1e-12
    )
    return found


def _wrong(apart: Floats, boards: float) -> float:
    """Probability of a wrong order of neighbours after so many boards, mean over pairs."""
    return float(special.ndtr(-_apart(apart) * math.sqrt(boards)).mean())


def _reliability(results: Floats) -> float:
    """Share of skill in the variance of agents' results on a single board.

    Args:
        results: float64 [boards, repeats, agents].
    """
    found = []
    boards, repeats, agents = results.shape
    for repeat in range(repeats):
        frame = pl.DataFrame(
            {
                "board": np.repeat(np.arange(boards), agents),
                "agent": np.tile(np.arange(agents), boards),
                "points": results[:, repeat].reshape(-1),
            }
        )
        parts = variance_components(frame, (("agent",), ("board",)))
        found.append(decision_study(parts, 1.0).coefficient)
    return float(np.mean(found))


def order_share(orders: Floats) -> float:
    """Share of the variance of scores that lies between circular orders.

    The variance component of a one-way layout, ``(MSB - MSW) / n₀``, over its sum with MSW, both
    summed over the scores of a board (S. R. Searle, G. Casella and C. E. McCulloch, "Variance
    Components", 1992, chapter 3).

    Args:
        orders: Sums by fold and order, see `Scores`.
    """
    sums = orders.sum(axis=0)
    sizes = sums[:, 0, 0]
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    k, total = len(sizes), float(sizes.sum())
    if k < 2 or total <= k:
        return math.nan
    means = sums[..., 1] / sizes[:, None]
    centre = sums[..., 1].sum(axis=0) / total
    between = float((sizes[:, None] * (means - centre) ** 2).sum()) / (k - 1)
    within_orders = float((sums[..., 2] - sums[..., 1] * means).sum()) / (total - k)
    component = between - within_orders
    component /= (total - float((sizes**2).sum()) / total) / (k - 1)
    whole = component + within_orders
    # What is left of scores that never differ comes from rounding.
    return component / whole if whole > 1e-12 * float(sums[..., 2].sum()) else 0.0


def information(new: Floats, old: Floats) -> Interval:
    """How many rounds of one way to play a round of another is worth, to tell neighbours apart.

    The ratio of the sums of (d / s)² over pairs, with mean d and standard deviation s of a
    board's difference: the number of boards that a t test needs goes with its inverse.

    Args:
        new: Differences of neighbours, see `Scores`.
        old: Those of the way to compare with, on the same boards.
    """

    def log_ratio(folds: Ints) -> float:
        a, b = (float((_apart(x[folds]) ** 2).sum()) for x in (new, old))
        return math.log(a / b) if a > 0 and b > 0 else math.nan

    ratio = jackknife_interval(np.arange(FOLDS), log_ratio)
    mean, low, high = (math.exp(x) for x in ratio[:3])
    return Interval(mean, low, high, FOLDS)


def _show(
    answer: Answer,
    wrong: dict[str, Interval],
    reliable: dict[str, Interval],
    shares: dict[str, Interval],
) -> None:
    alt = "Probability of a wrong order: " + "; ".join(
        f"{k} {v.mean:.3f}" for k, v in wrong.items()
    )
    values = triples(list(wrong.values()))
    svg = plots.intervals(
        "loop-movements", alt, list(wrong), values, "probability of a wrong order"
    )
    answer.plots.append(Plot(svg, "Neighbours on the ladder ranked the wrong way, at equal cost."))
    rows = [["way to play", "wrong order", "reliability of a board", "share of sitting order"]]
    rows += [[name, *(number(of[name].mean) for of in (wrong, reliable, shares))] for name in wrong]
    answer.tables.append(Table(rows, "Ways to play a board"))
