"""The rules of loop_boards: worked examples, scoring tables, full games, settled details.

Positions are set up by editing the state record and played through `Game`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest

from loop_envs.game import Game, State

from .positions import COLOURS, cards, finish_round, legal, loop_boards, play, position, words

GAME = loop_boards()
FILLER = "1R 2R 3R"


def moves(
    hand: str, table: str = "", aside: str = "", inverted: bool = False, game: Game = GAME
) -> list[str]:
    """Legal moves of player 0 with this hand."""
    hands = [hand] + [FILLER] * (game.num_players - 1)
    return legal(game, position(game, hands, table=table, aside=[aside], inverted=inverted))


# Worked examples --------------------------------------------------------------------------------


def test_example_1_a_single_must_be_beaten_strictly() -> None:
    assert moves("10B 9G 8Y", "9R") == ["pass", "play 10B"]


def test_example_2_an_8_in_hand_clears() -> None:
    state = position(GAME, ["8Y 3R", "9R 1R", "9G 1G", "9B 1B"], table="7R")
    play(GAME, state, "0 play 8Y")
    # Nobody is asked to pass; the player leads an empty table.
    assert GAME.current_player(state) == 0
    assert legal(GAME, state) == ["play 3R"]
    assert state["current"][0] == -1


def test_example_3_type_and_size_must_agree() -> None:
    assert moves("7R 7G 7B 8R", "6R 6G") == ["pass", "play 7G 7B", "play 7R 7B", "play 7R 7G"]


def test_example_4_runs_of_equal_length_by_the_highest_value() -> None:
    hand = "4R 5R 6R 3G 4G 5G 6G 7G 5B 6Y"
    assert moves(hand, "3R 4R 5R") == [
        "pass",
        "play 4G 5G 6G",
        "play 4R 5R 6R",
        "play 5G 6G 7G",
    ]


def test_example_5_a_run_with_an_8_beats_and_clears() -> None:
    state = position(GAME, ["6B 7B 8B 1Y", "2R", "3R", "4R"], table="5G 6G 7G")
    assert legal(GAME, state) == ["pass", "play 6B 7B 8B"]
    play(GAME, state, "0 play 6B 7B 8B")
    assert GAME.current_player(state) == 0
    assert legal(GAME, state) == ["play 1Y"]


def test_example_6_inverted_lower_beats() -> None:
    assert moves("8G 10G", "9R", inverted=True) == ["pass", "play 8G"]
    state = position(GAME, ["8G 10G", FILLER, FILLER, FILLER], table="9R", inverted=True)
    play(GAME, state, "0 play 8G")
    assert GAME.current_player(state) == 0, "the 8 clears"
    assert state["inverted"][0] == 1, "the direction persists"
    hand = "2G 3G 4G 5G 6G"
    assert moves(hand, "3R 4R 5R", inverted=True) == ["pass", "play 2G 3G 4G"]


def test_example_7_a_set_aside_8_is_revealed_and_flips() -> None:
    hands = ["3G 5B", FILLER, FILLER, FILLER]
    state = position(GAME, hands, table="12R", aside=["8B 13Y"])
    assert legal(GAME, state) == ["pass", "reveal"]
    play(GAME, state, "0 reveal")
    assert GAME.current_player(state) == 0
    assert legal(GAME, state) == ["play 3G", "play 5B"], "passing is masked"
    assert cards(state["aside"][0, 0]) == "8B 13Y", "the 8 stays set aside"
    assert state["inverted"][0] == 1
    play(GAME, state, "0 play 5B")
    assert GAME.current_player(state) == 1, "a set-aside 8 does not clear"
    assert legal(GAME, state) == ["pass", "play 1R", "play 2R", "play 3R"]
    assert cards(state["aside"][0, 0]) == "8B 13Y"


@pytest.mark.parametrize("reveal", ["allowed", "stuck_only"])
def test_example_8_no_reveal_without_a_play_behind_it(reveal: str) -> None:
    game = loop_boards(reveal=reveal)
    assert moves("1R 5G 10B", "9R 9G", "8B 8Y", game=game) == ["pass"]


def test_example_9_a_set_aside_8_is_not_in_the_hand() -> None:
    assert moves("7R 9R", aside="8R 1Y") == ["play 7R", "play 9R", "reveal"]


def test_example_10_soft_passes() -> None:
    state = position(GAME, ["4R 10R", "9R 9G", "6R 11R", "5R 12R"])
    play(GAME, state, "0 play 4R", "1 pass", "2 play 6R", "3 pass", "0 pass", "1 play 9R")
    play(GAME, state, "2 pass", "3 pass", "0 pass")
    assert GAME.current_player(state) == 1
    assert legal(GAME, state) == ["play 9G"], "a lead: no pass"


def test_example_11_the_winner_went_out_and_the_next_clockwise_leads() -> None:
    state = position(GAME, ["11R", "1R 2G", "3R 4G", "5R 6G"])
    play(GAME, state, "0 play 11R", "1 pass", "2 pass", "3 pass")
    assert state["ranks"][0, 0, 0] == 1
    assert GAME.current_player(state) == 1
    assert "pass" not in legal(GAME, state)


def test_example_12_going_out_with_an_8() -> None:
    state = position(GAME, ["8R", "9R 2G", "3R 4G", "5R 6G"], table="6R")
    play(GAME, state, "0 play 8R")
    assert state["ranks"][0, 0, 0] == 1
    assert GAME.current_player(state) == 1, "cleared: player 1 leads at once"
    assert "pass" not in legal(GAME, state)


def test_example_13_the_last_player_takes_the_last_rank_at_once() -> None:
    state = position(GAME, ["5R", "", "", "1R 2R 3R"], table="4R", owner=3)
    for board, rank in ((1, 1), (2, 2)):
        state["ranks"][0, board, 0] = rank
    before = state["hands"].copy()
    play(GAME, state, "0 play 5R")
    assert state["ranks"][0, :4, 0].tolist() == [3, 1, 2, 4]
    assert state["rounds_done"][0] == 1, "the round stops in mid-trick"
    assert (state["hands"] == before).all()
    # Player 3's unplayed cards are in the hand that player 0 now takes from the right.
    assert "1R 2R 3R" in cards(state["left"][0, 0])


def test_example_14_at_most_four_of_a_value() -> None:
    game = loop_boards(num_players=5)
    found = moves("7R 7G 7B 7Y 7P", game=game)
    assert "play 7R 7G 7B 7Y" in found
    assert len(found) == 5 + 10 + 10 + 5
    assert max(len(move.split()) for move in found) == 5
    assert moves("7R 7G 7B 7Y 7P", "6R 6G 6B 6Y", game=game) == [
        "pass",
        "play 7G 7B 7Y 7P",
        "play 7R 7B 7Y 7P",
        "play 7R 7G 7B 7P",
        "play 7R 7G 7B 7Y",
        "play 7R 7G 7Y 7P",
    ]


def first_players(game: Game, golden: int) -> list[int]:
    """Who is first to move in each round of a match of forced rounds."""
    state = game.new_state(0)
    state["golden"] = golden
    found = [golden]
    n = game.num_players
    for _ in range(game.options["rounds"] - 1):
        finish_round(game, state, range(1, n + 1))
        found.append(game.current_player(state))
    return found


def test_example_15_the_golden_board_moves_left() -> None:
    assert first_players(GAME, 2) == [2, 3, 0, 1]


def test_example_16_holders_of_a_board() -> None:
    game = loop_boards(num_players=6)
    state = game.new_state(3)
    hand = cards(state["hands"][0, 4])
    holders = []
    for _ in range(6):
        holders += [p for p in range(6) if cards(state["left"][0, p]) == hand]
        if len(holders) < 6:
            finish_round(game, state, [1, 2, 3, 4, 5, 6])
    assert holders == [4, 5, 0, 1, 2, 3]


SCORING = """
4: 1 2 3 4 -> 4 3 2 1
4: 1 1 2 4 -> 4 4 2 1
4: 1 1 3 3 -> 4 4 2 2
4: 2 2 3 3 -> 4 4 2 2
4: 1 2 2 4 -> 4 3 3 1
4: 1 3 3 4 -> 4 3 3 1
4: 1 1 1 4 -> 4 4 4 1
4: 1 4 4 4 -> 4 3 3 3
4: 1 1 1 1 -> 4 4 4 4
4: 4 4 4 4 -> 4 4 4 4
5: 1 2 3 4 5 -> 5 4 3 2 1
5: 1 1 3 5 5 -> 5 5 3 2 2
5: 2 2 2 4 5 -> 5 5 5 2 1
5: 1 5 5 5 5 -> 5 4 4 4 4
6: 1 2 3 4 5 6 -> 6 5 4 3 2 1
6: 1 1 1 4 4 6 -> 6 6 6 3 3 1
6: 2 2 4 4 5 6 -> 6 6 4 4 2 1
6: 1 3 3 3 6 6 -> 6 5 5 5 2 2
6: 3 3 3 3 3 3 -> 6 6 6 6 6 6
"""
SCORING_ROWS = [
    tuple([int(x) for x in part.split()] for part in line.replace(":", "->").split("->"))
    for line in SCORING.split("\n")
    if line
]


def points_of_board(game: Game, ranks: Sequence[int], board: int) -> list[int]:
    """Points of each player from the markers of one board: its holders take these ranks, round by
    round, and no other board gets a marker."""
    n = game.num_players
    state = game.new_state(0)
    for round_, rank in enumerate(ranks):
        holder = (board + round_) % n
        others = [b for b in range(n) if b != board]
        markers = state["ranks"].copy()
        points = state["points"].copy()
        state = position(
            game, ["3R" if p == holder else FILLER for p in range(n)], player=holder, round_=round_
        )
        state["ranks"], state["points"] = markers, points
        # Players in front of the holder have gone out: just their markers are pretended.
        state["ranks"][0, others[: rank - 1], round_] = range(1, rank)
        play(game, state, f"{holder} play 3R")
        assert state["ranks"][0, board, round_] == rank
        state["ranks"][0, others, round_] = 0
    return [int(x) for x in state["points"][0, :n]]


@pytest.mark.parametrize(("n", "ranks", "values"), SCORING_ROWS)
def test_example_17_scoring_of_one_board(n: list[int], ranks: list[int], values: list[int]) -> None:
    game, plain = loop_boards(num_players=n[0]), loop_boards(num_players=n[0], count_self=False)
    # The order in which the ranks are taken must not matter; every order that differs is tried.
    pairs = dict(zip(ranks, values, strict=True))
    orders = sorted(set(permutations(ranks)))
    for order in orders[:: max(1, len(orders) // 40)]:
        for board in range(0, n[0], 2):
            found = points_of_board(game, order, board)
            expected = {(board + r) % n[0]: pairs[rank] for r, rank in enumerate(order)}
            assert found == [expected[p] for p in range(n[0])], (order, board)
    found = points_of_board(plain, ranks, 1)
    assert sum(found) == sum(values) - n[0]
    shared = sum(a == b for i, a in enumerate(ranks) for b in ranks[:i])
    assert sum(values) == n[0] * (n[0] + 1) // 2 + shared


FULL_GAMES = [
    ("1 2 1 4 / 3 1 2 1 / 2 4 4 3 / 4 3 3 2", [13, 9, 16, 6], [2], [9, 5, 12, 2]),
    (
        "1 1 2 1 3 / 2 3 1 2 1 / 5 5 5 4 5 / 3 2 4 5 2 / 4 4 3 3 4",
        [20, 18, 17, 20, 16],
        [0, 3],
        [15, 13, 12, 15, 11],
    ),
    (
        "1 2 1 1 3 1 / 2 1 2 3 1 4 / 6 6 6 6 6 6 / 3 3 4 2 2 2 / 5 4 3 5 5 3 / 4 5 5 4 4 5",
        [28, 24, 33, 31, 18, 29],
        [2],
        [22, 18, 27, 25, 12, 23],
    ),
]


def play_full_game(game: Game, table: str) -> State:
    """Plays a match in which the boards get these ranks, `rank[board][round]`."""
    rows = [[int(x) for x in row.split()] for row in table.split("/")]
    n = game.num_players
    state = game.new_state(4)
    for round_ in range(n):
        assert not game.is_over(state)
        finish_round(game, state, [rows[(p - round_) % n][round_] for p in range(n)])
    assert game.is_over(state)
    assert state["ranks"][0, :n, :n].tolist() == rows
    return state


def winners(game: Game, state: State) -> list[int]:
    """Players in first place."""
    return [p for p, place in enumerate(game.places(state)) if place == 0]


@pytest.mark.parametrize(("table", "points", "winning", "without_self"), FULL_GAMES)
def test_examples_18_19_20_full_games(
    table: str, points: list[int], winning: list[int], without_self: list[int]
) -> None:
    n = len(points)
    game = loop_boards(num_players=n)
    state = play_full_game(game, table)
    assert game.points(state).tolist() == points
    assert winners(game, state) == winning
    assert game.current_player(state) == -1
    assert not game.action_mask(state).any()
    plain = loop_boards(num_players=n, count_self=False)
    state = play_full_game(plain, table)
    assert plain.points(state).tolist() == without_self
    assert winners(plain, state) == winning


def test_example_19_the_tie_is_broken_by_placings() -> None:
    game = loop_boards(num_players=5, tie_break="placings")
    state = play_full_game(game, FULL_GAMES[1][0])
    assert game.points(state).tolist() == [20, 18, 17, 20, 16]
    assert winners(game, state) == [3]
    assert game.places(state).tolist() == [1, 2, 3, 0, 4]
    shared = loop_boards(num_players=5)
    assert shared.places(play_full_game(shared, FULL_GAMES[1][0])).tolist() == [0, 2, 3, 0, 4]


# Settled details --------------------------------------------------------------------------------


def test_detail_1_boards_move_to_the_left() -> None:
    for n in (4, 5, 6):
        game = loop_boards(num_players=n)
        state = game.new_state(n)
        dealt = state["hands"][0, :n].copy()
        for round_ in range(n):
            for p in range(n):
                assert (state["left"][0, p] == dealt[(p - round_) % n]).all()
            finish_round(game, state, range(1, n + 1))


def test_detail_2_set_asides_are_never_seen_by_others_but_come_back_with_the_hand() -> None:
    game = loop_boards()
    state = game.new_state(1)
    for _ in range(8):
        game.step(state, game.legal_actions(state)[0])
    picked = [cards(state["aside"][0, p]) for p in range(4)]
    assert all(len(pick.split()) == 2 for pick in picked)
    for viewer in range(4):
        fields = game.layout.split(game.observe(state, viewer))
        assert not fields["known"].any()
        assert fields["aside"].sum() == 2
    finish_round(game, state, [1, 2, 3, 4])
    for p in range(4):
        neighbour = (p + 1) % 4
        assert set(picked[p].split()) <= set(cards(state["left"][0, neighbour]).split())
        assert state["left"][0, neighbour].tolist() == state["hands"][0, p].tolist()


@pytest.mark.parametrize("num_players", [4, 5, 6])
@pytest.mark.parametrize("golden", [0, 3])
def test_detail_3_set_asides_in_turn_order_and_in_card_order(num_players: int, golden: int) -> None:
    game = loop_boards(num_players=num_players, golden=golden)
    state = game.new_state(7)
    order = []
    for _ in range(num_players):
        player = game.current_player(state)
        order.append(player)
        hand = cards(state["left"][0, player]).split()
        first = [f"aside {card}" for card in hand[:-1]]
        assert len(first) == 12, "12 of 13 cards are legal first"
        assert legal(game, state) == sorted(first)
        game.step(state, game.parse_action(state, first[5]))
        assert game.current_player(state) == player, "both picks before the next player"
        assert legal(game, state) == sorted(f"aside {card}" for card in hand[6:])
        game.step(state, game.parse_action(state, f"aside {hand[-1]}"))
    assert order == [(golden + k) % num_players for k in range(num_players)]
    assert game.current_player(state) == golden, "then the holder of the golden board leads"
    assert all("play" in move for move in legal(game, state))


def test_detail_3_value_then_colour() -> None:
    state = GAME.new_state(0)
    player = GAME.current_player(state)
    hand = "5R 5Y 6G 13B 13Y"
    state["left"][0, player] = words(hand)
    assert legal(GAME, state) == sorted(["aside 5R", "aside 5Y", "aside 6G", "aside 13B"])
    play(GAME, state, f"{player} aside 5Y")
    assert legal(GAME, state) == sorted(["aside 6G", "aside 13B", "aside 13Y"])


def test_detail_4_after_a_clearing_8_a_second_reveal_is_a_new_turn() -> None:
    hands = ["2R 3R 8Y 9Y 10Y", FILLER, FILLER, FILLER]
    state = position(GAME, hands, table="12R", aside=["8R 8G"])
    play(GAME, state, "0 reveal")
    assert state["revealed"][0, 0] == 0b01, "the lower colour first"
    assert "reveal" not in legal(GAME, state), "one reveal a turn"
    assert legal(GAME, state) == ["play 10Y", "play 2R", "play 3R", "play 8Y", "play 9Y"]
    play(GAME, state, "0 play 8Y")
    assert GAME.current_player(state) == 0
    assert "reveal" in legal(GAME, state)
    play(GAME, state, "0 reveal")
    assert state["revealed"][0, 0] == 0b11
    assert state["inverted"][0] == 0, "flipped back"
    assert "reveal" not in legal(GAME, state)
    play(GAME, state, "0 play 2R", "1 play 3R")
    assert GAME.current_player(state) == 2


def test_a_set_aside_8_is_revealed_once_a_round() -> None:
    hands = ["2R 3R 4R", "1G 13G", "1B 13B", "1Y 13Y"]
    state = position(GAME, hands, aside=["8R 9G"])
    play(GAME, state, "0 reveal", "0 play 3R", "1 pass", "2 pass", "3 pass")
    assert legal(GAME, state) == ["play 2R", "play 4R"]
    assert state["inverted"][0] == 1, "the direction persists across tricks"


def test_the_next_round_begins_in_normal_order_with_all_8s_hidden_again() -> None:
    state = GAME.new_state(0)
    state["inverted"], state["revealed"][0, :4] = 1, 5
    finish_round(GAME, state, [1, 2, 3, 4])
    assert state["inverted"][0] == 0
    assert not state["revealed"].any()
    assert not state["aside"].any()
    assert not state["passed"].any()
    assert state["current"][0] == -1


def test_detail_5_forced_passes_are_not_asked_even_from_players_who_could_beat() -> None:
    state = position(GAME, ["8R 8G 1R", "9R 9G 2R", "10R 3R", "11R 4R"])
    play(GAME, state, "0 play 8R", "0 play 8G", "0 play 1R")
    assert GAME.current_player(state) == 1
    assert state["ranks"][0, 0, 0] == 1


def test_detail_5_next_clockwise_is_counted_from_the_player_who_went_out() -> None:
    state = position(GAME, ["1R 2R", "9R", "", "5R 4R"], player=1)
    state["ranks"][0, 2, 0] = 1
    play(GAME, state, "1 play 9R", "3 pass", "0 pass")
    assert GAME.current_player(state) == 3, "player 2 is out already"
    state = position(GAME, ["1R 2R", "8R", "", "5R 4R"], player=1)
    state["ranks"][0, 2, 0] = 1
    play(GAME, state, "1 play 8R")
    assert GAME.current_player(state) == 3


def test_detail_6_a_run_that_wraps_counts_its_highest_value_literally() -> None:
    game = loop_boards(run_wrap=True)
    names = set(game.action_names)
    assert "play 1R 13R" in names
    assert "play 1R 2R 13R" in names
    assert "play 1R 12R 13R" in names
    assert "play 1R 2R 12R 13R" in names
    # 12-13 and 13-1 tie: neither beats the other.
    assert moves("12G 13G 1G", "1R 13R", game=game) == ["pass"]
    assert moves("12G 13G 1G", "12R 13R", game=game) == ["pass"]
    assert moves("12G 13G 1G", "11R 12R", game=game) == ["pass", "play 12G 13G", "play 1G 13G"]
    # Inverted, everything else beats them.
    assert moves("1G 2G 13G", "1R 13R", inverted=True, game=game) == ["pass", "play 1G 2G"]


def test_detail_8_no_such_eight_means_no_eight() -> None:
    for eight in (None, 14, 100):
        game = loop_boards(eight=eight)
        state = position(game, ["8Y 3R", "9R 1R", "9G 1G", "9B 1B"], table="7R", aside=["8R 8G"])
        assert legal(game, state) == ["pass", "play 8Y"]
        play(game, state, "0 play 8Y")
        assert game.current_player(state) == 1, "an 8 that is none does not clear"


def test_detail_8_a_leader_is_never_stuck() -> None:
    for on_lead in (True, False):
        game = loop_boards(reveal="stuck_only", reveal_on_lead=on_lead)
        assert moves("3G 5B", aside="8B 8Y", game=game) == ["play 3G", "play 5B"]


def test_detail_9_players_level_in_all_placings_share_the_win() -> None:
    game = loop_boards(tie_break="placings", rounds=2)
    state = game.new_state(0)
    finish_round(game, state, [1, 2, 3, 4])
    finish_round(game, state, [2, 1, 4, 3])
    assert game.is_over(state)
    # Boards: 0 -> 1, 1; 1 -> 2, 4; 2 -> 3, 3; 3 -> 4, 2.
    assert state["ranks"][0, :4, :2].tolist() == [[1, 1], [2, 4], [3, 3], [4, 2]]
    # Player 0: board 0 and 3; player 1: 1 and 0; player 2: 2 and 1; player 3: 3 and 2.
    assert game.points(state).tolist() == [2 + 2, 2 + 2, 2 + 1, 1 + 2]
    # 0 and 1 both have a first and a second place; 2 and 3 a third and a fourth.
    assert game.places(state).tolist() == [0, 0, 2, 2]


# Actions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deck", "counts"),
    [("exact13", {4: 327, 5: 555, 6: 926}), ("fifteen", {4: 381, 5: 645, 6: 1074})],
)
def test_number_of_combinations(deck: str, counts: dict[int, int]) -> None:
    for n, count in counts.items():
        game = loop_boards(num_players=n, deck=deck)
        plays = [name for name in game.action_names if name.startswith("play ")]
        assert len(plays) == count
        values = 13 if deck == "exact13" else 15
        assert game.num_actions == count + n * values + 2


@pytest.mark.parametrize(
    ("wrap", "counts"),
    [(False, {4: 3456, 5: 7925, 6: 15768}), (True, {4: 4368, 5: 10075, 6: 20124})],
)
def test_number_of_runs_of_mixed_colours(wrap: bool, counts: dict[int, int]) -> None:
    for n, count in counts.items():
        game = loop_boards(num_players=n, run_same_colour=False, run_wrap=wrap)
        groups = {name: number for name, _, number, _ in game.rules.action_groups(game)}
        assert sum(groups[f"runs of {k}"] for k in (2, 3, 4)) == count
        assert len(set(game.action_names)) == game.num_actions


def all_combinations(colours: int, values: int, same_colour: bool, wrap: bool) -> set[str]:
    """Every combination of a deck, found by going through values and colours."""
    found = set()
    for size in (1, 2, 3, 4):
        for value in range(values):
            for chosen in product(range(colours), repeat=size):
                if len(set(chosen)) == size:
                    found.add(frozenset((value, c) for c in chosen))
        starts = range(values) if wrap and size < values else range(values - size + 1)
        for start in starts if size > 1 else ():
            run = [(start + i) % values for i in range(size)]
            for chosen in product(range(colours), repeat=size):
                if len(set(chosen)) == 1 or not same_colour:
                    found.add(frozenset(zip(run, chosen, strict=True)))
    return {
        "play " + " ".join(f"{v + 1}{COLOURS[c]}" for v, c in sorted(combination))
        for combination in found
    }


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("same_colour", [True, False])
@pytest.mark.parametrize(
    ("colours", "values"), [(1, 6), (2, 3), (3, 4), (6, 1), (3, 2), (2, 5), (4, 13), (2, 15)]
)
def test_the_actions_are_all_combinations(
    colours: int, values: int, same_colour: bool, wrap: bool
) -> None:
    game = loop_boards(
        num_players=2,
        hand_size=3,
        deck={"colours": colours, "values": values},
        run_same_colour=same_colour,
        run_wrap=wrap,
    )
    plays = [name for name in game.action_names if name.startswith("play ")]
    assert len(plays) == len(set(plays))
    assert set(plays) == all_combinations(colours, values, same_colour, wrap)
    asides = {name for name in game.action_names if name.startswith("aside ")}
    assert asides == {f"aside {v + 1}{COLOURS[c]}" for v in range(values) for c in range(colours)}
    assert game.action_names[-2:] == ["pass", "reveal"]


@pytest.mark.parametrize("num_players", [4, 6])
def test_a_lead_offers_every_combination_of_the_hand(num_players: int) -> None:
    game = loop_boards(num_players=num_players)
    everything = all_combinations(num_players, 13, True, False)
    rng = np.random.default_rng(num_players)
    deck = [f"{v}{c}" for v in range(1, 14) for c in COLOURS[:num_players]]
    for size in (1, 2, 5, 11, 13, 20, 40, 52):
        hand = " ".join(rng.choice(deck, size, replace=False))
        held = set(hand.split())
        assert set(moves(hand, game=game)) == {
            move for move in everything if set(move.split()[1:]) <= held
        }


def test_every_combination_beats_what_it_should_in_both_directions() -> None:
    """All pairs of combinations, by type, size and strength alone."""
    game = loop_boards()
    plays = [name for name in game.action_names if name.startswith("play ")]

    def shape(move: str) -> tuple[bool, int, int]:
        values = [int(card[:-1]) for card in move.split()[1:]]
        return len(set(values)) == 1, len(values), max(values)

    everything = " ".join(f"{v}{c}" for v in range(1, 14) for c in "RGBY")
    for inverted in (False, True):
        for table in plays:
            state = position(game, [everything, FILLER, FILLER, FILLER], table=table[5:])
            state["inverted"] = inverted
            kind, size, strength = shape(table)
            expected = ["pass"]
            for move in plays:
                other = shape(move)
                stronger = other[2] < strength if inverted else other[2] > strength
                if other[:2] == (kind, size) and stronger:
                    expected.append(move)
            assert legal(game, state) == sorted(expected), (table, inverted)


def test_passing_is_always_allowed_to_followers_and_never_to_leaders() -> None:
    assert "pass" in moves("13R 13G", "1R")
    assert moves("2R 3G", "13R") == ["pass"]
    assert "pass" not in moves("2R 3G")


def test_a_trick_ends_when_all_others_with_cards_have_passed_in_a_row() -> None:
    game = loop_boards(num_players=5)
    hands = ["9R 1R", "", "5G 1G", "6B 1B", "7Y 1Y"]
    state = position(game, hands)
    state["ranks"][0, 1, 0] = 1
    play(game, state, "0 play 1R", "2 pass", "3 play 6B", "4 pass", "0 pass", "2 pass")
    assert game.current_player(state) == 3
    assert legal(game, state) == ["play 1B"]


def test_the_remaining_may_still_beat_the_last_combination_of_who_went_out() -> None:
    state = position(GAME, ["5R", "6G 1G", "7B 1B", "1Y 2Y"])
    play(GAME, state, "0 play 5R", "1 pass", "2 play 7B", "3 pass", "1 pass")
    assert GAME.current_player(state) == 2


def test_two_players_go_out_in_one_trick() -> None:
    state = position(GAME, ["5R", "6G", "1B 2B", "1Y 2Y"])
    play(GAME, state, "0 play 5R", "1 play 6G", "2 pass", "3 pass")
    assert GAME.current_player(state) == 2, "next clockwise from player 1, who owned the trick"
    assert state["ranks"][0, :4, 0].tolist() == [1, 2, 0, 0]


def test_revealing_on_the_own_lead() -> None:
    state = position(GAME, ["3R 4R", "5G 6G", "7B 9B", "10Y 11Y"], aside=["8G 1B"])
    assert legal(GAME, state) == ["play 3R", "play 3R 4R", "play 4R", "reveal"]
    play(GAME, state, "0 reveal")
    assert legal(GAME, state) == ["play 3R", "play 3R 4R", "play 4R"]
    play(GAME, state, "0 play 3R 4R")
    assert legal(GAME, state) == ["pass"]


def test_a_reveal_may_be_followed_by_an_8_that_clears() -> None:
    state = position(GAME, ["8R 2R", FILLER, FILLER, FILLER], table="9R", aside=["8G 1B"])
    play(GAME, state, "0 reveal", "0 play 8R")
    assert GAME.current_player(state) == 0
    assert state["inverted"][0] == 1


def test_a_revealed_8_stays_out_of_the_hand_until_the_next_round() -> None:
    state = position(GAME, ["3G 5B", FILLER, FILLER, FILLER], table="12R", aside=["8B 13Y"])
    play(GAME, state, "0 reveal", "0 play 5B", "1 pass", "2 pass", "3 pass")
    assert legal(GAME, state) == ["play 3G"]
    play(GAME, state, "0 play 3G")
    assert state["ranks"][0, 0, 0] == 1, "the set-aside cards need not be played"


def test_actions_of_a_match_that_is_over_are_refused() -> None:
    game = loop_boards(rounds=1)
    state = game.new_state(0)
    finish_round(game, state, [2, 1, 4, 3])
    assert game.is_over(state)
    assert state["ranks"][0, :4, 0].tolist() == [2, 1, 4, 3]
    with pytest.raises(ValueError, match="over"):
        game.step(state, 0)
