"""Is skill rewarded alike on easy and hard hands of loop_boards?"""

from __future__ import annotations

import numpy as np
import polars as pl

from experiments import plots
from experiments.fairness.answers import Answer, finding, p_text, shown
from experiments.fairness.boards import MATCH, Floats, each_board, over_boards, p_value, triples
from experiments.fairness.games.loop_boards.rule import (
    GROUPS,
    by_group,
    difficulty,
    grouped,
    shared_boards,
    with_markers,
)
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from loop_envs.duplicate import holm


def skill(answer: Answer, study: Study) -> None:
    """Adds how far the ladder's best agent is ahead of its worst by difficulty of the hand.

    The two hold each hand once in every match in which both sit, so their difference on a hand
    is one of play alone.
    """
    boards = shared_boards(study)
    played = study.ladders().some(boards)
    strong, weak = study.ladder[0], study.ladder[-1]
    ahead = {
        "markers": _ahead(played, strong, weak, "marker"),
        "places": _ahead(played, strong, weak, "result"),
    }
    group = grouped(difficulty(study.identical().some(boards)))
    of_group = {name: by_group(x, group) for name, x in ahead.items()}
    of = of_group["markers"]
    hard, easy, middle = of[:, -1], of[:, 0], (of[:, 1] + of[:, 2]) / 2
    tests = {GROUPS[-1]: hard - middle, GROUPS[0]: easy - middle}
    adjusted = holm([p_value(over_boards(x)) for x in tests.values()])
    mid = over_boards(middle)
    for (name, x), own, p in zip(tests.items(), (hard, easy), adjusted, strict=True):
        change = over_boards(x)
        word = "as much, as far as is seen, as"
        if p < 0.05:
            word = "more than" if change.mean > 0 else "less than"
        text = (
            f"With the **{name}** hands **{strong}** gets {shown(over_boards(own))} points a "
            f"marker more than **{weak}** with the same hand at the same table: {word} with "
            f"middling ones ({shown(mid)}; {p_text(p)} after Holm's adjustment)."
        )
        answer.findings.append(
            finding(f"skill with {name} − middling hands", change, "points a marker", text)
        )
    rows = {
        f"{group_name}: by {name}": over_boards(x[:, k])
        for name, x in of_group.items()
        for k, group_name in enumerate(GROUPS)
    }
    alt = f"{strong} ahead of {weak}: " + "; ".join(f"{k} {v.mean:.2f}" for k, v in rows.items())
    svg = plots.intervals(
        "loop-skill", alt, list(rows), triples(list(rows.values())), f"{strong} ahead of {weak}"
    )
    answer.plots.append(
        Plot(
            svg, f"How far {strong} is ahead of {weak} with the same hand, in points and in places."
        )
    )


def _ahead(played: Played, strong: str, weak: str, column: str) -> Floats:
    """By board and hand, how far one agent is ahead of another, float64 [boards, hands].

    Mean over the matches in which both sit.
    """
    agent = pl.col("agent").cast(pl.String)
    signed = (agent == strong).cast(pl.Float64) - (agent == weak).cast(pl.Float64)

    def ahead(part: Part) -> Floats:
        both = (
            with_markers(part.rounds)
            .filter(agent.is_in([strong, weak]))
            .group_by(*MATCH, "hand")
            .agg(value=(signed * pl.col(column).cast(pl.Float64)).sum(), number=pl.len())
            .filter(pl.col("number") == 2)
            .group_by("board", "hand")
            .agg(pl.col("value").mean())
            .collect()
        )
        # In a match of few rounds the two may have no hand in common.
        found = np.full((part.boards, part.game.num_players), np.nan)
        board = both["board"].to_numpy() - part.numbers.start
        found[board, both["hand"].to_numpy()] = both["value"].to_numpy()
        return found

    return each_board(played, ahead)
