"""Snapshots: frozen copies of a learner that it plays against later, and how they are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

Sampling = Literal["uniform", "latest", "prioritised"]


@dataclass(frozen=True)
class Pool:
    """How snapshots of a learner are taken and drawn.

    Attributes:
        size: Most snapshots; the oldest one goes first.
        every: Updates of the learner between two snapshots.
        sampling: "uniform"; "latest": uniform among the `latest` newest; "prioritised": with
            probabilities proportional to the square of how often they win (Vinyals et al.,
            2019, "hard" weighting), counting half a match more for either side.
        latest: See `sampling`.
    """

    size: int = 10
    every: int = 20
    sampling: Sampling = "uniform"
    latest: int = 3


def weights_hash(weights: Mapping[str, torch.Tensor]) -> str:
    """SHA-256 of names and values."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(weights[name].detach().cpu().numpy()).tobytes())
    return digest.hexdigest()


@dataclass
class Snapshot:
    """A frozen copy of a learner.

    Attributes:
        number: Of the player in `Matchmaker`.
        name: Learner and update.
        kind: Of the learner.
        frozen: What the copy was made of.
        hash: Of its weights.
        matches: Matches that the learner has finished against it.
        wins: How many of those it won; half for a tie.
    """

    number: int
    name: str
    kind: str
    frozen: dict[str, Any]
    hash: str
    matches: int = 0
    wins: float = 0.0

    @property
    def win_rate(self) -> float:
        """How often it wins against the learner, counting half a match more for either side."""
        return (self.wins + 0.5) / (self.matches + 1)
