"""Tests of the reference itself: the worked examples of the rules, and made-up records."""

import copy
import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from .loop_seats import Match, check_record, parse_cards, text_of

SMALL: dict[str, Any] = {"hand_size": 5}
LOW = "1R 2R"
PUBLISHED: dict[str, Any] = {"eight_mode": "published"}


def blank(n: int = 4, **options: Any) -> Match:
    """A match in which player p sits at seat p and the hands do not matter."""
    return Match({"num_players": n, **options}, [["1R", "2R", "3R"]] * n)


def position(hands: list[str], table: str = "", aside: str = "", **options: Any) -> Match:
    """Player 0 to move with the given hands; what lies on the table is the last player's."""
    match = blank(len(hands), **options)
    match.phase = "play"
    match.hands = [parse_cards(hand) for hand in hands]
    match.aside[0] = parse_cards(aside)
    match.table = parse_cards(table)
    match.owner = len(hands) - 1 if table else None
    return match


def legal(hand: str, table: str = "", inverted: bool = False, **rest: Any) -> list[str]:
    """The legal moves of player 0 with this hand."""
    match = position([hand, LOW, LOW, LOW], table, **rest)
    match.inverted = inverted
    return match.legal_moves()


def play_all(match: Match, moves: str) -> None:
    """Make moves written 'player move, player move, ...'; checks whose turn each one is."""
    for text in moves.split(", "):
        player, _, move = text.partition(" ")
        assert match.to_move == int(player), text
        match.move(move)


def finish(match: Match, order: str) -> dict[str, Any]:
    """Let the players A, B, C, D leave the round in this order; the round's result."""
    match.phase = "play"
    match.hands = [parse_cards("1R") for _ in order]
    for player in order[:-1]:
        match.lead("ABCD".index(player))
        match.move("play 1R")
        if match.end is not None:
            break
    result: dict[str, Any] = match.automatic.pop(0)["round_end"]
    return result


