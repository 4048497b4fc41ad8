"""Statistics of the ladder of loop_seats: the lead of the stronger, wrong orders, replacements."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations

import numpy as np
from scipy import special

from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Ints,
    Matches,
    Rows,
    Statistic,
    mean_of,
)
from experiments.fairness.games.loop_seats.variants import Ladder
from experiments.fairness.study import Study
from experiments.lineups import label

WRONG = "wrong order"
WIN = "chance to win, strongest − weakest"
POINTS = "points a match, strongest − weakest"
ROUND = "points a round, strongest − weakest"
LENGTH = "rounds a match"


def gap(sums: Floats, rows: Rows, value: int = 0) -> float:
    """Mean of the strongest minus that of the weakest agent."""
    return mean_of(sums, rows, 0, value) - mean_of(sums, rows, sums.shape[1] - 1, value)


def wrong_order(one: Ladder, decisions: float, rows: Rows) -> float:
    """Probability that neighbours come out in the wrong order, mean over neighbours.

    Φ(−d √b / s), with mean d and standard deviation s of the difference of two agents' mean
    margins on a board, after the b boards that a number of decisions pays for.
    """
    values = one.margins[rows, :, 0] / one.margins[rows, :, 1]
    differences = values[:, :-1] - values[:, 1:]
    boards = decisions / one.cost[rows, 0].mean()
    mean, spread = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    return float(special.ndtr(-mean * math.sqrt(boards) / spread).mean())


def measures(one: Ladder, decisions: float) -> dict[str, Statistic]:
    """What variants are compared by, each a function of the numbers of boards."""
    return {
        WRONG: partial(wrong_order, one, decisions),
        WIN: partial(gap, one.wins),
        POINTS: partial(gap, one.margins),
        ROUND: partial(gap, one.gains),
        LENGTH: lambda rows: float(
            one.cost[rows, 1].sum() / one.cost[rows, 2].sum(),
        ),
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


def replaced(one: Ladder, pairs: list[tuple[int, str, str]]) -> Floats:
    """What changes where a stronger agent sits down for a weaker one.

    Args:
        one: The ladder.
        pairs: See `replacements`.

    Returns:
        float64 [B, pairs, 2]: on each board, in the mean of the rotations, by how much the points
        of the player who was replaced rise, and by how much those of all others fall together.
    """
    matches = one.matches
    found = np.zeros((one.boards, len(pairs), 2))
    for k, (i, strong, weak) in enumerate(pairs):
        own, total = (
            _points(matches, strong, i)[j] - _points(matches, weak, i + 1)[j] for j in range(2)
        )
        found[:, k, 0], found[:, k, 1] = own, own - total
    return found


def _points(matches: Matches, lineup: str, agent: int) -> tuple[Floats, Floats]:
    """Mean points of an agent and of the whole table on every board, each float64 [B]."""
    at: Ints = np.flatnonzero(matches.lineup == lineup)
    board = matches.board[at]
    points = matches.points[at]
    count = np.bincount(board, minlength=matches.boards)
    own = (points * (matches.agent[at] == agent)).sum(axis=1)
    return (
        np.bincount(board, own, matches.boards) / count,
        np.bincount(board, points.sum(axis=1), matches.boards) / count,
    )


def exchange(values: Floats, rows: Rows) -> float:
    """y/x: points that the others lose for each point that the stronger player gains."""
    x, y = values[rows].sum(axis=(0, 1))
    return float(y / x) if x != 0 else math.nan
