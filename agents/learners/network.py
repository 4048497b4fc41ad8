"""What the learners' networks share: scaled inputs, masked and keyed choices, device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

INFERENCE_ROWS = 256
"""Rows of one forward pass of a frozen agent. Always this many, so that what a row comes out as
does not depend on how many others are asked about at the same time."""


class ScaledInput(BaseFeaturesExtractor):
    """Divides every entry of an observation by its largest value, so that none passes 1."""

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, int(observation_space.shape[0]))
        high = torch.as_tensor(observation_space.high, dtype=torch.float32)
        self.register_buffer("scale", 1.0 / high.clamp(min=1.0))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32 [k, D] to float32 [k, D]."""
        scale: torch.Tensor = self.scale  # type: ignore[assignment]
        return observations * scale


def pick_device(name: str = "auto") -> torch.device:
    """The named device; "auto" is a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(name)


def masked_log_probs(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Log-probabilities over the legal actions; about -1e8 elsewhere.

    The same arithmetic as sb3-contrib's masked distribution, so that recomputed
    log-probabilities agree with those of the choice.

    Args:
        logits: float32 [k, A].
        mask: bool [k, A], at least one True in every row.
    """
    return torch.log_softmax(torch.where(mask, logits, torch.full_like(logits, -1e8)), dim=-1)


def choose_by_keys(
    log_probs: torch.Tensor, mask: torch.Tensor, keys: npt.NDArray[np.uint64]
) -> torch.Tensor:
    """Draws actions by inverting the distribution function at a number made of each key.

    Args:
        log_probs: float32 [k, A].
        mask: bool [k, A].
        keys: uint64 [k].

    Returns:
        int64 [k].
    """
    uniform = torch.as_tensor((keys >> np.uint64(11)).astype(np.float64) / 2**53)
    cumulative = log_probs.double().exp().cumsum(dim=-1)
    target = uniform.to(log_probs.device).unsqueeze(1) * cumulative[:, -1:]
    chosen = (cumulative <= target).sum(dim=-1)
    # Rounding can point behind the last legal action: take the last one then.
    last = mask.shape[1] - 1 - mask.flip(1).int().argmax(dim=1)
    chosen = torch.minimum(chosen, last)
    legal = mask.gather(1, chosen.unsqueeze(1)).squeeze(1)
    return torch.where(legal, chosen, last)
