"""A slow reference of Loop (seats edition) that checks game records.

It is written from the rules texts alone and shares nothing with the library. Cards are
``(value, colour index)`` tuples, so that sorting them gives card order. Hands belong to seats and
players to seats for a round; lists are indexed by player unless their name says otherwise. Rule
numbers in the comments are those of the rules file, (d) its settled details.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

Card = tuple[int, int]
Combination = tuple[str, int, int]  # kind, size, strength
Event = dict[str, Any]

COLOURS = "RGBYPO"
THRESHOLDS = {2: 7, 3: 10, 4: 12}
BASE_POINTS = {2: [1, 0], 3: [2, 1, 0], 4: [4, 2, 1, 0]}
# Each option's default first, then the other values; the freer ones are checked in `resolve`.
OPTIONS: dict[str, list[Any]] = {
    "num_players": [4, 2, 3],
    "colours": [3, 1, 2, 4, 5, 6],
    "values": [15, *range(3, 15)],
    "hand_size": [11, *range(2, 14)],
    "set_aside": [2, 0, 1],
    "eight": [8],
    "eight_mode": ["flip_on_play", "published"],
    "flip_per_card": [False, True],
    "min_run": [2, 3],
    "hard_pass": [False, True],
    "base_points": [None],
    "rank_step": [1, 0, 2, 3, 4],
    "reference": ["seat", "player"],
    "later_rounds": ["base_and_change", "change_only"],
    "fourth_chooses": [True, False],
    "winner_seats": ["1to4", "1to3"],
    "start": ["fixed", "last", "winner", "last_seat"],
    "threshold": [None],
    "threshold_check": ["round_end", "immediate"],
    "floor_zero": [False, True],
    "keep_order": [False, True],
    "max_rounds": [40],
}


def need(condition: bool, reason: str) -> None:
    """Raise AssertionError with the reason unless the condition holds."""
    if not condition:
        raise AssertionError(reason)


def same(told: Any, right: Any) -> bool:
    """Equality of JSON values that tells true from 1 and 1.0 from 1."""
    texts = [json.dumps(value, sort_keys=True, default=repr) for value in (told, right)]
    return texts[0] == texts[1]


def is_int(x: Any, low: int, high: int | None = None) -> bool:
    """True for a whole number (no bool) from low to high."""
    return type(x) is int and low <= x and (high is None or x <= high)


def parse_card(text: Any) -> Card:
    """'8R' -> (8, 0)."""
    need(isinstance(text, str) and len(text) >= 2, f"{text!r} is not a card")
    digits, letter = text[:-1], text[-1]
    need(letter in COLOURS and digits in map(str, range(1, 16)), f"{text!r} is not a card")
    return int(digits), COLOURS.index(letter)


def parse_cards(text: str) -> list[Card]:
    """'7R 7G' -> [(7, 0), (7, 1)]."""
    return [parse_card(word) for word in text.split()]


def text_of(cards: Iterable[Card]) -> str:
    """Cards in ascending order of value, then colour, with one space between."""
    return " ".join(f"{value}{COLOURS[colour]}" for value, colour in sorted(cards))


def resolve(options: dict[str, Any]) -> dict[str, Any]:
    """Fill in the defaults and refuse unknown names and impossible values."""
    full = {name: values[0] for name, values in OPTIONS.items()}
    for name, value in options.items():
        need(name in OPTIONS, f"unknown option {name!r}")
        if value is not None or name == "eight":  # elsewhere null stands for the default
            full[name] = value
    allowed = dict(OPTIONS)
    n, points = full["num_players"], full["base_points"]
    need(is_int(n, 2, 4), f"option num_players is {n!r}")
    if points is None:
        full["base_points"] = BASE_POINTS[n]
    else:
        whole = isinstance(points, list) and len(points) == n
        need(whole and all(type(x) is int for x in points), f"option base_points is {points!r}")
    if full["threshold"] is None:
        full["threshold"] = THRESHOLDS[n]
    for name in ("threshold", "max_rounds"):
        if is_int(full[name], 1):
            allowed[name] = [full[name]]
    if full["eight"] is None or is_int(full["eight"], 1):  # a value no card has is no eight
        allowed["eight"] = [full["eight"]]
    allowed["base_points"] = [full["base_points"]]
    for name, value in full.items():
        need(any(same(value, x) for x in allowed[name]), f"option {name} is {value!r}")
    return full


class Match:
    """One match. Every attribute may be set by hand to build a position.

    Of the players: `seats` says where each sits, `hands` holds the cards still to be played and
    `aside` those set aside this round, `revealed` counts the set-aside eights revealed this round,
    `points` is what the round brought so far and `totals` what is booked. `table` is the
    combination to beat ([] on a lead), `owner` who played it, `passed` who passed on it (with
    `hard_pass`: in this trick). `must_play` is true between a reveal and the play that follows it.
    `ranks` maps the players who left this round to their rank; `seat_ranks` and `player_ranks` are
    the ranks of the round before, by seat and by player, empty in the first round. `phase` is
    "aside", "play" or "seat"; `to_move` is None when `end` is set. `automatic` lists the events
    that happened by themselves and were not told yet.
    """

    def __init__(
        self,
        options: dict[str, Any],
        hands_by_seat: list[list[str]],
        start_seat: int = 0,
        seats: list[int] | None = None,
    ) -> None:
        self.options = resolve(options)
        self.n: int = self.options["num_players"]
        everyone = list(range(self.n))
        seats = everyone if seats is None else seats
        need(isinstance(seats, list), f"seats is {seats!r}")
        need(all(type(seat) is int for seat in seats), f"seats is {seats!r}")
        need(sorted(seats) == everyone, f"seats is {seats!r}")
        need(is_int(start_seat, 0, self.n - 1), f"start_seat is {start_seat!r}")
        need(len(hands_by_seat) == self.n, f"{len(hands_by_seat)} hands for {self.n} players")
        self.dealt = [[parse_card(card) for card in hand] for hand in hands_by_seat]
        for hand in self.dealt:
            need(len(hand) > self.options["set_aside"], "a hand too small to set cards aside")
        self.seats = list(seats)
        self.start_seat = start_seat
        self.rounds_played = 0
        self.totals = [0] * self.n
        self.inverted = False
        self.seat_ranks: dict[int, int] = {}
        self.player_ranks: dict[int, int] = {}
        self.automatic: list[Event] = []
        self.end: str | None = None
        self.start_round()

    # Seats

    def clockwise(self, player: int) -> list[int]:
        """The other players in seat order, from the next one on (rule 21)."""
        seat = self.seats[player]
        return [self.seats.index((seat + step) % self.n) for step in range(1, self.n)]

    def first_player(self) -> int:
        """Who starts the round (rule 20, (d) 6)."""
        start = self.options["start"]
        if start == "fixed" or not self.player_ranks:
            return self.seats.index(self.start_seat)
        if start == "winner":
            return self.placed(1)
        if start == "last":
            return self.placed(self.n)
        last_seat = next(seat for seat, rank in self.seat_ranks.items() if rank == self.n)
        return self.seats.index(last_seat)

    def placed(self, rank: int) -> int:
        """The player who got this rank in the round before."""
        return next(player for player, own in self.player_ranks.items() if own == rank)

    def change_seats(self, choice: int) -> None:
        """Everybody moves; `choice` is the fourth player's, 0 for the first's seat (rule 18)."""
        by_rank = [self.placed(rank) for rank in range(1, self.n + 1)]
        old = [self.seats[player] for player in by_rank]
        if self.n == 2:
            new = [old[1], old[0]]
        elif self.n == 3:
            new = [old[2], old[0], old[1]]
        else:
            top = [old[3], old[2]] if self.options["winner_seats"] == "1to4" else [old[2], old[3]]
            new = [*top, old[1 - choice], old[choice]]
        for player, seat in zip(by_rank, new, strict=True):
            self.seats[player] = seat
        self.automatic.append({"seats": list(self.seats)})
        self.start_round()

    # Rounds and tricks

    def start_round(self) -> None:
        """Whoever sits at a seat takes up all cards of its hand (rules 5, 11, 17)."""
        self.hands = [sorted(self.dealt[seat]) for seat in self.seats]
        self.aside: list[list[Card]] = [[] for _ in self.seats]
        self.revealed = [0] * self.n
        self.ranks: dict[int, int] = {}
        self.points = [0] * self.n
        if not self.options["keep_order"]:
            self.inverted = False
        self.first = self.first_player()
        self.phase = "aside" if self.options["set_aside"] else "play"
        self.lead(self.first)

    def lead(self, player: int) -> None:
        """The player leads to an empty table."""
        self.table: list[Card] = []
        self.owner: int | None = None
        self.passed: set[int] = set()
        self.must_play = False
        self.to_move: int | None = player

    def go_on(self, player: int) -> None:
        """After the player's play or pass: the next who may beat the table, or a new trick."""
        for other in self.clockwise(player):
            if self.hands[other] and other != self.owner and other not in self.passed:
                self.to_move = other
                return
        self.finish_trick()

    def finish_trick(self) -> None:
        """The owner of the best combination leads, or the next clockwise with cards (rule 13)."""
        assert self.owner is not None
        around = [self.owner, *self.clockwise(self.owner)]
        self.lead(next(player for player in around if self.hands[player]))

    # Combinations

    def combination(self, cards: Sequence[Card]) -> Combination | None:
        """(kind, size, strength) if the cards are a combination, else None (rule 6, (d) 8)."""
        values = sorted(value for value, _ in cards)
        colours = {colour for _, colour in cards}
        size = len(cards)
        if size in (1, 2, 3) and values[0] == values[-1]:
            return "set", size, values[0]
        consecutive = bool(values) and values == list(range(values[0], values[0] + size))
        if size >= self.options["min_run"] and consecutive and len(colours) == 1:
            return "run", size, values[-1]
        return None

    def combinations_of(self, hand: Sequence[Card]) -> Iterator[list[Card]]:
        """All combinations that the hand holds."""
        for size in (1, 2, 3):
            for cards in combinations(hand, size):
                if len({value for value, _ in cards}) == 1:
                    yield list(cards)
        for value, colour in hand:
            run = [(value, colour)]
            while (run[-1][0] + 1, colour) in hand:
                run.append((run[-1][0] + 1, colour))
                if len(run) >= self.options["min_run"]:
                    yield list(run)

    def beats_table(self, cards: Sequence[Card], inverted: bool) -> bool:
        """Whether a combination may be played on the table under this order (rule 7)."""
        new = self.combination(cards)
        assert new is not None
        if not self.table:
            return True
        old = self.combination(self.table)
        assert old is not None
        stronger = new[2] < old[2] if inverted else new[2] > old[2]
        return new[:2] == old[:2] and stronger

    def is_eight(self, card: Card) -> bool:
        """Whether the card has the powers of the 8."""
        return bool(card[0] == self.options["eight"])

    # Legal moves

    def legal_moves(self) -> list[str]:
        """Every legal move of the player to move, sorted as text; none after the match."""
        if self.to_move is None:
            return []
        if self.phase == "seat":
            return ["take_seat 0", "take_seat 1"]
        if self.phase == "aside":
            return sorted(self.asides())
        moves = self.plays(self.inverted)
        if self.table and not self.must_play:
            moves.append("pass")
        if self.may_reveal():
            moves.append("reveal")
        return sorted(moves)

    def asides(self) -> list[str]:
        """The cards that may be set aside: in card order, leaving enough later ones."""
        assert self.to_move is not None
        hand, chosen = self.hands[self.to_move], self.aside[self.to_move]
        later = [card for card in hand if not chosen or card > chosen[-1]]
        after = self.options["set_aside"] - len(chosen) - 1  # picks that still follow this one
        return ["aside " + text_of([card]) for card in later[: len(later) - after]]

    def plays(self, inverted: bool) -> list[str]:
        """The texts of all plays of the player to move, under the given order."""
        assert self.to_move is not None
        held = self.combinations_of(self.hands[self.to_move])
        return ["play " + text_of(cards) for cards in held if self.beats_table(cards, inverted)]

    def may_reveal(self) -> bool:
        """Whether the player to move may reveal a set-aside eight (rule 10, (d) 4)."""
        player = self.to_move
        assert player is not None
        if self.options["eight_mode"] != "published" or self.must_play:
            return False
        eights = sum(self.is_eight(card) for card in self.aside[player])
        return eights > self.revealed[player] and bool(self.plays(not self.inverted))

    # Moves

    def move(self, move: str) -> None:
        """Make one move of the player to move; AssertionError if it is not legal."""
        legal = self.legal_moves()
        need(move in legal, f"player {self.to_move}: {move!r} is not legal, but {legal}")
        player = self.to_move
        assert player is not None
        kind, _, rest = move.partition(" ")
        if kind == "take_seat":
            self.change_seats(int(rest))
        elif kind == "aside":
            self.set_aside(player, parse_card(rest))
        elif kind == "reveal":
            self.revealed[player] += 1
            self.inverted = not self.inverted
            self.must_play = True
        elif kind == "pass":
            self.passed.add(player)
            self.go_on(player)
        else:
            self.play(player, parse_cards(rest))

    def set_aside(self, player: int, card: Card) -> None:
        """One card under the rank card; the next in seat order follows ((d) 2)."""
        self.hands[player].remove(card)
        self.aside[player].append(card)
        if len(self.aside[player]) == self.options["set_aside"]:
            self.to_move = self.clockwise(player)[0]
            if self.to_move == self.first:
                self.phase = "play"

    def play(self, player: int, cards: list[Card]) -> None:
        """Lay a combination; the eight's power, then going out, then whose turn comes next."""
        self.hands[player] = [card for card in self.hands[player] if card not in cards]
        self.table, self.owner, self.must_play = cards, player, False
        if not self.options["hard_pass"]:
            self.passed = set()
        eights = sum(self.is_eight(card) for card in cards)
        published = self.options["eight_mode"] == "published"
        if eights and not published:
            flips = eights if self.options["flip_per_card"] else 1
            self.inverted = self.inverted != (flips % 2 == 1)
        if not self.hands[player]:
            self.leave(player)
            left = [p for p in range(self.n) if self.hands[p]]
            if len(left) == 1 and not self.reached():
                self.leave(left[0])
            if len(left) == 1 or self.reached():
                self.end_round()
                return
        if eights and published:  # all others pass
            self.finish_trick()
        else:
            self.go_on(player)

    # Ranks, points and the end

    def leave(self, player: int) -> None:
        """The next free rank and its points, booked at once if the option says so ((d) 1)."""
        self.ranks[player] = len(self.ranks) + 1
        self.points[player] = self.points_for(player, self.ranks[player])
        if self.options["threshold_check"] == "immediate":
            self.book(player)

    def points_for(self, player: int, rank: int) -> int:
        """Base points and the adjustment by the change of rank (rules 14, 15)."""
        base: int = self.options["base_points"][rank - 1]
        if not self.player_ranks:
            return base
        by_player = self.options["reference"] == "player"
        previous = self.player_ranks[player] if by_player else self.seat_ranks[self.seats[player]]
        change: int = self.options["rank_step"] * (previous - rank)
        return change if self.options["later_rounds"] == "change_only" else base + change

    def book(self, player: int) -> None:
        """Add the player's points of this round to the total (rule 16, (d) 5)."""
        self.totals[player] += self.points[player]
        if self.options["floor_zero"]:
            self.totals[player] = max(self.totals[player], 0)

    def reached(self) -> bool:
        """Whether a booked total is at or above the threshold (rule 22)."""
        return bool(max(self.totals) >= self.options["threshold"])

    def end_round(self) -> None:
        """Book, tell the round's result, then the change of seats or the end ((d) 7)."""
        everyone = range(self.n)
        if self.options["threshold_check"] == "round_end":
            for player in everyone:
                self.book(player)
        result = {
            "ranks": [self.ranks.get(player) for player in everyone],
            "points": list(self.points),
            "totals": list(self.totals),
        }
        self.automatic.append({"round_end": result})
        self.rounds_played += 1
        if self.reached() or self.rounds_played >= self.options["max_rounds"]:
            self.end = "terminated" if self.reached() else "truncated"
            self.to_move = None
            return
        self.player_ranks = dict(self.ranks)
        self.seat_ranks = {self.seats[player]: rank for player, rank in self.ranks.items()}
        if self.n == 4 and self.options["fourth_chooses"]:
            self.phase = "seat"
            self.to_move = self.placed(4)
        else:
            self.change_seats(0)

    def winners(self) -> list[int]:
        """The highest total, then the earlier exit in the last round; nobody in mid-match."""
        if self.end is None:
            return []
        last = self.n + 1  # whoever was not out yet comes after all who were
        keys = [(total, -self.ranks.get(p, last)) for p, total in enumerate(self.totals)]
        return [player for player in range(self.n) if keys[player] == max(keys)]


