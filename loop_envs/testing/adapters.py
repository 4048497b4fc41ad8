"""Checks of the adapters: AEC, batch and seat show the same match."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils.env_checker import check_env

from loop_envs import records
from loop_envs.envs.aec import LoopAECEnv
from loop_envs.envs.arguments import REWARDS
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.envs.seat import SeatEnv
from loop_envs.game import Game
from loop_envs.policies import RANDOM, choose_many, decision_keys

Array = npt.NDArray[Any]


def result(game: Game, points: Array, places: Array, mode: str) -> Array:
    """What each player's rewards must sum to, from final points and places; float64 [n]."""
    n = game.num_players
    if mode == "points":
        return np.asarray(points, float)
    if mode == "margin":
        return np.asarray(points - points.mean())
    if mode == "win":
        winners = places == 0
        if winners.all():
            return np.zeros(n)
        return np.asarray(np.where(winners, 1 / winners.sum(), -1 / max(1, (~winners).sum())))
    shared = [places[p] + ((places == places[p]).sum() - 1) / 2 for p in range(n)]
    return np.asarray(1 - 2 * np.array(shared) / (n - 1))


def check_rewards(game: Game, seed: int = 0) -> None:
    """In every mode rewards sum to the match's result, for every player; margins to zero."""
    matches = 4
    seats = np.zeros((matches, game.num_players), np.int8)
    points, places, _ = play_matches(game, [RANDOM], seats, seed, np.arange(matches))
    for mode in REWARDS:
        batch = Batch(game, matches, mode)
        batch.reset(seed)
        total = np.zeros((matches, game.num_players))
        ended = np.zeros(matches, bool)
        while not ended.all():
            batch.step(_random_actions(batch))
            total[~ended] += batch.reward[~ended]
            if mode != "points":
                assert np.abs(batch.reward.sum(axis=1)).max() < 1e-5, "margins must sum to zero"
            new = (batch.terminated | batch.truncated) & ~ended
            assert (batch.points[new] == points[new]).all(), "batch and compiled loop differ"
            ended |= new
        for i in range(matches):
            expected = result(game, points[i], places[i], mode)
            assert np.allclose(total[i], expected, atol=1e-4), (mode, total[i], expected)


def _random_actions(batch: Batch) -> Array:
    keys = decision_keys(RANDOM.seed, batch.seed, batch.board, batch.ply)
    return choose_many(batch.game, RANDOM, batch.observation, batch.action_mask, keys)


def check_batch_independence(game: Game, seed: int = 0) -> None:
    """What is played depends neither on the batch size nor on the number of threads."""
    decisions = 400
    histories = []
    for matches, threads in ((1, 1), (7, 1), (7, 2), (64, 2)):
        batch = Batch(game, matches, num_threads=threads)
        batch.reset(seed)
        for _ in range(4):
            batch.run(decisions // 4)
        first = (batch.get_states()[:1].tobytes(), batch.board[0], batch.points[0].tolist())
        histories.append((first, batch.observation[0].tobytes(), batch.action_mask[0].tobytes()))
        last = pickle.loads(pickle.dumps(batch))
        last.run(10)
        batch.run(10)
        assert last.get_states().tobytes() == batch.get_states().tobytes()
        other = Batch(game, matches)
        other.set_states(batch.get_states())
        assert (other.observation == batch.observation).all()
        assert (other.action_mask == batch.action_mask).all()
    assert all(history == histories[0] for history in histories)


def check_aec_matches_game(game: Game, seed: int = 0) -> None:
    """AEC shows the rules' match; every agent gets one dead step and its final return."""
    env = LoopAECEnv(game)
    for board in range(2):
        env.reset(seed=seed if board == 0 else None)
        state = game.new_state(seed, board)
        returns = dict.fromkeys(env.possible_agents, 0.0)
        dead = dict.fromkeys(env.possible_agents, 0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, info = env.last()
            assert seen is not None
            returns[agent] += reward
            if terminated or truncated:
                dead[agent] += 1
                assert not seen["action_mask"].any()
                env.step(None)
                continue
            player = env.possible_agents.index(agent)
            assert player == game.current_player(state)
            assert (seen["observation"] == game.observe(state, player)).all()
            assert (seen["action_mask"] == game.action_mask(state)).all()
            assert (info["action_mask"] == seen["action_mask"]).all()
            kept = seen["observation"].copy(), seen["action_mask"].copy()
            action = records.random_choice(game, state)
            env.step(action)
            game.step(state, action)
            assert (seen["observation"] == kept[0]).all(), "handed-out arrays were overwritten"
            assert (seen["action_mask"] == kept[1]).all()
            masks = [a for a in env.agents if env.observe(a)["action_mask"].any()]
            assert masks == ([env.agent_selection] if not game.is_over(state) else [])
        assert game.is_over(state)
        assert list(dead.values()) == [1] * game.num_players
        expected = result(game, game.points(state), game.places(state), "margin")
        assert np.allclose(list(returns.values()), expected, atol=1e-4)


def check_copies(game: Game, seed: int = 0) -> None:
    """deepcopy, pickle and set_state keep the match and make independent ones."""
    rng = np.random.default_rng(seed)
    env = LoopAECEnv(game)
    env.reset(seed=seed)
    for _ in range(int(rng.integers(1, 40))):
        env.step(records.random_choice(game, env._match))
        if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            env.reset()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), LoopAECEnv(game)]
    others[2].set_state(env.get_state())
    untouched = copy.deepcopy(env)
    while env.agents:
        dead = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        action = None if dead else records.random_choice(game, env._match)
        mine = env.last()
        assert mine[0] is not None
        for one in others:
            assert one.agent_selection == env.agent_selection
            seen = one.last()
            assert seen[0] is not None
            assert seen[1:4] == mine[1:4]
            assert (seen[0]["observation"] == mine[0]["observation"]).all()
        for one in (env, *others):
            one.step(action)
    assert untouched.agents, "a copy moved with the original"


def check_seat_env(game: Game, seed: int = 0) -> None:
    """The Gymnasium adapter passes Gymnasium's checker and returns the seat's result."""
    for seat in (0, game.num_players - 1):
        env = SeatEnv(game.env_id, seat=seat, **game.options)
        check_env(env, skip_render_check=True)
        observation, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            assert (env.action_masks() == info["action_mask"]).all()
            assert env.observation_space.contains(observation)
            action = int(np.flatnonzero(env.action_masks())[0])
            observation, reward, terminated, truncated, info = env.step(action)
            total += reward
            over = terminated or truncated
        points = info["points"]
        assert abs(total - (points[seat] - points.mean())) < 1e-4
