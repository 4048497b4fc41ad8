"""Agents that are known by a name."""

from __future__ import annotations

import difflib
import importlib

from agents.base import Agent, CompiledAgent
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, Policy


def policies_of(game_name: str) -> dict[str, Policy]:
    """The compiled policies that can play a game: `random` and its heuristics, by name."""
    policies = {RANDOM.name: RANDOM}
    try:
        module = importlib.import_module(f"agents.heuristics.{game_name}")
    except ModuleNotFoundError as error:
        if error.name != f"agents.heuristics.{game_name}":
            raise
        return policies
    return policies | {policy.name: policy for policy in module.POLICIES}


def agent_names(game_name: str) -> list[str]:
    """Names of the agents that can play a game."""
    return list(policies_of(game_name))


def make_agent(name: str, game: Game, seed: int = 0) -> Agent:
    """Makes an agent by its name.

    Args:
        name: One of `agent_names`.
        game: The game to be played.
        seed: Distinguishes the randomness of two players of the same kind.

    Raises:
        OptionError: If there is no such agent for this game.
    """
    policies = policies_of(game.rules.name)
    if name not in policies:
        near = difflib.get_close_matches(name, policies, 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise OptionError(f"no agent {name!r} for {game.env_id}{hint} Known: {', '.join(policies)}")
    return CompiledAgent(game, policies[name].with_seed(seed))