def random_deal(options: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A deal event's contents."""
    n, size = options.get("num_players", 4), options.get("hand_size", 11)
    colours, values = options.get("colours", 3), options.get("values", 15)
    cards = [text_of([(v, c)]) for v in range(1, values + 1) for c in range(colours)]
    rng.shuffle(cards)
    return {
        "hands": [cards[seat * size : (seat + 1) * size] for seat in range(n)],
        "unseen": cards[n * size :],
        "start_seat": rng.randrange(n),
        "seats": rng.sample(range(n), n),
    }


def make_record(options: dict[str, Any], seed: int, stop: int | None = None) -> dict[str, Any]:
    """A record of random play, cut off after `stop` moves."""
    rng = random.Random(seed)
    deal = random_deal(options, rng)
    events: list[dict[str, Any]] = [{"deal": deal}]
    match = Match(options, deal["hands"], deal["start_seat"], deal["seats"])
    moves = 0
    while match.to_move is not None and moves != stop:
        choice = match.legal_moves()
        move = "reveal" if "reveal" in choice and rng.random() < 0.5 else rng.choice(choice)
        events.append({"player": match.to_move, "move": move, "legal": choice})
        match.move(move)
        events.extend(match.automatic)
        match.automatic = []
        moves += 1
    return whole_record(options, events, match.totals, match.winners(), match.end)


def whole_record(
    options: dict[str, Any],
    events: list[dict[str, Any]],
    scores: list[int],
    winners: list[int],
    end: str | None,
) -> dict[str, Any]:
    """The frame of a record."""
    return {
        "format": "loop-envs-record/1",
        "env": "loop_seats-v0",
        "options": options,
        "agents": ["random"] * options.get("num_players", 4),
        "events": events,
        "scores": list(scores),
        "winners": winners,
        "end": end,
    }


def moves_of(text: str) -> list[dict[str, Any]]:
    """Move events from 'player move, player move, ...'."""
    pairs = [part.partition(" ") for part in text.split(", ")]
    return [{"player": int(player), "move": move} for player, _, move in pairs]


def round_end(
    ranks: list[int | None], points: list[int], totals: list[int], seats: list[int] | None = None
) -> list[dict[str, Any]]:
    """The end of a round, and the new seats where they follow directly."""
    events: list[dict[str, Any]] = [
        {"round_end": {"ranks": ranks, "points": points, "totals": totals}}
    ]
    return events if seats is None else [*events, {"seats": seats}]


# The worked examples


@pytest.mark.parametrize(("n", "unused"), [(2, 23), (3, 12), (4, 1)])
def test_example_1_unused_cards(n: int, unused: int) -> None:
    record = make_record({"num_players": n}, 1, stop=0)
    assert len(record["events"][0]["deal"]["unseen"]) == unused
    assert check_record(record) == 0
    record["events"][0]["deal"]["unseen"].pop()
    with pytest.raises(AssertionError, match="of the deck but not dealt"):
        check_record(record)


def test_example_2_eight_reverses() -> None:
    match = position(["8R 12R", "7G 9G", LOW, LOW], "6B")
    play_all(match, "0 play 8R")
    assert match.inverted
    assert match.legal_moves() == ["pass", "play 7G"]


def test_example_3_eight_must_be_legal_before_the_flip() -> None:
    assert legal("2G 8R", "3B", inverted=True) == ["pass", "play 2G"]


def test_example_4_eight_restores() -> None:
    match = position(["8R 12R", "7G 9G", LOW, LOW], "10B")
    match.inverted = True
    play_all(match, "0 play 8R")
    assert not match.inverted
    assert match.legal_moves() == ["pass", "play 9G"]


@pytest.mark.parametrize(("per_card", "pair"), [(False, "7R 7G"), (True, "9R 9G")])
def test_example_5_two_eights(per_card: bool, pair: str) -> None:
    hands = ["8R 8G 12R", "7R 7G 9R 9G", LOW, LOW]
    match = position(hands, "5R 5G", flip_per_card=per_card)
    play_all(match, "0 play 8R 8G")
    assert match.inverted is not per_card
    assert match.legal_moves() == ["pass", "play " + pair]


def test_example_6_runs_with_eights() -> None:
    match = position(["7R 8R 9R 12R", "6B 7B 8B 1B", "6G 7G 8G 9G 10G", LOW], "5G 6G 7G")
    play_all(match, "0 play 7R 8R 9R")
    assert match.inverted
    play_all(match, "1 play 6B 7B 8B")
    assert not match.inverted
    assert match.legal_moves() == ["pass", "play 7G 8G 9G", "play 8G 9G 10G"]


def test_example_7_leading_an_eight() -> None:
    match = position(["8R 12R", "7G 9G", LOW, LOW])
    play_all(match, "0 play 8R")
    assert match.inverted
    assert match.legal_moves() == ["pass", "play 7G"]


def test_example_8_published_eight_clears() -> None:
    match = position(["1R 8R", "9G", LOW, LOW], "6B", **PUBLISHED)
    play_all(match, "0 play 8R")
    assert (match.to_move, match.table, match.inverted) == (0, [], False)
    assert match.legal_moves() == ["play 1R"]


def test_example_9_published_reveal() -> None:
    match = position(["1R 3G", "2B", LOW, LOW], "14R", "8B 13G", **PUBLISHED)
    assert match.legal_moves() == ["pass", "reveal"]
    play_all(match, "0 reveal")
    assert match.inverted
    assert match.legal_moves() == ["play 1R", "play 3G"]
    play_all(match, "0 play 3G, 1 play 2B")


def test_examples_10_and_11_four_players() -> None:
    match = blank()
    first = finish(match, "ABCD")
    assert (first["ranks"], first["points"]) == ([1, 2, 3, 4], [4, 2, 1, 0])
    assert match.legal_moves() == ["take_seat 0", "take_seat 1"]
    play_all(match, "3 take_seat 0")
    assert match.automatic.pop() == {"seats": [3, 2, 1, 0]}
    second = finish(match, "BADC")
    assert second == {"ranks": [2, 1, 4, 3], "points": [4, 6, -2, -1], "totals": [8, 8, -1, -1]}
    assert sum(second["totals"]) == 14


def test_example_12_change_of_rank() -> None:
    match = blank()
    finish(match, "ABCD")
    play_all(match, "3 take_seat 0")
    match.automatic.clear()
    # A sits at the hand that came fourth, D at the one that came first.
    points = finish(match, "ABCD")["points"]
    assert (points[0], points[3]) == (7, -3)


def test_example_13_three_players() -> None:
    match = blank(3)
    assert finish(match, "ABC")["points"] == [2, 1, 0]
    assert match.automatic.pop() == {"seats": [2, 0, 1]}
    second = finish(match, "CAB")
    assert (second["points"], second["totals"]) == ([2, -2, 3], [4, -1, 3])


# Written out by hand: two cards a hand, of which one is set aside and the other wins the round.
TWO_OPTIONS: dict[str, Any] = {
    "num_players": 2,
    "colours": 1,
    "values": 4,
    "hand_size": 2,
    "set_aside": 1,
    "start": "winner",
}
TWO_DEAL = {"hands": [["1R", "2R"], ["3R", "4R"]], "unseen": [], "start_seat": 0, "seats": [0, 1]}


def example_14() -> dict[str, Any]:
    """Two players, four straight wins of the first."""
    events = [
        {"deal": TWO_DEAL},
        *moves_of("0 aside 1R, 1 aside 3R, 0 play 2R"),
        *round_end([1, 2], [1, 0], [1, 0], [1, 0]),
        *moves_of("0 aside 4R, 1 aside 2R, 0 play 3R"),
        *round_end([1, 2], [2, -1], [3, -1], [0, 1]),
        *moves_of("0 aside 2R, 1 aside 4R, 0 play 1R"),
        *round_end([1, 2], [2, -1], [5, -2], [1, 0]),
        *moves_of("0 aside 3R, 1 aside 1R, 0 play 4R"),
        *round_end([1, 2], [2, -1], [7, -3]),
    ]
    return whole_record(TWO_OPTIONS, events, [7, -3], [0], "terminated")


def test_example_14_two_players() -> None:
    assert check_record(example_14()) == 12


@pytest.mark.parametrize("check", ["round_end", "immediate"])
def test_example_15_threshold(check: str) -> None:
    match = blank(threshold_check=check)
    match.totals = [7, 9, 0, 0]
    match.seat_ranks = {0: 2, 1: 4, 2: 1, 3: 3}
    match.player_ranks = {0: 1, 1: 2, 2: 3, 3: 4}
    result = finish(match, "ABCD")
    assert match.end == "terminated"
    if check == "immediate":
        assert match.winners() == [0]
        assert result["ranks"] == [1, None, None, None]
        assert result["points"] == [5, 0, 0, 0]
        assert result["totals"] == [12, 9, 0, 0]
    else:
        assert match.winners() == [1]
        assert result["points"][:2] == [5, 4]
        assert result["totals"][:2] == [12, 13]


# Further points of the rules


def test_set_aside_in_seat_order_and_card_order() -> None:
    deal = random_deal({}, random.Random(1))
    match = Match({}, deal["hands"], start_seat=3, seats=[2, 0, 3, 1])
    for player in (2, 1, 3, 0):  # seats 3, 0, 1, 2
        hand = list(match.hands[player])
        assert hand == sorted(match.dealt[match.seats[player]])
        assert match.to_move == player
        assert match.legal_moves() == sorted("aside " + text_of([card]) for card in hand[:10])
        match.move("aside " + text_of([hand[6]]))
        assert match.legal_moves() == sorted("aside " + text_of([card]) for card in hand[7:])
        match.move("aside " + text_of([hand[8]]))
        assert len(match.hands[player]) == 9
    assert match.to_move == 2
    assert "pass" not in match.legal_moves()


def test_one_or_no_card_set_aside() -> None:
    match = blank(set_aside=1)
    assert match.legal_moves() == ["aside 1R", "aside 2R", "aside 3R"]
    assert "play 1R" in blank(set_aside=0).legal_moves()


def test_combinations() -> None:
    sets = legal("7R 7G 7B 7Y", colours=4)
    assert max(len(move.split()) for move in sets) == 1 + 3
    assert len(sets) == 4 + 6 + 4
    runs = [move for move in legal("1R 13R 14R 15R 2G") if len(move.split()) > 2]
    assert runs == ["play 13R 14R", "play 13R 14R 15R", "play 14R 15R"]
    assert legal("1R 2R 3R 4G", min_run=3) == sorted(
        ["play 1R", "play 2R", "play 3R", "play 4G", "play 1R 2R 3R"]
    )
    nine = " ".join(f"{value}G" for value in range(3, 12))
    assert f"play {nine}" in legal(nine)


def test_type_size_and_strength_must_fit() -> None:
    assert legal("7R 7G 8R 8G 9R", "7B 8B") == ["pass", "play 8R 9R"]
    assert legal("6R 6G 7R 7G 7B 8G", "6B 6Y") == [
        "pass",
        "play 7G 7B",
        "play 7R 7B",
        "play 7R 7G",
    ]
    assert legal("2R 3R 4R 5G 6G", "4B 5B", inverted=True) == [
        "pass",
        "play 2R 3R",
        "play 3R 4R",
    ]


def test_set_aside_eight_does_nothing_by_default() -> None:
    assert legal("3G", "12R", aside="8B 13G") == ["pass"]


def test_published_reveal_needs_a_play_and_comes_once_a_turn() -> None:
    assert legal("3G 5B", "9R 9G", aside="8B 13G", **PUBLISHED) == ["pass"]
    assert legal("3G", aside="8B 13G", **PUBLISHED) == ["play 3G", "reveal"]
    assert legal("3G", "12R", aside="8B 13G", **{**PUBLISHED, "eight": None}) == ["pass"]
    assert legal("3G", "12R", aside="8B 13G", **{**PUBLISHED, "eight": 13}) == ["pass", "reveal"]
    match = position(["1R 5G 8G 9R", LOW, LOW, LOW], "9B", "8R 8B", **PUBLISHED)
    play_all(match, "0 reveal")
    assert match.legal_moves() == ["play 1R", "play 5G", "play 8G"]
    play_all(match, "0 play 8G, 0 reveal")  # clears, and the next play is a new turn
    assert (match.inverted, match.revealed[0]) == (False, 2)
    assert match.legal_moves() == ["play 1R", "play 5G", "play 9R"]


def test_published_out_with_an_eight() -> None:
    match = position(["8R", "9G 10G", LOW, LOW], "6B", **PUBLISHED)
    match.seats = [0, 3, 1, 2]
    play_all(match, "0 play 8R")
    assert (match.to_move, match.table, match.ranks) == (2, [], {0: 1})


def test_eight_as_last_card_flips() -> None:
    match = position(["8R", "7G 9G", LOW, LOW], "6B")
    play_all(match, "0 play 8R")
    assert match.legal_moves() == ["pass", "play 7G"]


@pytest.mark.parametrize("keep", [False, True])
def test_order_at_a_new_round(keep: bool) -> None:
    match = position(["8R", "9G"], keep_order=keep)
    play_all(match, "0 play 8R")
    assert match.rounds_played == 1
    assert match.inverted is keep


def test_turn_order_by_seat() -> None:
    match = position(["4R 5R", "1G 9R", "1B 6R", LOW])
    match.seats = [0, 2, 1, 3]
    play_all(match, "0 play 4R, 2 play 6R, 1 pass, 3 pass, 0 pass")
    assert (match.to_move, match.table) == (2, [])


def test_soft_pass() -> None:
    match = position(["1R 4R", "1G 9R", "1B 6R", LOW])
    play_all(match, "0 play 4R, 1 pass, 2 play 6R, 3 pass, 0 pass, 1 play 9R")
    play_all(match, "2 pass, 3 pass, 0 pass")
    assert (match.to_move, match.table) == (1, [])


def test_hard_pass() -> None:
    match = position(["1R 4R 9R", "1G 10R", "1B 6R", LOW], hard_pass=True)
    play_all(match, "0 play 4R, 1 pass, 2 play 6R, 3 pass, 0 play 9R, 2 pass")
    assert (match.to_move, match.table, match.passed) == (0, [], set())


def test_hard_pass_after_going_out() -> None:
    hands = ["1R 4R 9R", "1G 10R", "6R", LOW]
    match = position(hands, hard_pass=True)
    play_all(match, "0 play 4R, 1 pass, 2 play 6R, 3 pass, 0 play 9R")  # nobody is left to ask
    assert (match.to_move, match.table) == (0, [])
    match = position(hands, hard_pass=True)
    play_all(match, "0 play 4R, 1 pass, 2 play 6R, 3 pass, 0 pass")
    assert (match.to_move, match.table) == (3, [])  # next after 2, though 3 had passed


def test_best_player_went_out() -> None:
    hands = ["11R", "1G 9R", "1B 12R 13R", LOW]
    match = position(hands)
    play_all(match, "0 play 11R, 1 pass, 2 play 12R, 3 pass, 1 pass")
    assert (match.to_move, match.table) == (2, [])
    match = position(hands)
    match.seats = [1, 0, 3, 2]
    play_all(match, "0 play 11R, 3 pass, 2 pass, 1 pass")
    assert (match.to_move, match.table) == (3, [])


@pytest.mark.parametrize(
    ("options", "choice", "seats"),
    [
        ({}, 0, [3, 2, 1, 0]),
        ({}, 1, [3, 2, 0, 1]),
        ({"winner_seats": "1to3"}, 0, [2, 3, 1, 0]),
        ({"winner_seats": "1to3"}, 1, [2, 3, 0, 1]),
        ({"fourth_chooses": False}, None, [3, 2, 1, 0]),
        ({"fourth_chooses": False, "winner_seats": "1to3"}, None, [2, 3, 1, 0]),
    ],
)
def test_seats_of_four(options: dict[str, Any], choice: int | None, seats: list[int]) -> None:
    match = blank(**options)
    finish(match, "ABCD")
    if choice is not None:
        play_all(match, f"3 take_seat {choice}")
    assert match.automatic == [{"seats": seats}]


@pytest.mark.parametrize(
    ("start", "first"), [("fixed", 2), ("last", 0), ("winner", 1), ("last_seat", 1)]
)
def test_start_of_the_second_round(start: str, first: int) -> None:
    match = Match({"num_players": 3, "start": start}, [["1R", "2R", "3R"]] * 3, start_seat=1)
    assert match.to_move == 1
    finish(match, "BCA")  # A takes the seat of C, B that of A, C that of B
    assert match.automatic == [{"seats": [2, 0, 1]}]
    assert match.to_move == first


def test_start_from_the_last_seat() -> None:
    match = blank(start="last_seat", winner_seats="1to3", fourth_chooses=False)
    finish(match, "ABCD")
    assert match.to_move == 1  # the second got the fourth's seat


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({}, [4, 6, -2, -1]),
        ({"rank_step": 0}, [2, 4, 0, 1]),
        ({"rank_step": 3}, [8, 10, -6, -5]),
        ({"reference": "player"}, [1, 5, -1, 2]),
        ({"later_rounds": "change_only"}, [2, 2, -2, -2]),
        ({"later_rounds": "change_only", "reference": "player"}, [-1, 1, -1, 1]),
        ({"base_points": [9, 5, -1, -7]}, [7, 11, -9, -3]),
    ],
)
def test_points_of_the_second_round(options: dict[str, Any], points: list[int]) -> None:
    match = blank(threshold=99, **options)
    base = options.get("base_points", [4, 2, 1, 0])
    assert finish(match, "ABCD")["points"] == base
    play_all(match, "3 take_seat 0")
    match.automatic.clear()
    assert finish(match, "BADC")["points"] == points


