from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents import make_agent
from agents.base import Agent, Decisions
from agents.noisy import NoisyAgent, noisy
from experiments.match_runner import play_lineups
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.game import Game
from loop_envs.noise import noise_actions, noise_share, with_noise
from loop_envs.policies import RANDOM
from tests.experiments.helpers import OPTIONS, Asked

SEATS = [["x", "greedy", "planner"], ["random", "x", "x"]] * 30
BOARDS = np.repeat(np.arange(30), 2)


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("loop_boards-v0", **OPTIONS)


def results(game: Game, x: Agent, seed: int = 3) -> tuple[npt.NDArray[np.integer], ...]:
    agents = {name: make_agent(name, game, 1) for name in ("greedy", "planner", "random")}
    return play_lineups(game, agents | {"x": x}, SEATS, seed, BOARDS)


def same(a: object, b: object) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["greedy", "planner", "random"])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_in_and_out_of_the_compiled_loop(game: Game, name: str, epsilon: float) -> None:
    inner = make_agent(name, game, 1)
    compiled = noisy("x", inner, epsilon, game)
    asked = noisy("x", Asked(inner), epsilon, game, seed=1)
    assert compiled.policy is not None
    assert compiled.name == "x"
    assert isinstance(asked, NoisyAgent)
    expected = results(game, compiled)
    assert same(results(game, asked), expected)
    assert same(results(game, Asked(compiled)), expected)
    if name != "random":  # a random player stays one, with other draws
        assert same(results(game, inner), expected) == (epsilon == 0)


def decisions(game: Game, count: int) -> Decisions:
    """Decisions on the way through many matches."""
    batch = Batch(game, 200)
    batch.reset(7, np.arange(200))
    parts = []
    for _ in range(-(-count // 200)):
        parts.append(Decisions.of(batch, np.arange(200)))
        batch.step(make_agent("greedy", game).act(parts[-1]))
    names = ("observation", "action_mask", "seat", "board", "ply", "seed")
    return Decisions(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def test_the_share_and_the_random_actions_are_right(game: Game) -> None:
    asked = decisions(game, 8000)
    keys = asked.keys(5)
    for epsilon in (0.0, 0.2, 1.0):
        actions = noise_actions(epsilon, asked.action_mask, keys)
        noise = actions >= 0
        deviation = np.sqrt(epsilon * (1 - epsilon) / len(noise))
        assert abs(noise.mean() - epsilon) <= 4 * deviation
        assert asked.action_mask[np.flatnonzero(noise), actions[noise]].all()
        # Uniform: the ranks among the legal actions, as shares, have mean 1/2 and variance 1/12.
        rows = np.flatnonzero(noise)
        legal = asked.action_mask[rows].cumsum(axis=1)[np.arange(len(rows)), actions[rows]]
        count = asked.action_mask[rows].sum(axis=1)
        z = (legal - (count + 1) / 2)[count > 1] / np.sqrt((count[count > 1] ** 2 - 1) / 12)
        if len(z):
            assert abs(z.mean()) < 4 / np.sqrt(len(z))
            assert abs((z**2).mean() - 1) < 0.1
    # A larger share adds noise and changes none.
    few, many = (noise_actions(e, asked.action_mask, keys) for e in (0.1, 0.4))
    assert (many[few >= 0] == few[few >= 0]).all()


def test_the_inner_agent_is_asked_for_the_rest_only(game: Game) -> None:
    inner = Asked(make_agent("greedy", game, 1))
    all_at_once = decisions(game, 1000)
    agent = NoisyAgent("x", inner, 0.3, 4)
    actions = agent.act(all_at_once)
    assert 600 < sum(inner.sizes) < 800
    half = np.arange(0, len(all_at_once), 2)
    assert (agent.act(all_at_once.take(half)) == actions[half]).all()
    assert not (NoisyAgent("x", inner, 0.3, 5).act(all_at_once) == actions).all()


def test_policies_are_shared_and_can_be_nested(game: Game) -> None:
    twice = with_noise(with_noise(RANDOM, 0.5), 0.25)
    assert twice.name == "random-noise-0.5-noise-0.25"
    assert with_noise(RANDOM, 0.5) == with_noise(RANDOM, 0.5)
    assert with_noise(RANDOM, 0.5).choose is with_noise(RANDOM, 0.1).choose
    assert twice.prepare(game).tolist() == [noise_share(0.25), noise_share(0.5), 0]
    greedy = make_agent("greedy", game, 1)
    assert greedy.policy is not None
    nested = with_noise(with_noise(greedy.policy, 0.0), 0.0)
    agent = make_agent("greedy", game, 1)
    agent.policy = nested
    assert same(results(game, agent), results(game, greedy))


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, float("nan")])
def test_bad_shares_are_refused(game: Game, epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon: got"):
        noisy("x", make_agent("greedy", game), epsilon, game)
    with pytest.raises(ValueError, match="epsilon: got"):
        NoisyAgent("x", make_agent("greedy", game), epsilon)
