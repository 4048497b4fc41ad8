"""Who plays whom: every match has a leading learner and one opponent, drawn from its mixture.

The draw is a function of the match's seed and board, the mixture, and the pool of snapshots at
that time; it holds for the match's length. Against `self` the leader has all seats; against
anybody else it has half of them (where their number is odd, the majority goes either way), at
random places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.learners.base import Learner
from agents.learners.kinds import make_frozen
from agents.learners.sizes import Spaces
from agents.learners.snapshots import Pool, Snapshot, weights_hash
from loop_envs.deals import combine, match_key, shuffle
from loop_envs.jit import compiled

SELF, SNAPSHOTS = "self", "snapshots"


@dataclass(frozen=True)
class Opponent:
    """One part of a mixture.

    Attributes:
        play: "self", "snapshots", or the name of a learner or a fixed agent.
        weight: Share of the matches, relative to the others.
        pool: For "snapshots".
    """

    play: str
    weight: float = 1.0
    pool: Pool = field(default_factory=Pool)


@compiled
def _words(seeds: Any, boards: Any, rows: Any, order: Any, places: Any, words: Any) -> None:
    n = places.shape[1]
    for k in range(rows.shape[0]):
        key = combine(match_key(seeds[rows[k]], boards[rows[k]]), 1)
        shuffle(key, order, n)
        for seat in range(n):
            places[k, seat] = order[seat]
        for i in range(words.shape[1]):
            words[k, i] = combine(key, 1000 + i)


def match_words(
    seeds: npt.NDArray[np.uint64],
    boards: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    players: int,
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float64]]:
    """What is random about who plays whom: a function of the match alone.

    Args:
        seeds: uint64 [B].
        boards: int64 [B].
        rows: The matches to draw for, int64 [k].
        players: n.

    Returns:
        A random order of the seats int16 [k, n], and 4 numbers from 0 to 1 float64 [k, 4].
    """
    places = np.zeros((len(rows), players), np.int16)
    words = np.zeros((len(rows), 4), np.uint64)
    _words(seeds, boards, rows, np.zeros(players, np.int16), places, words)
    return places, (words >> np.uint64(11)).astype(np.float64) / 2.0**53


@dataclass
class _Mixture:
    opponents: Sequence[Opponent]
    members: list[Snapshot] = field(default_factory=list)

    def __post_init__(self) -> None:
        weights = np.array([o.weight for o in self.opponents], np.float64)
        self.cumulative = np.cumsum(weights) / weights.sum()
        pools = [o.pool for o in self.opponents if o.play == SNAPSHOTS]
        self.pool = pools[0] if pools else None

    def draw_snapshot(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Numbers of players."""
        assert self.pool is not None
        shares = np.ones(len(self.members))
        if self.pool.sampling == "latest":
            shares[: -self.pool.latest] = 0
        elif self.pool.sampling == "prioritised":
            shares = np.array([m.win_rate**2 for m in self.members])
        picked = np.searchsorted(np.cumsum(shares) / shares.sum(), numbers, side="right")
        players = np.array([m.number for m in self.members], np.int64)
        return players[np.minimum(picked, len(players) - 1)]


