from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from agents.base import Agent, Decisions
from experiments.match_runner import play_lineups
from loop_envs import load_game
from loop_envs.envs.matches import play_matches
from loop_envs.errors import IllegalActionError, SeedError
from loop_envs.game import Game
from loop_envs.policies import RANDOM
from tests.experiments.helpers import OPTIONS, Asked, random_agents

NAMES = "abcdefghijkl"
M = 300


@pytest.fixture(
    scope="module", params=[{}, {"tie_break": "placings", "num_players": 3, "rounds": 2}]
)
def game(request: pytest.FixtureRequest) -> Game:
    return load_game("loop_boards-v0", **(OPTIONS | request.param))


@pytest.fixture(scope="module")
def matches() -> tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    seats = np.array(list(NAMES))[rng.integers(0, len(NAMES), (M, 3))]
    return seats, rng.integers(0, 50, M) + 2**40


def agents_of(game: Game, asked: str) -> dict[str, Agent]:
    agents = random_agents(game, NAMES)
    return {name: Asked(agent) if name in asked else agent for name, agent in agents.items()}


def same(first: object, second: object) -> bool:
    pairs = zip(first, second, strict=True)  # type: ignore[call-overload]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def test_compiled_matches_are_those_of_the_batch_module(game: Game) -> None:
    seats = np.tile(np.array([[0, 1, 2], [1, 1, 0]]), (10, 1))
    boards = np.arange(20) // 2
    expected = play_matches(game, [RANDOM.with_seed(k) for k in range(3)], seats, 7, boards)
    names = np.array(list("abc"))[seats]
    assert same(play_lineups(game, random_agents(game, "abc"), names, 7, boards), expected)


@pytest.mark.parametrize("asked", ["a", "abc", NAMES])
@pytest.mark.parametrize("num_matches", [1, 7, 1000])
def test_both_paths_play_the_same(
    game: Game,
    matches: tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]],
    asked: str,
    num_matches: int,
) -> None:
    count = 60 if num_matches == 1 else M
    seats, boards = matches[0][:count], matches[1][:count]
    expected = play_lineups(game, agents_of(game, ""), seats, 5, boards)
    found = play_lineups(game, agents_of(game, asked), seats, 5, boards, num_matches=num_matches)
    assert same(found, expected)
    assert expected[0].dtype == np.int32
    assert expected[1].dtype == np.int8
    assert (expected[1].min(axis=1) == 0).all()
    assert (expected[2] > 0).all()


def test_results_do_not_depend_on_company_order_or_threads(
    game: Game, matches: tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]
) -> None:
    seats, boards = matches
    for asked in ("", "cd"):
        agents = agents_of(game, asked)
        expected = play_lineups(game, agents, seats, 5, boards)
        order = np.random.default_rng(1).permutation(M)[: M // 2]
        found = play_lineups(game, agents, seats[order], 5, boards[order], 20, num_threads=2)
        assert same(found, [part[order] for part in expected])


def test_each_agent_is_asked_once_a_ply(game: Game) -> None:
    agents = agents_of(game, "ab")
    seats = [["a", "b", "a"]] * 40
    _, _, plies = play_lineups(game, agents, seats, 1, np.arange(40), num_matches=40)
    for name in "ab":
        agent = agents[name]
        assert isinstance(agent, Asked)
        assert len(agent.sizes) <= plies.max()
        assert max(agent.sizes) > 10


def test_progress_adds_up(
    game: Game, matches: tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]
) -> None:
    ticks: list[tuple[int, int]] = []
    seats, boards = matches
    _, _, plies = play_lineups(
        game, agents_of(game, "a"), seats, 5, boards, tick=lambda *tick: ticks.append(tick)
    )
    assert np.sum(ticks, axis=0).tolist() == [M, plies.sum()]


def test_nothing_to_play_is_nothing(game: Game) -> None:
    points, places, plies = play_lineups(game, random_agents(game, "a"), [], 1, [])
    assert (points.shape, places.shape, plies.shape) == ((0, 3), (0, 3), (0,))


@pytest.mark.parametrize(
    ("seats", "boards", "words"),
    [
        ([["a", "b", "x"]], [1], "'x', allowed: a, b"),
        ([["a", "b"]], [1], r"shape \(1, 3\)"),
        ([["a", "b", "a"]], [1, 2], r"shape \(2, 3\)"),
    ],
)
def test_bad_seats_are_refused(
    game: Game, seats: list[list[str]], boards: list[int], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        play_lineups(game, random_agents(game, "ab"), seats, 1, boards)


def test_bad_boards_are_refused(game: Game) -> None:
    with pytest.raises(SeedError, match="board"):
        play_lineups(game, random_agents(game, "ab"), [["a", "b", "a"]], 1, [-1])


class Wrong(Agent):
    name = "wrong"

    def __init__(self, results: Iterator[object]) -> None:
        self.results = results

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        return np.asarray(next(self.results))


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        ([0.0], ValueError, r"'wrong' must return integers of shape \(1,\), got float64"),
        ([0, 0], ValueError, r"got int64 of shape \(2,\)"),
        ([10**9], IllegalActionError, "agent 'wrong': loop_boards-v0 seed 1 board 4 ply 0"),
        ([-1], IllegalActionError, "agent 'wrong': .* is illegal"),
        ([2], IllegalActionError, "agent 'wrong': .*illegal; legal"),
    ],
)
def test_agents_that_break_the_contract_are_named(
    game: Game, result: list[float], error: type[Exception], words: str
) -> None:
    agents: dict[str, Agent] = {"x": Wrong(iter([result]))}
    if result == [2]:  # some action that is illegal in the beginning
        mask = game.action_mask(game.new_state(1, 4))
        agents = {"x": Wrong(iter([[int(np.flatnonzero(mask == 0)[0])]]))}
    with pytest.raises(error, match=words):
        play_lineups(game, agents, [["x"] * 3], 1, [4])