@pytest.mark.parametrize("check", ["round_end", "immediate"])
def test_floor_zero(check: str) -> None:
    match = blank(2, floor_zero=True, threshold_check=check)
    assert finish(match, "AB")["totals"] == [1, 0]
    match.automatic.clear()
    second = finish(match, "AB")
    assert (second["points"], second["totals"]) == ([2, -1], [3, 0])


def test_immediate_books_the_last_player_too() -> None:
    match = blank(3, threshold_check="immediate", base_points=[2, 1, 9], threshold=9)
    result = finish(match, "BCA")
    assert result == {"ranks": [3, 1, 2], "points": [9, 2, 1], "totals": [9, 2, 1]}
    assert (match.end, match.winners()) == ("terminated", [0])
    match = blank(3, threshold_check="immediate", base_points=[2, 9, 9], threshold=9)
    result = finish(match, "BCA")
    assert result == {"ranks": [None, 1, 2], "points": [0, 2, 9], "totals": [0, 2, 9]}
    assert (match.end, match.winners()) == ("terminated", [2])


def test_immediate_totals_count_in_mid_round() -> None:
    match = position(["1R", "2G 9R", LOW], threshold_check="immediate")
    play_all(match, "0 play 1R")
    assert (match.totals, match.winners(), match.automatic) == ([2, 0, 0], [], [])


