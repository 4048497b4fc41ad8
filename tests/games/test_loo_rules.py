"""Declarations, exchanges and tricks of Loo: the worked examples, and details of the rules."""

from __future__ import annotations

from typing import Any

import pytest

from loop_envs.errors import IllegalActionError
from loop_envs.game import Game

from .loo_positions import bits, cards, deal, deal_next, five, legal, loo, may, play, trick

GAME, FIVE = loo(), five()
PAM = "JC"

# Following (examples 1-9, trumps spades) ----------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "hand", "allowed"),
    [
        ("9H", "KH 4H 2S", "KH"),
        ("9H QH", "JH 4H 2S", "4H JH"),
        ("9H 5S", "AH 4H KC", "4H AH"),
        ("9H", "2S 8S KC", "2S 8S"),
        ("9H 9S", "JS 3S AD", "JS"),
        ("9H 9S", "3S AD KD", "3S"),
        ("8S", "7S 3S AH", "3S 7S"),
        ("8S", "TS 3S AH", "TS"),
        ("9H", "4C AD KD", "4C KD AD"),
        ("9H 4H KH", "QH TH 2S", "TH QH"),
        ("9H 2D", "TH 4H 2S", "TH"),
        ("9H 3S QH", "AH 2H 5S", "2H AH"),
        ("9H 3S 8S", "2S 4S TS", "TS"),
        ("8S KS", "QS 9S 2D", "9S QS"),
    ],
)
def test_following(played: str, hand: str, allowed: str) -> None:
    assert may(GAME, "6S", played, hand) == allowed
    assert may(loo("mississippi"), "6S", played, hand) == allowed


def test_an_undertrump_may_be_left_out() -> None:
    free = loo(undertrump=False)
    assert may(free, "6S", "9H 9S", "3S AD KD") == "3S KD AD"
    assert may(free, "6S", "9H 9S", "JS 3S AD") == "JS", "an overtrump is still a duty"
    assert may(free, "6S", "9H", "2S 8S KC") == "2S 8S"
    assert may(free, "6S", "8S", "7S 3S AH") == "3S 7S", "following suit is no undertrump"


# Pam (examples 12-23, trumps hearts) --------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "hand", "allowed"),
    [
        ("9C", "JC 4C 2D", "4C"),
        ("9C", "JC 2H KD", "2H JC"),
        ("KH", "JC QH 3H", "JC"),
        ("AH", "JC QH 3H", "3H QH"),
        ("AH", "JC 9D 2S", "2S 9D"),
        ("AH", "JC", "JC"),
        ("JC", "AH 2H KD", "2H AH"),
        ("JC", "AC 2S KD", "2S KD AC"),
        ("9D 8H", "JC 5H 9S", "JC"),
        ("9D 8H", "JC TH 9S", "TH JC"),
        ("9D", "JC 5H 3D", "3D"),
        ("9D JC", "5H TH 2S", "5H TH"),
        ("9C 8H", "TC 2C JC", "2C TC"),
        ("QH", "JC KH 2H", "JC KH"),
    ],
)
def test_pam(played: str, hand: str, allowed: str) -> None:
    found = may(FIVE, "6H", played, hand)
    assert sorted(found.split()) == sorted(allowed.split())


def test_pam_wins_as_the_last_card_under_a_civil_lead() -> None:
    state = trick(FIVE, "6H", "AH", "JC", number=4, inside=2)
    told = play(FIVE, state, "1 play JC")[-1]["round_end"]
    assert told["tricks"] == [0, 1, 0, 0, 0]


def test_civil_exception() -> None:
    game = five(civil_exception=True)
    assert may(game, "6H", "AH", "JC 9D 2S") == "JC"
    assert may(game, "6H", "AH", "JC QH 3H") == "3H QH"
    assert may(game, "6H", "KH", "JC QH 3H") == "JC"


