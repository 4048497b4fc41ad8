"""Loopla's rounds and matches as arrays, for the questions that are asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.fairness.boards import MATCH, Floats, by_board
from experiments.fairness.played import Part, Played
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
EVERY = pl.lit(True)


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


def unselected(played: Played) -> pl.Expr:
    """Whether a round is one that every match of an arm has.

    A match ends after a round in which somebody got much, so the last rounds of matches are no
    fair sample of rounds; those that come before the first match ends are.
    """
    number = pl.col("round")
    lasts = (part.rounds.group_by(MATCH).agg(number.max()) for part in played.parts())
    return number <= min(int(of.select(number.min()).collect().item()) for of in lasts)


def overall(played: Played, value: pl.Expr | str, where: pl.Expr = EVERY) -> Floats:
    """Mean of a value over some rounds of every board that has such, float64 [boards]."""

    def rows(part: Part) -> pl.LazyFrame:
        return part.rounds.filter(where).with_columns(_all=pl.lit(0))

    return by_board(played, ["_all"], value, rows)[1][:, 0]


def per_round(part: Part, value: pl.Expr | str) -> Floats:
    """Mean of a value over all rounds of matches of a fixed number of them, float64 [boards].

    A round that is over before anybody plays, because nearly all fall by an instruction that was
    dealt, is not in the table of rounds: nothing is played or scored in it, so it counts as 0.
    """
    rows = part.game.num_players * part.game.options["rounds"] * part.tables
    value = pl.col(value) if isinstance(value, str) else value
    total = part.rounds.group_by("board").agg(_sum=value.cast(pl.Float64).sum()).collect()
    means = np.zeros(part.boards)
    means[total["board"].to_numpy() - part.numbers.start] = total["_sum"].to_numpy() / rows
    return means


def by_place(played: Played, where: pl.Expr = EVERY) -> Floats:
    """Mean points of some rounds for every place after the starter, float64 [boards, n].

    Boards without such rounds are left out.
    """
    return by_board(played, ["turn"], "gain", lambda part: part.rounds.filter(where))[1]


def edge(places: Floats) -> Floats:
    """What the first column has more than the mean of the others, float64 [boards]."""
    others: Floats = places[:, 1:].mean(axis=1)
    return places[:, 0] - others


# Matches -----------------------------------------------------------------------------------------


class Rounds:
    """The rounds of a part of an arm as arrays, a row for every round.

    Attributes:
        gain: int32 [K, n], points of the round.
        total: int64 [K, n], points of the match so far.
        most: int64 [K], points of who is ahead.
        turn: int8 [K, n], places after the starter.
        ply: int64 [K], decisions of the match so far.
        starts: int64 [M], the row of every match's first round.
        lasts: int64 [M], the row of its last one.
    """

    def __init__(self, part: Part) -> None:
        n = part.game.num_players
        frame = part.rounds.select("round", "gain", "turn", "ply").collect()
        self.gain = frame["gain"].to_numpy().reshape(-1, n)
        self.turn = frame["turn"].to_numpy().reshape(-1, n)
        self.ply = frame["ply"].to_numpy()[::n].astype(np.int64)
        self.starts = np.flatnonzero(frame["round"].to_numpy()[::n] == 0)
        self.lasts = np.append(self.starts[1:], len(self.ply)) - 1
        self.total = self.gain.cumsum(axis=0, dtype=np.int64)
        before = (self.total - self.gain)[self.starts]
        self.total -= np.repeat(before, self.lasts - self.starts + 1, axis=0)
        self.most = self.total.max(axis=1)

    def ends(self, points: float) -> Ints:
        """The row in which each match has reached some points, or else its last one."""
        rows = len(self.most)
        row = np.where(self.most >= points, np.arange(rows), rows)
        first: Ints = np.minimum.reduceat(row, self.starts)
        ends: Ints = np.minimum(first, self.lasts)
        return ends


def shared(points: npt.NDArray[Any]) -> Floats:
    """Shares of the first place, float64 [M, n]: those who are level share it."""
    best = points == points.max(axis=1, keepdims=True)
    shares: Floats = best / best.sum(axis=1, keepdims=True)
    return shares


def cut(part: Part, target: int, rounds: Rounds | None = None) -> pl.DataFrame:
    """Matches as they would have ended at a lower target.

    True of players who do not look at the score, and of a first player who does not depend on
    it: then a shorter match is the beginning of a longer one on the same board.

    Args:
        part: A part of an arm with a higher target.
        target: The lower one.
        rounds: Its rounds, where they have been read.

    Returns:
        The part's matches, with points, share (of the win), length (rounds), decisions, and turn
        (place after the first round's starter) of the shorter ones.
    """
    rounds = rounds or Rounds(part)
    n = part.game.num_players
    ends = rounds.ends(target)
    points = rounds.total[ends]
    own = part.matches.select("board", "lineup", "rotation", "seat", "agent").collect()
    return own.with_columns(
        points=pl.Series(points.reshape(-1)),
        share=pl.Series(shared(points).reshape(-1)),
        length=pl.Series(np.repeat(ends - rounds.starts + 1, n)),
        decisions=pl.Series(np.repeat(rounds.ply[ends], n)),
        turn=pl.Series(rounds.turn[rounds.starts].reshape(-1)),
    )
