"""Matches of several sizes side by side, in which the same learners play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.learners.base import Learner
from agents.learners.opponents import Matchmaker
from agents.learners.self_play import SelfPlay
from agents.learners.sizes import Sizes
from agents.learners.trajectories import Trajectories
from loop_envs.envs.batch import Batch


class SizesPlay:
    """To be used like `SelfPlay`; who plays whom is drawn from one pool of snapshots.

    Args:
        batches: The matches of each size, reset.
        learners: Who learns.
        matchmaker: Who plays whom, in the common spaces.
        sizes: The common spaces.
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        learners: Sequence[Learner],
        matchmaker: Matchmaker,
        sizes: Sizes,
    ) -> None:
        self.matchmaker = matchmaker
        self.plays = [
            SelfPlay(batch, learners, matchmaker, sizes.view(batch.game)) for batch in batches
        ]
        self.seconds: dict[str, float] = defaultdict(float)
        for play in self.plays:
            play.seconds = self.seconds

    @property
    def seating(self) -> npt.NDArray[np.int32]:
        """Numbers of the players in all running matches, int32 [seats of all matches]."""
        return np.concatenate([play.seating.reshape(-1) for play in self.plays])

    def play_ply(self, progress: float = 0.0) -> None:
        """Plays one decision in every match, see `SelfPlay.play_ply`."""
        for play in self.plays:
            play.play_ply(progress)

    def num_ready(self, number: int) -> int:
        """About how many decisions a learner could learn from now."""
        return sum(play.num_ready(number) for play in self.plays)

    def take(self, number: int) -> Trajectories:
        """The trajectories of a learner in matches of all sizes, see `SeatStore.take`."""
        return Trajectories.joined([play.take(number) for play in self.plays])

    def take_margins(self) -> list[list[float]]:
        """Final margins of each learner's seats in the matches that ended since the last call."""
        taken = [play.take_margins() for play in self.plays]
        return [list(chain.from_iterable(parts)) for parts in zip(*taken, strict=True)]

    def take_results(self) -> list[dict[str, Any]]:
        """Like `SelfPlay.take_results`, for every size on its own: `num_players`."""
        return [
            {"num_players": play.batch.game.num_players} | row
            for play in self.plays
            for row in play.take_results()
        ]

    def get_state(self) -> dict[str, Any]:
        """The states of all; they share the matchmaker's, which is kept once."""
        states = [play.get_state() for play in self.plays]
        shared = [state.pop("matchmaker") for state in states]
        return {"plays": states, "matchmaker": shared[0]}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        for play, kept in zip(self.plays, state["plays"], strict=True):
            play.set_state(kept | {"matchmaker": state["matchmaker"]})
