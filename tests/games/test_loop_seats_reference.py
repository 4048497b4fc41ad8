"""Records of the library pass the independent reference: every legal move of every state."""

from __future__ import annotations

import random
from typing import Any

import pytest

from loop_envs import records
from tests.reference.loop_seats import check_record

from .seats_positions import loop_seats
from .test_loop_boards_reference import keen
from .test_loop_seats_options import NARROW, OTHERS, TINY, with_value

MOVES = 720
"""Moves that each variant plays at least; whole matches make more of it."""
PLAYED: list[int] = []
"""Moves that each variant has played."""

ONLY_FOUR = ("fourth_chooses", "winner_seats")
VARIANTS: list[dict[str, Any]] = [{"num_players": n} for n in (2, 3, 4)]
VARIANTS += [
    with_value(name, value, n)
    for name, value in OTHERS
    for n in (2, 3, 4)
    if n == 4 or name not in ONLY_FOUR
]
VARIANTS += [
    {"eight_mode": "published", "hard_pass": True, "keep_order": True, "start": "last"},
    {"eight_mode": "published", "threshold_check": "immediate", "floor_zero": True, "eight": 5},
    {"flip_per_card": True, "keep_order": True, "hard_pass": True, "winner_seats": "1to3"},
    {"reference": "player", "threshold_check": "immediate", "rank_step": 3, "start": "winner"},
    {"num_players": 3, "reference": "player", "floor_zero": True, "later_rounds": "change_only"},
    {"num_players": 3, "eight_mode": "published", "threshold_check": "immediate", "min_run": 3},
    {"num_players": 2, "eight_mode": "published", "keep_order": True, "colours": 6},
    {"num_players": 2, "hand_size": 13, "set_aside": 0, "hard_pass": True, "flip_per_card": True},
    NARROW,
    *TINY,
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_records_pass_the_reference(options: dict[str, Any]) -> None:
    game = loop_seats(**options)
    rng = random.Random(str(options))
    moves = board = 0
    while moves < MOVES:
        choose = keen(game, rng) if board % 2 else None
        seed = rng.randrange(2**63)
        record = records.record_match(game, seed, board, choose=choose, legal=True)
        moves += check_record(records.loads(records.dumps(record)))
        board += 1
    PLAYED.append(moves)


def test_these_were_a_hundred_thousand_moves() -> None:
    if len(PLAYED) < len(VARIANTS):
        pytest.skip("counts only where all variants were played in one process")
    assert sum(PLAYED) >= 100_000


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_damaged_records_fail_the_reference(num_players: int) -> None:
    # So that the tests above do not pass by checking nothing.
    game = loop_seats(num_players=num_players)
    text = records.dumps(records.record_match(game, 0, 0, legal=True))
    check_record(records.loads(text))
    events = records.loads(text)["events"]
    for i, event in enumerate(events):
        if i in (1, 40) or "round_end" in event or "seats" in event:
            damaged = records.loads(text)
            if "move" in event:
                damaged["events"][i]["legal"].append("reveal")
            elif "seats" in event:
                damaged["events"][i]["seats"].reverse()
            else:
                damaged["events"][i]["round_end"]["points"][0] += 1
            with pytest.raises(AssertionError, match=f"event {i}"):
                check_record(damaged)
    for name, value in (("scores", [99] * num_players), ("winners", []), ("end", None)):
        with pytest.raises(AssertionError, match=name):
            check_record({**records.loads(text), name: value})
