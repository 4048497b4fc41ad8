"""A slow reference of Loop (boards edition) that checks game records.

It is written from the rules texts alone and shares nothing with the library. Cards are
``(value, colour index)`` tuples, and the legal combinations are found by testing every subset of
one to four cards of the hand. Rule numbers in the comments are those of the rules file.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

Card = tuple[int, int]
Combination = tuple[str, int, int]  # kind, size, strength
Boards = list[list[tuple[int, int]]]  # of each board the markers (player, rank)

COLOURS = "RGBYPO"
# Each option's default first, then the other values; those that depend on others are in `resolve`.
OPTIONS: dict[str, list[Any]] = {
    "num_players": [4, 2, 3, 5, 6],
    "deck": ["exact13", "fifteen"],
    "hand_size": [13, *range(3, 13)],
    "set_aside": [2, 0, 1],
    "rounds": [None],
    "eight": [8],
    "run_same_colour": [True, False],
    "run_wrap": [False, True],
    "reveal": ["allowed", "stuck_only", "off"],
    "reveal_on_lead": [True, False],
    "on_exit": ["play_on", "clear"],
    "golden": ["random"],
    "golden_travels": [True, False],
    "count_self": [True, False],
    "tie_break": ["shared", "placings"],
}


def need(condition: bool, reason: str) -> None:
    """Raise AssertionError with the reason unless the condition holds."""
    if not condition:
        raise AssertionError(reason)


def is_int(x: Any, low: int, high: int) -> bool:
    """True for a whole number (no bool) from low to high."""
    return type(x) is int and low <= x <= high


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
    n, deck = full["num_players"], full["deck"]
    need(is_int(n, 2, 6), f"num_players is {n!r}")
    allowed = dict(OPTIONS, rounds=list(range(1, n + 1)), golden=["random", *range(n)])
    if full["rounds"] is None:
        full["rounds"] = n
    if full["eight"] is None or type(full["eight"]) is int:  # a value that no card has is no eight
        allowed["eight"] = [full["eight"]]
    if isinstance(deck, dict):
        allowed["deck"] = [deck]
        whole = set(deck) == {"colours", "values"}
        need(whole and is_int(deck["colours"], 1, 6), f"deck is {deck!r}")
        need(is_int(deck["values"], 1, 15), f"deck is {deck!r}")
    for name, value in full.items():
        known = any(type(value) is type(x) and value == x for x in allowed[name])
        need(known, f"option {name} is {value!r}")
    if not isinstance(deck, dict):
        full["deck"] = {"colours": n, "values": 13 if deck == "exact13" else 15}
    return full


def board_values(ranks: list[int], count_self: bool = True) -> list[int]:
    """The value of each marker of one board, from the markers' ranks (rule 30)."""
    own = 0 if count_self else 1
    return [sum(other >= rank for other in ranks) - own for rank in ranks]


def match_scores(boards: Boards, n: int, count_self: bool = True) -> list[int]:
    """Each player's points from the markers on all boards (rule 31)."""
    scores = [0] * n
    for board in boards:
        values = board_values([rank for _, rank in board], count_self)
        for (player, _), value in zip(board, values, strict=True):
            scores[player] += value
    return scores


def match_winners(
    boards: Boards, n: int, count_self: bool = True, placings: bool = False
) -> list[int]:
    """The players with the best score, or best (score, first places, second places, ...)."""
    scores = match_scores(boards, n, count_self)
    keys: list[list[int]] = []
    for player in range(n):
        own = [rank for board in boards for owner, rank in board if owner == player]
        places = [own.count(rank) for rank in range(1, n + 1)] if placings else []
        keys.append([scores[player], *places])
    return [player for player in range(n) if keys[player] == max(keys)]


