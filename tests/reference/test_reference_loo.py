"""Tests of the reference itself: the worked examples of the rules, and made-up records."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from .loo import LARGEST_CARRY, OPTIONS, Match, check_record, legal_moves, resolve
from .loo_tricks import SUITS, Card, Table, parse_card, parse_cards, text_of, texts_of

A, B, C, D, E, F = range(6)
FIVE: dict[str, Any] = {"variant": "five_card"}


def deck_of(options: dict[str, Any]) -> list[Card]:
    """All cards, in ascending order."""
    return [(rank, suit) for rank in range(15 - options["ranks"], 15) for suit in range(4)]


def table(trump: str, trick: str, turn_up: str = "", **options: Any) -> Table:
    """A trick on the table, with the given trump ("" in Irish Loo); `turn_up` where it matters."""
    suit = SUITS.index(trump) if trump else None
    made = Table(resolve(options), suit, parse_card(turn_up) if turn_up else None)
    for player, card in enumerate(parse_cards(trick)):
        made.play(player, card)
    return made


def legal(hand: str, trick: str, trump: str = "S", turn_up: str = "", **options: Any) -> str:
    """The cards of the hand that may be played on the trick."""
    return text_of(table(trump, trick, turn_up, **options).legal_cards(parse_cards(hand)))


def lead(hand: str, rule: str, trump: str = "S", done: int = 0, **options: Any) -> str:
    """The cards that may be led after `done` tricks; `sides` players, these cards being played."""
    sides, played = options.pop("sides", 3), options.pop("played", "")
    made = table(trump, "", lead_rule=rule, **options)
    made.winners = [0] * done
    made.sides, made.played = sides, parse_cards(played)
    return text_of(made.legal_cards(parse_cards(hand)))


def start(n: int = 5, hands: dict[int, str] | None = None, carry: int = 0, **options: Any) -> Match:
    """A match after its first deal, with these hands and the rest in card order.

    `dealer` is n - 1 unless given; `turn_up` may name the turned card and `miss` the Miss.
    """
    turn_up, miss = (options.pop(x, "") for x in ("turn_up", "miss"))
    dealer = options.pop("dealer", n - 1)
    match = Match({"num_players": n, **options})
    match.carry = carry
    fixed = {p: parse_cards(text) for p, text in (hands or {}).items()}
    named = parse_cards(f"{turn_up} {miss}")
    named += [card for hand in fixed.values() for card in hand]
    left = [card for card in deck_of(match.options) if card not in named]

    def take(count: int) -> list[Card]:
        taken = left[:count]
        del left[:count]
        return taken

    all_hands = [fixed[p] if p in fixed else take(match.hand_size) for p in range(n)]
    spare = None
    if match.deals_miss():
        spare = parse_cards(miss) if miss else take(match.hand_size)
    turned = None
    if match.options["variant"] != "irish" or match.options["irish_turnup"]:
        turned = parse_card(turn_up) if turn_up else take(1)[0]
    match.start_deal(dealer, all_hands, spare, turned, left)
    return match


def play_all(match: Match, moves: str) -> None:
    """Make moves written 'player move, player move, ...'; checks whose turn each one is."""
    for text in moves.split(", "):
        player, _, move = text.partition(" ")
        assert match.to_move == int(player), text
        match.move(move)


def money(match: Match, said: dict[int, str], tricks: list[int]) -> tuple[dict[int, int], int]:
    """What each player in gets or pays for these tricks, and the carry."""
    everyone = range(match.n)
    match.declared = {player: said.get(player, "pass") for player in everyone}
    before = list(match.chips)
    match.settle(tricks)
    chips = match.happened[-1]["round_end"]["chips"]
    change = {player: chips[player] - before[player] for player in everyone}
    assert all(change[player] == 0 for player in everyone if player not in said)
    return {player: change[player] for player in said}, match.carry


def ins(*players: int) -> dict[int, str]:
    """These players are in."""
    return dict.fromkeys(players, "in")


def next_pool(match: Match) -> int:
    """The pool of the next deal."""
    dealer = match.next_dealer()
    assert dealer is not None
    return match.carry + sum(match.antes(dealer))


def round_end(match: Match) -> dict[str, Any]:
    """What the last deal's result is told as."""
    told = match.happened[-1]["round_end"]
    assert isinstance(told, dict)
    return told


def flushes(match: Match) -> list[int]:
    """The players who won by a flush, in the order told."""
    return [event["flush"]["player"] for event in match.happened if "flush" in event]


# The worked examples: legal cards


@pytest.mark.parametrize(
    ("example", "trick", "hand", "expected"),
    [
        (1, "9H", "KH 4H 2S", "KH"),
        (2, "9H QH", "JH 4H 2S", "4H JH"),
        (3, "9H 5S", "AH 4H KC", "4H AH"),
        (4, "9H", "2S 8S KC", "2S 8S"),
        (5, "9H 9S", "JS 3S AD", "JS"),
        (6, "9H 9S", "3S AD KD", "3S"),
        (7, "8S", "7S 3S AH", "3S 7S"),
        (8, "8S", "TS 3S AH", "TS"),
        (9, "9H", "4C AD KD", "4C KD AD"),
        (10, "", "AS KH KD", "AS"),
    ],
)
@pytest.mark.parametrize("variant", ["three_card", "mississippi"])
def test_examples_without_pam(
    variant: str, example: int, trick: str, hand: str, expected: str
) -> None:
    assert legal(hand, trick, variant=variant) == expected


def test_examples_6_and_11_without_pam() -> None:
    assert legal("3S AD KD", "9H 9S", undertrump=False) == "3S KD AD"
    assert legal("KS KH KD", "", turn_up="AS") == "KS"
    assert legal("KS KH KD", "", turn_up="QS") == "KD KH KS"


