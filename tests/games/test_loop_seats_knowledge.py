"""What a player of loop_seats can know: no leak, perfect recall, and honest resampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from loop_envs.game import Game, State

from .positions import COLOURS, play, words
from .seats_positions import SEATING, finish_round, loop_seats, position, seats, small
from .test_loop_boards_knowledge import CHOOSING, Cards, as_cards, hand, keen_states, key_of

VARIANTS: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 3},
    {"num_players": 4},
    {"num_players": 4, "eight_mode": "published", "winner_seats": "1to3", "threshold": 7},
    {"num_players": 3, "eight_mode": "published", "colours": 6, "reference": "player"},
    {"num_players": 4, "set_aside": 1, "threshold_check": "immediate", "start": "last_seat"},
    {"num_players": 4, "set_aside": 0, "fourth_chooses": False, "hard_pass": True},
    small(4, 5, 4, 5, eight=3, eight_mode="published", max_rounds=12),
    small(3, 4, 3, 4, eight=2, eight_mode="published", max_rounds=12),
]


class Memory:
    """What one player remembers, told the events of a record one by one.

    The moves of others are heard, but not which cards they set aside.
    """

    def __init__(self, game: Game, me: int, deal: dict[str, Any]) -> None:
        self.n, self.me = game.num_players, me
        self.eight, self.size = game.options["eight"], game.options["hand_size"]
        self.dealt = deal["hands"]
        self.known: list[set[str]] = [set() for _ in self.dealt]  # by seat
        self.sat: list[set[int]] = [set() for _ in self.dealt]  # by seat: players
        self.card = [0] * self.n  # by seat
        self.before = [0] * self.n  # by player, as are the others
        self.rank = [0] * self.n
        self.totals = [0] * self.n
        self.rounds = 0
        self.sit(deal["seats"])

    def sit(self, seats: list[int]) -> None:
        """Takes up the cards of the own seat."""
        self.seats = seats
        for player, seat in enumerate(seats):
            self.sat[seat].add(player)
        self.known[seats[self.me]] |= set(self.dealt[seats[self.me]])
        self.played: list[set[str]] = [set() for _ in range(self.n)]
        self.aside: list[set[str]] = [set() for _ in range(self.n)]
        self.revealed: list[set[str]] = [set() for _ in range(self.n)]
        self.rank = [0] * self.n

    def hear(self, event: dict[str, Any]) -> None:
        if "round_end" in event:
            for player, seat in enumerate(self.seats):
                self.known[seat] |= self.played[player] | self.revealed[player]
            self.rank = [rank or 0 for rank in event["round_end"]["ranks"]]
            self.totals = event["round_end"]["totals"]
            self.rounds += None not in event["round_end"]["ranks"]
        elif "seats" in event:
            self.before = self.rank
            for player, seat in enumerate(self.seats):
                self.card[seat] = self.rank[player]
            self.sit(event["seats"])
        else:
            self.hear_move(event["player"], *event["move"].split())

    def hear_move(self, player: int, verb: str, *cards: str) -> None:
        if verb == "aside":
            self.aside[player] |= set(cards)
        elif verb == "play":
            self.played[player] |= set(cards)
            if self.left(player) == 0:
                self.rank[player] = max(self.rank) + 1
        elif verb == "reveal":
            eights = {c for c in self.aside[player] if c[:-1] == str(self.eight)}
            hidden = eights - self.revealed[player]
            self.revealed[player].add(min(hidden, key=lambda c: COLOURS.index(c[-1])))

    def left(self, player: int) -> int:
        """Cards in a player's hand."""
        return int(self.size) - len(self.aside[player]) - len(self.played[player])

    def seen_of(self, player: int) -> dict[str, Any]:
        """What is remembered of a player's seat, as the observation's fields of that seat."""
        seat, mine = self.seats[player], self.seats[self.me]
        around = [self.seats.index((mine + k) % self.n) for k in range(self.n)]
        numbers = range(1, self.n + 1)
        shown = self.played[player] | self.revealed[player]
        return {
            "known": self.known[seat] - shown,
            "played": self.played[player],
            "revealed": {COLOURS.index(card[-1]) for card in self.revealed[player]},
            "cards_left": self.left(player),
            "rank": [int(k == self.rank[player]) for k in numbers],
            "card": [int(k == self.card[seat]) for k in numbers],
            "before": [int(k == self.before[player]) for k in numbers],
            "held": [int(p in self.sat[seat]) for p in around],
            "player": [int((player - self.me) % self.n == k) for k in range(self.n)],
            "points": self.totals[player],
        }


