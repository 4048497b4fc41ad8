"""Between the rounds of loop_seats: points, changes of seats, the end, rewards.

Worked examples 10 to 15 and the settled details 1, 5, 6 and 7; the tricks are in
`test_loop_seats_rules`.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from loop_envs.envs.arguments import REWARDS
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.game import TERMINATED, TRUNCATED, Game, State
from loop_envs.policies import RANDOM, choose_many, decision_keys
from loop_envs.testing.adapters import result

from .positions import legal, play
from .seats_positions import SEATING, after_round, finish_round, loop_seats, position, seats

GAME = loop_seats()

# Worked examples --------------------------------------------------------------------------------


def test_example_10_first_round_of_four() -> None:
    state = GAME.new_state(0)
    finish_round(GAME, state, [1, 2, 3, 4], choice=None)
    assert GAME.points(state).tolist() == [4, 2, 1, 0]
    assert GAME.current_player(state) == 3
    assert legal(GAME, state) == ["take_seat 0", "take_seat 1"]
    play(GAME, state, "3 take_seat 0")
    assert seats(GAME, state) == [3, 2, 1, 0]


def test_example_11_second_round_of_four() -> None:
    state = GAME.new_state(0)
    finish_round(GAME, state, [1, 2, 3, 4])
    assert state["card"][0].tolist() == [1, 2, 3, 4]
    finish_round(GAME, state, [2, 1, 4, 3])
    assert state["earned"][0].tolist() == [4, 6, -2, -1]
    assert GAME.points(state).tolist() == [8, 8, -1, -1]
    # By seat: player 3 sat at seat 0, 2 at 1, 1 at 2, 0 at 3.
    assert state["card"][0].tolist() == [3, 4, 1, 2]


def test_example_12_from_the_fourth_seat_to_first_and_from_the_first_to_fourth() -> None:
    state = GAME.new_state(0)
    finish_round(GAME, state, [1, 2, 3, 4])
    finish_round(GAME, state, [1, 2, 3, 4])
    assert state["earned"][0, [0, 3]].tolist() == [7, -3]


def test_example_13_two_rounds_of_three() -> None:
    game = loop_seats(num_players=3)
    state = game.new_state(0)
    finish_round(game, state, [1, 2, 3])
    assert game.points(state).tolist() == [2, 1, 0]
    assert seats(game, state) == [2, 0, 1]
    finish_round(game, state, [2, 3, 1])
    assert game.points(state).tolist() == [4, -1, 3]


def test_example_14_two_players_and_four_wins() -> None:
    game = loop_seats(num_players=2)
    state = game.new_state(0)
    totals = []
    for k in range(4):
        assert not game.is_over(state)
        assert seats(game, state) == ([1, 0] if k % 2 else [0, 1])
        finish_round(game, state, [1, 2])
        totals.append(game.points(state).tolist())
    assert totals == [[1, 0], [3, -1], [5, -2], [7, -3]]
    assert state["status"][0] == TERMINATED


@pytest.mark.parametrize(
    ("check", "points", "winner"),
    [("round_end", [12, 13], 1), ("immediate", [12, 9], 0)],
)
def test_example_15_the_threshold(check: str, points: list[int], winner: int) -> None:
    game = loop_seats(threshold_check=check)
    state = after_round(game, [2, 4, 1, 3], [7, 9, 0, 0])
    finish_round(game, state, [1, 2, 3, 4])
    assert state["status"][0] == TERMINATED
    assert game.points(state).tolist()[:2] == points
    assert game.places(state)[winner] == 0


# Settled details --------------------------------------------------------------------------------


def test_detail_1_immediate_books_each_exit() -> None:
    game = loop_seats(threshold_check="immediate")
    state = position(game, ["1R", "2R", "3R", "4R 5R"])
    play(game, state, "0 play 1R")
    assert game.points(state).tolist() == [4, 0, 0, 0]
    play(game, state, "1 play 2R")
    assert game.points(state).tolist() == [4, 2, 0, 0]
    play(game, state, "2 play 3R")
    assert game.points(state).tolist() == [4, 2, 1, 0]
    assert state["phase"][0] == SEATING, "the round went to its end"


def round_end(game: Game, state: State, move: str) -> dict[str, Any]:
    """The round_end event of a move."""
    before = state.copy()
    play(game, state, move)
    (event,) = game.rules.events(game, before, state)
    found: dict[str, Any] = event["round_end"]
    return found


def test_detail_1_who_is_not_out_in_a_match_that_ends_at_once_has_no_rank() -> None:
    game = loop_seats(threshold_check="immediate", threshold=1)
    event = round_end(game, position(game, ["1R", "2R", "3R", "4R"]), "0 play 1R")
    assert event["ranks"] == [1, None, None, None]
    assert event["points"] == event["totals"] == [4, 0, 0, 0]
    # Even if only one is left.
    state = position(game, ["", "", "3R", "4R 5R"], player=2)
    state["earned"][0, :2] = state["points"][0, :2] = [0, -5]
    event = round_end(game, state, "2 play 3R")
    assert event["ranks"] == [1, 2, 3, None]
    assert event["points"] == event["totals"] == [0, -5, 1, 0]
    assert state["status"][0] == TERMINATED
    game = loop_seats(threshold_check="immediate", num_players=2, threshold=1)
    assert round_end(game, position(game, ["1R", "2R"]), "0 play 1R")["ranks"] == [1, None]


def test_detail_5_the_floor_is_that_of_the_total_at_each_booking() -> None:
    game = loop_seats(floor_zero=True)
    state = after_round(game, [1, 2, 3, 4], [2, 5, 0, 0])
    finish_round(game, state, [4, 2, 3, 1])
    assert state["earned"][0].tolist() == [-3, 2, 1, 7]
    assert game.points(state).tolist() == [0, 7, 1, 7]


@pytest.mark.parametrize("start", ["fixed", "last", "winner", "last_seat"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_detail_6_who_starts_a_later_round(start: str, num_players: int) -> None:
    game = loop_seats(num_players=num_players, start=start)
    for ranks in permutations(range(1, num_players + 1)):
        state = game.new_state(5)
        first = int(state["start_seat"][0])
        assert game.current_player(state) == first, "round 1: the deal's start seat"
        finish_round(game, state, ranks)
        now = seats(game, state)
        winner, last = ranks.index(1), ranks.index(num_players)
        # Player p sat at seat p.
        expected = {"fixed": first, "last": now[last], "winner": now[winner], "last_seat": last}
        assert state["first"][0] == expected[start]
        assert now[game.current_player(state)] == expected[start]


def test_the_start_seat_of_the_deal_is_drawn_and_everybody_sits_at_the_own_seat() -> None:
    states = [GAME.new_state(1, board) for board in range(60)]
    assert {int(state["start_seat"][0]) for state in states} == {0, 1, 2, 3}
    assert {tuple(seats(GAME, state)) for state in states} == {(0, 1, 2, 3)}


def test_detail_7_threshold_and_last_round_at_once_is_terminated() -> None:
    for threshold, status in ((4, TERMINATED), (5, TRUNCATED)):
        game = loop_seats(threshold=threshold, max_rounds=1)
        state = game.new_state(0)
        finish_round(game, state, [3, 1, 4, 2])
        assert state["status"][0] == status
        assert not legal(game, state), "no change of seats"
        assert seats(game, state) == [0, 1, 2, 3]
        assert game.places(state).tolist() == [2, 0, 3, 1]


def test_detail_7_a_truncated_match_goes_to_who_went_out_earlier_among_equals() -> None:
    game = loop_seats(max_rounds=2)
    state = after_round(game, [2, 1, 3, 4], [0, 0, 0, 0])
    finish_round(game, state, [2, 1, 4, 3])
    assert game.points(state).tolist() == [2, 4, -1, 2]
    assert game.places(state).tolist() == [1, 0, 3, 2]
    assert state["status"][0] == TRUNCATED
    level = after_round(game, [2, 1, 3, 4], [4, 2, 6, 3])
    finish_round(game, level, [2, 1, 4, 3])
    assert game.points(level).tolist() == [6, 6, 5, 5]
    assert game.places(level).tolist() == [1, 0, 3, 2]


def test_detail_7_who_is_not_out_comes_behind_and_shares_places() -> None:
    game = loop_seats(threshold_check="immediate", threshold=5)
    state = position(game, ["1R", "2R 3R", "3G", "4R"])
    state["points"][0, :4] = [1, 3, 3, 0]
    play(game, state, "0 play 1R")
    assert game.points(state).tolist() == [5, 3, 3, 0]
    assert game.places(state).tolist() == [0, 1, 1, 3]


# Seats ------------------------------------------------------------------------------------------

# By rank: the rank whose seat one takes over, the last of four choosing 0 and 1.
TAKES: dict[int, list[tuple[int, ...]]] = {
    2: [(2, 1)],
    3: [(3, 1, 2)],
    4: [(4, 3, 2, 1), (4, 3, 1, 2)],
}


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_everybody_moves_by_rank_and_hands_and_rank_cards_stay(num_players: int) -> None:
    game = loop_seats(num_players=num_players, threshold=1000)
    for ranks in permutations(range(1, num_players + 1)):
        for choice, takes in enumerate(TAKES[num_players]):
            state = game.new_state(4)
            dealt = state["hands"].copy()
            for _ in range(3):
                before = seats(game, state)
                finish_round(game, state, ranks, choice)
                after = seats(game, state)
                for p in range(num_players):
                    assert after[p] == before[ranks.index(takes[ranks[p] - 1])] != before[p]
                    assert state["card"][0, before[p]] == ranks[p]
                    assert state["before"][0, p] == ranks[p]
                    assert (state["left"][0, after[p]] == dealt[0, after[p]]).all()
                assert (state["hands"] == dealt).all()
                for field in ("aside", "revealed", "rank", "passed", "must_play"):
                    assert not state[field].any(), field
                assert state["current"][0] == -1


def test_taking_a_seat_is_a_move_of_the_last_player_alone() -> None:
    assert GAME.action_names[-2:] == ["take_seat 0", "take_seat 1"]
    state = GAME.new_state(0)
    finish_round(GAME, state, [3, 4, 1, 2], choice=None)
    assert state["rounds_done"][0] == 1
    assert GAME.current_player(state) == 1
    before = state.copy()
    play(GAME, state, "1 take_seat 1")
    assert seats(GAME, state) == [2, 3, 1, 0]
    assert GAME.rules.events(GAME, before, state) == [{"seats": [2, 3, 1, 0]}]
    for num_players in (2, 3):
        game = loop_seats(num_players=num_players)
        state = game.new_state(0)
        before = state.copy()
        finish_round(game, state, list(range(1, num_players + 1)))
        assert "aside" in legal(game, state)[0], "a change of seats without a choice"
        keys = [key for event in game.rules.events(game, before, state) for key in event]
        assert keys == ["round_end", "seats"]


def test_the_first_round_has_no_reference() -> None:
    state = GAME.new_state(0)
    assert not state["card"].any()
    assert not state["before"].any()
    finish_round(GAME, state, [4, 3, 2, 1])
    assert GAME.points(state).tolist() == [0, 1, 2, 4]


def test_a_match_that_nobody_wins_is_cut_off_after_forty_rounds() -> None:
    game = loop_seats(threshold=10_000)
    state = game.new_state(0)
    for round_ in range(40):
        assert state["rounds_done"][0] == round_
        assert not game.is_over(state)
        finish_round(game, state, np.roll([1, 2, 3, 4], round_).tolist())
    assert state["status"][0] == TRUNCATED
    with pytest.raises(ValueError, match="over"):
        game.step(state, 0)


# Rewards ----------------------------------------------------------------------------------------

REWARDED: list[dict[str, Any]] = [
    {"num_players": 4, "threshold": 10},
    {"num_players": 3, "threshold": 6, "floor_zero": True, "start": "last"},
    {"num_players": 2, "threshold": 3, "threshold_check": "immediate"},
]


@pytest.mark.parametrize("mode", REWARDS)
@pytest.mark.parametrize("options", REWARDED, ids=str)
def test_points_arrive_in_the_round_that_earns_them(options: dict[str, Any], mode: str) -> None:
    """Over 1,000 matches the sum of rewards is the final difference of scores, in every mode."""
    game, matches = loop_seats(max_rounds=3, **options), 1_000
    n = game.num_players
    points, places, _ = play_matches(
        game, [RANDOM], np.zeros((matches, n), np.int8), 3, np.arange(matches)
    )
    immediate = game.options["threshold_check"] == "immediate"
    batch = Batch(game, matches, mode)
    batch.reset(3)
    total, ended = np.zeros((matches, n)), np.zeros(matches, bool)
    cut = np.zeros(matches, bool)
    while not ended.all():
        rounds = batch.get_states()["rounds_done"].copy()
        keys = decision_keys(RANDOM.seed, batch.seed, batch.board, batch.ply)
        actions = choose_many(game, RANDOM, batch.observation, batch.action_mask, keys)
        batch.step(actions)
        total[~ended] += batch.reward[~ended]
        over = batch.terminated | batch.truncated
        round_over = (batch.get_states()["rounds_done"] != rounds) | over
        # Immediate: also in mid-round, when somebody goes out.
        due = over if mode in ("win", "place") else round_over | immediate
        assert not batch.reward[~due].any()
        if mode in ("points", "margin"):
            now = batch.points - (batch.points.mean(axis=1, keepdims=True) * (mode == "margin"))
            assert np.allclose(total[~ended], now[~ended], atol=1e-4)
        new = over & ~ended
        assert (batch.points[new] == points[new]).all()
        cut |= batch.truncated & ~ended
        ended |= new
    for i in range(matches):
        assert np.allclose(total[i], result(game, points[i], places[i], mode), atol=1e-4)
    assert 100 < cut.sum() < 900, "both ends must occur for this test to mean something"
