"""Tests of the reference itself: the worked examples of the rules, and made-up records."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from .loopla import OPTIONS, Match, check_record, legal_moves, resolve

A, B, C = 0, 1, 2
FILL = "2 3 4"  # a hand that does not matter


def values(text: str) -> list[int]:
    """'5 6' -> [5, 6]."""
    return [int(word) for word in text.split()]


def position(hands: list[str], top: int, constraint: str = "free", **options: Any) -> Match:
    """Player 0 to play under the constraint, with the given hands and top."""
    match = Match({"num_players": len(hands), **options})
    match.start_round([values(hand) for hand in hands], top, 0)
    match.constraint = constraint
    return match


def collected(match: Match, *collections: str) -> Match:
    """The same position with these collections, the first player's first."""
    for player, text in enumerate(collections):
        match.collections[player] = set(values(text))
    return match


def legal(hand: str, top: int, constraint: str, **options: Any) -> str:
    """The values player 0 may play, ascending."""
    match = position([hand, FILL], top, constraint, **options)
    moves = legal_moves(match)
    assert moves == sorted(f"play {value}" for value in match.playable())
    return " ".join(str(value) for value in match.playable())


def play_all(match: Match, moves: str) -> None:
    """Make moves written 'player move, player move, ...'; checks whose turn each one is."""
    for text in moves.split(", "):
        player, _, move = text.partition(" ")
        assert match.to_move == int(player), text
        match.play(move)


def last_round(match: Match) -> tuple[Any, Any, Any]:
    """Collections, bonus and points of the round that has just ended."""
    told = match.happened[-1]["round_end"]
    return told["collections"], told["bonus"], told["points"]


def falls(match: Match) -> list[int]:
    """The players who fell, in order."""
    return [event["fall"] for event in match.happened if "fall" in event]


def random_deal(match: Match, rng: random.Random) -> dict[str, Any]:
    """A possible deal of the next round."""
    options, n, size = match.options, match.n, match.options["hand_size"]
    deck = [v for v in range(1, options["values"] + 1) for _ in range(options["copies"])]
    rng.shuffle(deck)
    first = rng.randrange(n) if match.next_starter is None else match.next_starter
    hands = [deck[p * size : (p + 1) * size] for p in range(n)]
    deal = {"hands": hands, "top": deck[n * size], "first": first}
    if options["first_instruction"] == "random":
        deal["instruction"] = rng.choice(["up", "down"])
    return deal


def make_record(options: dict[str, Any], seed: int, stop: int | None = None) -> dict[str, Any]:
    """A record of random play, cut off after `stop` moves."""
    rng = random.Random(seed)
    match = Match(options)
    events: list[dict[str, Any]] = []
    moves = told = 0
    while match.phase != "over" and (moves != stop or match.phase == "deal"):
        if match.phase == "deal":
            deal = random_deal(match, rng)
            events.append({"deal": deal})
            match.start_round(deal["hands"], deal["top"], deal["first"], deal.get("instruction"))
        else:
            choice = legal_moves(match)
            move = rng.choice(choice)
            events.append({"player": match.to_move, "move": move, "legal": choice})
            match.play(move)
            moves += 1
        events += match.happened[told:]
        told = len(match.happened)
    return {
        "format": "loop-envs-record/1",
        "env": "loopla-v0",
        "options": options,
        "agents": ["random"] * match.n,
        "events": events,
        "scores": match.totals,
        "winners": match.winners(),
        "end": match.end,
    }


# The worked examples