def check_memory(game: Game, state: State, mind: Memory) -> None:
    """An observation is what a player with perfect recall knows."""
    seen = game.layout.split(game.observe(state, mind.me))
    n, mine = game.num_players, mind.seats[mind.me]
    for k in range(n):
        expected = mind.seen_of(mind.seats.index((mine + k) % n))
        if k == 0:
            expected.pop("known")
        else:
            assert as_cards(seen["known"][k - 1]) == expected.pop("known"), k
        assert as_cards(seen["played"][k]) == expected.pop("played")
        assert set(np.flatnonzero(seen["revealed"][k])) == expected.pop("revealed")
        points = expected.pop("points")
        if game.options["threshold_check"] != "immediate":  # there in mid-round too
            assert int(seen["hundreds"][k]) * 100 + int(seen["points"][k]) == points
        for name, value in expected.items():
            assert seen[name][k].tolist() == value, (name, k)
    own = as_cards(seen["hand"]) | mind.aside[mind.me] | mind.played[mind.me]
    assert own == set(mind.dealt[mine])
    assert as_cards(seen["aside"]) == mind.aside[mind.me]
    assert seen["rounds"].tolist() == [mind.rounds, 0]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_observations_are_what_a_player_with_perfect_recall_knows(options: dict[str, Any]) -> None:
    game = loop_seats(**options)
    previous: State | None = None
    move: dict[str, Any] = {}
    minds: list[Memory] = []
    rounds = 0
    for state, action in keen_states(game, 5, 2):
        if previous is None:
            deal = game.rules.deal_event(game, state)
            minds = [Memory(game, p, deal) for p in range(game.num_players)]
        else:
            for event in [move, *game.rules.events(game, previous, state)]:
                for mind in minds:
                    mind.hear(event)
        for mind in minds:
            check_memory(game, state, mind)
        if action >= 0:
            previous = state.copy()
            player = game.current_player(state)
            move = {"player": player, "move": game.action_text(state, action)}
        else:
            rounds += minds[0].rounds
            previous = None
    assert rounds >= 4, "seats must change for this test to mean something"


def test_who_sat_at_a_seat_knows_its_hand_and_the_newcomer_not_what_was_set_aside() -> None:
    game = loop_seats(num_players=3)
    hands = ["5R", "6R 7R", "9R 10R"]
    asides = ["1R 2R", "3R 4R", "12R 13R"]
    states = []
    for exchanged in (False, True):
        if exchanged:  # player 2 plays nothing, so nobody can tell what is set aside
            hands[2], asides[2] = asides[2], hands[2]
        state = position(game, hands, aside=asides)
        play(game, state, "0 play 5R", "1 play 6R", "2 pass", "1 play 7R")
        states.append(state)
    assert states[0].tobytes() == states[1].tobytes(), "the state itself forgets"
    assert seats(game, state) == [2, 0, 1]
    knows = [
        {2: "9R 10R 12R 13R", 0: "1R 2R 5R", 1: "6R 7R"},
        {0: "1R 2R 5R", 1: "3R 4R 6R 7R", 2: ""},
        {1: "3R 4R 6R 7R", 2: "9R 10R 12R 13R", 0: "5R"},
    ]
    for player, by_seat in enumerate(knows):
        seen = game.layout.split(game.observe(state, player))
        me = seats(game, state)[player]
        assert as_cards(seen["hand"]) == set(by_seat[me].split())
        assert not seen["aside"].any()
        for k in (1, 2):
            assert as_cards(seen["known"][k - 1]) == set(by_seat[(me + k) % 3].split())


