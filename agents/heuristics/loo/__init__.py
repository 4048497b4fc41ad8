"""Rule-based players of loo: `cautious` is simple, `sampler` strong."""

from __future__ import annotations

from functools import partial

from agents.heuristics.loo.cautious import choose_cautious
from agents.heuristics.loo.sampler import choose_sampler
from agents.heuristics.loo.tables import build
from agents.heuristics.loo.weights import W, in_order
from loop_envs.game import Game
from loop_envs.policies import Policy, Tables

GAMES = ("loo",)
WEIGHTS = in_order()
EVOLVED_ON = [
    {"num_players": n, "variant": variant, "num_deals": 10}
    for variant in ("three_card", "five_card")
    for n in (5, 3)
]
"""Variants that the weights are made for, see `agents.heuristics.evolve`."""


def prepare(game: Game, changes: dict[W, int] | None = None) -> Tables:
    """Makes the tables of both policies; `changes` are other weights, for experiments."""
    return build(game, in_order(changes))


def with_weights(name: str, changes: dict[W, int]) -> Policy:
    """A sampler with other weights, for experiments."""
    return Policy(name, choose_sampler, partial(prepare, changes=changes), games=GAMES)


CAUTIOUS = Policy("cautious", choose_cautious, prepare, games=GAMES)
"""Comes in with a hand that should win a trick, and plays sensible tricks."""
SAMPLER = Policy("sampler", choose_sampler, prepare, games=GAMES)
"""Deals the unseen cards before it declares, and comes in when that pays."""
POLICIES: tuple[Policy, ...] = (CAUTIOUS, SAMPLER)

__all__ = ["CAUTIOUS", "POLICIES", "SAMPLER", "W", "with_weights"]
