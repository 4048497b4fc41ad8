"""Boards of loop_boards played in single rounds, and scores of each way to play a board."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, folded
from experiments.fairness.games.loop_boards.order import forgetful_ladder
from experiments.fairness.played import Part, Played
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
    """Scores of one way to play B boards.

    An agent's score is the sum of its markers on a board in a line-up, in as many rounds as there
    are seats, less the mean of the line-up. Repeats are further plays of the same boards, each as
    good as the other; C is the number of scores of a board.

    Attributes:
        results: Mean score over line-ups, float64 [B, repeats, agents].
        apart: Sums by fold of the boards of `powers` of the mean score minus that of the next agent
            on the ladder, over the line-ups of both, float64 [FOLDS, repeats, agents - 1, 3].
        orders: The same of every score, by circular order in which the boards were played, float64
            [FOLDS, orders, C, 3].
    """

    results: Floats
    apart: Floats
    orders: Floats


def all_scores(study: Study) -> dict[str, Scores]:
    """Scores of the ladder in each way to play, on the same boards."""
    hidden = forgetful_ladder(study)
    lineups = list(combinations(study.ladder, study.num_players))
    cyclic, squares = ordered_tables(lineups), williams_tables(lineups)
    arms = {
        CYCLIC: Arm("single-cyclic", study.players(), cyclic, hidden.boards, {"rounds": 1}),
        WILLIAMS: Arm("single-williams", study.players(), squares, hidden.boards, {"rounds": 1}),
    }
    found = {
        name: _scores(study, played, len(cyclic), lambda part: part.matches.collect())
        for name, played in ((LOOP, study.ladders().some(hidden.boards)), (HIDDEN, hidden))
    }
    for name, arm in arms.items():
        share = study.num_players * len(lineups) / len(arm.tables[0])

        def rows(part: Part, share: float = share) -> pl.DataFrame:
            points = pl.col("marker") * share
            return single_markers(part).with_columns(points=points, rotation=pl.lit(0))

        found[name] = _scores(study, study.play(arm), len(cyclic), rows)
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


def single_markers(part: Part) -> pl.DataFrame:
    """Rounds with the column `marker`: values over the tables of a line-up that play a hand."""
    rows = part.rounds.select("board", "lineup", "rotation", "seat", "agent", "rank").collect()
    cells = rows.with_columns(
        _board=pl.col("board"),
        board=pl.struct("board", pl.col("lineup").to_physical()).rank("dense").cast(pl.Int64),
        points=-pl.col("rank").cast(pl.Int64),
    )
    scored = loop_board(cells, line="rank", name="marker")
    return scored.with_columns(board=pl.col("_board")).drop("_board")


def _scores(
    study: Study, played: Played, orders: int, rows: Callable[[Part], pl.DataFrame]
) -> Scores:
    """Scores from rows with board, rotation, line-up, agent and points of a part."""
    results = []

    def sums(part: Part) -> dict[str, Floats]:
        margins = _margins(study, part, rows(part))
        results.append(np.nanmean(margins, axis=2))
        return score_sums(margins, part.numbers, orders)

    folds = folded(played, sums)
    return Scores(np.concatenate(results), **folds)


def _margins(study: Study, part: Part, rows: pl.DataFrame) -> Floats:
    """Scores by agent, float64 [boards, repeats, line-ups, agents]; nan for who does not sit."""
    agents = {name: i for i, name in enumerate(study.ladder)}
    keys = ["board", "rotation", "lineup", "agent"]
    sums = rows.group_by(keys).agg(pl.col("points").cast(pl.Float64).sum())
    board = sums["board"].to_numpy() - part.numbers.start
    repeat = sums["rotation"].to_numpy().astype(np.int64)
    lineup = sums["lineup"].to_physical().cast(pl.Int64).to_numpy()
    who = sums["agent"].cast(pl.String).replace_strict(agents, return_dtype=pl.Int64).to_numpy()
    shape = (part.boards, int(repeat.max()) + 1, int(lineup.max()) + 1, len(agents))
    margins = np.full(shape, np.nan)
    margins[board, repeat, lineup, who] = sums["points"].to_numpy()
    margins -= np.nanmean(margins, axis=3, keepdims=True)
    return margins


def powers(x: Floats) -> Floats:
    """What means and variances need the sums of: [...] to [..., 3], with 1, x and x²."""
    return np.stack([np.ones_like(x), x, x * x], axis=-1)


def score_sums(margins: Floats, boards: range, orders: int) -> dict[str, Floats]:
    """What is summed up for `Scores`, by board.

    Args:
        margins: float64 [B, repeats, line-ups, agents]; nan where an agent is not in a line-up.
        boards: Their numbers.
        orders: Number of circular orders, in which they are played in turn.

    Returns:
        `apart`, float64 [B, repeats, agents - 1, 3], and `orders`, float64 [B, orders, C, 3].
    """
    pairs = pairwise(range(margins.shape[3]))
    apart = [np.nanmean(margins[..., a] - margins[..., b], axis=2) for a, b in pairs]
    flat = margins.reshape(len(margins), -1)
    flat = flat[:, ~np.isnan(flat[0])]
    of_order = np.zeros((len(margins), orders, flat.shape[1], 3))
    of_order[np.arange(len(margins)), np.array(boards) % orders] = powers(flat)
    return {"apart": powers(np.stack(apart, axis=2)), "orders": of_order}
