"""The tricks of loop_seats: worked examples 1 to 9, combinations, passes, the powers of the 8.

Positions are set up by editing the state record and played through `Game`. What happens between
the rounds is in `test_loop_seats_rounds`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from loop_envs.game import Game

from .positions import COLOURS, cards, legal, play
from .seats_positions import finish_round, loop_seats, position, seats

GAME = loop_seats()
PUBLISHED = loop_seats(eight_mode="published")
FILLER = "1R 2R 3R"


def moves(
    hand: str, table: str = "", aside: str = "", inverted: bool = False, game: Game = GAME
) -> list[str]:
    """Legal moves of player 0 with this hand."""
    hands = [hand] + [FILLER] * (game.num_players - 1)
    return legal(game, position(game, hands, table=table, aside=[aside], inverted=inverted))


def followers(
    hand: str, played: str, following: str, table: str = "", inverted: bool = False, **options: Any
) -> tuple[int, list[str]]:
    """The order of values and what player 1 may do when player 0 has played something."""
    game = loop_seats(**options)
    hands = [f"{hand} 1B", following, FILLER, FILLER]
    state = position(game, hands, table=table, inverted=inverted)
    play(game, state, f"0 play {played}")
    assert game.current_player(state) == 1
    return int(state["inverted"][0]), legal(game, state)


# Worked examples --------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "unseen"), [(2, 23), (3, 12), (4, 1)])
def test_example_1_unused_cards(num_players: int, unseen: int) -> None:
    game = loop_seats(num_players=num_players)
    event = game.rules.deal_event(game, game.new_state(3))
    assert [len(hand) for hand in event["hands"]] == [11] * num_players
    assert len(event["unseen"]) == unseen
    everything = [card for hand in (*event["hands"], event["unseen"]) for card in hand]
    assert sorted(everything) == sorted(f"{v}{c}" for v in range(1, 16) for c in "RGB")


def test_example_2_an_8_reverses_and_the_next_must_be_below() -> None:
    assert moves("8G 5G", "6R") == ["pass", "play 8G"]
    assert followers("8G", "8G", "7G 9G 8B", "6R") == (1, ["pass", "play 7G"])


def test_example_3_an_8_must_be_legal_before_it_flips() -> None:
    assert moves("8G 2G", "3R", inverted=True) == ["pass", "play 2G"]


def test_example_4_another_8_restores_the_order() -> None:
    assert moves("8G 11G", "10R", inverted=True) == ["pass", "play 8G"]
    assert followers("8G", "8G", "7G 9G", "10R", inverted=True) == (0, ["pass", "play 9G"])


def test_example_5_two_8s_in_one_combination_flip_once() -> None:
    following = "7R 7G 9R 9G"
    assert followers("8R 8G", "8R 8G", following, "5R 5G") == (1, ["pass", "play 7R 7G"])
    per_card = followers("8R 8G", "8R 8G", following, "5R 5G", flip_per_card=True)
    assert per_card == (0, ["pass", "play 9R 9G"])


def test_example_6_runs_with_an_8_flip_and_are_beaten_under_the_new_order() -> None:
    hands = ["7R 8R 9R 1B", "6B 7B 8B 9B 10B 1G", "7R 8R 9R 5R 6R", FILLER]
    state = position(GAME, hands, table="5G 6G 7G")
    assert legal(GAME, state) == ["pass", "play 7R 8R 9R"]
    play(GAME, state, "0 play 7R 8R 9R")
    assert state["inverted"][0] == 1
    assert legal(GAME, state) == ["pass", "play 6B 7B 8B"]
    play(GAME, state, "1 play 6B 7B 8B")
    assert state["inverted"][0] == 0
    assert legal(GAME, state) == ["pass", "play 7R 8R 9R"], "above 8, not below"


def test_example_7_a_lone_8_is_led() -> None:
    assert followers("8G", "8G", "7G 9G 8B") == (1, ["pass", "play 7G"])


def test_example_8_published_an_8_clears() -> None:
    state = position(PUBLISHED, ["8G 3R", "9R 1R", "9G 1G", "9B 1B"], table="6R")
    play(PUBLISHED, state, "0 play 8G")
    assert PUBLISHED.current_player(state) == 0, "nobody is asked to pass"
    assert legal(PUBLISHED, state) == ["play 3R"]
    assert state["inverted"][0] == 0


def test_example_9_published_a_set_aside_8_is_revealed() -> None:
    state = position(PUBLISHED, ["3G 5B", "4G 6B", FILLER, FILLER], table="14R", aside=["8G 13B"])
    assert legal(PUBLISHED, state) == ["pass", "reveal"]
    play(PUBLISHED, state, "0 reveal")
    assert legal(PUBLISHED, state) == ["play 3G", "play 5B"], "a play must follow"
    play(PUBLISHED, state, "0 play 5B")
    assert state["inverted"][0] == 1
    assert legal(PUBLISHED, state) == ["pass", "play 4G"]
    assert cards(state["aside"][0, 0]) == "8G 13B", "the 8 stays set aside"


# Settled details --------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_detail_2_set_asides_in_seat_order_from_the_start_seat(num_players: int) -> None:
    game = loop_seats(num_players=num_players)
    state = game.new_state(7)
    for round_ in range(3):
        first = int(state["start_seat"][0])
        assert state["first"][0] == first, "fixed for the whole match"
        order = []
        for _ in range(num_players):
            player = game.current_player(state)
            order.append(seats(game, state)[player])
            hand = cards(state["left"][0, order[-1]]).split()
            assert legal(game, state) == sorted(f"aside {card}" for card in hand[:-1])
            play(game, state, f"{player} aside {hand[4]}")
            assert legal(game, state) == sorted(f"aside {card}" for card in hand[5:])
            play(game, state, f"{player} aside {hand[-1]}")
        assert order == [(first + k) % num_players for k in range(num_players)]
        assert game.current_player(state) == state["player_at"][0, first], round_
        assert all("play" in move for move in legal(game, state))
        finish_round(game, state, range(1, num_players + 1))


def test_detail_2_the_flip_lasts_across_tricks_and_ends_with_the_round() -> None:
    state = position(GAME, ["8R 1B", "7R 6R 5R", "9R 9G", "10R 10G"])
    play(GAME, state, "0 play 8R", "1 play 7R", "2 pass", "3 pass", "0 pass", "1 play 6R")
    assert state["inverted"][0] == 1
    assert legal(GAME, state) == ["pass"]
    finish_round(GAME, state, [1, 2, 3, 4], choice=None)
    assert state["inverted"][0] == 1
    play(GAME, state, "3 take_seat 0")
    assert state["inverted"][0] == 0


def test_detail_2_a_last_8_flips_for_those_who_may_still_beat_it() -> None:
    state = position(GAME, ["8R", "7R 9R", FILLER, FILLER], table="6R")
    play(GAME, state, "0 play 8R")
    assert state["rank"][0].tolist() == [1, 0, 0, 0]
    assert legal(GAME, state) == ["pass", "play 7R"]


def test_detail_2_set_aside_8s_do_nothing_in_the_default_mode() -> None:
    assert "reveal" not in moves("3R 5B", "12R", aside="8G 8B")
    assert "reveal" not in moves("3R 5B", aside="8G 8B")


def test_detail_3_hard_pass_when_the_owner_has_gone_out() -> None:
    game = loop_seats(hard_pass=True)
    state = position(game, ["4R 14R 3R", "5R 15R", "6R", "7R 13R"])
    play(game, state, "0 play 4R", "1 pass", "2 play 6R", "3 pass")
    assert legal(game, state) == ["pass", "play 14R"], "player 0 has not passed"
    other = state.copy()
    play(game, state, "0 play 14R", "0 play 3R")  # all others had passed
    play(game, other, "0 pass")
    assert game.current_player(other) == 3, "next clockwise, who had passed"
    assert legal(game, other) == ["play 13R", "play 7R"]
    assert not other["passed"][0]


def test_detail_4_published_reveals_on_a_lead_and_twice() -> None:
    hands = ["2R 3R 14R", FILLER, FILLER, FILLER]
    state = position(PUBLISHED, hands, aside=["8R 8G"])
    play(PUBLISHED, state, "0 reveal")
    assert legal(PUBLISHED, state) == ["play 14R", "play 2R", "play 2R 3R", "play 3R"]
    assert state["revealed"][0, 0] == 0b01, "the lower colour first"
    play(PUBLISHED, state, "0 play 14R", "1 pass", "2 pass", "3 pass", "0 reveal", "0 play 2R")
    assert state["inverted"][0] == 0, "the second 8 reverses back"
    assert PUBLISHED.current_player(state) == 1


def test_detail_4_published_no_reveal_without_a_play_behind_it() -> None:
    assert moves("1R 5G 10B", "9R 9G", "8G 8B", game=PUBLISHED) == ["pass"]


def test_detail_4_published_going_out_with_an_8() -> None:
    state = position(PUBLISHED, ["8R", "9R 2G", "3R 4G", "5R 6G"], table="6R")
    play(PUBLISHED, state, "0 play 8R")
    assert PUBLISHED.current_player(state) == 1, "cleared: player 1 leads at once"
    assert "pass" not in legal(PUBLISHED, state)


def test_detail_8_at_most_three_of_a_kind() -> None:
    found = moves("7R 7G 7B 7Y 7P", game=loop_seats(colours=5))
    assert len(found) == 5 + 10 + 10
    assert max(len(move.split()) for move in found) == 1 + 3


# Combinations and tricks ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("colours", "values", "hand_size", "min_run"),
    [(3, 15, 11, 2), (6, 15, 11, 3), (1, 9, 4, 2), (2, 3, 2, 2), (4, 5, 7, 2)],
)
def test_the_actions_are_all_combinations(
    colours: int, values: int, hand_size: int, min_run: int
) -> None:
    deck = {"colours": colours, "values": values, "hand_size": hand_size, "min_run": min_run}
    aside = min(2, hand_size - 1)
    game = loop_seats(num_players=2, set_aside=aside, **deck)
    letters, longest = COLOURS[:colours], min(values, hand_size - aside)
    expected = {
        "play " + " ".join(f"{v}{c}" for c in chosen)
        for v in range(1, values + 1)
        for size in (1, 2, 3)
        for chosen in combinations(letters, size)
    } | {
        "play " + " ".join(f"{v + i}{c}" for i in range(length))
        for c in letters
        for length in range(min_run, longest + 1)
        for v in range(1, values - length + 2)
    }
    plays = [name for name in game.action_names if name.startswith("play ")]
    assert len(plays) == len(expected)
    assert set(plays) == expected
    assert game.num_actions == len(expected) + colours * values + 4
    assert game.action_names[-4:] == ["pass", "reveal", "take_seat 0", "take_seat 1"]


def test_runs_of_up_to_nine_cards() -> None:
    hand = "1R 2R 3R 4R 5R 6R 7R 8R 9R"
    assert len(moves(hand)) == 9 * 10 // 2
    state = position(GAME, [hand, "2G 3G 4G 5G 6G 7G 8G 9G 10G", FILLER, FILLER])
    play(GAME, state, f"0 play {hand}")
    assert state["rank"][0, 0] == 1
    assert legal(GAME, state) == ["pass"], "the 8 has reversed the order"
    assert max(len(name.split()) for name in GAME.action_names) == 1 + 9


def test_every_combination_beats_what_it_should_in_both_orders() -> None:
    everything = " ".join(f"{v}{c}" for v in range(1, 16) for c in "RGB")
    plays = [name for name in GAME.action_names if name.startswith("play ")]

    def shape(move: str) -> tuple[bool, int, int]:
        values = [int(card[:-1]) for card in move.split()[1:]]
        return len(set(values)) == 1, len(values), max(values)

    shapes = {move: shape(move) for move in plays}
    for inverted in (False, True):
        for table in plays[::3]:
            kind, size, strength = shapes[table]
            expected = ["pass"] + [
                move
                for move, other in shapes.items()
                if other[:2] == (kind, size)
                and (other[2] < strength if inverted else other[2] > strength)
            ]
            assert moves(everything, table[5:], inverted=inverted) == sorted(expected), table


def test_runs_do_not_wrap() -> None:
    found = moves("14R 15R 1R 2R")
    assert [move for move in found if len(move.split()) > 2] == ["play 14R 15R", "play 1R 2R"]


def test_passing_is_always_allowed_to_followers_and_never_to_leaders() -> None:
    assert "pass" in moves("13R 13G", "1R")
    assert moves("2R 3G", "13R") == ["pass"]
    assert "pass" not in moves("2R 3G")


def test_soft_passes_until_all_others_have_passed_in_a_row() -> None:
    state = position(GAME, ["4R 10R", "9R 9G", "6R 11R", "5R 12R"])
    play(GAME, state, "0 play 4R", "1 pass", "2 play 6R", "3 pass", "0 pass", "1 play 9R")
    play(GAME, state, "2 pass", "3 pass", "0 pass")
    assert GAME.current_player(state) == 1
    assert legal(GAME, state) == ["play 9G"], "a lead: no pass"


def test_when_the_winner_went_out_the_next_clockwise_with_cards_leads() -> None:
    state = position(GAME, ["1G 2G", "9R", "", "5R 4R"], player=1)
    play(GAME, state, "1 play 9R", "3 pass", "0 pass")
    assert GAME.current_player(state) == 3, "player 2 is out already"
    assert "pass" not in legal(GAME, state)


def test_the_last_player_takes_the_last_rank_at_once() -> None:
    state = position(GAME, ["5R", "", "", "1R 2R 3R"], table="4R")
    play(GAME, state, "0 play 5R")
    assert state["rank"][0].tolist() == [3, 1, 2, 4]
    assert state["rounds_done"][0] == 1, "the round stops in mid-trick"


def test_the_turn_goes_by_seat_not_by_player() -> None:
    game = loop_seats(num_players=3)
    state = game.new_state(2)
    finish_round(game, state, [1, 2, 3])
    assert seats(game, state) == [2, 0, 1]
    order = []
    for _ in range(6):
        order.append(game.current_player(state))
        game.step(state, game.legal_actions(state)[0])
    by_seat = [1, 2, 0]
    first = int(state["start_seat"][0])
    assert order[::2] == [by_seat[(first + k) % 3] for k in range(3)]
