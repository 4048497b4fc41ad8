"""Plays given matches between given agents, as fast as the agents allow.

Matches between compiled agents never return to Python. All others share a batch: at every ply
each agent is asked once for all its decisions. Both ways give the same results, whatever else is
played beside a match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.base import Agent, Decisions
from loop_envs.deals import check_board
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.errors import IllegalActionError
from loop_envs.game import Game
from loop_envs.kernels import MAX_POLICIES

Ints = npt.NDArray[np.int64]
Results = tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int32]]
"""points int32 [M, n]; places int8 [M, n], 0 best, ties shared; decisions int32 [M]."""

SLICE = 1024
"""Matches between compiled agents that are played without a pause."""


def no_tick(matches: int, decisions: int) -> None:
    """Takes notice of nothing."""


def play_lineups(
    game: Game,
    agents: Mapping[str, Agent],
    seats: Sequence[Sequence[str]] | npt.NDArray[np.str_],
    seed: int,
    boards: npt.ArrayLike,
    num_matches: int = 1024,
    num_threads: int = 1,
    tick: Callable[[int, int], None] = no_tick,
) -> Results:
    """Plays M matches, each on a board of its own or one that others play too.

    Args:
        game: The rules.
        agents: Agents by name.
        seats: Name of the agent in every seat, [M, n].
        seed: Seed of all matches.
        boards: Board of each match, integers [M].
        num_matches: Matches that are played at once where an agent is not compiled; the results
            do not depend on it.
        num_threads: Threads of the environments; the results do not depend on it.
        tick: Called with the numbers of matches and decisions finished since the last call.

    Returns:
        points int32 [M, n]; places int8 [M, n], 0 best, ties shared; number of decisions of each
        match, int32 [M].

    Raises:
        ValueError: If shapes do not fit or a name is unknown.
        IllegalActionError: If an agent makes a move that the rules do not allow.
    """
    numbers = np.array([check_board(board) for board in np.asarray(boards).tolist()], np.int64)
    who = _indices(list(agents), seats, (len(numbers), game.num_players))
    players = list(agents.values())
    work = _Work(game, players, who, seed, numbers, tick, num_threads)
    is_compiled = np.array([p.policy is not None for p in players], np.bool_)[who].all(axis=1)
    for rows in _packs(who, np.flatnonzero(is_compiled)):
        work.compiled(rows)
    work.batched(np.flatnonzero(~is_compiled), num_matches)
    return work.points, work.places, work.plies


def _indices(names: list[str], seats: object, shape: tuple[int, int]) -> Ints:
    given = np.asarray(seats, object)
    if given.size == 0:
        given = given.reshape(0, shape[1])
    if given.shape != shape:
        raise ValueError(f"seats must be names of shape {shape}, got shape {given.shape}")
    unknown = sorted({str(name) for name in given.flat} - set(names))
    if unknown:
        raise ValueError(f"seats name {unknown[0]!r}, allowed: {', '.join(names)}")
    index = {name: i for i, name in enumerate(names)}
    flat = np.fromiter((index[str(name)] for name in given.flat), np.int64, given.size)
    return flat.reshape(shape)


def _packs(who: Ints, rows: Ints) -> Iterator[Ints]:
    """Splits matches so that no part has more agents than a compiled loop takes."""
    sets, part = np.unique(np.sort(who[rows], axis=1), axis=0, return_inverse=True)
    pack: set[int] = set()
    first = 0
    for i, members in enumerate(sets.tolist()):
        if len(pack.union(members)) > MAX_POLICIES:
            yield rows[(first <= part) & (part < i)]
            pack, first = set(), i
        pack.update(members)
    if len(sets):
        yield rows[first <= part]


@dataclass
class _Work:
    """Matches to play and what came out; `who` holds an index into `players` for every seat."""

    game: Game
    players: list[Agent]
    who: Ints
    seed: int
    boards: Ints
    tick: Callable[[int, int], None]
    num_threads: int

    def __post_init__(self) -> None:
        self.points = np.zeros(self.who.shape, np.int32)
        self.places = np.zeros(self.who.shape, np.int8)
        self.plies = np.zeros(len(self.who), np.int32)

    def compiled(self, rows: Ints) -> None:
        """Plays matches whose agents, at most `MAX_POLICIES` in all, have compiled policies."""
        present, seating = np.unique(self.who[rows], return_inverse=True)
        seating = seating.reshape(len(rows), -1)
        policies = [p for k in present if (p := self.players[k].policy) is not None]

        def play(lo: int) -> Results:
            part = slice(lo, lo + SLICE)
            return play_matches(
                self.game, policies, seating[part], self.seed, self.boards[rows[part]]
            )

        def keep(lo: int, results: Results) -> None:
            part = rows[lo : lo + SLICE]
            self.points[part], self.places[part], self.plies[part] = results
            self.tick(len(part), int(results[2].sum()))

        starts = range(0, len(rows), SLICE)
        alone = 1 if self.num_threads > 1 else len(starts)  # the first call may compile
        for lo in starts[:alone]:
            keep(lo, play(lo))
        with ThreadPoolExecutor(self.num_threads) as pool:
            futures = [(lo, pool.submit(play, lo)) for lo in starts[alone:]]
            try:
                for lo, future in futures:
                    keep(lo, future.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def batched(self, rows: Ints, num_matches: int) -> None:
        """Plays matches at least one of whose agents has to be asked."""
        if not len(rows):
            return
        game = self.game
        batch = Batch(game, min(num_matches, len(rows)), num_threads=self.num_threads)
        match = rows[: batch.num_matches].copy()  # of every slot; -1 where none is left
        waiting = rows[batch.num_matches :].tolist()[::-1]
        batch.reset(self.seed, self.boards[match])
        while (match >= 0).any():
            actions = self._ask(batch, match)
            before = batch.get_states()
            batch.step(actions)
            ended = np.flatnonzero((batch.terminated | batch.truncated) & (match >= 0))
            if not len(ended):
                continue
            # A slot has gone on to a board of its own by now: the last move is played again to
            # see the match's end, and the slot gets the next match that waits.
            after = batch.get_states()
            decisions = 0
            for slot in ended:
                final = before[slot : slot + 1]
                game.step(final, int(actions[slot]))
                m = match[slot]
                self.points[m] = game.points(final)
                self.places[m] = game.places(final)
                self.plies[m] = final["ply"][0]
                decisions += int(self.plies[m])
                match[slot] = waiting.pop() if waiting else -1
                if match[slot] >= 0:
                    after[slot] = game.new_state(self.seed, int(self.boards[match[slot]]))[0]
            batch.set_states(after)
            self.tick(len(ended), decisions)

    def _ask(self, batch: Batch, match: Ints) -> Ints:
        """An action for every slot, from the agents where a match is played there."""
        mover = np.where(match >= 0, self.who[match, batch.player], -1)
        actions = np.zeros(batch.num_matches, np.int64)
        idle = np.flatnonzero(mover < 0)
        if len(idle):  # the batch steps all slots
            actions[idle] = batch.action_mask[idle].argmax(axis=1)
        for k in np.unique(mover[mover >= 0]):
            slots = np.flatnonzero(mover == k)
            decisions = Decisions.of(batch, slots)
            chosen = np.asarray(self.players[k].act(decisions))
            _check(self.game, self.players[k], decisions, chosen, batch, slots)
            actions[slots] = chosen
        return actions


def _check(
    game: Game, agent: Agent, decisions: Decisions, chosen: Ints, batch: Batch, slots: Ints
) -> None:
    """Names the agent that breaks its contract or the rules."""
    if chosen.shape != (len(decisions),) or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent.name!r} must return integers of shape ({len(decisions)},), got "
            f"{chosen.dtype} of shape {chosen.shape}"
        )
    inside = (chosen >= 0) & (chosen < game.num_actions)
    fine = inside & (decisions.action_mask[np.arange(len(chosen)), np.where(inside, chosen, 0)] > 0)
    if not fine.all():
        row = int(np.flatnonzero(~fine)[0])
        state = batch.get_states()[slots[row] : slots[row] + 1]
        error = game.illegal(state, int(chosen[row]), decisions.action_mask[row])
        raise IllegalActionError(f"agent {agent.name!r}: {error}")
