"""Rule-based players of loopla: `greedy` is simple, `card_counter` strong."""

from __future__ import annotations

from functools import partial

from agents.heuristics.loopla.card_counter import choose_card_counter
from agents.heuristics.loopla.greedy import choose_greedy
from agents.heuristics.loopla.tables import build
from agents.heuristics.loopla.weights import W, in_order
from loop_envs.game import Game
from loop_envs.policies import Policy, Tables

GAMES = ("loopla",)
WEIGHTS = in_order()
EVOLVED_ON = [{"num_players": n, "rounds": 6, "target": None} for n in (4, 3, 2)]
"""Variants that the weights are made for, see `agents.heuristics.evolve`."""


def prepare(game: Game, changes: dict[W, int] | None = None) -> Tables:
    """Makes the tables of both policies; `changes` are other weights, for experiments."""
    return build(game, in_order(changes))


def with_weights(name: str, changes: dict[W, int]) -> Policy:
    """A card counter with other weights, for experiments."""
    return Policy(name, choose_card_counter, partial(prepare, changes=changes), games=GAMES)


GREEDY = Policy("greedy", choose_greedy, prepare, games=GAMES)
"""Takes every card that does not bust, and leaves the next player the least."""
CARD_COUNTER = Policy("card_counter", choose_card_counter, prepare, games=GAMES)
"""Counts the cards that are out; makes others fall and stays able to answer."""
POLICIES: tuple[Policy, ...] = (GREEDY, CARD_COUNTER)

__all__ = ["CARD_COUNTER", "GREEDY", "POLICIES", "W", "with_weights"]