def test_what_lies_on_the_table_and_who_is_to_move_is_shown() -> None:
    game = loop_seats()
    state = position(
        game, ["1R", "2R 3B", "9R 4B", "9G 5B"], table="5G 6G 7G", player=2, passed=[3]
    )
    state["inverted"], state["first"], state["start_seat"], state["points"][0, 1] = 1, 3, 0, -205
    seen = game.layout.split(game.observe(state, 1))
    assert as_cards(seen["current"]) == {"5G", "6G", "7G"}
    assert seen["kind"].tolist() == [0, 1]
    assert np.flatnonzero(seen["size"]).tolist() == [2]
    for name, shown in (
        ("owner", [1, 0, 0, 0]),
        ("turn", [0, 1, 0, 0]),
        ("passed", [0, 0, 1, 0]),
        ("first", [0, 0, 1, 0]),
        ("start", [0, 0, 0, 1]),
        ("phase", [0, 1, 0, 0]),
        ("inverted", [1]),
        ("points", [-5, 0, 0, 0]),
        ("hundreds", [-2, 0, 0, 0]),
    ):
        assert seen[name].tolist() == shown, name
    finish_round(game, state, [1, 2, 3, 4], choice=None)
    seen = game.layout.split(game.observe(state, 0))
    assert seen["phase"].tolist() == [0, 0, 0, 1]
    assert seen["turn"].tolist() == [0, 0, 0, 1]


# Hidden cards -----------------------------------------------------------------------------------


def knowledge(game: Game, state: State, me: int) -> tuple[list[Cards], list[Cards]]:
    """By seat: cards of its hand that `me` knows; cards shown of it this round."""
    s, eight = state[0], game.options["eight"]
    known, shown = [], []
    for b in range(game.num_players):
        everything = hand(s["hands"][b])
        played = everything - hand(s["left"][b]) - hand(s["aside"][b])
        eights = {f"{eight}{COLOURS[c]}" for c in range(6) if s["revealed"][b] >> c & 1}
        shown.append(played | eights)
        sat = bool(s["held"][b] >> me & 1)
        known.append(everything if sat else hand(s["seen"][b]) | shown[b])
    return known, shown


def deck_of(game: Game) -> list[str]:
    """All cards in card order: value, then colour."""
    values, colours = game.options["values"], game.options["colours"]
    return [f"{v + 1}{COLOURS[c]}" for v in range(values) for c in range(colours)]


def shuffled(game: Game, state: State, me: int, rng: np.random.Generator) -> State:
    """A copy in which all cards that `me` has not seen are shuffled among all places they could be
    in; written without `resample`."""
    known, shown = knowledge(game, state, me)
    pool = sorted(set(deck_of(game)) - set().union(*known))
    rng.shuffle(pool)
    other = state.copy()
    for b in range(game.num_players):
        missing = game.options["hand_size"] - len(known[b])
        dealt = set(known[b]) | {pool.pop() for _ in range(missing)}
        other["hands"][0, b] = words(" ".join(dealt))
        if b == state["seat_of"][0, me]:
            continue
        aside = hand(state["aside"][0, b])
        revealed = shown[b] & aside
        hidden = sorted(dealt - shown[b])
        rng.shuffle(hidden)
        number = len(aside) - len(revealed)
        other["aside"][0, b] = words(" ".join(revealed | set(hidden[:number])))
        other["left"][0, b] = words(" ".join(hidden[number:]))
    other["seed"] = rng.integers(2**63)
    return other


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_hidden_cards_change_nothing_and_resampling_keeps_all_that_is_known(
    options: dict[str, Any],
) -> None:
    game = loop_seats(**options)
    n, size = game.num_players, game.options["hand_size"]
    rng = np.random.default_rng(1)
    assert game.rules.dtype.names is not None
    same = set(game.rules.dtype.names) - {"hands", "left", "aside", "seed"}
    changed = seating = 0
    for state, action in keen_states(game, 9, 2):
        if rng.random() > 0.1 and action >= 0 and state["phase"][0] != SEATING:
            continue
        seating += int(state["phase"][0] == SEATING)
        for me in range(n):
            known, shown = knowledge(game, state, me)
            before = state.tobytes()
            drawn = game.resample(state, me, rng)
            assert state.tobytes() == before, "the original must not change"
            for other in (shuffled(game, state, me, rng), drawn):
                assert game.observe(other, me).tobytes() == game.observe(state, me).tobytes()
                assert game.state_text(other, me) == game.state_text(state, me)
                if game.current_player(state) == me:
                    assert game.action_mask(other).tobytes() == game.action_mask(state).tobytes()
                changed += other["aside"].tobytes() != state["aside"].tobytes()
            held = [hand(drawn["hands"][0, b]) for b in range(n)]
            assert [len(h) for h in held] == [size] * n
            assert len(frozenset().union(*held)) == n * size, "no card twice"
            for b in range(n):
                assert known[b] <= held[b]
                left, aside = hand(drawn["left"][0, b]), hand(drawn["aside"][0, b])
                assert not left & aside
                assert len(left) == len(hand(state["left"][0, b]))
                assert len(aside) == len(hand(state["aside"][0, b]))
                assert held[b] - left - aside == shown[b] - hand(state["aside"][0, b])
            for field in same:
                assert (drawn[field] == state[field]).all(), field
    assert changed or not game.options["set_aside"]
    assert seating or n < 4 or not game.options["fourth_chooses"]


