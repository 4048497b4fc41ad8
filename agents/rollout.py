"""Agents that look ahead: they play every move out in states that fit what they see.

Such an agent can be made to want anything that a match's points decide: its own points, its
place, or another player's loss.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from agents.base import Agent, Decisions
from loop_envs.game import Game, State, as_records
from loop_envs.jit import load_copy
from loop_envs.jit_policies import PolicyLoop
from loop_envs.policies import Policy, choose_many, policy_arguments

Floats = npt.NDArray[np.float64]
Objective = Callable[[Floats], Floats]
"""From final points [..., n], the agent's own first and then clockwise, what they are worth to
it, [...]."""
Rebuild = Callable[[Game, npt.NDArray[np.int8], int], State]
"""``(game, observation int8 [D], seat) -> state``: any state in which that seat is to move and
sees that observation."""


def own_points(points: Floats) -> Floats:
    """The own points."""
    return points[..., 0]


def own_margin(points: Floats) -> Floats:
    """The own points less the mean of all players."""
    margin: Floats = points[..., 0] - points.mean(axis=-1)
    return margin


def own_place(points: Floats) -> Floats:
    """The place by points: 1 for the best to 0 for the last, equal ones share their places."""
    better = (points > points[..., :1]).sum(axis=-1)
    level = (points == points[..., :1]).sum(axis=-1)
    place: Floats = 1 - (better + (level - 1) / 2) / (points.shape[-1] - 1)
    return place


def others_loss(points: Floats) -> Floats:
    """The loss of the left neighbour: minus its points less the mean of all players."""
    loss: Floats = points.mean(axis=-1) - points[..., 1]
    return loss


def leaders_loss(points: Floats) -> Floats:
    """The loss of the best of the others: minus its points less the mean of all players."""
    loss: Floats = points.mean(axis=-1) - points[..., 1:].max(axis=-1)
    return loss


OBJECTIVES: Mapping[str, Objective] = MappingProxyType(
    {
        "points": own_points,
        "margin": own_margin,
        "place": own_place,
        "neighbour": others_loss,
        "leader": leaders_loss,
    }
)
"""What an agent may want, by name."""


class RolloutAgent(Agent):
    """Plays legal moves out to the end of the match and chooses what came out best.

    A decision draws states that the player cannot tell from the real one, by `Game.resample`
    of a state that is rebuilt from the observation: nothing else of the match reaches the agent.
    In each of them every move it considers is played, and everybody goes on by a fast policy;
    all moves are tried in the same states. The move with the best mean is chosen, the policy's
    own where that is as good.

    Args:
        name: Name in tables.
        game: The game to be played.
        rebuild: Makes a state from an observation.
        policy: Who plays on for everybody.
        objective: What the agent wants.
        samples: States that are drawn for a decision.
        most: Moves that are considered at most: the policy's, and random other ones.
        seed: Of the draws.
        threads: Decisions that are thought about at once; what is decided does not depend on it.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        rebuild: Rebuild,
        policy: Policy,
        objective: Objective,
        samples: int = 6,
        most: int = 6,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        if samples < 1 or most < 2:
            raise ValueError(f"samples, most: got {samples}, {most}, allowed: from 1 and 2 on")
        self.name = name
        self._game = game
        self._rebuild = rebuild
        self._base = policy
        self._objective = objective
        self._samples = samples
        self._most = most
        self._seed = seed
        self._threads = threads
        functions, tables, keys = policy_arguments(game, [policy])
        self._arguments = functions[:1], tables[:1], keys[:1]
        self._seating = np.zeros(game.num_players, np.int8)

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        keys = decisions.keys(self._seed)
        actions = choose_many(
            self._game, self._base, decisions.observation, decisions.action_mask, keys
        )
        open_ones = np.flatnonzero(decisions.action_mask.sum(axis=1) > 1).tolist()

        def decide(i: int) -> int:
            return self._decide(
                decisions.observation[i],
                decisions.action_mask[i],
                int(decisions.seat[i]),
                int(actions[i]),
                keys[i],
            )

        if open_ones:
            first = decide(open_ones[0])  # may compile
            with ThreadPoolExecutor(self._threads) as pool:
                actions[open_ones] = [first, *pool.map(decide, open_ones[1:])]
        return actions

    def _decide(
        self,
        observation: npt.NDArray[np.int8],
        mask: npt.NDArray[np.int8],
        seat: int,
        usual: int,
        key: np.uint64,
    ) -> int:
        game, n = self._game, self._game.num_players
        legal = np.flatnonzero(mask)
        others = np.random.default_rng(int(key)).permutation(legal[legal != usual])
        moves = np.array([usual, *others[: self._most - 1]], np.int64)
        states = np.repeat(self._rebuild(game, observation, seat).view(np.ndarray), 3)
        points = np.empty((len(moves), self._samples, n), np.int32)
        _loop(game)(
            *self._arguments, self._seating, game.record, game.tables, as_records(states),
            states.view(np.uint8).reshape(3, -1), seat, key, moves,
            np.zeros(game.layout.size, np.int8), np.zeros(game.num_actions, np.int8),
            game.kernels.new_scratch()[0], points,
        )  # fmt: skip
        own_first = np.roll(points, -seat, axis=2).astype(np.float64)
        values = self._objective(own_first).mean(axis=1)
        return int(moves[int(values.argmax())])  # the first of equal ones


def _loop(game: Game) -> PolicyLoop:
    return _loop_of(game.rules.name, game.rules.module)


@lru_cache(maxsize=None)
def _loop_of(name: str, rules_module: str) -> PolicyLoop:
    """The compiled loop over a game's rules, from a module of its own, see `rollout_loops`."""
    module_name = f"agents.rollout_loops_of_{name}"
    module = load_copy(Path(__file__).with_name("rollout_loops.py"), module_name)
    rules = importlib.import_module(rules_module)
    for function in ("deal", "start", "legal", "step", "observe", "resample"):
        module.__dict__[f"rules_{function}"] = getattr(rules, function)
    return PolicyLoop(module.__dict__["play_moves"], module_name)
