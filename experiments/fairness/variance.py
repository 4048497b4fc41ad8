"""Where the variance of scores comes from, and how reliable it makes rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from experiments.fairness.answers import number
from experiments.fairness.boards import Floats, within
from experiments.html_sections import Table
from loop_envs.duplicate import Interval, decision_study, jackknife_interval, variance_components

GROUPS = 10
"""Groups of boards of the jackknife of variance components, which take time to find."""
TERMS = (("agent",), ("board",), ("seat",), ("board", "seat"), ("agent", "board"))
WORDS = {
    "agent": "skill",
    "board": "the deal as a whole",
    "seat": "the seat",
    "board×seat": "the cards of a seat",
    "agent×board": "what suits an agent",
    "rest": "all else, such as who else plays",
}


class Parts:
    """Parts of a variance, with intervals by the jackknife over groups of boards.

    Args:
        frame: Rows of seats with board, lineup, rotation, seat and agent.
        column: Whose variance.
    """

    def __init__(self, frame: pl.DataFrame, column: str) -> None:
        group = pl.col("board").rank("dense").cast(pl.Int64) % GROUPS
        parts = frame.with_columns(_group=group).partition_by("_group", as_dict=True)
        self._groups = [part.drop("_group") for _, part in sorted(parts.items())]
        self._column = column
        self._known: dict[tuple[int, ...], pl.DataFrame] = {}

    def components(self, groups: Sequence[int] = range(GROUPS)) -> pl.DataFrame:
        """Variance components of some groups of boards."""
        key = tuple(groups)
        if key not in self._known:
            some = pl.concat(self._groups[k] for k in key)
            self._known[key] = variance_components(some, TERMS, self._column)
        return self._known[key]

    def interval(self, statistic: Callable[[pl.DataFrame], float]) -> Interval:
        """A function of the components."""
        return jackknife_interval(
            np.arange(GROUPS), lambda groups: statistic(self.components(groups.tolist())), GROUPS
        )

    def share(self, component: str) -> Interval:
        """The share of a component."""
        return within(
            self.interval(lambda parts: parts.filter(component=component)["share"].item())
        )


def parts_table(name: str, parts: Parts) -> Table:
    """Where the variance of a match, or of a round, comes from."""
    rows = [["source", "what it is", "variance", "share", "from", "to"]]
    for row in parts.components().iter_rows(named=True):
        source = row["component"]
        shares = [f"{x:.1%}" for x in parts.share(source)[:3]]
        rows.append([source, WORDS[source], number(row["variance"]), *shares])
    return Table(rows, f"Where the variance of a {name} comes from", left=2)


def reliability(parts: Parts, n: int) -> dict[str, Floats]:
    """Reliability against the number of matches, with bounds.

    Args:
        parts: Parts of the variance of matches.
        n: Number of seats.

    Returns:
        For fresh deals and for duplicate, float64 [points, 4]: matches, reliability, bounds.
    """
    found: dict[str, list[tuple[float, ...]]] = {"fresh deals": [], "duplicate": []}
    for matches in np.unique(np.geomspace(n, 4096, 25).round()).tolist():

        def fresh(components: pl.DataFrame, matches: float = matches) -> float:
            return decision_study(components, matches).phi

        def rotated(components: pl.DataFrame, matches: float = matches) -> float:
            return decision_study(components, matches / n, n).coefficient

        for name, of in zip(found, (fresh, rotated), strict=True):
            found[name].append((matches, *within(parts.interval(of))[:3]))
    return {name: np.array(points) for name, points in found.items()}
