"""Loopla: who should begin a round, the next player, the winner or the loser of the last one?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm, Played
from experiments.fairness.boards import Floats, by_board, over_boards, triples
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
from experiments.fairness.study import Study, ordered_tables
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, jackknife_interval

RULES = ("rotate", "winner", "loser")
"""Who begins a later round: the next player, or who had most or fewest points of the last one."""
WHO = ("leader", "last")
MATCH = "points a match"
GETS = {"leader": "the player who is ahead gets", "last": "the player who is behind gets"}


def standing_places(played: Played) -> dict[str, Floats]:
    """How often the leader, and the last one, had each place after the starter.

    Returns:
        By "leader" and "last" float64 [M, n], numbers of later rounds of every match; those who
        are level share one.
    """
    rounds = Rounds(played)
    before = rounds.total - rounds.gain
    n = before.shape[1]
    found = {}
    for who, standing in zip(WHO, (before, -before), strict=True):
        weight = shared(standing)
        weight[rounds.starts] = 0  # nobody is ahead yet
        cells = [np.where(rounds.turn == k, weight, 0).sum(axis=1) for k in range(n)]
        found[who] = np.add.reduceat(np.stack(cells, axis=1), rounds.starts, axis=0)
    return found


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
    """How matches went, by match, in order: float64 [M] each.

    `spread`: first minus last at the end, points. `half`: share of the win that goes to who led
    when half the target was reached.
    """
    rounds = Rounds(played)
    final = rounds.total[rounds.lasts]
    half = shared(rounds.total[rounds.ends(target / 2)])
    return {
        "spread": (final.max(axis=1) - final.min(axis=1)).astype(np.float64),
        "half": (half * shared(final)).sum(axis=1),
    }


def rules(study: Study, values: Floats, answer: Answer) -> None:
    """Compares the rules, in equal agents' matches and for the best agent among weaker ones.

    Args:
        study: The study.
        values: float64 [boards, n], margin in a round by place after the starter.
        answer: Gets findings, plot, table and note.
    """
    goal = usual_target(study.game)
    same = {"target": goal, "rounds": None}
    arms = {rule: study.identical({**same, "starter": rule}, f"starter-{rule}") for rule in RULES}
    counts = {rule: standing_places(arm) for rule, arm in arms.items()}
    went = {rule: course(arm, goal) for rule, arm in arms.items()}
    best = {rule: _best_wins(study, {**same, "starter": rule}, rule) for rule in RULES}
    names, found, said = [], [], []
    helps = {
        (rule, who): helped(counts[rule][who], counts["rotate"][who], values)
        for rule in RULES[1:]
        for who in WHO
    }
    for rule in RULES[1:]:
        for who in WHO:
            names.append((rule, who, MATCH))
            found.append(helps[rule, who])
            said.append((GETS[who], "more", "less", "neither clearly more nor clearly less"))
        for key, what, unit in (
            ("spread", "the distance of first and last at the end", "points"),
            ("half", "the share of wins of who leads at half the target", WINS),
        ):
            names.append((rule, key, unit))
            found.append(over_boards(went[rule][key] - went["rotate"][key]))
            said.append((what, "is greater", "is smaller", "is not clearly another"))
        names.append((rule, f"wins of {study.ladder[0]}", WINS))
        found.append(over_boards(best[rule] - best["rotate"]))
        what = f"the share of wins of {study.ladder[0]} against weaker players"
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
    _table(study, answer, counts, went, best)
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


def _table(
    study: Study,
    answer: Answer,
    counts: dict[str, dict[str, Floats]],
    went: dict[str, dict[str, Floats]],
    best: dict[str, Floats],
) -> None:
    rows = [["who begins", "begun by the leader", "begun by the last", "first − last, points",
             "leader at half wins", f"{study.ladder[0]} wins"]]  # fmt: skip
    for rule in RULES:
        with np.errstate(divide="ignore", invalid="ignore"):  # a match of one round
            begun = [x[:, 0] / x.sum(axis=1) for x in counts[rule].values()]
        values = [*begun, went[rule]["spread"], went[rule]["half"], best[rule]]
        rows.append([rule, *(shown(over_boards(x)) for x in values)])
    answer.tables.append(Table(rows, "Matches by who begins a round"))


def place_values(played: Played) -> Floats:
    """Margin in a round by place after the starter, float64 [boards, n]."""
    places = by_place(unselected(played))
    mean: Floats = places.mean(axis=1, keepdims=True)
    return places - mean


def _best_wins(study: Study, options: dict[str, Any], rule: str) -> Floats:
    """Shares of wins of the best of as many agents as there are seats, float64 [boards]."""
    lineup = study.ladder[: study.num_players]
    who = study.players()
    players = {name: who[name] for name in lineup}
    boards = study.settings.variants
    arm = Arm(f"skilled-{rule}", players, ordered_tables([lineup]), boards, options)
    matches = cut(study.play(arm), usual_target(study.game))
    return by_board(matches.lazy(), ["agent"], "share")[1][:, 0]
