"""A slow reference of LOOPLA! that checks game records.

It is written from the rules texts alone and shares nothing with the library. Cards are plain
values. Rule numbers in the comments are those of the rules file, (d) its settled details.
"""

import json
from collections import Counter
from typing import Any

JOKER = 7  # a deck that ends below 7 has none
REBEL = 1
WHOOP_BONUS = 15
EMPTY_HAND_BONUS = 5
# Each option's default first, then the other values; COUNTS may be any whole number from 1.
OPTIONS: dict[str, list[Any]] = {
    "num_players": [4, 2, 3, 5, 6],
    "values": [13, *range(5, 13)],
    "copies": [4, 1, 2, 3],
    "hand_size": [8, *range(2, 8)],
    "target": [200],
    "rounds": [None],
    "whoop_size": [7, *range(3, 7)],
    "first_instruction": ["free", "random", "starter"],
    "start_card_power": [False, True],
    "seven_on_seven_double": [False, True],
    "after_fall": ["persist", "free"],
    "last_card_pickup": [True, False],
    "bonuses": ["both", "larger"],
    "bust_leaves": [False, True],
    "reverse_with_two": ["none", "again"],
    "starter": ["rotate", "winner", "loser"],
    "max_rounds": [100],
}
COUNTS = ["target", "rounds", "max_rounds"]
MAY_BE_NULL = ["target", "rounds"]


def need(condition: bool, reason: str) -> None:
    """Raise AssertionError with the reason unless the condition holds."""
    if not condition:
        raise AssertionError(reason)


def is_int(x: Any, low: int, high: int) -> bool:
    """True for a whole number (no bool) from low to high."""
    return type(x) is int and low <= x <= high


def same(told: Any, right: Any) -> bool:
    """Equal as JSON: the order of keys is free, but 1, 1.0 and true differ."""
    return json.dumps(told, sort_keys=True) == json.dumps(right, sort_keys=True)


def resolve(options: dict[str, Any]) -> dict[str, Any]:
    """Fill in the defaults and refuse unknown names and impossible values."""
    full = {name: values[0] for name, values in OPTIONS.items()}
    for name, value in options.items():
        need(name in OPTIONS, f"unknown option {name!r}")
        if value is not None or name in MAY_BE_NULL:  # elsewhere null stands for the default
            full[name] = value
    for name, value in full.items():
        if name in COUNTS:
            allowed = (type(value) is int and value >= 1) or (value is None and name in MAY_BE_NULL)
        else:
            allowed = any(type(value) is type(x) and value == x for x in OPTIONS[name])
        need(allowed, f"option {name} is {value!r}")
    need(full["target"] is not None or full["rounds"] is not None, "no target and no rounds")
    cards = full["num_players"] * full["hand_size"] + 1
    need(cards <= full["values"] * full["copies"], f"the deck is too small for {cards} cards")
    return full


