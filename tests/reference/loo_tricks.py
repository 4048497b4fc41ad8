"""Cards, tricks and flushes of Loo, for the slow reference that checks game records.

It is written from the rules texts alone and shares nothing with the library. Cards are
``(rank, suit index)`` tuples with ranks 2 to 14, so that sorting them gives card order. Rule
numbers in the comments are those of the rules file, (d) its settled details.
"""

from collections.abc import Iterable
from typing import Any

Card = tuple[int, int]

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CLUBS = SUITS.index("C")
JACK, KING, ACE = 11, 13, 14


def need(condition: bool, reason: str) -> None:
    """Raise AssertionError with the reason unless the condition holds."""
    if not condition:
        raise AssertionError(reason)


def parse_card(text: Any) -> Card:
    """'TH' -> (10, 2)."""
    right = isinstance(text, str) and len(text) == 2 and text[0] in RANKS and text[1] in SUITS
    need(right, f"{text!r} is not a card")
    return RANKS.index(text[0]) + 2, SUITS.index(text[1])


def parse_cards(text: str) -> list[Card]:
    """'AS TH' -> [(14, 3), (10, 2)]."""
    return [parse_card(word) for word in text.split()]


def texts_of(cards: Iterable[Card]) -> list[str]:
    """Each card as text, in ascending order of rank, then suit."""
    return [RANKS[rank - 2] + SUITS[suit] for rank, suit in sorted(cards)]


def text_of(cards: Iterable[Card]) -> str:
    """The cards as one text."""
    return " ".join(texts_of(cards))


