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
from loop_envs.registry import presets
from loop_envs.testing.tree import count_states
from tests.reference.loopla import Match, check_record, legal_moves

from .loopla_positions import loopla
from .test_loopla_options import NEEDED, TINY, VALUES

MOVES = 700
"""Moves that each variant plays at least; whole matches make more of it."""
PLAYED: list[int] = []
"""Moves that each variant has played."""

VARIANTS: list[dict[str, Any]] = []
for _n in (2, 3, 4, 5, 6):
    VARIANTS.append({"num_players": _n})
    for _name, _values in VALUES.items():
        if _name not in ("num_players", *NEEDED):
            VARIANTS += [{"num_players": _n, "rounds": 12, _name: _value} for _value in _values]
for _name, _more in NEEDED.items():
    VARIANTS += [{**_more, _name: _value} for _value in VALUES[_name]]
VARIANTS += [{"target": 60, **options} for options in TINY]
VARIANTS += [
    {"num_players": 6, "after_fall": "free", "bust_leaves": True, "starter": "winner"},
    {"num_players": 3, "after_fall": "free", "reverse_with_two": "again", "bust_leaves": True},
    {"num_players": 2, "reverse_with_two": "again", "first_instruction": "starter"},
    {"num_players": 5, "start_card_power": True, "first_instruction": "starter"},
    {"num_players": 4, "start_card_power": True, "first_instruction": "random"},
    {"num_players": 4, "whoop_size": 4, "bonuses": "larger", "after_fall": "free"},
]  # fmt: skip


def keen(game: Game, rng: random.Random) -> Callable[[State], int]:
    """A player who seeks rare situations.

    In a friendly match nobody is made to fall, so that rounds last up to their other ends; in the
    others, doubles, 1s and the highest card are liked, and now and then a bust.
    """
    values = game.options["values"]
    friendly = rng.random() < 0.6

    def choose(state: State) -> int:
        actions = game.legal_actions(state)
        s = state[0]
        if len(actions) == 2 and actions[0] == values:  # take or leave
            bust = s["collection"][s["player"]] >> s["covered"] & 1
            return actions[int(rng.random() > (0.1 if bust else 0.95))]
        if friendly:
            after = []
            for action in actions:
                other = state.copy()
                game.play(other, action)
                while other["player"][0] == s["player"] and actions[0] < values:
                    game.play(other, game.legal_actions(other)[-1])
                after.append(int(other["fallen"][0]).bit_count())
            actions = [a for a, fallen in zip(actions, after, strict=True) if fallen == min(after)]
        elif rng.random() < 0.5:
            liked = {0, values - 1, int(s["top"])}
            actions = [a for a in actions if a in liked] or actions
        return rng.choice(actions)

    return choose


def happened(record: dict[str, Any]) -> Counter[str]:
    """How often the rare things happened in a record."""
    found: Counter[str] = Counter()
    for event in record["events"]:
        found["fall"] += "fall" in event
        if "round_end" in event:
            found.update(f"bonus {bonus}" for bonus in event["round_end"]["bonus"])
    return found


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_records_pass_the_reference(options: dict[str, Any]) -> None:
    game = loopla(**options)
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


def test_keen_players_see_every_way_a_round_can_end() -> None:
    found: Counter[str] = Counter()
    for hand_size in (3, 4, 5):
        game = loopla(num_players=3, hand_size=hand_size, whoop_size=4)
        for board in range(2):
            choose = keen(game, random.Random(board))
            found += happened(records.record_match(game, 7, board, choose=choose))
    assert {"fall", "bonus 5", "bonus 15", "bonus 20"} <= set(found), found


def histories(match: Match) -> int:
    """Ways to play a match of one round to its end, by the reference."""
    if match.phase == "over":
        return 1
    total = 0
    for move in legal_moves(match):
        other = copy.deepcopy(match)
        other.play(move)
        total += histories(other)
    return total


def test_the_whole_tree_is_that_of_the_reference() -> None:
    game = loopla(**presets("loopla-v0")["tiny"])
    for board in range(6):
        match = Match(game.options)
        event = game.rules.deal_event(game, game.new_state(5, board))
        match.start_round(event["hands"], event["top"], event["first"])
        assert count_states(game, 10_000, 5, board).histories == histories(match)


def test_damaged_records_fail_the_reference() -> None:
    # So that the tests above do not pass by checking nothing.
    record = records.record_match(loopla(), 0, 0, legal=True)
    check_record(record)
    index = next(i for i, event in enumerate(record["events"]) if event.get("move") == "up")
    record["events"][index]["legal"].append("take")
    with pytest.raises(AssertionError, match=f"event {index}"):
        check_record(record)
