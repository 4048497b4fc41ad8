"""What policy-gradient methods learn from: decisions with advantages and value targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.learners.base import ReturnScale
from agents.learners.trajectories import Trajectories


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
        state: int8 [N, n · D], all players' observations, if they were kept.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    action: npt.NDArray[np.int64]
    log_prob: npt.NDArray[np.float32]
    value: npt.NDArray[np.float32]
    advantage: npt.NDArray[np.float32]
    state: npt.NDArray[np.int8] | None = None

    def __len__(self) -> int:
        return len(self.action)

    def take(self, rows: npt.NDArray[np.int64]) -> Samples:
        """Some of these samples."""
        taken = {name: None if one is None else one[rows] for name, one in vars(self).items()}
        return Samples(**taken)  # type: ignore[arg-type]

    @property
    def returns(self) -> npt.NDArray[np.float32]:
        """Targets of the value function, float32 [N]."""
        return self.advantage + self.value


def samples_of(trajectories: Trajectories, scale: ReturnScale, gamma: float, lam: float) -> Samples:
    """Makes samples of the decisions that are ready.

    Args:
        trajectories: With the columns `log_prob` and `value`; its rewards are divided by `scale`.
        scale: Takes note of the returns of finished matches first.
        gamma: Discount per own decision.
        lam: Of the advantage estimates.
    """
    ready = trajectories.ready
    scale.note(trajectories.returns(gamma)[trajectories.complete()])
    trajectories.rewards /= np.float32(scale.scale)
    advantage = trajectories.advantages(gamma, lam)[ready]
    columns = trajectories.learnable()
    return Samples(
        columns["observation"], columns["action_mask"], columns["action"], columns["log_prob"],
        columns["value"], advantage, columns.get("state"),
    )  # fmt: skip
