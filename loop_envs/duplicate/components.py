"""How much of a score is skill, cards, seat and chance: variance components and reliability.

All factors are taken as random. The method is Henderson's (1953) Method I, "Estimation of
variance and covariance components", Biometrics 9, 226–252: the sums of squares of the analysis
of variance, uncorrected and also for unbalanced tables, are set equal to their expectations. The
estimates are unbiased, and in a balanced table they are those of the analysis of variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

Term = tuple[str, ...]

TERMS: tuple[Term, ...] = (
    ("agent",),
    ("board",),
    ("seat",),
    ("board", "seat"),
    ("agent", "board"),
)
REST = "rest"
_TABLE = 2**26  # combinations for which a table is kept


class Reliability(NamedTuple):
    """What means over boards are worth (Brennan 2001, "Generalizability theory").

    Attributes:
        skill: Variance between agents.
        relative_error: Variance of the error of a difference to the others who played the same
            boards and seats.
        absolute_error: Variance of the error of an agent who played boards and seats of its own.
        coefficient: Generalisability coefficient Eρ²: skill / (skill + relative_error).
        phi: Index of dependability Φ: skill / (skill + absolute_error).
    """

    skill: float
    relative_error: float
    absolute_error: float
    coefficient: float
    phi: float


def variance_components(
    results: pl.DataFrame, terms: Sequence[Term] = TERMS, score: str = "points"
) -> pl.DataFrame:
    """Splits the variance of the scores of seats into components.

    The default terms are agent (skill), board (deals on which everybody scores more), seat
    (places that are worth more in all deals), board × seat (the luck of the hand), and
    agent × board (deals that suit an agent); the rest is what happens otherwise, such as the
    opponents' play. Without repeated boards the hand cannot be told from the rest: leave its
    term out. Where the scores of a match sum to a constant, seats of one match pull each other
    down, which shows as a negative component of the board.

    Args:
        results: A table of results, or any table with the columns of the terms and the score.
        terms: The random factors, each the names of the columns whose combinations are its
            levels; interactions have several.
        score: Name of a numeric column.

    Returns:
        A row per term and one for the rest: component (columns joined by "×"), variance
        (unbiased, so it may be negative), share (of the sum of the positive ones), levels
        (number of levels; rows for the rest).

    Raises:
        ValueError: If the table has fewer rows than two, or cannot tell the terms apart.
    """
    n = results.height
    if n < 2:
        raise ValueError(f"results: got {n} rows, allowed: at least 2")
    y = results[score].cast(pl.Float64).to_numpy()
    if not np.isfinite(y).all():
        raise ValueError(f"results: a value of {score!r} is missing, allowed: finite numbers")
    y = y - y.mean()  # the estimates do not depend on it
    code = {
        name: results[name].rank("dense").to_numpy().astype(np.int64) - 1
        for name in dict.fromkeys(name for term in terms for name in term)
    }
    cells = [_cross([code[name] for name in term]) for term in terms]
    # Expected reductions, less that of the mean, in multiples of the components and of the rest.
    expected = np.empty((len(terms) + 1, len(terms) + 1))
    reduction = np.empty(len(terms) + 1)
    of_mean = [float((np.bincount(cell).astype(float) ** 2).sum() / n) for cell in cells]
    for i, cell in enumerate(cells):
        size = np.bincount(cell)
        reduction[i] = (np.bincount(cell, y) ** 2 / size).sum()
        for j in range(len(terms)):
            both = _cross([code[name] for name in dict.fromkeys(terms[i] + terms[j])])
            count = np.bincount(both)
            row = np.empty(len(count), np.int64)
            row[both] = cell
            expected[i, j] = (count.astype(float) ** 2 / size[row]).sum() - of_mean[j]
        expected[i, -1] = len(size) - 1
    reduction[-1] = y @ y
    expected[-1] = [*(n - value for value in of_mean), n - 1]
    scale = np.abs(expected).max(axis=1, keepdims=True)
    if not scale.all() or np.linalg.matrix_rank(expected / scale, 1e-9) < len(expected):
        names = [_name(term) for term in terms]
        raise ValueError(
            f"terms: got {names}, which this table cannot tell apart from each other and from "
            "the rest; allowed: fewer terms"
        )
    variance = np.linalg.solve(expected / scale, reduction / scale[:, 0])
    positive = np.maximum(variance, 0)
    total = positive.sum()
    return pl.DataFrame(
        {
            "component": [*map(_name, terms), REST],
            "variance": variance,
            "share": positive / total if total > 0 else np.full(len(variance), np.nan),
            "levels": [*(int(cell.max()) + 1 for cell in cells), n],
        }
    )


def decision_study(
    components: pl.DataFrame, boards: float, seats: float = 1, repeats: float = 1
) -> Reliability:
    """How well means over boards and seats tell agents apart.

    With crossed facets (a "D study"), the agent's mean is over `boards` × `seats` × `repeats`
    scores, and every component is divided by the number of its levels in that mean. Components
    that contain the agent, and the rest, make the relative error; all but the agent's make the
    absolute error. In duplicate, everybody plays the same boards and seats, and the coefficient
    applies; with fresh deals for everybody, Φ does. Negative components count as zero.

    Args:
        components: From `variance_components`; it must have the component `agent`.
        boards: Boards that an agent plays.
        seats: Seats in which it plays each board.
        repeats: Scores of each board and seat.

    Raises:
        ValueError: If a number is not positive, or a component is missing or unknown.
    """
    facets = {"agent": 1.0, "board": boards, "seat": seats}
    if min(boards, seats, repeats) <= 0:
        raise ValueError(
            f"boards, seats, repeats: got {boards}, {seats}, {repeats}, allowed: numbers above 0"
        )
    variance = dict(components.select("component", "variance").rows())
    if "agent" not in variance or REST not in variance:
        raise ValueError(f"components: got {list(variance)}, allowed: with agent and {REST}")
    relative = absolute = 0.0
    for name, value in variance.items():
        columns = [] if name == REST else name.split("×")
        if not set(columns) <= set(facets):
            raise ValueError(f"components: got {name}, allowed: of {list(facets)}")
        if name == "agent":
            continue
        levels = boards * seats * repeats
        if name != REST:
            levels = float(np.prod([facets[column] for column in columns]))
        error = max(value, 0.0) / levels
        absolute += error
        if name == REST or "agent" in columns:
            relative += error
    skill = max(variance["agent"], 0.0)
    return Reliability(skill, relative, absolute, _ratio(skill, relative), _ratio(skill, absolute))


def _ratio(skill: float, error: float) -> float:
    return skill / (skill + error) if skill + error > 0 else float("nan")


def _name(term: Term) -> str:
    return "×".join(term)


def _cross(codes: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Numbers from 0 up, one per combination of numbers that occurs."""
    result = codes[0]
    for code in codes[1:]:
        size = int(code.max()) + 1
        result = result * size + code
        size *= int(result.max()) // size + 1
        if size <= _TABLE:  # much faster than sorting
            occurs = np.zeros(size, np.bool_)
            occurs[result] = True
            result = np.cumsum(occurs)[result] - 1
        else:
            result = np.unique(result, return_inverse=True)[1]
    return result
