"""Are some seats worth more than others?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from loop_envs.duplicate.boards import complete, group_boards
from loop_envs.duplicate.hotelling import hotelling
from loop_envs.duplicate.statistics import mean_interval


@dataclass(frozen=True)
class SeatBias:
    """What the seats are worth.

    Attributes:
        seats: A row per seat: the seat; mean (margin), low, high (each seat's own interval, not
            adjusted for their number); p_value (t test of a mean of zero); p_holm (adjusted for
            the number of seats).
        p_value: Of the hypothesis that all seats are worth the same (Hotelling's T²); nan if
            there are fewer boards than seats.
        boards: Number of boards.
    """

    seats: pl.DataFrame
    p_value: float
    boards: int


def seat_bias(
    results: pl.DataFrame, by: str = "seat", score: str = "points", level: float = 0.95
) -> SeatBias:
    """Mean margin of every seat, over boards, with tests that it is zero.

    The table should be of identical agents, or of line-ups played in all their rotations: then
    everybody sits everywhere equally often, and what a seat has is the seat's.

    Args:
        results: A table of results. Boards on which a seat is missing are left out.
        by: Name of the column that says what is compared: `seat`, or one that was added, such as
            the place after the leader.
        score: Name of a numeric column in which more is better.
        level: Confidence level of the intervals, between 0 and 1.

    Raises:
        ValueError: If there are fewer than two complete boards, or matches differ in their
            number of seats.
    """
    return bias_of_boards(*group_boards(results, by, score), by, level)


def bias_of_boards(
    seats: Sequence[Any], by_board: npt.NDArray[np.float64], by: str = "seat", level: float = 0.95
) -> SeatBias:
    """`seat_bias` of margins that are known by board.

    Args:
        seats: What is compared.
        by_board: float64 [boards, seats]: mean margins; nan where there is none.
        by: Name of the column of `seats` in the table.
        level: Confidence level of the intervals, between 0 and 1.

    Raises:
        ValueError: If there are fewer than two complete boards.
    """
    values = complete(by_board)
    if len(values) < 2:
        raise ValueError(f"results: got {len(values)} complete boards, allowed: at least 2")
    intervals = [mean_interval(column, level) for column in values.T]
    p = np.array([_t_test(column) for column in values.T])
    table = pl.DataFrame(
        {
            by: seats,
            "mean": [i.mean for i in intervals],
            "low": [i.low for i in intervals],
            "high": [i.high for i in intervals],
            "p_value": p,
            "p_holm": holm(p),
        }
    )
    return SeatBias(table, hotelling(values), len(values))


def holm(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """P values adjusted for their number, which keep the family's error rate.

    The step-down method of Holm (1979), "A simple sequentially rejective multiple test
    procedure", Scandinavian Journal of Statistics 6, 65–70: the smallest of m is multiplied by
    m, the next by m - 1, and so on; none falls below the one before it or exceeds 1.

    Args:
        p_values: [m], between 0 and 1.

    Returns:
        float64 [m], in the order given.

    Raises:
        ValueError: If a value is out of range.
    """
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p_values: got {p_values!r}, allowed: a vector between 0 and 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def _t_test(x: npt.NDArray[np.float64]) -> float:
    """Two-sided p value of a mean of zero; without spread, 1 if it is zero and 0 if not."""
    mean, error = float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x))
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * special.stdtr(len(x) - 1, -abs(mean) / error))
