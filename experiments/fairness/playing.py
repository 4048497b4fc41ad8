"""Plays arms: every match and every round is kept, in Parquet files of whole boards.

A study that is interrupted goes on with the files that are left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from agents.base import Agent
from experiments.fairness.arms import Arm
from experiments.fairness.games import Columns, round_columns
from experiments.fairness.played import Piece, Played
from experiments.match_runner import play_lineups
from experiments.progress import Task
from experiments.runfolder import write_atomically
from experiments.schedule import Table
from loop_envs.envs.matches import play_rounds
from loop_envs.game import Game

FORMAT = 1
"""Rises when pieces that were written before must not be used any more."""
PIECE = 2**12
"""Matches of a piece, unless a single board has more; about as many are in memory at a time."""
SLICE = 256
"""Matches that one thread plays without a pause; their states are held until tables are made."""

Ints = npt.NDArray[np.int64]


def play_arm(
    game: Game, arm: Arm, folder: Path, seed: int, first_board: int, threads: int, task: Task
) -> Played:
    """Plays what is left of an arm.

    Args:
        game: The rules, with the arm's options.
        arm: The arm.
        folder: Where its files go.
        seed: Seed of all matches.
        first_board: Number of the first board.
        threads: Threads; the results do not depend on it.
        task: Shows how far it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for scrap in folder.glob(".*.tmp"):  # of a process that was killed while it wrote
        scrap.unlink(missing_ok=True)
    tables = len(arm.tables[0])
    step = max(1, PIECE // tables)
    boards = range(first_board, first_board + arm.boards)
    who = [[name, player.what] for name, player in arm.players.items()]
    key = [FORMAT, game.env_id, game.options, seed, who, arm.tables, arm.rounds]
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
    agents: dict[str, Agent] = {}
    pieces: list[Piece] = []
    for first in range(boards.start, boards.stop, step):
        own = range(first, min(first + step, boards.stop))
        pieces.append(Piece(folder / f"{first}-{len(own)}-{digest}.parquet", own))
        if not pieces[-1].path.exists():
            alone = 0 if agents else 1  # the first call of all may compile
            agents = agents or {name: who.make(game) for name, who in arm.players.items()}
            _play_piece(game, arm, agents, pieces[-1], seed, threads, alone, task)
        else:
            task.advance(len(own) * tables, 0)
    return Played(game, boards, tables, pieces)


class _Slice(NamedTuple):
    """Results of some matches: points, places and decisions as of `_Frame.matches`; rounds."""

    points: npt.NDArray[Any]
    places: npt.NDArray[Any]
    plies: npt.NDArray[Any]
    rounds: pl.DataFrame


def _play_piece(
    game: Game,
    arm: Arm,
    agents: Mapping[str, Agent],
    piece: Piece,
    seed: int,
    threads: int,
    alone: int,
    task: Task,
) -> None:
    """Plays the matches of a piece and writes its files.

    Args:
        game: The rules.
        arm: The arm.
        agents: The players by name.
        piece: The boards, and where the files go.
        seed: Seed of all matches.
        threads: Threads; the results do not depend on it.
        alone: Number of slices that are played before there are threads.
        task: Shows how far it is.
    """
    at = [arm.tables[board % len(arm.tables)] for board in piece.boards]
    tables = list(chain.from_iterable(at))
    boards = np.repeat(np.array(piece.boards, np.int64), len(at[0]))
    frame = _Frame(arm, tables, boards, game.num_players)
    if arm.rounds:
        found = _play_slices(game, agents, tables, seed, boards, frame, threads, alone, task)
        write_atomically(piece.rounds, pl.concat(one.rounds for one in found).write_parquet)
        points, places, plies = (np.concatenate([one[k] for one in found]) for k in range(3))
    else:
        points, places, plies = play_lineups(
            game, agents, [table.seats for table in tables], seed, boards, 1024, threads,
            task.advance,
        )  # fmt: skip
    write_atomically(piece.path, frame.matches(points, places, plies).write_parquet)


def _play_slices(
    game: Game,
    agents: Mapping[str, Agent],
    tables: Sequence[Table],
    seed: int,
    boards: Ints,
    frame: _Frame,
    threads: int,
    alone: int,
    task: Task,
) -> list[_Slice]:
    """Results of compiled agents; tables are made at once, as states take much more memory."""
    index = {name: i for i, name in enumerate(agents)}
    policies = [agent.policy for agent in agents.values() if agent.policy is not None]
    if len(policies) < len(agents):
        raise ValueError("rounds are kept of compiled agents only")
    n = game.num_players
    seating = np.array([[index[name] for name in table.seats] for table in tables], np.int64)

    def play(lo: int) -> _Slice:
        part = slice(lo, lo + SLICE)
        present, seats = np.unique(seating[part], return_inverse=True)
        chosen = [policies[k] for k in present]
        match, states = play_rounds(game, chosen, seats.reshape(-1, n), seed, boards[part])
        last = np.flatnonzero(np.append(match[1:] != match[:-1], True))
        places = np.array([game.places(states[i : i + 1]) for i in last], np.int8)
        rounds = frame.rounds(match + lo, round_columns(game, match, states))
        return _Slice(states["points"][last, :n], places, states["ply"][last], rounds)

    starts = range(0, len(tables), SLICE)
    found: list[_Slice] = []

    def keep(slices: Iterable[_Slice]) -> None:
        for one in slices:
            found.append(one)
            task.advance(len(one.plies), int(one.plies.sum()))

    keep(map(play, starts[:alone]))
    keep(_pool(threads).map(play, starts[alone:]))
    return found


@lru_cache(maxsize=1)
def _pool(threads: int) -> ThreadPoolExecutor:
    """The same threads for all pieces: new ones would each keep memory that they have freed."""
    return ThreadPoolExecutor(threads)


class _Frame:
    """Makes tables of results, a row for every seat."""

    def __init__(self, arm: Arm, tables: Sequence[Table], boards: Ints, n: int) -> None:
        self._n = n
        self._boards = boards
        names = list(arm.players)
        lineups = list(dict.fromkeys(t.lineup for at in arm.tables for t in at))
        self._agents = pl.Series(names, dtype=pl.Enum(names))
        self._lineups = pl.Series(lineups, dtype=pl.Enum(lineups))
        number = {name: i for i, name in enumerate(names)}
        of_lineup = {name: i for i, name in enumerate(lineups)}
        self._who = np.array([[number[s] for s in t.seats] for t in tables], np.int64)
        self._lineup = np.array([of_lineup[t.lineup] for t in tables], np.int64)
        self._rotation = np.array([t.rotation for t in tables], np.int16)

    def _keys(self, match: Ints) -> dict[str, pl.Series]:
        n = self._n
        return {
            "board": pl.Series(np.repeat(self._boards[match], n)),
            "lineup": self._lineups.gather(np.repeat(self._lineup[match], n)),
            "rotation": pl.Series(np.repeat(self._rotation[match], n)),
            "seat": pl.Series(np.tile(np.arange(n, dtype=np.int8), len(match))),
            "agent": self._agents.gather(self._who[match].reshape(-1)),
        }

    def matches(
        self, points: npt.NDArray[Any], places: npt.NDArray[Any], plies: npt.NDArray[Any]
    ) -> pl.DataFrame:
        """Of all matches, in order."""
        margin = points - points.mean(axis=1, keepdims=True)
        return pl.DataFrame(
            {
                **self._keys(np.arange(len(points))),
                "points": points.astype(np.int32).reshape(-1),
                "margin": margin.reshape(-1),
                "place": places.astype(np.int8).reshape(-1),
                "winner": places.reshape(-1) == 0,
                "decisions": np.repeat(plies.astype(np.int32), self._n),
            }
        )

    def rounds(self, match: Ints, columns: Columns) -> pl.DataFrame:
        """Of rounds, each of a match."""
        return pl.DataFrame(
            {**self._keys(match), **{name: x.reshape(-1) for name, x in columns.items()}}
        )
