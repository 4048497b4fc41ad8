"""Scores of a result in the light of the other results of the same board and seat.

Every comparison takes a table of results and returns it with one more column. The rows of a
board and seat are compared with each other, over all tables that played the board; what others
had is the yardstick, so the luck of the cards cancels. Where nothing can be compared, because
only one table played, the score is the average one.

| name | score of a row | average | sum over a board and seat |
|---|---|---|---|
| difference | points above the mean | 0 | 0 |
| matchpoints | 2 for each result that is beaten, 1 for each equal one | N - 1 | n (N - 1) |
| imps | difference to the mean in IMPs | 0 | |
| butler | difference to the datum in IMPs | 0 | |
| cross_imps | mean IMPs against each other table | 0 | 0 |
| board_scaled | difference, in units of the board's spread | 0 | 0 |
| rank_normal | normal quantile of the rank | 0 | 0 |
| victory_points | victory points of a match of several boards | 10 | |
| loop_board | results that are not better | | |
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from scipy import special

from loop_envs.duplicate.compared import Floats, compare
from loop_envs.duplicate.imp_comparisons import (
    butler,
    cross_imps,
    imps_to_mean,
    match_victory_points,
)
from loop_envs.duplicate.tables import MATCH


def difference_to_mean(
    results: pl.DataFrame, *, column: str = "points", name: str = "score"
) -> pl.DataFrame:
    """The value minus the mean of its board and seat.

    Args:
        results: A table of results.
        column: What is compared; more is better. The same in all comparisons.
        name: Name of the new column. The same in all comparisons.

    Returns:
        The results with the score, float64, in units of `column`.

    Raises:
        ValueError: If a column is missing, has nulls, or what is compared is no finite number.
            The same in all comparisons.
    """
    c = compare(results, column)
    return c.add_to(results, name, (c.value * c.size - c.total(c.value)) / c.size)


def matchpoints(
    results: pl.DataFrame,
    *,
    column: str = "points",
    name: str = "score",
    num_tables: int | None = None,
) -> pl.DataFrame:
    """Two matchpoints for every other table that is beaten, one for every equal one.

    With fewer results n than the number of tables N, Neuberg's formula ``N (M + 1) / n - 1``
    says what M matchpoints are worth among N results of the same distribution (Gérard Neuberg;
    derived in M. Bavin, "The Neuberg formula", English Bridge Union). The mean is N - 1 on every
    board, whatever n.

    Args:
        results: A table of results.
        column: See `difference_to_mean`.
        name: See `difference_to_mean`.
        num_tables: N, at least the most results of a board and seat, which it is if None.

    Returns:
        The results with the score, float64, 0 to 2 (N - 1).

    Raises:
        ValueError: See `difference_to_mean`; or if N is too small.
    """
    c = compare(results, column)
    most = int(c.size.max(initial=1))
    tables = most if num_tables is None else num_tables
    if tables < most:
        raise ValueError(f"num_tables: got {tables}, but a board and seat has {most} results")
    won = c.below + (c.size - 1 - c.above)
    return c.add_to(results, name, (tables * (won + 1) - c.size) / c.size)


def board_scaled(
    results: pl.DataFrame, *, column: str = "points", name: str = "score"
) -> pl.DataFrame:
    """The difference to the mean, divided by the board's spread.

    The spread is the root mean square of the differences over all seats and tables of the board,
    so that every board counts the same, whether it is calm or wild. 0 where it has none.

    Args:
        results: A table of results.
        column: See `difference_to_mean`.
        name: See `difference_to_mean`.

    Returns:
        The results with the score, float64, without unit.

    Raises:
        ValueError: See `difference_to_mean`.
    """
    c = compare(results, column)
    difference = (c.value * c.size - c.total(c.value)) / c.size
    square = np.bincount(c.outer, difference**2) / np.maximum(np.bincount(c.outer), 1)
    spread = np.sqrt(square)[c.outer]
    return c.add_to(results, name, difference / np.where(spread > 0, spread, 1))


def rank_normal(
    results: pl.DataFrame, *, column: str = "points", name: str = "score"
) -> pl.DataFrame:
    """The normal quantile of the value's rank among n: ``Φ⁻¹((rank - 3/8) / (n + 1/4))``.

    Approximately the expected order statistics of n normal values (G. Blom, "Statistical
    estimates and transformed beta-variables", 1958). Equal values share the mean of their ranks'
    scores, so that the sum stays 0.

    Args:
        results: A table of results.
        column: See `difference_to_mean`.
        name: See `difference_to_mean`.

    Returns:
        The results with the score, float64, in standard deviations.

    Raises:
        ValueError: See `difference_to_mean`.
    """
    c = compare(results, column)
    sizes, which = np.unique(c.size, return_inverse=True)
    sums = [_normal_sums(int(n)) for n in sizes]
    first = np.cumsum([0, *(len(s) for s in sums)])[which]
    flat = np.concatenate([*sums, np.zeros(0)])
    score = flat[first + c.size - c.above] - flat[first + c.below]
    return c.add_to(results, name, score / (c.size - c.above - c.below))


def _normal_sums(n: int) -> Floats:
    """The sums of the first 0 to n normal scores; symmetric to the last bit, so n give 0."""
    ranks = np.arange(1, n // 2 + 1)
    half = np.concatenate([[0.0], np.cumsum(special.ndtri((ranks - 0.375) / (n + 0.25)))])
    sums: Floats = half[np.minimum(np.arange(n + 1), n - np.arange(n + 1))]
    return sums


def loop_board(
    results: pl.DataFrame,
    *,
    column: str = "points",
    name: str = "score",
    line: str | None = None,
    count_self: bool = True,
) -> pl.DataFrame:
    """Loop's score board: every marker counts those on its own line and on the lines below.

    A board and seat has a score board, and each table sets a marker on it, on the line of the
    place the seat took there: the score is the number of results that are not better. A last
    place is worth as much as a first where everybody was last.

    Args:
        results: A table of results.
        column: Decides the places at a table; equal values share the better one.
        name: See `difference_to_mean`.
        line: Instead, a column with the line of each row, where less is better.
        count_self: Whether a marker counts itself, which adds 1 to everything.

    Returns:
        The results with the score, float64: 1 to the number of results, or one less.

    Raises:
        ValueError: See `difference_to_mean`.
    """
    placed = results
    if line is None:
        line = "_line"
        at_table = compare(results, column, MATCH)
        placed = at_table.add_to(results, line, 1 + at_table.above)
    c = compare(placed, line)
    return c.add_to(results, name, c.size - c.below - (not count_self))


COMPARISONS: dict[str, Callable[..., pl.DataFrame]] = {
    "difference": difference_to_mean,
    "matchpoints": matchpoints,
    "imps": imps_to_mean,
    "butler": butler,
    "cross_imps": cross_imps,
    "board_scaled": board_scaled,
    "rank_normal": rank_normal,
    "victory_points": match_victory_points,
    "loop_board": loop_board,
}
"""Every comparison by name; called as ``(results, *, column="points", name="score", ...)``."""
