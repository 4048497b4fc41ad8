"""Compiled policies: choosing on masks, their randomness, and policies of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.envs.seat import SeatEnv
from loop_envs.game import Game
from loop_envs.jit_policies import compile_policy
from loop_envs.policies import (
    RANDOM,
    Policy,
    choose_many,
    choose_random,
    count_legal,
    decision_keys,
    no_tables,
    nth_legal,
    policy_arguments,
)

ID = "loop_boards-v0"


@given(st.integers(0, 5_000), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_counting_and_finding_legal_actions(size: int, share: float, seed: int) -> None:
    mask = (np.random.default_rng(seed).random(size) < share).astype(np.int8)
    legal = np.flatnonzero(mask)
    assert count_legal(mask) == len(legal)
    for n in {0, 1, len(legal) // 2, len(legal) - 1} & set(range(len(legal))):
        assert nth_legal(mask, n) == legal[n]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 2039, 2040, 2041, 4080, 20_000])
def test_masks_of_ones_only(size: int) -> None:
    mask = np.ones(size, np.int8)
    assert count_legal(mask) == size
    assert [nth_legal(mask, n) for n in (0, size // 2, size - 1)] == [0, size // 2, size - 1]
    alone = np.zeros(size, np.int8)
    alone[-1] = 1
    assert nth_legal(alone, 0) == size - 1


def test_random_play_is_uniform_over_the_legal_actions() -> None:
    mask = np.zeros(300, np.int8)
    legal = np.array([0, 3, 7, 8, 15, 16, 100, 255, 256, 298, 299])
    mask[legal] = 1
    tables, seen = np.zeros(1, np.int32), np.zeros(1, np.int8)
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**64, 40_000, dtype=np.uint64)
    chosen = [choose_random(tables, seen, mask, key) for key in keys]
    counts = np.bincount(chosen, minlength=300)
    assert counts[legal].sum() == 40_000
    assert 1e-4 < stats.chisquare(counts[legal]).pvalue < 1 - 1e-4


def test_keys_differ_by_policy_match_and_ply() -> None:
    def keys(policy: int, seed: int, board: int, plies: list[int]) -> list[int]:
        n = len(plies)
        found = decision_keys(
            policy,
            np.full(n, seed, np.uint64),
            np.full(n, board, np.int64),
            np.array(plies, np.int32),
        )
        return [int(key) for key in found]

    base = keys(0, 0, 0, list(range(500)))
    others = [keys(1, 0, 0, list(range(500))), keys(0, 1, 0, list(range(500))),
              keys(0, 0, 1, list(range(500)))]  # fmt: skip
    assert len({key for run in (base, *others) for key in run}) == 2_000
    assert keys(0, 0, 0, [7, 3]) == [base[7], base[3]], "whatever else is asked in the same call"
    uniform = np.array(base + others[0] + others[1] + others[2], np.uint64) / 2.0**64
    assert stats.kstest(uniform, "uniform").pvalue > 1e-4


@compile_policy
def _with_tables(
    tables: npt.NDArray[np.int32],
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    key: np.uint64,
) -> int:
    """The legal action with the largest entry in the tables."""
    best = -1
    for action in range(mask.shape[0]):
        if mask[action] != 0 and (best < 0 or tables[action] > tables[best]):
            best = action
    return best


def _prepare(game: Game) -> npt.NDArray[np.int32]:
    return np.arange(game.num_actions, dtype=np.int32)[::-1]


LOWEST = Policy("lowest", _with_tables, _prepare)


def test_a_policy_that_is_not_compiled_is_refused() -> None:
    game = load_game(ID, rounds=1)
    choose: Any = _with_tables
    plain = Policy("plain", choose.py_func, _prepare)
    with pytest.raises(TypeError, match="allowed: what compile_policy has made"):
        play_matches(game, [plain], np.zeros((2, game.num_players), int), 1, [0, 1])


def test_a_policy_of_ones_own_plays_everywhere() -> None:
    game = load_game(ID, rounds=1)
    points, _, plies = play_matches(game, [LOWEST], np.zeros((3, 4), int), 5, [0, 1, 2])
    for board in range(3):
        state = game.new_state(5, board)
        while not game.is_over(state):
            game.step(state, game.legal_actions(state)[0])
        assert points[board].tolist() == game.points(state).tolist()
        assert plies[board] == state["ply"][0]
    batch = Batch(game, 3)
    batch.reset(5)
    batch.run(int(plies.min()) - 1, [RANDOM, LOWEST], np.ones((3, 4), int))
    assert not batch.terminated.any()
    mixed = SeatEnv(ID, opponents=[LOWEST, "random", LOWEST], rounds=1)
    plain: Any = lambda observation, mask: int(np.flatnonzero(mask)[0])  # noqa: E731
    same = SeatEnv(ID, opponents=[plain, RANDOM, plain], rounds=1)
    for env in (mixed, same):
        env.reset(seed=3)
    over = False
    while not over:
        action = int(np.flatnonzero(mixed.action_masks())[-1])
        one, other = mixed.step(action), same.step(action)
        assert (one[0] == other[0]).all()
        assert one[1:4] == other[1:4]
        over = one[2]


def test_tables_of_several_policies_are_padded_not_mixed() -> None:
    game = load_game(ID)
    functions, tables, keys = policy_arguments(game, [RANDOM, LOWEST])
    assert len(functions) == len(tables) == len(keys) == 8
    assert (tables[1] == _prepare(game)).all()
    assert not tables[0].any()
    assert no_tables(game).dtype == np.int32
    assert keys[0] == keys[1], "the key is that of the policy's seed"
    assert RANDOM.with_seed(4) != RANDOM
    assert RANDOM.with_seed(0) == RANDOM


def test_choose_many_is_choosing_one_by_one() -> None:
    game = load_game(ID)
    batch = Batch(game, 20)
    batch.reset(1)
    batch.run(30)
    keys = decision_keys(3, batch.seed, batch.board, batch.ply)
    for policy in (RANDOM, LOWEST):
        many = choose_many(game, policy, batch.observation, batch.action_mask, keys)
        tables = np.ascontiguousarray(policy.prepare(game), np.int32)
        one = [
            policy.choose(tables, batch.observation[i].copy(), batch.action_mask[i].copy(), keys[i])
            for i in range(20)
        ]
        assert many.tolist() == one
        assert many.dtype == np.int64
    none = choose_many(game, RANDOM, batch.observation[:0], batch.action_mask[:0], keys[:0])
    assert none.shape == (0,)