class Match:
    """One match. Every attribute may be set by hand to build a position.

    The cards of `hands` are those still to be played; `aside` those set aside this round.
    `table` is the combination to beat ([] on a lead) and `owner` who played it; `passed` holds
    the players who passed since. `revealed` counts a player's eights revealed this round and
    `must_play` is true between a reveal and the play that follows it. `ranks` maps the players
    who left this round to their rank, `boards` lists the markers (player, rank) of each board,
    `finished` the ranks of every round that is over. `to_move` is None after the last round.
    """

    def __init__(self, options: dict[str, Any], hands: list[list[str]], golden: int) -> None:
        self.options = resolve(options)
        self.n: int = self.options["num_players"]
        need(len(hands) == self.n, f"{len(hands)} hands for {self.n} players")
        need(is_int(golden, 0, self.n - 1), f"golden is {golden!r}")
        self.values: int = self.options["deck"]["values"]
        self.golden = golden
        self.dealt = [[parse_card(card) for card in hand] for hand in hands]
        for hand in self.dealt:
            need(len(hand) > self.options["set_aside"], "a hand too small to set cards aside")
        self.boards: Boards = [[] for _ in hands]
        self.finished: list[list[int]] = []
        self.round = 0
        self.start_round()

    def start_round(self) -> None:
        """Hands and boards are passed on, the direction is normal again (rules 7-9, 28)."""
        n = self.n
        self.hands = [sorted(self.dealt[(p - self.round) % n]) for p in range(n)]
        self.aside: list[list[Card]] = [[] for _ in range(n)]
        self.revealed = [0] * n
        self.ranks: dict[int, int] = {}
        self.inverted = False
        self.choosing: bool = self.options["set_aside"] > 0
        shift = self.round if self.options["golden_travels"] else 0
        self.first = (self.golden + shift) % n
        self.lead(self.first)

    def lead(self, player: int) -> None:
        """The player leads to an empty table."""
        self.table: list[Card] = []
        self.owner: int | None = None
        self.passed: set[int] = set()
        self.must_play = False
        self.to_move: int | None = player

    def next_with_cards(self, player: int) -> int:
        """The next player clockwise who still holds cards (rule 26)."""
        around = [(player + step) % self.n for step in range(1, self.n + 1)]
        return next(p for p in around if self.hands[p])

    def combination(self, cards: Sequence[Card]) -> Combination | None:
        """(kind, size, strength) if the cards are a combination, else None (rules 10-13)."""
        values = sorted(value for value, _ in cards)
        colours = {colour for _, colour in cards}
        size, different = len(values), len(set(values))
        if size == 1:
            return "single", 1, values[0]
        if size not in (2, 3, 4):
            return None
        if different == 1:
            return "set", size, values[0]
        if different < size or (self.options["run_same_colour"] and len(colours) > 1):
            return None
        for start in range(1, self.values + 1):
            run = list(range(start, start + size))
            if self.options["run_wrap"]:  # after the highest value comes 1
                run = [value if value <= self.values else value - self.values for value in run]
            if sorted(run) == values:
                return "run", size, max(values)
        return None

    def fits(self, cards: Sequence[Card], inverted: bool) -> bool:
        """Whether the cards are a combination that may be played on the table (rules 14-16)."""
        new, old = self.combination(cards), self.combination(self.table)
        if new is None or old is None:  # nothing lies on the table when leading
            return new is not None
        stronger = new[2] < old[2] if inverted else new[2] > old[2]
        return new[:2] == old[:2] and stronger

    def plays(self, inverted: bool) -> list[str]:
        """The texts of all plays of the player to move, under the given direction."""
        assert self.to_move is not None
        hand = self.hands[self.to_move]
        subsets = [cards for size in (1, 2, 3, 4) for cards in combinations(hand, size)]
        return ["play " + text_of(cards) for cards in subsets if self.fits(cards, inverted)]

    def may_reveal(self) -> bool:
        """Whether the player to move may reveal a set-aside eight (rule 20)."""
        player = self.to_move
        assert player is not None
        eights = [card for card in self.aside[player] if card[0] == self.options["eight"]]
        used_up = self.must_play or len(eights) <= self.revealed[player]
        if used_up or self.options["reveal"] == "off":
            return False
        if self.options["reveal"] == "stuck_only" and self.plays(self.inverted):
            return False
        if not self.table and not self.options["reveal_on_lead"]:
            return False
        return bool(self.plays(not self.inverted))

    def asides(self) -> list[str]:
        """The cards the player to move may set aside: in card order, leaving enough later ones."""
        assert self.to_move is not None
        hand, aside = self.hands[self.to_move], self.aside[self.to_move]
        still = self.options["set_aside"] - len(aside)
        later = [card for card in hand if all(card > earlier for earlier in aside)]
        enough = [card for card in later if sum(other > card for other in later) >= still - 1]
        return ["aside " + text_of([card]) for card in enough]

    def play(self, move: str) -> None:
        """Make one move of the player to move; AssertionError if it is not legal."""
        legal = legal_moves(self)
        need(move in legal, f"player {self.to_move}: {move!r} is not legal, but {legal}")
        self.apply(move)

    def apply(self, move: str) -> None:
        """Make a move that is known to be legal."""
        player = self.to_move
        assert player is not None
        kind, _, rest = move.partition(" ")
        cards = parse_cards(rest)
        if kind == "aside":
            self.hands[player].remove(cards[0])
            self.aside[player].append(cards[0])
            if len(self.aside[player]) == self.options["set_aside"]:
                self.to_move = (player + 1) % self.n
                self.choosing = self.to_move != self.first
        elif kind == "reveal":
            self.revealed[player] += 1
            self.inverted = not self.inverted
            self.must_play = True
        elif kind == "pass":
            self.passed.add(player)
            self.to_move = self.next_with_cards(player)
            others = {p for p in range(self.n) if self.hands[p] and p != self.owner}
            if others <= self.passed:  # the owner leads, or the next clockwise with cards
                assert self.owner is not None
                kept = bool(self.hands[self.owner])
                self.lead(self.owner if kept else self.next_with_cards(self.owner))
        else:
            self.hands[player] = [card for card in self.hands[player] if card not in cards]
            self.after_play(player, cards)

    def after_play(self, player: int, cards: list[Card]) -> None:
        """Ranks, the clearing eight and whose turn comes next (rules 19, 22-25)."""
        out = not self.hands[player]
        if out:
            self.take_rank(player)
            left = [p for p in range(self.n) if self.hands[p]]
            if len(left) == 1:
                self.take_rank(left[0])
                self.end_round()
                return
        following = self.next_with_cards(player)
        eight = any(value == self.options["eight"] for value, _ in cards)
        if eight or (out and self.options["on_exit"] == "clear"):
            self.lead(following if out else player)
        else:
            self.lead(following)
            self.table, self.owner = cards, player

    def take_rank(self, player: int) -> None:
        """The next free rank, and a marker on the board in front of the player (rule 22)."""
        self.ranks[player] = len(self.ranks) + 1
        self.boards[(player - self.round) % self.n].append((player, self.ranks[player]))

    def end_round(self) -> None:
        """Note the ranks; the next round, or the end of the match."""
        self.finished.append([self.ranks[p] for p in range(self.n)])
        self.round += 1
        if self.round < self.options["rounds"]:
            self.start_round()
        else:
            self.to_move = None

    def scores(self) -> list[int]:
        """The points of the markers placed so far."""
        return match_scores(self.boards, self.n, self.options["count_self"])

    def winners(self) -> list[int]:
        """Who wins; nobody before the match is over."""
        if self.to_move is not None:
            return []
        placings = self.options["tie_break"] == "placings"
        return match_winners(self.boards, self.n, self.options["count_self"], placings)


