"""Gymnasium: one learning seat among opponents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from loop_envs.deals import MAX_BOARD, check_seed
from loop_envs.envs.arguments import board_option, check_choice, reward_mode
from loop_envs.envs.matches import check_seating
from loop_envs.errors import IllegalActionError, OptionError, ResetNeededError
from loop_envs.game import RUNNING, TRUNCATED
from loop_envs.policies import RANDOM, Policy, policy_arguments
from loop_envs.registry import load_game

Observation = npt.NDArray[np.int8]
Opponent = str | Policy | Callable[[Observation, Observation], int]
"""A name ("random"), a compiled policy, or ``choose(observation, action_mask) -> action``."""


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a match; the other seats are played by opponents inside `step`.

    Observations are int8 [D]; `action_masks()` is what sb3-contrib asks for, and the mask is in
    ``info["action_mask"]`` too. The reward of a step is everything the seat earned until its next
    decision.

    Args:
        env_id: Such as "loop_boards-v0".
        seat: The learner's seat, 0 to num_players-1.
        opponents: One opponent for all other seats, or a list of one for each of them, in turn
            order from the learner's left.
        reward: "margin", "points", "win" or "place".
        illegal: "terminate": an illegal action ends the match with reward -1 and
            ``info["illegal"]``, since Gymnasium lets any action of the space be tried. "raise":
            it raises `IllegalActionError` and changes nothing.
        render_mode: "ansi" or None.
        **options: The game's options.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        env_id: str,
        seat: int = 0,
        opponents: Opponent | Sequence[Opponent] = "random",
        reward: str = "margin",
        illegal: str = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = game = load_game(env_id, **options)
        n = game.num_players
        if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < n:
            raise OptionError(f"option 'seat': got {seat!r}, allowed: 0..{n - 1}")
        check_choice("illegal", illegal, ("terminate", "raise"))
        check_choice("render_mode", render_mode, (None, "ansi"))
        self.seat = int(seat)
        self.illegal = illegal
        self.render_mode = render_mode
        self._mode = reward_mode(reward)
        self._set_opponents(opponents)
        d = game.layout.size
        self.observation_space = spaces.Box(game.layout.low, game.layout.high, (d,), np.int8)
        self.action_space = spaces.Discrete(game.num_actions)
        self._match = game.empty_states(1)
        self._seed: int | None = None
        self._next_board = 0
        self._mask = np.zeros(game.num_actions, np.int8)
        self._scratch = game.kernels.new_scratch()
        self._earlier = np.zeros(n, np.float32)

    def _set_opponents(self, opponents: Opponent | Sequence[Opponent]) -> None:
        n = self.game.num_players
        listed: list[Any]
        if isinstance(opponents, str | Policy) or callable(opponents):
            listed = [opponents] * (n - 1)
        else:
            listed = list(opponents) if isinstance(opponents, Sequence) else [opponents]
        if len(listed) != n - 1:
            raise OptionError(f"option 'opponents': got {len(listed)}, allowed: 1 or {n - 1}")
        self._policies: list[Policy] = []
        self._callables: dict[int, Callable[[Observation, Observation], int]] = {}
        self._seating = np.zeros((1, n), np.int8)
        for k, opponent in enumerate(listed, 1):
            player = (self.seat + k) % n
            if opponent == "random":
                opponent = RANDOM
            if isinstance(opponent, Policy):
                if opponent not in self._policies:
                    self._policies.append(opponent)
                self._seating[0, player] = self._policies.index(opponent)
            elif callable(opponent):
                self._callables[player] = opponent
            else:
                raise OptionError(
                    f"option 'opponents': got {opponent!r}, allowed: 'random', a compiled policy, "
                    "or a function of observation and action mask"
                )
        self._policies = self._policies or [RANDOM]
        check_seating(self.game, self._policies, self._seating, 1)
        self._arguments = policy_arguments(self.game, self._policies)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a match and plays on to the seat's first decision.

        Args:
            seed: 0 to 2^63-1. None plays the next board under the same seed.
            options: ``{"board": b}`` plays board b.

        Returns:
            The observation, int8 [D], and the info with ``action_mask`` and ``board``.
        """
        board = board_option(options)
        if seed is not None:
            check_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._next_board = int(seed), 0
        elif self._seed is None:
            self._seed = int(self.np_random.integers(0, 2**63 - 1, endpoint=True))
        asked = board is not None
        while True:
            if board is None:
                board = self._next_board
            self._next_board = (board + 1) % (MAX_BOARD + 1)
            self._match = self.game.new_state(self._seed, board)
            # Rewards before the seat's first decision are paid with it.
            self._earlier = np.zeros(self.game.num_players, np.float32)
            observation = self._play_on(self._earlier)
            if self._match["status"][0] == RUNNING:
                return observation, self._info()
            # Tiny variants can be over before the seat's first turn: there is nothing to learn.
            if asked:
                raise OptionError(f"board {board} is over before seat {self.seat} has a decision")
            board = None

    def _play_on(self, total: npt.NDArray[np.float32]) -> Observation:
        """Lets the opponents play until the seat is to move or the match is over."""
        game = self.game
        observation = np.zeros(game.layout.size, np.int8)
        mask = np.zeros(game.num_actions, np.int8)
        reward = np.zeros(game.num_players, np.float32)
        # Opponents that are Python functions stop the compiled loop; others are played in it.
        stops = {self.seat} | set(self._callables)
        stop_mask = sum(1 << player for player in stops)
        while True:
            game.kernels.with_policies(
                "play_until", *self._arguments, self._seating[0], game.record, game.tables,
                self._match, stop_mask, self.seat, self._mode, observation, mask, reward, total,
                self._scratch,
            )  # fmt: skip
            player = game.current_player(self._match)
            if player < 0 or player == self.seat:
                break
            seen = game.observe(self._match, player)
            action = self._callables[player](seen, mask.copy())
            if not game.is_action(action) or not mask[int(action)]:
                raise game.illegal(self._match, action, mask)
            game.kernels.act(
                game.record, game.tables, self._match, int(action), self._mode, observation, mask,
                reward, self._scratch,
            )  # fmt: skip
            total += reward
        self._mask = mask
        return observation

    def _info(self, **more: Any) -> dict[str, Any]:
        return {"action_mask": self._mask.copy(), "board": int(self._match["board"][0]), **more}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The mask of the seat's decision, bool [A], under the name that sb3-contrib looks for."""
        return self._mask.astype(np.bool_)

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays the seat's action and lets the opponents play on.

        Returns:
            Observation int8 [D], reward, terminated, truncated, info; at the end the info has
            the final ``points``.

        Raises:
            ResetNeededError: Before `reset` or after the end.
            IllegalActionError: With ``illegal="raise"``, or if it is no integer at all.
        """
        game = self.game
        if self._seed is None or not self._mask.any():
            raise ResetNeededError("call reset() before step(): no match is running")
        number = action.item() if isinstance(action, np.ndarray) and action.ndim == 0 else action
        if not game.is_action(number) or not self._mask[int(number)]:
            error = game.illegal(self._match, number, self._mask)
            if self.illegal == "raise" or not isinstance(number, int | np.integer):
                raise IllegalActionError(str(error))
            self._mask = np.zeros(game.num_actions, np.int8)
            observation = game.observe(self._match, self.seat)
            return observation, -1.0, True, False, self._info(illegal=str(error))
        total, self._earlier = self._earlier, np.zeros(game.num_players, np.float32)
        reward = np.zeros(game.num_players, np.float32)
        game.kernels.act(
            game.record, game.tables, self._match, int(number), self._mode,
            np.zeros(game.layout.size, np.int8), self._mask, reward, self._scratch,
        )  # fmt: skip
        total += reward
        observation = self._play_on(total)
        status = int(self._match["status"][0])
        info = self._info()
        if status != RUNNING:
            info["points"] = game.points(self._match)
        truncated = status == TRUNCATED
        over = status != RUNNING
        return observation, float(total[self.seat]), over and not truncated, truncated, info

    def render(self) -> str | None:
        """The match as the seat sees it, as text; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._seed is None:
            raise ResetNeededError("call reset() before render()")
        return self.game.state_text(self._match, self.seat)