@pytest.mark.parametrize(("threshold", "end"), [(4, "terminated"), (5, "truncated")])
def test_end_without_change_of_seats(threshold: int, end: str) -> None:
    match = blank(threshold=threshold, max_rounds=1)
    finish(match, "CBDA")
    assert (match.end, match.to_move, match.automatic) == (end, None, [])
    assert match.winners() == [2]


def test_tie_goes_to_the_earlier_exit() -> None:
    match = blank(max_rounds=1, base_points=[1, 1, 0, 1])
    finish(match, "DBAC")
    assert (match.totals, match.winners()) == ([0, 1, 1, 1], [3])


# Records written by hand


def examples_10_and_11() -> dict[str, Any]:
    """Four players with two cards each; A and B tie, B went out first."""
    options = {"colours": 1, "values": 8, "hand_size": 2, "set_aside": 0, "max_rounds": 2}
    hands = [["1R", "2R"], ["3R", "4R"], ["5R", "6R"], ["7R", "8R"]]
    deal = {"hands": hands, "unseen": [], "start_seat": 0, "seats": [0, 1, 2, 3]}
    second = "3 play 1R, 2 pass, 1 play 5R, 0 pass, 3 pass, 2 pass, 1 play 6R, 0 play 7R, 3 pass"
    events = [
        {"deal": deal},
        *moves_of("0 play 1R 2R, 1 play 3R 4R, 2 play 5R 6R"),
        *round_end([1, 2, 3, 4], [4, 2, 1, 0], [4, 2, 1, 0]),
        *moves_of("3 take_seat 0"),
        {"seats": [3, 2, 1, 0]},
        *moves_of(f"{second}, 2 pass, 0 play 8R, 3 pass, 2 pass, 3 play 2R"),
        *round_end([2, 1, 4, 3], [4, 6, -2, -1], [8, 8, -1, -1]),
    ]
    return whole_record(options, events, [8, 8, -1, -1], [1], "truncated")