def start_from_deal(options: dict[str, Any], event: Any) -> Match:
    """Check the deal event against the options and start the match."""
    full = resolve(options)
    n, hand_size = full["num_players"], full["hand_size"]
    need(full["colours"] * full["values"] >= n * hand_size, "the deck is too small")
    need(isinstance(event, dict) and set(event) == {"deal"}, "the first event is not the deal")
    deal = event["deal"]
    names = {"hands", "unseen", "start_seat", "seats"}
    well_formed = isinstance(deal, dict) and set(deal) == names
    need(well_formed, "a deal has hands, unseen, start_seat and seats")
    hands, unseen = deal["hands"], deal["unseen"]
    need(isinstance(hands, list) and len(hands) == n, f"not {n} hands")
    for seat, hand in enumerate(hands):
        whole = isinstance(hand, list) and len(hand) == hand_size
        need(whole, f"hand {seat}: not {hand_size} cards")
    need(isinstance(unseen, list), "unseen is not a list")
    cards = [parse_card(card) for pile in [*hands, unseen] for card in pile]
    deck = [(v, c) for v in range(1, full["values"] + 1) for c in range(full["colours"])]
    twice = {card for card in cards if cards.count(card) > 1}
    need(not twice, f"dealt more than once: {text_of(twice)}")
    wrong = set(deck) ^ set(cards)
    need(not wrong, f"of the deck but not dealt, or the reverse: {text_of(wrong)}")
    need(deal["seats"] is not None, "seats is None")
    return Match(options, hands, deal["start_seat"], deal["seats"])


