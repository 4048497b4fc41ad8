from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents import make_agent
from agents.base import Agent, Decisions
from agents.handicapped import HandicappedAgent, handicapped
from experiments.match_runner import play_lineups
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.game import Game
from loop_envs.handicap import handicap_rows, handicap_spans, with_handicap
from loop_envs.policies import RANDOM
from tests.experiments.helpers import OPTIONS, Asked

SEATS = [["x", "greedy", "planner"], ["random", "x", "x"]] * 30
BOARDS = np.repeat(np.arange(30), 2)


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("loop_boards-v0", **OPTIONS)


class Witness(Agent):
    """Keeps what it is shown and plays the last legal action."""

    def __init__(self) -> None:
        self.name = "witness"
        self.shown: list[Decisions] = []

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        self.shown.append(decisions)
        mask = decisions.action_mask
        return np.asarray(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1), np.int64)


def results(game: Game, x: Agent) -> list[npt.NDArray[np.integer]]:
    agents = {name: make_agent(name, game, 1) for name in ("greedy", "planner", "random")}
    return list(play_lineups(game, agents | {"x": x}, SEATS, 3, BOARDS))


def same(a: list[npt.NDArray[np.integer]], b: list[npt.NDArray[np.integer]]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def decisions(game: Game, matches: int, steps: int) -> Decisions:
    """Decisions in the midst of matches of random players."""
    batch = Batch(game, matches)
    batch.reset(7, np.arange(matches))
    for step in range(steps):
        batch.step(batch.sample_actions(step))
    return Decisions.of(batch, np.arange(matches), with_state=True)


@pytest.mark.parametrize("name", ["greedy", "planner", "random"])
@pytest.mark.parametrize(
    ("hide", "never"),
    [((), ()), (("known",), ()), ((), ("pass", "reveal")), (("known", "aside"), ("sets", "pass"))],
)
def test_in_and_out_of_the_compiled_loop(
    game: Game, name: str, hide: tuple[str, ...], never: tuple[str, ...]
) -> None:
    inner = make_agent(name, game, 1)
    compiled = handicapped("x", inner, game, hide, never)
    asked = handicapped("x", Asked(inner), game, hide, never)
    assert compiled.policy is not None
    assert compiled.name == "x"
    assert isinstance(asked, HandicappedAgent)
    expected = results(game, compiled)
    assert same(results(game, asked), expected)
    assert same(results(game, Asked(compiled)), expected)
    if not hide and not never:
        assert same(results(game, inner), expected)
    if never:
        assert not same(results(game, inner), expected)


def test_what_is_hidden_is_zero_and_nothing_else_changes(game: Game) -> None:
    asked = decisions(game, 50, 40)
    before = asked.observation.copy(), asked.action_mask.copy()
    witness = Witness()
    HandicappedAgent("x", witness, game, hide=("known", "points")).act(asked)
    handicapped("y", make_agent("greedy", game), game, ("known",), ("pass",)).act(asked)
    assert np.array_equal(before[0], asked.observation)  # neither touches what it is given
    assert np.array_equal(before[1], asked.action_mask)
    seen = game.layout.split(witness.shown[0].observation)
    for name, field in game.layout.split(asked.observation).items():
        hidden = name in ("known", "points")
        assert np.array_equal(seen[name], np.zeros_like(field) if hidden else field)
    assert game.layout.split(asked.observation)["known"].any()
    assert witness.shown[0].state is None
    assert np.array_equal(witness.shown[0].action_mask, asked.action_mask)
    HandicappedAgent("x", witness, game, never=("pass",)).act(asked)
    assert witness.shown[1].state is asked.state


def test_forbidden_actions_are_left_where_nothing_else_is_legal(game: Game) -> None:
    groups = {name: (first, size) for name, first, size, _ in game.rules.action_groups(game)}
    first, size = groups["pass"]
    spans = handicap_spans(game, (), ("pass",))
    mask = decisions(game, 300, 40).action_mask
    _, allowed = handicap_rows(spans, np.zeros((300, game.layout.size), np.int8), mask)
    others = mask.copy()
    others[:, first : first + size] = 0
    only = ~others.any(axis=1)
    assert 0 < only.sum() < 300
    assert np.array_equal(allowed[only], mask[only])
    assert np.array_equal(allowed[~only], others[~only])


@pytest.mark.parametrize("env", ["loo-v0", "loopla-v0", "loop_seats-v0"])
def test_other_games(env: str) -> None:
    game = load_game(env)
    group = game.rules.action_groups(game)[-1][0]
    witness = Witness()
    asked = decisions(game, 20, 5)
    agent = HandicappedAgent("x", witness, game, ("points",), (group,))
    assert (agent.act(asked) >= 0).all()
    assert not game.layout.split(witness.shown[0].observation)["points"].any()
    compiled = handicapped("x", make_agent("random", game, 1), game, ("points",), (group,))
    again = handicapped("x", Asked(make_agent("random", game, 1)), game, ("points",), (group,))
    assert np.array_equal(compiled.act(asked), again.act(asked))


def test_names(game: Game) -> None:
    policy = with_handicap(RANDOM, ("known",), ("pass",))
    assert policy.name == "random-no-known-never-pass"
    assert policy == with_handicap(RANDOM, ("known",), ("pass",))
    assert policy.choose is with_handicap(RANDOM).choose
    for inner in (make_agent("greedy", game), Asked(make_agent("greedy", game))):
        with pytest.raises(ValueError, match="hide: got 'memory', allowed: hand, aside"):
            handicapped("x", inner, game, hide=("memory",))
        with pytest.raises(ValueError, match="never: got 'miss', allowed: sets"):
            handicapped("x", inner, game, never=("miss",))
