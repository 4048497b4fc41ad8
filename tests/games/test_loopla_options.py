"""Every option of LOOPLA!: what each value changes, what is refused, and the battery."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loop_envs import load_game, records
from loop_envs.errors import OptionError
from loop_envs.testing import CHECKS, run_battery

from .loopla_positions import (
    constraint,
    deal,
    falls,
    legal,
    loopla,
    play,
    position,
    round_end,
    small,
)

FILL = "2 3 4"
OPTIONS = {option.name: option for option in loopla().rules.options}
SHORT: dict[str, Any] = {"target": None, "rounds": 3}

# Every value that is not the default, or of many some.
VALUES: dict[str, list[Any]] = {
    "num_players": [2, 3, 5, 6],
    "values": [5, 6, 7, 9, 12],
    "copies": [1, 2, 3],
    "hand_size": [2, 5, 7],
    "target": [1, 40, 1000],
    "rounds": [1, 2, 7],
    "whoop_size": [3, 4, 5, 6],
    "first_instruction": ["random", "starter"],
    "start_card_power": [True],
    "seven_on_seven_double": [True],
    "after_fall": ["free"],
    "last_card_pickup": [False],
    "bonuses": ["larger"],
    "bust_leaves": [True],
    "reverse_with_two": ["again"],
    "starter": ["winner", "loser"],
    "max_rounds": [1, 2],
}
NEEDED: dict[str, dict[str, Any]] = {
    "values": {"hand_size": 3, "rounds": 20},
    "copies": {"hand_size": 2, "rounds": 20},
    "hand_size": {"rounds": 8},
}
"""What goes with these values: hands that the deck allows, more rounds where they are short."""
TINY: list[dict[str, Any]] = [
    small(2, 2, 8, 1, whoop_size=3),
    small(2, 3, 5, 2, first_instruction="random", reverse_with_two="again"),
    small(3, 2, 9, 1, start_card_power=True, first_instruction="starter"),
    small(3, 4, 7, 4, seven_on_seven_double=True, after_fall="free", whoop_size=4),
    small(4, 3, 8, 2, bust_leaves=True, after_fall="free", whoop_size=3, bonuses="larger"),
    small(5, 2, 6, 2, bust_leaves=True, last_card_pickup=False, starter="loser"),
    small(6, 3, 13, 2, after_fall="free", first_instruction="starter", start_card_power=True),
]


def with_value(name: str, value: Any, **more: Any) -> dict[str, Any]:
    """Options of a short match with this value."""
    return {**SHORT, **NEEDED.get(name, {}), **more, name: value}


def test_every_option_has_its_values_here() -> None:
    assert set(VALUES) == set(OPTIONS)


def test_the_defaults_are_those_of_the_full_game() -> None:
    assert loopla().options == {
        "num_players": 4,
        "values": 13,
        "copies": 4,
        "hand_size": 8,
        "target": 200,
        "rounds": None,
        "whoop_size": 7,
        "first_instruction": "free",
        "start_card_power": False,
        "seven_on_seven_double": False,
        "after_fall": "persist",
        "last_card_pickup": True,
        "bonuses": "both",
        "bust_leaves": False,
        "reverse_with_two": "none",
        "starter": "rotate",
        "max_rounds": 100,
    }


def test_null_stands_for_the_default_or_for_none() -> None:
    nothing = {name: None for name in OPTIONS if name != "target"}
    assert loopla(**nothing).options == loopla().options
    assert loopla(target=None, rounds=3).options["target"] is None
    assert loopla(rounds=None).options["rounds"] is None


def test_resolved_options_resolve_to_themselves() -> None:
    for name, values in VALUES.items():
        for value in values:
            game = loopla(**with_value(name, value))
            again = loopla(**json.loads(json.dumps(game.options)))
            assert again.options == game.options
            assert again.record.tobytes() == game.record.tobytes()
            assert game.options[name] == value


# What each value changes ------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_num_players(num_players: int) -> None:
    game = loopla(num_players=num_players)
    event = game.rules.deal_event(game, game.new_state(1))
    assert [len(hand) for hand in event["hands"]] == [8] * num_players
    dealt = [card for hand in (*event["hands"], [event["top"]]) for card in hand]
    assert all(1 <= card <= 13 and dealt.count(card) <= 4 for card in dealt)


def test_values_copies_and_hand_size() -> None:
    game = loopla(**small(3, 4, 6, 3))
    assert game.action_names == [*(f"play {v}" for v in range(1, 7)), "take", "leave", "up", "down"]
    seen = game.layout.split(game.observe(game.new_state(0), 1))
    assert seen["hand"].shape == (3, 6)
    assert seen["cards_left"].tolist() == [4, 4, 4]
    for board in range(20):
        event = game.rules.deal_event(game, game.new_state(0, board))
        dealt = [card for hand in (*event["hands"], [event["top"]]) for card in hand]
        assert all(1 <= card <= 6 and dealt.count(card) <= 3 for card in dealt)
        assert len(dealt) == 13


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_rounds(rounds: int) -> None:
    record = records.record_match(loopla(target=None, rounds=rounds), 1)
    assert sum("round_end" in event for event in record["events"]) == rounds
    assert record["end"] == "terminated"


def test_target() -> None:
    game = loopla(target=40)
    record = records.record_match(game, 1)
    ends = [event["round_end"] for event in record["events"] if "round_end" in event]
    assert [max(end["totals"]) >= 40 for end in ends] == [False] * (len(ends) - 1) + [True]
    assert record["scores"] == ends[-1]["totals"]


@pytest.mark.parametrize("max_rounds", [1, 2])
def test_max_rounds(max_rounds: int) -> None:
    record = records.record_match(loopla(max_rounds=max_rounds), 1)
    assert sum("round_end" in event for event in record["events"]) == max_rounds
    assert record["end"] == "truncated"


def test_whoop_size() -> None:
    for size, over in ((3, True), (4, False)):
        game = loopla(num_players=2, whoop_size=size)
        state = position(game, ["9 2", FILL], 5, "up", collections=["1 2"])
        play(game, state, "0 play 9, 0 take")
        assert game.deal_is_due(state) == over


def test_seven_on_seven_double() -> None:
    game = loopla(num_players=2, seven_on_seven_double=True)
    state = position(game, ["7 2", "1 6 7 8"], 7, "up")
    play(game, state, "0 play 7, 0 leave")
    assert constraint(state) == "doubled"
    assert legal(game, state) == "6 7 8"


def test_after_fall() -> None:
    for after_fall, expected in (("persist", "7"), ("free", "1 7")):
        game = loopla(num_players=3, after_fall=after_fall)
        state = position(game, ["13 2", "1", "1 7"], 5, "up")
        assert falls(play(game, state, "0 play 13, 0 leave")) == [1]
        assert legal(game, state) == expected


def test_last_card_pickup() -> None:
    game = loopla(num_players=2, last_card_pickup=False)
    state = position(game, ["12", FILL], 10, "up", collections=["3 8"])
    assert round_end(play(game, state, "0 play 12"))[1:] == ([5, 0], [16, 0])


def test_bonuses() -> None:
    game = loopla(num_players=2, bonuses="larger")
    state = position(game, ["7", FILL], 13, "sovereign", collections=["2 3 5 8 10 12"])
    assert round_end(play(game, state, "0 play 7, 0 take"))[1:] == ([15, 0], [68, 0])
    state = position(game, ["7", FILL], 13, "sovereign", collections=["2 3"])
    assert round_end(play(game, state, "0 play 7, 0 leave"))[1:] == ([5, 0], [10, 0])


def test_bust_leaves_after_a_double_or_a_13() -> None:
    game = loopla(num_players=3, bust_leaves=True)
    state = position(game, ["5 2", "5 6", "4 5"], 5, "up", collections=["5"])
    play(game, state, "0 play 5, 0 take")
    assert (game.current_player(state), legal(game, state)) == (1, "5 6")
    seen = game.layout.split(game.observe(state, 1))
    assert seen["active"].tolist() == [1, 1, 0]
    assert seen["busted"].tolist() == [0, 0, 1]
    assert seen["fallen"].tolist() == [0, 0, 0]


def test_reverse_with_two() -> None:
    game = loopla(num_players=2, reverse_with_two="again")
    state = position(game, ["1 13 7 2", FILL], 1, "free")
    play(game, state, "0 play 1, 0 take")
    # 1 on 1 is a double, and it binds the own next play.
    assert (game.current_player(state), legal(game, state)) == (0, "2 7")


def test_first_instruction_is_part_of_a_random_deal_only() -> None:
    for value in ("free", "random", "starter"):
        game = loopla(first_instruction=value)
        event = game.rules.deal_event(game, game.new_state(0))
        assert ("instruction" in event) == (value == "random")
        assert ("up" in legal(game, game.new_state(0))) == (value == "starter")


def test_start_card_power() -> None:
    hands = ["1 2 3", "1 2 7"]
    game = loopla(num_players=2, hand_size=3, start_card_power=True)
    assert legal(game, deal(game, hands, 13, 1)) == "7"
    game = loopla(num_players=2, hand_size=3)
    assert legal(game, deal(game, hands, 13, 1)) == "1 2 7"


# Refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_players", 1), ("num_players", 7), ("num_players", "4"), ("num_players", 4.0),
        ("num_players", True), ("values", 4), ("values", 14), ("copies", 0), ("copies", 5),
        ("hand_size", 1), ("hand_size", 9), ("target", 0), ("target", -5), ("target", "200"),
        ("target", True), ("rounds", 0), ("rounds", 1.5), ("whoop_size", 2), ("whoop_size", 8),
        ("first_instruction", "up"), ("first_instruction", True), ("start_card_power", 1),
        ("seven_on_seven_double", "yes"), ("after_fall", "fall"), ("last_card_pickup", 0),
        ("bonuses", "none"), ("bust_leaves", 2), ("reverse_with_two", "skip"),
        ("starter", "random"), ("max_rounds", 0), ("max_rounds", []),
    ],
)  # fmt: skip
def test_refused_values_are_named_with_what_is_allowed(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        loopla(**{name: value})
    assert repr(name) in str(caught.value)
    assert repr(value) in str(caught.value)
    assert OPTIONS[name].allowed in str(caught.value)


def test_combinations_are_refused_too() -> None:
    nothing: list[dict[str, Any]] = [{"target": None}, {"target": None, "rounds": None}]
    for options in nothing:
        with pytest.raises(OptionError, match="target"):
            loopla(**options)
    for more, limit in ((small(4, 8, 8, 4), 32), (small(6, 8, 13, 3), 39), ({"copies": 2}, 26)):
        with pytest.raises(OptionError, match=f"hand_size.*= {limit}"):
            loopla(**more)
    assert loopla(**small(4, 3, 13, 1)).num_players == 4


def test_unknown_options_are_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'hand_size'"):
        load_game("loopla-v0", handsize=8)


def test_very_large_numbers_are_allowed() -> None:
    game = loopla(num_players=2, target=10**30, rounds=10**20, max_rounds=1)
    assert records.record_match(game, 0)["end"] == "truncated"


# The battery ------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_battery(num_players: int) -> None:
    run_battery(loopla(num_players=num_players, **SHORT), num_players)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_battery_of_full_matches(check: Any, num_players: int) -> None:
    check(loopla(num_players=num_players), num_players)


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in VALUES.items() for value in values]
)
def test_battery_of_every_value(name: str, value: Any) -> None:
    run_battery(loopla(**with_value(name, value)), 1)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 5, 6])
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in VALUES.items() for value in values]
)
def test_battery_of_every_value_and_player_count(name: str, value: Any, num_players: int) -> None:
    if name != "num_players":
        run_battery(loopla(**with_value(name, value, num_players=num_players)), num_players)


@pytest.mark.parametrize("options", TINY, ids=str)
def test_battery_of_research_variants(options: dict[str, Any]) -> None:
    run_battery(loopla(**{**SHORT, "rounds": 15}, **options), 2)