# Resampling is uniform --------------------------------------------------------------------------


def consistent(game: Game, state: State, me: int) -> set[bytes]:
    """Every alternative (hands, left, aside) that `me` cannot tell from a state."""
    s, deck = state[0], deck_of(game)
    known, shown = knowledge(game, state, me)
    n, eight = game.num_players, game.options["eight"]

    def deals(hands: list[int], rest: Cards) -> Iterator[list[Cards]]:
        if not hands:
            yield []
            return
        missing = game.options["hand_size"] - len(known[hands[0]])
        for drawn in combinations(sorted(rest), missing):
            for others in deals(hands[1:], rest - set(drawn)):
                yield [known[hands[0]] | set(drawn), *others]

    def splits(b: int, dealt: Cards) -> Iterator[tuple[Cards, Cards]]:
        """(left, aside) of a seat."""
        truth = hand(s["aside"][b])
        if b == s["seat_of"][me]:
            yield hand(s["left"][b]), truth
            return
        revealed = shown[b] & truth
        for hidden in combinations(sorted(dealt - shown[b]), len(truth) - len(revealed)):
            aside = revealed | set(hidden)
            left = dealt - shown[b] - aside
            # Of two 8s the lower colour is revealed first.
            eights = sorted((c for c in aside if c[:-1] == str(eight)), key=deck.index)
            if set(eights[: len(revealed)]) != revealed:
                continue
            # A first pick leaves a later card.
            if s["phase"] == CHOOSING and 0 < len(truth) < game.options["set_aside"]:
                last = max(deck.index(c) for c in aside)
                if not any(deck.index(c) > last for c in left):
                    continue
            yield frozenset(left), frozenset(aside)

    found = set()
    for dealt in deals(list(range(n)), frozenset(deck).difference(*known)):
        for choice in product(*(list(splits(b, dealt[b])) for b in range(n))):
            other = state.copy()
            for b, (left, aside) in enumerate(choice):
                other["hands"][0, b] = words(" ".join(dealt[b]))
                other["left"][0, b] = words(" ".join(left))
                other["aside"][0, b] = words(" ".join(aside))
            # Who has just revealed has a play.
            if not s["must_play"] or s["player"] == me or game.legal_actions(other):
                found.add(key_of(other))
    return found


SMALL: list[dict[str, Any]] = [
    small(2, 4, 3, 3, eight=2, eight_mode="published"),
    small(3, 3, 2, 6, set_aside=0),
    small(3, 3, 3, 4, eight=2, eight_mode="published", set_aside=1),
    small(3, 3, 3, 4, eight=2),
    small(4, 3, 2, 7, eight=2, eight_mode="published"),
    small(4, 2, 3, 3, set_aside=1),
]


@pytest.mark.parametrize("options", SMALL, ids=str)
def test_resampling_is_uniform_over_everything_consistent(options: dict[str, Any]) -> None:
    game = loop_seats(**options, threshold=100, max_rounds=5)
    rng = np.random.default_rng(12)
    later = 0
    tested: list[int] = []
    for state, action in keen_states(game, 31, 60):
        if action < 0 or rng.random() > 0.1 or (later < 3 and not state["rounds_done"][0]):
            continue
        me = int(rng.integers(game.num_players))
        numbers = sorted(consistent(game, state, me))
        assert key_of(state) in numbers, "the truth is one of the alternatives"
        if not 3 < len(numbers) <= 2_000:
            continue
        draws = max(8_000, 8 * len(numbers))
        drawn = Counter(key_of(game.resample(state, me, rng)) for _ in range(draws))
        assert set(drawn) <= set(numbers), "impossible alternatives"
        pvalue = stats.chisquare([drawn[key] for key in numbers]).pvalue
        assert 1e-4 < pvalue < 1 - 1e-4
        later += int(state["rounds_done"][0] > 0)
        tested.append(len(numbers))
        if len(tested) == 5:
            break
    assert later >= 3
    assert len(tested) == 5
    assert max(tested) >= 10
