"""Every option of loop_boards: what each value changes, what is refused, and the battery."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from loop_envs import load_game, records
from loop_envs.errors import OptionError
from loop_envs.testing import CHECKS, run_battery

from .positions import cards, finish_round, legal, loop_boards, play, position, small

FILLER = "1R 2R 3R"
OPTIONS = {option.name: option for option in loop_boards().rules.options}

# Every value that is not the default, in a game in which it means something.
VALUES: dict[str, list[Any]] = {
    "num_players": [5, 6],
    "deck": ["fifteen", {"colours": 5, "values": 11}, {"colours": 6, "values": 9}],
    "hand_size": [3, 5, 12],
    "set_aside": [0, 1],
    "rounds": [1, 2, 3],
    "eight": [None, 1, 3, 13, 14],
    "run_same_colour": [False],
    "run_wrap": [True],
    "reveal": ["stuck_only", "off"],
    "reveal_on_lead": [False],
    "on_exit": ["clear"],
    "golden": [0, 1, 2, 3],
    "golden_travels": [False],
    "count_self": [False],
    "tie_break": ["placings"],
}
TINY: list[dict[str, Any]] = [
    small(2, 3, 2, 4, eight=2),
    small(2, 3, 1, 6, eight=3, set_aside=1),
    small(2, 4, 3, 5, set_aside=0),
    small(2, 13, 6, 15, eight=7, set_aside=2),
    small(3, 4, 6, 2, eight=None),
    small(3, 5, 4, 4, eight=2, run_wrap=True),
    small(
        3,
        4,
        3,
        6,
        eight=4,
        set_aside=1,
        run_same_colour=False,
        run_wrap=True,
        reveal="stuck_only",
        on_exit="clear",
    ),
    small(6, 3, 2, 15, eight=15),
    small(5, 3, 6, 3, eight=1, rounds=4),
]


def test_every_option_has_its_values_here() -> None:
    assert set(VALUES) == set(OPTIONS)


def test_the_defaults_are_those_of_the_full_game() -> None:
    assert loop_boards().options == {
        "num_players": 4,
        "deck": "exact13",
        "hand_size": 13,
        "set_aside": 2,
        "rounds": 4,
        "eight": 8,
        "run_same_colour": True,
        "run_wrap": False,
        "reveal": "allowed",
        "reveal_on_lead": True,
        "on_exit": "play_on",
        "golden": "random",
        "golden_travels": True,
        "count_self": True,
        "tie_break": "shared",
    }


def test_null_stands_for_the_default() -> None:
    nothing = {name: None for name in OPTIONS if name != "eight"}
    assert loop_boards(**nothing).options == loop_boards().options
    assert loop_boards(eight=None).options["eight"] is None


def test_resolved_options_resolve_to_themselves() -> None:
    for name, values in VALUES.items():
        for value in values:
            game = loop_boards(**{name: value})
            again = loop_boards(**json.loads(json.dumps(game.options)))
            assert again.options == game.options
            assert (again.tables == game.tables).all()
            assert again.record.tobytes() == game.record.tobytes()


# What each value changes ------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_num_players(num_players: int) -> None:
    game = loop_boards(num_players=num_players)
    assert game.num_players == num_players
    assert game.options["rounds"] == num_players
    state = game.new_state(1)
    assert len(cards(state["hands"][0, :num_players].sum(axis=0)).split()) == 13 * num_players
    assert not state["hands"][0, num_players:].any()


def test_two_and_three_players_need_a_research_option() -> None:
    for n in (2, 3):
        for other in ({}, {"deck": "fifteen"}, {"reveal": "off"}, {"rounds": 1}, {"hand_size": 13}):
            with pytest.raises(OptionError, match="num_players") as caught:
                loop_boards(num_players=n, **other)
            assert "hand_size" in str(caught.value)
            assert repr(n) in str(caught.value)
        for research in ({"hand_size": 12}, {"set_aside": 1}, {"eight": None}, {"eight": 7}):
            assert loop_boards(num_players=n, **research).num_players == n


def test_deck() -> None:
    fifteen = loop_boards(num_players=5, deck="fifteen")
    event = fifteen.rules.deal_event(fifteen, fifteen.new_state(3))
    assert len(event["unseen"]) == 10
    everything = [card for hand in (*event["hands"], event["unseen"]) for card in hand]
    assert sorted(everything) == sorted(f"{v}{c}" for v in range(1, 16) for c in "RGBYP")
    own = loop_boards(deck={"values": 11, "colours": 5})
    assert own.options["deck"] == {"colours": 5, "values": 11}
    assert "play 11P" in own.action_names
    assert "play 12P" not in own.action_names
    assert len(own.rules.deal_event(own, own.new_state(0))["unseen"]) == 3
    thirteen = loop_boards(num_players=5)
    assert not thirteen.rules.deal_event(thirteen, thirteen.new_state(3))["unseen"]


def test_more_than_four_of_a_value_with_a_deck_of_more_colours() -> None:
    game = loop_boards(deck={"colours": 6, "values": 9})
    state = position(game, ["5R 5G 5B 5Y 5P 5O", FILLER, FILLER, FILLER])
    found = legal(game, state)
    assert len(found) == 6 + 15 + 20 + 15
    assert max(len(move.split()) for move in found) == 1 + 4


@pytest.mark.parametrize("hand_size", [3, 5, 12])
def test_hand_size(hand_size: int) -> None:
    game = loop_boards(hand_size=hand_size)
    event = game.rules.deal_event(game, game.new_state(0))
    assert [len(hand) for hand in event["hands"]] == [hand_size] * 4
    assert len(event["unseen"]) == 52 - 4 * hand_size
    seen = game.layout.split(game.observe(game.new_state(0), 1))
    assert seen["cards_left"].tolist() == [hand_size] * 4
    assert game.layout["cards_left"].high == hand_size


@pytest.mark.parametrize("set_aside", [0, 1, 2])
def test_set_aside(set_aside: int) -> None:
    game = loop_boards(set_aside=set_aside)
    state = game.new_state(0)
    asked = 0
    while legal(game, state)[0].startswith("aside"):
        if set_aside == 1:
            assert len(legal(game, state)) == 13, "any card, also the last"
        game.step(state, game.legal_actions(state)[-1])
        asked += 1
    assert asked == 4 * set_aside
    seen = game.layout.split(game.observe(state, 0))
    assert seen["cards_left"].tolist() == [13 - set_aside] * 4
    assert seen["phase"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_rounds(rounds: int) -> None:
    game = loop_boards(rounds=rounds)
    record = records.record_match(game, 1)
    assert sum("round_end" in event for event in record["events"]) == rounds
    state = game.new_state(0)
    for round_ in range(rounds):
        assert int(state["rounds_done"][0]) == round_
        assert not game.is_over(state)
        finish_round(game, state, [1, 2, 3, 4])
    assert game.is_over(state)
    # One marker on each board and round: with one round everybody's marker counts itself.
    if rounds == 1:
        assert game.points(state).tolist() == [1] * 4
        assert game.places(state).tolist() == [0] * 4
    # Markers by board: 0 [1, 2], 1 [2, 3], 2 [3, 4], 3 [4, 1].
    if rounds == 2:
        assert game.points(state).tolist() == [2 + 2, 1 + 2, 1 + 2, 1 + 1]


def test_rounds_score_with_the_markers_that_boards_carry() -> None:
    game = loop_boards(rounds=2)
    state = game.new_state(0)
    finish_round(game, state, [1, 2, 3, 4])
    finish_round(game, state, [4, 1, 2, 3])
    # Every hand did as well as before: all markers share a row.
    assert state["ranks"][0, :4, :2].tolist() == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert game.points(state).tolist() == [4, 4, 4, 4]


def test_eight() -> None:
    hands = ["8Y 3Y 1Y", "9R 1R", "9G 1G", "9B 1B"]
    for eight, clears in ((8, True), (3, False), (None, False), (14, False)):
        game = loop_boards(eight=eight)
        state = position(game, hands, table="7R", aside=["8R 3R"])
        assert ("reveal" in legal(game, state)) == (eight in (8, 3))
        play(game, state, "0 play 8Y")
        assert game.current_player(state) == (0 if clears else 1)
    game = loop_boards(eight=3)
    state = position(game, hands, table="2R", aside=["8R 4R"])
    assert "reveal" not in legal(game, state)
    play(game, state, "0 play 3Y")
    assert game.current_player(state) == 0
    top = loop_boards(eight=13)
    state = position(top, ["13Y 1Y", "9R", "9G", "9B"], table="12R")
    play(top, state, "0 play 13Y", "0 play 1Y")
    low = loop_boards(eight=1)
    state = position(low, ["1Y 2Y", "9R", "9G", "9B"])
    play(low, state, "0 play 1Y", "0 play 2Y")


def test_the_eight_is_a_value_of_the_deck_or_none() -> None:
    game = loop_boards(deck={"colours": 6, "values": 9}, eight=9)
    state = position(game, ["9Y 1Y", "9R", "9G", "9B"], table="7R")
    play(game, state, "0 play 9Y")
    assert game.current_player(state) == 0
    small = loop_boards(num_players=2, hand_size=5, deck={"colours": 6, "values": 5})
    state = position(small, ["5Y 1Y", "4R"], table="3R", aside=["4Y 3Y"])
    assert legal(small, state) == ["pass", "play 5Y"]


def test_run_same_colour() -> None:
    hand = "4G 5B 6Y 4R 5R 6R"
    for same in (True, False):
        game = loop_boards(run_same_colour=same)
        state = position(
            game, [hand, FILLER, FILLER, FILLER], table="3R 4B 5G" if not same else "3B 4B 5B"
        )
        found = legal(game, state)
        assert ("play 4G 5B 6Y" in found) == (not same)
        assert len(found) == (1 + 8 if not same else 1 + 1)
        assert "play 4R 5R 6R" in found


def test_run_wrap() -> None:
    for wrap in (False, True):
        game = loop_boards(run_wrap=wrap)
        state = position(game, ["12R 13R 1R 2R", FILLER, FILLER, FILLER])
        runs = [move for move in legal(game, state) if len(move.split()) > 2]
        expected = ["play 12R 13R", "play 1R 2R"]
        if wrap:
            expected += ["play 1R 13R", "play 1R 12R 13R", "play 1R 2R 13R", "play 1R 2R 12R 13R"]
        assert sorted(runs) == sorted(expected)


def test_reveal() -> None:
    hands = ["3G 5B 13G", FILLER, FILLER, FILLER]
    stuck = ["3G 5B", FILLER, FILLER, FILLER]
    for reveal, with_play, without in (
        ("allowed", True, True),
        ("stuck_only", False, True),
        ("off", False, False),
    ):
        game = loop_boards(reveal=reveal)
        for held, expected in ((hands, with_play), (stuck, without)):
            state = position(game, held, table="12R", aside=["8B 8Y"])
            assert ("reveal" in legal(game, state)) == expected, reveal
        lead = position(game, hands, aside=["8B 8Y"])
        assert ("reveal" in legal(game, lead)) == (reveal == "allowed")


def test_reveal_on_lead() -> None:
    for allowed in (True, False):
        game = loop_boards(reveal_on_lead=allowed)
        state = position(game, ["3G 5B", FILLER, FILLER, FILLER], aside=["8B 8Y"])
        assert ("reveal" in legal(game, state)) == allowed
        state = position(game, ["3G 5B", FILLER, FILLER, FILLER], table="12R", aside=["8B 8Y"])
        assert "reveal" in legal(game, state), "followers may"


def test_on_exit() -> None:
    hands = ["5R", "6G 1G", "7B 1B", "1Y 2Y"]
    for on_exit in ("play_on", "clear"):
        game = loop_boards(on_exit=on_exit)
        state = position(game, hands)
        play(game, state, "0 play 5R")
        assert game.current_player(state) == 1
        assert ("pass" in legal(game, state)) == (on_exit == "play_on")
        assert ("play 1G" in legal(game, state)) == (on_exit == "clear")


def test_on_exit_clear_skips_players_who_are_out() -> None:
    game = loop_boards(on_exit="clear")
    state = position(game, ["5R", "", "7B 1B", "1Y 2Y"], table="4R", owner=2)
    state["ranks"][0, 1, 0] = 1
    play(game, state, "0 play 5R")
    assert game.current_player(state) == 2
    assert legal(game, state) == ["play 1B", "play 7B"]


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_golden(seat: int) -> None:
    game = loop_boards(golden=seat)
    starts = {game.current_player(game.new_state(0, board)) for board in range(50)}
    assert starts == {seat}
    free = loop_boards()
    assert {free.current_player(free.new_state(0, b)) for b in range(50)} == {0, 1, 2, 3}


def test_golden_travels() -> None:
    for travels in (True, False):
        game = loop_boards(golden=2, golden_travels=travels)
        state = game.new_state(0)
        first = [game.current_player(state)]
        for _ in range(3):
            finish_round(game, state, [1, 2, 3, 4])
            first.append(game.current_player(state))
            seen = game.layout.split(game.observe(state, 1))
            assert seen["first"].argmax() == (first[-1] - 1) % 4
        assert first == ([2, 3, 0, 1] if travels else [2, 2, 2, 2])


def test_count_self() -> None:
    for seed in range(5):
        with_self = records.record_match(loop_boards(), seed)
        without = records.record_match(loop_boards(count_self=False), seed)
        assert with_self["events"] == without["events"]
        assert [a - b for a, b in zip(with_self["scores"], without["scores"], strict=True)] == [
            4
        ] * 4
        assert with_self["winners"] == without["winners"]


def test_tie_break() -> None:
    decided = 0
    for board in range(100):
        shared = loop_boards(rounds=2)
        state = shared.new_state(0, board)
        rng = np.random.default_rng(board)
        for _ in range(2):
            finish_round(shared, state, (rng.permutation(4) + 1).tolist())
        broken = loop_boards(rounds=2, tie_break="placings")
        places, finer = shared.places(state), broken.places(state)
        points = shared.points(state)
        counts = []
        for p in range(4):
            ranks = [int(state["ranks"][0, (p - r) % 4, r]) for r in range(2)]
            counts.append((int(points[p]), *(ranks.count(k) for k in (1, 2, 3, 4))))
        assert finer.tolist() == [sum(other > own for other in counts) for own in counts]
        assert places.tolist() == [int((points > points[p]).sum()) for p in range(4)]
        decided += places.tolist() != finer.tolist()
    assert decided > 10, "ties must occur for this test to mean something"


# Refused ----------------------------------------------------------------------------------------

REFUSED: dict[str, list[Any]] = {
    "num_players": [1, 7, 0, -4, 4.0, "4", True, [4]],
    "deck": [
        "exact15",
        13,
        True,
        {},
        {"colours": 4},
        {"colours": 4, "values": 13, "jokers": 2},
        {"colours": 7, "values": 13},
        {"colours": 4, "values": 16},
        {"colours": 0, "values": 13},
        {"colours": 4.0, "values": 13},
        {"colours": True, "values": 13},
        {"colours": 4, "values": 12},
        {"colours": "4", "values": 13},
        [4, 13],
    ],
    "hand_size": [2, 14, 13.0, "13", True, 0],
    "set_aside": [-1, 3, 2.0, "2", False],
    "rounds": [0, 5, -1, 2.0, True, "all"],
    "eight": [0, -1, 8.0, "8", True, [8]],
    "run_same_colour": [0, 1, "true", "yes", []],
    "run_wrap": [0, 1, "false", 0.0],
    "reveal": ["always", "", True, 0, ["off"]],
    "reveal_on_lead": [1, "true"],
    "on_exit": ["play on", "Clear", False],
    "golden": ["fixed", -1, 4, 5, 6, 1.0, True, [0], ""],
    "golden_travels": [1, "no"],
    "count_self": [0, "no"],
    "tie_break": ["none", "placing", True],
}
CASES = [(name, value) for name, values in REFUSED.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES, ids=[f"{n}={v!r}" for n, v in CASES])
def test_refused_values_are_named_with_what_is_allowed(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        loop_boards(**{name: value})
    message = str(caught.value)
    assert repr(name) in message
    assert repr(value) in message
    assert "allowed: " in message


def test_combinations_are_refused_too() -> None:
    for options, mentioned in (
        ({"num_players": 6, "deck": {"colours": 6, "values": 12}}, "78"),
        ({"num_players": 3, "hand_size": 5, "rounds": 4}, "num_players is 3"),
        ({"num_players": 3, "hand_size": 5, "golden": 3}, "num_players is 3"),
        ({"hand_size": 3, "deck": {"colours": 1, "values": 11}}, "12"),
    ):
        with pytest.raises(OptionError, match=mentioned):
            loop_boards(**options)
    loop_boards(hand_size=3, deck={"colours": 1, "values": 12})


@pytest.mark.parametrize("name", ["num_player", "Reveal", "decks", "runwrap", "seed", "x", ""])
def test_unknown_options_are_refused_with_all_names(name: str) -> None:
    with pytest.raises(OptionError, match="tie_break") as caught:
        load_game("loop_boards-v0", **{name: 1})
    assert repr(name) in str(caught.value)


# The battery ------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [4, 5, 6])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_battery(check: Any, num_players: int) -> None:
    check(loop_boards(num_players=num_players), 0)


OTHERS = [(n, v) for n, values in VALUES.items() if n != "num_players" for v in values]


@pytest.mark.filterwarnings("ignore:.*Box.*:UserWarning")
@pytest.mark.parametrize(("name", "value"), OTHERS, ids=[f"{n}={v}" for n, v in OTHERS])
def test_battery_of_every_value(name: str, value: Any) -> None:
    rounds = 1 if name == "run_same_colour" else 2
    run_battery(loop_boards(**{"rounds": rounds, name: value}), 1)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [4, 5, 6])
@pytest.mark.parametrize(("name", "value"), OTHERS, ids=[f"{n}={v}" for n, v in OTHERS])
def test_battery_of_every_value_and_player_count(name: str, value: Any, num_players: int) -> None:
    if name == "deck" and isinstance(value, dict):
        value = {"colours": 6, "values": 14}
    run_battery(loop_boards(**{"num_players": num_players, name: value}), 2)


@pytest.mark.parametrize("options", TINY, ids=str)
def test_battery_of_research_variants(options: dict[str, Any]) -> None:
    run_battery(loop_boards(**options), 3)


@pytest.mark.slow
def test_battery_of_the_largest_variant() -> None:
    options = {"num_players": 6, "deck": "fifteen", "run_same_colour": False, "run_wrap": True}
    run_battery(loop_boards(**options, rounds=1), 0)
