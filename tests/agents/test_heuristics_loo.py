"""The rule-based players of loo: legal everywhere, repeatable, and in the right order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.heuristics.loo import CAUTIOUS, POLICIES, SAMPLER
from agents.named import policies_of
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.policies import RANDOM, Policy
from loop_envs.registry import load_game, presets

from .playing import check_legal, check_repeats, margin

ENV = "loo-v0"
VARIANTS = ("three_card", "five_card", "irish", "mississippi")
ODD_OPTIONS: list[dict[str, Any]] = [
    *presets(ENV).values(),
    {"num_players": 8, "variant": "five_card", "limit_draw": True},
    {"num_players": 8, "variant": "five_card", "pam": "jack_of_trumps", "civil": "choice"},
    {"num_players": 4, "variant": "irish", "irish_exchange": True, "irish_turnup": True},
    {"num_players": 3, "bold_stand": "all", "loo": "capped", "allow_debt": True},
]


def _random_options(rng: np.random.Generator) -> Game:
    while True:
        options = {
            "num_players": int(rng.integers(2, 9)),
            "variant": VARIANTS[rng.integers(4)],
            "ranks": int(rng.integers(3, 14)),
            "hand_size": int(rng.integers(1, 6)),
            "lead_rule": ["ace", "none", "hoyle", "peel"][rng.integers(4)],
            "pam": ["jack_of_clubs", "jack_of_trumps", "none"][rng.integers(3)],
            "civil": ["auto", "choice", "off"][rng.integers(3)],
            "pam_free": bool(rng.integers(2)),
            "undertrump": bool(rng.integers(2)),
            "exchange_phase": ["with_declaration", "after_all"][rng.integers(2)],
            "bold_stand": ["last_two", "all", "off"][rng.integers(3)],
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
    assert list(policies_of("loo")) == ["random", "cautious", "sampler"]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_choices_repeat(policy: Policy) -> None:
    check_repeats(load_game(ENV, num_players=3, num_deals=5), policy)


@pytest.mark.parametrize("variant", ["three_card", "five_card"])
@pytest.mark.parametrize("players", [3, 5])
def test_order_of_strength(players: int, variant: str) -> None:
    game = load_game(ENV, num_players=players, variant=variant)
    for better, worse, boards in ((CAUTIOUS, RANDOM, 200), (SAMPLER, CAUTIOUS, 500)):
        mean, half = margin(game, better, worse, boards)
        assert mean - half > 0, (better.name, worse.name, mean, half)