def test_civil_by_choice() -> None:
    game = five(civil="choice")
    assert may(game, "6H", "AH", "JC QH") == "JC"
    assert may(game, "6H", "AH civil", "JC QH") == "QH"
    assert may(five(civil="off"), "6H", "AH", "JC QH") == "JC"
    state = trick(game, "6H", "", "AH KH 2C")
    assert legal(game, state) == "AH, AH civil"
    # Offered as long as Pam is in play, whoever has it; not for other aces, nor for a king.
    assert legal(game, trick(game, "6H", "", "AH JC 2C")) == "JC, AH, AH civil"
    assert legal(game, trick(game, "6H", "", "AS 2C 3C")) == "2C, 3C, AS"
    assert legal(game, trick(game, "AH", "", "KH 2C 3C")) == "KH"
    assert legal(game, trick(game, "JC", "", "AC 2C 3D")) == "AC"
    assert legal(game, trick(game, "6H", "", "AH 2C", number=2)) == "2C, AH, AH civil"
    for turn_up, ace in (("6C", "AC"), ("6D", "AD"), ("6S", "AS")):
        assert legal(game, trick(game, turn_up, "", f"{ace} 2H")) == f"{ace}, {ace} civil"


def test_a_king_led_for_a_turned_ace_does_not_bar_pam() -> None:
    assert may(FIVE, "AH", "KH", "JC QH 3H") == "JC"


def test_pam_in_its_own_suit() -> None:
    assert may(FIVE, "6C", "KC", "JC QC KD") == "JC"
    assert may(FIVE, "6C", "9C", "JC QC KD") == "JC QC"
    assert may(FIVE, "6C", "JC", "AC 2C KD") == "2C AC"
    state = deal(FIVE, [], "JC")
    assert state["pam"][0] == 0
    assert cards(FIVE, state["trumps"][0]) == "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"


def test_the_jack_of_trumps_as_pam() -> None:
    game = five(pam="jack_of_trumps")
    assert may(game, "6H", "AD KD 2H", "JH 3H 4D") == "4D"
    assert may(game, "6H", "KH", "JH QH 3H") == "JH"
    assert may(game, "6H", "9C", "JC 4C 2D") == "JC"
    assert deal(game, [], "JH")["pam"][0] == 0
    assert deal(game, [], "JC")["pam"][0] == 0
    assert deal(five(pam="none"), [], "6H")["pam"][0] == 0
    assert deal(five(ranks=3, hand_size=2, num_players=3), [], "KH")["pam"][0] == 0


def test_pam_free() -> None:
    game = five(pam_free=True)
    assert sorted(may(game, "6H", "9C", "JC 4C 2D").split()) == ["4C", "JC"]
    assert sorted(may(game, "6H", "KH", "JC QH 3H").split()) == ["3H", "JC", "QH"]
    assert sorted(may(game, "6H", "9D 8H", "JC 5H 9S").split()) == ["5H", "JC"]
    assert may(game, "6H", "AH", "JC QH 3H") == "3H QH", "a civil lead bars it"
    assert may(game, "6H", "AH", "JC") == "JC"
    excepted = five(pam_free=True, civil_exception=True)
    assert sorted(may(excepted, "6H", "AH", "JC 9D 2S").split()) == ["2S", "9D", "JC"]
    assert may(excepted, "6H", "AH", "JC QH 3H") == "3H QH"
    # Leads: duties without Pam, and Pam.
    assert may(game, "6H", "", "JC AH 2D") == "JC AH"
    assert sorted(may(game, "6H", "", "JC KH 2D").split()) == ["2D", "JC", "KH"]
    peel = five(pam_free=True, lead_rule="peel")
    assert sorted(may(peel, "6H", "", "JC KH 3H 2D").split()) == ["JC", "KH"]
    assert sorted(may(peel, "6H", "", "JC KH 2D").split()) == ["2D", "JC", "KH"]


# Leading (examples 10, 11) ------------------------------------------------------------------------


def test_the_trump_ace_is_led_to_the_first_trick() -> None:
    assert may(GAME, "6S", "", "AS KH KD") == "AS"
    assert may(GAME, "AS", "", "KS KH KD") == "KS"
    assert may(GAME, "6S", "", "KS KH KD") == "KD KH KS"
    assert may(GAME, "6S", "", "AS KH", number=1) == "KH AS"
    assert may(FIVE, "6H", "", "AH JC 2C 3C 4D") == "JC AH"
    assert may(FIVE, "6H", "", "JC KH 2C 3C 4D") == "JC"
    assert may(loo(lead_rule="none"), "6S", "", "AS KH KD") == "KD KH AS"


