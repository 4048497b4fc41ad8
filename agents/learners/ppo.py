"""PPO: sb3-contrib's MaskablePPO, fed with trajectories by seat.

Its policy, loss and optimiser are used as they are. What is ours is where samples come from: in
a turn-based match a seat's next decision depends on the others', so the lock-step rollout of the
original, in which all streams decide at once, is replaced by `SeatStore`.
"""

from __future__ import annotations

import copy
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger

from agents.base import Decisions
from agents.learners.base import Learner, ReturnScale, RewardScale
from agents.learners.frozen import NetworkAgent
from agents.learners.network import ScaledInput, draw_actions, pick_device, sb3_spaces
from agents.learners.samples import Samples, samples_of
from agents.learners.trajectories import Columns, Trajectories
from loop_envs.game import Game


@dataclass(frozen=True)
class PPOSettings:
    """Hyper-parameters, by sb3-contrib's meanings.

    Attributes:
        network: Widths of the hidden layers of policy and value network each.
        learning_rate: Of Adam.
        batch_size: Samples of one gradient step.
        epochs: Passes over the samples of an update.
        gamma: Discount per own decision.
        gae_lambda: Of the advantage estimates.
        clip_range: Of the probability ratio.
        entropy: Weight of the entropy bonus.
        value_coefficient: Weight of the value loss.
        max_grad_norm: Gradients are scaled down to this norm.
        reward_scale: What rewards are divided by, see `ReturnScale`.
    """

    network: tuple[int, ...] = (256, 256)
    learning_rate: float = 3e-4
    batch_size: int = 2048
    epochs: int = 3
    gamma: float = 0.995
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.01
    value_coefficient: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: RewardScale = "auto"


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """Hands `Samples` to MaskablePPO's update, shuffled by a generator of its own."""

    samples: Samples
    rng: np.random.Generator

    def reset(self) -> None:
        """Nothing is preallocated: an update has as many samples as there are."""

    def load(self, samples: Samples) -> None:
        """Takes the samples of the next update."""
        self.samples = samples
        self.values, self.returns = samples.value, samples.returns

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """Every sample once, in random order, at most `batch_size` at a time."""
        s = self.samples
        order = self.rng.permutation(len(s))
        size = batch_size or len(s)
        # A last gradient step on a handful of samples would be mostly noise.
        steps = max(1, round(len(s) / size))
        for rows in np.array_split(order, steps):
            yield MaskableRolloutBufferSamples(
                observations=self.to_torch(s.observation[rows]),
                actions=self.to_torch(s.action[rows]),
                old_values=self.to_torch(s.value[rows]),
                old_log_prob=self.to_torch(s.log_prob[rows]),
                advantages=self.to_torch(s.advantage[rows]),
                returns=self.to_torch(s.returns[rows]),
                action_masks=self.to_torch(s.action_mask[rows].view(np.bool_)),
            )


def _policy_options(network: Sequence[int]) -> dict[str, Any]:
    widths = list(network)
    return {
        "net_arch": {"pi": widths, "vf": widths},
        "activation_fn": torch.nn.ReLU,
        "features_extractor_class": ScaledInput,
    }


