"""The fourth player's choice of a seat in loop_seats, and what it is worth."""

from __future__ import annotations

from functools import partial

import numpy as np

from agents.base import Agent, CompiledAgent
from agents.heuristics.loop_seats import with_weights
from agents.noisy import noisy
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import each_board, over_boards
from experiments.fairness.games.loop_seats.tables import Floats, Matches, read_matches
from experiments.fairness.games.loop_seats.variants import NOISE
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.lineups import label, rotations
from experiments.schedule import Table as Seating
from loop_envs.duplicate import Interval
from loop_envs.game import Game

NAMES = ("takes-first", "takes-second")
"""Agents by the seat they take, counted from 0."""


def choice(study: Study, answer: Answer) -> list[Finding]:
    """What it brings to take the seat of the second instead, all else equal."""
    answer.notes.append(
        "The choice of the fourth: on every board one planner that takes the seat of the second "
        "sits in every place in turn among three that take the seat of the first and are its "
        "equals in all else, so what it gains or loses is caused by the choice. With noise the "
        "choice itself is at random just as often, which makes the difference a little smaller."
    )
    found = []
    for noise in (0.0, NOISE):
        points, wins = each_board(_played(study, noise), _brought).T
        for values, unit, words in (
            (points, "points a match", "points a match"),
            (wins, "probability", "in the chance to win"),
        ):
            one = over_boards(values)
            text = (
                f"With {noise:.0%} noise, to take the seat of the second whenever one comes last, "
                f"among three who take that of the first, is worth {shown(one)} {words}: "
                f"{_worth(one)}."
            )
            name = f"second's seat − first's seat, {noise:.0%} noise"
            found.append(finding(f"{name}: {unit}", one, unit, text))
    return found


def _worth(one: Interval) -> str:
    if one.high < 0:
        return "the hand that came first is worth it, although its rank is hard to keep"
    if one.low > 0:
        return "the hand that came first is **not worth what it seems**"
    return "it is not clear which is better"


def _played(study: Study, noise: float) -> Played:
    lineup = (NAMES[1], NAMES[0], NAMES[0], NAMES[0])
    tables = [Seating(label(lineup), k, seats) for k, seats in enumerate(rotations(lineup))]
    players = {
        name: study.made(
            f"planner that {name} with noise {noise!r}", partial(_planner, name, seat, noise)
        )
        for seat, name in enumerate(NAMES)
    }
    name = f"choice-{round(100 * noise)}"
    return study.play(Arm(name, players, [tables], study.settings.variants, rounds=False))


def _planner(name: str, seat: int, noise: float, game: Game) -> Agent:
    agent = CompiledAgent(game, with_weights(name, {}, seat))
    return noisy(name, agent, noise, game) if noise else agent


def _brought(part: Part) -> Floats:
    """What the choice brings in points and in wins, float64 [boards, 2]."""
    matches = read_matches(part)
    both = [other_choice(matches, values) for values in (matches.points, matches.wins)]
    return np.stack(both, axis=1)


def other_choice(matches: Matches, values: Floats) -> Floats:
    """What the odd one out gets above the mean of the others, by board.

    Args:
        matches: Matches in which one player is agent 1 and all others are agent 0.
        values: float64 [M, n].

    Returns:
        float64 [B], the mean over the matches of each board.
    """
    odd = matches.agent == 1
    n = odd.shape[1]
    own = (values * odd).sum(axis=1)
    more = own - (values.sum(axis=1) - own) / (n - 1)
    count = np.bincount(matches.board, minlength=matches.boards)
    means: Floats = np.bincount(matches.board, more, matches.boards) / count
    return means
