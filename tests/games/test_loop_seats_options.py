"""Every option of loop_seats: what each value changes, what is refused, and the battery."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loop_envs import load_game
from loop_envs.errors import OptionError
from loop_envs.testing import CHECKS, run_battery

from .positions import legal, play
from .seats_positions import SEATING, after_round, finish_round, loop_seats, position, seats, small

FILLER = "1R 2R 3R"
OPTIONS = {option.name: option for option in loop_seats().rules.options}

# Every value that is not the default.
VALUES: dict[str, list[Any]] = {
    "num_players": [2, 3],
    "colours": [1, 2, 4, 6],
    "values": [3, 8, 14],
    "hand_size": [2, 5, 13],
    "set_aside": [0, 1],
    "eight": [None, 1, 3, 15, 16],
    "eight_mode": ["published"],
    "flip_per_card": [True],
    "min_run": [3],
    "hard_pass": [True],
    "base_points": [[10, 3, 1, -2]],
    "rank_step": [0, 2, 3, 4],
    "reference": ["player"],
    "later_rounds": ["change_only"],
    "fourth_chooses": [False],
    "winner_seats": ["1to3"],
    "start": ["last", "winner", "last_seat"],
    "threshold": [1, 5, 10_000],
    "threshold_check": ["immediate"],
    "floor_zero": [True],
    "keep_order": [True],
    "max_rounds": [1, 3],
}
# What a value needs besides to be possible, and to mean something.
NEEDS: dict[str, dict[str, Any]] = {
    "colours": {"hand_size": 3, "set_aside": 0},
    "values": {"colours": 6, "hand_size": 4},
    "hand_size": {"colours": 4, "set_aside": 1},
}
NARROW = small(2, 3, 2, 4, eight=2)
TINY: list[dict[str, Any]] = [
    small(2, 4, 1, 8, eight=3, set_aside=1, eight_mode="published"),
    small(3, 4, 3, 5, set_aside=0, eight=2, keep_order=True),
    small(2, 13, 6, 15, eight_mode="published", hard_pass=True),
    small(4, 4, 6, 3, eight=2, flip_per_card=True, start="last_seat"),
    small(4, 5, 4, 5, eight=2, eight_mode="published", reference="player", winner_seats="1to3"),
]
FOUR = ("base_points", "reference", "fourth_chooses", "winner_seats", "start")
"""Options that mean most, or something at all, with four players."""
OTHERS = [(n, v) for n, values in VALUES.items() if n != "num_players" for v in values]


def with_value(name: str, value: Any, num_players: int = 4) -> dict[str, Any]:
    """Options with one value that is not the default."""
    value = value[:num_players] if name == "base_points" else value
    return {"num_players": num_players, **NEEDS.get(name, {}), name: value}


def test_the_defaults_are_those_of_the_rules_and_the_other_values_are_here() -> None:
    assert set(VALUES) == set(OPTIONS)
    assert loop_seats().options == {
        "num_players": 4,
        "colours": 3,
        "values": 15,
        "hand_size": 11,
        "set_aside": 2,
        "eight": 8,
        "eight_mode": "flip_on_play",
        "flip_per_card": False,
        "min_run": 2,
        "hard_pass": False,
        "base_points": [4, 2, 1, 0],
        "rank_step": 1,
        "reference": "seat",
        "later_rounds": "base_and_change",
        "fourth_chooses": True,
        "winner_seats": "1to4",
        "start": "fixed",
        "threshold": 12,
        "threshold_check": "round_end",
        "floor_zero": False,
        "keep_order": False,
        "max_rounds": 40,
    }


def test_null_stands_for_the_default() -> None:
    nothing = {name: None for name in OPTIONS if name != "eight"}
    assert loop_seats(**nothing).options == loop_seats().options
    assert loop_seats(eight=None).options["eight"] is None


def test_resolved_options_resolve_to_themselves() -> None:
    for name, value in OTHERS:
        game = loop_seats(**with_value(name, value))
        assert game.options[name] == value
        again = loop_seats(**json.loads(json.dumps(game.options)))
        assert again.options == game.options
        assert (again.tables == game.tables).all()
        assert again.record.tobytes() == game.record.tobytes()


# What each value changes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "base", "threshold"),
    [(2, [1, 0], 7), (3, [2, 1, 0], 10), (4, [4, 2, 1, 0], 12)],
)
def test_num_players(num_players: int, base: list[int], threshold: int) -> None:
    game = loop_seats(num_players=num_players)
    assert game.num_players == num_players
    assert game.options["base_points"] == base
    assert game.options["threshold"] == threshold
    state = game.new_state(1)
    finish_round(game, state, list(range(1, num_players + 1)))
    assert game.points(state).tolist() == base


@pytest.mark.parametrize(
    "options", [with_value(n, v) for n, v in OTHERS if n in ("colours", "values", "hand_size")]
)
def test_colours_values_and_hand_size(options: dict[str, Any]) -> None:
    game = loop_seats(**options)
    colours, values, hand_size = (game.options[k] for k in ("colours", "values", "hand_size"))
    deck = {f"{v + 1}{c}" for v in range(values) for c in "RGBYPO"[:colours]}
    event = game.rules.deal_event(game, game.new_state(0))
    assert [len(hand) for hand in event["hands"]] == [hand_size] * 4
    assert {card for hand in (*event["hands"], event["unseen"]) for card in hand} == deck
    plays = [name.split()[1:] for name in game.action_names if name.startswith("play")]
    assert {held[0] for held in plays if len(held) == 1} == deck
    assert game.layout["cards_left"].high == hand_size


@pytest.mark.parametrize("set_aside", [0, 1, 2])
def test_set_aside(set_aside: int) -> None:
    game = loop_seats(set_aside=set_aside)
    state = game.new_state(0)
    asked = 0
    while legal(game, state)[0].startswith("aside"):
        game.step(state, game.legal_actions(state)[-1])
        asked += 1
    assert asked == 4 * set_aside
    seen = game.layout.split(game.observe(state, 0))
    assert seen["cards_left"].tolist() == [11 - set_aside] * 4
    assert seen["phase"].tolist() == [0, 1, 0, 0]
    assert f"runs of {11 - set_aside}" in {row[0] for row in game.rules.action_groups(game)}


@pytest.mark.parametrize("mode", ["flip_on_play", "published"])
def test_eight_and_eight_mode(mode: str) -> None:
    for eight in (None, 1, 3, 8, 15, 16):
        game = loop_seats(eight=eight, eight_mode=mode)
        for value in (1, 3, 8, 15):
            hands = [f"{value}G 5B 6B", "9R 1R", "9G 1G", "9B 1B"]
            state = position(game, hands, aside=[f"{value}B 7B"])
            power = value == eight
            assert ("reveal" in legal(game, state)) == (power and mode == "published")
            play(game, state, f"0 play {value}G")
            assert bool(state["inverted"][0]) == (power and mode == "flip_on_play")
            assert (game.current_player(state) == 0) == (power and mode == "published")


@pytest.mark.parametrize(
    ("played", "once", "per_card"),
    [("8R", 1, 1), ("8R 8G", 1, 0), ("8R 8G 8B", 1, 1), ("7R 8R 9R", 1, 1), ("7R", 0, 0)],
)
def test_flip_per_card(played: str, once: int, per_card: int) -> None:
    for flip_per_card, expected in ((False, once), (True, per_card)):
        game = loop_seats(flip_per_card=flip_per_card)
        state = position(game, [f"{played} 1R", FILLER, FILLER, FILLER])
        play(game, state, f"0 play {played}")
        assert state["inverted"][0] == expected


def test_min_run() -> None:
    for min_run, runs in ((2, ["3R 4R", "3R 4R 5R", "4R 5R"]), (3, ["3R 4R 5R"])):
        game = loop_seats(min_run=min_run)
        state = position(game, ["3R 4R 5R", FILLER, FILLER, FILLER])
        expected = sorted(f"play {text}" for text in ["3R", "4R", "5R", *runs])
        assert legal(game, state) == expected


def test_hard_pass() -> None:
    for hard in (False, True):
        game = loop_seats(hard_pass=hard)
        state = position(game, ["4R 14R", "5R 15R", "6R 11R", "7R 13R"])
        play(game, state, "0 play 4R", "1 pass", "2 play 6R", "3 play 7R", "0 pass")
        assert game.current_player(state) == (2 if hard else 1)
        passes = game.layout.split(game.observe(state, 0))["passed"].tolist()
        assert passes == ([1, 1, 0, 0] if hard else [1, 0, 0, 0])


def test_base_points() -> None:
    game = loop_seats(base_points=(10, 3, 1, -2))
    state = game.new_state(0)
    finish_round(game, state, [4, 2, 1, 3])
    assert game.points(state).tolist() == [-2, 3, 10, 1]


# Of a second round: the seats' cards are 1 2 3 4, the players' ranks before 1 3 2 4.
SECOND = [
    ({"rank_step": 0}, [0, 1, 2, 4]),
    ({"rank_step": 1}, [-3, 0, 3, 7]),
    ({"rank_step": 2}, [-6, -1, 4, 10]),
    ({"rank_step": 3}, [-9, -2, 5, 13]),
    ({"rank_step": 4}, [-12, -3, 6, 16]),
    ({"reference": "player"}, [-3, 1, 2, 7]),
    ({"later_rounds": "change_only"}, [-3, -1, 1, 3]),
    ({"floor_zero": True}, [0, 0, 3, 7]),
]


@pytest.mark.parametrize(("options", "points"), SECOND, ids=str)
def test_rank_step_reference_later_rounds_and_floor_zero(
    options: dict[str, Any], points: list[int]
) -> None:
    game = loop_seats(**options)
    state = after_round(game, [1, 2, 3, 4], [0, 0, 0, 0])
    state["before"][0, :4] = [1, 3, 2, 4]
    finish_round(game, state, [4, 3, 2, 1])
    assert game.points(state).tolist() == points


def test_base_points_count_in_the_first_round_with_change_only() -> None:
    game = loop_seats(later_rounds="change_only")
    state = game.new_state(0)
    finish_round(game, state, [1, 2, 3, 4])
    assert game.points(state).tolist() == [4, 2, 1, 0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [3, 2, 1, 0]),
        ({"winner_seats": "1to3"}, [2, 3, 1, 0]),
        ({"fourth_chooses": False}, [3, 2, 1, 0]),
        ({"fourth_chooses": False, "winner_seats": "1to3"}, [2, 3, 1, 0]),
    ],
)
def test_fourth_chooses_and_winner_seats(options: dict[str, Any], expected: list[int]) -> None:
    game = loop_seats(**options)
    state = game.new_state(0)
    finish_round(game, state, [1, 2, 3, 4], choice=None)
    chooses = options.get("fourth_chooses", True)
    assert (state["phase"][0] == SEATING) == chooses
    if chooses:
        other = state.copy()
        play(game, other, "3 take_seat 1")
        assert seats(game, other) == [*expected[:2], 0, 1]
        play(game, state, "3 take_seat 0")
    assert seats(game, state) == expected


@pytest.mark.parametrize(
    ("start", "seat"), [("fixed", 0), ("last", 3), ("winner", 2), ("last_seat", 2)]
)
def test_start(start: str, seat: int) -> None:
    game = loop_seats(start=start)
    state = game.new_state(0)
    state["start_seat"] = 0
    finish_round(game, state, [3, 1, 4, 2], choice=1)
    # The first (1) takes the fourth's seat 2, the fourth (2) that of the second (3).
    assert seats(game, state) == [1, 2, 3, 0]
    assert state["first"][0] == seat


@pytest.mark.parametrize(("threshold", "over"), [(1, True), (4, True), (5, False)])
def test_threshold(threshold: int, over: bool) -> None:
    game = loop_seats(threshold=threshold)
    state = game.new_state(0)
    finish_round(game, state, [1, 2, 3, 4])
    assert game.is_over(state) == over


def test_keep_order() -> None:
    for keep in (False, True):
        game = loop_seats(keep_order=keep)
        state = game.new_state(0)
        state["inverted"] = 1
        finish_round(game, state, [1, 2, 3, 4])
        assert state["inverted"][0] == keep


# Refused ----------------------------------------------------------------------------------------

REFUSED: dict[str, list[Any]] = {
    "num_players": [1, 5, 0, -4, 4.0, "4", True, [4]],
    "colours": [0, 7, 3.0, True, "RGB"],
    "values": [2, 16, 15.0, True],
    "hand_size": [1, 14, 11.0, "11", True],
    "set_aside": [-1, 3, 2.0, "2", False],
    "eight": [0, -1, 8.0, "8", True, [8]],
    "eight_mode": ["flip", "", True, 0, ["published"]],
    "flip_per_card": [0, 1, "true"],
    "min_run": [1, 4, 2.0, True],
    "hard_pass": [0, 1, "no"],
    "base_points": [
        *([4, 2, 1], [4, 2, 1, 0, 0], [], "4210", 4, {"4": 1}),
        *([4, 2, 1, 0.0], [4, 2, True, 0], [10_001, 0, 0, 0], [0, 0, 0, -10_001]),
    ],
    "rank_step": [-1, 5, 1.0, True],
    "reference": ["hand", "Seat", 1],
    "later_rounds": ["change", False],
    "fourth_chooses": [1, "yes"],
    "winner_seats": ["1to2", 4],
    "start": ["random", 0, True],
    "threshold": [0, -1, 10_001, 12.0, True, "12"],
    "threshold_check": ["at once", True],
    "floor_zero": [0, "no"],
    "keep_order": [1, "no"],
    "max_rounds": [0, -1, 10_001, 2.0, True],
}
CASES = [(name, value) for name, values in REFUSED.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES, ids=[f"{n}={v!r}" for n, v in CASES])
def test_refused_values_are_named_with_what_is_allowed(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        loop_seats(**{name: value})
    message = str(caught.value)
    assert repr(name) in message
    assert repr(value) in message
    assert "allowed: " in message


def test_combinations_are_refused_too() -> None:
    for options, mentioned in (
        ({"num_players": 3, "base_points": [4, 2, 1, 0]}, "num_players is 3"),
        ({"hand_size": 2}, r"'hand_size': got 2 \(set_aside is 2"),
        ({"hand_size": 12}, "3×15 = 45 cards, allowed: at least num_players·hand_size = 48"),
        ({"colours": 2}, "'colours' and 'values'.* 2×15 = 30 cards.* 44"),
        ({"values": 14}, "3×14 = 42 cards"),
    ):
        with pytest.raises(OptionError, match=mentioned):
            loop_seats(**options)
    assert loop_seats(num_players=3, hand_size=12).num_players == 3
    assert loop_seats(hand_size=2, set_aside=1).options["hand_size"] == 2


@pytest.mark.parametrize("name", ["num_player", "Eight", "deck", "minrun", "seed", "x", ""])
def test_unknown_options_are_refused_with_all_names(name: str) -> None:
    with pytest.raises(OptionError, match="threshold_check") as caught:
        load_game("loop_seats-v0", **{name: 1})
    assert repr(name) in str(caught.value)


# The battery ------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_battery(check: Any, num_players: int) -> None:
    check(loop_seats(num_players=num_players), 0)


IDS = [f"{n}={v}" for n, v in OTHERS]


@pytest.mark.parametrize(("name", "value"), OTHERS, ids=IDS)
def test_battery_of_every_value(name: str, value: Any) -> None:
    options = with_value(name, value, 4 if name in FOUR else 2)
    rounds = 10 if name in NEEDS else 2  # of few cards each
    run_battery(loop_seats(**{"max_rounds": rounds, **options}), 1)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(("name", "value"), OTHERS, ids=IDS)
def test_battery_of_every_value_and_player_count(name: str, value: Any, num_players: int) -> None:
    run_battery(loop_seats(**{"max_rounds": 12, **with_value(name, value, num_players)}), 2)


@pytest.mark.parametrize("options", TINY, ids=str)
def test_battery_of_research_variants(options: dict[str, Any]) -> None:
    run_battery(loop_seats(**options, max_rounds=10), 3)


def test_battery_of_two_colours_and_no_runs() -> None:
    run_battery(loop_seats(**NARROW, max_rounds=10), 3)
