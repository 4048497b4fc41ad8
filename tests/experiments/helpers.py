"""Small games, agents and configurations for tests of experiments."""

from __future__ import annotations

import copy
import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent, CompiledAgent, Decisions
from loop_envs.game import Game
from loop_envs.policies import RANDOM

# About fifty decisions a match. A single round would give everybody the same points.
OPTIONS: dict[str, Any] = {"num_players": 3, "hand_size": 4, "set_aside": 1}
_CONFIG: dict[str, Any] = {
    "name": "test",
    "game": {"env": "loop_boards-v0", "options": OPTIONS},
    "train": {
        "steps": 100_000,
        "learners": [
            {"name": "wide", "kind": "ppo"},
            {"name": "lean", "kind": "ppo", "network": [32]},
        ],
    },
    "tournament": {"agents": ["wide", "lean", "random"], "boards": 10},
}


def config_values(*, train: bool = True, tournament: bool = True) -> dict[str, Any]:
    """A fresh configuration as plain values."""
    values = copy.deepcopy(_CONFIG)
    if not train:
        del values["train"]
        values["tournament"]["agents"] = ["random", "greedy"]
    if not tournament:
        del values["tournament"]
    return values


def random_agents(game: Game, names: str) -> dict[str, Agent]:
    """Random agents with different seeds, one for every letter."""
    agents: dict[str, Agent] = {}
    for seed, name in enumerate(names):
        agents[name] = CompiledAgent(game, RANDOM.with_seed(seed))
        agents[name].name = name
    return agents


class Asked(Agent):
    """Another agent, but one that has to be asked.

    Attributes:
        sizes: Numbers of decisions of all calls.
    """

    def __init__(self, inner: Agent) -> None:
        self.name = inner.name
        self.inner = inner
        self.sizes: list[int] = []

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        self.sizes.append(len(decisions))
        return self.inner.act(decisions)


class Interrupted(Asked):
    """Raises KeyboardInterrupt, or waits for a signal, after some calls."""

    def __init__(self, inner: Agent, calls: int, wait: bool = False) -> None:
        super().__init__(inner)
        self.calls, self.wait = calls, wait

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        if len(self.sizes) >= self.calls:
            if not self.wait:
                raise KeyboardInterrupt
            print("waiting", flush=True, file=sys.stderr)
            time.sleep(60)
        return super()._act(decisions)
