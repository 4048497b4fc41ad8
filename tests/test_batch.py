"""Many matches at once: the same matches whatever the size, threads or way of stepping."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import loop_envs
from loop_envs import load_game
from loop_envs.deals import next_board
from loop_envs.envs.arguments import REWARDS
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.errors import IllegalActionError, OptionError, ResetNeededError, SeedError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, choose_many, decision_keys
from loop_envs.testing.adapters import result

ID = "loop_boards-v0"
SHORT: dict[str, Any] = {
    "rounds": 2,
    "hand_size": 4,
    "deck": {"colours": 4, "values": 5},
    "eight": 3,
}
ARRAYS = (
    "player",
    "observation",
    "action_mask",
    "reward",
    "terminated",
    "truncated",
    "board",
    "points",
)


@pytest.fixture(scope="module")
def short() -> Game:
    return load_game(ID, **SHORT)


def policy_actions(batch: Batch) -> np.ndarray:
    """What the random policy would do in every match."""
    keys = decision_keys(RANDOM.seed, batch.seed, batch.board, batch.ply)
    return choose_many(batch.game, RANDOM, batch.observation, batch.action_mask, keys)


def shown(batch: Batch, slots: int) -> bytes:
    """All that the first slots show and hold."""
    arrays = [getattr(batch, name)[:slots].tobytes() for name in ARRAYS]
    return b"".join([*arrays, batch.get_states()[:slots].tobytes()])


def history(game: Game, matches: int, threads: int, slots: int, steps: int = 120) -> list[bytes]:
    """What the first slots show at every step."""
    batch = Batch(game, matches, num_threads=threads)
    batch.reset(7)
    found = [shown(batch, slots)]
    for _ in range(steps):
        batch.step(policy_actions(batch))
        found.append(shown(batch, slots))
    return found


@pytest.mark.parametrize("options", [SHORT, {}, {"num_players": 6}], ids=["short", "4", "6"])
def test_matches_do_not_depend_on_batch_size_or_threads(options: dict[str, Any]) -> None:
    game = load_game(ID, **options)
    for slots in (1, 7):
        histories = [
            history(game, matches, threads, slots)
            for matches in (1, 7, 512)
            for threads in (1, 2)
            if matches >= slots
        ]
        assert all(h == histories[0] for h in histories)
    assert history(game, 7, 3, 7) == history(game, 7, 100, 7)


def test_a_slot_plays_what_single_matches_play(short: Game) -> None:
    batch = Batch(short, 3, reward="points")
    batch.reset(5, [10, 0, 2**63 - 1])
    states = [short.new_state(5, board) for board in (10, 0, 2**63 - 1)]
    ended = 0
    for _ in range(200):
        actions = policy_actions(batch)
        before = [short.points(state) for state in states]
        boards = batch.board.copy()
        batch.step(actions)
        for i, state in enumerate(states):
            short.step(state, int(actions[i]))
            assert (batch.points[i] == short.points(state)).all()
            assert (batch.reward[i] == short.points(state) - before[i]).all()
            assert batch.terminated[i] == short.is_over(state)
            assert not batch.truncated[i]
            if short.is_over(state):
                ended += 1
                assert batch.board[i] == next_board(int(boards[i]))
                state[:] = short.new_state(5, next_board(int(boards[i])))
            assert batch.player[i] == short.current_player(state)
            assert (batch.action_mask[i] == short.action_mask(state)).all()
            assert (batch.observation[i] == short.observe(state, int(batch.player[i]))).all()
            assert batch.get_states()[i : i + 1].tobytes() == state.tobytes()
            assert batch.ply[i] == state["ply"][0]
    assert ended >= 6


def test_boards_wrap_around_at_the_end(short: Game) -> None:
    batch = Batch(short, 1)
    batch.reset(0, [2**63 - 1])
    while not batch.terminated[0]:
        batch.run(1)
    assert batch.board[0] == 2**32 - 1


@pytest.mark.parametrize("reward", list(REWARDS))
def test_rewards_sum_to_each_matchs_result(short: Game, reward: str) -> None:
    batch = Batch(short, 64, reward)
    batch.reset(3)
    total = np.zeros((64, 4))
    ended = 0
    for key in range(300):
        before = batch.get_states()
        actions = batch.sample_actions(key)
        batch.step(actions)
        total += batch.reward
        for i in np.flatnonzero(batch.terminated):
            final = before[i : i + 1].copy()
            short.step(final, int(actions[i]))
            assert (short.points(final) == batch.points[i]).all()
            expected = result(short, short.points(final), short.places(final), reward)
            assert total[i] == pytest.approx(expected, abs=1e-4)
            total[i] = 0
            ended += 1
    assert ended > 100


# run and play_matches ---------------------------------------------------------------------------


@pytest.mark.parametrize("reward", list(REWARDS))
def test_run_is_many_steps_with_the_same_policy(short: Game, reward: str) -> None:
    one, other = Batch(short, 9, reward), Batch(short, 9, reward, num_threads=2)
    one.reset(2)
    other.reset(2)
    for decisions in (1, 5, 40, 100):
        total = np.zeros((9, 4), np.float32)
        ended = np.zeros(9, bool)
        for _ in range(decisions):
            one.step(policy_actions(one))
            total += one.reward
            ended |= one.terminated
        other.run(decisions)
        assert other.get_states().tobytes() == one.get_states().tobytes()
        assert (other.terminated == ended).all()
        assert not other.truncated.any()
        assert other.reward == pytest.approx(total, abs=1e-5)
        for name in ("player", "observation", "action_mask", "board", "points"):
            assert (getattr(other, name) == getattr(one, name)).all(), name


def test_a_hundred_thousand_matches_with_early_finishers() -> None:
    options = {"num_players": 6, "hand_size": 3, "set_aside": 1, "eight": 2, "rounds": 2,
               "deck": {"colours": 3, "values": 6}}  # fmt: skip
    game = load_game(ID, **options)
    n, matches = 6, 100_000
    points, places, plies = play_matches(
        game, [RANDOM], np.zeros((matches, n), np.int8), 3, np.arange(matches)
    )
    # Two markers on each of six boards: 3 points, or 4 where they share a row.
    assert points.sum(axis=1).min() >= 3 * n
    assert points.sum(axis=1).max() <= 4 * n
    assert (places.min(axis=1) == 0).all()
    better = (points[:, None, :] > points[:, :, None]).sum(axis=2)
    assert (places == better).all()
    assert plies.min() > 2 * n
    # No seat is favoured beyond what the golden seat, which is random, explains.
    mean, error = points.mean(axis=0), points.std(axis=0).max() / np.sqrt(matches)
    assert np.abs(mean - mean.mean()).max() < 5 * error


def test_run_with_several_policies_asks_the_seated_one(short: Game) -> None:
    policies = [RANDOM, RANDOM.with_seed(1), RANDOM.with_seed(2)]
    seating = np.array([[0, 1, 2, 0], [2, 2, 1, 0], [1, 1, 1, 1]])
    batch, slow = Batch(short, 3), Batch(short, 3)
    batch.reset(8)
    slow.reset(8)
    batch.run(90, policies, seating)
    for _ in range(90):
        choices = []
        for policy in policies:
            keys = decision_keys(policy.seed, slow.seed, slow.board, slow.ply)
            choices.append(choose_many(short, policy, slow.observation, slow.action_mask, keys))
        slow.step([choices[seating[i, slow.player[i]]][i] for i in range(3)])
    assert batch.get_states().tobytes() == slow.get_states().tobytes()


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_play_matches_equals_stepping_in_python(num_players: int) -> None:
    game = load_game(ID, num_players=num_players, rounds=2)
    boards = [0, 3, 2**40, 2**63 - 1]
    policies = [RANDOM, RANDOM.with_seed(9)]
    rng = np.random.default_rng(0)
    seating = rng.integers(0, 2, (4, num_players))
    points, places, plies = play_matches(game, policies, seating, 6, boards)
    for i, board in enumerate(boards):
        state = game.new_state(6, board)
        while not game.is_over(state):
            player = game.current_player(state)
            policy = policies[seating[i, player]]
            keys = decision_keys(policy.seed, state["seed"], state["board"], state["ply"])
            seen = game.observe(state, player)[None]
            action = choose_many(game, policy, seen, game.action_mask(state)[None], keys)[0]
            game.step(state, int(action))
        assert points[i].tolist() == game.points(state).tolist()
        assert places[i].tolist() == game.places(state).tolist()
        assert plies[i] == state["ply"][0]


def test_play_matches_does_not_depend_on_the_order_of_boards(short: Game) -> None:
    seats = np.zeros((50, 4), np.int8)
    boards = np.arange(50)
    forward = play_matches(short, [RANDOM], seats, 1, boards)
    backward = play_matches(short, [RANDOM], seats, 1, boards[::-1])
    for k in range(3):
        assert (forward[k] == backward[k][::-1]).all()
    single = [play_matches(short, [RANDOM], seats[:1], 1, [b])[0][0] for b in range(50)]
    assert (forward[0] == single).all()


def test_play_matches_of_no_boards(short: Game) -> None:
    points, places, plies = play_matches(short, [RANDOM], np.zeros((0, 4), np.int8), 0, [])
    assert points.shape == (0, 4)
    assert places.shape == (0, 4)
    assert plies.shape == (0,)


# Illegal actions and bad arguments ----------------------------------------------------------------


def test_an_illegal_action_names_the_match_and_changes_nothing(short: Game) -> None:
    batch = Batch(short, 5)
    batch.reset(0, [3, 1, 4, 15, 9])
    batch.run(6)
    before = shown(batch, 5)
    good = batch.sample_actions(0)
    for slot in (0, 2, 4):
        for wrong in (int(np.flatnonzero(batch.action_mask[slot] == 0)[0]), -1, short.num_actions):
            actions = good.copy()
            actions[slot] = wrong
            with pytest.raises(IllegalActionError) as caught:
                batch.step(actions)
            message = str(caught.value)
            for part in (f"match {slot} of the batch", f"board {batch.board[slot]}", "ply 6",
                         f"player {batch.player[slot]}", "legal: "):  # fmt: skip
                assert part in message
            assert shown(batch, 5) == before
    batch.step(good)


@pytest.mark.parametrize(
    "actions",
    [
        [0, 0],
        [[0, 0, 0]],
        [0.0, 0.0, 0.0],
        [True, True, True],
        ["a", "b", "c"],
        [None, None, None],
        0,
        None,
        [2**70, 0, 0],
        np.array([2**64 - 1] * 3, np.uint64),
    ],
    ids=repr,
)
def test_actions_of_wrong_shape_or_type_are_refused(short: Game, actions: Any) -> None:
    batch = Batch(short, 3)
    batch.reset(0)
    before = shown(batch, 3)
    with pytest.raises(IllegalActionError):
        batch.step(actions)
    assert shown(batch, 3) == before


def test_use_before_reset_is_refused(short: Game) -> None:
    batch = Batch(short, 2)
    for use in (lambda: batch.step([0, 0]), lambda: batch.sample_actions(0), lambda: batch.run(1)):
        with pytest.raises(ResetNeededError, match="reset"):
            use()


def test_bad_arguments_are_refused(short: Game) -> None:
    for number in (0, -1, 2.0, "2", None, True):
        with pytest.raises(OptionError, match="num_matches"):
            Batch(short, number)  # type: ignore[arg-type]
        with pytest.raises(OptionError, match="num_threads"):
            Batch(short, 2, num_threads=number)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="reward"):
        Batch(short, 2, "score")
    with pytest.raises(OptionError, match="num_player"):
        loop_envs.make_batch(ID, 2, num_player=5)
    batch = Batch(short, 2)
    batch.reset(1, [4, 5])
    before = shown(batch, 2)
    too_large = np.array([2**63, 0], np.uint64)
    for boards in ([0], [0, 1, 2], [0, -1], [0.0, 1.0], [True, False], too_large, "ab", [[0, 1]], 3,
                   [None, 1], [2**64, 0]):  # fmt: skip
        with pytest.raises(SeedError):
            batch.reset(1, boards)  # type: ignore[arg-type]
        assert shown(batch, 2) == before
    for seed in (-1, 2**63, 1.0, "1", True):
        with pytest.raises(SeedError):
            batch.reset(seed)  # type: ignore[arg-type]
        with pytest.raises(SeedError):
            batch.sample_actions(seed)  # type: ignore[arg-type]
        with pytest.raises(SeedError):
            play_matches(short, [RANDOM], np.zeros((1, 4), int), seed, [0])  # type: ignore[arg-type]
    assert shown(batch, 2) == before


def test_bad_policies_and_seatings_are_refused(short: Game) -> None:
    batch = Batch(short, 2)
    batch.reset(0)
    before = shown(batch, 2)
    good = np.zeros((2, 4), int)
    bad: list[tuple[Any, Any]] = [
        ([], good),
        ([RANDOM] * 9, good),
        ([RANDOM], good + 1),
        ([RANDOM], good - 1),
        ([RANDOM], good + 256),
        ([RANDOM], good[:1]),
        ([RANDOM], good.astype(float)),
        ([RANDOM], [[0, 0, 0, 0]]),
        (["random"], good),
        ([None], good),
    ]
    for policies, seating in bad:
        with pytest.raises(OptionError):
            batch.run(1, policies, seating)
        with pytest.raises(OptionError):
            play_matches(short, policies, seating, 0, [0, 1])
        assert shown(batch, 2) == before
    from dataclasses import replace

    other = replace(RANDOM, games=("loopla",))
    with pytest.raises(OptionError, match="loopla"):
        batch.run(1, [other], good)


@pytest.mark.parametrize("decisions", [0, -1, 2.5, "3", True, None])
def test_a_number_of_decisions_is_a_positive_integer(short: Game, decisions: Any) -> None:
    batch = Batch(short, 2)
    batch.reset(0)
    before = shown(batch, 2)
    with pytest.raises(OptionError, match="decisions"):
        batch.run(decisions)
    assert shown(batch, 2) == before


@pytest.mark.parametrize("boards", [[-1], [0.5], [[0]], "a", [2**63], [2**64], [True]], ids=repr)
def test_play_matches_refuses_boards_that_are_none(short: Game, boards: Any) -> None:
    with pytest.raises(SeedError):
        play_matches(short, [RANDOM], np.zeros((1, 4), int), 0, boards)


# Arrays and states --------------------------------------------------------------------------------


def test_arrays_have_the_documented_shapes_and_are_read_only(short: Game) -> None:
    batch = Batch(short, 6)
    batch.reset(0)
    d, a = short.layout.size, short.num_actions
    expected = {
        "player": ((6,), np.int8),
        "observation": ((6, d), np.int8),
        "action_mask": ((6, a), np.int8),
        "reward": ((6, 4), np.float32),
        "terminated": ((6,), np.bool_),
        "truncated": ((6,), np.bool_),
        "board": ((6,), np.int64),
        "points": ((6, 4), np.int32),
    }
    assert set(expected) == set(ARRAYS)
    for name, (shape, kind) in expected.items():
        array = getattr(batch, name)
        assert array.shape == shape
        assert array.dtype == kind
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
        before = array
        batch.run(3)
        assert getattr(batch, name) is before, "overwritten in place"


def test_get_and_set_states_move_matches_between_batches(short: Game) -> None:
    batch = Batch(short, 5)
    batch.reset(4)
    batch.run(11)
    states = batch.get_states()
    kept = states.tobytes()
    batch.run(5)
    assert states.tobytes() == kept, "a copy"
    other = Batch(short, 5, num_threads=2)
    other.set_states(states[::-1].copy())
    for i in range(5):
        state = states[4 - i : 5 - i]
        assert other.player[i] == short.current_player(state)
        assert (other.action_mask[i] == short.action_mask(state)).all()
        assert (other.points[i] == short.points(state)).all()
        assert other.board[i] == state["board"][0]
    other.run(5)
    assert other.get_states()[::-1].tobytes() == batch.get_states().tobytes()
    states["left"] = 0
    assert other.get_states()["left"].any(), "set_states takes a copy"


def test_states_that_do_not_fit_are_refused(short: Game) -> None:
    batch = Batch(short, 3)
    batch.reset(4)
    before = shown(batch, 3)
    over = short.empty_states(3)
    over["player"] = -1
    for states in (batch.get_states()[:2], np.zeros(3), over):
        with pytest.raises(ValueError, match="states"):
            batch.set_states(states)
        assert shown(batch, 3) == before


def test_states_of_another_variant_are_refused() -> None:
    # They have the same dtype, but their actions and players mean something else.
    source = Batch(load_game(ID), 3)
    source.reset(0)
    source.run(30)
    batch = Batch(load_game(ID, num_players=6), 3)
    batch.reset(0)
    before = shown(batch, 3)
    with pytest.raises(ValueError, match="states"):
        batch.set_states(source.get_states())
    assert shown(batch, 3) == before


def test_copies_and_pickles_go_on_alike(short: Game) -> None:
    for threads in (1, 2):
        batch = Batch(short, 6, num_threads=threads)
        batch.reset(4)
        batch.run(20)
        others = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
        kept = shown(batch, 6)
        for other in others:
            assert shown(other, 6) == kept
            other.run(30)
            with pytest.raises(ValueError, match="read-only"):
                other.action_mask[0] = 1
        assert shown(batch, 6) == kept
        batch.run(30)
        assert all(shown(other, 6) == shown(batch, 6) for other in others)


def test_sample_actions_is_legal_uniform_and_a_function_of_its_key() -> None:
    game = load_game(ID)
    batch = Batch(game, 400)
    batch.reset(0, [7] * 400)
    assert (batch.sample_actions(5) == batch.sample_actions(5)).all()
    assert (batch.sample_actions(5) != batch.sample_actions(6)).any()
    legal = np.flatnonzero(batch.action_mask[0])
    counts = np.zeros(len(legal))
    for key in range(60):
        actions = batch.sample_actions(key)
        assert batch.action_mask[np.arange(400), actions].all()
        counts += (actions[:, None] == legal).sum(axis=0)
    expected = counts.sum() / len(legal)
    assert ((counts - expected) ** 2 / expected).sum() < 45, "χ² with 11 degrees of freedom"


def test_the_same_in_another_process(short: Game) -> None:
    script = """
import hashlib
import loop_envs
batch = loop_envs.make_batch("loop_boards-v0", 9, num_threads=2)
batch.reset(12)
batch.run(150)
print(hashlib.sha256(batch.get_states().tobytes() + batch.observation.tobytes()).hexdigest())
"""
    found = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_threads_are_started_anew_in_a_forked_process() -> None:
    script = """
import os, signal
import loop_envs
batch = loop_envs.make_batch("loop_boards-v0", 8, num_threads=2)
batch.reset(0)
batch.run(10)
child = os.fork()
if child == 0:
    signal.alarm(20)  # a pool without its threads would wait for ever
    batch.run(10)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr


def test_nbytes_counts_states_masks_and_observations(short: Game) -> None:
    batch = Batch(short, 10)
    parts = batch.get_states().nbytes + batch.action_mask.nbytes + batch.observation.nbytes
    assert batch.nbytes == parts
