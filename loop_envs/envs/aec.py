"""PettingZoo AEC: one class for every game, without wrappers.

PettingZoo's three standard wrappers cost most of a step, so the class itself keeps the order of
calls, checks bounds and handles illegal actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv

from loop_envs.deals import MAX_BOARD, check_seed, fresh_seed
from loop_envs.envs.arguments import board_option, check_choice, reward_mode
from loop_envs.errors import IllegalActionError, ResetNeededError, SeedError
from loop_envs.game import RUNNING, TRUNCATED, Game
from loop_envs.registry import load_game

ILLEGAL = ("raise", "terminate")
RENDER_MODES = ("ansi",)


class LoopAECEnv(AECEnv[str, dict[str, npt.NDArray[np.int8]], int]):
    """A match as a PettingZoo AEC environment.

    Agents are ``player_0`` … . An observation is a dictionary of ``observation``, int8 [D], and
    ``action_mask``, int8 [A]; the mask is in ``infos[agent]["action_mask"]`` too. It has ones
    only for the agent to move, and is all zero once the match is over. Arrays that were handed
    out are never overwritten.

    Args:
        game: The rules.
        reward: "margin", "points", "win" or "place", see `loop_envs.envs.arguments`.
        illegal: "raise": an illegal action raises `IllegalActionError` and changes nothing.
            "terminate": it ends the match, the offender's reward is -1 and the others share +1.
        render_mode: "ansi" or None.
    """

    def __init__(
        self,
        game: Game,
        reward: str = "margin",
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._mode = reward_mode(reward)
        check_choice("illegal", illegal, ILLEGAL)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.game = game
        self.reward_name = reward
        self.illegal = illegal
        self.render_mode = render_mode
        self.metadata = {
            "name": game.env_id.replace("-", "_"),
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        n, d, a = game.num_players, game.layout.size, game.num_actions
        self.possible_agents = [f"player_{p}" for p in range(n)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(game.layout.low, game.layout.high, (d,), np.int8),
                    "action_mask": spaces.Box(0, 1, (a,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(a) for agent in self.possible_agents}
        self.state_space = spaces.Box(
            np.tile(game.layout.low, n), np.tile(game.layout.high, n), (n * d,), np.int8
        )
        self._seed: int | None = None
        self._next_board = 0
        self._match = game.empty_states(1)
        self._reward = np.zeros(n, np.float32)
        self._no_action = np.zeros(a, np.int8)
        self._no_action.flags.writeable = False
        # What illegal actions are recognised by; users get copies, theirs to write on.
        self._legal = np.zeros(a, np.int8)
        self._mask = self._no_action
        self._scratch = game.kernels.new_scratch()
        self._player = -1

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._no_action.flags.writeable = False  # not kept by copies and pickles

    def __repr__(self) -> str:
        return f"LoopAECEnv({self.game!r}, reward={self.reward_name!r}, illegal={self.illegal!r})"

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Dict of the observation, Box int8 [D], and the action mask, Box int8 [A]."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Discrete(A)."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a match.

        Args:
            seed: 0 to 2^63-1; None keeps the seed (at first, one from the operating system).
            options: ``{"board": b}`` plays board b, 0 to 2^63-1. Without it, boards are 0, 1, 2, …
                on successive resets under the same seed.

        Raises:
            SeedError: If a number is out of range; the running match has not changed.
        """
        board = board_option(options)
        if seed is not None:
            self._seed = check_seed(seed)
            self._next_board = 0
        elif self._seed is None:
            self._seed = fresh_seed()
        if board is None:
            board = self._next_board
        if board > MAX_BOARD:
            raise SeedError(f"board {MAX_BOARD} was the last; reset with a seed or a board")
        self._next_board = board + 1
        self._match = self.game.new_state(self._seed, board)
        n = self.game.num_players
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._reward = np.zeros(n, np.float32)
        self._look()
        if self._player < 0:  # rare: a small variant can be over as soon as it is dealt
            self._finish(0)

    def _look(self) -> None:
        """Takes in mask and observation of the player to move."""
        game = self.game
        self._observation = np.empty(game.layout.size, np.int8)
        self._player = game.kernels.act(
            game.record, game.tables, self._match, -1, self._mode, self._observation, self._legal,
            self._reward, self._scratch,
        )  # fmt: skip
        self._mask = self._legal.copy()
        self._point_at_player()

    def _point_at_player(self) -> None:
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._no_action} for agent in self.agents
        }
        if self._player >= 0:
            agent = self.possible_agents[self._player]
            self.agent_selection = agent
            self.infos[agent] = {"action_mask": self._mask}

    def step(self, action: int | None) -> None:
        """Plays the action of `agent_selection`; None for an agent whose match is over.

        Raises:
            IllegalActionError: With ``illegal="raise"``; nothing has changed.
            ResetNeededError: Before the first `reset`, or after the last agent's dead step.
        """
        if not self.agents:
            raise ResetNeededError("call reset() before step(): no match is running")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self.game
        # The plain comparison is the fast path; anything else goes through the full check.
        if type(action) is not int and not game.is_action(action):
            self._refuse(agent, action)
            return
        assert action is not None
        if not 0 <= action < game.num_actions or not self._legal[action]:
            self._refuse(agent, action)
            return
        self._observation = np.empty(game.layout.size, np.int8)
        before = self._player
        self._player = player = game.kernels.act(
            game.record, game.tables, self._match, int(action), self._mode,
            self._observation, self._legal, self._reward, self._scratch,
        )  # fmt: skip
        cumulative = self._cumulative_rewards
        cumulative[agent] = 0.0
        rewards = self.rewards = dict(zip(self.possible_agents, self._reward.tolist(), strict=True))
        for name, reward in rewards.items():
            cumulative[name] += reward
        if player >= 0:
            self._mask = mask = self._legal.copy()
            # A fresh dictionary for whoever moved or moves: those handed out stay as they are.
            self.infos[agent] = {"action_mask": self._no_action}
            agent = self.possible_agents[player]
            self.infos[agent] = {"action_mask": mask}
            self.agent_selection = agent
        else:
            self._finish(before)

    def _finish(self, last: int) -> None:
        truncated = bool(self._match["status"][0] == TRUNCATED)
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self._player = -1
        self._mask = self._no_action
        self._point_at_player()
        self.agent_selection = self.possible_agents[last]
        self._deads_step_first()

    def _refuse(self, agent: str, action: Any) -> None:
        error = self.game.illegal(self._match, action, self._legal)
        if self.illegal == "raise":
            raise error
        if not isinstance(action, int | np.integer):
            raise IllegalActionError(f"{error} (no integer, so not even a wrong action)")
        n = self.game.num_players
        self.rewards = dict.fromkeys(self.agents, 1.0 / (n - 1))
        self.rewards[agent] = -1.0
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._finish(self._player)
        for name, info in self.infos.items():
            info["illegal"] = name == agent

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """What an agent sees now: a dictionary of ``observation`` and ``action_mask``.

        Raises:
            ResetNeededError: Before the first `reset`.
        """
        if self._seed is None:
            raise ResetNeededError("call reset() before observe()")
        player = self._player
        if player >= 0 and agent == self.possible_agents[player]:
            return {"observation": self._observation, "action_mask": self._mask}
        return {
            "observation": self.game.observe(self._match, self.possible_agents.index(agent)),
            "action_mask": self._no_action.copy(),
        }

    def state(self) -> npt.NDArray[np.int8]:
        """The hidden-information view for centralised critics: all players' observations.

        Returns:
            int8 [n * D], player by player; every card in a hand or set aside is in it.
        """
        if self._seed is None:
            raise ResetNeededError("call reset() before state()")
        players = range(self.game.num_players)
        return np.concatenate([self.game.observe(self._match, p) for p in players])

    def render(self) -> str | None:
        """The match as text, with every card face up; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._seed is None:
            raise ResetNeededError("call reset() before render()")
        return self.game.state_text(self._match)

    def close(self) -> None:
        """Nothing is held open."""

    def get_state(self) -> dict[str, Any]:
        """A copy of the running match and its bookkeeping, for `set_state`."""
        names = ("rewards", "_cumulative_rewards", "terminations", "truncations")
        return {
            "match": self._match.copy(),
            "seed": self._seed,
            "next_board": self._next_board,
            "agents": self.agents[:],
            "selection": getattr(self, "agent_selection", None),
            **{name: dict(getattr(self, name, {})) for name in names},
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues a match from `get_state` of this or another environment of the same game."""
        match = state["match"]
        if match.dtype != self._match.dtype or match["variant"][0] not in (0, self.game.variant):
            raise ValueError(f"the state is one of another game or variant than {self.game!r}")
        self._match = state["match"].copy()
        self._seed, self._next_board = state["seed"], state["next_board"]
        self.agents = state["agents"][:]
        for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
            setattr(self, name, dict(state[name]))
        self._skip_agent_selection = None
        ended = any(self.terminations.values()) or any(self.truncations.values())
        if self._seed is not None and not ended and self._match["status"][0] == RUNNING:
            self._look()
        else:
            self._player = -1
            self._mask = self._no_action
            self._point_at_player()
            self.agent_selection = state["selection"]


def make_raw(
    env_id: str,
    reward: str = "margin",
    illegal: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> LoopAECEnv:
    """Makes an AEC environment: what `loop_envs.make` and `pettingzoo.make` return.

    Args:
        env_id: Such as "loop_boards-v0".
        reward: "margin", "points", "win" or "place".
        illegal: "raise" or "terminate".
        render_mode: "ansi" or None.
        **options: The game's options.
    """
    return LoopAECEnv(load_game(env_id, **options), reward, illegal, render_mode)
