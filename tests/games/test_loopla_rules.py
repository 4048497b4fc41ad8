"""The rules of LOOPLA!: every worked example and every settled detail."""

from __future__ import annotations

from typing import Any

import pytest

from loop_envs.errors import IllegalActionError, OptionError, RecordError

from .loopla_positions import (
    constraint,
    deal,
    deal_next,
    falls,
    legal,
    loopla,
    play,
    position,
    round_end,
    with_points,
)

GAME = {n: loopla(num_players=n) for n in range(2, 7)}
FILL = "2 3 4"  # a hand that does not matter


# The worked examples --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("example", "hand", "top", "bound", "expected"),
    [
        (1, "2 5 6 7 9 13", 6, "up", "6 7 9 13"),
        (2, "2 5 6 7 9 13", 6, "down", "2 5 6 7"),
        (3, "3 7 8 9 10 13", 9, "doubled", "7 8 9 10"),
        (4, "7 12 13", 13, "sovereign", "7 13"),
        (5, "12 13 13 7", 13, "sovereign", "7 13"),
        (6, "11 12 13 2", 12, "doubled", "11 12 13"),
        (7, "2 13 7 1", 1, "doubled", "1 2 7"),
        (8, "6 7 8", 7, "up", "7 8"),
        (9, "1 2 6 7 8 13", 7, "down", "1 2 6 7"),
        (17, "1 2 7 13", 13, "free", "1 2 7 13"),
    ],
)
def test_examples_of_legal_cards(
    example: int, hand: str, top: int, bound: str, expected: str
) -> None:
    assert legal(GAME[2], position(GAME[2], [hand, FILL], top, bound)) == expected


def test_example_5_a_13_on_a_13_is_a_double_but_binds_as_sovereign() -> None:
    state = position(GAME[2], ["13 2", "7 12 13"], 13, "sovereign")
    play(GAME[2], state, "0 play 13, 0 leave")
    assert constraint(state) == "sovereign"
    assert legal(GAME[2], state) == "7 13"


def test_example_6_a_13_on_a_doubled_12_is_a_sovereign() -> None:
    state = position(GAME[2], ["11 12 13 2", "12 13"], 12, "doubled")
    play(GAME[2], state, "0 play 13, 0 leave")
    assert legal(GAME[2], state) == "13"


def test_example_9_a_7_answers_a_sovereign_and_its_player_instructs() -> None:
    state = position(GAME[2], ["7 12", "1 6 7 8 13"], 13, "sovereign")
    play(GAME[2], state, "0 play 7, 0 leave, 0 down")
    assert legal(GAME[2], state) == "1 6 7"


@pytest.mark.parametrize(("hand", "expected"), [("1 9", "1"), ("7 9", "7"), ("2 9 13", "")])
def test_example_10_a_1_turns_the_direction(hand: str, expected: str) -> None:
    state = position(GAME[3], [hand, "1 5", "1 2"], 4, "down", player=1)
    happened = play(GAME[3], state, "1 play 1, 1 leave, 1 down")
    assert falls(happened) == ([] if expected else [0])
    # After a fall the constraint stays, and play goes on in the new direction.
    assert GAME[3].current_player(state) == (0 if expected else 2)
    assert legal(GAME[3], state) == (expected or "1")


@pytest.mark.parametrize(("move", "kept"), [("take", []), ("leave", [2, 5, 11])])
def test_example_11_a_bust_loses_the_collection(move: str, kept: list[int]) -> None:
    game = GAME[2]
    state = position(game, ["9 2", "1 2"], 5, "up", collections=["2 5 11", "3"])
    play(game, state, f"0 play 9, 0 {move}, 0 down")
    seen = game.layout.split(game.observe(state, 0))
    assert [v + 1 for v in range(13) if seen["collections"][0, v]] == kept
    assert game.current_player(state) == 1, "the player stays in the round"


