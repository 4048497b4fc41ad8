"""Frozen players: a network that no longer learns."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from agents.base import Agent, Decisions
from agents.learners.network import best_actions, draw_actions, pick_device
from agents.learners.sizes import Spaces

INFERENCE_ROWS = 256
"""Rows of one forward pass. Always this many, so that what a row comes out as does not depend on
how many others are asked about at the same time."""


class NetworkAgent(Agent):
    """A player that scores all actions and takes the best legal one, or draws one.

    Args:
        name: Name in tables.
        spaces: A game, or several sizes of one: then it plays in their common spaces.
        frozen: From the learner's `frozen`.
        seed: Of its choices, where it draws.
        sample: Draw from the distribution; otherwise take the best action.
        device: "auto", "cpu", "cuda", …
    """

    kind: ClassVar[str]

    def __init__(
        self,
        name: str,
        spaces: Spaces,
        frozen: dict[str, Any],
        seed: int = 0,
        sample: bool = False,
        device: str = "auto",
    ) -> None:
        self.name = name
        self._seed = seed
        self._sample = sample
        # Policies have none: their scores are logits. Values are drawn from in proportion to
        # exp(value / temperature).
        self._temperature = float(frozen["settings"].get("temperature", 1.0))
        self.network = self.build(spaces, frozen["settings"])
        self.network.load_state_dict(frozen["weights"])
        self._device = pick_device(device)
        self.network.to(self._device).train(False)

    @classmethod
    @abstractmethod
    def build(cls, spaces: Any, settings: dict[str, Any]) -> torch.nn.Module:
        """The network, with any weights; not every kind takes several sizes."""

    def inputs(self, decisions: Decisions) -> list[npt.NDArray[Any]]:
        """What the network is asked with, arrays [k, ...]; the first one is the observations."""
        return [decisions.observation]

    def scores(self, observations: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        """Scores of all actions, float32 [k, A].

        Args:
            observations: float32 [k, D].
            others: The other `inputs`.
        """
        scores: torch.Tensor = self.network(observations, *others)
        return scores

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        scores = self._scores(self.inputs(decisions))
        if self._sample:
            keys = decisions.keys(self._seed)
            return draw_actions(scores / self._temperature, decisions.action_mask, keys)[0]
        return best_actions(scores, decisions.action_mask)

    def _scores(self, inputs: list[npt.NDArray[Any]]) -> torch.Tensor:
        k = len(inputs[0])
        whole = [
            torch.from_numpy(np.pad(one, ((0, -k % INFERENCE_ROWS), *[(0, 0)] * (one.ndim - 1))))
            for one in inputs
        ]
        parts = []
        with torch.no_grad():
            for lot in zip(*(torch.split(one, INFERENCE_ROWS) for one in whole), strict=True):
                observations, *others = (one.to(self._device) for one in lot)
                parts.append(self.scores(observations.float(), *others))
        return torch.cat(parts)[:k]