@pytest.mark.parametrize(
    ("example", "trick", "hand", "expected"),
    [
        (12, "9C", "JC 4C 2D", "4C"),
        (13, "9C", "JC 2H KD", "2H JC"),
        (14, "KH", "JC QH 3H", "JC"),
        (15, "AH", "JC QH 3H", "3H QH"),
        (16, "AH", "JC 9D 2S", "2S 9D"),
        (17, "AH", "JC", "JC"),
        (19, "JC", "AH 2H KD", "2H AH"),
        (19, "JC", "AC 2S KD", "2S KD AC"),
        (20, "9D 8H", "JC 5H 9S", "JC"),
        (20, "9D 8H", "JC TH 9S", "TH JC"),
        (21, "9D", "JC 5H 3D", "3D"),
    ],
)
def test_examples_with_pam(example: int, trick: str, hand: str, expected: str) -> None:
    assert legal(hand, trick, "H", **FIVE) == expected


def test_example_16_and_17_the_exception() -> None:
    assert legal("JC 9D 2S", "AH", "H", civil_exception=True, **FIVE) == "JC"
    assert legal("JC QH 2S", "AH", "H", civil_exception=True, **FIVE) == "QH"
    for exception in (False, True):
        made = table("H", "AH", civil_exception=exception, **FIVE)
        made.play(1, parse_card("JC"))
        assert made.finish_trick() == 1


def test_example_18_civil_not_called() -> None:
    for civil in ("off", "choice"):
        assert legal("JC QH", "AH", "H", civil=civil, **FIVE) == "JC"
    made = table("H", "", civil="choice", **FIVE)
    made.play(0, parse_card("AH"), civil=True)
    assert text_of(made.legal_cards(parse_cards("JC QH"))) == "QH"


def test_example_22_clubs_are_trumps() -> None:
    assert legal("JC QC KD", "KC", "C", **FIVE) == "JC"


def test_example_23_pam_turned_up() -> None:
    match = start(4, turn_up="JC", **FIVE)
    play_all(match, "0 in, 0 draw none, 1 in, 1 draw none, 2 pass, 3 pass")
    assert (match.trump, match.table.pam) == (0, None)
    assert legal("9C 5H 3D", "9D", "C", "JC", **FIVE) == "3D"
    assert legal("QC TC 3D", "9C", "C", "JC", **FIVE) == "TC QC"


def test_example_24_irish() -> None:
    assert legal("9D 3D AS", "7D", "", variant="irish") == "9D"
    assert legal("AC 3H AS", "7D", "", variant="irish") == "3H AC AS"
    match = start(3, {0: "7D KS 2C", 1: "AC 3H AS", 2: "9D 3D AH"}, variant="irish")
    play_all(match, "0 in, 1 in, 2 in, 0 play 7D, 1 play AS, 2 play 9D")
    assert (match.table.trump, match.to_move) == (1, C)
    play_all(match, "2 play AH, 0 play 2C, 1 play 3H")
    assert match.to_move == C


# The worked examples: flushes

EXAMPLE_25 = {
    A: "AH KH 9H 5H 2H",
    B: "9S 7S 5S 4S 3S",
    C: "JC QD 8D 4D 2D",
    D: "AS KD QH 7H 3C",
    E: "2C 3D 6C 6D 8S",
}
ALL_IN_BUT_E = ", ".join(f"{p} in, {p} draw none" for p in range(4)) + ", 4 pass"


def example_25(hands: dict[int, str] = EXAMPLE_25, **options: Any) -> tuple[Match, list[int]]:
    """The deal of example 25, played to its end; and the chips that changed hands."""
    match = start(5, hands, turn_up="2S", **{**FIVE, **options})
    play_all(match, ALL_IN_BUT_E)
    return match, [chips - 995 for chips in match.chips]


def test_example_25_flushes() -> None:
    match, change = example_25()
    assert match.happened[0] == {"flush": {"player": C, "cards": ["2D", "4D", "8D", "JC", "QD"]}}
    assert (change, match.carry) == ([0, 0, 25, -25, 0], 25)
    assert round_end(match)["looed"] == [D]
    assert round_end(match)["tricks"] == [0] * 5
    match, change = example_25(flush_order="peel")
    assert (flushes(match), change) == ([B], [0, 25, 0, -25, 0])


def test_example_25_options() -> None:
    match, change = example_25(pam_wild=False)
    assert (flushes(match), change) == ([B], [0, 25, -25, -25, 0])
    for exempts in ("pam_exempts", "pam_free"):
        options: dict[str, Any] = {"pam_wild": False, exempts: True}
        match, change = example_25(**options)
        assert (change, match.carry) == ([0, 25, 0, -25, 0], 25)
    match, change = example_25(flush_loos_passers=True)
    assert (change, match.carry) == ([0, 0, 75, -25, -25], 0)
    assert round_end(match)["looed"] == [D, E]
    match, change = example_25(loo="limited", loo_amount=7)
    assert (change, match.carry) == ([0, 0, 25, -7, 0], 7)


def test_a_passer_holds_no_flush_and_no_pam() -> None:
    hands = {**EXAMPLE_25, C: EXAMPLE_25[E], E: EXAMPLE_25[C]}
    for exempts in ("pam_exempts", "pam_free"):
        match, change = example_25(hands, **{"flush_loos_passers": True, exempts: True})
        assert (flushes(match), change) == ([B], [0, 100, -25, -25, -25])