def legal_moves(game: Match) -> list[str]:
    """Every legal move of the player to move, sorted as text; none after the match."""
    if game.to_move is None:
        return []
    if game.choosing:
        return sorted(game.asides())
    moves = game.plays(game.inverted)
    if game.table and not game.must_play:
        moves.append("pass")
    if game.may_reveal():
        moves.append("reveal")
    return sorted(moves)


def start_from_deal(options: dict[str, Any], event: Any) -> Match:
    """Check the deal event against the options and start the match."""
    full = resolve(options)
    n, hand_size, deck = full["num_players"], full["hand_size"], full["deck"]
    changed = [x for x in ("hand_size", "set_aside", "eight") if full[x] != OPTIONS[x][0]]
    need(n >= 4 or bool(changed), f"{n} players without a research option")
    need(deck["colours"] * deck["values"] >= n * hand_size, "the deck is too small")
    need(isinstance(event, dict) and set(event) == {"deal"}, "the first event is not the deal")
    deal = event["deal"]
    well_formed = isinstance(deal, dict) and set(deal) == {"hands", "unseen", "golden"}
    need(well_formed, "a deal has hands, unseen and golden")
    hands, unseen, golden = deal["hands"], deal["unseen"], deal["golden"]
    need(isinstance(hands, list) and len(hands) == n, f"not {n} hands")
    for p, hand in enumerate(hands):
        need(isinstance(hand, list) and len(hand) == hand_size, f"hand {p}: not {hand_size} cards")
    need(isinstance(unseen, list), "unseen is not a list")
    cards = [parse_card(card) for pile in [*hands, unseen] for card in pile]
    whole = [(v, c) for v in range(1, deck["values"] + 1) for c in range(deck["colours"])]
    twice = {card for card in cards if cards.count(card) > 1}
    need(not twice, f"dealt more than once: {text_of(twice)}")
    wrong = set(whole) ^ set(cards)
    need(not wrong, f"of the deck but not dealt, or the reverse: {text_of(wrong)}")
    need(full["golden"] in ("random", golden), f"golden is {golden}, not as in the options")
    return Match(options, hands, golden)


