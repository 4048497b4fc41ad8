"""Variants of loop_seats beside its rules, on the same boards: skill, length, turn order."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, p_text, shown
from experiments.fairness.boards import FOLDS, p_value, triples
from experiments.fairness.games.loop_seats.ladder import (
    LENGTH,
    POINTS,
    ROUND,
    WIN,
    WRONG,
    Ladder,
    exchange,
    ladder_sums,
    measures,
    replacements,
)
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Rounds,
    Statistic,
    board_sums,
    mean_of,
    minus,
    over,
    ratio,
    round_sums,
)
from experiments.fairness.games.loop_seats.variants import (
    NOISE,
    Variant,
    equals,
    ladders,
    paired_boards,
    variants,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, holm

NOW = "as it is"
"""The study's own rules, among variants."""
EXCHANGE = "y/x"
TURN = "points a round of equals, first − last in turn"
CUT = "share of matches of equals that are cut"
EQUALS = "rounds a match of equals"
TESTED = (WRONG, WIN, LENGTH)
"""Measures in which differences are findings."""
UNITS = {WRONG: "probability", WIN: "probability", LENGTH: "rounds"}
WORDS = {
    WRONG: "the probability that neighbours come out in the wrong order at the same number of "
    "decisions",
    WIN: "the strongest agent's lead over the weakest in the chance to win",
    LENGTH: "the length of a match in rounds",
}


class Compared(NamedTuple):
    """A measure of a variant beside the rules as they are, on the same boards.

    Attributes:
        value: The measure.
        change: Its difference to the rules as they are.
    """

    value: Interval
    change: Interval


def compare(own: Statistic, now: Statistic) -> Compared:
    """A measure, and its difference to that of the rules as they are."""
    return Compared(over(FOLDS, own), over(FOLDS, minus(own, now)))


def variant_findings(study: Study, answer: Answer) -> list[Finding]:
    """What other scoring or movement does to skill, length and turn order."""
    tried, b = variants(study), paired_boards(study)
    now = ladder_sums(study, ladders(study).some(b))
    decisions = study.settings.matches * ratio(now.cost, 0, 2, np.arange(FOLDS))
    usual = _measures(study, now, decisions, None)
    values = {NOW: {name: over(FOLDS, of) for name, of in usual.items()}}
    changed: dict[str, dict[str, Compared]] = {}
    for variant in tried:
        own = ladder_sums(study, ladders(study, variant).some(b))
        of = _measures(study, own, decisions, variant)
        ones = {name: compare(of[name], usual[name]) for name in of}
        changed[variant.name] = ones
        values[variant.name] = {name: pair.value for name, pair in ones.items()}
    for every in values.values():
        mean, low, high, groups = every[WRONG]
        every[WRONG] = Interval(mean, max(low, 0.0), min(high, 1.0), groups)
    _show(answer, values)
    tests = [(variant, name) for variant in tried for name in TESTED]
    adjusted = holm([p_value(changed[variant.name][name].change) for variant, name in tests])
    found = [
        _difference(variant, name, values[variant.name], changed[variant.name], float(p), b)
        for (variant, name), p in zip(tests, adjusted, strict=True)
    ]
    found += [_turn(tried, values, changed, b), _cut(tried, values, b)]
    table = [["variant", *usual]]
    table += [
        [name, *(shown(one.change) for one in ones.values())] for name, ones in changed.items()
    ]
    answer.tables.append(Table(table, "Variants minus the rules as they are, same boards"))
    return found


def _measures(
    study: Study, one: Ladder, decisions: float, variant: Variant | None
) -> dict[str, Statistic]:
    """All that is compared: of the ladder, and of equals."""
    found = measures(one, decisions)
    if replacements(study):
        found[EXCHANGE] = partial(exchange, one.exchanged)
    most = study.game.options["max_rounds"]
    played = equals(study, variant=variant).some(paired_boards(study))
    turns, lengths = round_sums(played, _turn_sums, partial(_length_sums, most=most))
    first, last = (partial(mean_of, turns, group=turn) for turn in (0, study.num_players - 1))
    found[TURN] = minus(first, last)
    return found | {EQUALS: partial(ratio, lengths, 0, 1), CUT: partial(ratio, lengths, 2, 1)}


