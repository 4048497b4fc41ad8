"""PPO: sb3-contrib's MaskablePPO, fed with trajectories by seat.

Its policy, loss and optimiser are used as they are. What is ours is where samples come from: in
a turn-based match a seat's next decision depends on the others', so the lock-step rollout of the
original, in which all streams decide at once, is replaced by `SeatStore`.
"""

from __future__ import annotations

import copy
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger

from agents.base import Agent, Decisions
from agents.learners.network import (
    INFERENCE_ROWS,
    ScaledInput,
    choose_by_keys,
    masked_log_probs,
    pick_device,
)
from agents.learners.trajectories import Samples
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


def _spaces(game: Game) -> tuple[spaces.Box, spaces.Discrete]:
    size = game.layout.size
    return (
        spaces.Box(game.layout.low, game.layout.high, (size,), np.int8),
        spaces.Discrete(game.num_actions),
    )


def _policy_options(settings: PPOSettings) -> dict[str, Any]:
    widths = list(settings.network)
    return {
        "net_arch": {"pi": widths, "vf": widths},
        "activation_fn": torch.nn.ReLU,
        "features_extractor_class": ScaledInput,
    }


def evaluate(
    policy: MaskableActorCriticPolicy,
    observation: npt.NDArray[np.int8],
    action_mask: npt.NDArray[np.int8],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One forward pass without gradients.

    Returns:
        Log-probabilities float32 [k, A], values float32 [k], mask bool [k, A].
    """
    with torch.no_grad():
        inputs = torch.as_tensor(observation, device=policy.device).float()
        mask = torch.as_tensor(action_mask, device=policy.device).bool()
        latent_pi, latent_vf = policy.mlp_extractor(policy.extract_features(inputs))
        log_probs = masked_log_probs(policy.action_net(latent_pi), mask)
        return log_probs, policy.value_net(latent_vf).squeeze(1), mask


class PPOLearner:
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
        self.name = name
        self.game = game
        self.settings = settings
        self.seed = seed
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
            policy_kwargs=_policy_options(s),
            seed=seed,
            device=pick_device(device),
            _init_setup_model=False,
        )
        self.algorithm.observation_space, self.algorithm.action_space = _spaces(game)
        self.algorithm.n_envs = 1
        self.algorithm._setup_model()
        self.algorithm.set_logger(Logger(None, []))
        self.buffer.rng = np.random.default_rng(seed)
        self.updates = 0
        self.samples = 0

    @property
    def policy(self) -> MaskableActorCriticPolicy:
        """The network."""
        return self.algorithm.policy

    @property
    def buffer(self) -> SeatRolloutBuffer:
        """Where updates take their samples from."""
        return self.algorithm.rollout_buffer  # type: ignore[return-value]

    def choose(
        self, decisions: Decisions
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Draws an action for every decision.

        Returns:
            Actions int64 [k], log-probabilities float32 [k], values float32 [k].
        """
        log_probs, values, mask = evaluate(
            self.policy, decisions.observation, decisions.action_mask
        )
        actions = choose_by_keys(log_probs, mask, decisions.keys(self.seed))
        chosen = log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
        return actions.cpu().numpy(), chosen.cpu().numpy(), values.cpu().numpy()

    def update(self, samples: Samples, progress: float) -> dict[str, float]:
        """One PPO update.

        Args:
            samples: Finished decisions.
            progress: Share of the training that is done, 0 to 1, for schedules.

        Returns:
            Losses and diagnostics by name.
        """
        self.buffer.load(samples)
        self.algorithm._current_progress_remaining = 1.0 - progress
        self.algorithm.train()
        self.updates += 1
        self.samples += len(samples)
        logged = self.algorithm.logger.name_to_value
        metrics = {key.removeprefix("train/"): float(value) for key, value in logged.items()}
        self.algorithm.logger.dump()
        return metrics

    def get_state(self) -> dict[str, Any]:
        """Copies of weights, optimiser, counters and generator."""
        return {
            "policy": copy.deepcopy(self.policy.state_dict()),
            "optimizer": copy.deepcopy(self.policy.optimizer.state_dict()),
            "updates": self.updates,
            "samples": self.samples,
            "algorithm_updates": self.algorithm._n_updates,
            "rng": str(self.buffer.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        self.policy.load_state_dict(state["policy"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        self.updates, self.samples = state["updates"], state["samples"]
        self.algorithm._n_updates = state["algorithm_updates"]
        self.buffer.rng.bit_generator.state = literal_eval(state["rng"])

    def frozen(self) -> dict[str, Any]:
        """A copy of what a checkpoint must hold to play on."""
        return {
            "settings": asdict(self.settings),
            "policy": copy.deepcopy(self.policy.state_dict()),
        }


class PPOAgent(Agent):
    """A frozen PPO player.

    Args:
        name: Name in tables.
        game: The game to be played.
        frozen: From `PPOLearner.frozen`.
        seed: Of its choices, where it draws.
        sample: Draw from the policy; otherwise take the most likely action.
        device: "auto", "cpu", "cuda", …
    """

    def __init__(
        self,
        name: str,
        game: Game,
        frozen: dict[str, Any],
        seed: int = 0,
        sample: bool = False,
        device: str = "auto",
    ) -> None:
        self.name = name
        self._seed = seed
        self._sample = sample
        settings = PPOSettings(
            **{**frozen["settings"], "network": tuple(frozen["settings"]["network"])}
        )
        observation_space, action_space = _spaces(game)
        self.network = MaskableActorCriticPolicy(
            observation_space, action_space, lambda _: 0.0, **_policy_options(settings)
        )
        self.network.load_state_dict(frozen["policy"])
        self.network.to(pick_device(device)).set_training_mode(False)

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        keys = decisions.keys(self._seed)
        chosen = [
            self._act_rows(decisions.observation[rows], decisions.action_mask[rows], keys[rows])
            for rows in _parts(len(decisions))
        ]
        return np.concatenate(chosen)

    def _act_rows(
        self,
        observation: npt.NDArray[np.int8],
        mask: npt.NDArray[np.int8],
        keys: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        k, missing = len(keys), INFERENCE_ROWS - len(keys)
        observation = np.pad(observation, ((0, missing), (0, 0)))
        mask = np.pad(mask, ((0, missing), (0, 0)), constant_values=1)
        log_probs, _, legal = evaluate(self.network, observation, mask)
        if self._sample:
            actions = choose_by_keys(log_probs, legal, np.pad(keys, (0, missing)))
        else:
            actions = log_probs.argmax(dim=1)
        return actions[:k].cpu().numpy()


def _parts(number: int) -> list[slice]:
    starts = range(0, number, INFERENCE_ROWS)
    return [slice(start, min(start + INFERENCE_ROWS, number)) for start in starts]