def check_event(match: Match, event: Any) -> bool:
    """Check one event after the deal and make its move; whether it was a move."""
    need(isinstance(event, dict), "an event is not an object")
    if match.automatic:
        expected = match.automatic.pop(0)
        need(same(event, expected), f"{event} instead of {expected}")
        return False
    need(match.to_move is not None, f"{event} after the end of the match")
    need({"player", "move"} <= set(event) <= {"player", "move", "legal"}, f"{event} is not a move")
    player, move = event["player"], event["move"]
    need(same(player, match.to_move), f"player {match.to_move} is to move, not {player!r}")
    legal = match.legal_moves()
    need(move in legal, f"player {player}: {move!r} is not legal, but {legal}")
    need(event.get("legal", legal) == legal, f"legal is {event.get('legal')} and should be {legal}")
    match.move(move)
    return True


def check_record(record: dict[str, Any]) -> int:
    """Replay a record and raise AssertionError at the first disagreement; counts the moves."""
    need(record.get("format") == "loop-envs-record/1", f"format is {record.get('format')!r}")
    need(str(record.get("env")).startswith("loop_seats-v"), f"env is {record.get('env')!r}")
    events, options = record.get("events"), record.get("options")
    need(isinstance(options, dict), "options is not an object")
    need(isinstance(events, list) and len(events) > 0, "there are no events")
    assert isinstance(events, list)
    assert isinstance(options, dict)
    moves = index = 0
    try:
        match = start_from_deal(options, events[0])
        for index in range(1, len(events)):
            moves += check_event(match, events[index])
    except AssertionError as error:
        raise AssertionError(f"event {index}: {error}") from error
    at_end = f"after event {index}: "
    need(not match.automatic, f"{at_end}missing {match.automatic}")
    agents = record.get("agents")
    need(agents is None or len(agents) == match.n, f"agents is {agents!r}")
    results = {"end": match.end, "scores": match.totals, "winners": match.winners()}
    for name, right in results.items():
        need(name in record, f"{name} is missing")
        told = record[name]
        need(same(told, right), f"{at_end}{name} is {told!r} and should be {right!r}")
    return moves
