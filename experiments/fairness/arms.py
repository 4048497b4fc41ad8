"""Arms of a study: tables that are played on many boards, with every match and every round kept.

Results go to Parquet files in pieces of whole boards, and are read from there. A study that is
interrupted goes on with the pieces that are left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from agents.base import Agent
from experiments.fairness.games import Columns, rounds_of
from experiments.match_runner import play_lineups
from experiments.progress import Task
from experiments.runfolder import write_atomically
from experiments.schedule import Table
from loop_envs.envs.matches import play_rounds
from loop_envs.game import Game

FORMAT = 1
"""Rises when pieces that were written before must not be used any more."""
PIECE = 2**14
"""Matches of a piece, but for a single board."""
SLICE = 512
"""Matches that one thread plays without a pause."""

Ints = npt.NDArray[np.int64]


class Player(NamedTuple):
    """Who plays under a name.

    Attributes:
        what: Says what it is, so that results of another one are not used.
        make: Makes it for a game.
    """

    what: str
    make: Callable[[Game], Agent]


@dataclass(frozen=True)
class Arm:
    """Tables that are played on boards.

    Attributes:
        name: Name of its folder.
        players: Who plays, by name.
        tables: Board number x is played at those at x modulo their length.
        boards: Number of boards.
        options: What differs from the game's options.
        rounds: Whether rounds are kept too; then all players must be compiled.
    """

    name: str
    players: Mapping[str, Player]
    tables: Sequence[Sequence[Table]]
    boards: int
    options: Mapping[str, Any] = field(default_factory=dict)
    rounds: bool = True

    def num_matches(self, boards: range) -> int:
        """Number of matches on some boards."""
        whole, rest = divmod(len(boards), len(self.tables))
        sizes = [len(tables) for tables in self.tables]
        start = boards.start % len(sizes)
        return whole * sum(sizes) + sum((sizes + sizes)[start : start + rest])


@dataclass(frozen=True)
class Played:
    """What came out of an arm.

    Attributes:
        game: The rules it was played by.
        boards: Number of boards.
        num_matches: Number of matches.
        pieces: Parquet files of matches; those of rounds lie beside them.
    """

    game: Game
    boards: int
    num_matches: int
    pieces: list[Path]

    @property
    def matches(self) -> pl.LazyFrame:
        """A row for every seat of every match.

        Columns: board, lineup, rotation, seat, agent, points, margin, place (0 best), winner,
        decisions; sorted by match and seat.
        """
        return pl.scan_parquet(self.pieces)

    @property
    def rounds(self) -> pl.LazyFrame:
        """A row for every seat of every round.

        Columns: board, lineup, rotation, seat, agent, round, gain (points), and what the game's
        module adds; sorted by match, round and seat.
        """
        return pl.scan_parquet(self.round_pieces)

    @property
    def round_pieces(self) -> list[Path]:
        """Parquet files of rounds, in the order of those of matches."""
        return [_rounds_file(piece) for piece in self.pieces]


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
    most = max(len(tables) for tables in arm.tables)
    step = max(1, PIECE // most)
    boards = range(first_board, first_board + arm.boards)
    who = [[name, player.what] for name, player in arm.players.items()]
    key = [FORMAT, game.env_id, game.options, seed, who, arm.tables, arm.rounds]
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
    agents: dict[str, Agent] = {}
    pieces: list[Path] = []
    for first in range(boards.start, boards.stop, step):
        own = range(first, min(first + step, boards.stop))
        pieces.append(folder / f"{first}-{len(own)}-{digest}.parquet")
        if not pieces[-1].exists():
            agents = agents or {name: who.make(game) for name, who in arm.players.items()}
            _play_piece(game, arm, agents, own, pieces[-1], seed, threads, task)
        else:
            task.advance(arm.num_matches(own), 0)
    return Played(game, arm.boards, arm.num_matches(boards), pieces)


def _rounds_file(piece: Path) -> Path:
    return piece.with_suffix(".rounds")


def _play_piece(
    game: Game,
    arm: Arm,
    agents: Mapping[str, Agent],
    own: range,
    piece: Path,
    seed: int,
    threads: int,
    task: Task,
) -> None:
    tables: list[Table] = []
    boards: list[int] = []
    for board in own:
        at = arm.tables[board % len(arm.tables)]
        tables += at
        boards += [board] * len(at)
    frame = _Frame(arm, tables, np.array(boards, np.int64), game.num_players)
    numbers = np.array(boards, np.int64)
    if not arm.rounds:
        points, places, plies = play_lineups(
            game, agents, [table.seats for table in tables], seed, numbers, 1024, threads,
            task.advance,
        )  # fmt: skip
    else:
        states, match = _play_compiled(game, agents, tables, seed, numbers, threads, task)
        last = np.flatnonzero(np.append(match[1:] != match[:-1], True))
        points = states["points"][last, : game.num_players]
        places = np.array([game.places(states[i : i + 1]) for i in last], np.int8)
        plies = states["ply"][last]
        columns = rounds_of(game, match, states)
        write_atomically(_rounds_file(piece), frame.rounds(match, columns).write_parquet)
    write_atomically(piece, frame.matches(points, places, plies).write_parquet)


def _play_compiled(
    game: Game,
    agents: Mapping[str, Agent],
    tables: Sequence[Table],
    seed: int,
    boards: Ints,
    threads: int,
    task: Task,
) -> tuple[npt.NDArray[Any], Ints]:
    """States at the ends of rounds, and the match of each."""
    index = {name: i for i, name in enumerate(agents)}
    policies = [agent.policy for agent in agents.values() if agent.policy is not None]
    if len(policies) < len(agents):
        raise ValueError("rounds are kept of compiled agents only")
    seating = np.array([[index[name] for name in table.seats] for table in tables], np.int64)

    def play(lo: int) -> tuple[Ints, npt.NDArray[Any]]:
        part = slice(lo, lo + SLICE)
        present, seats = np.unique(seating[part], return_inverse=True)
        return play_rounds(
            game,
            [policies[k] for k in present],
            seats.reshape(-1, game.num_players),
            seed,
            boards[part],
        )

    starts = range(0, len(tables), SLICE)
    found = []
    with ThreadPoolExecutor(threads) as pool:
        # The first call may compile.
        parts = [play(0)] if len(starts) else []
        for lo, part in zip(starts, [*parts, *pool.map(play, starts[1:])], strict=True):
            found.append((part[0] + lo, part[1]))
            over = np.flatnonzero(np.append(part[0][1:] != part[0][:-1], True))
            task.advance(len(over), int(part[1]["ply"][over].sum()))
    return np.concatenate([states for _, states in found]), np.concatenate(
        [match for match, _ in found]
    )


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