def test_leads_by_hoyle() -> None:
    game = loo(lead_rule="hoyle")
    assert may(game, "6S", "", "AS KH KD", number=1) == "AS", "on every lead"
    assert may(game, "6S", "", "KS 2S KD", inside=3) == "2S KS"
    assert may(game, "6S", "", "KS KH KD") == "KD KH KS", "one trump only"
    assert may(game, "6S", "", "3S KH", number=1) == "3S", "after a trick is won"
    assert may(game, "6S", "", "KH KD", number=1) == "KD KH"


def test_the_highest_trump_or_one_as_good_between_two() -> None:
    game = loo(lead_rule="hoyle")
    assert may(game, "6S", "", "KS 2S KD") == "KS"
    assert may(game, "6S", "", "KS QS 2S") == "QS KS"
    assert may(game, "QS", "", "KS JS 2S") == "JS KS", "the turned card fills the gap"
    assert may(game, "6S", "", "KS JS", number=1, gone="QS 2D") == "JS KS"
    assert may(game, "6S", "", "KS JS", number=1, gone="TS 2D") == "KS"
    assert may(game, "3S", "", "4S 2S 5D") == "2S 4S"
    # Pam has its own place above all: its place in a suit is empty.
    assert may(five(lead_rule="hoyle"), "6C", "", "QC TC 2D") == "TC QC"
    assert may(five(lead_rule="hoyle", pam="none"), "6C", "", "QC TC 2D") == "QC"


def test_leads_by_peel() -> None:
    game = loo(lead_rule="peel")
    assert may(game, "6S", "", "KS QS KD") == "KS"
    assert may(game, "6S", "", "KS KH KD") == "KD KH KS"
    assert may(game, "6S", "", "3S KH", number=1) == "3S", "to the second trick"
    deep = five(lead_rule="peel")
    assert sorted(may(deep, "6H", "", "3H KD", number=2).split()) == ["3H", "KD"]
    assert may(deep, "6H", "", "3H 4H KD", number=3) == "4H"
    assert may(deep, "6H", "", "AH KD", number=3) == "AH"
    assert may(deep, "6H", "", "JC AH KD", number=3) == "JC AH"


# Irish (example 24) -------------------------------------------------------------------------------


def test_the_first_card_led_makes_trumps_in_irish() -> None:
    game = loo("irish")
    assert may(game, "", "7D", "9D 3D AS") == "9D"
    assert may(game, "", "7D", "AC 3H AS") == "3H AC AS"
    state = trick(game, "", "7D AC AS", "2D", number=2, inside=4)
    assert play(game, state, "3 play 2D")[-1]["round_end"]["tricks"][0] == 1
    for rule in ("ace", "none", "hoyle", "peel"):
        assert may(loo("irish", lead_rule=rule), "", "", "AS KS KD") == "KD KS AS"


def test_lead_rules_of_irish_from_the_second_trick() -> None:
    for rule, allowed in (("hoyle", "3D 5D"), ("peel", "5D"), ("ace", "3D 5D AS")):
        game = loo("irish", lead_rule=rule, hand_size=4)
        state = deal(game, ["9D 3D 5D AS", "2C 3C 4C 5C", "2H 3H 4H 5H"])
        play(game, state, "0 in, 1 in, 2 in, 3 pass, 4 pass, 0 play 9D, 1 play 2C, 2 play 2H")
        assert legal(game, state).split(", ") == sorted(allowed.split(), key="3D 5D AS".index)


# Declaring (examples 33-36, 38) -------------------------------------------------------------------


def looed(game: Game, carry: int = 15) -> Any:
    """A second deal with a carry, its dealer player 0."""
    state = game.undealt(0)
    game.deal(state)
    s = state[0]
    s["carry"], s["deals_done"], s["player"], s["dealer"] = carry, 1, -1, game.num_players - 1
    deal_next(game, state)
    return state


def test_the_bold_stand_binds_the_last_two() -> None:
    game = loo(num_players=4)
    state = deal(game)
    play(game, state, "0 pass, 1 pass")
    assert legal(game, state) == "in, miss"
    play(game, state, "2 in")
    assert legal(game, state) == "in, miss"
    state = deal(game)
    play(game, state, "0 in")
    assert legal(game, state) == "pass, in, miss"
    play(game, state, "1 pass, 2 pass")
    assert legal(game, state) == "in, miss, defend"
    state = looed(game)
    play(game, state, "1 pass, 2 pass")
    assert legal(game, state) == "pass, in, miss", "not on a looed pool"


