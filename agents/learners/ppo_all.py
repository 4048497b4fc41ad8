"""PPO in plain torch, made for many matches at once: every decision of every seat is learned from.

The objective is that of Schulman et al. (2017, eq. 7 and 9). The actor's outputs are products of
the situation with what each action is (`ActionHead`); the critic may see more than a player does.

With a teacher, the learner's seats are first played by that agent, and the learner imitates it;
then it goes on by itself. A start from imitation saves the millions of decisions in which a
player of a long match earns nothing because it cannot play at all (Silver et al., 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from agents.base import Decisions
from agents.learners.base import RewardScale
from agents.learners.frozen import NetworkAgent
from agents.learners.network import ActionHead, Body, draw_actions, masked_log_probs
from agents.learners.samples import Samples, samples_of
from agents.learners.sizes import Spaces, for_each_size
from agents.learners.torch_learner import Precision, TorchLearner
from agents.learners.trajectories import Columns, Trajectories
from agents.named import make_agent


@dataclass(frozen=True)
class PPOAllSettings:
    """Hyper-parameters.

    Attributes:
        network: Widths of the hidden layers.
        combinations: Whether the network is told which combinations lie in the hand, see
            `Combinations`.
        legal: Whether the actor is told which actions are legal, and not only held to them.
        forced: Whether decisions without a choice are learned from too.
        critic: What the value is estimated from: "shared", the actor's last hidden layer;
            "observation", by a network of its own; "state", all players' observations, by a
            network of its own.
        learning_rate: Of Adam, at the start.
        learning_rate_end: Share of it that is left at the end of the training; falls linearly.
        batch_size: Samples of one gradient step.
        epochs: Passes over the samples of an update.
        gamma: Discount per own decision.
        gae_lambda: Of the advantage estimates.
        clip_range: Of the probability ratio.
        entropy: Weight of the entropy bonus.
        value_coefficient: Weight of the value loss.
        max_grad_norm: Gradients are scaled down to this norm.
        reward_scale: What rewards are divided by, see `ReturnScale`.
        precision: Of matrix products, see `Precision`.
        teacher: Name of an agent to imitate first, or None.
        lessons: Decisions of the teacher to learn from.
    """

    network: tuple[int, ...] = (256, 256)
    combinations: bool = False
    legal: bool = False
    forced: bool = True
    critic: Literal["shared", "observation", "state"] = "shared"
    learning_rate: float = 5e-4
    learning_rate_end: float = 0.1
    batch_size: int = 4096
    epochs: int = 1
    gamma: float = 0.995
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.01
    value_coefficient: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: RewardScale = "auto"
    precision: Precision = "float32"
    teacher: str | None = None
    lessons: int = 1_000_000


class Actor(nn.Module):
    """Logits of all actions: the part that plays.

    Args:
        spaces: Whose observations and actions they are.
        widths: Of the hidden layers.
        combinations: See `PPOAllSettings`.
        legal: See `PPOAllSettings`.
    """

    def __init__(
        self,
        spaces: Spaces,
        widths: tuple[int, ...],
        combinations: bool = False,
        legal: bool = False,
    ) -> None:
        super().__init__()
        self.legal = legal
        extra = spaces.num_actions if legal else 0
        self.body = Body(spaces, widths, combinations=combinations, extra=extra)
        self.actor = ActionHead(spaces, self.body.size)

    def situation(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """The last hidden layer, float32 [k, size], see `forward`."""
        hidden: torch.Tensor = self.body(observations, masks.float() if self.legal else None)
        return hidden

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Logits float32 [k, A].

        Args:
            observations: int8 or float32 [k, D].
            masks: The legal actions, int8 [k, A].
        """
        logits: torch.Tensor = self.actor(self.situation(observations, masks))
        return logits


