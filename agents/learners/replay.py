"""A replay buffer that knows what was legal next: Stable-Baselines3's, filled by trajectories."""

from __future__ import annotations

from ast import literal_eval
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.vec_env import VecNormalize

from agents.learners.trajectories import ENDED, Trajectories

_ARRAYS = (
    "observations", "actions", "rewards", "next_observations", "dones", "next_action_masks",
)  # fmt: skip


class Replayed(NamedTuple):
    """Transitions drawn from the buffer.

    Attributes:
        observations: int8 [k, D].
        actions: int64 [k].
        rewards: float32 [k], earned until the seat's next decision or the end, divided by the
            buffer's `reward_scale`.
        next_observations: int8 [k, D], at the seat's next decision; 0 where there is none.
        dones: bool [k], the match ended before the seat decided again.
        next_action_masks: bool [k, A], at the seat's next decision; False where there is none.
    """

    observations: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    next_observations: torch.Tensor
    dones: torch.Tensor
    next_action_masks: torch.Tensor


class MaskedReplayBuffer(ReplayBuffer):
    """The last `buffer_size` transitions, from a seat's decision to its next one.

    Rewards are kept as they were earned and scaled when they are drawn, so that all that is
    learned from has one scale while `ReturnScale` still moves. A transition takes
    2 D + A / 8 + 20 bytes, 1.4 kB in Loop; memory is touched as the buffer fills.

    Attributes:
        next_action_masks: uint8 [buffer_size, A / 8], bits.
        reward_scale: What rewards are divided by when they are drawn.
        rng: Draws them.
    """

    observation_space: spaces.Box
    action_space: spaces.Discrete
    rng: np.random.Generator

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        width = -(-int(self.action_space.n) // 8)
        self.next_action_masks = np.zeros((self.buffer_size, width), np.uint8)
        self.reward_scale = 1.0

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Refused: Stable-Baselines3 would add a transition without a mask.

        Raises:
            TypeError: Always.
        """
        raise TypeError("a transition needs a mask: use extend")

    def extend(self, trajectories: Trajectories) -> None:
        """Adds the finished decisions, all at once; the oldest transitions make room.

        A link that says ENDED is terminal; the last decision of a match that was cut off is not
        among the finished ones, but a transition may lead to it.
        """
        columns = trajectories.columns
        new = np.flatnonzero(trajectories.ready)[-self.buffer_size :]
        if not len(new):
            return
        following = trajectories.links[new]
        ended = following == ENDED
        following = np.where(ended, 0, following)
        rows = (self.pos + np.arange(len(new))) % self.buffer_size
        self.observations[rows, 0] = columns["observation"][new]
        self.actions[rows, 0, 0] = columns["action"][new]
        self.rewards[rows, 0] = trajectories.rewards[new]
        self.next_observations[rows, 0] = np.where(
            ended[:, None], np.int8(0), columns["observation"][following]
        )
        self.dones[rows, 0] = ended
        masks = columns["action_mask"][following].astype(np.bool_) & ~ended[:, None]
        self.next_action_masks[rows] = np.packbits(masks, axis=1)
        self.full |= self.pos + len(new) >= self.buffer_size
        self.pos = (self.pos + len(new)) % self.buffer_size

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> Replayed:  # type: ignore[override]
        """Draws transitions, all equally likely, with repetition."""
        return self._get_samples(self.rng.integers(self.size(), size=batch_size))

    def _get_samples(  # type: ignore[override]
        self, batch_inds: npt.NDArray[np.int64], env: VecNormalize | None = None
    ) -> Replayed:
        masks = np.unpackbits(
            self.next_action_masks[batch_inds], axis=1, count=int(self.action_space.n)
        )
        drawn = (
            self.observations[batch_inds, 0],
            self.actions[batch_inds, 0, 0],
            self.rewards[batch_inds, 0] / np.float32(self.reward_scale),
            self.next_observations[batch_inds, 0],
            self.dones[batch_inds, 0].astype(np.bool_),
            masks.view(np.bool_),
        )
        return Replayed(*(self.to_torch(array, copy=False) for array in drawn))

    def get_state(self) -> dict[str, Any]:
        """Copies of all transitions, as tensors, and of the generator."""
        size = self.size()
        arrays = {name: torch.from_numpy(getattr(self, name)[:size].copy()) for name in _ARRAYS}
        return {"arrays": arrays, "position": self.pos, "rng": str(self.rng.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        size = len(state["arrays"]["rewards"])
        for name in _ARRAYS:
            getattr(self, name)[:size] = state["arrays"][name].numpy()
        self.pos, self.full = state["position"], size == self.buffer_size
        self.rng.bit_generator.state = literal_eval(state["rng"])
