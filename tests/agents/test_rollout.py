from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from agents import make_agent
from agents.base import Agent
from agents.handicapped import handicapped
from agents.rollout import OBJECTIVES, Objective, RolloutAgent
from experiments.fairness.games.loop_boards.state import rebuild
from experiments.match_runner import play_lineups
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.game import Game
from tests.experiments.helpers import OPTIONS, Asked

POINTS = np.array([[5.0, 9, 2, 5], [7, 1, 7, 3], [4, 4, 4, 4]])


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("loop_boards-v0", **OPTIONS)


def rollout(game: Game, objective: Objective, threads: int = 1, samples: int = 4) -> RolloutAgent:
    policy = make_agent("greedy", game, 1).policy
    assert policy is not None
    return RolloutAgent(
        "rollout", game, rebuild, policy, objective, samples=samples, seed=1, threads=threads
    )


def test_objectives() -> None:
    expected: dict[str, list[float]] = {
        "points": [5, 7, 4],
        "margin": [-0.25, 2.5, 0],
        "place": [0.5, 5 / 6, 0.5],
        "neighbour": [-3.75, 3.5, 0],
        "leader": [-3.75, -2.5, 0],
    }
    for name, objective in OBJECTIVES.items():
        assert np.allclose(objective(POINTS), expected[name]), name


@pytest.mark.parametrize(
    "options",
    [OPTIONS, {}, {"num_players": 6, "deck": "fifteen"}, {"golden_travels": False, "rounds": 2}],
)
def test_a_rebuilt_state_looks_the_same_and_so_do_its_alternatives(
    options: dict[str, object],
) -> None:
    game = load_game("loop_boards-v0", **options)
    rng = np.random.default_rng(0)
    batch = Batch(game, 8)
    batch.reset(3)
    for step in range(250):
        if step % 5 == 0:
            for i in range(8):
                seat = int(batch.player[i])
                state = rebuild(game, batch.observation[i], seat)
                for same in (state, game.resample(state, seat, rng)):
                    assert game.current_player(same) == seat
                    assert np.array_equal(game.observe(same, seat), batch.observation[i])
                    assert np.array_equal(game.action_mask(same), batch.action_mask[i])
        batch.step(batch.sample_actions(step))


def test_a_state_of_missing_results_counts_markers_to_come_only(game: Game) -> None:
    batch = Batch(game, 8)
    batch.reset(3)
    for step in range(60):
        batch.step(batch.sample_actions(step))
    seen = batch.observation.copy()
    for field in ("results", "points"):
        game.layout.split(seen)[field][:] = 0
    for i in range(8):
        state = rebuild(game, seen[i], int(batch.player[i]))
        done = int(state["rounds_done"][0])
        assert not state["ranks"][0, :, :done].any()
        assert np.array_equal(game.action_mask(state), batch.action_mask[i])


def results(game: Game, agent: Agent, boards: int = 12) -> npt.NDArray[np.int32]:
    agents = {"x": agent, "greedy": make_agent("greedy", game, 1)}
    return play_lineups(
        game, agents, [["x", "greedy", "greedy"]] * boards, 5, np.arange(boards), num_matches=6
    )[0]


def test_what_is_decided_depends_on_the_position_alone(game: Game) -> None:
    once = results(game, rollout(game, OBJECTIVES["points"]))
    assert np.array_equal(once, results(game, rollout(game, OBJECTIVES["points"], threads=2)))
    hidden = handicapped("x", rollout(game, OBJECTIVES["points"]), game, ("results", "points"))
    assert not np.array_equal(once, results(game, hidden))


def test_it_gets_what_it_wants(game: Game) -> None:
    greedy = results(game, Asked(make_agent("greedy", game, 1)), 60)
    wanted: dict[str, Callable[[npt.NDArray[np.int32]], float]] = {
        "margin": lambda points: float((points[:, 0] - points.mean(axis=1)).mean()),
        "neighbour": lambda points: float((points.mean(axis=1) - points[:, 1]).mean()),
    }
    for name, value in wanted.items():
        got = results(game, rollout(game, OBJECTIVES[name], samples=8), 60)
        assert value(got) > value(greedy) + 0.3


def test_it_considers_the_usual_move_first(game: Game) -> None:
    # Where nothing makes a difference, it plays on as the policy does.
    indifferent = rollout(game, lambda points: np.zeros(points.shape[:-1]))
    assert np.array_equal(
        results(game, indifferent), results(game, Asked(make_agent("greedy", game, 1)))
    )


def test_bad_arguments(game: Game) -> None:
    with pytest.raises(ValueError, match="samples, most: got 0"):
        rollout(game, OBJECTIVES["points"], samples=0)
