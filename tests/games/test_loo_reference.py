"""Records of the library pass the independent reference: every legal move of every state."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from loop_envs import records
from loop_envs.game import Game, State
from tests.reference.loo import check_record

from .loo_positions import cards, five, loo
from .test_loo_options import NEEDED, TINY, VALUES, VARIANTS

MOVES = 700
"""Moves that each set of options plays at least; whole matches make more of it."""
PLAYED: list[int] = []
"""Moves that each set of options has played."""

SETS: list[dict[str, Any]] = []
for _n in (3, 4, 5, 6, 7, 8):
    SETS += [{"num_players": _n, "variant": variant} for variant in VARIANTS]
for _name, _values in VALUES.items():
    for _value in _values:
        SETS.append({**NEEDED.get(_name, {}), _name: _value})
        if "variant" not in (_name, *NEEDED.get(_name, {})):
            SETS.append({**NEEDED.get(_name, {}), _name: _value, "variant": "five_card"})
SETS += [{"num_deals": 12, **options} for options in TINY]
SETS += [
    {"variant": "five_card", "ranks": 8, "hand_size": 3, "flush_tie": "split"},
    {"variant": "five_card", "ranks": 8, "hand_size": 3, "flush_loos_passers": True,
     "flush_tie": "split"},
    {"variant": "five_card", "ranks": 8, "hand_size": 3, "pam_exempts": True,
     "pam": "jack_of_trumps"},
    {"variant": "five_card", "ranks": 8, "hand_size": 4, "flush_order": "peel", "pam_wild": False},
    {"variant": "five_card", "pam_free": True, "civil_exception": True, "lead_rule": "hoyle"},
    {"variant": "five_card", "num_players": 8, "exchange_phase": "after_all", "limit_draw": True},
    {"variant": "five_card", "num_players": 8, "exchange_phase": "after_all", "lead_rule": "peel"},
    {"variant": "five_card", "num_players": 3, "ranks": 6, "lead_rule": "hoyle", "civil": "choice"},
    {"variant": "irish", "irish_turnup": True, "irish_exchange": True, "club_law": True},
    {"variant": "irish", "num_players": 8, "irish_exchange": True, "lead_rule": "hoyle"},
    {"num_players": 3, "lead_rule": "hoyle", "bold_stand": "off", "undertrump": False},
    {"num_players": 8, "allow_debt": True, "stack": 0, "bold_stand": "all", "odd_chips": "stay"},
    {"num_players": 4, "stack": 20, "loo": "capped", "loo_amount": 9, "final_pool": "unclaimed"},
]  # fmt: skip


def keen(game: Game, seed: Any) -> Callable[[State], int]:
    """A player who seeks rare situations: comes in, and exchanges towards flushes and trumps."""
    rng = random.Random(str(seed))
    boldness = rng.choice([0.5, 0.8, 0.97])
    liking = rng.choice(["flush", "many", "any"])

    def choose(state: State) -> int:
        actions = game.legal_actions(state)
        texts = [game.action_text(state, a) for a in actions]
        s = state[0]
        if texts[0].startswith("draw") and liking != "any":
            hand = cards(game, s["hands"][s["player"]]).split()
            if liking == "many":
                return actions[-1 - rng.randrange((len(actions) + 1) // 2)]
            suits = Counter(card[1] for card in hand if card != "JC")
            suit = max(suits, key=lambda name: suits[name]) if suits else "C"
            given = [card for card in hand if card[1] != suit and card != "JC"]
            wanted = f"draw {' '.join(given) or 'none'}"
            if wanted in texts:
                return actions[texts.index(wanted)]
        if "defend" in texts and rng.random() < 0.6:
            return actions[texts.index("defend")]
        if "in" in texts and "pass" in texts:
            if rng.random() < boldness:
                actions = [a for a, text in zip(actions, texts, strict=True) if text != "pass"]
            else:
                return actions[texts.index("pass")]
        return rng.choice(actions)

    return choose


@pytest.mark.parametrize("options", SETS, ids=str)
def test_records_pass_the_reference(options: dict[str, Any]) -> None:
    PLAYED.append(play_and_check(options, MOVES))


def play_and_check(options: dict[str, Any], least: int) -> int:
    """Plays at least so many moves, half of them keen ones, and checks all; returns how many."""
    game = loo(**options)
    rng = random.Random(str(options))
    moves = board = 0
    while moves < least:
        choose = keen(game, rng.random()) if board % 2 else None
        seed = rng.randrange(2**63)
        record = records.record_match(game, seed, board, choose=choose, legal=True)
        moves += check_record(records.loads(records.dumps(record)))
        board += 1
    return moves


def test_these_were_a_hundred_thousand_moves() -> None:
    if len(PLAYED) < len(SETS):
        pytest.skip("counts only where all sets were played in one process")
    assert sum(PLAYED) >= 100_000


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [3, 5, 8])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_hundred_thousand_moves_of_each_variant(variant: str, num_players: int) -> None:
    least = 35_000
    assert play_and_check({"variant": variant, "num_players": num_players}, least) >= least


def test_keen_players_see_the_rare_things() -> None:
    found: Counter[str] = Counter()
    for game in (
        five(num_players=8),
        five(num_players=4, ranks=8, hand_size=3),
        loo(num_players=3),
    ):
        for board in range(8):
            record = records.record_match(game, 3, board, choose=keen(game, board))
            for event in record["events"]:
                found[next(iter(event))] += 1
                found[event.get("move", "")] += 1
    assert found["flush"] > 5
    assert found["reshuffle"] > 5
    assert found["defend"] > 2
    assert found["miss"] > 20
    assert found["play JC"] > 5


def test_damaged_records_fail_the_reference() -> None:
    # So that the tests above do not pass by checking nothing.
    record = records.record_match(five(), 0, 0, legal=True)
    check_record(record)
    index = next(i for i, event in enumerate(record["events"]) if "legal" in event)
    damaged = copy.deepcopy(record)
    damaged["events"][index]["legal"].append("defend")
    with pytest.raises(AssertionError, match=f"event {index}"):
        check_record(damaged)
    index = next(i for i, event in enumerate(record["events"]) if "round_end" in event)
    damaged = copy.deepcopy(record)
    damaged["events"][index]["round_end"]["chips"][0] += 1
    with pytest.raises(AssertionError, match=f"event {index}"):
        check_record(damaged)