def test_example_26_equal_flushes() -> None:
    hands = {
        A: "2C 3C 4D 6D 6S",
        B: "AH KH 9H 5H 2H",
        C: "AD KD 9D 5D 2D",
        D: "3S 4S 6H 7C 8C",
    }
    match, change = example_25(hands)
    assert (flushes(match), change) == ([B], [-25, 25, 0, -25, 0])
    match, change = example_25(hands, flush_tie="split")
    assert (flushes(match), change) == ([B, C], [-25, 13, 12, -25, 0])
    match, change = example_25(hands, flush_tie="split", flush_loos_passers=True)
    assert (change, match.carry) == ([-25, 50, 50, -25, -25], 0)
    match, change = example_25(hands, flush_tie="split", flush_order="peel")
    assert flushes(match) == [B]


def test_flushes_compare_from_the_top() -> None:
    made = table("S", "", **FIVE)
    hands = {A: "AH QH JH TH 9H", B: "AD KD 9D 5D 2D", C: "AC QC TC 9C 8C"}
    assert made.best_flushes({p: parse_cards(hand) for p, hand in hands.items()}) == [B]


def test_example_27_a_pam_flush_in_clubs() -> None:
    for wild in (True, False):
        made = table("H", "", pam_wild=wild, **FIVE)
        in_clubs = made.flush_rank(parse_cards("JC 9C 7C 4C 2C"))
        in_trumps = made.flush_rank(parse_cards("AH KH QH JH TH"))
        assert in_clubs is not None
        assert in_trumps is not None
        assert in_clubs > in_trumps
        assert (made.flush_rank(parse_cards("JC 9H 7H 4H 2H")) is not None) == wild


def test_other_pams_and_flushes() -> None:
    jack = {"pam": "jack_of_trumps", **FIVE}
    assert table("H", "", **jack).flush_suit(parse_cards("JH 9S 7S 4S 2S")) == 3
    assert table("H", "", **jack).flush_suit(parse_cards("JC 9S 7S 4S 2S")) is None
    assert table("H", "", "JH", **jack).pam is None
    assert table("H", "", ranks=3, hand_size=2, **FIVE).pam is None
    assert table("H", "", pam="none", **FIVE).pam is None
    assert table("H", "").pam is None
    one = {"hand_size": 1, "flush_order": "peel", **FIVE}
    assert table("H", "", **one).flush_suit(parse_cards("JC")) == 2
    assert table("H", "", pam_wild=False, **one).flush_suit(parse_cards("JC")) == 0


# The worked examples: money


def test_example_28() -> None:
    for loo, paid, pool in (("unlimited", 15, 30), ("limited", 3, 18)):
        match = start(5, loo=loo)
        assert (match.pool, match.single) == (15, True)
        change, carry = money(match, ins(A, B, C), [A, B, A])
        assert (change, carry) == ({A: 10, B: 5, C: -paid}, paid)
        assert round_end(match)["looed"] == [C]
        assert round_end(match)["tricks"] == [2, 1, 0, 0, 0]
        assert next_pool(match) == pool
    match = start(5, ante_mode="dealer")
    assert money(match, ins(A, B, C), [A, B, A]) == ({A: 2, B: 1, C: -3}, 3)
    assert next_pool(match) == 6
    match = start(5, ante_mode="all_dealer_double")
    assert (match.pool, match.chips) == (18, [997, 997, 997, 997, 994])


def test_example_29() -> None:
    match = start(6)
    assert money(match, ins(A, B, C), [A, A, A]) == ({A: 18, B: -18, C: -18}, 36)
    assert next_pool(match) == 54
    capped: dict[str, Any] = {"loo": "capped", "loo_amount": 20}
    assert money(start(6, **capped), ins(A, B), [A, A, A]) == ({A: 18, B: -18}, 18)
    match = start(6, carry=36, **capped)
    assert money(match, ins(A, B), [A, A, A]) == ({A: 54, B: -20}, 20)
    assert money(start(6, carry=36, loo="capped"), ins(A, B), [A, A, A])[0][B] == -30


def test_example_30() -> None:
    assert money(start(3, carry=1), ins(A, B), [A, B, A]) == ({A: 7, B: 3}, 0)
    assert money(start(3, carry=2), ins(A, C), [C, A, A]) == ({A: 7, C: 4}, 0)
    assert money(start(3, carry=2, odd_chips="stay"), ins(A, C), [C, A, A]) == ({A: 6, C: 3}, 2)


def test_example_31() -> None:
    match = start(4, carry=2, **FIVE)
    assert money(match, ins(A, B, C), [A, B, B, C, A]) == ({A: 9, B: 9, C: 4}, 0)
    match = start(5, **FIVE)
    change = {A: 10, B: 10, C: 5, D: -25}
    assert money(match, ins(A, B, C, D), [A, A, B, B, C]) == (change, 25)


def test_example_32_the_dealer_defends() -> None:
    match = start(4, carry=18)
    play_all(match, "0 in, 1 pass, 2 pass")
    assert (match.pool, legal_moves(match)) == (30, ["defend", "in", "miss"])
    said = {A: "in", D: "defend"}
    assert money(match, said, [D, A, D]) == ({A: 10, D: 0}, 20)
    assert round_end(match)["looed"] == []
    assert round_end(match)["tricks"] == [1, 0, 0, 2]
    assert next_pool(match) == 32
    match = start(4, carry=18)
    assert money(match, said, [D, D, D]) == ({A: -30, D: 0}, 60)
    match = start(4, carry=18)
    assert money(match, said, [A, A, A]) == ({A: 30, D: 0}, 0)


def test_defending_and_its_option() -> None:
    hands = {A: "AS KS QS", D: "2C 3C 4C"}
    match = start(4, hands, carry=18, miss="2H 3H 4H", turn_up="2S")
    play_all(match, "0 in, 1 pass, 2 pass, 3 defend, 0 play AS")
    assert legal_moves(match) == ["play 2H", "play 3H", "play 4H"]
    match = start(4, hands, carry=18, miss="2H 3H 4H", turn_up="2S", dealer_defends=False)
    play_all(match, "0 in, 1 pass, 2 pass")
    assert legal_moves(match) == ["in", "miss", "pass"]
    play_all(match, "3 pass")
    assert (match.chips[A], match.carry) == (997 + 30, 0)


