"""The Gymnasium adapter: one learner among opponents."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import check_env

from loop_envs import load_game
from loop_envs.envs.arguments import REWARDS
from loop_envs.envs.matches import play_matches
from loop_envs.envs.seat import SeatEnv
from loop_envs.errors import IllegalActionError, OptionError, ResetNeededError, SeedError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, choose_random, decision_keys, no_tables
from loop_envs.testing.adapters import result

ID = "loop_boards-v0"
SHORT: dict[str, Any] = {
    "rounds": 2,
    "hand_size": 4,
    "deck": {"colours": 4, "values": 5},
    "eight": 3,
}


def first_legal(observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]) -> int:
    """An opponent in Python."""
    return int(np.flatnonzero(mask)[0])


def last_legal(observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]) -> np.int64:
    """Another, which answers with NumPy's integers."""
    return np.flatnonzero(mask)[-1]  # type: ignore[no-any-return]


def play_out(env: SeatEnv, seed: int) -> tuple[float, dict[str, Any], int]:
    """Plays one match at random; returns the sum of rewards, the last info and the steps."""
    rng = np.random.default_rng(seed)
    total, steps, over = 0.0, 0, False
    info: dict[str, Any] = {}
    while not over:
        action = int(rng.choice(np.flatnonzero(env.action_masks())))
        observation, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        assert (info["action_mask"] == env.action_masks()).all()
        assert not truncated
        over = terminated
        assert env.action_masks().any() != over
        total += reward
        steps += 1
    return total, info, steps


# Checkers of others -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes")
@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_gymnasium_checker(num_players: int) -> None:
    env = gymnasium.make(f"loop_envs/{ID}", num_players=num_players, seat=num_players - 1)
    check_env(env.unwrapped, skip_render_check=False)
    check_env(SeatEnv(ID, num_players=num_players, render_mode="ansi"))


def test_stable_baselines_checker() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for num_players in (4, 5, 6):
        checker.check_env(SeatEnv(ID, num_players=num_players))


def test_sb3_contrib_finds_the_masks() -> None:
    utils = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = SeatEnv(ID, **SHORT)
    env.reset(seed=0)
    assert utils.is_masking_supported(env)
    masks = utils.get_action_masks(env)
    assert masks.dtype == np.bool_
    assert (masks == env.action_masks()).all()
    wrapped = gymnasium.make(f"loop_envs/{ID}", **SHORT)
    wrapped.reset(seed=0)
    assert (utils.get_action_masks(wrapped.unwrapped) == masks).all()


def test_vectors_of_seats() -> None:
    envs = gymnasium.vector.SyncVectorEnv([lambda: SeatEnv(ID, **SHORT)] * 3)
    _, infos = envs.reset(seed=[1, 2, 3])
    for _ in range(60):
        masks = envs.call("action_masks")
        actions = [int(np.flatnonzero(mask)[0]) if mask.any() else 0 for mask in masks]
        _, _, _, truncated, _ = envs.step(np.array(actions))
        assert not truncated.any()
    assert infos["action_mask"].shape[0] == 3


# Matches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_the_seat_sees_its_own_decisions_only(seat: int) -> None:
    env = SeatEnv(ID, seat=seat, **SHORT)
    game = env.game
    for seed in range(30):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert game.current_player(env._match) == seat
            assert (observation == game.observe(env._match, seat)).all()
            assert (info["action_mask"] == game.action_mask(env._match)).all()
            action = int(np.flatnonzero(info["action_mask"])[-1])
            observation, _, over, _, info = env.step(action)
        assert game.is_over(env._match)
        assert (observation == game.observe(env._match, seat)).all()
        assert (info["points"] == game.points(env._match)).all()


OPPONENTS: list[Any] = [
    "random",
    RANDOM,
    RANDOM.with_seed(3),
    first_legal,
    last_legal,
    ["random", first_legal, RANDOM.with_seed(1)],
    (first_legal, last_legal, first_legal),
]


@pytest.mark.parametrize("reward", list(REWARDS))
@pytest.mark.parametrize("opponents", OPPONENTS, ids=[str(i) for i in range(len(OPPONENTS))])
def test_rewards_sum_to_the_seats_result(reward: str, opponents: Any) -> None:
    for seat in (0, 2):
        env = SeatEnv(ID, seat=seat, opponents=opponents, reward=reward, **SHORT)
        for board in range(8):
            env.reset(seed=4, options={"board": board})
            total, info, _ = play_out(env, board)
            assert info["board"] == board
            game = env.game
            expected = result(game, info["points"], game.places(env._match), reward)
            assert total == pytest.approx(expected[seat], abs=1e-5)