class Table:
    """The tricks of one deal. Every attribute may be set by hand to build a position.

    `trump` is None while nothing was led in Irish Loo without a turned card. `pam` is the card
    that is Pam, None where nobody can hold it. `sides` counts the players in the deal, a dealer
    who plays for the pool among them. `trick` lists the plays (player, card) of the trick on the
    table, `played` all cards played in the deal, `winners` who won each finished trick. `barred`
    is true while Pam must be civil.
    """

    def __init__(
        self,
        options: dict[str, Any],
        trump: int | None,
        turn_up: Card | None = None,
        sides: int = 3,
    ) -> None:
        self.options = options
        self.trump = trump
        self.turn_up = turn_up
        self.sides = sides
        self.pam = self.find_pam()
        self.played: list[Card] = []
        self.trick: list[tuple[int, Card]] = []
        self.winners: list[int] = []
        self.barred = False

    def find_pam(self) -> Card | None:
        """The card that is Pam, unless it lies turned up or there is none (rules 8, 21, d10)."""
        choice = self.options["pam"]
        if self.options["variant"] != "five_card" or choice == "none":
            return None
        if self.options["ranks"] < 4:  # no jacks
            return None
        suit = CLUBS if choice == "jack_of_clubs" else self.trump
        assert suit is not None
        return None if self.turn_up == (JACK, suit) else (JACK, suit)

    def suit_of(self, card: Card) -> int | None:
        """The suit that a card belongs to in play: Pam is a trump (rule 21)."""
        return self.trump if card == self.pam else card[1]

    def power(self, card: Card) -> tuple[int, int]:
        """The higher wins the trick on the table (rules 20, 21)."""
        if card == self.pam:
            return 3, 0
        if card[1] == self.trump:
            return 2, card[0]
        led = self.suit_of(self.trick[0][1]) if self.trick else None
        return (1 if card[1] == led else 0), card[0]

    def trumps(self, cards: Iterable[Card]) -> list[Card]:
        """The trumps among the cards, the lowest first."""
        return sorted((c for c in cards if self.suit_of(c) == self.trump), key=self.power)

    # Which cards may be played

    def legal_cards(self, hand: Iterable[Card]) -> list[Card]:
        """The cards of a hand that may be played now, in card order (rules 18-22)."""
        hand = sorted(hand)
        rest = [card for card in hand if card != self.pam]
        if rest == hand:
            return self.duty(hand)
        pam = [card for card in hand if card == self.pam]
        if not rest:
            return pam
        free = self.options["pam_free"]
        if self.barred:
            if self.options["civil_exception"] and not self.trumps(rest):
                return sorted(self.duty(rest) + pam) if free else pam
            return self.duty(rest)
        return sorted(self.duty(rest) + pam) if free else self.duty(hand)

    def duty(self, hand: list[Card]) -> list[Card]:
        """The cards that the obligations leave, with no thought of Pam's privileges."""
        return sorted(self.following(hand) if self.trick else self.leading(hand))

    def following(self, hand: list[Card]) -> list[Card]:
        """Follow suit, else trump; beat the best card if possible (rule 19)."""
        led = self.suit_of(self.trick[0][1])
        best = max(self.power(card) for _, card in self.trick)
        own = [card for card in hand if self.suit_of(card) == led]
        if own:
            return [card for card in own if self.power(card) > best] or own
        trumps = self.trumps(hand)
        beating = [card for card in trumps if self.power(card) > best]
        if beating:
            return beating
        return trumps if trumps and self.options["undertrump"] else hand

    def leading(self, hand: list[Card]) -> list[Card]:
        """The cards that `lead_rule` leaves (rule 18, d4)."""
        rule = self.options["lead_rule"]
        done = len(self.winners)
        if rule == "none" or self.trump is None or (rule == "ace" and done > 0):
            return hand
        master = (KING if self.turn_up == (ACE, self.trump) else ACE, self.trump)
        compulsory = [card for card in hand if card in (master, self.pam)]
        if compulsory:
            return compulsory
        trumps = self.trumps(hand)
        if rule == "ace" or not trumps:
            return hand
        if rule == "peel":
            return trumps[-1:] if len(trumps) >= 2 or done == 1 else hand
        if len(trumps) >= 2 and self.sides == 2:
            return self.as_good_as_highest(trumps)
        return trumps if len(trumps) >= 2 or done > 0 else hand

    def as_good_as_highest(self, trumps: list[Card]) -> list[Card]:
        """The highest trump and those in sequence with it (d4)."""
        highest = trumps[-1]
        gone = {*self.played, self.turn_up, self.pam}  # Pam's place in the suit is empty
        equal = [highest]
        for rank in range(highest[0] - 1, 1, -1):
            card = (rank, highest[1])
            if card in trumps:
                equal.append(card)
            elif card not in gone:
                break
        return equal

    # Playing

    def may_bar(self, card: Card) -> bool:
        """Whether leading the card can bar Pam (rule 22, d5)."""
        return not self.trick and self.pam is not None and card == (ACE, self.trump)

    def play(self, player: int, card: Card, civil: bool = False) -> None:
        """Put a card on the table; the first one of all is the trump of Irish Loo (rule 9)."""
        if self.trump is None:
            self.trump = card[1]
        if not self.trick:
            called = self.options["civil"] == "auto" or civil
            self.barred = self.may_bar(card) and called
        self.trick.append((player, card))
        self.played.append(card)

    def finish_trick(self) -> int:
        """Take the trick off the table; who won it (rule 20)."""
        winner = max(self.trick, key=lambda play: self.power(play[1]))[0]
        self.winners.append(winner)
        self.trick = []
        self.barred = False
        return winner

    # Flushes

    def flush_suit(self, hand: Iterable[Card]) -> int | None:
        """The suit of the flush that the whole hand is, or None (rule 23, d7, d10)."""
        cards = list(hand)
        if self.pam in cards and self.options["pam_wild"]:
            cards.remove(self.pam)
            if not cards:  # Pam alone stands for any suit, so for the best
                return self.trump
        suits = {suit for _, suit in cards}
        return suits.pop() if len(suits) == 1 else None

    def flush_rank(self, hand: Iterable[Card]) -> tuple[Any, ...] | None:
        """What the better of two flushes has more of; None without a flush (rule 25, d7)."""
        cards = list(hand)
        suit = self.flush_suit(cards)
        if suit is None:
            return None
        trump, has_pam = suit == self.trump, self.pam in cards
        if self.options["flush_order"] == "peel":
            return trump, has_pam
        return has_pam, trump, sorted((rank for rank, _ in cards), reverse=True)

    def best_flushes(self, hands: dict[int, list[Card]]) -> list[int]:
        """Who wins by a flush, of the players in their order, the elder first (rule 25, d7)."""
        ranks = {player: self.flush_rank(hand) for player, hand in hands.items()}
        found = {player: rank for player, rank in ranks.items() if rank is not None}
        best = [player for player, rank in found.items() if rank == max(found.values())]
        split = self.options["flush_tie"] == "split" and self.options["flush_order"] == "seed"
        return best if split else best[:1]
