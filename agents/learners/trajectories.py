"""Trajectories by seat: every decision meets the rewards that its own player earned after it.

A stream is one seat of one match. Decisions of all streams of a learner lie in one store in the
order in which they were made; links lead from each decision to the next of its stream. So every
seat can learn, a reward reaches the player who earned it whoever was to move, and a trajectory
ends with its own player's last reward.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.jit import compiled

PENDING, ENDED = -1, -2
"""Links of a decision whose successor is not known yet, and of the last one of a match."""


@compiled
def advantages_of(rewards: Any, values: Any, links: Any, gamma: Any, lam: Any, out: Any) -> None:
    """Generalised advantage estimates along the links (Schulman et al., 2016, eq. 16).

    A decision without a known successor has no estimate yet (0); it closes the sum of the one
    before it with its value.
    """
    for i in range(len(rewards) - 1, -1, -1):
        following = links[i]
        if following == ENDED:
            out[i] = rewards[i] - values[i]
        elif following == PENDING:
            out[i] = 0.0
        else:
            delta = rewards[i] + gamma * values[following] - values[i]
            out[i] = delta + gamma * lam * out[following]


@dataclass
class Samples:
    """Finished decisions, ready to learn from; all arrays have length N.

    Attributes:
        observation: int8 [N, D].
        action_mask: int8 [N, A].
        action: int64 [N].
        log_prob: float32 [N], under the policy that chose.
        value: float32 [N], its estimate then.
        advantage: float32 [N].
        reward: float32 [N], earned until the seat's next decision or the end.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    action: npt.NDArray[np.int64]
    log_prob: npt.NDArray[np.float32]
    value: npt.NDArray[np.float32]
    advantage: npt.NDArray[np.float32]
    reward: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.action)

    @property
    def returns(self) -> npt.NDArray[np.float32]:
        """Targets of the value function, float32 [N]."""
        return self.advantage + self.value


@dataclass
class SeatStore:
    """Decisions of one learner over the seats of a batch of matches.

    Args:
        num_matches: B.
        num_players: n.
    """

    num_matches: int
    num_players: int
    _parts: list[tuple[npt.NDArray[Any], ...]] = field(default_factory=list)
    _size: int = 0

    def __post_init__(self) -> None:
        shape = (self.num_matches, self.num_players)
        # The latest decision of every stream, or -1, and what was earned before the first one.
        self.latest = np.full(shape, -1, np.int64)
        self.early = np.zeros(shape, np.float32)
        self.links = np.zeros(0, np.int64)
        self.rewards = np.zeros(0, np.float32)

    def __len__(self) -> int:
        return self._size

    def add(
        self,
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int8],
        observation: npt.NDArray[np.int8],
        action_mask: npt.NDArray[np.int8],
        action: npt.NDArray[np.int64],
        log_prob: npt.NDArray[np.float32],
        value: npt.NDArray[np.float32],
    ) -> None:
        """Adds one decision for each of k matches.

        Args:
            rows: Matches, int64 [k], without repetition.
            seats: Who decides in each, int8 [k].
            observation: int8 [k, D].
            action_mask: int8 [k, A].
            action: int64 [k].
            log_prob: float32 [k].
            value: float32 [k].
        """
        k = len(rows)
        self._reserve(self._size + k)
        numbers = np.arange(self._size, self._size + k)
        before = self.latest[rows, seats]
        self.links[before[before >= 0]] = numbers[before >= 0]
        self.links[numbers] = PENDING
        self.rewards[numbers] = self.early[rows, seats]
        self.early[rows, seats] = 0
        self.latest[rows, seats] = numbers
        self._parts.append((observation, action_mask, action, log_prob, value))
        self._size += k

    def _reserve(self, size: int) -> None:
        if size > len(self.links):
            more = max(size, 2 * len(self.links)) - len(self.links)
            self.links = np.concatenate([self.links, np.zeros(more, np.int64)])
            self.rewards = np.concatenate([self.rewards, np.zeros(more, np.float32)])

    def earn(
        self,
        mine: npt.NDArray[np.bool_],
        reward: npt.NDArray[np.float32],
        ended: npt.NDArray[np.bool_],
    ) -> None:
        """Books the rewards of one step of all matches.

        Args:
            mine: bool [B, n], the seats that this learner plays.
            reward: float32 [B, n].
            ended: bool [B], the matches that ended in this step.
        """
        known = mine & (self.latest >= 0)
        self.rewards[self.latest[known]] += reward[known]
        unknown = mine & ~known
        self.early[unknown] += reward[unknown]
        over = known & ended[:, None]
        self.links[self.latest[over]] = ENDED
        self.latest[ended] = -1
        self.early[ended] = 0

    def take(self, gamma: float, lam: float) -> Samples:
        """Removes and returns every decision whose successor or end is known.

        The others stay, as the first of what comes next, so that each is learned from once.
        """
        arrays = self._arrays()
        links, rewards = self.links[: self._size], self.rewards[: self._size]
        advantage = np.zeros(self._size, np.float32)
        values = arrays[4]
        advantages_of(rewards, values, links, np.float32(gamma), np.float32(lam), advantage)
        done = links != PENDING
        observation, mask, action, log_prob, value = (a[done] for a in arrays)
        samples = Samples(
            observation, mask, action, log_prob, value, advantage[done], rewards[done].copy()
        )
        stay = np.flatnonzero(~done)
        renumbered = np.full(self._size + 1, -1, np.int64)
        renumbered[stay] = np.arange(len(stay))
        self.latest = renumbered[self.latest]
        self._parts = [tuple(a[stay] for a in arrays)]
        self.rewards, self.links = rewards[stay].copy(), links[stay].copy()
        self._size = len(stay)
        return samples

    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return tuple(np.concatenate(part) for part in zip(*self._parts, strict=True))

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything, as arrays."""
        names = [f.name for f in fields(Samples)][:5]
        kept = dict(zip(names, self._arrays(), strict=True)) if self._size else {}
        return kept | {
            "links": self.links[: self._size].copy(),
            "rewards": self.rewards[: self._size].copy(),
            "latest": self.latest.copy(),
            "early": self.early.copy(),
        }

    def set_state(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from `get_state`."""
        names = [f.name for f in fields(Samples)][:5]
        self.links, self.rewards = state["links"].copy(), state["rewards"].copy()
        self.latest, self.early = state["latest"].copy(), state["early"].copy()
        self._size = len(self.links)
        self._parts = [tuple(state[name] for name in names)] if self._size else []
