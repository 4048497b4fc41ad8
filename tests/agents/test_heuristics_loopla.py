"""The rule-based players of loopla: legal everywhere, repeatable, and in the right order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.heuristics.loopla import CARD_COUNTER, GREEDY, POLICIES
from agents.named import policies_of
from loop_envs.envs.batch import Batch
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, Policy
from loop_envs.registry import load_game, presets

from .playing import check_legal, check_repeats, choices, margin

ENV = "loopla-v0"
ODD_OPTIONS: list[dict[str, Any]] = [
    *presets(ENV).values(),
    {"num_players": 6, "after_fall": "free", "first_instruction": "starter"},
    {"num_players": 2, "values": 7, "reverse_with_two": "again", "seven_on_seven_double": True},
    {"num_players": 3, "values": 6, "copies": 4, "hand_size": 7, "whoop_size": 3},
    {"num_players": 5, "bust_leaves": True, "last_card_pickup": False, "start_card_power": True},
]


def _random_options(rng: np.random.Generator) -> Game:
    while True:
        options = {
            "num_players": int(rng.integers(2, 7)),
            "values": int(rng.integers(5, 14)),
            "copies": int(rng.integers(1, 5)),
            "hand_size": int(rng.integers(2, 9)),
            "whoop_size": int(rng.integers(3, 8)),
            "first_instruction": ["free", "random", "starter"][rng.integers(3)],
            "after_fall": ["persist", "free"][rng.integers(2)],
            "reverse_with_two": ["none", "again"][rng.integers(2)],
            "bust_leaves": bool(rng.integers(2)),
            "start_card_power": bool(rng.integers(2)),
        }
        try:
            return load_game(ENV, **options)
        except OptionError:
            continue


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=str)
def test_legal_under_odd_options(options: dict[str, Any]) -> None:
    check_legal(load_game(ENV, **options), POLICIES, seed=1)


@pytest.mark.parametrize("seed", range(20))
def test_legal_under_random_options(seed: int) -> None:
    check_legal(_random_options(np.random.default_rng(seed)), POLICIES, seed)


def test_known_by_name() -> None:
    assert list(policies_of("loopla")) == ["random", "greedy", "card_counter"]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_choices_repeat(policy: Policy) -> None:
    check_repeats(load_game(ENV, num_players=3), policy)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_takes_what_does_not_bust_and_nothing_else(policy: Policy) -> None:
    game = load_game(ENV)
    batch = Batch(game, 200)
    batch.reset(5)
    take = game.action_names.index("take")
    taken = left = 0
    for _ in range(60):
        actions = choices(batch, policy)
        fields = game.layout.split(batch.observation)
        for i in np.flatnonzero(batch.action_mask[:, take]):
            busts = bool((fields["covered"][i] & fields["collections"][i, 0]).any())
            assert (actions[i] == take) != busts
            taken, left = taken + (not busts), left + busts
        batch.step(actions)
    assert taken > 1_000
    assert left > 50


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_order_of_strength(players: int) -> None:
    game = load_game(ENV, num_players=players)
    for better, worse in ((GREEDY, RANDOM), (CARD_COUNTER, GREEDY)):
        mean, half = margin(game, better, worse, 100)
        assert mean - half > 5, (better.name, worse.name, mean, half)
