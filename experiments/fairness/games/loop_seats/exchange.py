"""Agents of loop_seats replaced by stronger ones: how far from zero-sum is a match in skill?"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.boards import p_value, triples
from experiments.fairness.games.loop_seats.ladder import exchange, replaced, replacements
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    board_sums,
    mean_of,
    over,
)
from experiments.fairness.games.loop_seats.variants import Ladder, ladder
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, holm, mean_interval


def exchange_findings(study: Study, answer: Answer) -> list[Finding]:
    """How much of what a stronger player gains the others lose."""
    pairs = replacements(study)
    one = ladder(study)
    b = one.boards
    found = [_round_sum(one)]
    if not pairs:
        answer.notes.append("The ladder has no agent to spare, so none was replaced.")
        return found
    values = replaced(one, pairs)
    own = over(b, lambda rows: float(values[rows, :, 0].mean()))
    total = over(b, lambda rows: float((values[rows, :, 0] - values[rows, :, 1]).mean()))
    ratio = over(b, partial(exchange, values))
    unit = "points a match"
    text = (
        f"Where the next stronger agent takes a seat, that seat's points rise by x = {shown(own)} "
        "a match, in the mean over neighbours on the ladder."
    )
    found.append(finding("own points when replaced by a stronger one", own, unit, text, b))
    found.append(finding("points of all when one is replaced", total, unit, _total(total, one), b))
    found.append(finding("y/x", ratio, "ratio", _ratio(ratio, own), b))
    return found + _by_pair(study, answer, pairs, values)


def _by_pair(
    study: Study, answer: Answer, pairs: list[tuple[int, str, str]], values: Floats
) -> list[Finding]:
    """The same for each two neighbours, which may differ in sign."""
    b = len(values)
    names = [f"{worse} by {better}" for better, worse in pairwise(study.ladder)]
    parts = [
        values[:, [k for k, pair in enumerate(pairs) if pair[0] == i]] for i in range(len(names))
    ]
    own = [mean_interval(part[:, :, 0].mean(axis=1)) for part in parts]
    others = [mean_interval(part[:, :, 1].mean(axis=1)) for part in parts]
    total = [mean_interval((part[:, :, 0] - part[:, :, 1]).mean(axis=1)) for part in parts]
    ratios = [over(b, partial(exchange, part)) for part in parts]
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


def _round_sum(one: Ladder) -> Finding:
    gains = one.rounds.values["gain"].sum(axis=1)
    later = gains[one.rounds.number > 0]
    low, high = (float(later.min()), float(later.max())) if len(later) else (math.nan, math.nan)
    sums = board_sums(
        one.boards,
        one.rounds.board,
        np.where(one.rounds.number > 0, 0, -1)[:, None],
        1,
        [gains[:, None]],
    )
    mean = over(one.boards, partial(mean_of, sums))
    if low == high:
        text = (
            f"Every round but the first gives {low:g} points in all, whoever plays: within a round "
            "what one gains by skill the others lose exactly, and only the number of rounds makes "
            "a match differ."
        )
    else:
        text = (
            f"Rounds after the first give {shown(mean)} points in all, from {low:g} to {high:g}: "
            "within a round gains and losses do not add up to a constant."
        )
    return finding("points of all in a round", mean, "points a round", text, one.boards)


def _total(total: Interval, one: Ladder) -> str:
    text = "The sum of all points of a match"
    if total.low <= 0 <= total.high:
        return f"{text} does not depend on skill as far as is seen: it changes by {shown(total)}."
    falls = total.high < 0
    why = ""
    if _constant(one):
        why = f", because matches get {'shorter' if falls else 'longer'}"
    size = shown(Interval(-total.mean, -total.high, -total.low, total.n) if falls else total)
    return f"{text} **{'falls' if falls else 'rises'}** by {size} for each such step{why}."


def _constant(one: Ladder) -> bool:
    """Whether all rounds give the same sum, so that a match's is a matter of its length alone."""
    later = one.rounds.values["gain"].sum(axis=1)[one.rounds.number > 0]
    return bool(len(later) and later.min() == later.max() > 0)


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
