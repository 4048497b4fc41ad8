"""Deals of loo as arrays, and estimates from them with intervals over boards."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.answers import number
from experiments.fairness.arms import Played
from experiments.fairness.boards import Floats, over_boards
from experiments.fairness.study import Study
from loop_envs.duplicate import Interval, jackknife_interval

Ints = npt.NDArray[np.int64]
MOST_ROWS = 2**22
"""Rows of deals that are read at once: intervals are narrow long before."""
LOOS = ("limited", "capped", "unlimited")
"""Values of the option loo, by what a looed player pays."""


def place_label(value: int, n: int) -> str:
    """Name of a place after the dealer, 0 to n - 1."""
    if value == n - 1:
        return "dealer"
    return "eldest" if value == 0 else f"{value} after the eldest"


@dataclass(frozen=True)
class Deals:
    """Deals of an arm, in the order of their matches.

    Attributes:
        boards: Number of boards, B.
        board: Index of each deal's board, int64 [K], 0 to B - 1.
        match: Number of each deal's match, int64 [K], from 0.
        number: Number of each deal in its match, int64 [K], from 0.
        of: Columns of the table of rounds by name, each [K, n] by seat; and `margin`, the gain
            minus its mean at the table, in chips, and `agent`, the agent's index in its arm.
    """

    boards: int
    board: Ints
    match: Ints
    number: Ints
    of: dict[str, npt.NDArray[Any]]

    @property
    def n(self) -> int:
        """Number of players."""
        return int(self.of["gain"].shape[1])

    @property
    def single(self) -> npt.NDArray[np.bool_]:
        """Whether the pool was single, bool [K]."""
        return np.asarray(self.of["single"][:, 0], np.bool_)

    @property
    def pool(self) -> Floats:
        """The pool when the cards were dealt, in chips, float64 [K]."""
        return np.asarray(self.of["pool"][:, 0], np.float64)

    def by_place(self, column: str) -> Floats:
        """A column by place after the dealer instead of by seat, float64 [K, n]."""
        order = np.argsort(self.of["after"], axis=1)
        return np.take_along_axis(self.of[column], order, axis=1).astype(np.float64)

    def by_agent(self, column: str, agents: int) -> Floats:
        """Mean of a column by agent, float64 [K, agents]; nan where one does not sit."""
        found = np.full((len(self.board), agents), np.nan)
        for i in range(agents):
            sits = self.of["agent"] == i
            seats = sits.sum(axis=1)
            values = (self.of[column] * sits).sum(axis=1) / np.maximum(seats, 1)
            found[:, i] = np.where(seats > 0, values, np.nan)
        return found

    def sums(self, values: npt.NDArray[Any]) -> Floats:
        """Sums on every board of values of deals: [K, ...] to float64 [B, ...]."""
        found = np.zeros((self.boards, *values.shape[1:]))
        np.add.at(found, self.board, values)
        return found


def read_deals(study: Study, played: Played, boards: int | None = None) -> Deals:
    """Reads the deals of an arm's first boards.

    Args:
        study: The study.
        played: The arm.
        boards: Number of boards at most; None for all.
    """
    n = played.game.num_players
    rows = n * played.game.options["num_deals"] * -(-played.num_matches // played.boards)
    most = max(2, MOST_ROWS // rows)
    count = min(played.boards, most, boards or most)
    first = study.settings.first_board
    frame = played.rounds.filter(pl.col("board") < first + count).with_columns(
        pl.col("agent").to_physical()
    )
    table = frame.drop("lineup", "rotation", "seat").collect()
    of = {name: table[name].to_numpy().reshape(-1, n) for name in table.columns}
    board = of.pop("board")[:, 0].astype(np.int64) - first
    deal = of.pop("round")[:, 0].astype(np.int64)
    of["margin"] = of["gain"] - of["gain"].mean(axis=1, keepdims=True)
    return Deals(count, board, np.cumsum(deal == 0) - 1, deal, of)


def loo_options(study: Study, loo: str) -> dict[str, Any]:
    """What differs from the study's game when a looed player pays otherwise; nothing if not."""
    # The amount must go too: the game has resolved the one of its own form.
    return {} if loo == study.game.options["loo"] else {"loo": loo, "loo_amount": None}


# Estimates --------------------------------------------------------------------------------------


def over(total: Any, parts: Any) -> float:
    """A quotient; nan where nothing is divided."""
    return float(total) / float(parts) if float(parts) != 0 else math.nan


def estimate(
    columns: Sequence[Floats], statistic: Callable[..., float], level: float = 0.95
) -> Interval:
    """A statistic of sums over boards, with the jackknife over boards.

    Args:
        columns: Each float64 [boards].
        statistic: Takes the columns' sums, in order.
        level: Confidence level.

    Returns:
        The statistic and its interval; its n is the number of the jackknife's groups.
    """
    return jackknife_interval(
        np.stack(columns, axis=1),
        lambda x: float(statistic(*x.sum(axis=0).tolist())),
        level=level,
    )


def ratio(total: Floats, parts: Floats, level: float = 0.95) -> Interval:
    """Sum of a total over sum of its parts, such as chips per deal; both float64 [boards]."""
    return estimate([total, parts], over, level)


def ratio_change(new: tuple[Floats, Floats], old: tuple[Floats, Floats]) -> Interval:
    """Difference of two such quotients that come from the same boards."""
    return estimate([*new, *old], lambda a, b, c, d: over(a, b) - over(c, d))


def share_of(values: Floats) -> Interval:
    """Mean of shares on boards with its interval over boards, within 0 and 1.

    If none or all of them happened there is no spread to go by; then it is the exact interval
    of no board, or every board, among so many.

    Args:
        values: float64 [boards].
    """
    interval = over_boards(values)
    bound = 1 - 0.025 ** (1 / len(values))
    if (values == 0).all():
        return interval._replace(high=bound)
    if (values == 1).all():
        return interval._replace(low=1 - bound)
    return interval._replace(low=max(interval.low, 0.0), high=min(interval.high, 1.0))


def exponential(logarithm: Interval) -> Interval:
    """The interval of a positive number from that of its logarithm."""
    mean, low, high = (math.exp(min(x, 700.0)) for x in logarithm[:3])
    return Interval(mean, low, high, logarithm.n)


def plus_minus(interval: Interval) -> str:
    """An interval for a table."""
    if math.isnan(interval.low):
        return number(interval.mean)
    return f"{number(interval.mean)} ± {number((interval.high - interval.low) / 2)}"


def percent(share: float) -> str:
    """A share for a table."""
    return "–" if math.isnan(share) else f"{share:.1%}"


def spoken(names: Sequence[str], values: Sequence[Interval]) -> str:
    """Names with their values, for the words beside a plot."""
    return "; ".join(f"{name} {number(v.mean)}" for name, v in zip(names, values, strict=True))
