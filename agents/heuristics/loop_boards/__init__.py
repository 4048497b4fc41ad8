"""Rule-based players of loop_boards: `greedy` is simple, `planner` strong."""

from __future__ import annotations

from functools import partial

from agents.heuristics.climbing.greedy import choose_greedy
from agents.heuristics.climbing.planner import choose_planner
from agents.heuristics.climbing.tables import build
from agents.heuristics.climbing.weights import W, in_order
from loop_envs.game import Game
from loop_envs.games.loop_boards.actions import combinations_of
from loop_envs.policies import Policy, Tables

GAMES = ("loop_boards",)
WEIGHTS = in_order()
EVOLVED_ON = [{"num_players": n} for n in (4, 5, 6)]
"""Variants that the weights are made for, see `agents.heuristics.evolve`."""


def prepare(game: Game, changes: dict[W, int] | None = None) -> Tables:
    """Makes the tables of both policies; `changes` are other weights, for experiments."""
    return build(game, combinations_of(game.options), in_order(changes))


def with_weights(name: str, changes: dict[W, int]) -> Policy:
    """A planner with other weights, for experiments."""
    return Policy(name, choose_planner, partial(prepare, changes=changes), games=GAMES)


GREEDY = Policy("greedy", choose_greedy, prepare, games=GAMES)
"""Sheds the most cards at the lowest cost, keeps its 8s."""
PLANNER = Policy("planner", choose_planner, prepare, games=GAMES)
"""Plans a split of its hand, counts cards, keeps controls for the end."""
POLICIES: tuple[Policy, ...] = (GREEDY, PLANNER)

__all__ = ["GREEDY", "PLANNER", "POLICIES", "W", "with_weights"]