class Match:
    """One match. Every attribute may be set by hand to build a position.

    `phase` says what comes next: a "deal"; the player to move gives the "opening" instruction for
    the own first play, plays a card ("play"), takes or leaves the covered card ("pick"), gives
    the "instruction" to the next player; or the match is "over". `constraint` is "free", "up",
    "down", "doubled" or "sovereign", and None from a play until the instruction that follows it.
    `inside` holds the players still in the round. `again` is true when the player to move has the
    next turn too, `busted` when this turn's pick-up was a bust. `happened` lists all that happened
    by itself, deals aside, as the events of a record.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = resolve(options)
        self.n: int = self.options["num_players"]
        self.sovereign: int = self.options["values"]
        self.totals = [0] * self.n
        self.rounds_played = 0
        self.next_starter: int | None = None  # the first round's is free
        self.happened: list[dict[str, Any]] = []
        self.phase = "deal"
        self.to_move: int | None = None
        self.end: str | None = None

    def start_round(
        self, hands: list[list[int]], top: int, first: int, instruction: str | None = None
    ) -> None:
        """Deal the cards; falls may follow at once (rules 2-4, d1-d3)."""
        self.hands = [list(hand) for hand in hands]
        self.collections: list[set[int]] = [set() for _ in hands]
        self.bonus = [0] * self.n
        self.inside = set(range(self.n))
        self.direction = 1
        self.top = top
        self.covered: int | None = None
        self.starter = first
        self.to_move = first
        self.again = False
        self.busted = False
        self.constraint: str | None = instruction or "free"
        asked = self.options["first_instruction"] == "starter"
        if self.options["start_card_power"]:
            if top == self.sovereign:
                self.constraint = "sovereign"
                asked = False
            elif top == REBEL and self.n >= 3:
                self.direction = -1
        if asked:
            self.phase = "opening"
        else:
            self.start_turn()

    def fits(self, value: int) -> bool:
        """Whether the card meets the constraint (rule 4)."""
        if value == JOKER or self.constraint == "free":
            return True
        if self.constraint == "sovereign":
            return value == self.sovereign
        if self.constraint == "doubled":
            return value in (self.top - 1, self.top, self.top + 1)
        return value >= self.top if self.constraint == "up" else value <= self.top

    def playable(self) -> list[int]:
        """The different values that the player to move may play."""
        assert self.to_move is not None
        return sorted({value for value in self.hands[self.to_move] if self.fits(value)})

    def next_inside(self) -> int:
        """The next player in the direction of play who is still in the round."""
        assert self.to_move is not None
        around = [(self.to_move + self.direction * step) % self.n for step in range(1, self.n)]
        return next(player for player in around if player in self.inside)

    def start_turn(self) -> None:
        """The player to move plays, or falls and so do all who cannot play either (rule 8)."""
        self.phase = "play"
        self.again = self.busted = False
        while not self.playable():
            assert self.to_move is not None
            fallen, following = self.to_move, self.next_inside()
            self.happened.append({"fall": fallen})
            self.collections[fallen].clear()
            self.inside.remove(fallen)
            if len(self.inside) == 1:
                self.end_round()
                return
            if self.options["after_fall"] == "free":
                self.constraint = "free"
            self.to_move = following

    def play(self, move: str) -> None:
        """Make one move of the player to move; AssertionError if it is not legal."""
        legal = legal_moves(self)
        need(move in legal, f"player {self.to_move}: {move!r} is not legal, but {legal}")
        self.apply(move)

    def apply(self, move: str) -> None:
        """Make a move that is known to be legal."""
        kind, _, rest = move.partition(" ")
        if kind == "play":
            self.play_card(int(rest))
        elif kind in ("take", "leave"):
            self.pick_up(kind == "take")
        else:
            opening = self.phase == "opening"
            self.constraint = move
            if opening:
                self.start_turn()
            else:
                self.end_turn()

    def play_card(self, value: int) -> None:
        """Step 1, and what the card does (rules 4, 5, 7, 9)."""
        player = self.to_move
        assert player is not None
        self.hands[player].remove(value)
        self.covered, self.top = self.top, value
        double = value == self.covered
        if value == JOKER and not self.options["seven_on_seven_double"]:
            double = False
        if value == self.sovereign:
            self.constraint = "sovereign"
        elif double:
            self.constraint = "doubled"
        else:
            self.constraint = None
        if value == REBEL:
            if len(self.inside) >= 3:
                self.direction = -self.direction
            else:
                self.again = self.options["reverse_with_two"] == "again"
        self.phase = "pick"
        if not self.hands[player]:
            self.bonus[player] = EMPTY_HAND_BONUS
            if not self.options["last_card_pickup"]:
                self.end_round()

    def pick_up(self, take: bool) -> None:
        """Step 2, and the ends of the round that follow it (rules 6, 9)."""
        player = self.to_move
        assert player is not None
        assert self.covered is not None
        own = self.collections[player]
        if take and self.covered in own:
            own.clear()
            self.busted = True
        elif take:
            own.add(self.covered)
            if len(own) == self.options["whoop_size"]:
                if self.options["bonuses"] == "larger":
                    self.bonus[player] = WHOOP_BONUS
                else:
                    self.bonus[player] += WHOOP_BONUS
                self.end_round()
                return
        if not self.hands[player]:
            self.end_round()
        elif self.constraint is None:
            self.phase = "instruction"
        else:
            self.end_turn()

    def end_turn(self) -> None:
        """Whose turn comes next (rule 5, d4, d5)."""
        assert self.to_move is not None
        following = self.to_move if self.again else self.next_inside()
        if self.busted and self.options["bust_leaves"]:
            self.inside.remove(self.to_move)
            if len(self.inside) == 1:
                self.end_round()
                return
        self.to_move = following
        self.start_turn()

    def end_round(self) -> None:
        """Score the round; another deal, or the end of the match (rules 10, 11, d6, d7)."""
        points = [sum(self.collections[p]) + self.bonus[p] for p in range(self.n)]
        self.totals = [self.totals[p] + points[p] for p in range(self.n)]
        told = {
            "collections": [sorted(collection) for collection in self.collections],
            "bonus": list(self.bonus),
            "points": points,
            "totals": list(self.totals),
        }
        self.happened.append({"round_end": told})
        self.rounds_played += 1
        self.to_move = None
        clockwise = [(self.starter + step) % self.n for step in range(self.n)]
        if self.options["starter"] == "rotate":
            self.next_starter = clockwise[1]
        else:
            sought = max(points) if self.options["starter"] == "winner" else min(points)
            self.next_starter = next(player for player in clockwise if points[player] == sought)
        target, rounds = self.options["target"], self.options["rounds"]
        if (target is not None and max(self.totals) >= target) or self.rounds_played == rounds:
            self.end = "terminated"
        elif self.rounds_played == self.options["max_rounds"]:
            self.end = "truncated"
        self.phase = "deal" if self.end is None else "over"

    def winners(self) -> list[int]:
        """Who has the highest total; nobody before the match is over."""
        if self.end is None:
            return []
        return [player for player in range(self.n) if self.totals[player] == max(self.totals)]


def legal_moves(game: Match) -> list[str]:
    """Every legal move of the player to move, sorted as text; none when nobody is to move."""
    if game.phase == "play":
        return sorted(f"play {value}" for value in game.playable())
    if game.phase == "pick":
        return ["leave", "take"]
    if game.phase in ("opening", "instruction"):
        return ["down", "up"]
    return []


def check_deal(match: Match, event: dict[str, Any]) -> None:
    """Check that the deal is possible and start the round."""
    options, n, values = match.options, match.n, match.options["values"]
    need(set(event) == {"deal"}, f"{event} instead of a deal")
    deal = event["deal"]
    keys = ["first", "hands", "top"]
    if options["first_instruction"] == "random":
        keys = ["first", "hands", "instruction", "top"]
    well_formed = isinstance(deal, dict) and sorted(deal) == keys
    need(well_formed, f"a deal has {', '.join(keys)} here, and this is {deal}")
    hands, top, first, instruction = (deal.get(x) for x in ("hands", "top", "first", "instruction"))
    need(isinstance(hands, list) and len(hands) == n, f"not {n} hands")
    for p, hand in enumerate(hands):
        whole = isinstance(hand, list) and len(hand) == options["hand_size"]
        need(whole, f"hand {p}: not {options['hand_size']} cards")
    cards = [card for hand in hands for card in hand] + [top]
    for card in cards:
        need(is_int(card, 1, values), f"{card!r} is not a card of 1 to {values}")
    for card, count in Counter(cards).items():
        need(count <= options["copies"], f"dealt {count} times, of {options['copies']}: {card}")
    need(is_int(first, 0, n - 1), f"first is {first!r}")
    right = match.next_starter
    need(right in (None, first), f"first is {first} and should be {right}")
    need(instruction in (None, "up", "down"), f"instruction is {instruction!r}")
    need(instruction is not None or "instruction" not in deal, "instruction is null")
    match.start_round(hands, top, first, instruction)


def check_happened(event: dict[str, Any], right: dict[str, Any]) -> None:
    """Check an event that happens by itself against what should have happened."""
    need(set(event) == set(right), f"{event} instead of {right}")
    told = event.get("round_end")
    if isinstance(told, dict):
        for name, value in right["round_end"].items():
            found = told.get(name)
            need(same(found, value), f"round_end: {name} is {found} and should be {value}")
    need(same(event, right), f"{event} instead of {right}")


def check_move(match: Match, event: dict[str, Any]) -> None:
    """Check a player's move and make it."""
    need(match.phase != "over", f"{event} after the end of the match")
    is_move = {"player", "move"} <= set(event) <= {"player", "move", "legal"}
    need(is_move, f"{event} is not a move, and player {match.to_move} is to move")
    player, move = event["player"], event["move"]
    need(type(player) is int and player == match.to_move, f"player {match.to_move} is to move")
    legal = legal_moves(match)
    need(move in legal, f"player {player}: {move!r} is not legal, but {legal}")
    need(event.get("legal", legal) == legal, f"legal is {event.get('legal')} and should be {legal}")
    match.apply(move)


