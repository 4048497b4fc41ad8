"""The rule-based players of loop_seats: legal everywhere, repeatable, and in the right order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.heuristics.loop_seats import GREEDY, PLANNER, POLICIES
from agents.named import policies_of
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, Policy
from loop_envs.registry import load_game

from .playing import check_legal, check_repeats, margin

ENV = "loop_seats-v0"
ODD_OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2, "hand_size": 13, "set_aside": 0, "colours": 2},
    {"num_players": 4, "colours": 6, "flip_per_card": True, "keep_order": True},
    {"num_players": 3, "eight_mode": "published", "hard_pass": True, "min_run": 3},
    {"num_players": 2, "colours": 6, "values": 3, "eight": 2, "hand_size": 4, "max_rounds": 2},
    {"num_players": 4, "eight": None, "set_aside": 1, "threshold_check": "immediate"},
]


def _random_options(rng: np.random.Generator) -> Game:
    while True:
        options = {
            "num_players": int(rng.integers(2, 5)),
            "colours": int(rng.integers(1, 7)),
            "values": int(rng.integers(3, 16)),
            "hand_size": int(rng.integers(2, 14)),
            "set_aside": int(rng.integers(3)),
            "eight": [None, 8, 8, int(rng.integers(1, 16))][rng.integers(4)],
            "eight_mode": ["flip_on_play", "published"][rng.integers(2)],
            "flip_per_card": bool(rng.integers(2)),
            "min_run": int(rng.integers(2, 4)),
            "hard_pass": bool(rng.integers(2)),
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
    assert list(policies_of("loop_seats")) == ["random", "greedy", "planner"]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_choices_repeat(policy: Policy) -> None:
    check_repeats(load_game(ENV, num_players=3), policy)


@pytest.mark.parametrize("mode", ["flip_on_play", "published"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_order_of_strength(players: int, mode: str) -> None:
    game = load_game(ENV, num_players=players, eight_mode=mode)
    for better, worse in ((GREEDY, RANDOM), (PLANNER, GREEDY)):
        mean, half = margin(game, better, worse, 300)
        assert mean - half > 0, (better.name, worse.name, mean, half)