@pytest.mark.parametrize(
    ("example", "hand", "top", "constraint", "expected"),
    [
        (1, "2 5 6 7 9 13", 6, "up", "6 7 9 13"),
        (2, "2 5 6 7 9 13", 6, "down", "2 5 6 7"),
        (3, "3 7 8 9 10 13", 9, "doubled", "7 8 9 10"),
        (4, "7 12 13", 13, "sovereign", "7 13"),
        (5, "12 13 13 7", 13, "sovereign", "7 13"),
        (6, "11 12 13 2", 12, "doubled", "11 12 13"),
        (7, "2 13 7 1", 1, "doubled", "1 2 7"),
        (8, "6 7 8", 7, "up", "7 8"),
        (17, "1 7 12 13", 13, "free", "1 7 12 13"),
    ],
)
def test_examples_of_legal_plays(
    example: int, hand: str, top: int, constraint: str, expected: str
) -> None:
    assert legal(hand, top, constraint) == expected


def test_example_5_a_double_sovereign_is_a_sovereign() -> None:
    match = position(["13 2", "12 13 7"], 13, "sovereign")
    play_all(match, "0 play 13, 0 leave")
    assert (match.to_move, match.constraint) == (B, "sovereign")
    assert legal_moves(match) == ["play 13", "play 7"]


def test_example_6_a_13_answers_a_double() -> None:
    match = position(["11 12 13 2", "13 2"], 12, "doubled")
    play_all(match, "0 play 13, 0 leave")
    assert (match.to_move, match.constraint) == (B, "sovereign")


def test_example_9_a_joker_breaks_the_sovereign() -> None:
    match = position(["7 2", "1 6 7 8 13"], 13, "sovereign")
    play_all(match, "0 play 7, 0 leave, 0 down")
    assert match.playable() == [1, 6, 7]


def test_example_10_reverse() -> None:
    for hand, fallen in (("1 5", []), ("7 5", []), ("2 5", [A])):
        match = position([hand, "1 12", "1 12"], 4, "down")
        match.to_move = B
        play_all(match, "1 play 1, 1 leave, 1 down")
        assert falls(match) == fallen
        assert match.to_move == (C if fallen else A)


def test_example_11_bust() -> None:
    match = collected(position(["9 1", FILL], 5, "up"), "2 5 11")
    play_all(match, "0 play 9, 0 take")
    assert match.collections[A] == set()
    assert match.inside == {A, B}
    match = collected(position(["9 1", FILL], 5, "up"), "2 5 11")
    play_all(match, "0 play 9, 0 leave")
    assert match.collections[A] == {2, 5, 11}


def test_example_12_whoop() -> None:
    match = collected(position(["13 1", FILL], 12, "up"), "1 2 4 6 9 11", "3")
    play_all(match, "0 play 13, 0 take")
    assert last_round(match) == ([[1, 2, 4, 6, 9, 11, 12], [3]], [15, 0], [60, 3])
    assert (match.phase, match.to_move) == ("deal", None)


def test_example_13_empty_hand() -> None:
    match = collected(position(["11", FILL], 10, "up"), "3 8")
    play_all(match, "0 play 11, 0 take")
    assert last_round(match) == ([[3, 8, 10], []], [5, 0], [26, 0])
    match = collected(position(["11", FILL], 10, "up", last_card_pickup=False), "3 8")
    play_all(match, "0 play 11")
    assert last_round(match) == ([[3, 8], []], [5, 0], [16, 0])


@pytest.mark.parametrize(("bonuses", "bonus"), [("both", 20), ("larger", 15)])
def test_example_14_both_bonuses(bonuses: str, bonus: int) -> None:
    match = collected(position(["7", FILL], 13, "sovereign", bonuses=bonuses), "2 3 5 8 10 12")
    play_all(match, "0 play 7, 0 take")
    assert last_round(match)[1:] == ([bonus, 0], [53 + bonus, 0])


def test_example_15_a_sovereign_and_falls() -> None:
    hands = ["13 2", "3 12", "4 11"]
    match = collected(position(hands, 9, "up"), "10", "1 2", "5")
    play_all(match, "0 play 13, 0 take")
    assert falls(match) == [B, C]
    assert last_round(match) == ([[9, 10], [], []], [0, 0, 0], [19, 0, 0])
    match = collected(position(hands, 9, "up", after_fall="free"), "10", "1 2", "5")
    play_all(match, "0 play 13, 0 take")
    assert falls(match) == [B]
    assert (match.to_move, match.playable()) == (C, [4, 11])
    assert (match.collections[B], match.inside) == (set(), {A, C})