def test_a_forced_player_may_take_the_miss() -> None:
    game = loo(num_players=3)
    state = deal(game, miss="AH AD AC")
    play(game, state, "0 pass, 1 miss")
    assert legal(game, state) == "in"
    assert cards(game, state["hands"][0, 1]) == "AC AD AH"


def test_two_players_are_both_forced_on_a_single_pool() -> None:
    game = loo(num_players=2, ranks=10)
    state = deal(game)
    assert legal(game, state) == "in, miss"
    play(game, state, "0 in")
    assert legal(game, state) == "in, miss"


def test_bold_stand_of_all() -> None:
    game = loo(num_players=7, bold_stand="all")
    state = deal(game)
    assert game.rules.deal_event(game, state)["miss"] is None
    for p in range(7):
        assert legal(game, state) == "in"
        play(game, state, f"{p} in")
    while not game.deal_is_due(state):
        game.play(state, game.legal_actions(state)[0])
    assert int(state["looed"][0]).bit_count() >= 4
    state = looed(game)
    assert legal(game, state) == "pass, in, miss"


def test_bold_stand_off() -> None:
    game = loo(num_players=3, bold_stand="off")
    state = deal(game)
    play(game, state, "0 pass")
    assert legal(game, state) == "pass, in, miss"
    told = play(game, state, "1 pass")[-1]["round_end"]
    assert told["chips"] == [997, 997, 1006]
    assert told["carry"] == 0


def test_the_dealer_takes_the_pool_when_all_others_pass() -> None:
    game = loo(num_players=4)
    state = looed(game, 18)
    before = state["chips"][0, 0]
    told = play(game, state, "1 pass, 2 pass, 3 pass")[-1]["round_end"]
    assert told["chips"][0] == before + 30
    assert told["tricks"] == [0] * 4
    assert told["looed"] == []


def test_a_lone_player_with_the_miss_may_take_the_pool() -> None:
    game = loo(num_players=4)
    state = looed(game, 18)
    play(game, state, "1 miss, 2 pass, 3 pass")
    assert legal(game, state) == "pass, in"
    before = state["chips"][0].tolist()
    told = play(game, state, "0 pass")[-1]["round_end"]
    assert told["chips"][1] - before[1] == 30
    assert told["carry"] == 0


def test_the_dealer_opposite_a_lone_player() -> None:
    for options, allowed in (
        ({}, "in, miss, defend"),
        ({"dealer_defends": False}, "pass, in, miss"),
        ({"variant": "mississippi"}, "in, miss, defend"),
        ({"variant": "five_card"}, "pass, in"),
        ({"variant": "irish"}, "pass, in"),
    ):
        game = loo(**{"num_players": 4, **options})
        for state in (looed(game), deal(game)):
            first = game.current_player(state)
            while game.current_player(state) != (first + 3) % 4:
                move = "in" if game.current_player(state) == first else "pass"
                at_draw = "draw none" in legal(game, state)
                game.play(state, game.parse_action(state, "draw none" if at_draw else move))
            assert legal(game, state) == allowed


def test_the_miss_is_taken_once_and_unseen() -> None:
    game = loo(num_players=4)
    state = looed(game)
    hand, miss = int(state["hands"][0, 1]), int(state["miss"][0])
    play(game, state, "1 miss")
    assert legal(game, state) == "pass, in"
    assert (int(state["hands"][0, 1]), int(state["discards"][0, 1])) == (miss, hand)
    assert state["miss"][0] == 0
    with pytest.raises(IllegalActionError):
        play(game, state, "2 miss")
    play(game, state, "2 in, 3 in")
    assert legal(game, state) == "pass, in"


def test_club_law() -> None:
    for options in ({}, {"variant": "five_card"}, {"variant": "irish", "irish_turnup": True}):
        game = loo(**{"num_players": 3, "club_law": True, "irish_exchange": True, **options})
        state = deal(game, [], "2C")
        for p in range(3):
            assert legal(game, state) == "in"
            play(game, state, f"{p} in")
        assert state["phase"][0] == 2
        assert game.current_player(state) == 0
        assert legal(game, deal(game, [], "2D")).startswith("pass, in")
    irish = loo("irish", num_players=3, club_law=True)
    assert legal(irish, deal(irish)) == "pass, in"


# The exchange (example 38) ------------------------------------------------------------------------


