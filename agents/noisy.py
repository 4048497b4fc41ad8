"""Agents with noise: weaker versions of any player, by a known dose."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import Agent, CompiledAgent, Decisions
from loop_envs.game import Game
from loop_envs.noise import noise_actions, noise_share, with_noise


class NoisyAgent(Agent):
    """An agent that plays a uniformly random legal action in a share of its decisions.

    The inner agent is asked for the others only. Made with `noisy`.

    Args:
        name: Name in tables.
        inner: The inner agent.
        epsilon: The share, 0 to 1.
        seed: Of the noise.
    """

    def __init__(self, name: str, inner: Agent, epsilon: float, seed: int = 0) -> None:
        noise_share(epsilon)  # refuses what is out of range
        self.name = name
        self.inner, self.epsilon, self.seed = inner, epsilon, seed

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        actions = noise_actions(self.epsilon, decisions.action_mask, decisions.keys(self.seed))
        rest = np.flatnonzero(actions < 0)
        if len(rest):
            actions[rest] = self.inner.act(decisions.take(rest))
        return actions


def noisy(name: str, inner: Agent, epsilon: float, game: Game, seed: int = 0) -> Agent:
    """An agent that plays at random in a share of its decisions, and else as another agent.

    Args:
        name: Name in tables.
        inner: The other agent; where it has a compiled policy, the noisy one has one too.
        epsilon: The share, 0 to 1.
        game: The game to be played.
        seed: Of the noise, where the inner agent has no policy; else the policy's seed is used.

    Raises:
        ValueError: If the share is out of range.
    """
    if inner.policy is not None:
        return CompiledAgent(game, with_noise(inner.policy, epsilon, name))
    return NoisyAgent(name, inner, epsilon, seed)