def test_example_16_a_double_may_bust() -> None:
    match = collected(position(["9 1", FILL], 9, "up"), "9")
    play_all(match, "0 play 9, 0 take")
    assert match.collections[A] == set()


def test_example_17_a_double_on_the_starting_card() -> None:
    match = position(["13 2", "13 12"], 13)
    play_all(match, "0 play 13, 0 leave")
    assert (match.to_move, match.constraint) == (B, "sovereign")
    match = position(["5 2", "3 4"], 5)
    play_all(match, "0 play 5, 0 leave")
    assert (match.to_move, match.constraint) == (B, "doubled")


def test_example_18_highest_total_wins() -> None:
    match = collected(position(["11", FILL], 10, "up"), "3 8", "12 13")
    match.totals = [205 - 26, 212 - 25]
    play_all(match, "0 play 11, 0 take")
    assert (match.totals, match.winners()) == ([205, 212], [B])
    assert (match.phase, match.end) == ("over", "terminated")


def test_example_19_seven_players() -> None:
    with pytest.raises(AssertionError, match="num_players is 7"):
        Match({"num_players": 7})


# Further points of the rules


def test_joker_on_joker() -> None:
    match = position(["7 2", "3 8"], 7, "up")
    play_all(match, "0 play 7, 0 leave, 0 up")
    assert match.playable() == [8]
    match = position(["7 2", "3 8"], 7, "up", seven_on_seven_double=True)
    play_all(match, "0 play 7, 0 leave")
    assert (match.to_move, match.constraint, match.playable()) == (B, "doubled", [8])


def test_seven_values_make_the_joker_the_sovereign() -> None:
    for double in (False, True):
        match = position(["7 2", "6 7"], 7, values=7, hand_size=2, seven_on_seven_double=double)
        play_all(match, "0 play 7, 0 leave")
        assert (match.to_move, match.constraint, match.playable()) == (B, "sovereign", [7])
    assert legal("1 2 6 7", 5, "down", values=7, hand_size=2) == "1 2 7"


def test_fewer_than_seven_values() -> None:
    assert legal("4 5 6", 6, "sovereign", values=6, hand_size=2) == "6"
    match = position(["6 2", "6 5"], 4, "up", values=6, hand_size=2)
    play_all(match, "0 play 6, 0 leave")
    assert match.playable() == [6]


def test_moves_are_sorted_as_text() -> None:
    assert legal_moves(position(["2 10 10 9", FILL], 5)) == ["play 10", "play 2", "play 9"]


def test_bust_leaves() -> None:
    hands = ["9 1", "11 10", "10 4"]
    match = collected(position(hands, 5, "up", bust_leaves=True), "2 5", "1")
    play_all(match, "0 play 9, 0 take, 0 up")
    assert (match.to_move, match.inside, match.happened) == (B, {B, C}, [])
    play_all(match, "1 play 10, 1 leave, 1 up, 2 play 10, 2 take")
    assert (match.to_move, match.playable()) == (B, [11])  # player 0 is skipped
    match = collected(position(["9 1", "3 10"], 5, "up", bust_leaves=True), "2 5", "1")
    play_all(match, "0 play 9, 0 take, 0 down")
    assert match.happened[0].keys() == {"round_end"}
    assert last_round(match) == ([[], [1]], [0, 0], [0, 1])
    match = collected(position(["9", "3", "4"], 5, "up", bust_leaves=True), "2 5", "1")
    play_all(match, "0 play 9, 0 take")
    assert last_round(match) == ([[], [1], []], [5, 0, 0], [5, 1, 0])