class Matchmaker:
    """Seats the players of every match.

    Players have numbers: first the learners, then the fixed agents, then snapshots.

    Args:
        spaces: The game to be played, or several sizes of it; all players take those.
        learners: Who learns.
        mixtures: For each learner its opponents; None: every other learner as often, or itself
            if it is alone.
        fixed: Agents that the mixtures name.
    """

    def __init__(
        self,
        spaces: Spaces,
        learners: Sequence[Learner],
        mixtures: Sequence[Sequence[Opponent] | None] | None = None,
        fixed: Mapping[str, Agent] | None = None,
    ) -> None:
        self._spaces = spaces
        self._learners = learners
        names = [learner.name for learner in learners]
        fixed = fixed or {}
        self._numbers = {name: i for i, name in enumerate([*names, *fixed])}
        self.agents: dict[int, Agent] = {self._numbers[name]: a for name, a in fixed.items()}
        self._next = len(self._numbers)
        self._snapshots: dict[int, Snapshot] = {}
        self._mixtures = []
        for i, name in enumerate(names):
            given = mixtures[i] if mixtures is not None else None
            others = [Opponent(other) for other in names if other != name] or [Opponent(SELF)]
            self._mixtures.append(_Mixture(given or others))
        self._labels = {number: name for name, number in self._numbers.items()}

    def draw(
        self,
        seeds: npt.NDArray[np.uint64],
        boards: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int64],
        seating: npt.NDArray[np.int32],
        lead: npt.NDArray[np.int32],
        opponent: npt.NDArray[np.int32],
    ) -> None:
        """Draws who plays some matches.

        Args:
            seeds: uint64 [B].
            boards: int64 [B].
            rows: The matches to draw for, int64 [k].
            seating: int32 [B, n], rows of it get numbers of players.
            lead: int32 [B], gets the learner that the match is drawn for.
            opponent: int32 [B], gets the number of its opponent.
        """
        n = seating.shape[1]
        places, numbers = match_words(seeds, boards, rows, n)
        lead[rows] = (numbers[:, 0] * len(self._learners)).astype(np.int32)
        for i, mixture in enumerate(self._mixtures):
            mine = np.flatnonzero(lead[rows] == i)
            part = np.searchsorted(mixture.cumulative, numbers[mine, 1], side="right")
            for k, one in enumerate(mixture.opponents):
                which = mine[part == k]
                if one.play == SNAPSHOTS and mixture.members:
                    opponent[rows[which]] = mixture.draw_snapshot(numbers[which, 2])
                else:  # the first snapshot is not taken yet: itself
                    own = one.play in (SELF, SNAPSHOTS)
                    opponent[rows[which]] = i if own else self._numbers[one.play]
        # Half of the seats; where n is odd, the majority goes either way.
        seats = (n + (numbers[:, 3] < 0.5)) // 2
        leads = places < seats[:, None]
        seating[rows] = np.where(leads, lead[rows, None], opponent[rows, None])

    def label(self, number: int) -> str:
        """A player's name."""
        return self._labels[number]

    def note_result(self, lead: int, opponent: int, matches: int, lost: float) -> None:
        """Counts finished matches of a learner; those against a snapshot weigh in the draw."""
        for member in self._mixtures[lead].members:
            if member.number == opponent:
                member.matches += matches
                member.wins += lost

    def take_snapshots(self, in_play: npt.NDArray[np.int32]) -> None:
        """Takes the snapshots that are due; call after every update.

        Args:
            in_play: Numbers of the players that sit in running matches; they stay known.
        """
        for learner, mixture in zip(self._learners, self._mixtures, strict=True):
            pool = mixture.pool
            if pool is None or learner.updates % pool.every:
                continue
            frozen = learner.frozen()
            name = f"{learner.name}@{learner.updates}"
            digest = weights_hash(frozen["weights"])
            self._add(mixture, Snapshot(self._next, name, learner.kind, frozen, digest))
            del mixture.members[: -pool.size]
        self._forget(in_play)

    def _add(self, mixture: _Mixture | None, snapshot: Snapshot) -> None:
        agent = make_frozen(
            snapshot.kind, snapshot.name, self._spaces, snapshot.frozen,
            seed=snapshot.number, sample=True,
        )  # fmt: skip
        self.agents[snapshot.number] = agent
        self._labels[snapshot.number] = snapshot.name
        self._snapshots[snapshot.number] = snapshot
        self._next = max(self._next, snapshot.number + 1)
        if mixture is not None:
            mixture.members.append(snapshot)

    def _forget(self, in_play: npt.NDArray[np.int32]) -> None:
        """Drops snapshots that are in no pool and no match."""
        kept = {m.number for mixture in self._mixtures for m in mixture.members}
        kept |= set(np.unique(in_play).tolist())
        for number in [number for number in self._snapshots if number not in kept]:
            del self._snapshots[number], self.agents[number], self._labels[number]

    def pools(self) -> list[dict[str, Any]]:
        """The snapshots in the pools: learner, snapshot, hash, matches, win_rate."""
        return [
            {"learner": learner.name, "snapshot": m.name, "hash": m.hash, "matches": m.matches,
             "win_rate": m.win_rate}
            for learner, mixture in zip(self._learners, self._mixtures, strict=True)
            for m in mixture.members
        ]  # fmt: skip

    def check(self) -> None:
        """Checks that snapshots still are what they were when they were taken.

        Raises:
            ValueError: If the weights of one have changed.
        """
        for number, snapshot in self._snapshots.items():
            network = self.agents[number].network  # type: ignore[attr-defined]
            for weights in (snapshot.frozen["weights"], network.state_dict()):
                if weights_hash(weights) != snapshot.hash:
                    raise ValueError(f"the weights of snapshot {snapshot.name} have changed")

    def get_state(self) -> dict[str, Any]:
        """Snapshots and results."""
        return {
            "next": self._next,
            "snapshots": [dict(vars(s)) for s in self._snapshots.values()],
            "members": [[m.number for m in mixture.members] for mixture in self._mixtures],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from `get_state`."""
        for values in state["snapshots"]:
            self._add(None, Snapshot(**values))
        for mixture, members in zip(self._mixtures, state["members"], strict=True):
            mixture.members = [self._snapshots[number] for number in members]
        self._next = state["next"]
        self.check()
