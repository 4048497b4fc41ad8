"""What it is worth in loop_boards to remember hands, and to know the results on the boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from agents.base import Agent
from agents.handicapped import handicapped
from experiments import plots
from experiments.config_fairness import name_of
from experiments.config_tournament import TournamentAgent
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.arms import Arm, Player
from experiments.fairness.boards import Floats, by_board, over_boards, triples
from experiments.fairness.games.loop_boards.order import MEMORY
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from experiments.lineups import label, lineups, rotations
from experiments.schedule import Table
from loop_envs.duplicate import Interval
from loop_envs.game import Game

RESULTS = ("results", "points")
"""Fields of the observation that tell what has been reached on the boards."""
SAME_BOARDS = 50
"""Boards that are enough to see whether two agents play the same."""


def memory(study: Study, answer: Answer) -> Interval:
    """Adds what memory is worth, to whom, and what it costs whom.

    Returns:
        What memory is worth to the ladder's best, in points a match.
    """
    agent = study.settings.ladder[0]
    best, without = study.ladder[0], f"{study.ladder[0]}-forgetful"
    boards = study.settings.variants
    difference = _head_to_head(study, agent, MEMORY, without, boards)
    worth = over_boards(difference)
    verdict = (
        f"is worth {shown(worth)} points a match"
        if worth.low > 0
        else f"costs {shown(Interval(-worth.mean, -worth.high, -worth.low, worth.n))} points"
        if worth.high < 0
        else f"makes no difference that is seen, {shown(worth)} points a match"
    )
    text = (
        f"Memory of the hands of earlier rounds {verdict}: **{best}** against itself without that "
        "memory, each in half of the seats."
    )
    answer.findings.append(finding(f"{best} − {without}", worth, "points a match", text))
    if study.num_players > 2:
        _victims(study, answer, without)
    answer.findings += [
        _results(study, one, study.ladder[0] == name_of(one))
        for one in [agent, *study.settings.others[:1]]
    ]
    answer.notes.append(
        "Memory and results: an agent meets itself with some fields of its observation set to "
        f"zero ({', '.join((*MEMORY, *RESULTS))}), on the same boards in all rotations. To a "
        "trained network that is a position it has never met, which by itself may make it weaker."
    )
    return worth


def _lacking(study: Study, agent: TournamentAgent, hide: Sequence[str], name: str) -> Player:
    player = study.player(agent)

    def make(game: Game) -> Agent:
        return handicapped(name, player.make(game), game, hide=hide)

    return Player(f"{player.what} without {tuple(hide)}", make)


def _head_to_head(
    study: Study, agent: TournamentAgent, hide: Sequence[str], without: str, boards: int
) -> Floats:
    """By board, how far an agent is ahead of itself when that lacks something."""
    name = name_of(agent)
    tables = [
        Table(label(lineup), k, seats)
        for lineup in lineups([name, without], study.num_players, "pairs")
        for k, seats in enumerate(rotations(lineup))
    ]
    players = {name: study.player(agent), without: _lacking(study, agent, hide, without)}
    arm = Arm(f"lacks-{without}", players, [tables], boards, rounds=False)
    _, margins = by_board(study.play(arm), ["agent"], "margin")  # in the players' order
    return margins[:, 0] - margins[:, 1]


def _victims(study: Study, answer: Answer, without: str) -> None:
    """Who pays for the memory of a single player."""
    agent, n = study.settings.ladder[0], study.num_players
    best = study.ladder[0]
    lineup = (best, *[without] * (n - 1))
    tables = [Table(label(lineup), k, seats) for k, seats in enumerate(rotations(lineup))]
    players = {best: study.player(agent), without: _lacking(study, agent, MEMORY, without)}
    arm = Arm("one-remembers", players, [tables], study.settings.variants, rounds=False)
    # Rotation k has the one that remembers in seat k.
    away = (pl.col("seat").cast(pl.Int64) - pl.col("rotation").cast(pl.Int64) + n) % n
    _, margins = by_board(
        study.play(arm), ["away"], "margin", lambda part: part.matches.with_columns(away=away)
    )
    ones = [over_boards(margins[:, k]) for k in range(n)]
    names = ["who remembers", *(_place(k, n) for k in range(1, n))]
    text = (
        f"A single **{best}** who remembers hands, among others who do not, has a margin of "
        f"{shown(ones[0])} points a match."
    )
    answer.findings.append(finding("one who remembers", ones[0], "points a match", text))
    apart = over_boards(margins[:, 1] - margins[:, n - 1])
    if apart.low > 0 or apart.high < 0:
        who = "right" if apart.mean > 0 else "left"
        text = (
            f"Of this player's neighbours the **{who}** one is worse off: left minus right is "
            f"{shown(apart)} points a match."
        )
    else:
        text = (
            "Both neighbours of this player fare alike, as far as is seen: left minus right is "
            f"{shown(apart)} points a match."
        )
    answer.findings.append(
        finding("neighbours of one who remembers, left − right", apart, "points a match", text)
    )
    alt = "Margins beside one who remembers: " + "; ".join(
        f"{name} {one.mean:+.2f}" for name, one in zip(names, ones, strict=True)
    )
    svg = plots.intervals("loop-memory", alt, names, triples(ones), "mean margin, points a match")
    answer.plots.append(
        Plot(
            svg, "One player remembers hands, the others do not. The left neighbour gets its hands."
        )
    )


def _place(k: int, n: int) -> str:
    if k == 1:
        return "left neighbour"
    return "right neighbour" if k == n - 1 else f"{k} to the left"


def _results(study: Study, agent: TournamentAgent, ladder: bool) -> Finding:
    """What it is worth to an agent to see the results on the boards."""
    name = name_of(agent)
    boards = min(SAME_BOARDS if ladder else study.settings.others_boards, study.settings.boards)
    difference = _head_to_head(study, agent, RESULTS, f"{name}-blind", boards)
    worth = over_boards(difference)
    if float(np.abs(difference).max()) < 1e-9:
        worth = Interval(0.0, 0.0, 0.0, worth.n)
        text = (
            f"**{name}** makes no use of the results on the boards: without them it does the same."
        )
    else:
        word = "neither gains nor loses, as far as is seen,"
        if worth.low > 0 or worth.high < 0:
            word = "gains" if worth.mean > 0 else "loses"
        text = (
            f"**{name}** {word} by seeing the results on the boards: {shown(worth)} points a match "
            "against itself without them."
        )
    return finding(f"{name}: results on the boards", worth, "points a match", text)