def _turn_sums(rounds: Rounds) -> Floats:
    """Gains by place in turn order: float64 [B, n, 2], sums and numbers."""
    turn = rounds.ints("turn")
    n = turn.shape[1]
    return board_sums(rounds.boards, rounds.board, turn, n, [rounds.values["gain"]])


def _length_sums(rounds: Rounds, most: int) -> Floats:
    """Rounds, matches, and matches with as many rounds as there may be: float64 [B, 3]."""
    kinds = (rounds.number >= 0, rounds.number == 0, rounds.number == most - 1)
    counts = [np.bincount(rounds.board[kind], minlength=rounds.boards) for kind in kinds]
    return np.stack(counts, axis=1).astype(np.float64)


def _difference(
    variant: Variant,
    name: str,
    values: dict[str, Interval],
    changed: dict[str, Compared],
    p: float,
    boards: int,
) -> Finding:
    change = changed[name].change
    text = f"With **{variant.name}** {WORDS[name]} is {shown(values[name])}"
    if p < 0.05:
        word = "more" if change.mean > 0 else "less"
        text += f", **{word}** than by the rules as they are"
    else:
        text += ", not clearly another than by the rules as they are"
    text += f" (difference {shown(change)}, {p_text(p)} after Holm's adjustment)."
    if name == WIN:
        match, turn = values[POINTS], values[ROUND]
        text += f" In points that lead is {shown(match)} a match and {shown(turn)} a round."
    return finding(f"{variant.name}: {name}", change, UNITS[name], text, boards)


def _turn(
    tried: list[Variant],
    values: dict[str, dict[str, Interval]],
    changed: dict[str, dict[str, Compared]],
    boards: int,
) -> Finding:
    """The variant in which it matters most differently who starts a round."""
    adjusted = holm([p_value(changed[one.name][TURN].change) for one in tried])
    k = int(np.argmin(adjusted))
    p, change = float(adjusted[k]), changed[tried[k].name][TURN].change
    text = (
        f"Among equals with {NOISE:.0%} noise, who starts a round gains {shown(values[NOW][TURN])} "
        "points more in it than who comes last in turn; "
    )
    if p < 0.05:
        text += f"with **{tried[k].rules}** it is {shown(values[tried[k].name][TURN])}, "
        text += f"**{'more' if change.mean > 0 else 'less'}**"
    else:
        text += f"no variant clearly changes that; most does **{tried[k].rules}**"
    text += f" (difference {shown(change)}, {p_text(p)} after Holm's adjustment)."
    return finding(f"{tried[k].rules}: {TURN}", change, "points a round", text, boards)


def _cut(tried: list[Variant], values: dict[str, dict[str, Interval]], boards: int) -> Finding:
    """The variant in which most matches do not come to an end."""
    most = max(tried, key=lambda one: values[one.name][CUT].mean)
    share = values[most.name][CUT]
    text = "No match of equals lasts until it is cut for its length, in any variant."
    if share.mean > 0:
        text = (
            f"With **{most.rules}** a share of {shown(share)} of the matches of equals does not "
            f"reach its total before it is cut; matches last {shown(values[most.name][EQUALS])} "
            f"rounds, by the rules as they are {shown(values[NOW][EQUALS])}."
        )
    return finding(f"{most.rules}: {CUT}", share, "share", text, boards)


def _show(answer: Answer, values: dict[str, dict[str, Interval]]) -> None:
    labels = list(values)
    captions = {
        WRONG: "Probability of a wrong order at the same number of decisions",
        WIN: "Chance to win, strongest minus weakest agent",
        EXCHANGE: "What the others lose for each point that a stronger player gains, y/x",
    }
    for k, (name, caption) in enumerate(captions.items()):
        if name not in values[NOW]:
            continue
        line = triples([values[label][name] for label in labels])
        alt = f"{name}: " + "; ".join(
            f"{label} {row[0]:.3f}" for label, row in zip(labels, line, strict=True)
        )
        zero = 1.0 if name == EXCHANGE else 0.0
        svg = plots.intervals(f"changes-{k}", alt, labels, line, name, zero)
        answer.plots.append(Plot(svg, f"{caption}, by variant, with 95 % intervals."))
    rows = [["rules", *values[NOW]]]
    rows += [[label, *(shown(one) for one in values[label].values())] for label in labels]
    answer.tables.append(Table(rows, "Variants on the same boards"))
