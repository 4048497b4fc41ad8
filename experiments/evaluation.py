"""Evaluation during training: duplicate matches of a frozen copy on boards nobody trains on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from agents.base import Agent
from agents.learners.base import Learner
from agents.learners.kinds import make_frozen
from agents.learners.sizes import for_one_size
from agents.named import make_agent
from experiments.config_train import EvaluateConfig
from experiments.lineups import label, lineups, rotations
from experiments.match_runner import play_lineups
from loop_envs.duplicate import pair_table
from loop_envs.game import Game


def evaluate(
    learner: Learner, game: Game, config: EvaluateConfig, seed: int
) -> list[dict[str, Any]]:
    """Compares a learner with each of some agents.

    Both fill the table as evenly as possible, in all cyclic seatings on every board; masks are
    always on, and the learner plays its best action.

    Args:
        learner: Who is judged, as it is now.
        game: The game, of several sizes one.
        config: Boards and opponents.
        seed: Of the deals and the opponents.

    Returns:
        For each opponent: num_players, opponent, boards, matches, difference (of the mean points
        per seat and match, learner minus opponent), difference_low, difference_high (95 %, over
        boards).
    """
    frozen = make_frozen(learner.kind, learner.name, learner.spaces, learner.frozen(), seed)
    own = for_one_size(learner.spaces, frozen, game)
    boards = config.first_board + np.arange(config.boards)
    rows = []
    for name in config.against:
        results = play_pair(game, own, make_agent(name, game, seed), boards.tolist(), seed)
        table = pair_table(results).filter(pl.col("a") == own.name, pl.col("b") == name)
        row = table.row(0, named=True)
        about = {"num_players": game.num_players, "opponent": name}
        rows.append(about | {k: v for k, v in row.items() if k not in "ab"})
    return rows


def play_pair(
    game: Game, one: Agent, other: Agent, boards: Sequence[int], seed: int
) -> pl.DataFrame:
    """Plays the line-ups of two agents in all their seatings on every board.

    Returns:
        A table of results, see `loop_envs.duplicate.tables`.
    """
    agents = {one.name: one, other.name: other}
    lines = lineups([one.name, other.name], game.num_players, "pairs")
    seatings = [
        (label(line), k, seats) for line in lines for k, seats in enumerate(rotations(line))
    ]
    n = game.num_players
    seats = [seats for _ in boards for _, _, seats in seatings]
    points, places, _ = play_lineups(game, agents, seats, seed, np.repeat(boards, len(seatings)))
    matches = len(seats)
    return pl.DataFrame(
        {
            "board": np.repeat(np.asarray(boards, np.int64), len(seatings) * n),
            "lineup": [line for line, _, _ in seatings for _ in range(n)] * len(boards),
            "rotation": [k for _, k, _ in seatings for _ in range(n)] * len(boards),
            "seat": np.tile(np.arange(n), matches),
            "agent": [name for names in seats for name in names],
            "points": points.reshape(-1),
            "winner": places.reshape(-1) == 0,
        }
    )
