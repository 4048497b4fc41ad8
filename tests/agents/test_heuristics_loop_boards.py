"""The rule-based players of loop_boards: legal everywhere, repeatable, and in the right order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents.heuristics.loop_boards import GREEDY, PLANNER, POLICIES
from agents.named import policies_of
from loop_envs.climbing.tables import KIND, RUN, SIZE
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, Policy, choose_many
from loop_envs.registry import load_game

ENV = "loop_boards-v0"
ODD_OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2, "hand_size": 12, "deck": {"colours": 2, "values": 15}},
    {"num_players": 6, "deck": {"colours": 6, "values": 15}, "run_same_colour": False},
    {"num_players": 6, "run_same_colour": False, "run_wrap": True, "deck": "fifteen"},
    {"num_players": 3, "hand_size": 13, "deck": {"colours": 6, "values": 7}, "eight": 4},
    {"num_players": 2, "hand_size": 3, "deck": {"colours": 6, "values": 1}, "eight": 1},
    {"num_players": 2, "hand_size": 7, "deck": {"colours": 1, "values": 15}, "run_wrap": True},
    {"num_players": 4, "run_wrap": True, "eight": None, "set_aside": 0},
    {"num_players": 5, "set_aside": 1, "reveal": "stuck_only", "on_exit": "clear"},
    {"num_players": 4, "hand_size": 3, "reveal_on_lead": False, "eight": 13},
    {"num_players": 2, "hand_size": 6, "deck": {"colours": 6, "values": 2}, "run_wrap": True},
]


def _random_options(rng: np.random.Generator) -> Game:
    while True:
        n = int(rng.integers(2, 7))
        deck: Any = {"colours": int(rng.integers(1, 7)), "values": int(rng.integers(1, 16))}
        options = {
            "num_players": n,
            "deck": [deck, deck, "exact13", "fifteen"][rng.integers(4)],
            "hand_size": int(rng.integers(3, 14)),
            "set_aside": int(rng.integers(3)),
            "eight": [None, 8, 8, int(rng.integers(1, 16))][rng.integers(4)],
            "run_same_colour": bool(rng.integers(2)),
            "run_wrap": bool(rng.integers(2)),
            "reveal": ["allowed", "stuck_only", "off"][rng.integers(3)],
            "reveal_on_lead": bool(rng.integers(2)),
            "on_exit": ["play_on", "clear"][rng.integers(2)],
            "rounds": int(rng.integers(1, n + 1)),
        }
        try:
            return load_game(ENV, **options)
        except OptionError:
            continue


def _choices(batch: Batch, policy: Policy) -> npt.NDArray[np.int64]:
    keys = np.arange(batch.num_matches, dtype=np.uint64)
    return choose_many(batch.game, policy, batch.observation, batch.action_mask, keys)


def _check_legal(game: Game, seed: int, steps: int = 120) -> None:
    """Steps matches with a mixture of players; every player's choice is checked everywhere."""
    batch = Batch(game, 12)
    batch.reset(seed)
    rng = np.random.default_rng(seed)
    rows = np.arange(12)
    for step in range(steps):
        options = [batch.sample_actions(step)]
        for policy in POLICIES:
            actions = _choices(batch, policy)
            assert (actions >= 0).all()
            assert (batch.action_mask[rows, actions] == 1).all(), (policy.name, game)
            options.append(actions)
        batch.step(np.array(options)[rng.integers(len(options), size=12), rows])


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=str)
def test_legal_under_odd_options(options: dict[str, Any]) -> None:
    _check_legal(load_game(ENV, **options), seed=1)


@pytest.mark.parametrize("seed", range(25))
def test_legal_under_random_options(seed: int) -> None:
    _check_legal(_random_options(np.random.default_rng(seed)), seed)


def test_known_by_name() -> None:
    assert list(policies_of("loop_boards")) == ["random", "greedy", "planner"]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_choices_repeat(policy: Policy) -> None:
    game = load_game(ENV, num_players=5)
    seats = np.zeros((40, 5), np.int8)
    points, _, plies = play_matches(game, [policy], seats, 3, np.arange(40))
    points2, _, plies2 = play_matches(game, [policy], seats, 3, np.arange(40)[::-1].copy())
    assert (points == points2[::-1]).all()
    assert (plies == plies2[::-1]).all()


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_plays_the_last_cards_when_it_can(policy: Policy) -> None:
    game = load_game(ENV)
    batch = Batch(game, 200)
    batch.reset(5)
    left = game.layout.offsets["cards_left"]
    sizes = game.tables[:, SIZE]
    rows, found = np.arange(200), 0
    for _ in range(150):
        actions = _choices(batch, policy)
        plays = (batch.action_mask == 1) & (game.tables[:, KIND] <= RUN)
        ends = (plays & (sizes[None] == batch.observation[:, left, None])).any(axis=1)
        found += int(ends.sum())
        assert (sizes[actions[ends]] == batch.observation[rows[ends], left]).all()
        batch.step(actions)
    assert found > 100


def _margin(game: Game, a: Policy, b: Policy, boards: int) -> tuple[float, float]:
    """Mean margin of a's seats per board, and half its 95 % interval."""
    n = game.num_players
    half = np.arange(n) % 2
    patterns = np.array([half, 1 - half, np.roll(half, 1), np.roll(1 - half, 1)], np.int8)
    seating = np.tile(patterns, (boards, 1))
    points, _, _ = play_matches(game, [a, b], seating, 11, np.repeat(np.arange(boards), 4))
    margins = (points - points.mean(axis=1, keepdims=True)) * (seating == 0)
    of_board = margins.reshape(boards, -1).sum(axis=1) / (seating == 0).reshape(boards, -1).sum(
        axis=1
    )
    return float(of_board.mean()), float(1.96 * of_board.std(ddof=1) / np.sqrt(boards))


@pytest.mark.parametrize("deck", ["exact13", "fifteen"])
@pytest.mark.parametrize("players", [4, 5, 6])
def test_order_of_strength(players: int, deck: str) -> None:
    game = load_game(ENV, num_players=players, deck=deck)
    for better, worse in ((GREEDY, RANDOM), (PLANNER, GREEDY)):
        mean, half = _margin(game, better, worse, 200)
        assert mean - half > 0.5, (better.name, worse.name, mean, half)