def test_compiled_opponents_play_the_same_match_as_in_the_compiled_loop() -> None:
    """With the learner choosing as the random policy would, it is the match of `play_matches`."""
    game = load_game(ID, **SHORT)
    points, _, _ = play_matches(game, [RANDOM], np.zeros((10, 4), np.int8), 2, np.arange(10))
    tables = no_tables(game)
    for seat in range(4):
        env = SeatEnv(ID, seat=seat, **SHORT)
        for board in range(10):
            observation, info = env.reset(seed=2, options={"board": board})
            over = False
            while not over:
                match = env._match
                key = decision_keys(RANDOM.seed, match["seed"], match["board"], match["ply"])[0]
                action = choose_random(tables, observation, info["action_mask"], key)
                observation, _, over, _, info = env.step(action)
            assert info["points"].tolist() == points[board].tolist()


def test_opponents_sit_in_turn_order_from_the_learners_left() -> None:
    asked: list[tuple[str, int]] = []

    def spy(name: str, game: Game) -> Any:
        def choose(observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]) -> int:
            turn = game.layout.split(observation)["turn"]
            assert turn.tolist() == [1, 0, 0, 0], "an opponent sees the match from its own seat"
            first = int(game.layout.split(observation)["first"].argmax())
            asked.append((name, first))
            return int(np.flatnonzero(mask)[0])

        return choose

    game = load_game(ID, golden=0, **SHORT)
    for seat in range(4):
        asked.clear()
        opponents = [spy(name, game) for name in "abc"]
        env = SeatEnv(ID, seat=seat, opponents=opponents, golden=0, **SHORT)
        env.reset(seed=0)
        for _ in range(2):  # both cards to set aside
            env.step(int(np.flatnonzero(env.action_masks())[0]))
        # Seen from player p, the first player (0) sits (0 - p) mod 4 further.
        seats = {name: (-first) % 4 for name, first in asked}
        for k, name in enumerate("abc", 1):
            assert seats[name] == (seat + k) % 4


def test_matches_repeat_under_a_seed_and_boards_follow() -> None:
    env, other = SeatEnv(ID, **SHORT), SeatEnv(ID, **SHORT)
    first, _ = env.reset(seed=5)
    outcomes = []
    for _ in range(4):
        outcomes.append(play_out(env, 1)[0])
        env.reset()
    again, _ = other.reset(seed=5)
    assert (first == again).all()
    for outcome in outcomes:
        assert play_out(other, 1)[0] == outcome
        other.reset()
    _, info = other.reset(seed=5, options={"board": 9})
    assert info["board"] == 9
    assert other.reset()[1]["board"] == 10
    assert other.reset(seed=6)[1]["board"] == 0
    assert other.reset(options={"board": 2**63 - 1})[1]["board"] == 2**63 - 1


def test_copies_and_pickles_go_on_alike() -> None:
    env = SeatEnv(ID, opponents=["random", first_legal, RANDOM.with_seed(2)], **SHORT)
    env.reset(seed=3)
    for _ in range(3):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    outcome = play_out(env, 8)
    for other in others:
        found = play_out(other, 8)
        assert found[0] == outcome[0]
        assert found[2] == outcome[2]


def test_a_seat_that_is_never_asked_still_gets_a_match_to_play() -> None:
    # Somebody may lead a whole hand and end the match before a player's first turn.
    env = SeatEnv(
        ID, seat=1, num_players=2, hand_size=3, set_aside=0, rounds=1,
        deck={"colours": 3, "values": 4}, opponents=first_legal_longest,
    )  # fmt: skip
    _, info = env.reset(seed=0)
    for _ in range(500):
        assert info["action_mask"].any()
        _, info = env.reset()


def first_legal_longest(observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]) -> int:
    """Plays as many cards as possible, as far as action numbers tell."""
    legal = np.flatnonzero(mask)
    plays = legal[legal < len(mask) - 2]
    return int(plays[-1] if len(plays) else legal[0])


# Illegal actions, errors --------------------------------------------------------------------------


def test_an_illegal_action_ends_the_match_by_default() -> None:
    env = SeatEnv(ID, **SHORT)
    env.reset(seed=0)
    for _ in range(4):
        wrong = int(np.flatnonzero(~env.action_masks())[0])
        observation, reward, terminated, truncated, info = env.step(wrong)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert "illegal" in info
        assert not info["action_mask"].any()
        assert env.observation_space.contains(observation)
        with pytest.raises(ResetNeededError):
            env.step(0)
        env.reset()
        total, _, _ = play_out(env, 0)
        assert np.isfinite(total)
        env.reset()