def test_example_12_whoop() -> None:
    state = position(GAME[2], ["13 2", FILL], 12, "up", collections=["1 2 4 6 9 11", "3"])
    happened = play(GAME[2], state, "0 play 13, 0 take")
    assert round_end(happened) == ([[1, 2, 4, 6, 9, 11, 12], [3]], [15, 0], [60, 3])
    assert GAME[2].deal_is_due(state)


def test_example_13_the_last_card_and_a_pick_up() -> None:
    state = position(GAME[2], ["12", FILL], 10, "up", collections=["3 8"])
    assert round_end(play(GAME[2], state, "0 play 12, 0 take")) == (
        [[3, 8, 10], []], [5, 0], [26, 0],
    )  # fmt: skip


def test_example_14_both_bonuses() -> None:
    state = position(GAME[2], ["7", FILL], 13, "sovereign", collections=["2 3 5 8 10 12"])
    happened = play(GAME[2], state, "0 play 7, 0 take")
    assert round_end(happened)[1:] == ([20, 0], [73, 0])


def test_example_15_one_13_may_end_the_round() -> None:
    hands = ["13 2", "1 12", "2 6"]
    state = position(GAME[3], hands, 9, "up", collections=["3 4", "13", "5"])
    happened = play(GAME[3], state, "0 play 13, 0 leave")
    assert falls(happened) == [1, 2]
    assert round_end(happened) == ([[3, 4], [], []], [0, 0, 0], [7, 0, 0])
    free = loopla(num_players=3, after_fall="free")
    state = position(free, hands, 9, "up", collections=["3 4", "13", "5"])
    assert play(free, state, "0 play 13, 0 leave") == [{"fall": 1}]
    assert legal(free, state) == "2 6"
    assert free.current_player(state) == 2


def test_example_16_a_double_may_tempt_to_a_bust() -> None:
    state = position(GAME[2], ["9 2", "8 9"], 9, "up", collections=["9"])
    play(GAME[2], state, "0 play 9, 0 take")
    assert not state["collection"][0].any()
    assert constraint(state) == "doubled"


def test_example_17_a_13_on_the_start_card() -> None:
    state = deal(GAME[2], ["13 1 2 3 4 5 6 7", "13 7 2 3 4 5 6 6"], 13)
    assert legal(GAME[2], state) == "1 2 3 4 5 6 7 13"
    play(GAME[2], state, "0 play 13, 0 leave")
    assert legal(GAME[2], state) == "7 13"


def test_example_18_the_higher_of_two_above_the_target_wins() -> None:
    state = position(GAME[2], ["10", FILL], 5, "up", collections=["", "12"])
    with_points(state, [200, 200], 9)
    happened = play(GAME[2], state, "0 play 10, 0 leave")
    assert happened[-1]["round_end"]["totals"] == [205, 212]
    assert GAME[2].is_over(state)
    assert state["status"][0] == 1
    assert GAME[2].places(state).tolist() == [1, 0]


def test_example_19_seven_players_are_refused() -> None:
    with pytest.raises(OptionError, match="num_players"):
        loopla(num_players=7)


# Settled details ------------------------------------------------------------------------------


@pytest.mark.parametrize(("instruction", "expected"), [("up", "9 13"), ("down", "1 2 6")])
def test_detail_1_a_drawn_instruction_binds_the_first_play(instruction: str, expected: str) -> None:
    game = loopla(num_players=2, first_instruction="random", hand_size=5)
    hand, other = "1 2 6 9 13", "3 4 5 6 8"
    state = deal(game, [other, hand], 8, 1, instruction=instruction)
    assert legal(game, state) == expected
    happened = play(game, state, f"1 play {expected.split()[-1]}, 1 leave")
    if instruction == "up":
        # Every round has its own.
        assert falls(happened) == [0]
        deal_next(game, state, [other, hand], 8, 0, instruction="down")
        assert legal(game, state) == "3 4 5 6 8"