def test_example_33_the_lone_player_took_the_miss() -> None:
    match = start(4, carry=18)
    play_all(match, "0 miss, 1 pass, 2 pass")
    assert legal_moves(match) == ["in", "pass"]
    play_all(match, "3 pass")
    assert match.happened == [
        {"round_end": {"tricks": [0] * 4, "looed": [], "chips": [1027, *[997] * 3], "carry": 0}}
    ]
    assert match.phase == "deal"


def test_example_34_only_the_dealer_is_left() -> None:
    for options in ({"carry": 18}, {"carry": 18, **FIVE}, {"bold_stand": "off"}):
        match = start(4, **options)
        play_all(match, "0 pass, 1 pass, 2 pass")
        after_ante = match.options["stack"] - match.options["ante"]
        assert round_end(match)["chips"] == [*[after_ante] * 3, after_ante + match.pool]
        assert (match.phase, match.carry) == ("deal", 0)


def test_example_35_bold_stand() -> None:
    match = start(4)
    play_all(match, "0 pass, 1 pass")
    assert legal_moves(match) == ["in", "miss"]
    play_all(match, "2 miss")
    assert legal_moves(match) == ["in"]
    match = start(4)
    play_all(match, "0 in")
    assert legal_moves(match) == ["in", "miss", "pass"]
    play_all(match, "1 pass")
    assert legal_moves(match) == ["in", "miss", "pass"]
    play_all(match, "2 pass")
    assert legal_moves(match) == ["defend", "in", "miss"]
    match = start(4)
    play_all(match, "0 pass, 1 pass, 2 in")
    assert legal_moves(match) == ["in", "miss"]  # forced, so that there is no defending
    match = start(2, hand_size=2)
    assert legal_moves(match) == ["in", "miss"]
    match = start(4, carry=1)
    play_all(match, "0 pass, 1 pass")
    assert legal_moves(match) == ["in", "miss", "pass"]


def test_example_36_all_must_play() -> None:
    match = start(7, bold_stand="all")
    assert match.miss is None
    for player in range(7):
        assert legal_moves(match) == ["in"]
        play_all(match, f"{player} in")
    assert match.phase == "play"
    while match.phase == "play":
        match.move(legal_moves(match)[0])
    assert len(round_end(match)["looed"]) >= 4
    match = start(7, carry=1, bold_stand="all")
    assert legal_moves(match) == ["in", "miss", "pass"]


def test_example_37_all_in() -> None:
    match = start(4, carry=18)
    match.chips[B] = 8
    change, carry = money(match, ins(A, B), [A, A, A])
    assert (change, carry, match.phase) == ({A: 30, B: -8}, 8, "over")
    assert match.end == "terminated"
    assert match.chips == [1029, 2, 999, 999]
    match = start(4, carry=18, allow_debt=True)
    match.chips[B] = 8
    assert money(match, ins(A, B), [A, A, A]) == ({A: 30, B: -30}, 30)
    assert (match.phase, match.chips[B]) == ("deal", -22)


def test_example_38_a_reshuffle() -> None:
    match = start(8, **FIVE)
    hands = [text_of(hand) for hand in match.hands]
    assert len(match.stock) == 11
    last = match.stock[-1]
    play_all(match, f"0 in, 0 draw {hands[0]}, 1 in, 1 draw {hands[1]}, 2 in")
    assert len(legal_moves(match)) == 32
    play_all(match, f"2 draw {hands[2]}")
    assert (match.phase, match.to_move, legal_moves(match)) == ("reshuffle", C, [])
    assert match.hands[C] == [last]
    discards = parse_cards(f"{hands[0]} {hands[1]}")
    with pytest.raises(AssertionError, match="reshuffled"):
        match.reshuffle(parse_cards(f"{hands[0]} {hands[2]}"))
    match.reshuffle(discards[::-1])
    assert match.hands[C] == [last, *discards[:5:-1]]
    assert (match.stock, text_of(match.pile)) == (discards[5::-1], hands[2])
    assert (match.phase, match.to_move) == ("declare", D)


def test_too_few_cards_to_draw() -> None:
    small: dict[str, Any] = {"hand_size": 2, "ranks": 3, "turn_up": "AC", "limit_draw": True}
    match = start(5, exchange_phase="after_all", **FIVE, **small)
    play_all(match, "0 in, 1 in, 2 in, 3 pass, 4 pass")
    first, second = texts_of(match.hands[A])
    assert legal_moves(match) == sorted([f"draw {first}", f"draw {second}", "draw none"])
    play_all(match, f"0 draw {first}")
    assert legal_moves(match) == ["draw none"]
    small["limit_draw"] = False
    match = start(5, exchange_phase="after_all", **FIVE, **small)
    play_all(match, "0 in, 1 in, 2 in, 3 pass, 4 pass")
    passed = match.hands[D] + match.hands[E]
    assert len(legal_moves(match)) == 4
    play_all(match, f"0 draw {first} {second}")
    match.reshuffle(passed)
    assert (match.stock, match.to_move) == (passed[1:], B)


def test_example_39_the_final_pool() -> None:
    for final, scores in (("split", [-1, 1, 0, 0, 0]), ("unclaimed", [-5, -3, -3, -3, -3])):
        match = start(5, num_deals=1, loo="limited", loo_amount=2, final_pool=final)
        money(match, {A: "in", E: "defend"}, [E, E, E])
        assert round_end(match)["carry"] == 17
        assert round_end(match)["chips"] == [995, 997, 997, 997, 997]
        assert match.scores() == scores
        assert match.winners() == ([B] if final == "split" else [B, C, D, E])


