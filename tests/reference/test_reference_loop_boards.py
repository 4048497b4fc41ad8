"""Tests of the reference itself: the worked examples of the rules, and made-up records."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from .loop_boards import (
    Match,
    board_values,
    check_record,
    legal_moves,
    match_scores,
    match_winners,
    parse_cards,
    text_of,
)

SMALL: dict[str, Any] = {"hand_size": 5}


def position(hands: list[str], table: str = "", aside: str = "", **options: Any) -> Match:
    """Player 0 to move with the given hands; what lies on the table is the last player's."""
    n = len(hands)
    filler = [["1R", "2R", "3R"] for _ in hands]
    match = Match({"num_players": n, **options}, filler, 0)
    match.choosing = False
    match.hands = [parse_cards(hand) for hand in hands]
    match.aside[0] = parse_cards(aside)
    match.table = parse_cards(table)
    match.owner = n - 1 if table else None
    return match


def legal(hand: str, table: str = "", inverted: bool = False, **rest: Any) -> list[str]:
    """The legal moves of player 0 with this hand."""
    match = position([hand, "1R 2R", "1R 2R", "1R 2R"], table, **rest)
    match.inverted = inverted
    return legal_moves(match)


def play_all(match: Match, moves: str) -> None:
    """Make moves written 'player move, player move, ...'; checks whose turn each one is."""
    for text in moves.split(", "):
        player, _, move = text.partition(" ")
        assert match.to_move == int(player), text
        match.play(move)


def play_ranks(match: Match, ranks: list[int]) -> None:
    """Let the players leave the current round with these ranks, one card each."""
    match.choosing = False
    match.hands = [parse_cards("1R") for _ in ranks]
    for player in sorted(range(len(ranks)), key=lambda p: ranks[p])[:-1]:
        match.lead(player)
        match.play("play 1R")


def make_record(options: dict[str, Any], seed: int, stop: int | None = None) -> dict[str, Any]:
    """A record of random play, cut off after `stop` moves."""
    rng = random.Random(seed)
    n = options.get("num_players", 4)
    deck = options.get("deck", "exact13")
    if isinstance(deck, str):
        deck = {"colours": n, "values": 13 if deck == "exact13" else 15}
    shape = [(v, c) for v in range(1, deck["values"] + 1) for c in range(deck["colours"])]
    cards = [text_of([card]) for card in shape]
    rng.shuffle(cards)
    size = options.get("hand_size", 13)
    hands = [cards[p * size : (p + 1) * size] for p in range(n)]
    golden = options.get("golden", "random")
    golden = rng.randrange(n) if golden == "random" else golden
    deal = {"hands": hands, "unseen": cards[n * size :], "golden": golden}
    events: list[dict[str, Any]] = [{"deal": deal}]
    match = Match(options, hands, golden)
    moves = 0
    while match.to_move is not None and moves != stop:
        choice = legal_moves(match)
        move = "reveal" if "reveal" in choice and rng.random() < 0.5 else rng.choice(choice)
        events.append({"player": match.to_move, "move": move, "legal": choice})
        rounds = len(match.finished)
        match.play(move)
        moves += 1
        if len(match.finished) > rounds:
            events.append({"round_end": {"ranks": match.finished[-1]}})
    return {
        "format": "loop-envs-record/1",
        "env": "loop_boards-v0",
        "options": options,
        "agents": ["random"] * n,
        "events": events,
        "scores": match.scores(),
        "winners": match.winners(),
        "end": "terminated" if match.to_move is None else None,
    }


# The worked examples


def test_example_1_single_beats_single() -> None:
    assert legal("8Y 9G 10B", "9R") == ["pass", "play 10B"]


def test_example_2_eight_clears() -> None:
    match = position(["1R 2R 8Y", "9R", "10R", "11R"], "7R")
    play_all(match, "0 play 8Y")
    assert (match.to_move, match.table) == (0, [])
    assert legal_moves(match) == ["play 1R", "play 1R 2R", "play 2R"]


def test_example_3_same_type_and_size() -> None:
    pairs = ["play 7G 7B", "play 7R 7B", "play 7R 7G"]
    assert legal("7R 7G 7B 8R", "6R 6G") == ["pass", *pairs]


