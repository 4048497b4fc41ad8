"""Chips in Loo: shares, loos, flushes and the end of a match; the worked examples among them."""

from __future__ import annotations

from typing import Any

import pytest

from loop_envs import records
from loop_envs.game import Game, State

from .loo_positions import changes, deal, deal_next, ending, finish, five, loo, play, ready_to_end

A, B, C, D, E, F = range(6)


# Shares and loos (examples 28-32, 40) -------------------------------------------------------------


def test_one_looed_player_of_three() -> None:
    for options, chips, carry in (
        ({}, [10, 5, -15, 0, 0], 15),
        ({"loo": "limited"}, [10, 5, -3, 0, 0], 3),
        ({"loo": "limited", "loo_amount": 7}, [10, 5, -7, 0, 0], 7),
    ):
        game = loo(**options)
        state = ready_to_end(game, 15, [A, B, A], inside=[A, B, C])
        told = finish(game, state)
        assert changes(game, told) == chips
        assert told["tricks"] == [2, 1, 0, 0, 0]
        assert (told["looed"], told["carry"]) == ([C], carry)
        deal_next(game, state)
        assert state["pool"][0] == carry + 15
        assert state["single"][0] == 0


def test_only_the_dealer_pays_an_ante() -> None:
    game = loo(ante_mode="dealer")
    state = deal(game)
    assert state["pool"][0] == 3
    assert state["points"][0, :5].tolist() == [0, 0, 0, 0, -3]
    told = ending(game, 3, [A, B, A], inside=[A, B, C])
    assert (changes(game, told), told["carry"]) == ([2, 1, -3, 0, 0], 3)
    double = loo(ante_mode="all_dealer_double", num_players=3)
    assert deal(double)["points"][0, :3].tolist() == [-3, -3, -6]
    assert deal(double)["pool"][0] == 12


def test_two_looed_players_pay_the_whole_pool_each() -> None:
    game = loo(num_players=6)
    told = ending(game, 18, [A, A, A], inside=[A, B, C])
    assert changes(game, told) == [18, -18, -18, 0, 0, 0]
    assert (told["looed"], told["carry"]) == ([B, C], 36)
    capped = loo(num_players=6, loo="capped", loo_amount=20)
    assert changes(capped, ending(capped, 18, [A, A, A], inside=[A, B]))[B] == -18
    assert changes(capped, ending(capped, 54, [A, A, A], inside=[A, B]))[B] == -20
    default = loo(num_players=6, loo="capped")
    assert changes(default, ending(default, 54, [A, A, A], inside=[A, B]))[B] == -30


