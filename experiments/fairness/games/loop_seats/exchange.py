"""Agents of loop_seats replaced by stronger ones: how far from zero-sum is a match in skill?"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.boards import FOLDS, each_board, p_value, triples
from experiments.fairness.games.loop_seats.ladder import exchange, replaced, replacements
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Rounds,
    board_sums,
    mean_of,
    over,
    read_matches,
    round_sums,
)
from experiments.fairness.played import Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, holm, mean_interval


def exchange_findings(study: Study, answer: Answer) -> list[Finding]:
    """How much of what a stronger player gains the others lose."""
    pairs = replacements(study)
    played = study.ladders()
    b = played.boards
    mean, low, high = _round_totals(played)
    found = [
        finding("points of all in a round", mean, "points a round", _totals(mean, low, high), b)
    ]
    if not pairs:
        answer.notes.append("The ladder has no agent to spare, so none was replaced.")
        return found
    values = each_board(played, lambda part: replaced(read_matches(part), pairs))
    own = over(b, lambda rows: float(values[rows, :, 0].mean()))
    total = over(b, lambda rows: float((values[rows, :, 0] - values[rows, :, 1]).mean()))
    ratio = over(b, partial(exchange, values))
    unit = "points a match"
    text = (
        f"Where the next stronger agent takes a seat, that seat's points rise by x = {shown(own)} "
        "a match, in the mean over neighbours on the ladder."
    )
    found.append(finding("own points when replaced by a stronger one", own, unit, text, b))
    text = _total(total, constant=low == high > 0)
    found.append(finding("points of all when one is replaced", total, unit, text, b))
    found.append(finding("y/x", ratio, "ratio", _ratio(ratio, own), b))
    return found + _by_pair(study, answer, values)


def _by_pair(study: Study, answer: Answer, values: Floats) -> list[Finding]:
    """The same for each two neighbours, which may differ in sign."""
    b = len(values)
    names = [f"{worse} by {better}" for better, worse in pairwise(study.ladder)]
    own = [mean_interval(x) for x in values[:, :, 0].T]
    others = [mean_interval(y) for y in values[:, :, 1].T]
    total = [mean_interval(x - y) for x, y in values.transpose(1, 2, 0)]
    ratios = [over(b, partial(exchange, values[:, [k]])) for k in range(len(names))]
    adjusted = holm([p_value(one) for one in total])
    found = []
    for k, (better, worse) in enumerate(pairwise(study.ladder)):
        change, p = total[k], float(adjusted[k])
        word = "neither clearly more nor clearly less than is gained"
        if p < 0.05:
            word = "**more** than is gained" if change.mean < 0 else "**less** than is gained"
        text = (
            f"With **{better}** in place of **{worse}** the seat's points rise by {shown(own[k])} "
            f"and those of the others fall by {shown(others[k])}: {word} (sum {shown(change)}, p = "
            f"{p:.2g} after Holm's adjustment)."
        )
        found.append(finding(f"points of all, {names[k]}", change, "points a match", text, b))
    lines = triples(ratios)
    alt = "Points that the others lose for each point gained: " + "; ".join(
        f"{name} {row[0]:.2f}" for name, row in zip(names, lines, strict=True)
    )
    svg = plots.intervals("changes-exchange", alt, names, lines, "y/x", 1.0)
    answer.plots.append(Plot(svg, "What the others lose for each point that a stronger one gains."))
    rows = [["replaced", "x", "y", "y/x"]]
    rows += [
        [name, *(shown(end) for end in ends)]
        for name, *ends in zip(names, own, others, ratios, strict=True)
    ]
    answer.tables.append(Table(rows, "A player replaced by a stronger one, points a match"))
    return found


def _round_totals(played: Played) -> tuple[Interval, float, float]:
    """Points of all in a round but the first: mean, lowest, highest; nan without such rounds."""
    seen: set[float] = set()

    def totals(rounds: Rounds) -> Floats:
        later = rounds.number > 0
        total = rounds.values["gain"][later].sum(axis=1, keepdims=True)
        seen.update(np.unique(total).tolist())
        group = np.zeros(total.shape, np.int64)
        return board_sums(rounds.boards, rounds.board[later], group, 1, [total])

    (sums,) = round_sums(played, totals)
    mean = over(FOLDS, partial(mean_of, sums))
    return mean, min(seen, default=math.nan), max(seen, default=math.nan)


def _totals(mean: Interval, low: float, high: float) -> str:
    if low == high:
        return (
            f"Every round but the first gives {low:g} points in all, whoever plays: within a round "
            "what one gains by skill the others lose exactly, and only the number of rounds makes "
            "a match differ."
        )
    return (
        f"Rounds after the first give {shown(mean)} points in all, from {low:g} to {high:g}: "
        "within a round gains and losses do not add up to a constant."
    )


def _total(total: Interval, constant: bool) -> str:
    """What becomes of the sum of a match; with constant rounds it is a matter of its length."""
    text = "The sum of all points of a match"
    if total.low <= 0 <= total.high:
        return f"{text} does not depend on skill as far as is seen: it changes by {shown(total)}."
    falls = total.high < 0
    why = ""
    if constant:
        why = f", because matches get {'shorter' if falls else 'longer'}"
    size = shown(Interval(-total.mean, -total.high, -total.low, total.n) if falls else total)
    return f"{text} **{'falls' if falls else 'rises'}** by {size} for each such step{why}."


def _ratio(ratio: Interval, own: Interval) -> str:
    if own.low <= 0 or math.isnan(ratio.low):
        return (
            "Whether the others lose as much as a stronger player gains cannot be said, as the "
            "stronger ones do not clearly gain."
        )
    text = "For each point that the stronger player gains the others lose in the mean over "
    text += f"neighbours y/x = {shown(ratio)}"
    if ratio.low > 1:
        return f"{text}: more than is gained, so **in skill terms a match is negative-sum**."
    if ratio.high < 1:
        return f"{text}: less than is gained, so **in skill terms a match is positive-sum**."
    return f"{text}: a match is not clearly different from zero-sum in skill terms."