def test_example_4_runs() -> None:
    hand = "3G 4R 4G 5R 5G 5B 6R 6G 6Y 7G"
    by_colour = ["play 4G 5G 6G", "play 4R 5R 6R", "play 5G 6G 7G"]
    assert legal(hand, "3R 4R 5R") == ["pass", *by_colour]
    free = legal(hand, "3R 4R 5R", run_same_colour=False)
    assert "play 4G 5B 6Y" in free
    assert "play 3G 4R 5R" not in free
    assert "play 4G 5G 6G 7G" not in free


def test_example_5_run_with_eight_clears() -> None:
    match = position(["1R 6B 7B 8B", "9R", "10R", "11R"], "5G 6G 7G")
    play_all(match, "0 play 6B 7B 8B")
    assert (match.to_move, match.table) == (0, [])


def test_example_6_inverted() -> None:
    assert legal("8G 10G", "9R", inverted=True) == ["pass", "play 8G"]
    match = position(["8G 10G", "1R", "2R", "3R"], "9R")
    match.inverted = True
    play_all(match, "0 play 8G, 0 play 10G")
    runs = legal("2G 3G 4G 5G 6G", "3R 4R 5R", inverted=True)
    assert runs == ["pass", "play 2G 3G 4G"]


def test_example_7_reveal() -> None:
    match = position(["3G 5B", "9R", "10R", "11R"], "12R", "8B 13Y")
    assert legal_moves(match) == ["pass", "reveal"]
    play_all(match, "0 reveal")
    assert match.to_move == 0
    assert match.inverted
    assert legal_moves(match) == ["play 3G", "play 5B"]
    assert text_of(match.aside[0]) == "8B 13Y"


def test_example_8_no_valid_play_after_the_flip() -> None:
    for reveal in ("allowed", "stuck_only"):
        assert legal("3G 5B", "9R 9G", aside="8B 13Y", reveal=reveal) == ["pass"]


def test_example_9_set_aside_eight_is_not_in_hand() -> None:
    assert legal("7R 9R", aside="8R 13Y") == ["play 7R", "play 9R", "reveal"]


def test_example_10_soft_pass() -> None:
    match = position(["1R 4R", "1G 9R", "1B 6R", "1Y 2Y"])
    play_all(match, "0 play 4R, 1 pass, 2 play 6R, 3 pass, 0 pass, 1 play 9R")
    play_all(match, "2 pass, 3 pass, 0 pass")
    assert (match.to_move, match.table) == (1, [])


def test_example_11_best_player_went_out() -> None:
    hands = ["11R", "1G 9R", "1B 6R", "1Y 2Y"]
    match = position(hands)
    play_all(match, "0 play 11R, 1 pass, 2 pass, 3 pass")
    assert (match.to_move, match.table, match.ranks) == (1, [], {0: 1})
    match = position(hands, on_exit="clear")
    play_all(match, "0 play 11R")
    assert (match.to_move, match.table) == (1, [])


def test_example_12_out_with_an_eight() -> None:
    match = position(["8R", "1G 9R", "1B 6R", "1Y 2Y"], "6G")
    play_all(match, "0 play 8R")
    assert (match.to_move, match.table, match.ranks) == (1, [], {0: 1})


def test_example_13_last_rank_at_once() -> None:
    match = position(["11R", "12R", "13R", "1Y 2Y"])
    play_all(match, "0 play 11R, 1 play 12R, 2 play 13R")
    assert (match.finished, match.round) == ([[1, 2, 3, 4]], 1)
    assert text_of(match.hands[0]) == "1R 2R 3R"


def test_example_14_at_most_four_of_a_value() -> None:
    moves = legal("7R 7G 7B 7Y 7P", deck={"colours": 5, "values": 13})
    assert "play 7R 7G 7B 7Y" in moves
    assert max(len(move.split()) for move in moves) == 1 + 4


@pytest.mark.parametrize(("travels", "first"), [(True, [2, 3, 0, 1]), (False, [2, 2, 2, 2])])
def test_example_15_first_players(travels: bool, first: list[int]) -> None:
    match = Match({"golden_travels": travels}, [["1R", "2R", "3R"]] * 4, 2)
    seen = []
    while match.to_move is not None:
        seen.append(match.to_move)
        play_ranks(match, [1, 2, 3, 4])
    assert seen == first


