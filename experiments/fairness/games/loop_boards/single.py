"""Boards of loop_boards played in single rounds, and scores of each way to play a board."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.arms import Arm, Played
from experiments.fairness.boards import Floats
from experiments.fairness.games.loop_boards.order import forgetful_ladder
from experiments.fairness.study import ALL_ORDERS, Study, ordered_tables
from experiments.lineups import label
from experiments.schedule import Table
from loop_envs.duplicate import loop_board
from loop_envs.duplicate.movements import circular_orders, williams

LOOP, HIDDEN, CYCLIC, WILLIAMS = (
    "Loop",
    "Loop, memory hidden",
    "single rounds, cyclic",
    "single rounds, Williams",
)
Ints = npt.NDArray[np.int64]


class Scores(NamedTuple):
    """Scores of one way to play the boards.

    Attributes:
        margins: Sum of an agent's markers on a board in a line-up, in as many rounds as there are
            seats, less the mean of the line-up, float64 [boards, repeats, line-ups, agents]; nan
            where an agent is not in a line-up. Repeats are further plays of the same boards,
            each as good as the other.
        order: Number of the circular order in which each board was played, int64 [boards].
    """

    margins: Floats
    order: Ints

    def some(self, rows: Ints) -> Scores:
        """Some of the boards."""
        return Scores(self.margins[rows], self.order[rows])


def all_scores(study: Study) -> dict[str, Scores]:
    """Scores of the ladder in each way to play, on the same boards."""
    hidden = forgetful_ladder(study)
    lineups = list(combinations(study.ladder, study.num_players))
    cyclic, squares = ordered_tables(lineups), williams_tables(lineups)
    arms = {
        CYCLIC: Arm("single-cyclic", study.players(), cyclic, hidden.boards, {"rounds": 1}),
        WILLIAMS: Arm("single-williams", study.players(), squares, hidden.boards, {"rounds": 1}),
    }
    shared = pl.col("board") < study.settings.first_board + hidden.boards
    found = {
        name: _scores(study, played.matches.filter(shared).collect(), len(cyclic))
        for name, played in ((LOOP, study.ladders()), (HIDDEN, hidden))
    }
    for name, arm in arms.items():
        tables = len(arm.tables[0]) // len(lineups)
        rows = single_markers(study.play(arm)).with_columns(
            points=pl.col("marker") * study.num_players / tables, rotation=pl.lit(0)
        )
        found[name] = _scores(study, rows, len(cyclic))
    return found


def williams_tables(lineups: list[tuple[str, ...]]) -> list[list[Table]]:
    """By board: every line-up in the seatings of a Williams square, relabelled each time."""
    n = len(lineups[0])
    orders = circular_orders(n) if n <= ALL_ORDERS else williams(n)
    return [
        [
            Table(label(lineup), k, tuple(lineup[order[i]] for i in row))
            for lineup in lineups
            for k, row in enumerate(williams(n).tolist())
        ]
        for order in orders.tolist()
    ]


def single_markers(played: Played) -> pl.DataFrame:
    """Rounds with the column `marker`: values over the tables of a line-up that play a hand."""
    rows = played.rounds.select("board", "lineup", "rotation", "seat", "agent", "rank").collect()
    cells = rows.with_columns(
        _board=pl.col("board"),
        board=pl.struct("board", pl.col("lineup").to_physical()).rank("dense").cast(pl.Int64),
        points=-pl.col("rank").cast(pl.Int64),
    )
    scored = loop_board(cells, line="rank", name="marker")
    return scored.with_columns(board=pl.col("_board")).drop("_board")


def _scores(study: Study, rows: pl.DataFrame, orders: int) -> Scores:
    """Sums of points by board, rotation, line-up and agent, as margins."""
    agents = {name: i for i, name in enumerate(study.ladder)}
    keys = ["board", "rotation", "lineup", "agent"]
    sums = rows.group_by(keys).agg(pl.col("points").cast(pl.Float64).sum())
    boards, row = np.unique(sums["board"].to_numpy(), return_inverse=True)
    repeat = sums["rotation"].to_numpy().astype(np.int64)
    lineup = sums["lineup"].to_physical().cast(pl.Int64).to_numpy()
    who = sums["agent"].cast(pl.String).replace_strict(agents, return_dtype=pl.Int64).to_numpy()
    shape = (len(boards), int(repeat.max()) + 1, int(lineup.max()) + 1, len(agents))
    margins = np.full(shape, np.nan)
    margins[row, repeat, lineup, who] = sums["points"].to_numpy()
    margins -= np.nanmean(margins, axis=3, keepdims=True)
    return Scores(margins, boards % orders)