def _logits_and_values(
    policy: MaskableActorCriticPolicy, observations: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    latent_pi, latent_vf = policy.mlp_extractor(policy.extract_features(observations))
    return policy.action_net(latent_pi), policy.value_net(latent_vf).squeeze(1)


def evaluate(
    policy: MaskableActorCriticPolicy, observation: npt.NDArray[np.int8]
) -> tuple[torch.Tensor, torch.Tensor]:
    """One forward pass without gradients.

    Returns:
        Logits float32 [k, A], values float32 [k].
    """
    with torch.no_grad():
        return _logits_and_values(
            policy, torch.as_tensor(observation, device=policy.device).float()
        )


class PPOLearner(Learner):
    """A learning player.

    Args:
        name: Name in logs and tables.
        game: The game to be played.
        settings: Hyper-parameters.
        seed: Of initial weights, choices and shuffles.
        device: "auto", "cpu", "cuda", …
    """

    kind = "ppo"

    def __init__(
        self, name: str, game: Game, settings: PPOSettings, seed: int = 0, device: str = "auto"
    ) -> None:
        super().__init__(name, game, seed)
        self.settings = settings
        s = settings
        self.algorithm = MaskablePPO(
            MaskableActorCriticPolicy,
            None,  # type: ignore[arg-type]
            learning_rate=s.learning_rate,
            batch_size=s.batch_size,
            n_epochs=s.epochs,
            gamma=s.gamma,
            gae_lambda=s.gae_lambda,
            clip_range=s.clip_range,
            ent_coef=s.entropy,
            vf_coef=s.value_coefficient,
            max_grad_norm=s.max_grad_norm,
            rollout_buffer_class=SeatRolloutBuffer,
            policy_kwargs=_policy_options(s.network),
            seed=seed,
            device=pick_device(device),
            _init_setup_model=False,
        )
        self.algorithm.observation_space, self.algorithm.action_space = sb3_spaces(game)
        self.algorithm.n_envs = 1
        self.algorithm._setup_model()
        self.algorithm.set_logger(Logger(None, []))
        self.buffer.rng = np.random.default_rng(seed)
        self.scale = ReturnScale(s.reward_scale)

    @property
    def policy(self) -> MaskableActorCriticPolicy:
        """The network."""
        return self.algorithm.policy

    @property
    def buffer(self) -> SeatRolloutBuffer:
        """Where updates take their samples from."""
        return self.algorithm.rollout_buffer  # type: ignore[return-value]

    @property
    def module(self) -> torch.nn.Module:
        """All weights."""
        return self.policy

    def choose(
        self, decisions: Decisions, progress: float
    ) -> tuple[npt.NDArray[np.int64], Columns]:
        """Draws an action for every decision; keeps its log-probability and the value."""
        logits, values = evaluate(self.policy, decisions.observation)
        keys = decisions.keys(self.seed)
        actions, log_prob = draw_actions(logits, decisions.action_mask, keys)
        return actions, {"log_prob": log_prob, "value": values.cpu().numpy()}

    def update(self, trajectories: Trajectories, progress: float) -> dict[str, float]:
        """One PPO update."""
        samples = samples_of(
            trajectories, self.scale, self.settings.gamma, self.settings.gae_lambda
        )
        self.buffer.load(samples)
        self.algorithm._current_progress_remaining = 1.0 - progress
        self.algorithm.train()
        self.updates += 1
        self.samples += len(samples)
        logged = self.algorithm.logger.name_to_value
        metrics = {key.removeprefix("train/"): float(value) for key, value in logged.items()}
        self.algorithm.logger.dump()
        return metrics | {"reward_scale": self.scale.scale}

    def get_state(self) -> dict[str, Any]:
        """Copies of weights, optimiser, counters and generator."""
        return {
            "weights": copy.deepcopy(self.policy.state_dict()),
            "optimizer": copy.deepcopy(self.policy.optimizer.state_dict()),
            "updates": self.updates,
            "samples": self.samples,
            "algorithm_updates": self.algorithm._n_updates,
            "scale": self.scale.get_state(),
            "rng": str(self.buffer.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        self.policy.load_state_dict(state["weights"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        self.updates, self.samples = state["updates"], state["samples"]
        self.algorithm._n_updates = state["algorithm_updates"]
        self.scale.set_state(state["scale"])
        self.buffer.rng.bit_generator.state = literal_eval(state["rng"])

    def frozen(self) -> dict[str, Any]:
        """A copy of what a checkpoint must hold to play on."""
        return {
            "settings": asdict(self.settings),
            "weights": copy.deepcopy(self.policy.state_dict()),
        }


class PPOAgent(NetworkAgent):
    """A frozen PPO player."""

    kind = "ppo"

    @classmethod
    def build(cls, game: Game, settings: dict[str, Any]) -> torch.nn.Module:
        """The policy network."""
        options = _policy_options(settings["network"])
        return MaskableActorCriticPolicy(*sb3_spaces(game), lambda _: 0.0, **options)

    def scores(self, observations: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        """The policy's logits."""
        return _logits_and_values(self.network, observations)[0]  # type: ignore[arg-type]
