"""How far a table of pairs is from a ranking: does everybody who beats me beat whom I beat?

A rating gives every pair the difference of two numbers. Whatever a table has beyond that is
cyclic, as in rock, paper, scissors. The split is that of Jiang, Lim, Yao and Ye (2011),
"Statistical ranking and combinatorial Hodge theory", Mathematical Programming 127, 203–244.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.boards import complete, pair_boards
from loop_envs.duplicate.hotelling import hotelling


@dataclass(frozen=True)
class Transitivity:
    """What a table of pairs is made of.

    Attributes:
        agents: Names, sorted.
        differences: float64 [agents, agents]: the table, antisymmetric: how much the row's agent
            is ahead; nan for pairs that did not meet. `alpha_rank` takes it.
        rating: float64 [agents]: the ratings whose differences are closest to the table (least
            squares over the pairs that met), with mean zero.
        cyclic: float64 [agents, agents]: what the ratings leave of it.
        share: Sum of squares of the cyclic part over that of the table: 0 if ratings say
            everything, 1 if they say nothing; nan for a table of zeros.
        p_value: Of the hypothesis that the true table has no cyclic part. nan if there are
            too few boards, or if no cycle could show.
        boards: Number of boards on which all pairs met; the table is their mean.
        triads: Number of circular triads: a beats b, b beats c, c beats a.
        consistence: Kendall and Babington Smith's (1940) ζ: 1 if there is no circular triad, 0
            if there are as many as there can be; nan with fewer than 3 agents or if not all met.
        worst: Three agents a, b, c with the largest sum of differences of a to b, b to c and c
            to a; empty if no three met.
    """

    agents: list[str]
    differences: npt.NDArray[np.float64]
    rating: npt.NDArray[np.float64]
    cyclic: npt.NDArray[np.float64]
    share: float
    p_value: float
    boards: int
    triads: int
    consistence: float
    worst: tuple[str, ...]


def transitivity(results: pl.DataFrame, score: str = "points") -> Transitivity:
    """Splits the mean differences of all pairs into ratings and a cyclic part.

    Chance alone makes a part of every table cyclic; `p_value` is of Hotelling's (1931) T² for
    the cyclic parts of the boards, which are independent of each other. If all agents always sit
    at one table, differences of points are differences of ratings and nothing can be cyclic.

    Args:
        results: A table of results.
        score: Name of a numeric column in which more is better, such as `points` or `winner`.

    Raises:
        ValueError: If there is no pair, or no board on which all pairs met that met at all.
    """
    return split_pairs(*pair_boards(results, score))


def split_pairs(pairs: list[tuple[str, str]], by_board: npt.NDArray[np.float64]) -> Transitivity:
    """`transitivity` of differences that are known by board.

    Args:
        pairs: The pairs (a, b) that met, each once.
        by_board: float64 [boards, pairs]: how far a was ahead; nan where the two did not meet.

    Raises:
        ValueError: If there is no pair, or no board on which all pairs met that met at all.
    """
    by_board = complete(by_board)
    if not by_board.size:
        raise ValueError("results: got no board on which all pairs met, allowed: at least one")
    agents = sorted({name for pair in pairs for name in pair})
    flow = by_board.mean(axis=0)
    incidence = np.zeros((len(pairs), len(agents)))
    for row, (a, b) in enumerate(pairs):
        incidence[row, agents.index(a)], incidence[row, agents.index(b)] = 1.0, -1.0
    to_rating = np.linalg.pinv(incidence)
    rating = to_rating @ flow
    rest = by_board - by_board @ (incidence @ to_rating).T
    table, cyclic = (_antisymmetric(pairs, agents, x) for x in (flow, rest.mean(axis=0)))
    rounding = np.abs(rest).max() <= 1e-9 * np.abs(by_board).max()
    total = float(flow @ flow)
    circles = _triads(table)
    triads = sum(1 for a, b, c in circles if _beats_in_circle(table, a, b, c))
    worst = max(circles, key=lambda abc: _around(table, *abc), default=())
    return Transitivity(
        agents,
        table,
        rating - rating.mean(),
        cyclic,
        float((rest.mean(axis=0) ** 2).sum()) / total if total else math.nan,
        math.nan if rounding else hotelling(rest),
        len(by_board),
        triads,
        _consistence(triads, len(agents)) if not np.isnan(table).any() else math.nan,
        tuple(agents[i] for i in worst),
    )


def _antisymmetric(
    pairs: list[tuple[str, str]], agents: list[str], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    matrix = np.full((len(agents), len(agents)), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for (a, b), value in zip(pairs, values, strict=True):
        i, j = agents.index(a), agents.index(b)
        matrix[i, j], matrix[j, i] = value, -value
    return matrix


def _triads(table: npt.NDArray[np.float64]) -> list[tuple[int, int, int]]:
    """Every three that all met, in the direction in which the sum around is not negative."""
    found = []
    for a, b, c in combinations(range(len(table)), 3):
        around = _around(table, a, b, c)
        if not math.isnan(around):
            found.append((a, b, c) if around >= 0 else (a, c, b))
    return found


def _around(table: npt.NDArray[np.float64], a: int, b: int, c: int) -> float:
    return float(table[a, b] + table[b, c] + table[c, a])


def _beats_in_circle(table: npt.NDArray[np.float64], a: int, b: int, c: int) -> bool:
    return bool(table[a, b] > 0 and table[b, c] > 0 and table[c, a] > 0)


def _consistence(triads: int, n: int) -> float:
    """``1 - d / greatest d``: (n³ - n) / 24 for odd n, (n³ - 4n) / 24 for even n."""
    greatest = (n**3 - (n if n % 2 else 4 * n)) // 24
    return 1 - triads / greatest if greatest else math.nan
