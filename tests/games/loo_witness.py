"""What the players of a match of Loo have seen, told event by event; without the library's state.

`stories` lists every way in which the hidden part of a deal can have gone, by trying all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from loop_envs.game import Game, State

from .loo_positions import RANKS, bits, deck_of

Cards = frozenset[str]
DECLARED = {"pass": 0, "in": 1, "miss": 2, "defend": 3}
NOTHING: Cards = frozenset()


@dataclass
class Witness:
    """One deal, face up, and everything public about it."""

    game: Game
    deals: int = 0
    chips: list[int] = field(default_factory=list)
    carry: int = 0

    def deal(self, told: dict[str, Any]) -> None:
        """A deal event."""
        n = self.game.num_players
        self.dealer = told["dealer"]
        self.pool = told["pool"]
        self.single = self.carry == 0
        self.hands: list[set[str]] = [set(hand) for hand in told["hands"]]
        self.dealt = [frozenset(hand) for hand in told["hands"]]
        self.miss = set(told["miss"] or [])
        self.turn_up = told["turn_up"]
        self.trump = self.turn_up[1] if self.turn_up else None
        self.stock = list(told["stock"])
        self.waste: set[str] = set()
        self.given: list[set[str]] = [set() for _ in range(n)]
        self.drawn: list[set[str]] = [set() for _ in range(n)]
        self.declared: list[int | None] = [None] * n
        self.exchanged: list[int | None] = [None] * n
        self.played: list[list[str]] = [[] for _ in range(n)]
        self.trick_of: dict[str, int] = {}
        self.tricks_won = [0] * n
        self.table: list[tuple[int, str]] = []
        self.civil = self.was_civil = False
        self.tricks = 0
        self.public: list[tuple[int, str, int]] = []
        self.plays: list[tuple[State, int, int]] = []

    def reshuffle(self, order: list[str]) -> None:
        """A reshuffle event: whoever drew last goes on."""
        assert set(order) == self.waste
        self.stock, self.waste = list(order), set()
        self._draw(*self.waiting)

    def _draw(self, player: int, number: int) -> None:
        while number and self.stock:
            card = self.stock.pop(0)
            self.hands[player].add(card)
            self.drawn[player].add(card)
            number -= 1
        self.waiting = player, number
        if not number:
            self.waste |= self.given[player]

    def move(self, state: State, player: int, action: int) -> None:
        """A move, made in a state."""
        kind, *words = self.game.action_text(state, action).split()
        if kind in DECLARED:
            self.declared[player] = DECLARED[kind]
            self.public.append((player, kind, 0))
            if kind in ("miss", "defend"):
                self.missed = frozenset(self.miss)
            if kind != "in":
                self.given[player] = set(self.hands[player])
                self.waste |= self.given[player]
                self.hands[player] = set() if kind == "pass" else self.miss
                self.miss = self.miss if kind == "pass" else set()
        elif kind == "draw":
            cards = set() if words == ["none"] else set(words)
            self.exchanged[player] = len(cards)
            self.public.append((player, "draw", len(cards)))
            self.given[player] = cards
            self.hands[player] -= cards
            self._draw(player, len(cards))
        else:
            self.plays.append((state.copy(), player, action))
            self._play(player, words[0], words[1:] == ["civil"])

    def _play(self, player: int, card: str, civil: bool) -> None:
        if not self.table:
            self.trump = self.trump or card[1]
            o = self.game.options
            if self.pam and card == f"A{self.trump}":
                self.civil = civil or o["civil"] == "auto"
        self.hands[player].remove(card)
        self.played[player].append(card)
        self.trick_of[card] = self.tricks + 1
        self.table.append((player, card))
        if len(self.table) == sum(d is not None and d > 0 for d in self.declared):
            self.tricks_won[self.winning] += 1
            self.tricks += 1
            self.was_civil |= self.civil
            self.table, self.civil = [], False

    @property
    def pam(self) -> str | None:
        """Pam, where there is one in play."""
        o = self.game.options
        if o["variant"] != "five_card" or o["pam"] == "none" or o["ranks"] < 4:
            return None
        card = "JC" if o["pam"] == "jack_of_clubs" else f"J{self.turn_up[1]}"
        return None if card == self.turn_up else card

    def strength(self, card: str) -> tuple[int, int]:
        """How good a card is in this trick."""
        if card == self.pam:
            return 3, 0
        rank = RANKS.index(card[0])
        if card[1] == self.trump:
            return 2, rank
        return int(card[1] == self.led), rank

    @property
    def led(self) -> str | None:
        """The suit to follow."""
        if not self.table:
            return None
        card = self.table[0][1]
        return self.trump if card == self.pam else card[1]

    @property
    def winning(self) -> int:
        """Who wins the trick so far."""
        return max(self.table, key=lambda played: self.strength(played[1]))[0]

    def is_flush(self, cards: Cards) -> bool:
        """Whether a whole hand is a flush."""
        suits = {card[1] for card in cards}
        others = {card[1] for card in cards if card != self.pam}
        wild = self.pam in cards and self.game.options["pam_wild"]
        return len(suits) == 1 or (wild and len(others) <= 1)


@dataclass(frozen=True)
class Story:
    """One way in which the hidden part of a deal can have gone so far."""

    hands: tuple[Cards, ...]
    kept: tuple[Cards, ...]
    given: tuple[Cards, ...]
    miss: Cards
    stock: Cards
    waste: Cards


def stories(witness: Witness, me: int) -> Iterator[Story]:
    """Every story that fits what a player has seen; each is as likely as any other."""
    game, n = witness.game, witness.game.num_players
    known = witness.dealt[me]
    hidden = frozenset(deck_of(game)) - known - {witness.turn_up}
    fits: dict[tuple[int, Cards], bool] = {}
    last = {p: i for i, (p, _, _) in enumerate(witness.public)}
    size = game.options["hand_size"]
    spare = size if witness.miss or any(d in (2, 3) for d in witness.declared) else 0

    def initial(p: int, hands: tuple[Cards, ...], rest: Cards) -> Iterator[Story]:
        if p == n:
            for miss in combinations(sorted(rest), spare):
                stock = rest - set(miss)
                empty = (NOTHING,) * n
                yield from go_on(0, Story(hands, hands, empty, frozenset(miss), stock, NOTHING))
        elif p == me:
            yield from initial(p + 1, (*hands, known), rest)
        else:
            for hand in combinations(sorted(rest), size):
                yield from initial(p + 1, (*hands, frozenset(hand)), rest - set(hand))

    def go_on(i: int, story: Story) -> Iterator[Story]:
        if i == len(witness.public):
            hands = tuple(hand - set(witness.played[p]) for p, hand in enumerate(story.hands))
            yield Story(hands, story.kept, story.given, story.miss, story.stock, story.waste)
            return
        p, kind, number = witness.public[i]
        if kind == "in" and last[p] == i and not possible(p, story.hands[p]):
            return
        if kind == "in":
            yield from go_on(i + 1, story)
        elif kind == "pass":
            yield from go_on(i + 1, changed(story, p, NOTHING, story.hands[p]))
        elif kind in ("miss", "defend"):
            if possible(p, story.miss) and (p != me or story.miss == witness.missed):
                yield from go_on(i + 1, changed(story, p, story.miss, story.hands[p]))
        else:
            yield from exchanges(i, story, p, number)

    def exchanges(i: int, story: Story, p: int, number: int) -> Iterator[Story]:
        hand = story.hands[p]
        ways = [tuple(witness.given[p])] if p == me else combinations(sorted(hand), number)
        for given in ways:
            kept, gone = hand - set(given), frozenset(given)
            for drawn, stock, waste in draws(story, number):
                if possible(p, kept | drawn) and (p != me or drawn == witness.drawn[me]):
                    new = with_hand(story, p, kept | drawn, kept, gone)
                    yield from go_on(i + 1, replace(new, stock=stock, waste=waste | gone))

    def draws(story: Story, number: int) -> Iterator[tuple[Cards, Cards, Cards]]:
        stock, waste, first = story.stock, story.waste, NOTHING
        if number > len(stock):
            first, stock, waste = stock, waste, NOTHING
        for more in combinations(sorted(stock), number - len(first)):
            yield first | set(more), stock - set(more), waste

    def changed(story: Story, p: int, hand: Cards, given: Cards) -> Story:
        new = with_hand(story, p, hand, hand, given)
        return replace(new, miss=NOTHING if hand else story.miss, waste=story.waste | given)

    def with_hand(story: Story, p: int, hand: Cards, kept: Cards, given: Cards) -> Story:
        def put(sets: tuple[Cards, ...], mine: Cards) -> tuple[Cards, ...]:
            return (*sets[:p], mine, *sets[p + 1 :])

        return replace(
            story,
            hands=put(story.hands, hand),
            kept=put(story.kept, kept),
            given=put(story.given, given),
        )

    def possible(p: int, whole: Cards) -> bool:
        if p == me:
            return True
        if not set(witness.played[p]) <= whole:
            return False
        if (p, whole) not in fits:
            fits[p, whole] = check(p, whole)
        return fits[p, whole]

    def check(p: int, whole: Cards) -> bool:
        shown = witness.plays and game.options["variant"] == "five_card" and witness.declared[p]
        if shown and witness.is_flush(whole):
            return False
        left = set(whole)
        for state, player, action in witness.plays:
            if player == p:
                other = state.copy()
                other["hands"][0, p] = bits(game, " ".join(left))
                if action not in game.legal_actions(other):
                    return False
                left.remove(game.action_text(state, action).split()[1])
        return True

    return initial(0, (), hidden)
