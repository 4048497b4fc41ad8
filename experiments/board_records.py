"""``python -m experiments record FOLDER BOARD``: the matches of a board as game records.

The matches are played again by the same agents. A match is a function of its seed, board and
agents, so this gives what the tournament saw; the results are compared with its table to be sure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from agents.base import Agent, Decisions
from experiments.config import Config
from experiments.errors import ExperimentError
from experiments.players import load_agents
from experiments.runfolder import RunFolder
from loop_envs.game import Game, State
from loop_envs.records import record_match


class BoardRecordError(ExperimentError):
    """A board that cannot be recorded."""


def board_records(folder: RunFolder, board: int) -> Iterator[dict[str, Any]]:
    """Records of all matches of a board of a finished tournament, in the order of its table.

    Args:
        folder: The run's folder.
        board: Number of the board.

    Raises:
        BoardRecordError: If there are no results, the board was not played, or a match does not
            come out as it did, because agents or rules have changed since.
    """
    config = folder.config()
    file = folder.results / "matches.parquet"
    if not file.is_file():
        raise BoardRecordError(f"{folder.path} has no results of a tournament")
    table = pl.scan_parquet(file)
    seats = table.filter(board=board).sort("lineup", "rotation", "seat").collect()
    if seats.is_empty():
        first, last = table.select(
            pl.col("board").min().alias("first"), pl.col("board").max().alias("last")
        ).collect().row(0)  # fmt: skip
        raise BoardRecordError(f"board {board} was not played, allowed: {first} to {last}")
    game = config.make_game()
    agents = load_agents(config, game, folder)
    matches = seats.partition_by("lineup", "rotation", maintain_order=True)
    return (_record(config, game, agents, board, match) for match in matches)


def _record(
    config: Config, game: Game, agents: Mapping[str, Agent], board: int, match: pl.DataFrame
) -> dict[str, Any]:
    names = match["agent"].to_list()

    def choose(state: State) -> int:
        return int(agents[names[game.current_player(state)]].act(_decision(game, state))[0])

    record = record_match(game, config.seed, board, choose, names)
    expected = match["points"].to_list()
    if record["scores"] != expected:
        what = f"board {board}, line-up {match['lineup'][0]!r}, rotation {match['rotation'][0]}"
        raise BoardRecordError(
            f"{what} came out as {record['scores']}, but was {expected} in the tournament: agents "
            "or rules have changed since"
        )
    return record


def _decision(game: Game, state: State) -> Decisions:
    """The pending decision of a match."""
    player = game.current_player(state)
    return Decisions(
        game.observe(state, player)[None],
        game.action_mask(state)[None],
        np.array([player], np.int8),
        state["board"].astype(np.int64),
        state["ply"].astype(np.int32),
        state["seed"].astype(np.uint64),
        np.concatenate(
            [game.observe(state, (player + k) % game.num_players) for k in range(game.num_players)]
        )[None],
    )
