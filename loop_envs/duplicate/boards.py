"""Tables of results as matrices with a row per board: the independent units of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.rankings import MATCH, require_scores
from loop_envs.duplicate.seeds import seed_interval
from loop_envs.duplicate.statistics import Interval

_SHARES = 840  # divisible by every possible number of an agent's seats, 1 to 8


def agent_boards(
    results: pl.DataFrame, score: str = "points"
) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Mean margin of every agent on every board, over line-ups, rotations and seats.

    A margin is a seat's score minus the mean score of its match.

    Args:
        results: A table of results.
        score: Name of a numeric column in which more is better.

    Returns:
        Agents, sorted, and float64 [boards, agents], boards in ascending order; nan where an
        agent did not play.

    Raises:
        ValueError: If matches differ in their number of seats, or a score is missing.
    """
    names, values = group_boards(results, "agent", score)
    return [str(name) for name in names], values


def group_boards(
    results: pl.DataFrame, by: str, score: str = "points"
) -> tuple[list[Any], npt.NDArray[np.float64]]:
    """Mean margin of every value of a column on every board, such as every seat.

    Args:
        results: A table of results.
        by: Name of the column.
        score: Name of a numeric column in which more is better.

    Returns:
        The column's values, sorted, and float64 [boards, values]; see `agent_boards`.

    Raises:
        ValueError: If matches differ in their number of seats, or a score is missing.
    """
    means = (
        _margins(results, score)
        .group_by("board", name=by)
        .agg(value=pl.col("margin").sum() / (pl.len() * pl.col("seats").first()))
    )
    names = means["name"].unique().sort()
    columns = pl.DataFrame({"name": names, "column": range(len(names))})
    return names.to_list(), _matrix(means.join(columns, on="name"))


def pair_boards(
    results: pl.DataFrame, score: str = "points"
) -> tuple[list[tuple[str, str]], npt.NDArray[np.float64]]:
    """Mean difference of every two agents on every board, over the matches in which both played.

    In a match, the difference is a's mean score over its seats minus b's.

    Args:
        results: A table of results.
        score: Name of a numeric column in which more is better.

    Returns:
        The pairs (a, b) that met, a before b, sorted, and float64 [boards, pairs], boards in
        ascending order; nan where the two did not meet.

    Raises:
        ValueError: If matches differ in their number of seats, or a score is missing.
    """
    own = (
        _margins(results, score)
        .group_by(*MATCH, "agent")
        # Exact for whole scores: 840 is divisible by the number of the agent's seats.
        .agg(pl.col("margin").sum() * _SHARES / pl.len(), pl.col("seats").first())
    )
    means = (
        own.join(own, on=MATCH, suffix="_b")
        .filter(pl.col("agent") < pl.col("agent_b"))
        .group_by("board", a="agent", b="agent_b")
        .agg(
            value=(pl.col("margin") - pl.col("margin_b")).sum()
            / (pl.len() * pl.col("seats").first() * _SHARES)
        )
    )
    pairs = means.select("a", "b").unique().sort("a", "b").with_row_index("column")
    return pairs.select("a", "b").rows(), _matrix(means.join(pairs, on=["a", "b"]))


def family_difference(
    results: pl.DataFrame,
    a: Sequence[str],
    b: Sequence[str],
    score: str = "points",
    level: float = 0.95,
) -> Interval:
    """Difference of the mean margins of two kinds of agents, each trained with several seeds.

    Boards and training seeds are both replication units: see `seed_interval`. Boards on which
    not all of these agents played are left out.

    Args:
        results: A table of results.
        a: Names of the agents of the first kind, one per training seed.
        b: Names of the agents of the second kind.
        score: Name of a numeric column in which more is better.
        level: Confidence level.

    Raises:
        ValueError: If a name is unknown or given twice, if no board was played by all, or as in
            `seed_interval`.
    """
    agents, values = agent_boards(results, score)
    names = [*a, *b]
    if not a or not b or len(set(names)) < len(names) or not set(names) <= set(agents):
        raise ValueError(f"a, b: got {list(a)} and {list(b)}, allowed: disjoint lists of {agents}")
    chosen = complete(values[:, [agents.index(name) for name in names]]).T
    if not chosen.size:
        raise ValueError(f"results: got no board that {names} all played, allowed: at least one")
    return seed_interval(chosen[: len(a)], chosen[len(a) :], level)


def complete(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rows without nan.

    Args:
        values: float64 [boards, columns].
    """
    return values[~np.isnan(values).any(axis=1)]


def _margins(results: pl.DataFrame, score: str) -> pl.DataFrame:
    """Adds `seats`, and `margin` in units of 1 / seats; whole for whole scores."""
    require_scores(results, score)
    value = pl.col(score)
    if not results.schema[score].is_float():
        value = value.cast(pl.Int64)
    seats = pl.len().over(MATCH).cast(pl.Int64)
    frame = results.with_columns(seats=seats, margin=value * seats - value.sum().over(MATCH))
    if frame["seats"].n_unique() > 1:
        raise ValueError(f"matches differ in seats: {sorted(frame['seats'].unique().to_list())}")
    return frame


def _matrix(cells: pl.DataFrame) -> npt.NDArray[np.float64]:
    """Cells (board, column, value) as a matrix with a row per board."""
    boards, row = np.unique(cells["board"].to_numpy(), return_inverse=True)
    columns = cells["column"].cast(pl.Int64).to_numpy()
    matrix = np.full((len(boards), columns.max(initial=-1) + 1), np.nan)
    matrix[row, columns] = cells["value"].to_numpy()
    return matrix