def test_detail_1_drawn_instructions_are_about_half_up() -> None:
    game = loopla(first_instruction="random")
    drawn = [game.rules.deal_event(game, game.new_state(1, b))["instruction"] for b in range(200)]
    assert 70 < drawn.count("up") < 130
    firsts = [game.rules.deal_event(game, game.new_state(1, b))["first"] for b in range(200)]
    assert all(30 < firsts.count(p) < 75 for p in range(4))


def test_detail_1_the_starter_instructs_for_the_own_first_play_and_may_fall() -> None:
    game = loopla(num_players=3, first_instruction="starter", hand_size=3)
    hands = [FILL, "9 10 11", "2 6 8"]
    state = deal(game, hands, 8, 1)
    assert legal(game, state) == "up down"
    assert play(game, state, "1 up") == []
    assert (game.current_player(state), legal(game, state)) == (1, "9 10 11")
    state = deal(game, hands, 8, 1)
    assert play(game, state, "1 down") == [{"fall": 1}]
    # The constraint stays for the next.
    assert (game.current_player(state), legal(game, state)) == (2, "2 6 8")


def test_detail_2_a_deal_may_end_the_round_by_itself() -> None:
    game = loopla(num_players=3, first_instruction="random", hand_size=3, values=13)
    hands = ["1 2 3", "4 5 6", "2 8 8"]
    state = deal(game, hands, 10, 1, instruction="down")
    assert game.current_player(state) == 1
    state = game.undealt(0)
    happened = deal_next(game, state, hands, 9, 1, instruction="up")
    assert falls(happened) == [1, 2]
    assert round_end(happened) == ([[], [], []], [0, 0, 0], [0, 0, 0])
    assert game.deal_is_due(state)
    # The next round begins with the next player.
    with pytest.raises(RecordError, match="player 2"):
        deal_next(game, state, hands, 9, 1, instruction="down")
    assert falls(deal_next(game, state, ["1 2 10", *hands[1:]], 9, 2, instruction="up")) == [2]
    assert game.current_player(state) == 0


def test_detail_3_the_start_card_may_have_its_power() -> None:
    power = loopla(num_players=3, start_card_power=True, hand_size=3)
    state = power.undealt(0)
    assert falls(deal_next(power, state, ["7 12 13", "1 2 12", "1 2 3"], 13, 1)) == [1, 2]
    state = deal(power, ["7 12 13", "1 2 12", "1 2 3"], 13, 0)
    assert legal(power, state) == "7 13"
    state = deal(power, [FILL] * 3, 1, 0)
    assert legal(power, state) == "2 3 4"
    play(power, state, "0 play 2, 0 leave, 0 up")
    assert power.current_player(state) == 2
    state = deal(power, [FILL] * 3, 7, 0)
    assert legal(power, state) == "2 3 4"
    play(power, state, "0 play 2, 0 leave, 0 up")
    assert power.current_player(state) == 1


def test_detail_3_the_start_card_overrides_instructions() -> None:
    random = loopla(num_players=2, start_card_power=True, first_instruction="random", hand_size=3)
    state = deal(random, ["1 7 12", FILL], 13, 0, instruction="down")
    assert legal(random, state) == "7"
    starter = loopla(num_players=2, start_card_power=True, first_instruction="starter", hand_size=3)
    state = deal(starter, ["1 7 12", FILL], 13, 0)
    assert legal(starter, state) == "7"
    state = deal(starter, ["1 7 12", FILL], 12, 0)
    assert legal(starter, state) == "up down"
    assert starter.current_player(deal(starter, ["1 7 12", FILL], 1, 0)) == 0


