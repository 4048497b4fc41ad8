"""Comparisons of agents from a table of duplicate results, with intervals over boards.

A table of results has a row for every seat of every match:

| column | meaning |
|---|---|
| `board` | integer; matches with the same number were dealt the same cards |
| `lineup` | which agents met, in circular order |
| `rotation` | number of the seating; (board, lineup, rotation) names a match |
| `seat` | integer |
| `agent` | who sat there |
| `points` | integer, the game's own score |
| `winner` | whether the seat took the first place, alone or shared |

All sums are of integers, so the order of rows makes no difference to the last bit.

A table that is too large for the memory is taken in parts that hold whole boards: `board_margins`
and `board_differences` of each part, put together, are what `agent_summary` and `pair_summary`
need.
"""

from __future__ import annotations

import polars as pl

from loop_envs.duplicate.statistics import Interval, mean_interval

MATCH = ["board", "lineup", "rotation"]
_SHARES = 840  # divisible by every possible number of seats, 1 to 8


def _margins(results: pl.DataFrame) -> pl.DataFrame:
    """Adds `seats`; `margin` in units of 1 / seats; `first` in units of 1 / 840."""
    points, winner = pl.col("points").cast(pl.Int64), pl.col("winner").cast(pl.Int64)
    seats = pl.len().over(MATCH).cast(pl.Int64)
    frame = results.with_columns(
        seats=seats,
        margin=points * seats - points.sum().over(MATCH),
        first=winner * _SHARES // winner.sum().over(MATCH),
    )
    if frame["seats"].n_unique() > 1:
        raise ValueError(f"matches differ in seats: {sorted(frame['seats'].unique().to_list())}")
    return frame


def _columns(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}


def agent_table(results: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """Every agent's mean margin and share of first places, best margin first.

    The margin of a seat is its points minus the mean points of its match. All margins of an
    agent on one board are averaged first, over line-ups, rotations and seats; the means of the
    boards are independent of each other, and the interval is over them (see `mean_interval`).
    First places are treated the same way; one that k seats share counts 1 / k for each, so an
    average agent has 1 / (number of seats).

    Args:
        results: A table of results.
        level: Confidence level.

    Returns:
        A row per agent: agent; boards; matches; margin, margin_low, margin_high; first,
        first_low, first_high.

    Raises:
        ValueError: If matches differ in their number of seats.
    """
    return agent_summary(board_margins(results), level)


def board_margins(results: pl.DataFrame) -> pl.DataFrame:
    """Every agent's mean margin and share of first places on every board, see `agent_table`.

    Args:
        results: A table of results.

    Returns:
        agent, board, margin, first, matches; sorted by agent and board.

    Raises:
        ValueError: If matches differ in their number of seats.
    """
    return (
        _margins(results)
        .group_by("agent", "board")
        .agg(
            pl.col("margin").sum() / (pl.len() * pl.col("seats").first()),
            pl.col("first").sum() / (pl.len() * _SHARES),
            matches=pl.struct("lineup", "rotation").n_unique(),
        )
        .sort("agent", "board")
    )


def agent_summary(boards: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """`agent_table` from `board_margins`, whose order makes no difference."""
    boards = boards.sort("agent", "board")
    rows = [
        {
            "agent": own["agent"][0],
            "boards": own.height,
            "matches": int(own["matches"].sum()),
            **_columns("margin", mean_interval(own["margin"].to_numpy(), level)),
            **_columns("first", mean_interval(own["first"].to_numpy(), level)),
        }
        for own in boards.partition_by("agent", maintain_order=True)
    ]
    return pl.DataFrame(rows).sort(["margin", "agent"], descending=[True, False])


def pair_table(results: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """The mean difference between the margins of every two agents that met.

    In every match with both, the difference is a's mean margin over its seats minus b's. The
    differences of one board are averaged first, and the interval is over boards.

    Args:
        results: A table of results.
        level: Confidence level.

    Returns:
        A row per ordered pair: a; b; boards; matches; difference, difference_low,
        difference_high. Sorted by a and b.

    Raises:
        ValueError: If matches differ in their number of seats.
    """
    return pair_summary(board_differences(results), level)


def board_differences(results: pl.DataFrame) -> pl.DataFrame:
    """The mean difference of every two agents that met on a board, see `pair_table`.

    Args:
        results: A table of results.

    Returns:
        a, b, board, difference, matches, both orders of a pair; sorted by a, b and board.

    Raises:
        ValueError: If matches differ in their number of seats.
    """
    own = (
        _margins(results)
        .group_by(*MATCH, "agent")
        # Exact: 840 is divisible by the number of the agent's seats.
        .agg(pl.col("margin").sum() * _SHARES // pl.len(), pl.col("seats").first())
    )
    return (
        own.join(own, on=MATCH, suffix="_b")
        .filter(pl.col("agent") != pl.col("agent_b"))
        .group_by(a="agent", b="agent_b", board="board")
        .agg(
            difference=(pl.col("margin") - pl.col("margin_b")).sum()
            / (pl.len() * pl.col("seats").first() * _SHARES),
            matches=pl.len(),
        )
        .sort("a", "b", "board")
    )


def pair_summary(boards: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """`pair_table` from `board_differences`, whose order makes no difference."""
    boards = boards.sort("a", "b", "board")
    rows = [
        {
            "a": pair["a"][0],
            "b": pair["b"][0],
            "boards": pair.height,
            "matches": int(pair["matches"].sum()),
            **_columns("difference", mean_interval(pair["difference"].to_numpy(), level)),
        }
        for pair in boards.partition_by("a", "b", maintain_order=True)
    ]
    return pl.DataFrame(rows)
