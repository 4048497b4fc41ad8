"""Records of the library pass the independent reference: every legal move of every state."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from loop_envs import records
from loop_envs.game import Game, State
from tests.reference.loop_boards import check_record

from .positions import loop_boards
from .test_loop_boards_options import TINY, VALUES

MOVES = 800
"""Moves that each variant plays at least; whole matches make more of it."""
PLAYED: list[int] = []
"""Moves that each variant has played."""

VARIANTS: list[dict[str, Any]] = [{"num_players": n} for n in (4, 5, 6)]
for _name, _values in VALUES.items():
    for _value in _values:
        if _name != "num_players" and not isinstance(_value, dict):
            VARIANTS += [{"num_players": n, _name: _value} for n in (4, 5, 6)]
VARIANTS += [
    {"num_players": 4, "deck": {"colours": 6, "values": 9}, "eight": 5},
    {"num_players": 5, "deck": {"colours": 5, "values": 14}, "run_wrap": True, "on_exit": "clear"},
    {"num_players": 6, "deck": {"colours": 6, "values": 15}, "reveal": "stuck_only"},
    {"num_players": 4, "run_same_colour": False, "run_wrap": True, "reveal": "stuck_only"},
    {"num_players": 4, "reveal_on_lead": False, "on_exit": "clear", "golden_travels": False},
    {"num_players": 3, "eight": 7},
    {"num_players": 2, "hand_size": 12},
    {"num_players": 3, "hand_size": 6, "set_aside": 0, "deck": "fifteen", "eight": 5},
    *TINY,
]  # fmt: skip


def keen(game: Game, rng: random.Random) -> Callable[[State], int]:
    """A player who seeks rare situations: sets 8s aside, reveals, plays long, seldom passes."""
    eight = f"{game.options['eight']}"

    def choose(state: State) -> int:
        moves = {game.action_text(state, a): a for a in game.legal_actions(state)}
        if "reveal" in moves and rng.random() < 0.6:
            return moves["reveal"]
        eights = [text for text in moves if text.startswith("aside") and text[6:-1] == eight]
        if eights and rng.random() < 0.8:
            return moves[rng.choice(eights)]
        plays = [text for text in moves if text.startswith("play")]
        if plays and rng.random() < 0.9:
            longest = max(len(text.split()) for text in plays)
            if rng.random() < 0.3:
                plays = [text for text in plays if len(text.split()) == longest]
            return moves[rng.choice(plays)]
        return moves[rng.choice(list(moves))]

    return choose


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_records_pass_the_reference(options: dict[str, Any]) -> None:
    game = loop_boards(**options)
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


def test_damaged_records_fail_the_reference() -> None:
    # So that the tests above do not pass by checking nothing.
    game = loop_boards()
    record = records.loads(records.dumps(records.record_match(game, 0, 0, legal=True)))
    check_record(record)
    record["events"][100]["legal"].append("reveal")
    with pytest.raises(AssertionError, match="event 100"):
        check_record(record)