def check_event(match: Match, event: Any, rounds_told: int) -> str:
    """Check one event after the deal and make its move; returns 'move' or 'round_end'."""
    need(isinstance(event, dict), "an event is not an object")
    if rounds_told < len(match.finished):
        expected = {"round_end": {"ranks": match.finished[rounds_told]}}
        need(repr(event) == repr(expected), f"{event} instead of {expected}")
        return "round_end"
    need(match.to_move is not None, f"{event} after the end of the match")
    need({"player", "move"} <= set(event) <= {"player", "move", "legal"}, f"{event} is not a move")
    player, move = event["player"], event["move"]
    need(type(player) is int and player == match.to_move, f"player {match.to_move} is to move")
    legal = legal_moves(match)
    need(move in legal, f"player {player}: {move!r} is not legal, but {legal}")
    need(event.get("legal", legal) == legal, f"legal is {event.get('legal')} and should be {legal}")
    match.apply(move)
    return "move"


def check_record(record: dict[str, Any]) -> int:
    """Replay a record and raise AssertionError at the first disagreement; counts the moves."""
    need(record.get("format") == "loop-envs-record/1", f"format is {record.get('format')!r}")
    need(str(record.get("env")).startswith("loop_boards-v"), f"env is {record.get('env')!r}")
    events, options = record.get("events"), record.get("options")
    need(isinstance(options, dict), "options is not an object")
    need(isinstance(events, list) and len(events) > 0, "there are no events")
    assert isinstance(events, list)
    assert isinstance(options, dict)
    moves = rounds_told = index = 0
    try:
        match = start_from_deal(options, events[0])
        for index in range(1, len(events)):
            kind = check_event(match, events[index], rounds_told)
            moves += kind == "move"
            rounds_told += kind == "round_end"
    except AssertionError as error:
        raise AssertionError(f"event {index}: {error}") from error
    at_end = f"after event {index}: "
    need(rounds_told == len(match.finished), at_end + "the round_end event is missing")
    end = None if match.to_move is not None else "terminated"
    agents = record.get("agents")
    need("end" in record and record["end"] == end, f"{at_end}end is {record.get('end')!r}")
    need(agents is None or len(agents) == match.n, f"agents is {agents!r}")
    for name, right in (("scores", match.scores()), ("winners", match.winners())):
        told = record.get(name)
        need(repr(told) == repr(right), f"{at_end}{name} is {told!r} and should be {right}")
    return moves
