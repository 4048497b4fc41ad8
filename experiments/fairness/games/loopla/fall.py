"""Loopla: what binds the next player after a fall, and who gives the first instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, each_board, triples
from experiments.fairness.games.loopla.compare import UNIT, adjusted, over_columns, verdict
from experiments.fairness.games.loopla.skill import skill
from experiments.fairness.games.loopla.tables import (
    EMPTY,
    ENDINGS,
    FALLS,
    HOOP,
    INSTRUCTIONS,
    WHOOP,
    allowed,
    by_place,
    edge,
    per_round,
    place,
)
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from experiments.lineups import label
from experiments.schedule import Table as Seating
from loop_envs.duplicate import Interval

NUMBERS = (3, 4, 5, 6)
"""Of two players the first to fall ends the round, so nobody is left to be bound or free."""
RANDOM = "random"
CARDS, ROUNDS = "cards a round", "share of rounds"
PLAYS, START = len(ENDINGS), len(ENDINGS) + 1
"""Columns of `_measured` behind those of the endings."""
By = dict[tuple[int, str], list[Interval]]


def fall(study: Study) -> Answer:
    """How rounds end, how long they are, who begins well, and how well they tell players apart."""
    answer = Answer(
        "fall",
        "After a fall, and the first instruction",
        "Does what bound a player who fell bind the next one too, and is the first play free, "
        "drawn, or instructed by the starter: how do rounds end, whom does it favour, and what "
        "does it do to skill?",
    )
    numbers = allowed(study, NUMBERS)
    if numbers:
        _endings(study, answer, numbers)
    _instructions(study, answer)
    skill(study, answer)
    return answer


def equal(study: Study, n: int, reading: str, instruction: str) -> Played:
    """Equal agents by a reading of the rules, everybody beginning twice."""
    return study.identical(_options(n, reading, instruction), f"{reading}-{instruction}-n{n}")


def _options(n: int, reading: str, instruction: str) -> dict[str, Any]:
    return {
        "num_players": n, "after_fall": reading, "first_instruction": instruction,
        "target": None, "rounds": 2 * n,
    }  # fmt: skip


def _drawn(study: Study, n: int, reading: str, instruction: str) -> Played:
    """The same for players who choose at random."""
    table = Seating(label([RANDOM] * n), 0, (RANDOM,) * n)
    players = {RANDOM: study.player(RANDOM)}
    options, boards = _options(n, reading, instruction), study.settings.variants
    return study.play(Arm(f"random-{reading}-n{n}", players, [[table]], boards, options))


def endings(part: Part) -> Floats:
    """Shares of the rounds that end in each way, float64 [boards, 3], in the order of ENDINGS.

    Of matches of a fixed number of rounds. One that ends before anybody plays ends with one player
    left, see `per_round`.
    """
    whoop, empty = (per_round(part, pl.col("ending") == kind) for kind in (WHOOP, EMPTY))
    return np.stack([1 - whoop - empty, whoop, empty], axis=1)


def _ends_and_cards(played: Played) -> Floats:
    """Shares of the endings, and the number of cards played, float64 [boards, 4]."""
    return each_board(
        played, lambda part: np.column_stack([endings(part), per_round(part, "plays")])
    )


def _measured(played: Played) -> Floats:
    """The same, and what the starter has more than the others, float64 [boards, 5]."""
    return np.column_stack([_ends_and_cards(played), edge(by_place(played))])


def _endings(study: Study, answer: Answer, numbers: list[int]) -> None:
    """How rounds end, how long they are and what the starter has, by number of players."""
    instruction = str(study.game.options["first_instruction"])
    equals: By = {}
    random: By = {}
    differences = []
    rows = [["players", "after a fall", "who", *ENDINGS, "cards played"]]
    for n in numbers:
        values = {}
        for reading in FALLS:
            values[reading] = _measured(equal(study, n, reading, instruction))
            equals[n, reading] = over_columns(values[reading])
            drawn = _drawn(study, n, reading, instruction)
            random[n, reading] = over_columns(_ends_and_cards(drawn))
            for who, means in ((study.ladder[0], equals), (RANDOM, random)):
                cells = map(shown, means[n, reading][:START])
                rows.append([str(n), reading, who, *cells])
        differences.append(over_columns(values["free"] - values["persist"]))
    changes = [of[column] for column in (HOOP, PLAYS, START) for of in differences]
    p = iter(adjusted(changes))
    for n, one in zip(numbers, changes, strict=False):
        old, new = ([shown(x) for x in equals[n, reading]] for reading in FALLS)
        chance = [random[n, reading][HOOP].mean for reading in FALLS]
        words = verdict(
            one, next(p), "more often", "less often", "neither clearly more nor less often", ROUNDS
        )
        text = (
            f"With **{n} players** one is left at the end of {old[0]} of the rounds where the "
            f"constraint persists after a fall, and of {new[0]} where the next play is free: "
            f"{words}. A WHOOP ends {old[1]} and {new[1]}, an empty hand {old[2]} and {new[2]}. "
            f"Where all choose at random one is left in {chance[0]:.2f} and {chance[1]:.2f}."
        )
        name = f"{n} players, rounds that end with one left: free − persist"
        answer.findings.append(finding(name, one, ROUNDS, text))
    others = (
        (PLAYS, "the number of cards played in a round", CARDS),
        (START, "what the starter has more than the others", UNIT),
    )
    for k, (column, what, unit) in enumerate(others, 1):
        for n, one in zip(numbers, changes[k * len(numbers) :], strict=False):
            words = verdict(one, next(p), "rises", "falls", "does not change clearly", unit)
            text = (
                f"With **{n} players**, {what}, {shown(equals[n, 'persist'][column])} where the "
                f"constraint persists after a fall, {words} where the next play is free."
            )
            name = f"{n} players, {what}: free − persist"
            answer.findings.append(finding(name, one, unit, text))
    answer.tables.append(Table(rows, "How rounds end, share of rounds", left=3))
    _plot_endings(answer, numbers, equals)
    answer.notes.append(
        f"Equal agents on the same {study.settings.variants:,} boards by both readings, "
        "everybody beginning twice, compared by board; P values with Holm's adjustment for the "
        f"{len(changes)} comparisons. A WHOOP with the last card counts as WHOOP; a round that a "
        "dealt instruction ends before anybody plays, as one with one player left. Players who "
        "choose at random also take cards that cost them their collections."
    )


def _plot_endings(answer: Answer, numbers: list[int], ends: By) -> None:
    curves = {
        f"{name}, {reading}": np.column_stack(
            [numbers, triples([ends[n, reading][kind] for n in numbers])]
        )
        for kind, name in enumerate(ENDINGS)
        for reading in FALLS
    }
    alt = "How rounds end, share of rounds by number of players: " + "; ".join(
        f"{name} {', '.join(f'{row[1]:.2f}' for row in curve)}" for name, curve in curves.items()
    )
    svg = plots.curve_plot("endings", alt, curves, "players", ROUNDS)
    caption = "How rounds end where the constraint persists after a fall, and where it does not."
    answer.plots.append(Plot(svg, caption))


def _instructions(study: Study, answer: Answer) -> None:
    """Who gives the first instruction, at the study's own number of players."""
    n = study.num_players
    own = str(study.game.options["after_fall"])
    places = {}
    for key in [(reading, instruction) for reading in FALLS for instruction in INSTRUCTIONS]:
        margins = by_place(equal(study, n, *key))
        places[key] = triples(over_columns(margins - margins.mean(axis=1, keepdims=True)))
    free = _measured(equal(study, n, own, "free"))
    usual = over_columns(free)
    differences = {
        instruction: over_columns(_measured(equal(study, n, own, instruction)) - free)
        for instruction in INSTRUCTIONS[1:]
    }
    tests = [
        (what, unit, instruction, usual[column], of[column])
        for what, unit, column in (
            ("what the starter has more than the others", UNIT, START),
            ("the share of rounds that end with one player left", ROUNDS, HOOP),
            ("the number of cards played in a round", CARDS, PLAYS),
        )
        for instruction, of in differences.items()
    ]
    said = {"random": "drawn", "starter": "given by the starter"}
    p_values = adjusted([change for *_, change in tests])
    for (what, unit, instruction, before, one), p in zip(tests, p_values, strict=True):
        words = verdict(one, p, "greater", "smaller", "not clearly another", unit)
        text = (
            f"Where the **first instruction is {said[instruction]}**, {what} is {words} than where "
            f"the first play is free, where it is {shown(before)}."
        )
        name = f"first instruction {instruction} − free: {what}"
        answer.findings.append(finding(name, one, unit, text))
    labels = [f"{reading}, {instruction}" for reading, instruction in places]
    columns = [place(k, n) for k in range(n)]
    values = np.array(list(places.values()))
    alt = "Margins by place after the starter: " + "; ".join(
        f"{name}: " + ", ".join(f"{x:+.2f}" for x in row)
        for name, row in zip(labels, values[:, :, 0], strict=True)
    )
    half = (values[:, :, 2] - values[:, :, 1]) / 2
    svg = plots.heat_map("fall-places", alt, labels, columns, values[:, :, 0], half, "", "")
    caption = "Margin in a round by place, by what follows a fall and the first instruction."
    answer.plots.append(Plot(svg, caption))
