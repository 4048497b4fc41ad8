"""The rule-based players of loop_boards: legal everywhere, repeatable, and in the right order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.heuristics.loop_boards import GREEDY, PLANNER, POLICIES
from agents.named import policies_of
from loop_envs.climbing.tables import KIND, RUN, SIZE
from loop_envs.envs.batch import Batch
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, Policy
from loop_envs.registry import load_game

from .playing import check_legal, check_repeats, choices, margin

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


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=str)
def test_legal_under_odd_options(options: dict[str, Any]) -> None:
    check_legal(load_game(ENV, **options), POLICIES, seed=1)


@pytest.mark.parametrize("seed", range(25))
def test_legal_under_random_options(seed: int) -> None:
    check_legal(_random_options(np.random.default_rng(seed)), POLICIES, seed)


def test_known_by_name() -> None:
    assert list(policies_of("loop_boards")) == ["random", "greedy", "planner"]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_choices_repeat(policy: Policy) -> None:
    check_repeats(load_game(ENV, num_players=5), policy)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_plays_the_last_cards_when_it_can(policy: Policy) -> None:
    game = load_game(ENV)
    batch = Batch(game, 200)
    batch.reset(5)
    left = game.layout.offsets["cards_left"]
    sizes = game.tables[:, SIZE]
    rows, found = np.arange(200), 0
    for _ in range(150):
        actions = choices(batch, policy)
        plays = (batch.action_mask == 1) & (game.tables[:, KIND] <= RUN)
        ends = (plays & (sizes[None] == batch.observation[:, left, None])).any(axis=1)
        found += int(ends.sum())
        assert (sizes[actions[ends]] == batch.observation[rows[ends], left]).all()
        batch.step(actions)
    assert found > 100


@pytest.mark.parametrize("deck", ["exact13", "fifteen"])
@pytest.mark.parametrize("players", [4, 5, 6])
def test_order_of_strength(players: int, deck: str) -> None:
    game = load_game(ENV, num_players=players, deck=deck)
    for better, worse in ((GREEDY, RANDOM), (PLANNER, GREEDY)):
        mean, half = margin(game, better, worse, 200)
        assert mean - half > 0.5, (better.name, worse.name, mean, half)