def test_bust_leaves_after_a_double_or_a_rebel() -> None:
    hands = ["1 9", "1 3", "1 4"]
    match = collected(position(hands, 1, "up", bust_leaves=True), "1")
    play_all(match, "0 play 1, 0 take")
    assert (match.to_move, match.constraint, match.inside) == (C, "doubled", {B, C})


def test_reverse_with_two() -> None:
    match = position(["1 9", "3 4"], 6, "down")
    play_all(match, "0 play 1, 0 leave, 0 up")
    assert (match.to_move, match.direction) == (B, 1)
    again = {"reverse_with_two": "again"}
    match = position(["1 9", "3 4"], 6, "down", **again)
    play_all(match, "0 play 1, 0 leave, 0 up")
    assert (match.to_move, match.playable()) == (A, [9])
    play_all(match, "0 play 9, 0 leave")
    match = position(["1 9", "3 4"], 6, "down", **again)
    play_all(match, "0 play 1, 0 take, 0 down")
    assert last_round(match) == ([[], []], [0, 0], [0, 0])  # own instruction, own fall
    match = position(["1 2 9", "3 4"], 1, "down", **again)
    play_all(match, "0 play 1, 0 leave")
    assert (match.to_move, match.playable()) == (A, [2])
    match = position(["1 9 10", "3 4", "5 6"], 6, "down", **again)
    play_all(match, "0 play 1, 0 leave, 0 up")
    assert (match.to_move, match.direction) == (C, -1)


def test_two_left_of_three_do_not_reverse() -> None:
    match = position(["1 9", "3 4", "5 6"], 6, "down")
    match.inside = {A, C}
    play_all(match, "0 play 1, 0 leave, 0 up")
    assert (match.to_move, match.direction) == (C, 1)


def test_falls_follow_the_direction() -> None:
    match = position(["1 9", "13 13", "3 4", "5 6"], 6, "down")
    play_all(match, "0 play 1, 0 leave, 0 down")
    assert falls(match) == [3, 2, 1]
    match = position(["1 9", "13 13", "3 4", "5 6"], 6, "down", after_fall="free")
    play_all(match, "0 play 1, 0 leave, 0 down")
    assert (falls(match), match.to_move, match.playable()) == ([3], 2, [3, 4])


def test_the_starter_instructs() -> None:
    for move, fallen in (("up", []), ("down", [A])):
        match = position(["9 9", "2 3", "2 4"], 6, first_instruction="starter")
        assert legal_moves(match) == ["down", "up"]
        play_all(match, f"0 {move}")
        assert (falls(match), match.phase) == (fallen, "play")
        assert match.to_move == (B if fallen else A)
        assert match.constraint == move


def test_power_of_the_starting_card() -> None:
    for first_instruction in ("free", "random", "starter"):
        options = {"first_instruction": first_instruction, "start_card_power": True}
        match = Match({"num_players": 3, **options})
        match.start_round([[2, 3], [13, 4], [7, 5]], 13, A, "up")
        assert (falls(match), match.to_move, match.phase) == ([A], B, "play")
        match = Match({"num_players": 3, **options})
        match.start_round([[2, 3], [13, 4], [7, 5]], 1, A, "up")
        assert match.direction == -1
        match = Match({"num_players": 2, **options, "reverse_with_two": "again"})
        match.start_round([[2, 3], [13, 4]], 1, A, "up")
        assert (match.direction, match.again, match.happened) == (1, False, [])
    match = position([FILL, FILL], 7, start_card_power=True)
    assert (match.direction, match.constraint) == (1, "free")


def test_starting_powers_are_off() -> None:
    for top in (1, 7, 13):
        match = position([FILL, FILL, FILL], top)
        assert (match.direction, match.constraint) == (1, "free")


