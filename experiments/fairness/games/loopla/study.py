"""What a study knows of loopla: places after the starter, falls, and how rounds end."""

from __future__ import annotations

import numpy as np

from experiments.fairness.games import Columns, GameStudy, Ints, Role, States
from experiments.fairness.games.loopla.direction import direction
from experiments.fairness.games.loopla.fall import fall
from experiments.fairness.games.loopla.first import first
from experiments.fairness.games.loopla.tables import EMPTY, HOOP, WHOOP, place
from experiments.fairness.games.loopla.target import target
from loop_envs.game import Game


def columns(game: Game, match: Ints, states: States) -> Columns:
    """Columns of the table of rounds, [K, n] by player.

    `turn`: int8, place after the round's starter, clockwise, which is how every round begins; 0
    is the starter. `fallen`, `busted`: whether the player fell, or lost a collection by a bust.
    `bonus`: int8, points for WHOOP and an empty hand, part of the gain. `cards`: int8, cards left
    in hand. And of the round as a whole, the same for all players: `ending`: int8, `HOOP` (one
    player left), `WHOOP` (a full collection, also where it came with the last card) or `EMPTY`
    (the last card of a hand); `reversed`: whether play went anticlockwise when it ended; `plays`:
    int16, cards played; `ply`: int32, decisions of the match up to the round's end.
    """
    n = game.num_players
    players = np.arange(n)
    collected = np.bitwise_count(states["collection"][:, :n])
    cards = states["cards_left"][:, :n].astype(np.int8)
    # A full collection ends the round at once, so it comes before the hand that it empties.
    ending = np.where((cards == 0).any(axis=1), EMPTY, HOOP)
    ending[(collected >= game.options["whoop_size"]).any(axis=1)] = WHOOP
    plays = n * game.options["hand_size"] - cards.sum(axis=1, dtype=np.int64)

    def all_players(values: Ints | States) -> States:
        return np.repeat(values[:, None], n, axis=1)

    return {
        "turn": ((players[None, :] - states["starter"][:, None]) % n).astype(np.int8),
        "fallen": (states["fallen"][:, None] >> players & 1).astype(bool),
        "busted": (states["busted"][:, None] >> players & 1).astype(bool),
        "bonus": states["bonus"][:, :n].astype(np.int8),
        "cards": cards,
        "ending": all_players(ending.astype(np.int8)),
        "reversed": all_players(states["direction"] < 0),
        "plays": all_players(plays.astype(np.int16)),
        "ply": all_players(states["ply"].astype(np.int32)),
    }


STUDY = GameStudy(
    columns,
    roles=(Role("turn", "place after the starter", place),),
    questions=(first, direction, target, fall),
)