def test_record_of_examples_10_and_11() -> None:
    assert check_record(examples_10_and_11()) == 18


def test_record_with_immediate_end() -> None:
    options = {**TWO_OPTIONS, "threshold": 1, "threshold_check": "immediate"}
    moves = moves_of("0 aside 1R, 1 aside 3R, 0 play 2R")
    events = [{"deal": TWO_DEAL}, *moves, *round_end([1, None], [1, 0], [1, 0])]
    record = whole_record(options, events, [1, 0], [0], "terminated")
    assert check_record(record) == 3
    record["options"]["threshold_check"] = "round_end"
    with pytest.raises(AssertionError, match="instead of"):
        check_record(record)


# Records of random play


def random_options(rng: random.Random) -> dict[str, Any]:
    """A small match with every option at random."""
    n, set_aside = rng.randint(2, 4), rng.randint(0, 2)
    hand_size = rng.randint(max(2, set_aside + 1), 6)
    colours, values = rng.choice(
        [(c, v) for c in range(1, 7) for v in range(3, 16) if n * hand_size <= c * v <= 30]
    )
    return {
        "num_players": n,
        "colours": colours,
        "values": values,
        "hand_size": hand_size,
        "set_aside": set_aside,
        "eight": rng.choice([None, 8, rng.randint(1, values), rng.randint(1, values)]),
        "eight_mode": rng.choice(["flip_on_play", "published"]),
        "flip_per_card": rng.random() < 0.5,
        "min_run": rng.choice([2, 3]),
        "hard_pass": rng.random() < 0.5,
        "base_points": rng.choice([None, [rng.randint(-2, 5) for _ in range(n)]]),
        "rank_step": rng.randint(0, 4),
        "reference": rng.choice(["seat", "player"]),
        "later_rounds": rng.choice(["base_and_change", "change_only"]),
        "fourth_chooses": rng.random() < 0.5,
        "winner_seats": rng.choice(["1to4", "1to3"]),
        "start": rng.choice(["fixed", "last", "winner", "last_seat"]),
        "threshold": rng.choice([None, 3, 20]),
        "threshold_check": rng.choice(["round_end", "immediate"]),
        "floor_zero": rng.random() < 0.5,
        "keep_order": rng.random() < 0.5,
        "max_rounds": rng.randint(1, 6),
    }