def test_odd_chips_and_looed_players_when_another_deals() -> None:
    match = start(5, dealer=B, carry=2, num_deals=1)
    change, carry = money(match, ins(A, C, D), [D, D, D])
    assert (change, round_end(match)["looed"]) == ({A: -17, C: -17, D: 17}, [A, C])
    assert (carry, match.scores()) == (34, [-13, 3, -13, 21, 4])
    match = start(5, {A: "AH KH 9H 5H 2H", D: "AD KD 9D 5D 2D"}, dealer=B, turn_up="2S", **FIVE)
    play_all(match, "2 pass, 3 in, 3 draw none, 4 pass, 0 in, 0 draw none, 1 pass")
    assert flushes(match) == [D]


def test_example_40_a_single_pool_again() -> None:
    match = start(5)
    assert money(match, ins(A, B, C), [A, B, C]) == ({A: 5, B: 5, C: 5}, 0)
    match.start_deal(A, match.hands, match.miss, match.turn_up, match.stock)
    assert (match.single, match.to_move, match.order) == (True, B, [B, C, D, E, A])


# Further points of the rules


def test_ace_or_pam_must_be_led() -> None:
    assert lead("AH JC KD", "ace", "H", **FIVE) == "JC AH"
    assert lead("KH JC KD", "ace", "H", **FIVE) == "JC"
    assert lead("AH KH KD", "ace", "H", done=1, **FIVE) == "KD KH AH"
    assert lead("AH JC KD", "none", "H", **FIVE) == "JC KD AH"
    assert lead("AH JC KD", "ace", "H", pam_free=True, **FIVE) == "JC AH"
    assert lead("KH JC KD", "ace", "H", pam_free=True, **FIVE) == "JC KD KH"
    assert lead("AH JC KD", "ace", "H", pam="none", **FIVE) == "AH"
    assert lead("AS KH KD", "ace", "", variant="irish") == "KD KH AS"


def test_hoyle_leads() -> None:
    assert lead("9S 4S AD", "hoyle") == "4S 9S"
    assert lead("9S 4S AD", "hoyle", sides=2) == "9S"
    assert lead("9S 8S AD", "hoyle", sides=2) == "8S 9S"
    assert lead("9S 6S 4S", "hoyle", sides=2, played="8S 7S") == "6S 9S"
    assert lead("9S 7S 4S", "hoyle", sides=2, turn_up="8S") == "7S 9S"
    assert lead("9S AD AC", "hoyle") == "9S AC AD"
    assert lead("9S AD AC", "hoyle", done=1) == "9S"
    assert lead("AS 4S", "hoyle", done=1) == "AS"
    assert lead("KD AD", "hoyle", done=1) == "KD AD"
    assert lead("9S 4S AD", "hoyle", "", variant="irish") == "4S 9S AD"
    assert lead("9S 4S AD", "hoyle", "S", done=1, variant="irish") == "4S 9S"
    assert lead("QC TC 2D", "hoyle", "C", sides=2, **FIVE) == "TC QC"  # Pam is not between them


def test_peel_leads() -> None:
    assert lead("9S 4S AD", "peel") == "9S"
    assert lead("9S 8S AD", "peel") == "9S"
    assert lead("9S KD AD", "peel") == "9S KD AD"
    assert lead("9S AD", "peel", done=1) == "9S"
    assert lead("9S AD", "peel", done=2) == "9S AD"
    assert lead("AH JC KH", "peel", "H", **FIVE) == "JC AH"
    assert lead("JC KH 2D", "peel", "H", done=2, **FIVE) == "JC"
    assert lead("9S 4S AD", "peel", "", variant="irish") == "4S 9S AD"


def test_pam_free() -> None:
    free: dict[str, Any] = {"pam_free": True, **FIVE}
    assert legal("JC 4C 2D", "9C", "H", **free) == "4C JC"
    assert legal("JC QH 3H", "KH", "H", **free) == "3H JC QH"
    assert legal("JC 9D 2S", "AH", "H", **free) == "2S 9D"
    assert legal("JC 9D 2S", "AH", "H", civil_exception=True, **free) == "2S 9D JC"
    assert legal("JC 9H 2S", "AH", "H", civil_exception=True, **free) == "9H"
    assert legal("JC", "AH", "H", **free) == "JC"


def test_civil_by_choice() -> None:
    hands = {
        A: "AS 2H 4H 5H 5C",
        B: "9S 7S 5S 4S 3H",
        C: "KH QD 8D 4D 2D",
        D: "JC KD QH 7H 3C",
    }
    match = start(5, hands, turn_up="2S", civil="choice", **FIVE)
    play_all(match, ALL_IN_BUT_E)
    assert legal_moves(match) == ["play AS", "play AS civil"]
    barred = copy.deepcopy(match)
    play_all(match, "0 play AS, 1 play 9S, 2 play KH")
    assert legal_moves(match) == ["play JC"]
    play_all(barred, "0 play AS civil, 1 play 9S, 2 play KH")
    assert legal_moves(barred) == ["play 3C", "play 7H", "play KD", "play QH"]
    for turn_up, pam in (("JC", "jack_of_clubs"), ("2C", "none")):
        hands = {A: "AC AS 2H 4H 5H"}
        match = start(5, hands, turn_up=turn_up, pam=pam, civil="choice", **FIVE)
        play_all(match, "0 in, 0 draw none, 1 in, 1 draw none, 2 pass, 3 pass, 4 pass")
        assert legal_moves(match) == ["play AC"]


def test_pam_is_civil_for_one_trick() -> None:
    hands = {A: "AS JC 4H 5H 5C", B: "9S 7S 5S 4S 3H"}
    match = start(3, hands, turn_up="2S", **FIVE)
    play_all(match, "0 in, 0 draw none, 1 in, 1 draw none, 2 pass, 0 play AS, 1 play 9S")
    assert legal_moves(match) == ["play 4H", "play 5C", "play 5H", "play JC"]