def test_example_16_holders_of_a_board() -> None:
    hands = [[f"{value}{colour}" for value in (1, 2, 3)] for colour in "RGBYPO"]
    match = Match({"num_players": 6}, hands, 0)
    holders = []
    while match.to_move is not None:
        holders.append(match.hands.index(parse_cards("1P 2P 3P")))
        play_ranks(match, [6, 5, 4, 3, 2, 1])
    assert holders == [4, 5, 0, 1, 2, 3]
    assert [player for player, _ in match.boards[4]] == holders


@pytest.mark.parametrize(
    ("ranks", "values", "total"),
    [
        ("1234", "4321", 10),
        ("1124", "4421", 11),
        ("1133", "4422", 12),
        ("2233", "4422", 12),
        ("1224", "4331", 11),
        ("1334", "4331", 11),
        ("1114", "4441", 13),
        ("1444", "4333", 13),
        ("1111", "4444", 16),
        ("4444", "4444", 16),
        ("12345", "54321", 15),
        ("11355", "55322", 17),
        ("22245", "55521", 18),
        ("15555", "54444", 21),
        ("123456", "654321", 21),
        ("111446", "666331", 25),
        ("224456", "664421", 23),
        ("133366", "655522", 25),
        ("333333", "666666", 36),
    ],
)
def test_example_17_board_values(ranks: str, values: str, total: int) -> None:
    found = board_values([int(rank) for rank in ranks])
    assert found == [int(value) for value in values]
    assert sum(found) == total
    without = board_values([int(rank) for rank in ranks], count_self=False)
    assert without == [value - 1 for value in found]


FOUR = (["1214", "3121", "2443", "4332"], ["4241", "1424", "4223", "1334"], [13, 9, 16, 6])
FIVE = (
    ["11213", "23121", "55545", "32452", "44334"],
    ["55251", "31535", "44454", "35215", "33553"],
    [20, 18, 17, 20, 16],
)
SIX = (
    ["121131", "212314", "666666", "334222", "543553", "455445"],
    ["626616", "464261", "666666", "331666", "346336", "633663"],
    [28, 24, 33, 31, 18, 29],
)


@pytest.mark.parametrize(("ranks", "values", "totals"), [FOUR, FIVE, SIX])
def test_examples_18_to_20_scores(ranks: list[str], values: list[str], totals: list[int]) -> None:
    n = len(ranks)
    for line, expected in zip(ranks, values, strict=True):
        assert board_values([int(x) for x in line]) == [int(x) for x in expected]
    boards = [[((b + r) % n, int(ranks[b][r])) for r in range(n)] for b in range(n)]
    assert match_scores(boards, n) == totals
    assert match_scores(boards, n, count_self=False) == [total - n for total in totals]
    best = [p for p in range(n) if totals[p] == max(totals)]
    assert match_winners(boards, n) == best
    match = Match({"num_players": n}, [["1R", "2R", "3R"]] * n, 0)
    for r in range(n):
        play_ranks(match, [int(ranks[(p - r) % n][r]) for p in range(n)])
    assert (match.to_move, match.boards) == (None, boards)
    assert (match.scores(), match.winners()) == (totals, best)


def test_example_19_tie_break() -> None:
    boards = [[((b + r) % 5, int(FIVE[0][b][r])) for r in range(5)] for b in range(5)]
    assert match_winners(boards, 5) == [0, 3]
    assert match_winners(boards, 5, placings=True) == [3]


# Further points of the rules


def test_set_aside_in_turn_order_and_card_order() -> None:
    record = make_record({}, 1)
    deal = record["events"][0]["deal"]
    match = Match({}, deal["hands"], 3)
    for player in (3, 0, 1, 2):
        hand = list(match.hands[player])
        assert match.to_move == player
        assert legal_moves(match) == sorted("aside " + text_of([card]) for card in hand[:12])
        match.play("aside " + text_of([hand[10]]))
        assert legal_moves(match) == sorted("aside " + text_of([card]) for card in hand[11:])
        match.play("aside " + text_of([hand[11]]))
        assert len(match.hands[player]) == 11
    assert match.to_move == 3
    assert "pass" not in legal_moves(match)