@pytest.mark.parametrize(
    ("variant", "pool", "winners", "chips"),
    [
        ("three_card", 10, [A, B, A], [7, 3, 0]),
        ("three_card", 11, [C, A, A], [7, 0, 4]),
        ("irish", 2, [A, B, C], [1, 1, 0]),
        ("five_card", 22, [A, B, B, C, A], [9, 9, 4]),
        ("five_card", 25, [A, A, B, B, C], [10, 10, 5]),
    ],
)
def test_odd_chips_go_to_the_first_tricks(
    variant: str, pool: int, winners: list[int], chips: list[int]
) -> None:
    game = loo(variant)
    told = ending(game, pool, winners, inside=sorted(set(winners)))
    assert changes(game, told) == [*chips, 0, 0]
    assert told["carry"] == 0
    stay = loo(variant, odd_chips="stay")
    told = ending(stay, pool, winners, inside=sorted(set(winners)))
    size = len(winners)
    assert changes(stay, told) == [pool // size * winners.count(p) for p in range(5)]
    assert told["carry"] == pool % size


def test_any_other_player_in_pays() -> None:
    game = five()
    told = ending(game, 25, [A, A, B, B, C], inside=[A, B, C, D])
    assert changes(game, told) == [10, 10, 5, -25, 0]


def test_a_defending_dealer() -> None:
    game = loo()
    told = ending(game, 30, [A, D, D], inside=[A, D], defender=D, dealer=D, carry=15)
    assert changes(game, told) == [10, 0, 0, 0, 0]
    assert (told["looed"], told["carry"], told["tricks"]) == ([], 20, [1, 0, 0, 2, 0])
    told = ending(game, 30, [D, D, D], inside=[A, D], defender=D, dealer=D, carry=15)
    assert changes(game, told) == [-30, 0, 0, 0, 0]
    assert (told["looed"], told["carry"]) == ([A], 60)
    told = ending(game, 30, [A, A, A], inside=[A, D], defender=D, dealer=D, carry=15)
    assert changes(game, told) == [30, 0, 0, 0, 0]
    assert (told["looed"], told["carry"]) == ([], 0), "a defender cannot be looed"


def test_all_won_a_trick_so_that_the_next_pool_is_single() -> None:
    game = loo(num_players=3)
    state = ready_to_end(game, 15, [A, B, C], inside=[A, B, C])
    told = finish(game, state)
    assert (changes(game, told), told["carry"]) == ([5, 5, 5], 0)
    deal_next(game, state)
    assert state["single"][0] == 1


def test_a_left_over_chip_makes_the_next_pool_not_single() -> None:
    game = loo(odd_chips="stay")
    state = ready_to_end(game, 16, [A, B, A], inside=[A, B])
    finish(game, state)
    deal_next(game, state)
    assert (state["single"][0], state["pool"][0]) == (0, 16)


def test_a_holder_of_free_pam_is_never_looed() -> None:
    for pam_free, carry in ((True, 0), (False, 25)):
        game = five(pam_free=pam_free)
        state = ready_to_end(game, 25, [A] * 5, inside=[A, B])
        state["played"][0, B] = state["pam"][0]
        assert finish(game, state)["carry"] == carry


# Flushes (examples 25-27) -------------------------------------------------------------------------


def show(game: Game, hands: list[str], turn_up: str, *, passed: str = "") -> list[dict[str, Any]]:
    """A deal of these hands, in which nobody exchanges; what happened by itself."""
    state = deal(game, hands, turn_up)
    return declare_all(game, state, passed)


def declare_all(game: Game, state: State, passed: str = "") -> list[dict[str, Any]]:
    """All come in, but those who pass."""
    happened: list[dict[str, Any]] = []
    for p in range(game.num_players):
        if str(p) in passed:
            happened += play(game, state, f"{p} pass")
        else:
            happened += play(game, state, f"{p} in, {p} draw none")
    return happened


EXAMPLE = ["9H 5H 2H KH AH", "9S 7S 5S 4S 3S", "JC QD 8D 4D 2D", "2C 3C 4H 6D 7D", "8C 9C TC JD KD"]


def flush(happened: list[dict[str, Any]]) -> tuple[list[int], list[int], list[int], int]:
    """Who won by a flush, who is looed, what all have won beside the ante, and the carry."""
    end = happened[-1]["round_end"]
    winners = [told["flush"]["player"] for told in happened[:-1]]
    return winners, end["looed"], [chips - 995 for chips in end["chips"]], end["carry"]


def test_the_best_flush_takes_the_pool() -> None:
    happened = show(five(), EXAMPLE, "6S", passed="4")
    assert flush(happened) == ([C], [D], [0, 0, 25, -25, 0], 25)
    assert happened[0] == {"flush": {"player": 2, "cards": ["2D", "4D", "8D", "JC", "QD"]}}
    assert happened[-1]["round_end"]["tricks"] == [0] * 5
    peel = show(five(flush_order="peel"), EXAMPLE, "6S", passed="4")
    assert flush(peel) == ([B], [D], [0, 25, 0, -25, 0], 25)


def test_pam_may_be_a_card_of_its_own_suit_only() -> None:
    game = five(pam_wild=False)
    assert flush(show(game, EXAMPLE, "6S", passed="4"))[:2] == ([B], [C, D])
    clubs = ["2C 4C 7C 9C JC", "AH KH 9H 5H 2H"]
    for game in (five(pam_wild=False), five()):
        assert flush(show(game, clubs, "6H", passed="234"))[0] == [A], "a Pam-flush beats trumps"
    assert flush(show(five(flush_order="peel"), clubs, "6H", passed="234"))[0] == [B]
    assert flush(show(five(pam="none"), clubs, "6H", passed="234"))[0] == [B]


def test_equal_flushes() -> None:
    hands = ["2C 3D 4H 5S 6D", "AD KD 9D 5D 2D", "AH KH 9H 5H 2H"]
    assert flush(show(five(), hands, "6S", passed="34"))[:3] == ([B], [A], [-25, 25, 0, 0, 0])
    split = show(five(flush_tie="split"), hands, "6S", passed="34")
    assert flush(split)[:3] == ([B, C], [A], [-25, 13, 12, 0, 0])
    peel = five(flush_tie="split", flush_order="peel")
    assert flush(show(peel, hands, "6S", passed="34"))[0] == [B]
    higher = [hands[0], "AD KD 9D 5D 2D", "AH KH 9H 6H 2H"]
    assert flush(show(five(), higher, "6S", passed="34"))[0] == [C]
    state = deal(five(flush_tie="split"), [hands[1], "", hands[2]], "6S", dealer=1)
    happened = play(
        five(flush_tie="split"), state,
        "2 in, 2 draw none, 3 pass, 4 pass, 0 in, 0 draw none, 1 in, 1 draw none",
    )  # fmt: skip
    assert [told["flush"]["player"] for told in happened[:-1]] == [2, 0], "the eldest first"


def test_who_is_looed_by_a_flush() -> None:
    hands = ["AH KH 9H 5H 2H", "JC 3D 4H 5S 6D", "2C 3C 4C 5D 7D", "8C 9C TC JD KD"]
    for options, looed, chips, carry in (
        ({}, [B, C], [25, -25, -25, 0, 0], 50),
        ({"pam_exempts": True}, [C], [25, 0, -25, 0, 0], 25),
        ({"pam_free": True}, [C], [25, 0, -25, 0, 0], 25),
        ({"flush_loos_passers": True}, [B, C, D, E], [125, -25, -25, -25, -25], 0),
        ({"flush_loos_passers": True, "pam_exempts": True}, [C, D, E], [100, 0] + 3 * [-25], 0),
        ({"loo": "limited"}, [B, C], [25, -5, -5, 0, 0], 10),
    ):
        game = five(**options)
        assert flush(show(game, hands, "6S", passed="34")) == ([A], looed, chips, carry)


def test_passed_cards_are_no_flush() -> None:
    hands = ["AH KH 9H 5H 2H", "AD KD 9D 5D 2D"]
    happened = show(five(flush_loos_passers=True), hands, "6S", passed="1")
    assert B in flush(happened)[1]


def test_a_lone_player_shows_no_flush() -> None:
    happened = show(five(), ["AH KH 9H 5H 2H"], "6S", passed="1234")
    assert [list(told) for told in happened] == [["round_end"]]
    assert flush(happened) == ([], [], [25, 0, 0, 0, 0], 0)


def test_a_flush_after_an_exchange() -> None:
    game = five(num_players=3)
    state = deal(game, ["AH KH 9H 5H 2C", "2D 3D 4C 5C 7S", "3C 6D 7D 8S 9S"], "6S", stock="2H")
    happened = play(
        game, state, "0 in, 0 draw 2C, 1 in, 1 draw none, 2 in, 2 draw none"
    )  # fmt: skip
    assert happened[0] == {"flush": {"player": 0, "cards": ["2H", "5H", "9H", "KH", "AH"]}}


def test_pam_alone_stands_for_trumps() -> None:
    game = five(hand_size=1, flush_order="peel")
    assert flush(show(game, ["AS", "JC", "2C"], "6S"))[0] == [B]
    assert flush(show(game, ["AD", "KS", "2C"], "6S"))[0] == [B]


def test_no_flushes_in_other_variants() -> None:
    game = loo(num_players=3)
    state = deal(game, ["AH KH 2H"], "6S")
    play(game, state, "0 in, 1 in, 2 in")
    assert state["phase"][0] == 2


# The end of a match (examples 37, 39) -------------------------------------------------------------


def test_who_cannot_pay_pays_all_and_ends_the_match() -> None:
    game = loo(final_pool="unclaimed")
    state = ready_to_end(game, 30, [A, A, A], inside=[A, B], chips=[100, 8, 100, 100, 100])
    told = finish(game, state)
    assert told["chips"] == [130, 0, 100, 100, 100]
    assert told["carry"] == 8
    assert game.is_over(state)
    assert state["status"][0] == 1
    assert game.points(state).tolist() == [-870, -1000, -900, -900, -900]


@pytest.mark.parametrize(
    ("options", "chips", "over"),
    [
        ({}, [15, 50, 50], True),  # pays 15 and has nothing
        ({}, [16, 50, 50], True),  # cannot pay the ante of 3
        ({}, [17, 50, 50], True),
        ({}, [18, 50, 50], False),
        ({"ante_mode": "dealer"}, [16, 50, 50], True),  # the next dealer
        ({"ante_mode": "dealer"}, [18, 50, 50], False),
        ({"ante_mode": "dealer"}, [50, 50, 1], False),  # does not deal
        ({"ante_mode": "dealer"}, [50, 50, 0], True),
        ({"ante_mode": "all_dealer_double"}, [20, 50, 50], True),
        ({"ante_mode": "all_dealer_double"}, [21, 50, 50], False),
        ({"allow_debt": True}, [3, 50, 50], False),
        ({"allow_debt": True}, [-99, 50, 0], False),
    ],
)
def test_an_ante_that_cannot_be_paid(options: dict[str, Any], chips: list[int], over: bool) -> None:
    # Player 0 is looed and owes the next ante as dealer.
    game = loo(num_players=3, **options)
    state = ready_to_end(game, 15, [B, B, B], inside=[A, B], chips=chips, dealer=2)
    told = finish(game, state)
    assert told["chips"][0] == chips[0] - 15
    assert game.is_over(state) == over
    if not over:
        game.deal(state)
        ante = 6 if options.get("ante_mode") == "all_dealer_double" else 3
        assert state["chips"][0, 0] == told["chips"][0] - ante


def test_debts() -> None:
    game = loo(num_players=3, allow_debt=True)
    state = ready_to_end(game, 30, [B, B, B], inside=[A, B], chips=[8, 50, 50])
    told = finish(game, state)
    assert told["chips"] == [-22, 80, 50]
    assert told["carry"] == 30


@pytest.mark.parametrize("dealer", range(5))
def test_the_last_pool_is_divided(dealer: int) -> None:
    game = loo(num_deals=1, loo="limited", loo_amount=17)
    state = ready_to_end(game, 30, [A, A, A], inside=[A, B], dealer=dealer)
    told = finish(game, state)
    assert told["carry"] == 17
    assert sum(told["chips"]) + 17 == 5030
    shares = [int(state["chips"][0, p]) - told["chips"][p] for p in range(5)]
    assert shares == [3 + ((p - dealer - 1) % 5 < 2) for p in range(5)], "the odd two to the eldest"
    assert state["pool"][0] == 0


def test_an_unclaimed_pool() -> None:
    game = loo(num_deals=1, final_pool="unclaimed")
    state = ready_to_end(game, 30, [A, A, A], inside=[A, B])
    finish(game, state)
    assert game.points(state).tolist() == [30, -30, 0, 0, 0]
    assert state["pool"][0] == 30


def test_a_match_whose_numbers_grow_too_large_is_cut_off() -> None:
    game = loo(num_players=3, allow_debt=True)
    for pool, status in ((100_000_000, 0), (100_000_001, 2)):
        state = ready_to_end(game, pool, [B, B, B], inside=[A, B], chips=[0, 0, 0])
        finish(game, state)
        assert state["status"][0] == status
        assert game.is_over(state) == bool(status)
    state = ready_to_end(game, 9, [A, B, B], inside=[A, B], chips=[0, 0, -100_000_001])
    finish(game, state)
    assert state["status"][0] == 2
    last = loo(num_players=3, allow_debt=True, num_deals=1)
    state = ready_to_end(last, 100_000_001, [B, B, B], inside=[A, B], chips=[0, 0, 0])
    finish(last, state)
    assert state["status"][0] == 1, "a match that is played out is not cut off"


def test_debts_without_end_stay_within_the_record() -> None:
    game = loo(num_players=8, allow_debt=True, bold_stand="all", ante=1_000_000, num_deals=1000)
    record = records.record_match(game, 0, choose=lambda state: game.legal_actions(state)[-1])
    assert record["end"] == "truncated"
    assert sum(record["scores"]) == 0
    assert max(map(abs, record["scores"])) < 2**31 - 1


# Conservation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [3, 5, 8])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"variant": "five_card"}, {"variant": "irish"}, {"loo": "limited"},
        {"ante_mode": "dealer", "loo": "capped"}, {"odd_chips": "stay", "final_pool": "unclaimed"},
        {"allow_debt": True, "stack": 10}, {"stack": 40, "ante_mode": "all_dealer_double"},
        {"variant": "five_card", "ranks": 7, "hand_size": 3, "flush_loos_passers": True,
         "flush_tie": "split"},
    ],
    ids=str,
)  # fmt: skip
def test_chips_are_conserved_at_every_step(options: dict[str, Any], num_players: int) -> None:
    game = loo(**{"num_players": num_players, "num_deals": 12, **options})
    total = num_players * game.options["stack"]
    for board in range(3):
        state = game.new_state(3, board)
        while True:
            s = state[0]
            assert s["chips"].sum() + s["pool"] == total
            assert (game.points(state) == s["chips"][:num_players] - game.options["stack"]).all()
            assert options.get("allow_debt") or s["chips"].min() >= 0
            if game.is_over(state):
                break
            game.step(state, records.random_choice(game, state))
