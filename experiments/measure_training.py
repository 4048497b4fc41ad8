"""Times training: how fast each kind of learner learns, and what the environment costs it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.learners.base import Learner
from agents.learners.kinds import KINDS
from agents.learners.self_play import SelfPlay
from loop_envs.envs.batch import Batch
from loop_envs.game import Game

NETWORK = (256, 256)
ROLLOUT = 16384
MATCHES = 256
_IDLE_LENGTH = 64
"""Plies after which a match of the do-nothing environment ends."""


class IdleBatch:
    """An environment of the same sizes that does nothing: what is left is the learner's own time.

    Observations and masks are those of a real batch and never change; seats take turns, matches
    end in turn, and everybody earns nothing.
    """

    def __init__(self, batch: Batch) -> None:
        self.game = batch.game
        self.num_matches = batch.num_matches
        for name in ("observation", "action_mask", "reward", "seed", "points"):
            setattr(self, name, np.array(getattr(batch, name)))
        self.reward[:] = 0  # type: ignore[attr-defined]
        self.board = np.array(batch.board)
        self.truncated = np.zeros(self.num_matches, np.bool_)
        self.ply = (np.arange(self.num_matches) % _IDLE_LENGTH).astype(np.int32)
        self._turn()

    def _turn(self) -> None:
        self.player = (self.ply % self.game.num_players).astype(np.int8)
        self.terminated = self.ply == 0

    def step(self, actions: Any) -> None:
        """Lets a ply pass."""
        self.ply = (self.ply + 1) % _IDLE_LENGTH
        self._turn()


@dataclass
class Training:
    """Self-play of one learner, to be timed.

    Args:
        game: What is played.
        kind: Kind of the learner, with its default settings and a network of 256 × 256; with
            " bfloat16" behind it, with matrix products in that precision.
        idle: On an environment that does nothing.
    """

    game: Game
    kind: str
    idle: bool = False

    def __post_init__(self) -> None:
        name, _, precision = self.kind.partition(" ")
        kind = KINDS[name]
        changes = {"precision": precision} if precision else {}
        settings = kind.settings(network=NETWORK, **changes)
        self._learner: Learner = kind.learner("timed", self.game, settings, 1)
        batch = Batch(self.game, MATCHES)
        batch.reset(1)
        batch.run(1 + self.game.num_players)  # past the first deal's formalities
        self._play = SelfPlay(IdleBatch(batch) if self.idle else batch, [self._learner])  # type: ignore[arg-type]
        self._iterate()  # compiles; and learners of whole matches need some that have ended
        self._iterate()

    def _iterate(self) -> int:
        while self._play.num_ready(0) < ROLLOUT:
            self._play.play_ply(0.5)
        start = time.perf_counter()
        lot = self._play.take(0)
        self._learner.update(lot, 0.5)
        self._play.seconds["update"] += time.perf_counter() - start
        return int(lot.num_ready)

    def samples_per_second(self, seconds: float) -> float:
        """Decisions learned from per second, over at least one whole iteration."""
        self._play.seconds.clear()
        samples, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds or not samples:
            samples += self._iterate()
        whole = time.perf_counter() - start
        return samples / whole

    def environment_share(self) -> float:
        """Share of the last run's time that went into the environment and its book-keeping, %."""
        parts = self._play.seconds
        return 100 * parts["environment"] / sum(parts.values())
