"""A duplicate tournament: shards of work in, one table of results out.

A shard is a line-up and a range of boards, played in all seatings. It is written at once or not
at all, and it depends on nothing but its own agents, boards and the seed, so a tournament that is
interrupted, cut up differently, or played in another order has the same results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from agents.base import Agent
from experiments.config import Config, TournamentConfig
from experiments.lineups import Lineup, label, lineups, rotations
from experiments.match_runner import SLICE, Results, play_lineups
from experiments.players import identities, load_agents
from experiments.progress import Progress
from experiments.report import print_report, report_text
from experiments.runfolder import RunFolder, write_atomically, write_text
from loop_envs.duplicate.tables import agent_table, pair_table
from loop_envs.game import Game

FORMAT = 1
"""Rises when shards that were written before must not be used any more."""


@dataclass(frozen=True)
class Shard:
    """A line-up and a range of boards.

    Attributes:
        seatings: The line-up's seatings; the first one is the line-up itself.
        boards: The boards.
        file: Where the results belong.
    """

    seatings: list[Lineup]
    boards: range
    file: Path

    @property
    def num_matches(self) -> int:
        """Number of matches."""
        return len(self.seatings) * len(self.boards)


def shards(config: Config, game: Game, who: Mapping[str, str], folder: Path) -> list[Shard]:
    """All shards of a tournament.

    Args:
        config: A configuration with a tournament.
        game: Its game.
        who: What each agent is, by name: results of another agent of this name are not used.
        folder: Folder of the shards' files.
    """
    t = _tournament(config)
    result = []
    for i, lineup in enumerate(lineups(t.agent_names, game.num_players, t.lineups)):
        for first in range(t.first_board, t.first_board + t.boards, t.chunk):
            boards = range(first, min(first + t.chunk, t.first_board + t.boards))
            agents = [[name, who[name]] for name in lineup]
            key = [FORMAT, game.env_id, game.options, config.seed, agents, first, len(boards)]
            digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
            file = folder / f"{i:04}-{first}-{len(boards)}-{digest}.parquet"
            result.append(Shard(rotations(lineup), boards, file))
    return result


def play(
    config: Config,
    game: Game,
    folder: RunFolder,
    progress: Progress,
    agents: Mapping[str, Agent] | None = None,
) -> pl.DataFrame:
    """Plays what is left of a tournament and writes tables and report.

    Args:
        config: A configuration with a tournament.
        game: Its game.
        folder: The run's folder.
        progress: Shows how far it is.
        agents: Agents by name; None makes those of the configuration.

    Returns:
        The table of results, see `loop_envs.duplicate.tables`, and with the columns margin
        (points minus their mean in the match), place (0 best) and decisions (of the match).
    """
    t = _tournament(config)
    if agents is None:
        who, agents = identities(config, folder), load_agents(config, game, folder)
    else:
        who = {name: name for name in agents}
    where = folder.results / "shards"
    where.mkdir(exist_ok=True)
    work = shards(config, game, who, where)
    left = [shard for shard in work if not shard.file.exists()]
    total = sum(shard.num_matches for shard in work)
    done = total - sum(shard.num_matches for shard in left)
    if left:
        with progress.task("tournament", total, done, "matches") as task:
            for group in _groups(left, 2 * max(t.num_matches, SLICE * config.threads)):
                seats = [seats for shard in group for seats in shard.seatings * len(shard.boards)]
                boards = np.concatenate(
                    [np.repeat(np.array(s.boards, np.int64), len(s.seatings)) for s in group]
                )
                played = play_lineups(
                    game, agents, seats, config.seed, boards,
                    t.num_matches, config.threads, task.advance,
                )  # fmt: skip
                _write(group, played)
    results = pl.concat([pl.read_parquet(shard.file) for shard in work])
    results = results.sort("board", "lineup", "rotation", "seat")
    per_agent, per_pair = agent_table(results), pair_table(results)
    for name, frame in (("matches", results), ("agents", per_agent), ("pairs", per_pair)):
        write_atomically(folder.results / f"{name}.parquet", frame.write_parquet)
    write_text(folder.path / "report.md", report_text(config, game, results, per_agent, per_pair))
    print_report(progress, per_agent, per_pair)
    return results


def _tournament(config: Config) -> TournamentConfig:
    if config.tournament is None:
        raise ValueError(f"{config.name} has no tournament")
    return config.tournament


def _groups(left: Sequence[Shard], matches: int) -> Iterator[list[Shard]]:
    """Shards that are played together, so that agents are asked for many decisions at once."""
    group: list[Shard] = []
    for shard in left:
        group.append(shard)
        if sum(s.num_matches for s in group) >= matches:
            yield group
            group = []
    if group:
        yield group


def _write(group: Sequence[Shard], played: Results) -> None:
    points, places, plies = played
    lo = 0
    for shard in group:
        part = slice(lo, lo + shard.num_matches)
        lo += shard.num_matches
        frame = _frame(shard, (points[part], places[part], plies[part]))
        write_atomically(shard.file, frame.write_parquet)


def _frame(shard: Shard, played: Results) -> pl.DataFrame:
    """Results of a shard, its matches in the order of boards and then seatings."""
    points, places, plies = played
    matches, n = points.shape
    margin = points - points.mean(axis=1, keepdims=True)
    return pl.DataFrame(
        {
            "board": np.repeat(np.array(shard.boards, np.int64), len(shard.seatings) * n),
            "lineup": [label(shard.seatings[0])] * (matches * n),
            "rotation": np.tile(
                np.repeat(np.arange(len(shard.seatings), dtype=np.int8), n), len(shard.boards)
            ),
            "seat": np.tile(np.arange(n, dtype=np.int8), matches),
            "agent": [name for seats in shard.seatings for name in seats] * len(shard.boards),
            "points": points.reshape(-1),
            "margin": margin.reshape(-1),
            "place": places.reshape(-1),
            "winner": places.reshape(-1) == 0,
            "decisions": np.repeat(plies, n),
        }
    )
