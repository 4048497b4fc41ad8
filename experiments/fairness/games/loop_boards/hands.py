"""Does the marker rule of loop_boards reward difficult hands fairly?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, p_text, shown
from experiments.fairness.boards import Floats, over_boards, p_value, triples
from experiments.fairness.games.loop_boards.rule import (
    GROUPS,
    difficulty,
    group_means,
    group_sums,
    grouped,
    marker_values,
    one_rank_better,
    shared_boards,
)
from experiments.fairness.games.loop_boards.skill import skill
from experiments.fairness.played import Part
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import holm

Ints = npt.NDArray[np.int64]
SLICE = 2**12
"""Boards whose values are made at a time."""


class Markers(NamedTuple):
    """Markers of B boards of equal agents.

    Attributes:
        rank: By hand and round, 1 best, int8 [B, hands, rounds].
        group: Difficulty of each hand, see `GROUPS`, int64 [B, hands].
    """

    rank: npt.NDArray[np.int8]
    group: Ints

    def by_group(self, values: Callable[[Ints], npt.NDArray[Any]]) -> Floats:
        """Means by group of hands, spread over boards, see `group_means`.

        Args:
            values: Makes values [b, hands, ...] from the ranks of b boards, int64 [b, hands,
                rounds].
        """
        sums = [
            group_sums(values(self.rank[lo : lo + SLICE].astype(np.int64)).astype(np.float64), own)
            for lo in range(0, len(self.rank), SLICE)
            for own in [self.group[lo : lo + SLICE]]
        ]
        return group_means(np.concatenate(sums))


def hands(study: Study) -> Answer:
    """Marker values by difficulty of the hand."""
    answer = Answer(
        "hands",
        "Easy and hard hands",
        "Does the marker rule pay hard and easy hands alike, how much is one rank better worth on "
        "each, and is skill rewarded alike?",
    )
    markers = _markers(study)
    _pay(answer, study, markers)
    _one_better(answer, markers)
    _by_round(answer, markers)
    skill(answer, study)
    answer.notes.append(
        "Difficulty of a hand is the mean rank that is reached with it in other matches on the "
        "same board, in four groups by its quartiles: for the equal agents in those of the ladder, "
        "for the ladder in those of the equal agents, so that no result is judged by itself. "
        "The value of a marker of rank k is the number of markers on its board with a "
        "rank of at least k. These are equal agents on the same hands: differences between groups "
        "are what the rule pays for cards, not for play. Without memory and chance equal agents "
        "would do the same with a hand in every round, so what differs comes from memory."
    )
    return answer


def _markers(study: Study) -> Markers:
    boards, n = shared_boards(study), study.num_players

    def ranks(part: Part) -> npt.NDArray[np.int8]:
        rows = part.rounds.select("board", "hand", "round", "rank").sort("board", "hand", "round")
        return rows.collect()["rank"].to_numpy().reshape(part.boards, n, -1)

    rank = np.concatenate([ranks(part) for part in study.identical().some(boards).parts()])
    return Markers(rank, grouped(difficulty(study.ladders().some(boards))))


def _pay(answer: Answer, study: Study, markers: Markers) -> None:
    """What a marker is worth by difficulty, by the rule and if places were paid."""
    n = study.num_players
    value = markers.by_group(marker_values)
    place = markers.by_group(lambda rank: n + 1 - rank)
    easy, hard = 0, len(GROUPS) - 1
    rule = over_boards(value[:, easy] - value[:, hard])
    plain = over_boards(place[:, easy] - place[:, hard])
    text = (
        f"If places were paid ({n} points for the first to 1 for the last), the easiest quarter of "
        f"the hands would pay its holders {shown(plain)} points more than the hardest."
    )
    answer.findings.append(finding("easy − hard hands, by places", plain, "points a marker", text))
    word = "easy and hard hands pay alike, as far as is seen"
    if rule.low > 0 or rule.high < 0:
        word = f"the **{'easiest' if rule.mean > 0 else 'hardest'}** hands pay more"
    text = f"By the marker rule {word}: easiest − hardest {shown(rule)} points a marker"
    if plain.low > 0:
        text += f", {rule.mean / plain.mean:.0%} of what it would be by places"
    text += "."
    answer.findings.append(finding("easy − hard hands, by markers", rule, "points a marker", text))
    ends = over_boards((value[:, easy] + value[:, hard] - value[:, 1] - value[:, 2]) / 2)
    if ends.low > 0 or ends.high < 0:
        more, less = ("extreme", "middling") if ends.mean > 0 else ("middling", "extreme")
        text = (
            f"Hands of **{more}** difficulty pay more than **{less}** ones (extreme − middling "
            f"{shown(ends)} points a marker): a board pays one point more for every two markers "
            "that are level."
        )
    else:
        text = (
            f"Hands of extreme and of middling difficulty pay alike: {shown(ends)} points a marker."
        )
    answer.findings.append(finding("extreme − middling hands", ends, "points a marker", text))
    means = {
        **{f"{g}: marker": over_boards(value[:, k]) for k, g in enumerate(GROUPS)},
        **{f"{g}: place": over_boards(place[:, k]) for k, g in enumerate(GROUPS)},
    }
    alt = "Mean value by difficulty: " + "; ".join(f"{k} {v.mean:.2f}" for k, v in means.items())
    svg = plots.intervals(
        "loop-hands", alt, list(means), triples(list(means.values())), "points", (n + 1) / 2
    )
    answer.plots.append(
        Plot(svg, "What a hand pays its holder: by the marker rule, and if places were paid.")
    )
    rows = [["hands", "mean rank", "marker", "place"]]
    for k, name in enumerate(GROUPS):
        means_of = [number(over_boards(x[:, k]).mean) for x in (n + 1 - place, value, place)]
        rows.append([name, *means_of])
    answer.tables.append(Table(rows, "Hands by difficulty"))


def _one_better(answer: Answer, markers: Markers) -> None:
    """How much the next better rank is worth by difficulty."""
    n = markers.rank.shape[1]
    gain = markers.by_group(lambda rank: one_rank_better(rank, n))
    ones = [over_boards(gain[:, k]) for k in range(len(GROUPS))]
    middle = (gain[:, 1] + gain[:, 2]) / 2
    for k in (0, len(GROUPS) - 1):
        change = over_boards(gain[:, k] - middle)
        word = "as much, as far as is seen, as"
        if change.low > 0 or change.high < 0:
            word = "more than" if change.mean > 0 else "less than"
        text = (
            f"One rank better with the **{GROUPS[k]}** hands is worth {shown(ones[k])} points of "
            f"margin to those who are not first: {word} with middling ones (difference "
            f"{shown(change)})."
        )
        name = f"one rank better: {GROUPS[k]} − middling"
        answer.findings.append(finding(name, change, "points of margin", text))
    alt = "One rank better: " + "; ".join(
        f"{g} {one.mean:.2f}" for g, one in zip(GROUPS, ones, strict=True)
    )
    svg = plots.intervals("loop-step", alt, list(GROUPS), triples(ones), "points of margin")
    answer.plots.append(Plot(svg, "What one rank better is worth, the other markers as they are."))


def _by_round(answer: Answer, markers: Markers) -> None:
    """Whether it matters in which round one holds a hand."""
    rounds = markers.rank.shape[2]
    of_group = [
        markers.by_group(lambda rank, r=r: marker_values(rank)[:, :, r])  # type: ignore[misc]
        for r in range(rounds)
    ]
    ends = [
        _ends(markers.rank[lo : lo + SLICE].astype(np.int64))
        for lo in range(0, len(markers.rank), SLICE)
    ]
    rise, *level = np.concatenate(ends).T
    tests = {"any": rise}
    for k in (0, len(GROUPS) - 1):
        tests[GROUPS[k]] = of_group[-1][:, k] - of_group[0][:, k]
    adjusted = holm([p_value(over_boards(x)) for x in tests.values()])
    for (name, x), p in zip(tests.items(), adjusted, strict=True):
        one = over_boards(x)
        word = "makes no difference that is seen"
        if p < 0.05:
            word = "is better" if one.mean > 0 else "is worse"
        what = "a hand" if name == "any" else f"one of the {name} hands"
        text = (
            f"To hold {what} in the last round rather than the first {word}: {shown(one)} points "
            f"a marker ({p_text(p)} after Holm's adjustment)."
        )
        if name == "any":
            early, late = (number(float(x.mean())) for x in level)
            text += (
                f" A marker of the last round is level with {late} others, one of the first with "
                f"{early}, and a tie pays both; every round has each rank once, so this is not "
                "better play, and everybody plays in every round, so by itself it favours nobody."
            )
        answer.findings.append(
            finding(f"{name} hand: last − first round", one, "points a marker", text)
        )
    mean: Floats = sum(of_group) / rounds
    cells = [[over_boards(x[:, k] - mean[:, k]) for x in of_group] for k in range(len(GROUPS))]
    values = np.array([[one.mean for one in row] for row in cells])
    half = np.array([[(one.high - one.low) / 2 for one in row] for row in cells])
    labels = [f"round {r + 1}" for r in range(rounds)]
    alt = "Marker values by round, less their mean, by difficulty; largest " + number(
        float(np.nanmax(np.abs(values), initial=0))
    )
    svg = plots.heat_map(
        "loop-rounds", alt, list(GROUPS), labels, values, half, "round in which it is held", "hand"
    )
    answer.plots.append(Plot(svg, "Value of a marker by round, less the mean of such hands."))


def _ends(rank: Ints) -> Floats:
    """How the first and the last round differ, float64 [boards, 3].

    Returns:
        Mean value of a marker in the last round minus that in the first; with how many others of
        its board a marker of the first, and one of the last, is level.
    """
    value = marker_values(rank)
    level = (rank[..., None, :] == rank[..., :, None]).sum(axis=-1) - 1
    first, last = (x.mean(axis=1) for x in (level[:, :, 0], level[:, :, -1]))
    return np.stack([(value[:, :, -1] - value[:, :, 0]).mean(axis=1), first, last], axis=1)