def test_a_king_for_a_turned_ace_cannot_bar_pam() -> None:
    assert legal("JC QH 3H", "KH", "H", "AH", **FIVE) == "JC"


def test_club_law() -> None:
    match = start(4, turn_up="9C", club_law=True, carry=5)
    play_all(match, "0 in, 1 in, 2 in")
    assert legal_moves(match) == ["in"]
    play_all(match, "3 in")
    assert match.phase == "play"
    match = start(4, turn_up="9C", club_law=True, **FIVE)
    play_all(match, "0 in, 1 in, 2 in, 3 in")
    assert match.phase == "play"  # no draws
    match = start(4, turn_up="9D", club_law=True)
    assert legal_moves(match) == ["in", "miss", "pass"]
    match = start(4, club_law=True, variant="irish")
    assert legal_moves(match) == ["in", "pass"]
    book: dict[str, Any] = {
        "variant": "irish",
        "irish_exchange": True,
        "irish_turnup": True,
        "club_law": True,
    }
    match = start(4, turn_up="9D", **book)
    play_all(match, "0 in")
    assert len(legal_moves(match)) == 8
    assert legal_moves(match)[-1] == "draw none"


def test_the_miss() -> None:
    match = start(3, {A: "2C 3C 4C"}, miss="AS KS QS", carry=1)
    play_all(match, "0 miss")
    assert (text_of(match.hands[A]), legal_moves(match)) == ("QS KS AS", ["in", "pass"])


def test_when_the_session_ends() -> None:
    match = start(4, stack=3, carry=1)
    play_all(match, "0 pass, 1 pass, 2 pass")
    assert (match.phase, match.end, match.winners()) == ("over", "terminated", [D])
    match = start(4, stack=5, carry=1)
    play_all(match, "0 pass, 1 pass, 2 pass")  # two chips are left and three are due
    assert match.end == "terminated"
    match = start(4, stack=5, carry=1, ante_mode="dealer")
    play_all(match, "0 pass, 1 pass, 2 pass")
    assert match.end is None
    match.chips = [2, 3, 9, 9]
    assert match.somebody_is_out()
    match.chips = [3, 2, 9, 9]
    assert not match.somebody_is_out()
    match.chips = [3, 0, 9, 9]
    assert match.somebody_is_out()
    match = start(4, stack=0, carry=1, allow_debt=True)
    play_all(match, "0 pass, 1 pass, 2 pass")
    assert (match.end, match.chips) == (None, [-3, -3, -3, 10])


def test_a_carry_without_bounds() -> None:
    for carry, end in ((LARGEST_CARRY - 12, None), (LARGEST_CARRY - 11, "truncated")):
        match = start(4, carry=carry, allow_debt=True)
        money(match, ins(A, B), [A, A, A])
        assert match.end == end
    match = start(4, carry=LARGEST_CARRY, allow_debt=True, num_deals=1)
    money(match, ins(A, B), [A, A, A])
    assert match.end == "terminated"
    assert sum(match.scores()) == LARGEST_CARRY


@pytest.mark.parametrize(
    ("reason", "options"),
    [
        ("num_players is 9", {"num_players": 9}),
        ("2 players", {"num_players": 2}),
        ("2 players", {"num_players": 2, "variant": "five_card", "hand_size": 5}),
        ("variant", {"variant": "four_card"}),
        ("ranks is 2", {"ranks": 2}),
        ("hand_size is 6", {"hand_size": 6}),
        ("num_deals is 0", {"num_deals": 0}),
        ("ante is 0", {"ante": 0}),
        ("loo_amount", {"loo_amount": True}),
        ("dealer_defends", {"dealer_defends": 1}),
        ("the deck is too small for 28 cards", {"num_players": 8, "ranks": 6}),
        ("stack is 5", {"stack": 5, "ante_mode": "all_dealer_double"}),
        ("unknown option", {"antes": 3}),
    ],
)
def test_impossible_options(reason: str, options: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match=reason):
        resolve(options)


# Records


def random_deal(match: Match, rng: random.Random) -> dict[str, Any]:
    """A possible next deal, as its event."""
    deck = deck_of(match.options)
    rng.shuffle(deck)

    def take(count: int) -> list[str]:
        taken = texts_of(deck[:count])
        del deck[:count]
        return taken

    dealer = match.next_dealer()
    dealer = rng.randrange(match.n) if dealer is None else dealer
    irish = match.options["variant"] == "irish" and not match.options["irish_turnup"]
    return {
        "dealer": dealer,
        "pool": match.carry + sum(match.antes(dealer)),
        "hands": [take(match.hand_size) for _ in range(match.n)],
        "miss": take(match.hand_size) if match.deals_miss() else None,
        "turn_up": None if irish else take(1)[0],
        "stock": [text_of([card]) for card in deck],
    }


def start_from(match: Match, deal: dict[str, Any]) -> None:
    """Start the deal of an event."""
    hands = [parse_cards(" ".join(hand)) for hand in deal["hands"]]
    miss = None if deal["miss"] is None else parse_cards(" ".join(deal["miss"]))
    turn_up = None if deal["turn_up"] is None else parse_card(deal["turn_up"])
    match.start_deal(deal["dealer"], hands, miss, turn_up, parse_cards(" ".join(deal["stock"])))