def test_two_reveals_need_two_turns() -> None:
    match = position(["1R 5G 8Y 9R", "9G", "10R", "11R"], "7R", "8R 8B")
    play_all(match, "0 reveal")
    assert legal_moves(match) == ["play 1R", "play 5G"]
    match = position(["1R 5G 8Y 9R", "9G", "10R", "11R"], "9B", "8R 8B")
    play_all(match, "0 reveal, 0 play 8Y, 0 reveal, 0 play 1R")
    assert not match.inverted
    assert match.revealed[0] == 2
    assert match.to_move == 1


def test_reveal_options() -> None:
    hand, eights = "3G 13B", "8B 13Y"
    assert "reveal" in legal(hand, "12R", aside=eights)
    assert "reveal" not in legal(hand, "12R", aside=eights, reveal="stuck_only")
    assert "reveal" in legal("3G", "12R", aside=eights, reveal="stuck_only")
    assert "reveal" not in legal("3G", "12R", aside=eights, reveal="off")
    assert "reveal" not in legal("3G", "12R", aside=eights, eight=None)
    assert "reveal" not in legal("3G", "12R", aside=eights, eight=99)
    assert "reveal" in legal("3G", "12R", aside=eights, eight=13)
    assert "reveal" in legal(hand, aside=eights)
    assert "reveal" not in legal(hand, aside=eights, reveal_on_lead=False)
    assert "reveal" in legal(hand, "12R", aside=eights, reveal_on_lead=False)
    assert "reveal" not in legal(hand, aside=eights, reveal="stuck_only")


def test_wrapped_runs() -> None:
    hand = "1R 2R 12R 13R"
    assert not any(" 1R 13R" in move for move in legal(hand))
    runs = [move for move in legal(hand, run_wrap=True) if len(move.split()) > 2]
    pairs = ["play 12R 13R", "play 1R 13R", "play 1R 2R"]
    longer = ["play 1R 12R 13R", "play 1R 2R 13R", "play 1R 2R 12R 13R"]
    assert sorted(runs) == sorted(pairs + longer)
    tied = legal(hand, "12G 13G", run_wrap=True)
    assert tied == ["pass"]
    assert legal(hand, "11G 12G", run_wrap=True) == ["pass", "play 12R 13R", "play 1R 13R"]


@pytest.mark.parametrize(
    ("n", "plain", "wrapped"), [(4, 3456, 4368), (5, 7925, 10075), (6, 15768, 20124)]
)
def test_number_of_runs_of_any_colour(n: int, plain: int, wrapped: int) -> None:
    for wrap, expected in ((False, plain), (True, wrapped)):
        match = Match({"run_same_colour": False, "run_wrap": wrap}, [["1R", "2R", "3R"]] * 4, 0)
        shapes: dict[tuple[int, ...], int] = {}
        for size in (2, 3, 4):
            for start in range(1, 14):
                values = tuple(sorted((start + i - 1) % 13 + 1 for i in range(size)))
                kind = match.combination([(value, value % 2) for value in values])
                if kind is not None and kind[0] == "run":
                    shapes[values] = n**size
        assert sum(shapes.values()) == expected


def test_out_with_best_card_and_beaten() -> None:
    match = position(["11R", "1G 9R", "1B 12R", "1Y 2Y"])
    play_all(match, "0 play 11R, 1 pass, 2 play 12R, 3 pass, 1 pass")
    assert (match.to_move, match.table) == (2, [])


def test_next_clockwise_skips_players_without_cards() -> None:
    match = position(["11R", "", "1B 6R", "1Y 2Y"])
    match.ranks = {1: 1}
    play_all(match, "0 play 11R, 2 pass, 3 pass")
    assert (match.to_move, match.table) == (2, [])


# Records

