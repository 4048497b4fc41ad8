"""Loopla: what is it worth to play first, and who should?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.boards import Floats, each_board, over_boards, triples
from experiments.fairness.games.loopla.compare import UNIT, WINS, adjusted, over_columns, verdict
from experiments.fairness.games.loopla.starter import place_values, rules
from experiments.fairness.games.loopla.tables import (
    LONG,
    TARGETS,
    Rounds,
    allowed,
    cut,
    edge,
    usual_target,
)
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table

NUMBERS = (2, 3, 4, 5, 6)


def first(study: Study) -> Answer:
    """The starter's advantage, and rules that say who starts."""
    answer = Answer(
        "first",
        "Playing first",
        "What is it worth to play first in a round, and in a whole match? Does the leader run "
        "away, or the last one catch up, where the winner or the loser of a round begins the next?",
    )
    _advantage(study, answer)
    rules(study, place_values(long_matches(study, study.num_players)), answer)
    return answer


def long_matches(study: Study, n: int) -> Played:
    """Equal agents at the highest target, for a number of players."""
    return study.identical({**LONG, "num_players": n}, f"long-n{n}")


def first_edges(played: Played, targets: Sequence[int]) -> Floats:
    """By how much the first round's starter wins more than the others.

    Args:
        played: An arm with one match on each board.
        targets: Points that end a match.

    Returns:
        float64 [boards, targets].
    """

    def edges(part: Part) -> Floats:
        rounds = Rounds(part)
        matches = [cut(part, target, rounds).sort("board", "turn") for target in targets]
        shares = [one["share"].to_numpy().reshape(part.boards, -1) for one in matches]
        return np.stack([edge(places) for places in shares], axis=1)

    return each_board(played, edges)


def _advantage(study: Study, answer: Answer) -> None:
    numbers = allowed(study, NUMBERS)
    goal = usual_target(study.game)
    columns = ["the starter", *(f"{k} after" for k in range(1, max(numbers)))]
    rows = [["players", *columns]]
    in_rounds, in_matches, curves = [], [], {}
    for n in numbers:
        played = long_matches(study, n)
        places = place_values(played)
        in_rounds.append(over_boards(edge(places)))
        cells = map(shown, over_columns(places))
        rows.append([str(n), *cells, *[""] * (max(numbers) - n)])
        usual, *by_target = over_columns(first_edges(played, (goal, *TARGETS)))
        in_matches.append(usual)
        curves[f"{n} players"] = np.column_stack([TARGETS, triples(by_target)])
    p = adjusted(in_rounds + in_matches)
    others = "than the others on average"
    for n, one, value in zip(numbers, in_rounds, p, strict=False):
        words = verdict(
            one, value, f"more {others}", f"less {others}",
            f"neither clearly more nor clearly less {others}",
        )  # fmt: skip
        text = f"With **{n} players** the starter of a round gets {words}."
        answer.findings.append(finding(f"starter of a round, {n} players", one, UNIT, text))
    for n, one, value in zip(numbers, in_matches, p[len(numbers) :], strict=True):
        words = verdict(
            one, value, f"more often {others}", f"less often {others}",
            f"neither clearly more nor clearly less often {others}", WINS,
        )  # fmt: skip
        text = (
            f"In whole matches of **{n} players** to {goal} points, who begins the first round "
            f"wins {words}."
        )
        name = f"starter of the first round, {n} players"
        answer.findings.append(finding(name, one, WINS, text))
    labels = [f"{n} players" for n in numbers]
    values = triples(in_rounds)
    alt = "What the starter of a round gains more than the others: " + "; ".join(
        f"{label} {row[0]:+.2f}" for label, row in zip(labels, values, strict=True)
    )
    svg = plots.intervals("starter-rounds", alt, labels, values, "starter − others, points a round")
    answer.plots.append(Plot(svg, "The starter's advantage in a round, with 95 % intervals."))
    ends = "; ".join(
        f"{label} {curve[0, 1]:+.3f} at {TARGETS[0]}, {curve[-1, 1]:+.3f} at {TARGETS[-1]} points"
        for label, curve in curves.items()
    )
    alt = f"How much more often the first starter wins, against the target: {ends}"
    svg = plots.curve_plot("starter-matches", alt, curves, "target, points", WINS, zero=True)
    caption = "How much more often the first starter wins than the others, by the match's target."
    answer.plots.append(Plot(svg, caption))
    answer.tables.append(Table(rows, "Margin in a round by place after the starter, points"))
    answer.notes.append(
        f"{study.ladder[0]} in all seats, {study.settings.variants:,} boards for each number of "
        "players, one match each; the starter's value minus the mean of the other places, by "
        "board. Rounds: those that every match has, because the last ones of a match are chosen by "
        "what was scored in them. Matches of lower targets are the beginnings of the same matches. "
        "P values with Holm's adjustment for all numbers of players, rounds and matches."
    )
