"""What an agent is: batched decisions from observations and masks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loop_envs.envs.batch import Batch
from loop_envs.game import Game
from loop_envs.policies import Policy, choose_many, decision_keys


@dataclass(frozen=True)
class Decisions:
    """Decisions of k matches that one agent is asked to make, all at once.

    Attributes:
        observation: int8 [k, D].
        action_mask: int8 [k, A], at least one 1 in every row.
        seat: int8 [k], the player to move in each match.
        board: int64 [k], board number of each match.
        ply: int32 [k], number of decisions made before in each match.
        seed: uint64 [k], seed of each match.
        state: int8 [k, n · D], all players' observations from the own one on clockwise, for
            critics that may know more than a player; None where nobody asked for them.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    seat: npt.NDArray[np.int8]
    board: npt.NDArray[np.int64]
    ply: npt.NDArray[np.int32]
    seed: npt.NDArray[np.uint64]
    state: npt.NDArray[np.int8] | None = None

    def __len__(self) -> int:
        return len(self.seat)

    @classmethod
    def of(cls, batch: Batch, rows: npt.NDArray[np.int64], with_state: bool = False) -> Decisions:
        """The pending decisions of some matches of a batch, copied."""
        return cls(
            batch.observation[rows],
            batch.action_mask[rows],
            batch.player[rows],
            batch.board[rows],
            batch.ply[rows],
            batch.seed[rows],
            batch.observe_all(rows).reshape(len(rows), -1) if with_state else None,
        )

    def take(self, rows: npt.NDArray[np.int64]) -> Decisions:
        """Some of these decisions."""
        state = None if self.state is None else self.state[rows]
        return Decisions(
            self.observation[rows],
            self.action_mask[rows],
            self.seat[rows],
            self.board[rows],
            self.ply[rows],
            self.seed[rows],
            state,
        )

    def keys(self, agent_seed: int) -> npt.NDArray[np.uint64]:
        """A random word for every decision, uint64 [k].

        A function of the agent's seed, the match and the ply, so that a match replays whatever
        else is decided in the same call.
        """
        return decision_keys(agent_seed, self.seed, self.board, self.ply)


class Agent(ABC):
    """A player of one game under fixed options.

    Attributes:
        name: Name in tables and logs.
        policy: The same player as a compiled policy, or None. Matches between agents that have
            one are played in the compiled loop and come out the same.
    """

    name: str
    policy: Policy | None = None

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Chooses a legal action for every decision.

        Returns:
            int64 [k].

        Raises:
            ValueError: If a mask is all zero.
        """
        empty = np.flatnonzero(~decisions.action_mask.any(axis=1))
        if len(empty):
            raise ValueError(f"{self.name}: no legal action in row {empty[0]} of {len(decisions)}")
        return self._act(decisions)

    @abstractmethod
    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Chooses; every mask has a one."""


class CompiledAgent(Agent):
    """A compiled policy as an agent.

    Args:
        game: The game to be played.
        policy: The policy.
    """

    def __init__(self, game: Game, policy: Policy) -> None:
        self.name = policy.name
        self.policy = policy
        self._game = game

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        assert self.policy is not None
        return choose_many(
            self._game,
            self.policy,
            decisions.observation,
            decisions.action_mask,
            decisions.keys(self.policy.seed),
        )