@pytest.mark.parametrize("seed", range(100))
def test_records_with_random_options(seed: int) -> None:
    options = random_options(random.Random(seed))
    record = json.loads(json.dumps(make_record(options, seed)))
    moves = sum("move" in event for event in record["events"])
    assert check_record(record) == moves
    for event in record["events"]:
        event.pop("legal", None)
    assert check_record(record) == moves
    part = make_record(options, seed, stop=moves // 2)
    assert part["end"] is None
    assert check_record(part) == moves // 2


@pytest.mark.parametrize("n", [2, 3, 4])
def test_records_with_default_options(n: int) -> None:
    record = make_record({"num_players": n, "max_rounds": 5}, n)
    assert check_record(record) > 0
    ends = [event["round_end"] for event in record["events"] if "round_end" in event]
    seats = [event["seats"] for event in record["events"] if "seats" in event]
    for end in ends:  # the changes of rank add up to nothing, hand by hand
        assert sorted(end["ranks"]) == list(range(1, n + 1))
        assert sum(end["points"]) == {2: 1, 3: 3, 4: 7}[n]
    seats.insert(0, record["events"][0]["deal"]["seats"])
    assert len(seats) == len(ends)
    for before, after in itertools.pairwise(seats):
        assert all(old != new for old, new in zip(before, after, strict=True))


def test_null_stands_for_the_default() -> None:
    record = make_record(SMALL, 3, stop=20)
    record["options"] = {**SMALL, "threshold": None, "base_points": None, "start": None}
    assert check_record(record) == 20


# Tampering


def event_of(record: dict[str, Any], kind: str) -> Any:
    """The first event with this key."""
    return next(event for event in record["events"] if kind in event)


def drop(kind: str) -> Callable[[dict[str, Any]], None]:
    """Take away the first event with this key."""
    return lambda record: record["events"].remove(event_of(record, kind))


def turn_round(kind: str, name: str) -> Callable[[dict[str, Any]], None]:
    """Reverse one list of the first event with this key."""
    return lambda record: event_of(record, kind)[kind][name].reverse()


def swap_cards(record: dict[str, Any]) -> None:
    """The first two hands hold the same card."""
    hands = record["events"][0]["deal"]["hands"]
    hands[0][0] = hands[1][0]


def drop_take_seat(record: dict[str, Any]) -> None:
    """The fourth player's choice is missing."""
    moves = [event for event in record["events"] if "take_seat" in event.get("move", "")]
    record["events"].remove(moves[0])


def seats_at_the_end(record: dict[str, Any]) -> None:
    """Seats change after the last round."""
    record["events"].append(event_of(record, "seats"))


def early_seats(record: dict[str, Any]) -> None:
    """Seats change before the choice was made."""
    events = record["events"]
    index = events.index(event_of(record, "seats"))
    events[index - 1], events[index] = events[index], events[index - 1]


TAMPERINGS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("event 0: dealt more than once", swap_cards),
    ("event 0: hand 2", lambda r: r["events"][0]["deal"]["hands"][2].pop()),
    ("event 0: of the deck", lambda r: r["events"][0]["deal"]["unseen"].pop()),
    ("event 0: start_seat", lambda r: r["events"][0]["deal"].update(start_seat=4)),
    ("event 0: seats", lambda r: r["events"][0]["deal"].update(seats=[0, 1, 1, 3])),
    ("event 0: seats", lambda r: r["events"][0]["deal"].update(seats=None)),
    ("event 0: option start", lambda r: r["options"].update(start="first")),
    ("event 0: option base_points", lambda r: r["options"].update(base_points=[1, 0])),
    ("event 0: option threshold", lambda r: r["options"].update(threshold=0)),
    ("event 0: option floor_zero", lambda r: r["options"].update(floor_zero=1)),
    ("event 0: unknown option", lambda r: r["options"].update(colour=1)),
    ("event 0: the deck", lambda r: r["options"].update(values=6)),
    ("event 0: the first event", lambda r: r["events"].pop(0)),
    ("event 1: player . is to move", lambda r: r["events"][1].update(player=4)),
    ("event 1: .*not legal", lambda r: r["events"][1].update(move="pass")),
    ("event 2: .*not legal", lambda r: r["events"].insert(2, r["events"][1])),
    ("event 1: legal", lambda r: r["events"][1]["legal"].reverse()),
    ("event 4: legal", lambda r: r["events"][4]["legal"].pop()),
    ("event 9: legal", lambda r: r["events"][9]["legal"].append("reveal")),
    ("instead of", drop("round_end")),
    ("instead of", drop("seats")),
    ("missing", lambda r: r["events"].pop()),
    ("instead of", turn_round("round_end", "ranks")),
    ("instead of", turn_round("round_end", "points")),
    ("instead of", turn_round("round_end", "totals")),
    ("instead of", lambda r: event_of(r, "seats")["seats"].reverse()),
    ("not a move", early_seats),
    ("not a move", drop_take_seat),
    ("after the end", seats_at_the_end),
    ("after the end", lambda r: r["events"].append(r["events"][1])),
    ("scores", lambda r: r["scores"].reverse()),
    ("winners", lambda r: r["winners"].append(7)),
    ("winners", lambda r: r.update(winners=[(r["winners"][0] + 1) % 4])),
    ("winners", lambda r: r.pop("winners")),
    ("end is", lambda r: r.update(end=None)),
    ("end is", lambda r: r.update(end="truncated")),
    ("agents", lambda r: r["agents"].pop()),
    ("format", lambda r: r.pop("format")),
    ("env", lambda r: r.update(env="loop_boards-v0")),
]


@pytest.mark.parametrize(("reason", "tamper"), TAMPERINGS)
def test_tampered_records(reason: str, tamper: Callable[[dict[str, Any]], Any]) -> None:
    record = make_record({**SMALL}, 5)
    assert record["end"] == "terminated"
    check_record(copy.deepcopy(record))
    record = copy.deepcopy(record)
    tamper(record)
    with pytest.raises(AssertionError, match=reason):
        check_record(record)


@pytest.mark.parametrize("make", [example_14, examples_10_and_11])
def test_every_event_of_a_record_is_needed(make: Callable[[], dict[str, Any]]) -> None:
    for index in range(len(make()["events"])):
        record = make()
        record["events"].pop(index)
        with pytest.raises(AssertionError):
            check_record(record)