def test_detail_4_a_1_with_two_in_the_round_may_give_another_turn() -> None:
    game = loopla(num_players=3, reverse_with_two="again")
    # "Two" are those in the round; a player without cards is out here.
    state = position(game, ["1 1 2 9", "", FILL], 4, "down")
    play(game, state, "0 play 1, 0 leave, 0 down")
    assert (game.current_player(state), legal(game, state)) == (0, "1")
    play(game, state, "0 play 1, 0 leave")
    assert (game.current_player(state), legal(game, state)) == (0, "2")
    assert constraint(state) == "doubled"
    play(game, state, "0 play 2, 0 leave, 0 up")
    assert game.current_player(state) == 2
    # The player may fall by the own instruction.
    state = position(game, ["1 9", "", FILL], 4, "down", collections=["5", "", "6"])
    happened = play(game, state, "0 play 1, 0 leave, 0 down")
    assert falls(happened) == [0]
    assert round_end(happened)[2] == [0, 0, 6]
    # With three in the round, the direction turns.
    state = position(game, ["1 9", FILL, FILL], 4, "down")
    play(game, state, "0 play 1, 0 leave, 0 up")
    assert game.current_player(state) == 2
    assert state["direction"][0] == -1


@pytest.mark.parametrize("num_players", [2, 3])
def test_detail_4_by_default_a_1_does_nothing_with_two_in_the_round(num_players: int) -> None:
    game = GAME[num_players]
    state = position(game, ["1 9", FILL, ""][:num_players], 4, "down")
    play(game, state, "0 play 1, 0 leave, 0 up")
    assert game.current_player(state) == 1
    assert state["direction"][0] == 1


def test_detail_5_a_bust_may_put_out_of_the_round() -> None:
    game = loopla(num_players=3, bust_leaves=True)
    hands, collections = ["9 2", FILL, FILL], ["5", "4", "6"]
    state = position(game, hands, 5, "up", collections=collections)
    # The turn goes on to the instruction, and there is no event.
    assert play(game, state, "0 play 9, 0 take") == []
    assert legal(game, state) == "up down"
    assert play(game, state, "0 down") == []
    play(game, state, "1 play 4, 1 leave, 1 up, 2 play 4, 2 leave")
    assert game.current_player(state) == 1, "player 0 is out"
    # One left: the round ends at once.
    state = position(game, ["9 2", "", FILL], 5, "up", collections=collections)
    happened = play(game, state, "0 play 9, 0 take, 0 up")
    assert happened == [happened[-1]]
    assert round_end(happened)[2] == [0, 4, 6]


def test_detail_5_with_the_last_card_the_bonus_stays() -> None:
    game = loopla(num_players=2, bust_leaves=True)
    state = position(game, ["9", FILL], 5, "up", collections=["5 6", "6"])
    happened = play(game, state, "0 play 9, 0 take")
    assert round_end(happened) == ([[], [6]], [5, 0], [5, 6])


@pytest.mark.parametrize(
    ("starter", "points", "expected"),
    [
        ("rotate", [10, 2, 1], 2),
        ("winner", [10, 2, 1], 0),
        ("loser", [10, 2, 1], 2),
        ("winner", [6, 8, 8], 1),
        ("winner", [8, 7, 8], 2),  # level: the nearest clockwise from player 1, who began
        ("winner", [8, 8, 2], 1),
        ("loser", [6, 6, 8], 1),
        ("loser", [6, 7, 6], 2),
        ("loser", [9, 10, 11], 0),
    ],
)
def test_detail_6_who_begins_the_next_round(starter: str, points: list[int], expected: int) -> None:
    game = loopla(num_players=3, starter=starter, hand_size=3, last_card_pickup=False)
    collections = [str(points[0] - 5), str(points[1]), str(points[2])]
    state = position(game, ["13", FILL, FILL], 9, "up", collections=collections)
    state["starter"] = 1
    assert round_end(play(game, state, "0 play 13"))[2] == points
    with pytest.raises(RecordError, match=f"'first' must be player {expected}"):
        deal_next(game, state, [FILL] * 3, 9, (expected + 1) % 3)
    deal_next(game, state, [FILL] * 3, 9, expected)
    assert game.current_player(state) == expected


