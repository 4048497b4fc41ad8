"""Trajectories by seat: every decision meets the rewards that its own player earned after it.

A stream is one seat of one match. Decisions of all streams of a learner lie in one store in the
order in which they were made; links lead from each decision to the next of its stream. So every
seat can learn, a reward reaches the player who earned it whoever was to move, and a trajectory
ends with its own player's last reward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.jit import compiled

PENDING, ENDED, CUT = -1, -2, -3
"""Links of a decision whose successor is not known yet, of the last one of a match, and of the last
one of a match that was truncated: what would have come is not known and never will be."""

Columns = dict[str, npt.NDArray[Any]]


@compiled
def _advantages(rewards: Any, values: Any, links: Any, gamma: Any, lam: Any, out: Any) -> None:
    for i in range(len(rewards) - 1, -1, -1):
        following = links[i]
        if following == ENDED:
            out[i] = rewards[i] - values[i]
        elif following < 0:
            out[i] = 0.0
        else:
            delta = rewards[i] + gamma * values[following] - values[i]
            out[i] = delta + gamma * lam * out[following]


@compiled
def _returns(rewards: Any, links: Any, gamma: Any, out: Any) -> None:
    for i in range(len(rewards) - 1, -1, -1):
        following = links[i]
        out[i] = rewards[i] + (gamma * out[following] if following >= 0 else 0.0)


@compiled
def _lead_to(links: Any, end: Any, out: Any) -> None:
    for i in range(len(links) - 1, -1, -1):
        following = links[i]
        out[i] = following == end or (following >= 0 and out[following])


def _leading_to(links: npt.NDArray[np.int64], end: int) -> npt.NDArray[np.bool_]:
    """Which decisions have a link of this kind behind them, bool [N]."""
    out = np.zeros(len(links), np.bool_)
    _lead_to(links, end, out)
    return out


@dataclass
class Trajectories:
    """Decisions and what came of them; all arrays have length N.

    Attributes:
        columns: What was kept of every decision: `observation` int8 [N, D], `action_mask` int8
            [N, A], `action` int64 [N], and what the learner's `choose` added.
        rewards: float32 [N], earned until the seat's next decision or the end.
        links: int64 [N]: the seat's next decision, PENDING, ENDED or CUT.
        ready: bool [N], the decisions to learn from. The others are there because ready ones
            link to them; they come again with the next lot, but for those that are CUT.
    """

    columns: Columns
    rewards: npt.NDArray[np.float32]
    links: npt.NDArray[np.int64]
    ready: npt.NDArray[np.bool_]

    @classmethod
    def joined(cls, lots: Sequence[Trajectories]) -> Trajectories:
        """Several lots as one."""
        lots = [lot for lot in lots if len(lot.links)] or lots[:1]
        starts = np.cumsum([0, *(len(lot.links) for lot in lots)])
        links = [
            np.where(lot.links >= 0, lot.links + start, lot.links)
            for lot, start in zip(lots, starts, strict=False)
        ]
        return cls(
            {name: np.concatenate([lot.columns[name] for lot in lots]) for name in lots[0].columns},
            np.concatenate([lot.rewards for lot in lots]),
            np.concatenate(links),
            np.concatenate([lot.ready for lot in lots]),
        )

    @property
    def num_ready(self) -> int:
        """Number of decisions to learn from."""
        return int(self.ready.sum())

    def learnable(self) -> Columns:
        """The columns of the decisions to learn from."""
        return {name: values[self.ready] for name, values in self.columns.items()}

    def advantages(self, gamma: float, lam: float) -> npt.NDArray[np.float32]:
        """Generalised advantage estimates (Schulman et al., 2016, eq. 16), float32 [N].

        Needs a column `value`. A decision without a known successor has no estimate (0); it
        closes the sum of the one before it with its value. So a value stands for what a truncated
        match would have brought, and nothing does for what comes after an end.
        """
        out = np.zeros(len(self.links), np.float32)
        g, la = np.float32(gamma), np.float32(lam)
        _advantages(self.rewards, self.columns["value"], self.links, g, la, out)
        return out

    def complete(self) -> npt.NDArray[np.bool_]:
        """The decisions whose match has come to its end, bool [N]."""
        return _leading_to(self.links, ENDED)

    def returns(self, gamma: float) -> npt.NDArray[np.float32]:
        """Discounted sums of the rewards along the links, as far as they are known, float32 [N]."""
        out = np.zeros(len(self.links), np.float32)
        _returns(self.rewards, self.links, np.float32(gamma), out)
        return out


@dataclass
class SeatStore:
    """Decisions of one learner over the seats of a batch of matches.

    Args:
        num_matches: B.
        num_players: n.
    """

    num_matches: int
    num_players: int
    _parts: list[Columns] = field(default_factory=list)
    _size: int = 0

    def __post_init__(self) -> None:
        shape = (self.num_matches, self.num_players)
        # The latest decision of every stream, or -1, and what was earned before the first one.
        self.latest = np.full(shape, -1, np.int64)
        self.early = np.zeros(shape, np.float32)
        self.links = np.zeros(0, np.int64)
        self.rewards = np.zeros(0, np.float32)

    def __len__(self) -> int:
        return self._size

    @property
    def num_known(self) -> int:
        """Number of decisions whose successor or end is known."""
        return self._size - int((self.latest >= 0).sum())

    def add(
        self, rows: npt.NDArray[np.int64], seats: npt.NDArray[np.int8], columns: Columns
    ) -> None:
        """Adds one decision for each of k matches.

        Args:
            rows: Matches, int64 [k], without repetition.
            seats: Who decides in each, int8 [k].
            columns: What is kept, arrays of length k, the same names every time.
        """
        k = len(rows)
        self._reserve(self._size + k)
        numbers = np.arange(self._size, self._size + k)
        before = self.latest[rows, seats]
        self.links[before[before >= 0]] = numbers[before >= 0]
        self.links[numbers] = PENDING
        self.rewards[numbers] = self.early[rows, seats]
        self.early[rows, seats] = 0
        self.latest[rows, seats] = numbers
        self._parts.append(columns)
        self._size += k

    def _reserve(self, size: int) -> None:
        if size > len(self.links):
            more = max(size, 2 * len(self.links)) - len(self.links)
            self.links = np.concatenate([self.links, np.zeros(more, np.int64)])
            self.rewards = np.concatenate([self.rewards, np.zeros(more, np.float32)])

    def earn(
        self,
        mine: npt.NDArray[np.bool_],
        reward: npt.NDArray[np.float32],
        terminated: npt.NDArray[np.bool_],
        truncated: npt.NDArray[np.bool_],
    ) -> None:
        """Books the rewards of one step of all matches.

        Args:
            mine: bool [B, n], the seats that this learner plays.
            reward: float32 [B, n].
            terminated: bool [B], the matches that ended in this step.
            truncated: bool [B], the matches that were cut off in this step.
        """
        known = mine & (self.latest >= 0)
        self.rewards[self.latest[known]] += reward[known]
        unknown = mine & ~known
        self.early[unknown] += reward[unknown]
        self.links[self.latest[known & terminated[:, None]]] = ENDED
        self.links[self.latest[known & truncated[:, None]]] = CUT
        ended = terminated | truncated
        self.latest[ended] = -1
        self.early[ended] = 0

    def take(self, whole_matches: bool = False) -> Trajectories:
        """Removes and returns the decisions whose successor or end is known.

        The others stay, as the first of what comes next, so that each is learned from once; those
        of which nothing more can be known, because the match was truncated, go.

        Args:
            whole_matches: Take those only whose match is over.
        """
        links = self.links[: self._size].copy()
        rewards = self.rewards[: self._size].copy()
        columns = self._columns()
        ready, lost = (links != PENDING) & (links != CUT), links == CUT
        if whole_matches:
            ready, lost = _leading_to(links, ENDED), _leading_to(links, CUT)
        stay = np.flatnonzero(~ready & ~lost)
        # More entries, so that PENDING and the others, counted from the end, keep their meaning.
        renumbered = np.full(self._size + 3, -1, np.int64)
        renumbered[stay] = np.arange(len(stay))
        renumbered[[PENDING, ENDED, CUT]] = PENDING, ENDED, CUT
        self.latest = renumbered[self.latest]
        self.links = renumbered[links[stay]]
        self.rewards = rewards[stay]
        self._parts = [{name: values[stay] for name, values in columns.items()}] if columns else []
        self._size = len(stay)
        return Trajectories(columns, rewards, links, ready)

    def _columns(self) -> Columns:
        names = self._parts[0] if self._parts else {}
        return {name: np.concatenate([part[name] for part in self._parts]) for name in names}

    def get_state(self) -> dict[str, Any]:
        """Everything, as arrays."""
        return {
            "columns": self._columns(),
            "links": self.links[: self._size].copy(),
            "rewards": self.rewards[: self._size].copy(),
            "latest": self.latest.copy(),
            "early": self.early.copy(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continues from `get_state`."""
        self.links, self.rewards = state["links"].copy(), state["rewards"].copy()
        self.latest, self.early = state["latest"].copy(), state["early"].copy()
        self._size = len(self.links)
        self._parts = [dict(state["columns"])] if self._size else []
