"""Deep Monte-Carlo: the value of an action is learned from what matches came to (Zha et al., 2021).

No bootstrapping and no policy: in every decision the action of the highest estimate is played,
now and then a random one, and the estimate of what was played is drawn towards the discounted sum
of what the seat earned until the end of the match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from agents.base import Decisions
from agents.learners.base import RewardScale
from agents.learners.frozen import NetworkAgent
from agents.learners.network import ActionHead, Body, best_actions
from agents.learners.sizes import Spaces
from agents.learners.torch_learner import Precision, TorchLearner
from agents.learners.trajectories import Columns, Trajectories


@dataclass(frozen=True)
class DMCSettings:
    """Hyper-parameters.

    Attributes:
        network: Widths of the hidden layers.
        combinations: Whether the network is told which combinations lie in the hand, see
            `Combinations`.
        learning_rate: Of Adam, at the start.
        learning_rate_end: Share of it that is left at the end of the training; falls linearly.
        batch_size: Samples of one gradient step.
        epochs: Passes over the samples of an update.
        gamma: Discount per own decision; below 1 it makes later rounds of a match count less.
        epsilon: Share of random actions at the start.
        epsilon_end: Share of random actions at the end of the training; falls linearly.
        temperature: A frozen player that draws does so with probabilities proportional to
            exp(value / temperature), values in units of the spread of returns.
        max_grad_norm: Gradients are scaled down to this norm.
        reward_scale: What rewards are divided by, see `ReturnScale`.
        precision: Of matrix products, see `Precision`.
    """

    network: tuple[int, ...] = (256, 256)
    combinations: bool = False
    learning_rate: float = 5e-4
    learning_rate_end: float = 0.1
    batch_size: int = 2048
    epochs: int = 1
    gamma: float = 0.99
    epsilon: float = 0.1
    epsilon_end: float = 0.02
    temperature: float = 0.05
    max_grad_norm: float = 10.0
    reward_scale: RewardScale = "auto"
    precision: Precision = "float32"


class ActionValues(nn.Module):
    """The value of every action: that of the situation plus a part for each."""

    def __init__(self, spaces: Spaces, widths: tuple[int, ...], combinations: bool = False) -> None:
        super().__init__()
        self.body = Body(spaces, widths, combinations=combinations)
        self.actions = ActionHead(spaces, self.body.size, gain=0.1)
        self.situation = nn.Linear(self.body.size, 1)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Values of all actions, float32 [k, A], of observations [k, D]."""
        hidden = self.body(observations)
        values: torch.Tensor = self.actions(hidden) + self.situation(hidden)
        return values

    def at(self, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """Values of one action each, float32 [k]."""
        hidden = self.body(observations)
        values: torch.Tensor = self.actions.at(hidden, actions) + self.situation(hidden).squeeze(1)
        return values


class DMCLearner(TorchLearner):
    """A learning player.

    Args:
        name: Name in logs and tables.
        spaces: A game, or several sizes of one.
        settings: Hyper-parameters.
        seed: Of initial weights, choices and shuffles.
        device: "auto", "cpu", "cuda", …
    """

    kind = "dmc"
    whole_matches = True

    def __init__(
        self,
        name: str,
        spaces: Spaces,
        settings: DMCSettings,
        seed: int = 0,
        device: str = "auto",
    ) -> None:
        network, combinations = settings.network, settings.combinations
        super().__init__(
            name, spaces, settings, lambda: ActionValues(spaces, network, combinations), seed,
            device,
        )  # fmt: skip
        self.settings = settings

    def choose(
        self, decisions: Decisions, progress: float
    ) -> tuple[npt.NDArray[np.int64], Columns]:
        """The best action by the present estimate, now and then a random one."""
        s = self.settings
        with torch.no_grad(), self.products():
            values = self.network(self.tensor(decisions.observation))
        epsilon = s.epsilon + progress * (s.epsilon_end - s.epsilon)
        keys = decisions.keys(self.seed)
        return best_actions(values.float(), decisions.action_mask, keys, epsilon), {}

    def update(self, trajectories: Trajectories, progress: float) -> dict[str, float]:
        """Passes over the decisions of finished matches."""
        s = self.settings
        target = trajectories.returns(s.gamma)[trajectories.ready]
        self.scale.note(target)
        target /= np.float32(self.scale.scale)
        columns = trajectories.learnable()
        observation, action = columns["observation"], columns["action"]
        rate = self.set_learning_rate(progress)
        losses = []
        for rows in self.minibatches(len(target)):
            wanted = self.tensor(target[rows])
            with self.products():
                values = self.network.at(  # type: ignore[operator]
                    self.tensor(observation[rows]), self.tensor(action[rows])
                )
            loss = functional.mse_loss(values.float(), wanted) / 2
            self.descend(loss)
            losses.append(loss.detach())
        self.updates += 1
        self.samples += len(target)
        error = float(torch.stack(losses).mean())
        variance = float(target.var())
        return {
            "value_loss": error,
            "explained_variance": 1 - 2 * error / variance if variance > 0 else 0.0,
            "learning_rate": rate,
            "reward_scale": self.scale.scale,
        }


class DMCAgent(NetworkAgent):
    """A frozen player."""

    kind = "dmc"

    @classmethod
    def build(cls, spaces: Spaces, settings: dict[str, Any]) -> nn.Module:
        """The network."""
        # Checkpoints that are older than the setting do not name it.
        return ActionValues(spaces, settings["network"], settings.get("combinations", False))
