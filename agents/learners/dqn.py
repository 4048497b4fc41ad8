"""DQN (Mnih et al., 2015): Stable-Baselines3's, masked, fed with trajectories by seat.

Its policy, target network and schedules are used as they are. What is ours: every maximum is one
over legal actions; a transition leads to the same seat's next decision, whoever moves in between;
an update makes gradient steps in proportion to the decisions that are new.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.dqn.policies import DQNPolicy
from torch import nn

from agents.base import Decisions
from agents.learners.base import Learner, ReturnScale, RewardScale
from agents.learners.frozen import NetworkAgent
from agents.learners.masked_dqn import MaskedDQN
from agents.learners.network import ScaledInput, best_actions, pick_device, sb3_spaces
from agents.learners.replay import MaskedReplayBuffer
from agents.learners.trajectories import Columns, Trajectories
from loop_envs.game import Game


@dataclass(frozen=True)
class DQNSettings:
    """Hyper-parameters, by Stable-Baselines3's meanings where it has them.

    Attributes:
        network: Widths of the hidden layers.
        learning_rate: Of Adam, at the start.
        learning_rate_end: Share of it that is left at the end of the training; falls linearly.
        batch_size: Transitions of one gradient step.
        replays: How often a decision is learned from, on average: an update over N new decisions
            makes `replays` · N / `batch_size` gradient steps, at least one.
        buffer_size: Most transitions that are kept to be drawn from.
        target_update_interval: Gradient steps between two updates of the target network. Each
            carries what is known of a match's end one decision further back, so matches of many
            decisions want it short.
        tau: Share of the present weights in each of them; 1 copies.
        gamma: Discount per own decision.
        epsilon: Share of random actions at the start.
        epsilon_end: Share of random actions at the end of the training; falls linearly.
        temperature: A frozen player that draws does so with probabilities proportional to
            exp(value / temperature), values in units of the spread of returns.
        max_grad_norm: Gradients are scaled down to this norm.
        reward_scale: What rewards are divided by, see `ReturnScale`.
    """

    network: tuple[int, ...] = (256, 256)
    learning_rate: float = 5e-4
    learning_rate_end: float = 0.1
    batch_size: int = 1024
    replays: float = 2.0
    buffer_size: int = 100_000
    target_update_interval: int = 20
    tau: float = 1.0
    gamma: float = 0.99
    epsilon: float = 0.1
    epsilon_end: float = 0.02
    temperature: float = 0.05
    max_grad_norm: float = 10.0
    reward_scale: RewardScale = "auto"


def _policy_options(network: Sequence[int]) -> dict[str, Any]:
    return {"net_arch": list(network), "features_extractor_class": ScaledInput}


def _falling(start: float, end: float) -> Callable[[float], float]:
    """A rate by the share of the training that is left: falls linearly to `end` · `start`."""
    return lambda left: start * (end + left * (1 - end))


class DQNLearner(Learner):
    """A learning player.

    Args:
        name: Name in logs and tables.
        game: The game to be played.
        settings: Hyper-parameters.
        seed: Of initial weights, choices and draws from the buffer.
        device: "auto", "cpu", "cuda", …
    """

    kind = "dqn"

    def __init__(
        self, name: str, game: Game, settings: DQNSettings, seed: int = 0, device: str = "auto"
    ) -> None:
        super().__init__(name, game, seed)
        self.settings = s = settings
        self.algorithm = MaskedDQN(
            DQNPolicy,
            None,  # type: ignore[arg-type]
            learning_rate=_falling(s.learning_rate, s.learning_rate_end),
            buffer_size=s.buffer_size,
            batch_size=s.batch_size,
            tau=s.tau,
            gamma=s.gamma,
            replay_buffer_class=MaskedReplayBuffer,
            target_update_interval=s.target_update_interval,
            exploration_fraction=1.0,
            exploration_initial_eps=s.epsilon,
            exploration_final_eps=s.epsilon_end,
            max_grad_norm=s.max_grad_norm,
            policy_kwargs=_policy_options(s.network) | {"optimizer_kwargs": {"fused": True}},
            device=pick_device(device),
            _init_setup_model=False,
        )
        self.algorithm.observation_space, self.algorithm.action_space = sb3_spaces(game)
        self.algorithm.n_envs = 1
        # Without a seed of its own, so that the process's generators are left alone.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.algorithm._setup_model()
        self.algorithm.set_logger(Logger(None, []))
        self.buffer.rng = np.random.default_rng(seed)
        self.scale = ReturnScale(s.reward_scale)

    @property
    def policy(self) -> DQNPolicy:
        """The network and its target network."""
        return self.algorithm.policy

    @property
    def buffer(self) -> MaskedReplayBuffer:
        """Where gradient steps take their transitions from."""
        return self.algorithm.replay_buffer

    @property
    def module(self) -> nn.Module:
        """All weights."""
        return self.policy

    def choose(
        self, decisions: Decisions, progress: float
    ) -> tuple[npt.NDArray[np.int64], Columns]:
        """The legal action of the highest value, now and then any legal one."""
        with torch.no_grad():
            observation = torch.as_tensor(decisions.observation, device=self.policy.device)
            values = self.policy.q_net(observation)
        epsilon = self.algorithm.exploration_schedule(1.0 - progress)
        keys = decisions.keys(self.seed)
        return best_actions(values, decisions.action_mask, keys, epsilon), {}

    def update(self, trajectories: Trajectories, progress: float) -> dict[str, float]:
        """Remembers what is new, then makes gradient steps on what is remembered."""
        s = self.settings
        self.scale.note(trajectories.returns(s.gamma)[trajectories.complete()])
        self.buffer.extend(trajectories)
        self.buffer.reward_scale = self.scale.scale
        self.algorithm._current_progress_remaining = 1.0 - progress
        new = trajectories.num_ready
        self.algorithm.train(max(1, round(s.replays * new / s.batch_size)), s.batch_size)
        self.updates += 1
        self.samples += new
        logged = self.algorithm.logger.name_to_value
        metrics = {key.removeprefix("train/"): float(value) for key, value in logged.items()}
        self.algorithm.logger.dump()
        return metrics | {"reward_scale": self.scale.scale}

    def get_state(self) -> dict[str, Any]:
        """Copies of weights, target weights, optimiser, counters, generator and the whole buffer.

        A resumed run so goes on as one that was never interrupted; the price is that the buffer,
        whose size `buffer_size` bounds, is written with every state.
        """
        return {
            "weights": copy.deepcopy(self.policy.state_dict()),
            "optimizer": copy.deepcopy(self.policy.optimizer.state_dict()),
            "updates": self.updates,
            "samples": self.samples,
            "algorithm_updates": self.algorithm._n_updates,
            "scale": self.scale.get_state(),
            "buffer": self.buffer.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        self.policy.load_state_dict(state["weights"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        self.updates, self.samples = state["updates"], state["samples"]
        self.algorithm._n_updates = state["algorithm_updates"]
        self.scale.set_state(state["scale"])
        self.buffer.set_state(state["buffer"])

    def frozen(self) -> dict[str, Any]:
        """Settings and a copy of the weights that play."""
        weights = self.policy.q_net.state_dict()
        return {
            "settings": asdict(self.settings),
            "weights": {name: w.detach().cpu().clone() for name, w in weights.items()},
        }


class DQNAgent(NetworkAgent):
    """A frozen player."""

    kind = "dqn"

    @classmethod
    def build(cls, game: Game, settings: dict[str, Any]) -> nn.Module:
        """The network."""
        options = _policy_options(settings["network"])
        return DQNPolicy(*sb3_spaces(game), lambda _: 0.0, **options).q_net