class ActorCritic(Actor):
    """Logits of all actions, and the value."""

    def __init__(self, spaces: Spaces, settings: PPOAllSettings) -> None:
        super().__init__(spaces, settings.network, settings.combinations, settings.legal)
        self.critic_body: Body | None = None
        if settings.critic != "shared":
            views = spaces.num_players if settings.critic == "state" else 1
            self.critic_body = Body(spaces, settings.network, views, settings.combinations)
        self.critic = nn.Linear(self.body.size, 1)
        nn.init.orthogonal_(self.critic.weight)
        nn.init.zeros_(self.critic.bias)

    def judge(
        self, observations: torch.Tensor, masks: torch.Tensor, states: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits float32 [k, A] and values float32 [k].

        Args:
            observations: int8 [k, D].
            masks: int8 [k, A].
            states: int8 [k, n · D], where the critic sees them.
        """
        hidden = self.situation(observations, masks)
        judged = hidden
        if self.critic_body is not None:
            judged = self.critic_body(observations if states is None else states)
        return self.actor(hidden), self.critic(judged).squeeze(1)


class PPOAllLearner(TorchLearner):
    """A learning player.

    Args:
        name: Name in logs and tables.
        spaces: A game, or several sizes of one.
        settings: Hyper-parameters.
        seed: Of initial weights, choices and shuffles.
        device: "auto", "cpu", "cuda", …
    """

    kind = "ppo_all"

    def __init__(
        self,
        name: str,
        spaces: Spaces,
        settings: PPOAllSettings,
        seed: int = 0,
        device: str = "auto",
    ) -> None:
        super().__init__(
            name, spaces, settings, lambda: ActorCritic(spaces, settings), seed, device
        )
        self.settings = settings
        self.needs_state = settings.critic == "state"
        teacher = settings.teacher
        self._teacher = teacher and for_each_size(
            spaces, lambda game: make_agent(teacher, game, seed)
        )

    def choose(
        self, decisions: Decisions, progress: float
    ) -> tuple[npt.NDArray[np.int64], Columns]:
        """Draws an action for every decision; keeps its log-probability and the value.

        As long as the teacher plays, its actions; their log-probability is kept as nan, so that
        they are told apart however many are learned from at once.
        """
        states = None if decisions.state is None else self.tensor(decisions.state)
        with torch.no_grad(), self.products():
            logits, values = self.network.judge(  # type: ignore[operator]
                self.tensor(decisions.observation), self.tensor(decisions.action_mask), states
            )
        if self._teacher and self.samples < self.settings.lessons:
            actions = self._teacher.act(decisions)
            log_prob = np.full(len(actions), np.nan, np.float32)
        else:
            keys = decisions.keys(self.seed)
            actions, log_prob = draw_actions(logits.float(), decisions.action_mask, keys)
        return actions, {"log_prob": log_prob, "value": values.float().cpu().numpy()}

    def update(self, trajectories: Trajectories, progress: float) -> dict[str, float]:
        """Some passes over the samples."""
        s = self.settings
        samples = samples_of(trajectories, self.scale, s.gamma, s.gae_lambda)
        seen = len(samples)
        if not s.forced:
            choices = np.flatnonzero(samples.action_mask.sum(axis=1) > 1)
            samples = samples.take(choices) if len(choices) else samples
        rate = self.set_learning_rate(progress)
        returns = samples.returns
        spread = samples.advantage.std() + np.float32(1e-8)
        samples.advantage = (samples.advantage - samples.advantage.mean()) / spread
        losses = [self._step(samples, returns, rows) for rows in self.minibatches(len(samples))]
        self.updates += 1
        self.samples += seen
        means = torch.stack(losses).mean(dim=0).tolist()
        taught = np.isnan(samples.log_prob)
        names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
        variance = float(returns.var())
        explained = 1 - float((returns - samples.value).var()) / variance if variance > 0 else 0.0
        return dict(zip(names, means, strict=True)) | {
            "explained_variance": explained,
            "learning_rate": rate,
            "reward_scale": self.scale.scale,
            "taught": float(taught.mean()),
        }

    def _step(
        self, samples: Samples, returns: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]
    ) -> torch.Tensor:
        s = self.settings

        def part(array: npt.NDArray[Any]) -> torch.Tensor:
            return self.tensor(array[rows])

        states = None if samples.state is None else part(samples.state)
        masks = part(samples.action_mask)
        with self.products():
            logits, values = self.network.judge(  # type: ignore[operator]
                part(samples.observation), masks, states
            )
        log_probs = masked_log_probs(logits.float(), masks.bool())
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        chosen = log_probs.gather(1, part(samples.action).unsqueeze(1)).squeeze(1)
        before = part(samples.log_prob)
        taught = before.isnan()
        log_ratio = torch.where(taught, 0.0, chosen - before)
        ratio = log_ratio.exp()
        advantage = part(samples.advantage)
        clipped = ratio.clamp(1 - s.clip_range, 1 + s.clip_range)
        gain = torch.where(taught, chosen, torch.minimum(advantage * ratio, advantage * clipped))
        policy_loss = -gain.mean()
        value_loss = functional.mse_loss(values.float(), part(returns))
        self.descend(policy_loss + s.value_coefficient * value_loss - s.entropy * entropy)
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean()  # Schulman, "Approximating KL divergence", 2020
            outside = ((ratio - 1).abs() > s.clip_range).float().mean()
        return torch.stack([policy_loss, value_loss, entropy, kl, outside]).detach()

    def playing_weights(self) -> dict[str, torch.Tensor]:
        """Those of the actor."""
        weights = self.network.state_dict()
        return {name: w for name, w in weights.items() if not name.startswith("critic")}


class PPOAllAgent(NetworkAgent):
    """A frozen player."""

    kind = "ppo_all"

    @classmethod
    def build(cls, spaces: Spaces, settings: dict[str, Any]) -> nn.Module:
        """The actor."""
        # Checkpoints that are older than a setting do not name it.
        return Actor(
            spaces,
            settings["network"],
            settings.get("combinations", False),
            settings.get("legal", False),
        )

    def inputs(self, decisions: Decisions) -> list[npt.NDArray[Any]]:
        """Observations and masks."""
        return [decisions.observation, decisions.action_mask]
