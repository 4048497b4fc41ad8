"""Loopla: what binds the next player after a fall, and who gives the first instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm, Played
from experiments.fairness.boards import Floats, over_boards, triples
from experiments.fairness.games.loopla.compare import UNIT, adjusted, verdict
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
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from experiments.lineups import label
from experiments.schedule import Table as Seating

NUMBERS = (3, 4, 5, 6)
"""Of two players the first to fall ends the round, so nobody is left to be bound or free."""
RANDOM = "random"
CARDS, ROUNDS = "cards a round", "share of rounds"
By = dict[tuple[int, str], Floats]


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


def endings(played: Played) -> Floats:
    """Shares of the rounds that end in each way, float64 [boards, 3], in the order of ENDINGS.

    Of matches of a fixed number of rounds. One that ends before anybody plays ends with one player
    left, see `per_round`.
    """
    whoop, empty = (per_round(played, pl.col("ending") == kind) for kind in (WHOOP, EMPTY))
    return np.stack([1 - whoop - empty, whoop, empty], axis=1)


def _endings(study: Study, answer: Answer, numbers: list[int]) -> None:
    """How rounds end, how long they are and what the starter has, by number of players."""
    instruction = str(study.game.options["first_instruction"])
    ends: By = {}
    chance: By = {}
    cards: By = {}
    starts: By = {}
    rows = [["players", "after a fall", "who", *ENDINGS, "cards played"]]
    for n in numbers:
        for key in [(n, reading) for reading in FALLS]:
            played = equal(study, *key, instruction)
            drawn = _drawn(study, *key, instruction)
            ends[key], chance[key] = endings(played), endings(drawn)
            cards[key] = per_round(played, "plays")
            starts[key] = edge(by_place(played.rounds))
            for who, share, plays in (
                (study.ladder[0], ends[key], cards[key]),
                (RANDOM, chance[key], per_round(drawn, "plays")),
            ):
                cells = [shown(over_boards(x)) for x in (*share.T, plays)]
                rows.append([str(n), key[1], who, *cells])
    hoops = {key: x[:, HOOP] for key, x in ends.items()}
    changes = [
        over_boards(of[n, "free"] - of[n, "persist"])
        for of in (hoops, cards, starts)
        for n in numbers
    ]
    p = iter(adjusted(changes))
    for n, one in zip(numbers, changes, strict=False):
        old, new = ([shown(over_boards(x)) for x in ends[n, key].T] for key in FALLS)
        random = [float(chance[n, key][:, HOOP].mean()) for key in FALLS]
        words = verdict(
            one, next(p), "more often", "less often", "neither clearly more nor less often", ROUNDS
        )
        text = (
            f"With **{n} players** one is left at the end of {old[0]} of the rounds where the "
            f"constraint persists after a fall, and of {new[0]} where the next play is free: "
            f"{words}. A WHOOP ends {old[1]} and {new[1]}, an empty hand {old[2]} and {new[2]}. "
            f"Where all choose at random one is left in {random[0]:.2f} and {random[1]:.2f}."
        )
        name = f"{n} players, rounds that end with one left: free − persist"
        answer.findings.append(finding(name, one, ROUNDS, text))
    others = (
        (cards, "the number of cards played in a round", CARDS),
        (starts, "what the starter has more than the others", UNIT),
    )
    for k, (of, what, unit) in enumerate(others, 1):
        for n, one in zip(numbers, changes[k * len(numbers) :], strict=False):
            words = verdict(one, next(p), "rises", "falls", "does not change clearly", unit)
            text = (
                f"With **{n} players**, {what}, {shown(over_boards(of[n, 'persist']))} where the "
                f"constraint persists after a fall, {words} where the next play is free."
            )
            name = f"{n} players, {what}: free − persist"
            answer.findings.append(finding(name, one, unit, text))
    answer.tables.append(Table(rows, "How rounds end, share of rounds", left=3))
    _plot_endings(answer, numbers, ends)
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
            [numbers, triples([over_boards(ends[n, reading][:, kind]) for n in numbers])]
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
    places, hoops, cards = {}, {}, {}
    for key in [(reading, instruction) for reading in FALLS for instruction in INSTRUCTIONS]:
        played = equal(study, n, *key)
        margins = by_place(played.rounds)
        places[key] = margins - margins.mean(axis=1, keepdims=True)
        hoops[key], cards[key] = endings(played)[:, HOOP], per_round(played, "plays")
    measures = (
        (
            "what the starter has more than the others",
            UNIT,
            {k: edge(x) for k, x in places.items()},
        ),
        ("the share of rounds that end with one player left", ROUNDS, hoops),
        ("the number of cards played in a round", CARDS, cards),
    )
    tests = [
        (what, unit, instruction, of[own, "free"], of[own, instruction])
        for what, unit, of in measures
        for instruction in INSTRUCTIONS[1:]
    ]
    changes = [over_boards(after - before) for *_, before, after in tests]
    said = {"random": "drawn", "starter": "given by the starter"}
    rows = zip(tests, changes, adjusted(changes), strict=True)
    for (what, unit, instruction, before, _), one, p in rows:
        words = verdict(one, p, "greater", "smaller", "not clearly another", unit)
        text = (
            f"Where the **first instruction is {said[instruction]}**, {what} is {words} than where "
            f"the first play is free, where it is {shown(over_boards(before))}."
        )
        name = f"first instruction {instruction} − free: {what}"
        answer.findings.append(finding(name, one, unit, text))
    labels = [f"{reading}, {instruction}" for reading, instruction in places]
    columns = [place(k, n) for k in range(n)]
    values = np.array([triples([over_boards(x) for x in of.T]) for of in places.values()])
    alt = "Margins by place after the starter: " + "; ".join(
        f"{name}: " + ", ".join(f"{x:+.2f}" for x in row)
        for name, row in zip(labels, values[:, :, 0], strict=True)
    )
    half = (values[:, :, 2] - values[:, :, 1]) / 2
    svg = plots.heat_map("fall-places", alt, labels, columns, values[:, :, 0], half, "", "")
    caption = "Margin in a round by place, by what follows a fall and the first instruction."
    answer.plots.append(Plot(svg, caption))