def test_an_illegal_action_can_raise_and_change_nothing() -> None:
    env = SeatEnv(ID, illegal="raise", **SHORT)
    env.reset(seed=0)
    before = env._match.tobytes(), env.action_masks().tobytes()
    wrong = int(np.flatnonzero(~env.action_masks())[0])
    for action in (wrong, -1, env.game.num_actions, 0.0, None, "a", np.zeros(2), True):
        with pytest.raises(IllegalActionError):
            env.step(action)  # type: ignore[arg-type]
        assert (env._match.tobytes(), env.action_masks().tobytes()) == before
    kinds: list[Any] = [np.int64, np.int32, np.array]
    for kind in kinds:
        env.step(kind(np.flatnonzero(env.action_masks())[0]))


def test_what_is_no_number_raises_in_every_mode() -> None:
    env = SeatEnv(ID, **SHORT)
    env.reset(seed=0)
    for action in (0.0, None, "a", np.zeros(2)):
        with pytest.raises(IllegalActionError):
            env.step(action)  # type: ignore[arg-type]


def test_opponents_that_play_illegally_are_named() -> None:
    for answer in (-1, 10**6, None, 0.5, "pass", True):
        env = SeatEnv(ID, opponents=lambda observation, mask, a=answer: a, golden=1, **SHORT)
        with pytest.raises(IllegalActionError, match="player"):
            env.reset(seed=0)


def test_opponents_cannot_change_the_match_through_what_they_see() -> None:
    def vandal(observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]) -> int:
        action = int(np.flatnonzero(mask)[0])
        observation[:] = 1
        mask[:] = 1
        return action

    env = SeatEnv(ID, opponents=vandal, **SHORT)
    other = SeatEnv(ID, opponents=first_legal, **SHORT)
    env.reset(seed=1)
    other.reset(seed=1)
    assert play_out(env, 1)[0] == play_out(other, 1)[0]


def test_the_learner_cannot_change_the_match_through_what_it_sees() -> None:
    env, other = SeatEnv(ID, **SHORT), SeatEnv(ID, **SHORT)
    for one in (env, other):
        observation, info = one.reset(seed=1)
    legal = env.action_masks().copy()
    observation[:], info["action_mask"][:] = 1, 1
    env.action_masks()[:] = True
    assert (env.action_masks() == legal).all()
    assert play_out(env, 1)[0] == play_out(other, 1)[0]


@pytest.mark.parametrize("seat", [-1, 4, 1.0, "0", True, None])
def test_bad_seats_are_refused(seat: Any) -> None:
    with pytest.raises(OptionError, match="seat"):
        SeatEnv(ID, seat=seat)


@pytest.mark.parametrize(
    "opponents",
    ["greedy", "", ["random"], ["random"] * 4, [None] * 3, [1, 2, 3], ["random", "x", "random"],
     None, 5, {}, b"greedy"],
    ids=repr,
)  # fmt: skip
def test_bad_opponents_are_refused(opponents: Any) -> None:
    with pytest.raises(OptionError, match="opponents"):
        SeatEnv(ID, opponents=opponents)


def test_other_bad_arguments_are_refused() -> None:
    for name, value in (
        ("reward", "score"),
        ("illegal", "ignore"),
        ("render_mode", "human"),
        ("num_player", 5),
    ):
        arguments: dict[str, Any] = {name: value}
        with pytest.raises(OptionError, match=name):
            SeatEnv(ID, **arguments)
    env = SeatEnv(ID, **SHORT)
    for seed, options in ((-1, None), (2**63, None), (1, {"board": -1}), (1, {"board": "a"})):
        with pytest.raises(SeedError):
            env.reset(seed=seed, options=options)


def test_use_before_reset_is_refused() -> None:
    env = SeatEnv(ID, render_mode="ansi", **SHORT)
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)
    with pytest.raises(ResetNeededError, match="reset"):
        env.render()


def test_rendering_shows_what_the_seat_sees_and_no_more() -> None:
    env = SeatEnv(ID, seat=2, render_mode="ansi")
    env.reset(seed=0)
    text = env.render()
    assert text is not None
    assert text == env.game.state_text(env._match, 2)
    assert text.count("hand ") == 1
    assert SeatEnv(ID).render() is None


def test_without_a_seed_matches_differ() -> None:
    seen = {SeatEnv(ID, **SHORT).reset()[0].tobytes() for _ in range(8)}
    assert len(seen) > 4