@pytest.mark.parametrize(
    ("starter", "first", "collections", "following"),
    [
        ("rotate", 3, ["9", "", "", ""], 0),
        ("rotate", 1, ["9", "", "", ""], 2),
        ("winner", 1, ["9", "2", "9", "3"], 2),
        ("winner", 1, ["9", "9", "2", "3"], 1),
        ("winner", 3, ["2", "9", "9", "3"], 1),
        ("loser", 3, ["2", "", "", "3"], 1),
        ("loser", 2, ["", "1", "3", "2"], 0),
        ("loser", 0, ["", "", "", ""], 0),
    ],
)
def test_next_starter(starter: str, first: int, collections: list[str], following: int) -> None:
    match = Match({"starter": starter})
    match.start_round([[2, 3]] * 4, 5, first)
    collected(match, *collections)
    match.end_round()
    assert match.next_starter == following


@pytest.mark.parametrize(
    ("options", "totals", "end"),
    [
        ({}, [199, 0], None),
        ({}, [0, 200], "terminated"),
        ({"target": None, "rounds": 5}, [999, 0], "terminated"),
        ({"target": None, "rounds": 6}, [999, 0], None),
        ({"rounds": 5}, [3, 0], "terminated"),
        ({"rounds": 6}, [200, 0], "terminated"),
        ({"max_rounds": 5}, [3, 0], "truncated"),
        ({"max_rounds": 5}, [3, 200], "terminated"),
        ({"max_rounds": 5, "rounds": 5}, [3, 0], "terminated"),
        ({"max_rounds": 5, "rounds": 6}, [3, 0], "truncated"),
    ],
)
def test_end_of_the_match(options: dict[str, Any], totals: list[int], end: str | None) -> None:
    match = position([FILL, FILL], 5, **options)
    match.totals = totals
    match.rounds_played = 4
    match.end_round()
    assert match.end == end
    assert match.winners() == ([] if end is None else [totals.index(max(totals))])