VARIANTS: list[dict[str, Any]] = [
    {},
    {"num_players": 5, "deck": "fifteen", "rounds": 1},
    {"num_players": 6, "rounds": 1, "run_same_colour": False},
    {**SMALL, "run_wrap": True, "deck": {"colours": 6, "values": 4}},
    {**SMALL, "run_wrap": True, "run_same_colour": False, "eight": 3, "on_exit": "clear"},
    {**SMALL, "set_aside": 0, "golden": 2, "golden_travels": False},
    {**SMALL, "set_aside": 1, "eight": None, "count_self": False},
    {**SMALL, "reveal": "stuck_only", "deck": {"colours": 6, "values": 9}, "tie_break": "placings"},
    {**SMALL, "reveal": "off", "num_players": 2, "rounds": None},
    {**SMALL, "reveal_on_lead": False, "num_players": 3, "deck": {"colours": 3, "values": 8}},
    {**SMALL, "eight": 15, "rounds": 2},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_records_of_random_play(options: dict[str, Any]) -> None:
    for seed in range(20 if "hand_size" in options else 1):
        record = json.loads(json.dumps(make_record(options, seed)))
        moves = sum("move" in event for event in record["events"])
        assert check_record(record) == moves
        for event in record["events"]:
            event.pop("legal", None)
        assert check_record(record) == moves
        part = make_record(options, seed, stop=moves // 2)
        assert part["end"] is None
        assert check_record(part) == moves // 2


def test_null_stands_for_the_default() -> None:
    record = make_record(SMALL, 3, stop=20)
    record["options"] = {**SMALL, "rounds": None, "golden": None, "deck": None, "reveal": None}
    assert check_record(record) == 20


def test_markers_count_from_the_moment_they_are_placed() -> None:
    match = position(["11R", "12R", "1B 6R", "1Y 2Y"])
    play_all(match, "0 play 11R, 1 play 12R")
    assert (match.scores(), match.winners(), match.finished) == ([1, 1, 0, 0], [], [])


def swap_cards(record: dict[str, Any]) -> None:
    """The first two hands hold the same card."""
    hands = record["events"][0]["deal"]["hands"]
    hands[0][0] = hands[1][0]


def drop_round_end(record: dict[str, Any]) -> None:
    """The last round's end is missing."""
    record["events"].pop()


def other_ranks(record: dict[str, Any]) -> None:
    """The last round's ranks are turned round."""
    record["events"][-1]["round_end"]["ranks"].reverse()


TAMPERINGS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("event 0: dealt more than once", swap_cards),
    ("event 0: hand 2", lambda r: r["events"][0]["deal"]["hands"][2].pop()),
    ("event 0: of the deck", lambda r: r["events"][0]["deal"]["unseen"].pop()),
    ("event 0: golden", lambda r: r["events"][0]["deal"].update(golden=4)),
    ("event 0: golden", lambda r: r["options"].update(golden=1)),
    ("event 0: option reveal", lambda r: r["options"].update(reveal="never")),
    ("event 0: unknown option", lambda r: r["options"].update(colour=1)),
    ("event 0: the first event", lambda r: r["events"].pop(0)),
    ("event 1: player", lambda r: r["events"][1].update(player=2)),
    ("event 1: .*not legal", lambda r: r["events"][1].update(move="pass")),
    ("event 2: .*not legal", lambda r: r["events"].insert(2, r["events"][1])),
    ("event 1: legal", lambda r: r["events"][1]["legal"].reverse()),
    ("event 4: legal", lambda r: r["events"][4]["legal"].pop()),
    ("the round_end event is missing", drop_round_end),
    ("instead of", other_ranks),
    ("event 1: .*not a move", lambda r: r["events"].insert(1, r["events"][-1])),
    ("after the end", lambda r: r["events"].append(r["events"][-1])),
    ("scores", lambda r: r["scores"].reverse()),
    ("winners", lambda r: r["winners"].append(7)),
    ("end is", lambda r: r.update(end=None)),
    ("end is", lambda r: r.update(end="truncated")),
    ("format", lambda r: r.pop("format")),
]


@pytest.mark.parametrize(("reason", "tamper"), TAMPERINGS)
def test_tampered_records(reason: str, tamper: Callable[[dict[str, Any]], Any]) -> None:
    record = make_record({**SMALL}, 5)
    assert record["events"][0]["deal"]["golden"] not in (1, 2)
    assert record["scores"] != record["scores"][::-1]
    check_record(copy.deepcopy(record))
    record = copy.deepcopy(record)
    tamper(record)
    with pytest.raises(AssertionError, match=reason):
        check_record(record)
