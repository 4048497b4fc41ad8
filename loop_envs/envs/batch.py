"""Many matches at once, in preallocated arrays: what trainers and tournaments run on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.deals import check_boards, check_seed, fresh_seed
from loop_envs.envs.arguments import check_positive, reward_mode
from loop_envs.envs.matches import check_seating
from loop_envs.errors import IllegalActionError, ResetNeededError, SeedError
from loop_envs.game import Game, State
from loop_envs.policies import RANDOM, Policy, policy_arguments, sample_range
from loop_envs.registry import load_game


def _view(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


class Batch:
    """`num_matches` matches of one game, stepped together.

    All arrays below are overwritten in place by every step; copy what must stay. A match that
    ends shows its flags, its last rewards and its `points` in the step that ended it, and its
    `player`, `observation`, `action_mask` and `board` are already those of the slot's next match
    (same-step autoreset). A slot that plays board b goes on to board b + 2^32, so what is played
    depends neither on the number of matches nor on the number of threads.

    Attributes:
        game: The rules.
        player: int8 [B], the player to move.
        observation: int8 [B, D], what that player sees.
        action_mask: int8 [B, A], what that player may do.
        reward: float32 [B, n], every player's reward of the last step.
        terminated: bool [B], the match ended in the last step.
        truncated: bool [B], the match was cut off in the last step.
        board: int64 [B], the board now played.
        points: int32 [B, n], the score after the last step (final where a match ended).

    Args:
        game: The rules.
        num_matches: B, at least 1.
        reward: "margin", "points", "win" or "place", see `loop_envs.envs.arguments`.
        num_threads: Threads that share each step; results do not depend on it.
    """

    def __init__(
        self, game: Game, num_matches: int, reward: str = "margin", num_threads: int = 1
    ) -> None:
        for name, value in (("num_matches", num_matches), ("num_threads", num_threads)):
            check_positive(name, value)
        self.game = game
        self.num_matches = int(num_matches)
        self.num_threads = int(num_threads)
        self.reward_name = reward
        self._mode = reward_mode(reward)
        b, n = self.num_matches, game.num_players
        self._states = game.empty_states(b)
        self._states["variant"] = game.variant
        self._player = np.full(b, -1, np.int8)
        self._observation = np.zeros((b, game.layout.size), np.int8)
        self._mask = np.zeros((b, game.num_actions), np.int8)
        self._reward = np.zeros((b, n), np.float32)
        self._terminated = np.zeros(b, np.bool_)
        self._truncated = np.zeros(b, np.bool_)
        self._board = np.zeros(b, np.int64)
        self._points = np.zeros((b, n), np.int32)
        self._ready = False
        self._make_views()

    def _make_views(self) -> None:
        # Read-only for users: the masks are what illegal actions are recognised by.
        self.player = _view(self._player)
        self.observation = _view(self._observation)
        self.action_mask = _view(self._mask)
        self.reward = _view(self._reward)
        self.terminated = _view(self._terminated)
        self.truncated = _view(self._truncated)
        self.board = _view(self._board)
        self.points = _view(self._points)
        self._raw = self._states.view(np.ndarray).view(np.uint8).reshape(self.num_matches, -1)
        size = -(-self.num_matches // self.num_threads)
        self._ranges = [
            (lo, min(lo + size, self.num_matches)) for lo in range(0, self.num_matches, size)
        ]
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = os.getpid()

    def _shared(self, work: Callable[[int, int], Any]) -> None:
        """Runs work(lo, hi) over all matches. Compiled loops hold no lock, so plain threads that
        sleep between steps do; OpenMP's would spin and take a busy neighbour's core."""
        if len(self._ranges) == 1:
            work(*self._ranges[0])
            return
        if self._pool is None or self._pool_process != os.getpid():  # a fork has no threads
            self._pool = ThreadPoolExecutor(len(self._ranges) - 1, "loop_envs")
            self._pool_process = os.getpid()
        rest = [self._pool.submit(work, lo, hi) for lo, hi in self._ranges[1:]]
        work(*self._ranges[0])
        for future in rest:
            future.result()

    def reset(self, seed: int | None = None, boards: npt.ArrayLike | None = None) -> None:
        """Starts every match.

        Args:
            seed: 0 to 2^63-1; None asks the operating system for one.
            boards: First board of every slot, integers [B] from 0 to 2^63-1; None is 0 … B-1.

        Raises:
            SeedError: If a number is out of range or the shape is wrong; nothing has changed.
        """
        seed = fresh_seed() if seed is None else check_seed(seed)
        first = self._check_boards(boards)
        self._board[:] = first
        self._reward[:] = 0
        self._points[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False
        self._step(np.full(self.num_matches, -1), seed)
        self._ready = True

    def _step(self, actions: npt.NDArray[np.int64], seed: int = 0) -> None:
        game = self.game
        kernel, scratch = game.kernels.batch_step, game.kernels.new_scratch
        self._shared(
            lambda lo, hi: kernel(
                game.record, game.tables, self._states, self._raw, lo, hi, actions,
                np.uint64(seed), self._mode, self._player, self._observation, self._mask,
                self._reward, self._terminated, self._truncated, self._board, self._points,
                scratch(),
            )
        )  # fmt: skip

    def _check_boards(self, boards: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        if boards is None:
            return np.arange(self.num_matches, dtype=np.int64)
        first = check_boards(boards)
        if len(first) != self.num_matches:
            raise SeedError(f"boards must be {self.num_matches} numbers, got {len(first)}")
        return first

    def _check_ready(self) -> None:
        if not self._ready:
            raise ResetNeededError("call reset() before stepping")

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays one action in every match.

        Args:
            actions: Integers [B].

        Raises:
            IllegalActionError: If one is illegal; no match has changed.
            ResetNeededError: Before the first `reset`.
        """
        self._check_ready()
        given = np.asarray(actions)
        if given.shape != (self.num_matches,) or given.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be integers of shape ({self.num_matches},), got {given.dtype} of "
                f"shape {given.shape}"
            )
        chosen = np.ascontiguousarray(given, np.int64)
        game = self.game
        wrong = game.kernels.first_illegal(self._mask, chosen)
        if wrong >= 0:
            state = self._states[wrong : wrong + 1]
            error = game.illegal(state, given[wrong], self._mask[wrong])
            raise IllegalActionError(f"match {wrong} of the batch: {error}")
        self._step(chosen)

    def sample_actions(self, key: int) -> npt.NDArray[np.int64]:
        """A uniformly random legal action for every match, int64 [B].

        Args:
            key: Any integer ≥ 0; the same key and masks give the same actions.
        """
        self._check_ready()
        actions = np.empty(self.num_matches, np.int64)
        self._shared(lambda lo, hi: sample_range(self._mask, check_seed(key), lo, hi, actions))
        return actions

    def run(
        self,
        decisions: int,
        policies: Sequence[Policy] = (RANDOM,),
        seating: npt.ArrayLike | None = None,
    ) -> None:
        """Plays `decisions` decisions in every match without returning to Python.

        Rewards and flags add up over the call; the other arrays are those after the last step.

        Args:
            decisions: Number of decisions of each match, at least 1.
            policies: 1 to 8 compiled policies.
            seating: Index of each player's policy, integers [B, n]; None is policy 0 everywhere.
        """
        self._check_ready()
        check_positive("decisions", decisions)
        seats = check_seating(self.game, policies, seating, self.num_matches)
        arguments = policy_arguments(self.game, policies)
        game, call = self.game, self.game.kernels.with_policies
        scratch = game.kernels.new_scratch
        self._shared(
            lambda lo, hi: call(
                "batch_run", *arguments, seats, game.record, game.tables, self._states, self._raw,
                lo, hi, decisions, self._mode, self._player, self._observation, self._mask,
                self._reward, self._terminated, self._truncated, self._board, self._points,
                scratch(),
            )
        )  # fmt: skip

    def observe_all(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """What all players of some matches see, for critics that may know more than a player.

        Args:
            rows: Matches, int64 [k].

        Returns:
            int8 [k, n, D]: the observations of the player to move and of the others, clockwise.
        """
        self._check_ready()
        game = self.game
        n, size = game.num_players, game.layout.size
        out = np.zeros((len(rows) * n, size), np.int8)
        if len(rows):
            game.kernels.observe_all(game.record, game.tables, self._states, rows, out)
        return out.reshape(len(rows), n, size)

    def get_states(self) -> State:
        """A copy of all states, a structured array of shape (B,)."""
        return self._states.copy()

    def set_states(self, states: State) -> None:
        """Continues from other states, for example those of `get_states`.

        Raises:
            ValueError: If shape or dtype differ; nothing has changed.
        """
        if states.shape != self._states.shape or states.dtype != self._states.dtype:
            raise ValueError(
                f"states must have shape {self._states.shape} and this game's dtype, got "
                f"{states.shape}"
            )
        if (states["variant"] != self.game.variant).any():
            raise ValueError(
                f"states must be of {self.game!r}, got some of another game or variant"
            )
        if (states["player"] < 0).any():
            raise ValueError("states of matches that are over cannot be continued")
        self._states[:] = states
        game = self.game
        self.game.kernels.batch_see(
            game.record, game.tables, self._states, 0, self.num_matches,
            self._player, self._observation, self._mask, self._board,
        )  # fmt: skip
        self._reward[:] = 0
        self._points[:] = states["points"][:, : game.num_players]
        self._terminated[:] = False
        self._truncated[:] = False
        self._ready = True

    @property
    def ply(self) -> npt.NDArray[np.int32]:
        """Number of decisions made in every running match, int32 [B]."""
        return np.asarray(self._states["ply"])

    @property
    def seed(self) -> npt.NDArray[np.uint64]:
        """Seed of every running match, uint64 [B]."""
        return np.asarray(self._states["seed"])

    @property
    def nbytes(self) -> int:
        """Bytes of states, masks and observations."""
        return int(self._states.nbytes + self._mask.nbytes + self._observation.nbytes)

    def __getstate__(self) -> dict[str, Any]:
        views = (
            "player", "observation", "action_mask", "reward", "terminated", "truncated", "board",
            "points", "_raw", "_pool", "_ranges",
        )  # fmt: skip
        return {key: value for key, value in self.__dict__.items() if key not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_views()


def make_batch(
    env_id: str, num_matches: int, reward: str = "margin", num_threads: int = 1, **options: Any
) -> Batch:
    """Makes a batch of matches.

    Args:
        env_id: Such as "loop_boards-v0".
        num_matches: Number of matches, at least 1.
        reward: "margin", "points", "win" or "place".
        num_threads: Threads that share each step.
        **options: The game's options.
    """
    return Batch(load_game(env_id, **options), num_matches, reward, num_threads)