def test_an_exchange() -> None:
    game = five(num_players=3)
    state = deal(game, ["2C 3D 9H KS AS"], "6H", stock="TS JS QS")
    play(game, state, "0 in")
    moves = legal(game, state).split(", ")
    assert len(moves) == 32
    assert moves[:4] == ["draw none", "draw 2C", "draw 3D", "draw 2C 3D"]
    assert moves[-1] == "draw 2C 3D 9H KS AS"
    play(game, state, "0 draw 2C 9H")
    assert cards(game, state["hands"][0, 0]) == "3D TS JS KS AS"
    assert cards(game, state["discards"][0, 0]) == "2C 9H"
    assert game.current_player(state) == 1
    assert legal(game, state) == "pass, in"


def test_exchanges_after_all_declarations() -> None:
    game = five(num_players=4, exchange_phase="after_all")
    state = deal(game)
    play(game, state, "0 pass, 1 in, 2 in, 3 in, 1 draw none, 2 draw none, 3 draw none, 1 play 3H")
    state = deal(game)
    told = play(game, state, "0 in, 1 pass, 2 pass, 3 pass")
    assert told[-1]["round_end"]["chips"][0] == 1015, "a lone player is not asked"


def test_a_new_stock() -> None:
    game = five(num_players=8)
    state = deal(game)
    s = state[0]
    play(game, state, "0 in, 0 draw 2C 2D 2H 2S 3C")
    hand = " ".join(cards(game, s["hands"][1]).split())
    play(game, state, f"1 in, 1 draw {hand}")
    assert s["stock_size"] - s["stock_at"] == 1
    play(game, state, f"2 in, 2 draw {cards(game, s['hands'][2])}")
    assert game.deal_is_due(state)
    assert game.rules.deal_name(game, state) == "reshuffle"
    waste = cards(game, s["waste"]).split()
    assert len(waste) == 10
    order = waste[::-1]
    game.deal(state, game.rules.deck_of(game, state, order))
    assert game.rules.deal_event(game, state) == order
    assert set(order[:4]) <= set(cards(game, s["hands"][2]).split())
    assert s["stock_size"] - s["stock_at"] == 6
    assert len(cards(game, s["waste"]).split()) == 5, "the own discards come back later"


def test_limit_draw() -> None:
    game = five(num_players=8, limit_draw=True)
    state = deal(game)
    for p in range(2):
        play(game, state, f"{p} in")
        play(game, state, f"{p} draw {cards(game, state['hands'][0, p])}")
    play(game, state, "2 in")
    moves = legal(game, state).split(", ")
    assert len(moves) == 6, "one card is left"
    play(game, state, f"2 {moves[1]}, 3 in")
    assert legal(game, state) == "draw none"


def test_too_few_cards_for_a_new_stock() -> None:
    # Eleven of twelve cards are out: one in the stock, and what others gave up.
    game = five(num_players=2, ranks=3, hand_size=5)
    state = deal(game)
    play(game, state, "0 in")
    assert len(legal(game, state).split(", ")) == 6
    play(game, state, "0 draw QC, 1 in")
    assert len(legal(game, state).split(", ")) == 6, "one was given up"


# The match ----------------------------------------------------------------------------------------


def test_the_deal_passes_clockwise_and_the_eldest_who_is_in_leads() -> None:
    game = loo(num_players=4)
    state = deal(game, dealer=2)
    play(game, state, "3 pass, 0 pass, 1 in, 2 in")
    assert game.current_player(state) == 1
    while not game.deal_is_due(state):
        game.play(state, game.legal_actions(state)[0])
    game.deal(state)
    assert state["dealer"][0] == 3
    assert game.current_player(state) == 0


def test_the_winner_of_a_trick_leads() -> None:
    game = loo(num_players=3)
    state = deal(game, ["9H 2C 3C", "KH 2D 3D", "AH 4D 5D"], "6S")
    play(game, state, "0 in, 1 in, 2 in, 0 play 9H, 1 play KH, 2 play AH, 2 play 4D")
    assert game.current_player(state) == 0
    assert state["leader"][0, :3].tolist() == [0, 2, 0]


def test_sets_of_cards_are_written_as_in_records() -> None:
    assert cards(GAME, bits(GAME, "AS 2C TD 2S")) == "2C 2S TD AS"
    small = loo(ranks=4, num_players=3)
    assert small.action_names[:4] == ["play JC", "play QC", "play KC", "play AC"]