def test_a_tie_is_shared() -> None:
    match = position([FILL, FILL, FILL], 5)
    match.totals = [210, 200, 210]
    match.end_round()
    assert match.winners() == [A, C]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"num_players": 1}, "num_players is 1"),
        ({"num_players": 4, "values": 8}, "too small"),
        ({"num_players": 6, "copies": 3, "hand_size": 7}, "too small"),
        ({"target": None}, "no target and no rounds"),
        ({"target": 0}, "target is 0"),
        ({"rounds": True}, "rounds is True"),
        ({"max_rounds": 0}, "max_rounds is 0"),
        ({"whoop_size": 8}, "whoop_size is 8"),
        ({"bust_leaves": 1}, "bust_leaves is 1"),
        ({"starter": "first"}, "starter is 'first'"),
        ({"colours": 4}, "unknown option"),
    ],
)
def test_refused_options(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        resolve(options)


# Records written by hand: five cards, 1 2 3 4 5 of one copy each, two in each of two hands

TINY: dict[str, Any] = {"num_players": 2, "values": 5, "copies": 1, "hand_size": 2}


def told(player: int, move: str, choice: str) -> dict[str, Any]:
    """A move's event; the legal moves are written with commas."""
    return {"player": player, "move": move, "legal": choice.split(", ")}


def round_end(collections: list[list[int]], bonus: str, points: str, totals: str) -> dict[str, Any]:
    numbers = {"bonus": values(bonus), "points": values(points), "totals": values(totals)}
    return {"round_end": {"collections": collections, **numbers}}


def by_hand(
    options: dict[str, Any], events: list[dict[str, Any]], scores: str, winners: str
) -> dict[str, Any]:
    return {
        "format": "loop-envs-record/1",
        "env": "loopla-v0",
        "options": {**TINY, "target": None, "rounds": 1, **options},
        "events": events,
        "scores": values(scores),
        "winners": values(winners),
        "end": "terminated",
    }


def sovereign_record() -> dict[str, Any]:
    """A 5, the top value, makes the other player fall."""
    return by_hand(
        {},
        [
            {"deal": {"hands": [[1, 4], [5, 2]], "top": 3, "first": 0}},
            told(0, "play 4", "play 1, play 4"),
            told(0, "take", "leave, take"),
            told(0, "up", "down, up"),
            told(1, "play 5", "play 5"),
            told(1, "take", "leave, take"),
            {"fall": 0},
            round_end([[], [4]], "0 0", "0 4", "0 4"),
        ],
        "0 4",
        "1",
    )


def empty_hand_record() -> dict[str, Any]:
    """Player 1 plays the last card; in the second round player 0 falls before any move."""
    return by_hand(
        {"rounds": 2, "first_instruction": "random", "whoop_size": 3, "copies": 2},
        [
            {"deal": {"hands": [[2, 1], [3, 1]], "top": 3, "first": 1, "instruction": "up"}},
            told(1, "play 3", "play 3"),
            told(1, "take", "leave, take"),
            told(0, "play 2", "play 2"),
            told(0, "take", "leave, take"),
            told(0, "down", "down, up"),
            told(1, "play 1", "play 1"),
            told(1, "take", "leave, take"),
            round_end([[3], [2, 3]], "0 5", "3 10", "3 10"),
            {"deal": {"hands": [[2, 1], [3, 1]], "top": 4, "first": 0, "instruction": "up"}},
            {"fall": 0},
            round_end([[], []], "0 0", "0 0", "3 10"),
        ],
        "3 10",
        "1",
    )


def moveless_record(starter: str, second: int) -> dict[str, Any]:
    """Two rounds in which the starter falls before anybody has moved."""
    instructions = ("up", "down") if second == 1 else ("up", "up")
    hands = [[1, 2], [4, 5]]
    deals = [
        {"hands": hands, "top": 3, "first": first, "instruction": instruction}
        for first, instruction in zip((0, second), instructions, strict=True)
    ]
    nothing = round_end([[], []], "0 0", "0 0", "0 0")
    events: list[dict[str, Any]] = [{"deal": deals[0]}, {"fall": 0}, nothing]
    events += [{"deal": deals[1]}, {"fall": second}, nothing]
    options = {"rounds": 2, "first_instruction": "random", "starter": starter}
    return by_hand(options, events, "0 0", "0 1")


def test_records_by_hand() -> None:
    assert check_record(sovereign_record()) == 5
    assert check_record(empty_hand_record()) == 7
    assert check_record(moveless_record("rotate", 1)) == 0
    assert check_record(moveless_record("winner", 0)) == 0
    for starter, second in (("rotate", 0), ("winner", 1), ("loser", 1)):
        with pytest.raises(AssertionError, match=f"event 3: first is {second} and should be"):
            check_record(moveless_record(starter, second))


def test_record_of_the_starters_own_instruction() -> None:
    events = [
        {"deal": {"hands": [[1, 4], [5, 2]], "top": 3, "first": 0}},
        told(0, "down", "down, up"),
        told(0, "play 1", "play 1"),
        told(0, "take", "leave, take"),
        told(0, "up", "down, up"),
        told(0, "play 4", "play 4"),
        told(0, "leave", "leave, take"),
        round_end([[3], []], "5 0", "8 0", "8 0"),
    ]
    options = {"first_instruction": "starter", "reverse_with_two": "again"}
    assert check_record(by_hand(options, events, "8 0", "0")) == 6


# Records of random play

SMALL: dict[str, Any] = {"values": 9, "hand_size": 5, "target": 60, "num_players": 4}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"num_players": 6, "after_fall": "free"},
    {"num_players": 2, "reverse_with_two": "again", "starter": "loser"},
    {**SMALL, "values": 7, "whoop_size": 4, "seven_on_seven_double": True},
    {**SMALL, "first_instruction": "random", "start_card_power": True, "starter": "winner"},
    {**SMALL, "first_instruction": "starter", "start_card_power": True, "bust_leaves": True},
    {**SMALL, "values": 5, "hand_size": 2, "whoop_size": 3, "bonuses": "larger", "max_rounds": 9},
    {**SMALL, "target": None, "rounds": 4, "last_card_pickup": False, "after_fall": "free"},
    {**TINY, "target": 20, "rounds": 30},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_records_of_random_play(options: dict[str, Any]) -> None:
    for seed in range(5):
        record = json.loads(json.dumps(make_record(options, seed)))
        moves = sum("move" in event for event in record["events"])
        assert check_record(record) == moves
        for event in record["events"]:
            event.pop("legal", None)
        assert check_record(record) == moves
        part = make_record(options, seed, stop=moves // 2)
        assert part["end"] is None
        assert check_record(part) == moves // 2


def test_records_of_any_combination_of_options() -> None:
    rng = random.Random(1)
    checked = 0
    while checked < 100:
        options = {name: rng.choice(choice) for name, choice in OPTIONS.items()}
        options["target"] = rng.choice([30, 90])
        options["rounds"] = rng.choice([None, 4])
        options["max_rounds"] = rng.choice([3, 4, 5])
        cards = options["num_players"] * options["hand_size"] + 1
        if cards > options["values"] * options["copies"]:
            continue
        record = make_record(options, checked)
        assert check_record(record) == sum("move" in event for event in record["events"])
        checked += 1


def test_null_stands_for_the_default() -> None:
    record = make_record({}, 3, stop=20)
    record["options"] = {"rounds": None, "values": None, "starter": None, "max_rounds": None}
    assert check_record(record) == 20
    record["options"] = {"target": None, "rounds": 50}
    assert check_record(record) == 20


# Records that were tampered with


def event_at(record: dict[str, Any], kind: str, number: int = 0) -> int:
    """The index of the first event, or a later one, of this kind."""
    found = [i for i, event in enumerate(record["events"]) if kind in event]
    return found[number]


def change(kind: str, field: str, value: Any, number: int = 0) -> Callable[[dict[str, Any]], Any]:
    """A tampering that sets a field of a deal or round_end."""
    return lambda r: r["events"][event_at(r, kind, number)][kind].update({field: value})


def fifth_copy(record: dict[str, Any]) -> None:
    """Turn other cards of the first deal into the top card's value until there are five."""
    deal = record["events"][0]["deal"]
    top = deal["top"]
    missing = 4 - sum(hand.count(top) for hand in deal["hands"])
    for hand in deal["hands"]:
        for i, card in enumerate(hand):
            if card != top and missing > 0:
                hand[i] = top
                missing -= 1


def drop(kind: str, number: int = 0) -> Callable[[dict[str, Any]], Any]:
    """A tampering that leaves an event out."""
    return lambda r: r["events"].pop(event_at(r, kind, number))


def swap(first: int) -> Callable[[dict[str, Any]], Any]:
    """A tampering that swaps an event and the one after it."""

    def tamper(record: dict[str, Any]) -> None:
        events = record["events"]
        events[first], events[first + 1] = events[first + 1], events[first]

    return tamper


SOVEREIGN_TAMPERINGS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("event 0: dealt 2 times, of 1: 4", change("deal", "hands", [[4, 4], [5, 2]])),
    ("event 0: dealt 2 times, of 1: 1", change("deal", "top", 1)),
    ("event 0: 6 is not a card", change("deal", "top", 6)),
    ("event 0: True is not a card", change("deal", "hands", [[True, 4], [5, 2]])),
    ("event 0: hand 1: not 2 cards", change("deal", "hands", [[1, 4], [5]])),
    ("event 0: not 2 hands", change("deal", "hands", [[1, 4], [5, 2], []])),
    ("event 0: first is 2", change("deal", "first", 2)),
    ("event 0: a deal has", change("deal", "instruction", "up")),
    ("event 0: .*instead of a deal", drop("deal")),
    ("event 1: player 0 is to move", lambda r: r["events"][1].update(player=1)),
    ("event 1: .*not legal", lambda r: r["events"][1].update(move="play 3")),
    ("event 1: .*not a move", lambda r: r["events"].insert(1, {"fall": 0})),
    ("event 2: .*not legal", lambda r: r["events"].pop(2)),
    ("event 1: legal", lambda r: r["events"][1]["legal"].reverse()),
    ("event 4: legal", lambda r: r["events"][4]["legal"].append("play 2")),
    ("event 6: .*instead of {'fall': 0}", drop("fall")),
    ("event 6: .*instead of {'fall': 0}", lambda r: r["events"][6].update(fall=1)),
    ("event 6: .*instead of {'fall': 0}", swap(6)),
    ("event 7: round_end: collections", change("round_end", "collections", [[3], [4]])),
    ("event 7: round_end: bonus", change("round_end", "bonus", [0, 5])),
    ("event 7: round_end: points", change("round_end", "points", [0, 4.0])),
    ("event 7: round_end: totals", change("round_end", "totals", [0, 5])),
    ("event 7: .*instead of", change("round_end", "winner", 1)),
    ("missing .*round_end", drop("round_end")),
    ("event 8: .*after the end", lambda r: r["events"].append(r["events"][0])),
    ("scores", lambda r: r["scores"].reverse()),
    ("winners", lambda r: r.update(winners=[0])),
    ("winners", lambda r: r.update(winners=[])),
    ("end is", lambda r: r.update(end="truncated")),
    ("end is", lambda r: r.update(end=None)),
    ("end is", lambda r: r.pop("end")),
    ("format", lambda r: r.pop("format")),
    ("env", lambda r: r.update(env="loop_boards-v0")),
    ("the next deal is missing", lambda r: r["options"].update(rounds=2)),
]
EMPTY_HAND_TAMPERINGS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("event 8: round_end: bonus", change("round_end", "bonus", [0, 20])),
    ("event 9: first is 1 and should be 0", change("deal", "first", 1, 1)),
    ("event 9: a deal has", lambda r: r["events"][9]["deal"].pop("instruction")),
    ("event 9: instruction is", change("deal", "instruction", "free", 1)),
    ("event 10: .*instead of {'fall': 0}", drop("fall")),
    ("event 11: round_end: totals", change("round_end", "totals", [0, 0], 1)),
    ("event 9: .*instead of a deal", drop("deal", 1)),
]


