"""The PettingZoo adapter: the outer contract, and the ways in which such adapters go wrong."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import pickle
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
from pettingzoo.utils import wrappers

import loop_envs
from loop_envs import load_game, records
from loop_envs.envs.aec import LoopAECEnv, make_raw
from loop_envs.envs.arguments import REWARDS
from loop_envs.errors import IllegalActionError, OptionError, ResetNeededError, SeedError
from loop_envs.testing.adapters import result

ID = "loop_boards-v0"
SHORT: dict[str, Any] = {
    "rounds": 1,
    "hand_size": 4,
    "deck": {"colours": 4, "values": 5},
    "eight": 3,
}


def make(**arguments: Any) -> LoopAECEnv:
    """An environment of a short game."""
    return make_raw(ID, **{**SHORT, **arguments})


def random_action(env: LoopAECEnv, rng: np.random.Generator) -> int | None:
    """A legal action of the agent to move, None for a dead one."""
    mask = env.infos[env.agent_selection]["action_mask"]
    return int(rng.choice(np.flatnonzero(mask))) if mask.any() else None


def play_out(env: LoopAECEnv, seed: int = 0) -> dict[str, float]:
    """Plays to the very end; returns the sums of the rewards that `last` showed."""
    rng = np.random.default_rng(seed)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last(observe=False)
        returns[agent] += reward
        env.step(None if terminated or truncated else random_action(env, rng))
    return returns


def snapshot(env: LoopAECEnv) -> str:
    """Everything that a user can see, as text."""
    seen = [env.observe(agent) for agent in env.possible_agents]
    return repr(
        (
            env.agents,
            env.agent_selection,
            env.rewards,
            env._cumulative_rewards,
            env.terminations,
            env.truncations,
            [{k: v.tobytes() for k, v in s.items()} for s in seen],
            {a: i["action_mask"].tobytes() for a, i in env.infos.items()},
            env.state().tobytes(),
            env.game.state_text(env._match),
        )
    )


# PettingZoo's own tests ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:reset options")
@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_pettingzoo_api(num_players: int) -> None:
    api_test(make_raw(ID, num_players=num_players), num_cycles=300)
    api_test(make(num_players=num_players, deck="exact13", illegal="terminate"), num_cycles=300)


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_pettingzoo_seed(num_players: int) -> None:
    seed_test(lambda: make_raw(ID, num_players=num_players), num_cycles=100)


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_pettingzoo_save_obs(num_players: int) -> None:
    save_obs_test(make_raw(ID, num_players=num_players))


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_pettingzoo_render(num_players: int) -> None:
    def make_env(render_mode: str) -> LoopAECEnv:
        # The test probes "human" whatever is advertised.
        mode = "ansi" if render_mode == "human" else render_mode
        return make_raw(ID, num_players=num_players, render_mode=mode)

    render_test(make_env, custom_tests={"ansi": lambda text: "Round 1 of" in text})


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_pettingzoo_performance_benchmark(
    num_players: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # It plays for five seconds by the clock; here the clock goes 200 times as fast.
    start = time.time()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: start + 200 * (real() - start))
    performance_benchmark(make_raw(ID, num_players=num_players))
    assert "Finished" in capsys.readouterr().out


def test_every_advertised_render_mode_works_and_others_are_refused() -> None:
    assert make().metadata["render_modes"] == ["ansi"]
    env = make(render_mode="ansi")
    env.reset(seed=0)
    assert isinstance(env.render(), str)
    env = make()
    env.reset(seed=0)
    assert env.render() is None
    unknown: list[Any] = ["human", "rgb_array", "text", 1]
    for mode in unknown:
        with pytest.raises(OptionError, match="render_mode"):
            make(render_mode=mode)


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_pettingzoo_make(num_players: int) -> None:
    env = pettingzoo.make("aec", f"loop_envs/{ID}", num_players=num_players, reward="win")
    inner = env.unwrapped
    assert isinstance(inner, LoopAECEnv)
    assert inner.game.options["num_players"] == num_players
    assert inner.reward_name == "win"
    env.reset(seed=1)
    assert env.last()[0]["action_mask"].any()
    with pytest.raises(OptionError, match="num_player"):
        pettingzoo.make("aec", f"loop_envs/{ID}", num_player=5)


def test_pettingzoo_wrappers_go_around_it() -> None:
    env = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(make()))
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    assert not env.agents


# Spaces, masks, observations ----------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_spaces_hold_what_is_shown_through_a_match(num_players: int) -> None:
    env = make_raw(ID, num_players=num_players)
    env.reset(seed=3)
    assert env.possible_agents == [f"player_{p}" for p in range(num_players)]
    rng = np.random.default_rng(0)
    while env.agents:
        for agent in env.possible_agents:
            assert env.observation_space(agent) is env.observation_space(agent)
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())
        env.step(random_action(env, rng))


def test_masks_have_ones_exactly_for_the_agent_to_move_in_1000_matches() -> None:
    env = make()
    rng = np.random.default_rng(0)
    for board in range(1_000):
        env.reset(seed=7 if board == 0 else None)
        while env.agents:
            running = not any(env.terminations.values())
            for agent in env.agents:
                mask = env.infos[agent]["action_mask"]
                assert mask.any() == (running and agent == env.agent_selection)
                assert mask.dtype == np.int8
                assert mask.shape == (env.game.num_actions,)
            env.step(random_action(env, rng))


def test_what_was_handed_out_is_not_overwritten() -> None:
    env = make()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    kept: list[tuple[Any, Any]] = []
    while env.agents:
        for agent in env.agents:
            seen = env.observe(agent)
            kept.append((seen["observation"], seen["observation"].copy()))
            kept.append((seen["action_mask"], seen["action_mask"].copy()))
            mask = env.infos[agent]["action_mask"]
            kept.append((mask, mask.copy()))
        if not any(env.terminations.values()):  # PettingZoo's dead steps take agents out of it
            kept.append((env.rewards, dict(env.rewards)))
        env.step(random_action(env, rng))
    for given, then in kept:
        if isinstance(given, dict):
            assert given == then
        else:
            assert (given == then).all()


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("source", ["last", "observe", "infos"])
def test_a_user_who_scribbles_on_a_mask_does_not_make_moves_legal(
    source: str, copied: bool
) -> None:
    env = make()
    env.reset(seed=0)
    env = pickle.loads(pickle.dumps(env)) if copied else env
    agent = env.agent_selection
    given: Any = {"last": env.last()[0], "observe": env.observe(agent), "infos": env.infos[agent]}
    mask = given[source]["action_mask"]
    illegal = int(np.flatnonzero(mask == 0)[0])
    try:
        mask[:] = 1
    except ValueError:
        return  # read-only is one way to keep it safe
    with pytest.raises(IllegalActionError):
        env.step(illegal)


def test_a_user_who_scribbles_on_anothers_mask_changes_nothing() -> None:
    env = make()
    env.reset(seed=0)
    for one in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        other = next(a for a in one.agents if a != one.agent_selection)
        for mask in (one.infos[other]["action_mask"], one.observe(other)["action_mask"]):
            with contextlib.suppress(ValueError):
                mask[:] = 1
        one.step(int(np.flatnonzero(one.infos[one.agent_selection]["action_mask"])[0]))
        for agent in one.agents:
            mask = one.infos[agent]["action_mask"]
            assert mask.any() == (agent == one.agent_selection)
            assert not mask.all()


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_the_state_holds_every_card(num_players: int) -> None:
    env = make_raw(ID, num_players=num_players)
    env.reset(seed=5)
    layout = env.game.layout
    rng = np.random.default_rng(1)
    while env.agents:
        views = layout.split(env.state().reshape(num_players, -1))
        everything = views["hand"].sum(axis=0) + views["aside"].sum(axis=0)
        everything += views["played"][:, 0].sum(axis=0)
        assert (everything == 1).all(), "each of the dealt cards lies in one place"
        for p, agent in enumerate(env.possible_agents):
            own = env.observe(agent)["observation"]
            assert (own == env.state().reshape(num_players, -1)[p]).all()
        env.step(random_action(env, rng))


# Illegal actions ----------------------------------------------------------------------------------


def wrong_actions(env: LoopAECEnv) -> list[Any]:
    """Actions that no rule allows now."""
    illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])
    return [illegal, np.int64(illegal), -1, np.int64(-1), env.game.num_actions, 10**12, 2**70]


def test_illegal_actions_raise_and_change_nothing() -> None:
    env = make()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(15):
        before = snapshot(env)
        strange = [None, "pass", 0.0, True, [0], np.zeros(2), np.float32(1)]
        for action in [*wrong_actions(env), *strange]:
            with pytest.raises(IllegalActionError, match="player"):
                env.step(action)
            assert snapshot(env) == before
        env.step(random_action(env, rng))


def test_the_error_names_match_player_action_and_what_is_legal() -> None:
    env = make_raw(ID)
    env.reset(seed=4, options={"board": 12})
    player = env.possible_agents.index(env.agent_selection)
    held = {env.game.action_names[a] for a in env.game.legal_actions(env._match)}
    wrong = next(a for a, name in enumerate(env.game.action_names) if name not in held)
    with pytest.raises(IllegalActionError) as caught:
        env.step(wrong)
    message = str(caught.value)
    for part in (
        ID,
        "seed 4",
        "board 12",
        "ply 0",
        f"player {player}",
        env.game.action_names[wrong],
    ):
        assert part in message
    assert all(name in message for name in held)


def test_illegal_terminate_punishes_and_everyone_gets_one_dead_step() -> None:
    env = make(illegal="terminate")
    for turn, kind in enumerate(range(5)):
        env.reset(seed=1)
        rng = np.random.default_rng(kind)
        for _ in range(kind * 3):
            env.step(random_action(env, rng))
        offender = env.agent_selection
        env.step(wrong_actions(env)[turn])
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        assert env.rewards[offender] == -1
        assert sum(env.rewards.values()) == pytest.approx(0)
        assert all(r == pytest.approx(1 / 3) for a, r in env.rewards.items() if a != offender)
        dead = []
        for agent in env.agent_iter():
            seen, _, terminated, _, info = env.last()
            assert terminated
            assert seen is not None
            assert not seen["action_mask"].any()
            assert info.get("illegal", False) == (agent == offender)
            dead.append(agent)
            env.step(None)
        assert sorted(dead) == env.possible_agents
        assert env.agents == []
        with pytest.raises(ResetNeededError):
            env.step(0)


def test_reset_after_an_illegal_action_restores_everything() -> None:
    for illegal in ("raise", "terminate"):
        fresh, used = make(), make(illegal=illegal)
        for env in (fresh, used):
            env.reset(seed=9)
        try:
            used.step(wrong_actions(used)[0])
        except IllegalActionError:
            assert illegal == "raise"
        for seed in (9, None, 3):
            fresh.reset(seed=seed)
            used.reset(seed=seed)
            assert snapshot(fresh) == snapshot(used)
            assert play_out(fresh) == play_out(used)


def test_a_dead_agent_may_only_step_none() -> None:
    env = make()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while not any(env.terminations.values()):
        env.step(random_action(env, rng))
    with pytest.raises(ValueError, match="None"):
        env.step(0)


# Before reset, boards, seeds ----------------------------------------------------------------------


def test_use_before_reset_is_refused_with_the_reason() -> None:
    env = make(render_mode="ansi")
    uses: list[Any] = [
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        lambda: env.state(),
        lambda: env.render(),
    ]
    for use in uses:
        with pytest.raises(ResetNeededError, match="reset"):
            use()
    with pytest.raises((ResetNeededError, AttributeError)):
        env.last()


def hands(env: LoopAECEnv) -> bytes:
    """What was dealt."""
    return bytes(env._match["hands"].tobytes())


def test_boards_follow_each_other_under_a_seed() -> None:
    env = make()
    env.reset(seed=3)
    first = []
    for _ in range(5):
        first.append(hands(env))
        env.reset()
    assert len(set(first)) == 5
    env.reset(seed=3, options={"board": 2})
    assert hands(env) == first[2]
    env.reset()
    assert hands(env) == first[3]
    env.reset(options={"board": 0})
    assert hands(env) == first[0]
    env.reset()
    assert hands(env) == first[1]
    env.reset(seed=3)
    assert hands(env) == first[0]
    env.reset(seed=3, options={})
    assert hands(env) == first[0]
    env.reset(seed=4)
    assert hands(env) not in first


def test_refused_seeds_and_boards_leave_the_match_running() -> None:
    env = make()
    env.reset(seed=3)
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    before = snapshot(env)
    wrong: list[tuple[Any, Any]] = [
        (-1, None), (2**63, None), (True, None), (1.5, None), ("a", None), (5, {"board": -1}),
        (5, {"board": 2**63}), (5, {"board": None}), (None, {"board": "1"}),
    ]  # fmt: skip
    for seed, options in wrong:
        with pytest.raises(SeedError):
            env.reset(seed=seed, options=options)
        assert snapshot(env) == before
    env.reset()
    expected = make()
    expected.reset(seed=3, options={"board": 1})
    assert hands(env) == hands(expected)


def test_the_last_board_is_the_last() -> None:
    env = make()
    env.reset(seed=0, options={"board": 2**63 - 1})
    with pytest.raises(SeedError, match="last"):
        env.reset()
    env.reset(seed=0)


def test_unknown_reset_options_are_warned_of_and_ignored() -> None:
    env = make()
    env.reset(seed=0)
    expected = hands(env)
    with pytest.warns(UserWarning, match="boards"):
        env.reset(seed=0, options={"boards": 3})
    assert hands(env) == expected


def test_without_a_seed_matches_differ() -> None:
    dealt = set()
    for _ in range(10):
        env = make()
        env.reset()
        dealt.add(hands(env))
    assert len(dealt) == 10


# Rewards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", list(REWARDS))
def test_rewards_sum_to_the_result_in_250_matches(reward: str) -> None:
    """With four modes a thousand matches; players finish early in every one of them."""
    options: dict[str, Any] = {**SHORT, "rounds": 3}
    env = make_raw(ID, reward=reward, **options)
    for board in range(250):
        env.reset(seed=11 if board == 0 else None)
        returns = play_out(env, board)
        game, match = env.game, env._match
        expected = result(game, game.points(match), game.places(match), reward)
        assert list(returns.values()) == pytest.approx(expected.tolist(), abs=1e-5)
        if reward != "points":
            assert sum(returns.values()) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_margins_of_the_full_game(num_players: int) -> None:
    env = make_raw(ID, num_players=num_players)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    totals = np.zeros(num_players)
    while env.agents:
        if not any(env.terminations.values()):
            before = env.game.points(env._match)
            env.step(random_action(env, rng))
            earned = env.game.points(env._match) - before
            rewards = np.array(list(env.rewards.values()))
            assert rewards == pytest.approx(earned - earned.mean(), abs=1e-6)
            totals += rewards
        else:
            env.step(None)
    points = env.game.points(env._match)
    assert totals == pytest.approx(points - points.mean(), abs=1e-5)


def test_win_and_place_rewards_come_at_the_end_only() -> None:
    for reward in ("win", "place"):
        env = make(reward=reward)
        env.reset(seed=2)
        rng = np.random.default_rng(0)
        while not any(env.terminations.values()):
            assert not any(env.rewards.values())
            env.step(random_action(env, rng))
        places = env.game.places(env._match)
        given = [env.rewards[a] for a in env.possible_agents]
        for p, q in np.ndindex(4, 4):
            if places[p] == places[q]:
                assert given[p] == given[q]
            elif places[p] < places[q]:
                assert given[p] >= given[q]


def test_bad_arguments_are_refused() -> None:
    for arguments, named in (
        ({"reward": "score"}, "reward"),
        ({"reward": None}, "reward"),
        ({"illegal": "ignore"}, "illegal"),
        ({"illegal": True}, "illegal"),
    ):
        with pytest.raises(OptionError, match=named):
            make(**arguments)


# Copies -------------------------------------------------------------------------------------------


def middles(number: int) -> Iterator[tuple[LoopAECEnv, np.random.Generator]]:
    """Environments at random plies, now and then among the dead steps."""
    for seed in range(number):
        env = make()
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(int(rng.integers(0, 45))):
            if len(env.agents) > 1:
                env.step(random_action(env, rng))
        yield env, rng


def test_copies_go_on_alike_and_independently() -> None:
    dead = 0
    for env, _ in middles(40):
        dead += any(env.terminations.values())
        restored = make()
        restored.set_state(env.get_state())
        others = [copy.deepcopy(env), copy.copy(restored), pickle.loads(pickle.dumps(env))]
        before = snapshot(env)
        kept = copy.deepcopy(env)
        outcome = None
        for one in (others[0], others[2], others[1]):
            assert snapshot(one) == before
            returns = play_out(one, 5)
            outcome = outcome or returns
            assert returns == outcome
            assert snapshot(env) == before, "playing a copy moved the original"
        assert play_out(env, 5) == outcome
        assert snapshot(kept) == before
    assert dead


def finish(pickled: bytes, seed: int) -> dict[str, float]:
    """In another process: plays an environment to its end."""
    env = pickle.loads(pickled)
    env.step(random_action(env, np.random.default_rng(seed)))
    return play_out(env, seed)


def finish_state(state: dict[str, Any], seed: int) -> dict[str, float]:
    """In another process: the same from `get_state`."""
    env = make()
    env.set_state(state)
    env.step(random_action(env, np.random.default_rng(seed)))
    return play_out(env, seed)


def test_copies_go_on_alike_in_a_spawned_process() -> None:
    context = multiprocessing.get_context("spawn")
    env = make(reward="points")
    env.reset(seed=6)
    rng = np.random.default_rng(0)
    for _ in range(9):
        env.step(random_action(env, rng))
    with context.Pool(1) as pool:
        theirs = pool.apply(finish, (pickle.dumps(env), 3))
        again = pool.apply(finish, (pickle.dumps(env), 3))
        margins = pool.apply(finish_state, (env.get_state(), 3))
    mine = finish(pickle.dumps(env), 3)
    assert theirs == again == mine
    assert sum(margins.values()) == pytest.approx(0, abs=1e-5)


def test_set_state_takes_a_copy() -> None:
    env, other = make(), make()
    env.reset(seed=1)
    state = env.get_state()
    other.set_state(state)
    before = snapshot(other)
    state["match"]["left"] = 0
    state["rewards"].clear()
    state["agents"].clear()
    assert snapshot(other) == before
    play_out(env)
    assert snapshot(other) == before


def test_a_state_of_another_variant_is_refused() -> None:
    # Its actions and players mean something else; compiled code would read beyond its tables.
    env, other = make_raw(ID, num_players=6), make_raw(ID, num_players=4)
    env.reset(seed=0)
    other.reset(seed=0)
    before = snapshot(env)
    with pytest.raises(ValueError, match="another"):
        env.set_state(other.get_state())
    assert snapshot(env) == before


def test_boards_go_on_after_set_state() -> None:
    env, other = make(), make()
    env.reset(seed=5, options={"board": 7})
    other.set_state(env.get_state())
    env.reset()
    other.reset()
    assert hands(env) == hands(other)


# Many matches -------------------------------------------------------------------------------------


def test_players_who_finish_early_never_break_the_order_of_turns() -> None:
    env = make_raw(ID, num_players=6, hand_size=3, set_aside=1, eight=2, rounds=2,
                   deck={"colours": 3, "values": 6})  # fmt: skip
    for board in range(400):
        env.reset(seed=0 if board == 0 else None)
        rng = np.random.default_rng(board)
        dead = dict.fromkeys(env.possible_agents, 0)
        for agent in env.agent_iter():
            over = env.terminations[agent] or env.truncations[agent]
            dead[agent] += over
            env.step(None if over else random_action(env, rng))
        assert set(dead.values()) == {1}
        assert env.agents == []


def test_a_match_is_the_one_that_the_rules_play() -> None:
    for num_players in (4, 5, 6):
        game = load_game(ID, num_players=num_players)
        record = records.record_match(game, 3, 1)
        env = loop_envs.make(ID, num_players=num_players)
        env.reset(seed=3, options={"board": 1})
        for event in record["events"]:
            if "move" in event:
                assert env.agent_selection == f"player_{event['player']}"
                env.step(game.parse_action(env._match, event["move"]))
        assert all(env.terminations.values())
        assert game.points(env._match).tolist() == record["scores"]


def test_numpy_integers_are_actions() -> None:
    env = make()
    env.reset(seed=0)
    for kind in (np.int64, np.int32, np.uint16, np.int8):
        action = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            env.step(kind(action))  # type: ignore[arg-type]
