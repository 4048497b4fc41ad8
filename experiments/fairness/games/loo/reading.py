"""Deals of loo as arrays, and estimates from them with intervals over boards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from experiments.fairness.answers import number
from experiments.fairness.boards import Floats, folded
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from loop_envs.duplicate import Interval, jackknife_interval

Ints = npt.NDArray[np.int64]
Sums = dict[str, Floats]
"""Sums over boards by name, each [rows, ...], a row for a board or for a fold of boards."""
LOOS = ("limited", "capped", "unlimited")
"""Values of the option loo, by what a looed player pays."""


def place_label(value: int, n: int) -> str:
    """Name of a place after the dealer, 0 to n - 1."""
    if value == n - 1:
        return "dealer"
    return "eldest" if value == 0 else f"{value} after the eldest"


@dataclass(frozen=True)
class Deals:
    """Deals of some boards of an arm, in the order of their matches.

    Attributes:
        numbers: Numbers of the boards, B of them.
        board: Index of each deal's board, int64 [K], 0 to B - 1, ascending; each has some.
        match: Number of each deal's match, int64 [K], from 0.
        number: Number of each deal in its match, int64 [K], from 0.
        of: Columns of the table of rounds by name, each [K, n] by seat; and `margin`, the gain
            minus its mean at the table, in chips. The column `agent` has its index in the arm.
    """

    numbers: range
    board: Ints
    match: Ints
    number: Ints
    of: Mapping[str, npt.NDArray[Any]]

    @property
    def boards(self) -> int:
        """Number of boards, B."""
        return len(self.numbers)

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

    @property
    def squares(self) -> Floats:
        """Mean of the players' squared margins, float64 [K]."""
        found: Floats = (self.of["margin"] ** 2).mean(axis=1)
        return found

    def by_place(self, column: str) -> npt.NDArray[Any]:
        """A column by place after the dealer instead of by seat, [K, n]."""
        order = np.argsort(self.of["after"], axis=1)
        return np.take_along_axis(self.of[column], order, axis=1)

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
        first = np.searchsorted(self.board, np.arange(self.boards))
        found: Floats = np.add.reduceat(values, first, axis=0, dtype=np.float64)
        return found

    def by_kind(self, values: npt.NDArray[Any]) -> Floats:
        """The same by kind of pool, single ones first: [K, ...] to float64 [B, 2, ...]."""
        kinds = (self.single, ~self.single)
        return np.stack([self.sums((values.T * chosen).T) for chosen in kinds], axis=1)


class _Columns(dict[str, npt.NDArray[Any]]):
    """Columns of deals, each read when it is first asked for."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self._part = part

    def __missing__(self, name: str) -> npt.NDArray[Any]:
        if name == "margin":
            self[name] = self["gain"] - self["gain"].mean(axis=1, keepdims=True)
        else:
            table = self._part.rounds.select(pl.col(name).to_physical()).collect()
            self[name] = table[name].to_numpy().reshape(-1, self._part.game.num_players)
        return self[name]


def read_deals(part: Part) -> Deals:
    """The deals of a part of an arm."""
    every = pl.col("board", "round").gather_every(part.game.num_players).cast(pl.Int64)
    table = part.rounds.select(every).collect()
    board, deal = (table[name].to_numpy() for name in ("board", "round"))
    start = part.numbers.start
    return Deals(part.numbers, board - start, np.cumsum(deal == 0) - 1, deal, _Columns(part))


def counted(played: Played, sums: Callable[[Deals], Sums]) -> Sums:
    """Sums by fold, see `folded`, from those that are made by board of the deals of a part."""
    return folded(played, lambda part: sums(read_deals(part)))


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
        columns: Each float64 [rows], see `Sums`.
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
    """Sum of a total over sum of its parts, such as chips per deal; both float64 [rows]."""
    return estimate([total, parts], over, level)


def ratio_change(new: tuple[Floats, Floats], old: tuple[Floats, Floats]) -> Interval:
    """Difference of two such quotients that come from the same boards."""
    return estimate([*new, *old], lambda a, b, c, d: over(a, b) - over(c, d))


def powers(values: Floats) -> Floats:
    """What `share_of` needs the sums of: float64 [...] to [3, ...]."""
    return np.stack([values**k for k in range(3)])


def share_of(sums: Floats) -> Interval:
    """Mean of shares on boards with its interval over boards, within 0 and 1.

    If none or all of them happened there is no spread to go by; then it is the exact interval
    of no board, or every board, among so many.

    Args:
        sums: Sums of their `powers`, float64 [3]: number of boards, at least two, of shares, and of
            their squares.
    """
    boards, total, squares = sums.tolist()
    mean = total / boards
    variance = max(squares - total * mean, 0.0) / (boards - 1)
    half = float(special.stdtrit(boards - 1, 0.975)) * math.sqrt(variance / boards)
    low, high = max(mean - half, 0.0), min(mean + half, 1.0)
    bound = 1 - 0.025 ** (1 / boards)
    if total == 0:
        high = bound
    if total == boards:
        low = 1 - bound
    return Interval(mean, low, high, int(boards))


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