def make_record(options: dict[str, Any], seed: int, stop: int | None = None) -> dict[str, Any]:
    """A record of random play, cut off after `stop` moves."""
    rng = random.Random(seed)
    match = Match(options)
    total = match.n * match.options["stack"]
    events: list[dict[str, Any]] = []
    moves = told = 0
    while match.phase != "over" and (moves != stop or match.phase in ("deal", "reshuffle")):
        if match.phase == "deal":
            deal = random_deal(match, rng)
            events.append({"deal": deal})
            start_from(match, deal)
        elif match.phase == "reshuffle":
            cards = rng.sample(match.pile, len(match.pile))
            events.append({"reshuffle": [text_of([card]) for card in cards]})
            match.reshuffle(cards)
        else:
            choice = legal_moves(match)
            assert choice == sorted(set(choice))
            move = rng.choice(choice)
            events.append({"player": match.to_move, "move": move, "legal": choice})
            match.move(move)
            moves += 1
        events += match.happened[told:]
        if told < len(match.happened):
            end = round_end(match)
            assert sum(end["chips"]) + end["carry"] == total
        told = len(match.happened)
    return {
        "format": "loop-envs-record/1",
        "env": "loo-v0",
        "options": options,
        "agents": ["random"] * match.n,
        "events": events,
        "scores": match.scores(),
        "winners": match.winners(),
        "end": match.end,
    }


def by_hand(moves: str) -> list[dict[str, Any]]:
    """Move events written 'player move: legal, legal; player move: legal; ...'."""
    events: list[dict[str, Any]] = []
    for text in moves.split("; "):
        left, _, choice = text.partition(": ")
        player, _, move = left.partition(" ")
        events.append({"player": int(player), "move": move, "legal": choice.split(", ")})
    return events


def hand_written() -> dict[str, Any]:
    """Two deals of three-card Loo with sixteen cards, every line of it written by hand."""
    first = {
        "dealer": 2,
        "pool": 9,
        "hands": [["JC", "QC", "KC"], ["QH", "KH", "AS"], ["QS", "JH", "AH"]],
        "miss": ["JD", "QD", "KD"],
        "turn_up": "KS",
        "stock": ["AC", "AD", "JS"],
    }
    second = {
        "dealer": 0,
        "pool": 9,
        "hands": [["AS", "KS", "QS"], ["JC", "QC", "KC"], ["JD", "QD", "KD"]],
        "miss": ["JH", "QH", "KH"],
        "turn_up": "JS",
        "stock": ["AC", "AD", "AH"],
    }
    events = [
        {"deal": first},
        *by_hand("0 pass: in, miss, pass; 1 in: in, miss; 2 in: in, miss"),
        *by_hand("1 play AS: play AS; 2 play QS: play QS"),
        *by_hand("1 play KH: play KH, play QH; 2 play AH: play AH"),
        *by_hand("2 play JH: play JH; 1 play QH: play QH"),
        {"round_end": {"tricks": [0, 2, 1], "looed": [], "chips": [997, 1003, 1000], "carry": 0}},
        {"deal": second},
        *by_hand("1 pass: in, miss, pass; 2 miss: in, miss; 0 in: in"),
        *by_hand("2 play JH: play JH, play KH, play QH; 0 play QS: play AS, play KS, play QS"),
        *by_hand("0 play KS: play AS, play KS; 2 play QH: play KH, play QH"),
        *by_hand("0 play AS: play AS; 2 play KH: play KH"),
        {"round_end": {"tricks": [3, 0, 0], "looed": [2], "chips": [1003, 1000, 988], "carry": 9}},
    ]
    return {
        "format": "loop-envs-record/1",
        "env": "loo-v0",
        "options": {"num_players": 3, "ranks": 4, "num_deals": 2},
        "events": events,
        "scores": [6, 3, -9],
        "winners": [0],
        "end": "terminated",
    }


def test_a_record_written_by_hand() -> None:
    assert check_record(hand_written()) == 18
    record = hand_written()
    record["options"]["final_pool"] = "unclaimed"
    with pytest.raises(AssertionError, match="scores"):
        check_record(record)
    record["scores"] = [3, 0, -12]
    assert check_record(record) == 18


def random_options(rng: random.Random) -> dict[str, Any]:
    """Any options that are possible together."""
    while True:
        options = {name: rng.choice(values) for name, values in OPTIONS.items()}
        options["num_deals"] = rng.randint(1, 5)
        options["stack"] = rng.choice([5, 40, 1000])
        options["ante"] = rng.choice([None, 1, 4])
        options["loo_amount"] = rng.choice([None, 2, 30])
        if rng.random() < 0.5:
            options["variant"] = "five_card"  # the variant with the most options
        if rng.random() < 0.3:
            options["ranks"] = 13
            options["hand_size"] = None
        try:
            resolve(options)
        except AssertionError:
            continue
        return options


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


@pytest.mark.parametrize("variant", OPTIONS["variant"])
def test_records_with_default_options(variant: str) -> None:
    for n in (3, 5, 8):
        record = make_record({"num_players": n, "variant": variant}, n)
        assert check_record(record) > 0


def test_null_stands_for_the_default() -> None:
    record = make_record({"num_players": 3}, 3, stop=20)
    record["options"] = {**dict.fromkeys(OPTIONS), "num_players": 3}
    assert check_record(record) == 20


# Tampering

SMALL = {"num_players": 5, "variant": "five_card", "hand_size": 2, "ranks": 4, "num_deals": 8}
SMALL_SEED = 45


def small_record() -> dict[str, Any]:
    """A short match in which everything happens that can."""
    return make_record(SMALL, SMALL_SEED)


def find(record: dict[str, Any], kind: str, found: Callable[[Any], bool] = bool) -> Any:
    """The content of the first event with this key for which `found` holds."""
    return next(event[kind] for event in record["events"] if found(event.get(kind)))


def drop(kind: str) -> Callable[[dict[str, Any]], None]:
    """Take away the first event with this key."""
    return lambda record: record["events"].remove(
        next(event for event in record["events"] if kind in event)
    )