@pytest.mark.parametrize(("reason", "tamper"), SOVEREIGN_TAMPERINGS)
def test_tampered_records(reason: str, tamper: Callable[[dict[str, Any]], Any]) -> None:
    record = sovereign_record()
    tamper(record)
    with pytest.raises(AssertionError, match=reason):
        check_record(record)


@pytest.mark.parametrize(("reason", "tamper"), EMPTY_HAND_TAMPERINGS)
def test_tampered_rounds(reason: str, tamper: Callable[[dict[str, Any]], Any]) -> None:
    record = empty_hand_record()
    tamper(record)
    with pytest.raises(AssertionError, match=reason):
        check_record(record)


def test_tampered_full_game() -> None:
    whole = make_record({"num_players": 3}, 5)
    check_record(copy.deepcopy(whole))
    fall = event_at(whole, "fall")
    wrong_first = (whole["events"][event_at(whole, "deal", 1)]["deal"]["first"] + 1) % 3
    loser = whole["scores"].index(min(whole["scores"]))
    tamperings = [
        ("event 0: dealt 5 times, of 4", fifth_copy),
        (f"event {fall}: .*instead of {{'fall'", drop("fall")),
        ("first is", change("deal", "first", wrong_first, 1)),
        ("round_end: bonus", change("round_end", "bonus", [15, 15, 15], 2)),
        ("winners", lambda r: r.update(winners=[loser])),
    ]
    for reason, tamper in tamperings:
        record = copy.deepcopy(whole)
        tamper(record)
        with pytest.raises(AssertionError, match=reason):
            check_record(record)
