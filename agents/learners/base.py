"""What a learner is: a player that improves from the trajectories of the seats it played."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch

from agents.base import Decisions
from agents.learners.sizes import Sizes, Spaces
from agents.learners.trajectories import Columns, Trajectories
from loop_envs.game import Game

RewardScale = float | Literal["auto"]
"""What rewards are divided by; "auto": the running spread of returns."""


class ReturnScale:
    """Divides rewards by the running root mean square of what is earned from a decision on.

    Games count in units of their own: matches of Loop are decided by a few points, pools of Loo
    by hundreds of chips. Learning rates and gradient limits fit returns of about one (the
    practice of OpenAI Baselines' `VecNormalize`).

    Args:
        fixed: A number to divide by instead, or "auto".
    """

    def __init__(self, fixed: RewardScale = "auto") -> None:
        self.fixed = fixed
        self.count = 0
        self.squares = 0.0

    @property
    def scale(self) -> float:
        """What rewards are divided by now."""
        if self.fixed != "auto":
            return float(self.fixed)
        return math.sqrt(self.squares / self.count) if self.squares > 0 else 1.0

    def note(self, returns: npt.NDArray[np.float32]) -> None:
        """Takes more returns into account."""
        self.count += len(returns)
        self.squares += float(np.square(returns, dtype=np.float64).sum())

    def get_state(self) -> dict[str, Any]:
        """What `set_state` takes."""
        return {"count": self.count, "squares": self.squares}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        self.count, self.squares = state["count"], state["squares"]


class Learner(ABC):
    """A learning player.

    Attributes:
        kind: Name of the method in configurations and checkpoints.
        whole_matches: Learns from decisions of finished matches only.
        needs_state: Wants `Decisions.state`, and gets it back as a column.
        name: Name in logs and tables.
        spaces: What it is made for: a game, or several sizes of one.
        game: The game; of several sizes the first.
        seed: Of initial weights, choices and shuffles.
        updates: Updates made so far.
        samples: Decisions learned from so far.
    """

    kind: ClassVar[str]
    whole_matches: ClassVar[bool] = False
    needs_state: bool = False

    def __init__(self, name: str, spaces: Spaces, seed: int) -> None:
        self.name = name
        self.spaces = spaces
        self.game: Game = spaces.games[0] if isinstance(spaces, Sizes) else spaces
        self.seed = seed
        self.updates = 0
        self.samples = 0

    @property
    @abstractmethod
    def module(self) -> torch.nn.Module:
        """All weights."""

    @abstractmethod
    def choose(
        self, decisions: Decisions, progress: float
    ) -> tuple[npt.NDArray[np.int64], Columns]:
        """Chooses while learning.

        Args:
            decisions: k decisions.
            progress: Share of the training that is done, 0 to 1, for schedules.

        Returns:
            Legal actions int64 [k], and what else is to be kept of each decision.
        """

    @abstractmethod
    def update(self, trajectories: Trajectories, progress: float) -> dict[str, float]:
        """Learns from finished decisions.

        Args:
            trajectories: What the learner's seats did and earned since the last update.
            progress: Share of the training that is done, 0 to 1, for schedules.

        Returns:
            Losses and diagnostics by name.
        """

    @abstractmethod
    def get_state(self) -> dict[str, Any]:
        """Copies of everything that the next update depends on."""

    @abstractmethod
    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""

    @abstractmethod
    def frozen(self) -> dict[str, Any]:
        """A copy of what a checkpoint must hold to play on."""