def tricks_played(told: Any) -> bool:
    """Whether a deal's result is one of tricks."""
    return bool(told) and sum(told["tricks"]) > 0


def somebody_looed(told: Any) -> bool:
    """Whether somebody was looed in a deal."""
    return bool(told) and bool(told["looed"])


def change(kind: str, index: int, to: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    """Replace the entry of a list event, or of a list in the end of a round with tricks."""

    def tamper(record: dict[str, Any]) -> None:
        cards = find(record, "round_end", tricks_played)[kind]
        cards[index] = to(cards[index])

    return tamper


def swap_reshuffled(record: dict[str, Any]) -> None:
    """A reshuffle lists a card that lies turned up instead of one of its own."""
    events = record["events"]
    at = next(index for index, event in enumerate(events) if "reshuffle" in event)
    deal = next(event["deal"] for event in events[at::-1] if "deal" in event)
    events[at]["reshuffle"][0] = deal["turn_up"]


def early_flush(record: dict[str, Any]) -> None:
    """A flush is told before the move that settles the hands."""
    events = record["events"]
    at = next(index for index, event in enumerate(events) if "flush" in event)
    events[at - 1], events[at] = events[at], events[at - 1]


def other_card_played(record: dict[str, Any]) -> None:
    """A player plays a card of the turned card's name."""
    deal = record["events"][0]["deal"]
    event = next(event for event in record["events"] if "play" in event.get("move", ""))
    event["move"] = f"play {deal['turn_up']}"


def same_dealer(record: dict[str, Any]) -> None:
    """The second deal has the first one's dealer."""
    deals = [event["deal"] for event in record["events"] if "deal" in event]
    deals[1]["dealer"] = deals[0]["dealer"]


def cut(record: dict[str, Any], kind: str) -> None:
    """Stop after the first event with this key."""
    kinds = [kind in event for event in record["events"]]
    del record["events"][kinds.index(True) + 1 :]


TAMPERINGS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("event 0: dealt more than once", lambda r: find(r, "deal")["stock"].append("AS")),
    ("event 0: of the deck", lambda r: find(r, "deal")["stock"].pop()),
    ("event 0: of the deck", lambda r: find(r, "deal").update(turn_up="2C")),
    ("event 0: hand 2: not 2 cards", lambda r: find(r, "deal")["hands"][2].pop()),
    ("event 0: not 5 hands", lambda r: find(r, "deal")["hands"].pop()),
    ("event 0: a Miss where none", lambda r: find(r, "deal").update(miss=[])),
    ("event 0: None is not a card", lambda r: find(r, "deal").update(turn_up=None)),
    ("event 0: pool is 24 and should be 25", lambda r: find(r, "deal").update(pool=24)),
    ("event 0: dealer is 5", lambda r: find(r, "deal").update(dealer=5)),
    ("event 0: a deal has", lambda r: find(r, "deal").pop("pool")),
    ("dealer is . and should be", same_dealer),
    ("event 1: player . is to move", lambda r: r["events"][1].update(player=7)),
    ("event 1: .*not legal", lambda r: r["events"][1].update(move="miss")),
    ("event 1: legal", lambda r: r["events"][1]["legal"].reverse()),
    ("event 2: legal", lambda r: r["events"][2]["legal"].pop()),
    ("event 1: legal", lambda r: r["events"][1]["legal"].append("miss")),
    ("not legal", other_card_played),
    ("instead of", drop("flush")),
    ("instead of a reshuffle", drop("reshuffle")),
    ("instead of", drop("round_end")),
    ("reshuffled", swap_reshuffled),
    ("reshuffled", lambda r: find(r, "reshuffle").pop()),
    ("is not a move|instead of", early_flush),
    ("flush: player", lambda r: find(r, "flush").update(player=6)),
    ("flush: cards", lambda r: find(r, "flush")["cards"].reverse()),
    ("round_end: chips", change("chips", 3, lambda x: x + 1)),
    ("round_end: tricks", change("tricks", 0, lambda x: x + 1)),
    ("round_end: looed", lambda r: find(r, "round_end", somebody_looed)["looed"].pop()),
    ("round_end: carry", lambda r: find(r, "round_end").update(carry=-1)),
    ("missing", lambda r: r["events"].pop()),
    ("after the end", lambda r: r["events"].append(r["events"][1])),
    ("the next deal is missing", lambda r: cut(r, "round_end")),
    ("scores", lambda r: r["scores"].reverse()),
    ("winners", lambda r: r.update(winners=[(r["winners"][0] + 1) % 5])),
    ("winners", lambda r: r.pop("winners")),
    ("end is", lambda r: r.update(end=None)),
    ("end is", lambda r: r.update(end="truncated")),
    ("agents", lambda r: r["agents"].pop()),
    ("option ante", lambda r: r["options"].update(ante="3")),
    ("format", lambda r: r.pop("format")),
    ("env", lambda r: r.update(env="loopla-v0")),
    ("no events", lambda r: r.update(events=[])),
]


@pytest.mark.parametrize(("reason", "tamper"), TAMPERINGS)
def test_tampered_records(reason: str, tamper: Callable[[dict[str, Any]], Any]) -> None:
    record = small_record()
    assert record["end"] == "terminated"
    check_record(copy.deepcopy(record))
    record = copy.deepcopy(record)
    tamper(record)
    with pytest.raises(AssertionError, match=reason):
        check_record(record)


@pytest.mark.parametrize("make", [hand_written, small_record])
def test_every_event_of_a_record_is_needed(make: Callable[[], dict[str, Any]]) -> None:
    full = make()
    for index in range(len(full["events"])):
        record = copy.deepcopy(full)
        record["events"].pop(index)
        with pytest.raises(AssertionError):
            check_record(record)
