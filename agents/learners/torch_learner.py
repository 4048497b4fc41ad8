"""What learners in plain torch share: a network, Adam, schedules, shuffles, state."""

from __future__ import annotations

import copy
from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.learners.base import Learner, ReturnScale, RewardScale
from agents.learners.network import pick_device
from agents.learners.sizes import Spaces

Precision = Literal["float32", "bfloat16"]
"""Of matrix products; weights, losses and optimiser stay float32. The shorter one is two to four
times as fast on processors and GPUs that have it, and slow on others."""


class TorchSettings(Protocol):
    """Hyper-parameters that all of them have; see the learners for their meanings."""

    learning_rate: float
    learning_rate_end: float
    batch_size: int
    epochs: int
    max_grad_norm: float
    reward_scale: RewardScale
    precision: Precision


class TorchLearner(Learner):
    """A learner with one network and one optimiser.

    Args:
        name: Name in logs and tables.
        spaces: A game, or several sizes of one.
        settings: A dataclass of hyper-parameters.
        network: Makes the network.
        seed: Of initial weights, choices and shuffles.
        device: "auto", "cpu", "cuda", …
    """

    def __init__(
        self,
        name: str,
        spaces: Spaces,
        settings: Any,
        network: Callable[[], nn.Module],
        seed: int,
        device: str,
    ) -> None:
        super().__init__(name, spaces, seed)
        self._common: TorchSettings = settings
        self.device = pick_device(device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = network().to(self.device)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), self._common.learning_rate, eps=1e-5, fused=True
        )
        self.scale = ReturnScale(self._common.reward_scale)
        self.rng = np.random.default_rng(seed)

    @property
    def module(self) -> nn.Module:
        """All weights."""
        return self.network

    def tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        """The array on the learner's device."""
        return torch.from_numpy(array).to(self.device)

    def products(self) -> torch.autocast:
        """A context in which matrix products have the wanted precision."""
        enabled = self._common.precision == "bfloat16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=enabled)

    def set_learning_rate(self, progress: float) -> float:
        """Sets and returns the learning rate, which falls linearly over the training."""
        s = self._common
        rate = s.learning_rate * (1 - progress * (1 - s.learning_rate_end))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def minibatches(self, size: int) -> Iterator[npt.NDArray[np.int64]]:
        """Rows of every gradient step of an update over `size` samples."""
        for _ in range(self._common.epochs):
            order = self.rng.permutation(size)
            # As equal as possible: a step on the few that are left would be mostly noise.
            yield from np.array_split(order, max(1, round(size / self._common.batch_size)))

    def descend(self, loss: torch.Tensor) -> None:
        """One gradient step."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self._common.max_grad_norm)
        self.optimizer.step()

    def get_state(self) -> dict[str, Any]:
        """Copies of weights, optimiser, counters and generator."""
        return {
            "weights": copy.deepcopy(self.network.state_dict()),
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "updates": self.updates,
            "samples": self.samples,
            "scale": self.scale.get_state(),
            "rng": str(self.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        self.network.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.updates, self.samples = state["updates"], state["samples"]
        self.scale.set_state(state["scale"])
        self.rng.bit_generator.state = literal_eval(state["rng"])

    def playing_weights(self) -> dict[str, torch.Tensor]:
        """The weights that a frozen player needs; all of them unless a learner says otherwise."""
        return self.network.state_dict()

    def frozen(self) -> dict[str, Any]:
        """Settings and a copy of the weights that play."""
        weights = {k: v.detach().cpu().clone() for k, v in self.playing_weights().items()}
        return {"settings": asdict(self._common), "weights": weights}  # type: ignore[call-overload]
