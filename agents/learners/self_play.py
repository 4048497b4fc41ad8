"""Learners that play each other on one batch of matches, every seat's trajectory learned from."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agents.base import Decisions
from agents.learners.trajectories import Samples, SeatStore
from loop_envs.deals import combine, match_key, shuffle
from loop_envs.envs.batch import Batch
from loop_envs.jit import compiled


class Learner(Protocol):
    """What self-play needs of a learner; see `agents.learners.ppo.PPOLearner`."""

    name: str

    def choose(
        self, decisions: Decisions
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Actions, log-probabilities and values of k decisions."""

    def update(self, samples: Samples, progress: float) -> dict[str, float]:
        """Learns; returns metrics."""


@compiled
def _seat_learners(seeds: Any, boards: Any, rows: Any, learners: int, order: Any, out: Any) -> None:
    n = out.shape[1]
    for i in rows:
        key = combine(match_key(seeds[i], boards[i]), 1)
        # A random order of the learners, dealt out around the table from a random seat on, so
        # that each has as many seats as the others, but for one.
        shuffle(key, order, n)
        for seat in range(n):
            out[i, seat] = order[seat] % learners


def seat_learners(
    seeds: npt.NDArray[np.uint64],
    boards: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    learners: int,
    out: npt.NDArray[np.int8],
) -> None:
    """Draws who plays which seat: a function of the match alone, fixed for its length.

    Args:
        seeds: uint64 [B].
        boards: int64 [B].
        rows: The matches to draw for, int64 [k].
        learners: Number of learners.
        out: int8 [B, n], rows of it are overwritten with numbers of learners.
    """
    _seat_learners(seeds, boards, rows, learners, np.zeros(out.shape[1], np.int16), out)


class SelfPlay:
    """Plays matches between learners and keeps the decisions of each.

    Args:
        batch: The matches, reset.
        learners: Who plays; each seat of each match is one learner's for the match's length.
    """

    def __init__(self, batch: Batch, learners: list[Any]) -> None:
        self.batch = batch
        self.learners: list[Learner] = learners
        b, n = batch.num_matches, batch.game.num_players
        self.stores = [SeatStore(b, n) for _ in learners]
        self.seating = np.zeros((b, n), np.int8)
        self._all = np.arange(b)
        seat_learners(batch.seed, batch.board, self._all, len(learners), self.seating)
        self.seconds: dict[str, float] = defaultdict(float)
        self._margins: list[list[float]] = [[] for _ in learners]

    def play_ply(self) -> None:
        """Plays one decision in every match."""
        batch = self.batch
        start = time.perf_counter()
        actions = np.empty(batch.num_matches, np.int64)
        mover = self.seating[self._all, batch.player]
        for number, (learner, store) in enumerate(zip(self.learners, self.stores, strict=True)):
            rows = np.flatnonzero(mover == number)
            if not len(rows):
                continue
            decisions = Decisions.of(batch, rows)
            asked = time.perf_counter()
            chosen, log_prob, value = learner.choose(decisions)
            self.seconds["inference"] += time.perf_counter() - asked
            start += time.perf_counter() - asked
            actions[rows] = chosen
            store.add(
                rows, decisions.seat, decisions.observation, decisions.action_mask, chosen,
                log_prob, value,
            )  # fmt: skip
        batch.step(actions)
        ended = batch.terminated | batch.truncated
        for number, store in enumerate(self.stores):
            store.earn(self.seating == number, batch.reward, ended)
        over = np.flatnonzero(ended)
        if len(over):
            self._note_margins(over)
            seat_learners(batch.seed, batch.board, over, len(self.learners), self.seating)
        self.seconds["environment"] += time.perf_counter() - start

    def _note_margins(self, over: npt.NDArray[np.int64]) -> None:
        points = self.batch.points[over]
        margins = points - points.mean(axis=1, keepdims=True)
        for number, noted in enumerate(self._margins):
            noted += margins[self.seating[over] == number].tolist()

    def take_margins(self) -> list[list[float]]:
        """Final margins of each learner's seats in the matches that ended since the last call."""
        taken, self._margins = self._margins, [[] for _ in self.learners]
        return taken

    def get_state(self) -> dict[str, Any]:
        """Matches, seats and pending decisions, as arrays."""
        states = self.batch.get_states().view(np.ndarray)
        return {
            "matches": states.view(np.uint8).reshape(len(states), -1),
            "seating": self.seating.copy(),
            "stores": [store.get_state() for store in self.stores],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        states = self.batch.get_states()
        states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)[:] = state["matches"]
        self.batch.set_states(states)
        self.seating[:] = state["seating"]
        for store, kept in zip(self.stores, state["stores"], strict=True):
            store.set_state(kept)