def test_detail_7_target_and_rounds() -> None:
    ended = {}
    cases: dict[str, dict[str, Any]] = {
        "target": {"target": 5},
        "rounds": {"target": None, "rounds": 1},
        "both": {"target": 5, "rounds": 3},
        "rounds first": {"target": 100, "rounds": 1},
        "same": {"rounds": 1, "max_rounds": 1},
        "cut": {"rounds": 2, "max_rounds": 1},
        "cut at the target": {"target": 5, "max_rounds": 1},
        "going on": {"target": 6, "rounds": 2},
    }
    for name, options in cases.items():
        game = loopla(num_players=2, **options)
        state = position(game, ["9", FILL], 5, "up")
        play(game, state, "0 play 9, 0 leave")
        ended[name] = int(state["status"][0])
    assert ended == {
        "target": 1, "rounds": 1, "both": 1, "rounds first": 1, "same": 1, "cut": 2,
        "cut at the target": 1, "going on": 0,
    }  # fmt: skip
    with pytest.raises(OptionError, match="target"):
        loopla(target=None)


def test_detail_8_with_7_values_the_7_is_joker_and_sovereign() -> None:
    game = loopla(num_players=2, values=7, hand_size=3)
    state = position(game, ["7 2", "1 6 7"], 1, "down")
    assert legal(game, state) == "7"
    play(game, state, "0 play 7, 0 leave")
    assert legal(game, state) == "7"
    assert constraint(state) == "sovereign"


def test_detail_8_fewer_than_7_values_have_no_joker() -> None:
    game = loopla(num_players=2, values=6, hand_size=3)
    state = position(game, ["1 2 6", "1 5 6"], 3, "down")
    assert legal(game, state) == "1 2"
    state = position(game, ["6 2", "1 5"], 3, "up")
    assert falls(play(game, state, "0 play 6, 0 leave")) == [1]


def test_detail_8_a_whoop_that_cannot_be_reached_is_allowed() -> None:
    assert loopla(num_players=2, values=5, whoop_size=7).options["whoop_size"] == 7


def test_detail_8_the_deck_must_suffice() -> None:
    assert loopla(num_players=2, hand_size=2, values=5, copies=1).num_players == 2
    with pytest.raises(OptionError, match=r"hand_size.*13"):
        loopla(num_players=6, hand_size=2, values=12, copies=1)


def test_detail_9_equal_totals_share_the_win() -> None:
    state = position(GAME[3], ["10", FILL, FILL], 5, "up", collections=["", "5", "1"])
    with_points(state, [200, 200, 50])
    play(GAME[3], state, "0 play 10, 0 leave")
    assert GAME[3].places(state).tolist() == [0, 0, 2]


# More of the rules ----------------------------------------------------------------------------


def test_a_7_on_a_7_is_no_double() -> None:
    state = position(GAME[2], ["7 2", FILL], 7, "up")
    play(GAME[2], state, "0 play 7, 0 leave")
    assert legal(GAME[2], state) == "up down"


def test_a_double_under_any_constraint_skips_the_instruction() -> None:
    for bound in ("free", "up", "down", "doubled"):
        state = position(GAME[2], ["4 2", "2 4 5"], 4, bound)
        play(GAME[2], state, "0 play 4, 0 leave")
        assert constraint(state) == "doubled"
        assert legal(GAME[2], state) == "4 5"


def test_a_neighbour_of_a_double_is_no_double() -> None:
    state = position(GAME[2], ["5 2", "2 4 5"], 4, "doubled")
    play(GAME[2], state, "0 play 5, 0 leave")
    assert legal(GAME[2], state) == "up down"


