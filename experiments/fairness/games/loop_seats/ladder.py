"""Statistics of the ladder of loop_seats: the lead of the stronger, wrong orders, replacements."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import special

from experiments.fairness.boards import folded
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Ints,
    Matches,
    Rows,
    Statistic,
    board_sums,
    mean_of,
    ratio,
    read_matches,
    read_rounds,
)
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.lineups import label

WRONG = "wrong order"
WIN = "chance to win, strongest − weakest"
POINTS = "points a match, strongest − weakest"
ROUND = "points a round, strongest − weakest"
LENGTH = "rounds a match"


class Ladder(NamedTuple):
    """Sums over the boards of the ladder by fold, A agents best first.

    Attributes:
        margins: Points above the table's mean, and the number of matches, float64 [FOLDS, A, 2].
        apart: See `neighbours_apart`, float64 [FOLDS, A - 1, 2].
        wins: Shares of wins, and the number of matches, float64 [FOLDS, A, 2].
        gains: Gain, base and change of a round above the table's mean, and the number of rounds,
            float64 [FOLDS, A, 4].
        cost: Decisions, rounds, matches and boards, float64 [FOLDS, 4].
        exchanged: See `replaced`, float64 [FOLDS, A - 1, 2], or [FOLDS, 0, 2] without an agent to
            spare.
    """

    margins: Floats
    apart: Floats
    wins: Floats
    gains: Floats
    cost: Floats
    exchanged: Floats


def ladder_sums(study: Study, played: Played) -> Ladder:
    """Sums over boards that the ladder has played."""
    pairs, agents = replacements(study), len(study.ladder)

    def sums(part: Part) -> dict[str, Floats]:
        matches, rounds = read_matches(part), read_rounds(part)
        b = part.boards
        margin = matches.points - matches.points.mean(axis=1, keepdims=True)
        margins, wins = (
            board_sums(b, matches.board, matches.agent, agents, [value])
            for value in (margin, matches.wins)
        )
        more = [rounds.more(name) for name in ("gain", "base", "change")]
        cost = [
            np.bincount(matches.board, matches.decisions, b),
            np.bincount(rounds.board, minlength=b),
            np.bincount(matches.board, minlength=b),
            np.ones(b),
        ]
        return {
            "margins": margins,
            "apart": neighbours_apart(margins),
            "wins": wins,
            "gains": board_sums(b, rounds.board, rounds.agent, agents, more),
            "cost": np.stack(cost, axis=1),
            "exchanged": replaced(matches, pairs),
        }

    return Ladder(**folded(played, sums))


def gap(sums: Floats, rows: Rows, value: int = 0) -> float:
    """Mean of the strongest minus that of the weakest agent."""
    return mean_of(sums, rows, 0, value) - mean_of(sums, rows, sums.shape[1] - 1, value)


def neighbours_apart(margins: Floats) -> Floats:
    """Differences of neighbours' mean margins on a board.

    Args:
        margins: float64 [B, A, 2], sums and numbers.

    Returns:
        float64 [B, A - 1, 2], the differences and their squares.
    """
    values = margins[:, :, 0] / margins[:, :, 1]
    differences = values[:, :-1] - values[:, 1:]
    return np.stack([differences, differences**2], axis=2)


def wrong_order(one: Ladder, decisions: float, rows: Rows) -> float:
    """Probability that neighbours come out in the wrong order, mean over neighbours.

    Φ(−d √b / s), with mean d and standard deviation s of the difference of two agents' mean
    margins on a board, after the b boards that a number of decisions pays for.
    """
    apart, squares = one.apart[rows].sum(axis=0).T
    spent, _, _, count = one.cost[rows].sum(axis=0)
    mean = apart / count
    spread = np.sqrt(np.maximum(squares - apart * mean, 0) / (count - 1))  # rounding, if 0
    boards = decisions * count / spent
    return float(special.ndtr(-mean * math.sqrt(boards) / spread).mean())


def measures(one: Ladder, decisions: float) -> dict[str, Statistic]:
    """What variants are compared by, each a function of the numbers of folds."""
    return {
        WRONG: partial(wrong_order, one, decisions),
        WIN: partial(gap, one.wins),
        POINTS: partial(gap, one.margins),
        ROUND: partial(gap, one.gains),
        LENGTH: partial(ratio, one.cost, 1, 2),
    }


# One agent replaced by the next stronger one ------------------------------------------------------


def replacements(study: Study) -> list[tuple[int, str, str]]:
    """Ladder line-ups that differ in a single agent, the next stronger one for the next weaker.

    Returns:
        Number of the stronger agent, line-up with it, line-up with the weaker one.
    """
    names = study.ladder
    found = []
    for i in range(len(names) - 1):
        rest = [k for k in range(len(names)) if k not in (i, i + 1)]
        for others in combinations(rest, study.num_players - 1):
            ups = [label([names[k] for k in sorted((*others, own))]) for own in (i, i + 1)]
            found.append((i, ups[0], ups[1]))
    return found


def replaced(matches: Matches, pairs: list[tuple[int, str, str]]) -> Floats:
    """What changes where a stronger agent sits down for a weaker one.

    Args:
        matches: Matches of the ladder.
        pairs: See `replacements`.

    Returns:
        float64 [B, stronger agents, 2]: on each board, in the mean of the line-ups and rotations,
        by how much the points of the player who was replaced rise, and by how much those of all
        others fall together.
    """
    stronger = [i for i, _, _ in pairs]
    found = np.zeros((matches.boards, len(set(stronger)), 2))
    for i, strong, weak in pairs:
        own, total = _points(matches, strong, i) - _points(matches, weak, i + 1)
        found[:, i] += np.stack([own, own - total], axis=1) / stronger.count(i)
    return found


def _points(matches: Matches, lineup: str, agent: int) -> Floats:
    """Mean points of an agent and of the whole table on every board, float64 [2, B]."""
    at: Ints = np.flatnonzero(matches.lineup == lineup)
    board = matches.board[at]
    points = matches.points[at]
    own = (points * (matches.agent[at] == agent)).sum(axis=1)
    sums = [np.bincount(board, x, matches.boards) for x in (own, points.sum(axis=1))]
    return np.stack(sums) / np.bincount(board, minlength=matches.boards)


def exchange(values: Floats, rows: Rows) -> float:
    """y/x: points that the others lose for each point that the stronger player gains."""
    x, y = values[rows].sum(axis=(0, 1))
    return float(y / x) if x != 0 else math.nan
