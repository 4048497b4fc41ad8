"""Rule-based players of loop_seats: `greedy` is simple, `planner` strong."""

from __future__ import annotations

from functools import partial

from agents.heuristics.climbing.greedy import choose_greedy
from agents.heuristics.climbing.planner import choose_planner
from agents.heuristics.climbing.tables import build
from agents.heuristics.climbing.weights import W, in_order
from agents.heuristics.loop_seats.weights import EVOLVED
from loop_envs.game import Game
from loop_envs.games.loop_seats.actions import combinations_of
from loop_envs.policies import Policy, Tables

GAMES = ("loop_seats",)
WEIGHTS = in_order(EVOLVED)
EVOLVED_ON = [
    {"num_players": n, "eight_mode": mode}
    for mode in ("flip_on_play", "published")
    for n in (4, 3, 2)
]
"""Variants that the weights are made for, see `agents.heuristics.evolve`."""
SEAT = 0
"""The fourth takes the seat of the first: the better hand is worth more than a rank card that is
easier to beat (a planner that takes the other loses a point a match against one that does not)."""


def prepare(game: Game, changes: dict[W, int] | None = None, seat: int = SEAT) -> Tables:
    """Makes the tables of both policies; the rest are changes for experiments."""
    flips = 0
    if game.options["eight_mode"] == "flip_on_play":
        flips = 2 if game.options["flip_per_card"] else 1
    return build(
        game, combinations_of(game.options), in_order(EVOLVED | (changes or {})), flips, seat
    )


def with_weights(name: str, changes: dict[W, int], seat: int = SEAT) -> Policy:
    """A planner with other weights, for experiments."""
    return Policy(name, choose_planner, partial(prepare, changes=changes, seat=seat), games=GAMES)


GREEDY = Policy("greedy", choose_greedy, prepare, games=GAMES)
"""Sheds the most cards at the lowest cost, keeps its 8s."""
PLANNER = Policy("planner", choose_planner, prepare, games=GAMES)
"""Plans a split of its hand, counts cards, keeps controls for the end, turns the order to suit."""
POLICIES: tuple[Policy, ...] = (GREEDY, PLANNER)

__all__ = ["GREEDY", "PLANNER", "POLICIES", "W", "with_weights"]