def test_a_1_and_a_13_answer_doubles_with_their_power() -> None:
    state = position(GAME[3], ["1 2", FILL, "1 2 3"], 2, "doubled")
    play(GAME[3], state, "0 play 1, 0 leave, 0 up")
    assert GAME[3].current_player(state) == 2
    # 1 on 1: a double that turns the direction.
    play(GAME[3], state, "2 play 1, 2 leave")
    assert GAME[3].current_player(state) == 0
    assert constraint(state) == "doubled"


def test_nobody_may_pass() -> None:
    state = position(GAME[2], ["9 2", FILL], 5, "up")
    with pytest.raises(IllegalActionError, match="legal: play 9"):
        GAME[2].play(state, GAME[2].parse_action(state, "leave"))


def test_the_covered_card_is_the_former_top() -> None:
    game = GAME[2]
    state = position(game, ["9 2", "10 11"], 5, "up")
    play(game, state, "0 play 9")
    seen = game.layout.split(game.observe(state, 1))
    assert [int(seen[name].argmax()) for name in ("covered", "top")] == [4, 8]
    play(game, state, "0 leave, 0 up, 1 play 10, 1 take")
    assert state["collection"][0, 1] == 1 << 8


def test_fallen_players_are_skipped_both_ways() -> None:
    game = GAME[4]
    state = position(game, ["13 3 9", "1 2", "7 9 1 5", "2 9"], 4, "up")
    assert falls(play(game, state, "0 play 13, 0 leave")) == [1]
    assert falls(play(game, state, "2 play 7, 2 leave, 2 down")) == []
    play(game, state, "3 play 2, 3 leave, 3 up, 0 play 3, 0 leave, 0 down")
    assert game.current_player(state) == 2
    play(game, state, "2 play 1, 2 leave, 2 up")
    assert game.current_player(state) == 0


def test_after_a_free_fall_only_the_next_is_free() -> None:
    game = loopla(num_players=4, after_fall="free")
    state = position(game, ["13 3", "1 2", "1 5", "2 9"], 4, "up")
    assert falls(play(game, state, "0 play 13, 0 leave")) == [1]
    assert falls(play(game, state, "2 play 5, 2 leave, 2 up")) == []
    assert legal(game, state) == "9"


def test_falls_go_in_the_direction_of_play() -> None:
    state = position(GAME[5], ["13 3", "1 2", "2", "7", "5"], 4, "up", direction=-1)
    happened = play(GAME[5], state, "0 play 13, 0 leave")
    assert happened == [{"fall": 4}]
    state = position(GAME[5], ["13 3", "1 2", "2", "9", "5"], 4, "up", direction=-1)
    assert falls(play(GAME[5], state, "0 play 13, 0 leave")) == [4, 3, 2, 1]


def test_a_new_round_forgets_the_old_one() -> None:
    game = loopla(num_players=3, hand_size=3)
    state = position(game, ["1 13 2", FILL, FILL], 9, "down", collections=["3", "4", "5"])
    play(game, state, "0 play 1, 0 take, 0 up")
    play(game, state, "2 play 2, 2 leave, 2 up")
    game.step(state, game.parse_action(state, "play 2"))
    assert state["direction"][0] == -1
    while not int(state["rounds_done"][0]):
        game.step(state, game.legal_actions(state)[0])
    s = state[0]
    assert s["direction"] == 1
    assert [int(s[name]) for name in ("active", "fallen", "busted", "again")] == [7, 0, 0, 0]
    assert not s["collection"].any()
    assert not s["lacks"].any()
    assert not s["bonus"].any()
    assert s["cards_left"].tolist() == [3, 3, 3, 0, 0, 0]
    assert int(s["deals"]) == 2


def test_actions_of_a_match_that_is_over_are_refused() -> None:
    game = loopla(num_players=2, rounds=1)
    state = position(game, ["9", FILL], 5, "up")
    play(game, state, "0 play 9, 0 leave")
    assert not game.action_mask(state).any()
    with pytest.raises(IllegalActionError, match="over"):
        game.step(state, 0)
    assert "Winners: 0" in game.state_text(state)
