"""Stable-Baselines3's DQN with masks: every maximum is one over legal actions."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.utils import explained_variance, polyak_update
from torch import nn
from torch.nn import functional

from agents.learners.replay import MaskedReplayBuffer, Replayed


class MaskedDQN(DQN):
    """Stable-Baselines3's DQN with masked double targets."""

    replay_buffer: MaskedReplayBuffer

    def targets(self, batch: Replayed) -> torch.Tensor:
        """What the values of the transitions' actions are drawn to, float32 [k].

        r + γ Q'(s', argmax over the legal a of Q(s', a)), where Q' is the target network (van
        Hasselt et al., 2016, eq. 4); r alone at the end of a match.
        """
        with torch.no_grad():
            values = self.q_net(batch.next_observations)
            legal = torch.where(batch.next_action_masks, values, -torch.inf)
            best = legal.argmax(dim=1, keepdim=True)  # of no legal action: any, and not used
            following = self.q_net_target(batch.next_observations).gather(1, best).squeeze(1)
            # Chosen, not multiplied: 0 times an infinity would be NaN.
            return batch.rewards + self.gamma * torch.where(batch.dones, 0.0, following)

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Gradient steps on the Huber loss, as in the original, and target network updates.

        Intervals between those count gradient steps (Mnih et al., 2015, extended data table 1):
        there is no environment here whose steps could be counted.
        """
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses, predictions, targets = [], [], []
        for _ in range(gradient_steps):
            batch = self.replay_buffer.sample(batch_size)
            target = self.targets(batch)
            chosen = batch.actions.unsqueeze(1)
            value = self.q_net(batch.observations).gather(1, chosen).squeeze(1)
            loss = functional.smooth_l1_loss(value, target)
            self.policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.q_net.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            self._n_updates += 1
            if self._n_updates % self.target_update_interval == 0:
                polyak_update(self.q_net.parameters(), self.q_net_target.parameters(), self.tau)
            losses.append(loss.detach())
            predictions.append(value.detach())
            targets.append(target)
        predicted, wanted = (torch.cat(x).cpu().numpy() for x in (predictions, targets))
        explained = explained_variance(predicted, wanted)
        # Equal targets have no variance to be explained.
        explained = 0.0 if math.isnan(explained) and np.ptp(wanted) == 0 else explained
        self.logger.record("train/value_loss", float(torch.stack(losses).mean()))
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/mean_value", float(predicted.mean()))
        self.logger.record("train/n_updates", self._n_updates)

    def predict(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: the original would play illegal actions without a word.

        Raises:
            TypeError: Always.
        """
        raise TypeError("predict knows no masks: use DQNLearner.choose or DQNAgent.act")
