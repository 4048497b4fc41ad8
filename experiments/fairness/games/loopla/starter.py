"""Loopla: who should begin a round, the next player, the winner or the loser of the last one?"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, by_board, each_board, over_boards, triples
from experiments.fairness.games.loopla.compare import WINS, adjusted, verdict
from experiments.fairness.games.loopla.tables import (
    Ints,
    Rounds,
    by_place,
    cut,
    shared,
    unselected,
    usual_target,
)
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study, ordered_tables
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, jackknife_interval

RULES = ("rotate", "winner", "loser")
"""Who begins a later round: the next player, or who had most or fewest points of the last one."""
WHO = ("leader", "last")
MATCH = "points a match"
GETS = {"leader": "the player who is ahead gets", "last": "the player who is behind gets"}


def helped(counts: Floats, usual: Floats, values: Floats) -> Interval:
    """What places are worth to somebody who has them more often by one rule than by another.

    The mean over boards of ``Σ (count − usual count) · value``. Equal agents who do not look at
    the score get from a round what their place in it is worth, whatever came before, so this is
    what they gain by the rule, with far less noise than in the points themselves.

    Args:
        counts: float64 [boards, n], rounds of a match by place.
        usual: The same by the other rule.
        values: float64 [boards, n], margin in a round by place.
    """
    more = counts - usual
    boards = np.arange(len(more))

    def gain(some: Ints) -> float:
        return float(more[some].mean(axis=0) @ values[some].mean(axis=0))

    mean, low, high, groups = jackknife_interval(boards, gain)
    return Interval(mean, low, high, groups)


def course(played: Played, target: int) -> dict[str, Floats]:
    """How matches of an arm went that has one on each board.

    `leader`, `last`: float64 [boards, n], in how many later rounds who was ahead, and who was
    behind, had each place after the starter; those who are level share one. `spread`: float64
    [boards], first minus last at the end, points. `half`: float64 [boards], share of the win that
    goes to who led when half the target was reached.
    """

    def columns(part: Part) -> Floats:
        rounds = Rounds(part)
        before = rounds.total - rounds.gain
        final = rounds.total[rounds.lasts]
        half = shared(rounds.total[rounds.ends(target / 2)])
        return np.column_stack(
            [
                _had(rounds, before),
                _had(rounds, -before),
                final.max(axis=1) - final.min(axis=1),
                (half * shared(final)).sum(axis=1),
            ]
        )

    found = each_board(played, columns)
    leader, last, ends = np.split(found, [len(found.T) // 2 - 1, -2], axis=1)
    return {"leader": leader, "last": last, "spread": ends[:, 0], "half": ends[:, 1]}


def _had(rounds: Rounds, standing: Ints) -> Floats:
    """How often those who stood highest before a later round had each place, float64 [M, n]."""
    weight = shared(standing)
    weight[rounds.starts] = 0  # nobody is ahead yet
    places = range(weight.shape[1])
    cells = [np.where(rounds.turn == k, weight, 0).sum(axis=1) for k in places]
    counts: Floats = np.add.reduceat(np.stack(cells, axis=1), rounds.starts, axis=0)
    return counts


def rules(study: Study, values: Floats, answer: Answer) -> None:
    """Compares the rules, in equal agents' matches and for the best agent among weaker ones.

    Args:
        study: The study.
        values: float64 [boards, n], margin in a round by place after the starter.
        answer: Gets findings, plot, table and note.
    """
    names, found, said = [], [], []
    helps: dict[tuple[str, str], Interval] = {}
    usual = _went(study, "rotate")
    rows = [["who begins", "begun by the leader", "begun by the last", "first − last, points",
             "leader at half wins", f"{study.ladder[0]} wins"], _row("rotate", usual)]  # fmt: skip
    for rule in RULES[1:]:
        went = _went(study, rule)
        rows.append(_row(rule, went))
        for who in WHO:
            helps[rule, who] = helped(went[who], usual[who], values)
            names.append((rule, who, MATCH))
            found.append(helps[rule, who])
            said.append((GETS[who], "more", "less", "neither clearly more nor clearly less"))
        for key, name, what, unit in (
            ("spread", "spread", "the distance of first and last at the end", "points"),
            ("half", "half", "the share of wins of who leads at half the target", WINS),
            (
                "best",
                f"wins of {study.ladder[0]}",
                f"the share of wins of {study.ladder[0]} against weaker players",
                WINS,
            ),
        ):
            names.append((rule, name, unit))
            found.append(over_boards(went[key] - usual[key]))
            said.append((what, "is greater", "is smaller", "is not clearly another"))
    p = adjusted(found)
    boards = study.settings.variants
    for (rule, key, unit), one, words, value in zip(names, found, said, p, strict=True):
        what, *rest = words
        text = (
            f"Where the **{rule}** of a round begins the next, {what} "
            f"{verdict(one, value, rest[0], rest[1], rest[2], unit)} than where the start rotates."
        )
        name = f"the {rule} begins − rotation: {key}"
        answer.findings.append(finding(name, one, unit, text, boards))
    answer.tables.append(Table(rows, "Matches by who begins a round"))
    labels = [f"{rule} begins, {who}" for rule, who in helps]
    shown_values = triples(list(helps.values()))
    alt = "What the leader and the last one get more than where the start rotates: " + "; ".join(
        f"{label} {row[0]:+.2f}" for label, row in zip(labels, shown_values, strict=True)
    )
    svg = plots.intervals("starter-rules", alt, labels, shown_values, MATCH)
    caption = "What the leader and the last one get more than where the start rotates."
    answer.plots.append(Plot(svg, caption))
    answer.notes.append(
        f"Who begins: equal agents on the same boards by all three rules, {len(found)} comparisons "
        "by board with Holm's adjustment. What leader and last get: Σ over places of the change in "
        "how often they have it, times what it is worth, for equal agents who do not look at the "
        "score get from a round what their place is worth; intervals by the jackknife over boards "
        "of both together. Wins against weaker players: as many of the ladder's best as there are "
        "seats, in all rotations."
    )


def _went(study: Study, rule: str) -> dict[str, Floats]:
    """`course` by a rule, and `best`: float64 [boards], see `_best_wins`."""
    goal = usual_target(study.game)
    options = {"target": goal, "rounds": None, "starter": rule}
    equal = study.identical(options, f"starter-{rule}")
    return {**course(equal, goal), "best": _best_wins(study, options, rule)}


def _row(rule: str, went: dict[str, Floats]) -> list[str]:
    """A row of the table."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a match of one round
        begun = [went[who][:, 0] / went[who].sum(axis=1) for who in WHO]
    values = [*begun, *(went[key] for key in ("spread", "half", "best"))]
    return [rule, *(shown(over_boards(x)) for x in values)]


def place_values(played: Played) -> Floats:
    """Margin in a round by place after the starter, float64 [boards, n]."""
    places = by_place(played, unselected(played))
    mean: Floats = places.mean(axis=1, keepdims=True)
    return places - mean


def _best_wins(study: Study, options: dict[str, Any], rule: str) -> Floats:
    """Shares of wins of the best of as many agents as there are seats, float64 [boards]."""
    lineup = study.ladder[: study.num_players]
    who = study.players()
    players = {name: who[name] for name in lineup}
    boards = study.settings.variants
    arm = Arm(f"skilled-{rule}", players, ordered_tables([lineup]), boards, options)
    goal = usual_target(study.game)

    def matches(part: Part) -> pl.LazyFrame:
        return cut(part, goal).lazy()

    return by_board(study.play(arm), ["agent"], "share", matches)[1][:, 0]