def check_event(match: Match, event: Any, told: int) -> str:
    """Check one event, `told` of the match's `happened` being behind it; returns its kind."""
    need(isinstance(event, dict), "an event is not an object")
    if told < len(match.happened):
        check_happened(event, match.happened[told])
        return "happened"
    if match.phase == "deal":
        check_deal(match, event)
        return "deal"
    check_move(match, event)
    return "move"


def check_record(record: dict[str, Any]) -> int:
    """Replay a record and raise AssertionError at the first disagreement; counts the moves."""
    need(record.get("format") == "loop-envs-record/1", f"format is {record.get('format')!r}")
    need(str(record.get("env")).startswith("loopla-v"), f"env is {record.get('env')!r}")
    events, options = record.get("events"), record.get("options")
    need(isinstance(options, dict), "options is not an object")
    need(isinstance(events, list) and len(events) > 0, "there are no events")
    assert isinstance(events, list)
    assert isinstance(options, dict)
    match = Match(options)
    moves = told = index = 0
    try:
        for index in range(len(events)):
            kind = check_event(match, events[index], told)
            moves += kind == "move"
            told += kind == "happened"
    except AssertionError as error:
        raise AssertionError(f"event {index}: {error}") from error
    at_end = f"after event {index}: "
    # What happens by itself belongs to the move or deal before it, even where a record stops.
    need(told == len(match.happened), f"{at_end}missing {match.happened[told:]}")
    need(match.phase != "deal", at_end + "the next deal is missing")
    agents = record.get("agents")
    need("end" in record and record["end"] == match.end, f"{at_end}end is {record.get('end')!r}")
    need(agents is None or len(agents) == match.n, f"agents is {agents!r}")
    for name, right in (("scores", match.totals), ("winners", match.winners())):
        found = record.get(name)
        need(same(found, right), f"{at_end}{name} is {found!r} and should be {right}")
    return moves
