"""Loopla's rounds and matches as arrays, for the questions that are asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.arms import Played
from experiments.fairness.boards import Floats, by_board
from experiments.fairness.study import Study
from loop_envs.errors import OptionError
from loop_envs.game import Game

HOOP, WHOOP, EMPTY = 0, 1, 2
"""How a round ends: one player left, a full collection, an empty hand."""
ENDINGS = ("one player left", "WHOOP", "empty hand")
FALLS = ("persist", "free")
"""What binds the next player after a fall: what bound the one who fell, or nothing."""
INSTRUCTIONS = ("free", "random", "starter")
"""What binds the first play of a round."""
TARGETS = (50, 100, 200, 400)
"""Points that end a match."""
LONG: Mapping[str, Any] = {"target": TARGETS[-1], "rounds": None, "max_rounds": 1000}
"""Options of matches from which shorter ones can be cut."""

Ints = npt.NDArray[np.int64]


def place(value: int, n: int) -> str:
    """Names a place after the starter."""
    if value == 0:
        return "the starter"
    return f"{value} after" if value < n - 1 or n == 2 else f"{value} after (last)"


def usual_target(game: Game) -> int:
    """The game's target, or the most usual one where it has none."""
    return int(game.options["target"] or 200)


def allowed(study: Study, numbers: Sequence[int]) -> list[int]:
    """The numbers of players among some with which the study's game can be played."""
    found = []
    for n in numbers:
        try:
            Game(study.game.env_id, study.game.rules, study.game.options | {"num_players": n})
        except OptionError:  # more cards than there are
            continue
        found.append(n)
    return found


# Rounds ------------------------------------------------------------------------------------------


def unselected(played: Played) -> pl.LazyFrame:
    """The rounds that every match of an arm has.

    A match ends after a round in which somebody got much, so the last rounds of matches are no
    fair sample of rounds; those that come before the first match ends are.
    """
    last = played.rounds.group_by("board", "lineup", "rotation").agg(pl.col("round").max())
    least = last.select(pl.col("round").min()).collect().item()
    return played.rounds.filter(pl.col("round") <= least)


def overall(rows: pl.LazyFrame, value: str) -> Floats:
    """Mean of a value on every board, float64 [boards]."""
    _, values = by_board(rows.with_columns(_all=pl.lit(0)), ["_all"], value)
    return values.reshape(-1)


def per_round(played: Played, value: pl.Expr | str) -> Floats:
    """Mean of a value over all rounds of matches of a fixed number of them, float64 [boards].

    A round that is over before anybody plays, because nearly all fall by an instruction that was
    dealt, is not in the table of rounds: nothing is played or scored in it, so it counts as 0.
    """
    rows = played.game.num_players * played.game.options["rounds"]
    value = pl.col(value) if isinstance(value, str) else value
    total = played.rounds.group_by("board").agg(_sum=value.cast(pl.Float64).sum()).sort("board")
    means: Floats = total.collect()["_sum"].to_numpy() / (rows * played.num_matches / played.boards)
    return means


def by_place(rounds: pl.LazyFrame, value: str = "gain") -> Floats:
    """Mean of a value for every place after the starter, float64 [boards, n]."""
    return by_board(rounds, ["turn"], value)[1]


def edge(places: Floats) -> Floats:
    """What the first column has more than the mean of the others, float64 [boards]."""
    others: Floats = places[:, 1:].mean(axis=1)
    return places[:, 0] - others


# Matches -----------------------------------------------------------------------------------------


class Rounds:
    """An arm's rounds as arrays, a row for every round.

    Attributes:
        gain: int64 [K, n], points of the round.
        total: int64 [K, n], points of the match so far.
        turn: int8 [K, n], places after the starter.
        ply: int64 [K], decisions of the match so far.
        starts: int64 [M], the row of every match's first round.
        lasts: int64 [M], the row of its last one.
    """

    def __init__(self, played: Played) -> None:
        n = played.game.num_players
        frame = played.rounds.select("round", "gain", "turn", "ply").collect()
        self.gain = frame["gain"].to_numpy().astype(np.int64).reshape(-1, n)
        self.turn = frame["turn"].to_numpy().reshape(-1, n)
        self.ply = frame["ply"].to_numpy().astype(np.int64)[::n]
        number = frame["round"].to_numpy().astype(np.int64)[::n]
        self.starts = np.flatnonzero(number == 0)
        self.lasts = np.append(self.starts[1:], len(number)) - 1
        self.total = self.gain.cumsum(axis=0)
        before = (self.total - self.gain)[self.starts]
        self.total -= np.repeat(before, self.lasts - self.starts + 1, axis=0)

    def ends(self, points: float) -> Ints:
        """The row in which each match has reached some points, or else its last one."""
        reached = self.total.max(axis=1) >= points
        row = np.where(reached, np.arange(len(reached)), len(reached))
        first: Ints = np.minimum.reduceat(row, self.starts)
        ends: Ints = np.minimum(first, self.lasts)
        return ends


def shared(points: npt.NDArray[Any]) -> Floats:
    """Shares of the first place, float64 [M, n]: those who are level share it."""
    best = points == points.max(axis=1, keepdims=True)
    shares: Floats = best / best.sum(axis=1, keepdims=True)
    return shares


def cut(played: Played, target: int, rounds: Rounds | None = None) -> pl.DataFrame:
    """Matches as they would have ended at a lower target.

    True of players who do not look at the score, and of a first player who does not depend on
    it: then a shorter match is the beginning of a longer one on the same board.

    Args:
        played: An arm with a higher target.
        target: The lower one.
        rounds: The arm's rounds, where they have been read.

    Returns:
        The arm's matches, with points, share (of the win), length (rounds), decisions, and turn
        (place after the first round's starter) of the shorter ones.
    """
    rounds = rounds or Rounds(played)
    n = played.game.num_players
    ends = rounds.ends(target)
    points = rounds.total[ends]
    own = played.matches.select("board", "lineup", "rotation", "seat", "agent").collect()
    return own.with_columns(
        points=pl.Series(points.reshape(-1)),
        share=pl.Series(shared(points).reshape(-1)),
        length=pl.Series(np.repeat(ends - rounds.starts + 1, n)),
        decisions=pl.Series(np.repeat(rounds.ply[ends], n)),
        turn=pl.Series(rounds.turn[rounds.starts].reshape(-1)),
    )
