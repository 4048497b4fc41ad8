"""Matches in which learners play themselves, each other, and others; all their seats teach."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Decisions
from agents.learners.base import Learner
from agents.learners.opponents import Matchmaker
from agents.learners.sizes import View
from agents.learners.trajectories import SeatStore, Trajectories
from loop_envs.envs.batch import Batch


class SelfPlay:
    """Plays matches and keeps the decisions of each learner.

    Args:
        batch: The matches, reset.
        learners: Who learns.
        matchmaker: Who plays whom; None: each other.
        view: How the game lies in the spaces of the players, where they play several sizes.
    """

    def __init__(
        self,
        batch: Batch,
        learners: Sequence[Learner],
        matchmaker: Matchmaker | None = None,
        view: View | None = None,
    ) -> None:
        self.batch = batch
        self.learners = learners
        self.matchmaker = matchmaker or Matchmaker(view.sizes if view else batch.game, learners)
        self._view = view
        b, n = batch.num_matches, batch.game.num_players
        self.stores = [SeatStore(b, n) for _ in learners]
        self.finished = [0 for _ in learners]
        """Decisions in each store whose match is over."""
        self.seating = np.zeros((b, n), np.int32)
        self._lead, self._opponent = np.zeros(b, np.int32), np.zeros(b, np.int32)
        self._decided = np.zeros((b, n), np.int32)
        self._all = np.arange(b)
        self._draw(self._all)
        self.seconds: dict[str, float] = defaultdict(float)
        self._margins: list[list[float]] = [[] for _ in learners]
        self._results: dict[tuple[int, int], list[float]] = {}

    def _draw(self, rows: npt.NDArray[np.int64]) -> None:
        batch = self.batch
        self.matchmaker.draw(
            batch.seed, batch.board, rows, self.seating, self._lead, self._opponent
        )

    def play_ply(self, progress: float = 0.0) -> None:
        """Plays one decision in every match.

        Args:
            progress: Share of the training that is done, for the learners' schedules.
        """
        batch = self.batch
        start = time.perf_counter()
        asking = 0.0
        actions = np.empty(batch.num_matches, np.int64)
        mover = self.seating[self._all, batch.player]
        for player in np.unique(mover).tolist():
            rows = np.flatnonzero(mover == player)
            learner = self.learners[player] if player < len(self.learners) else None
            decisions = Decisions.of(batch, rows, learner is not None and learner.needs_state)
            if self._view is not None:
                decisions = self._view.widen(decisions)
            asked = time.perf_counter()
            if learner is None:
                actions[rows] = self.matchmaker.agents[player].act(decisions)
                asking += time.perf_counter() - asked
                continue
            chosen, kept = learner.choose(decisions, progress)
            asking += time.perf_counter() - asked
            actions[rows] = chosen
            columns = {
                "observation": decisions.observation,
                "action_mask": decisions.action_mask,
                "action": chosen,
                **kept,
            }
            if decisions.state is not None:
                columns["state"] = decisions.state
            self.stores[player].add(rows, decisions.seat, columns)
        self._decided[self._all, batch.player] += 1
        batch.step(actions if self._view is None else self._view.own_actions(actions))
        ended = batch.terminated | batch.truncated
        for number, store in enumerate(self.stores):
            mine = self.seating == number
            store.earn(mine, batch.reward, batch.terminated, batch.truncated)
        over = np.flatnonzero(ended)
        if len(over):
            self._note(over)
            self._draw(over)
        self.seconds["inference"] += asking
        self.seconds["environment"] += time.perf_counter() - start - asking

    def _note(self, over: npt.NDArray[np.int64]) -> None:
        """Books the matches that have just ended."""
        points = self.batch.points[over]
        margins = points - points.mean(axis=1, keepdims=True)
        seating, lead, opponent = self.seating[over], self._lead[over], self._opponent[over]
        for number, noted in enumerate(self._margins):
            mine = seating == number
            noted += margins[mine].tolist()
            self.finished[number] += int(self._decided[over][mine].sum())
        self._decided[over] = 0
        leads = seating == lead[:, None]
        of_leader = (margins * leads).sum(axis=1) / leads.sum(axis=1)
        for pair in np.unique(np.stack([lead, opponent], axis=1), axis=0):
            which = of_leader[(lead == pair[0]) & (opponent == pair[1])]
            own, other = (int(x) for x in pair)
            lost = float((which < 0).sum() + 0.5 * (which == 0).sum())
            self.matchmaker.note_result(own, other, len(which), lost)
            entry = self._results.setdefault((own, other), [0, 0.0, 0.0])
            entry[0] += len(which)
            entry[1] += float(which.sum())
            entry[2] += lost

    def take(self, number: int) -> Trajectories:
        """The trajectories of a learner, see `SeatStore.take`."""
        whole = self.learners[number].whole_matches
        self.finished[number] = 0
        return self.stores[number].take(whole)

    def num_ready(self, number: int) -> int:
        """How many decisions a learner could learn from now, but for truncated matches."""
        if self.learners[number].whole_matches:
            return self.finished[number]
        return self.stores[number].num_known

    def take_margins(self) -> list[list[float]]:
        """Final margins of each learner's seats in the matches that ended since the last call."""
        taken, self._margins = self._margins, [[] for _ in self.learners]
        return taken

    def take_results(self) -> list[dict[str, Any]]:
        """Who met whom in the matches that ended since the last call, and how it went.

        Returns:
            learner, opponent, matches, margin (mean over the learner's seats and the matches),
            lost (share of the matches, ties half).
        """
        taken, self._results = self._results, {}
        return [
            {"learner": self.learners[own].name, "opponent": self.matchmaker.label(other),
             "matches": int(matches), "margin": margin / matches, "lost": lost / matches}
            for (own, other), (matches, margin, lost) in sorted(taken.items())
        ]  # fmt: skip

    def get_state(self) -> dict[str, Any]:
        """Matches, seats, pending decisions and opponents."""
        states = self.batch.get_states().view(np.ndarray)
        return {
            "matches": states.view(np.uint8).reshape(len(states), -1),
            "seating": self.seating.copy(),
            "lead": self._lead.copy(),
            "opponent": self._opponent.copy(),
            "decided": self._decided.copy(),
            "finished": np.array(self.finished),
            "stores": [store.get_state() for store in self.stores],
            "matchmaker": self.matchmaker.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        states = self.batch.get_states()
        states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)[:] = state["matches"]
        self.batch.set_states(states)
        self.seating[:], self._decided[:] = state["seating"], state["decided"]
        self._lead[:], self._opponent[:] = state["lead"], state["opponent"]
        self.finished = state["finished"].tolist()
        for store, kept in zip(self.stores, state["stores"], strict=True):
            store.set_state(kept)
        self.matchmaker.set_state(state["matchmaker"])
