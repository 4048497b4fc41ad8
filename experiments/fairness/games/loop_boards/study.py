"""What a study knows of loop_boards: ranks, hands, and turn order."""

from __future__ import annotations

import numpy as np

from experiments.fairness.games import Columns, GameStudy, Ints, Role, States
from experiments.fairness.games.loop_boards.hands import hands
from experiments.fairness.games.loop_boards.manipulation import manipulation
from experiments.fairness.games.loop_boards.travel import travel
from loop_envs.game import Game


def columns(game: Game, match: Ints, states: States) -> Columns:
    """Columns of the table of rounds.

    `rank`: place of the round, 1 best; `result`: minus the rank; `hand`: number of the hand, by
    its first holder; `turn`: place in turn order, 0 for the first to lead.
    """
    n = game.num_players
    first = np.append(True, match[1:] != match[:-1])
    starts = np.flatnonzero(first)
    number = np.arange(len(match)) - np.repeat(starts, np.diff(starts, append=len(match)))
    players = np.arange(n)
    hand = (players[None, :] - number[:, None]) % n
    rank = states["ranks"][np.arange(len(match))[:, None], hand, number[:, None]]
    moved = number if game.options["golden_travels"] else 0
    leader = (states["golden"] + moved) % n
    return {
        "rank": rank.astype(np.int8),
        "result": -rank.astype(np.int8),
        "hand": hand.astype(np.int8),
        "turn": ((players[None, :] - leader[:, None]) % n).astype(np.int8),
    }


def _turn(value: int, n: int) -> str:
    return "first to lead" if value == 0 else f"{value} after the first"


STUDY = GameStudy(
    columns,
    roles=(Role("turn", "turn after the golden board", _turn),),
    questions=(travel, hands, manipulation),
    score="result",
    score_unit="ranks",
)
