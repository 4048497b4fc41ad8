"""Shards of a tournament: pieces of work that are written at once or not at all.

A shard is a range of boards and what a part of the schedule plays on them. It depends on nothing
but its own agents, tables, boards and the seed, so a tournament that is interrupted, cut up
differently, or played in another order or by other processes has the same results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from agents.base import Agent
from experiments.config import Config
from experiments.match_runner import Results, no_tick, play_lineups
from experiments.runfolder import write_atomically
from experiments.schedule import Part, Table
from loop_envs.game import Game

FORMAT = 1
"""Rises when shards that were written before must not be used any more."""
MATCH = ("board", "lineup", "rotation", "seat")
"""Results are sorted by these."""
MOST_MATCHES = 2**18
"""Matches of a shard, but for a single board: movements can have very many tables."""
MOST_ROWS = 2**17
"""Rows that are read at once, but for the rest of a range of boards."""


@dataclass(frozen=True)
class Shard:
    """A range of boards and their tables.

    Attributes:
        boards: The boards.
        tables: Those of the first board, the next, and so on; after the last come the first.
        file: Where the results belong.
    """

    boards: range
    tables: list[list[Table]]
    file: Path

    @property
    def num_matches(self) -> int:
        """Number of matches."""
        whole, rest = divmod(len(self.boards), len(self.tables))
        sizes = [len(tables) for tables in self.tables]
        return whole * sum(sizes) + sum(sizes[:rest])

    def matches(self) -> tuple[list[int], list[Table]]:
        """Board and table of every match, in order of the boards."""
        boards: list[int] = []
        played: list[Table] = []
        for i, board in enumerate(self.boards):
            tables = self.tables[i % len(self.tables)]
            boards += [board] * len(tables)
            played += tables
        return boards, played


def shards(
    config: Config,
    game: Game,
    parts: Sequence[Part],
    who: Mapping[str, str],
    folder: Path,
    boards: range | None = None,
) -> list[Shard]:
    """The shards of some boards of a tournament.

    Args:
        config: A configuration with a tournament.
        game: Its game.
        parts: Its schedule.
        who: What each agent is, by name: results of another agent of this name are not used.
        folder: Folder of the shards' files.
        boards: The boards; None for all.
    """
    t = config.tournament
    assert t is not None
    boards = range(t.first_board, t.first_board + t.boards) if boards is None else boards
    # The same for all parts: their shards of a range of boards are read together.
    step = t.chunk
    if t.movement != "lineups":
        most = max(len(tables) for part in parts for tables in part.tables)
        step = max(1, min(step, MOST_MATCHES // most))
    result = []
    for i, part in enumerate(parts):
        for first in range(boards.start, boards.stop, step):
            own = range(first, min(first + step, boards.stop))
            tables = [part.on(first + k) for k in range(min(len(own), len(part.tables)))]
            agents = [[name, who[name]] for name in part.agents]
            key: list[object] = [FORMAT, game.env_id, game.options, config.seed, agents]
            key += [first, len(own)]
            if part.movement != "lineups":  # else the agents and the boards say it all
                key += [part.movement, tables]
            digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
            file = folder / f"{i:04}-{first}-{len(own)}-{digest}.parquet"
            result.append(Shard(own, tables, file))
    return result


def groups(left: Sequence[Shard], matches: int) -> Iterator[list[Shard]]:
    """Shards that are played together, so that agents are asked for many decisions at once."""
    group: list[Shard] = []
    for shard in left:
        group.append(shard)
        if sum(s.num_matches for s in group) >= matches:
            yield group
            group = []
    if group:
        yield group


def play_group(
    game: Game,
    agents: Mapping[str, Agent],
    group: Sequence[Shard],
    config: Config,
    tick: Callable[[int, int], None] = no_tick,
) -> None:
    """Plays shards and writes their results.

    Args:
        game: The game.
        agents: Agents by name.
        group: The shards.
        config: A configuration with a tournament.
        tick: See `play_lineups`.
    """
    t = config.tournament
    assert t is not None
    work = [shard.matches() for shard in group]
    seats = [table.seats for _, tables in work for table in tables]
    boards = np.array([board for boards, _ in work for board in boards], np.int64)
    points, places, plies = play_lineups(
        game, agents, seats, config.seed, boards, t.num_matches, config.threads, tick
    )
    lo = 0
    for shard, (own, tables) in zip(group, work, strict=True):
        part = slice(lo, lo + len(tables))
        lo += len(tables)
        frame = _frame(own, tables, (points[part], places[part], plies[part]))
        write_atomically(shard.file, frame.write_parquet)


def _frame(boards: Sequence[int], tables: Sequence[Table], played: Results) -> pl.DataFrame:
    """Results of matches, a row for every seat."""
    points, places, plies = played
    matches, n = points.shape
    margin = points - points.mean(axis=1, keepdims=True)
    rows = np.repeat(np.arange(matches), n)
    return pl.DataFrame(
        {
            "board": np.repeat(np.array(boards, np.int64), n),
            "lineup": pl.Series([table.lineup for table in tables], dtype=pl.String).gather(rows),
            "rotation": np.repeat(np.array([table.rotation for table in tables], np.int8), n),
            "seat": np.tile(np.arange(n, dtype=np.int8), matches),
            "agent": pl.Series([s for table in tables for s in table.seats], dtype=pl.String),
            "points": points.reshape(-1),
            "margin": margin.reshape(-1),
            "place": places.reshape(-1),
            "winner": places.reshape(-1) == 0,
            "decisions": np.repeat(plies, n),
        }
    )


def tables_of(work: Iterable[Shard]) -> Iterator[pl.DataFrame]:
    """Results of shards that have been played, some boards at a time, sorted.

    Parts that share a range of boards come together, so that every table holds whole boards; and
    small ranges come together, because every table has its cost.
    """
    by_boards: dict[int, list[Shard]] = {}
    for shard in work:
        by_boards.setdefault(shard.boards.start, []).append(shard)
    frames: list[pl.DataFrame] = []
    for first in sorted(by_boards):
        frames += [pl.read_parquet(shard.file) for shard in by_boards[first]]
        if sum(frame.height for frame in frames) >= MOST_ROWS:
            yield pl.concat(frames).sort(MATCH)
            frames = []
    if frames:
        yield pl.concat(frames).sort(MATCH)
