"""A slow reference of Loo that checks game records.

It is written from the rules texts alone and shares nothing with the library. Tricks and flushes
are in `loo_tricks`. Rule numbers in the comments are those of the rules file, (d) its settled
details.
"""

import json
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from .loo_tricks import CLUBS, Card, Table, need, parse_card, parse_cards, text_of, texts_of

WITH_MISS = ("three_card", "mississippi")
LARGEST_CARRY = 100_000_000  # debts may let a pool grow without end
# Each option's default first, then the other values; those in COUNTS may be any whole number
# from the one given there.
OPTIONS: dict[str, list[Any]] = {
    "num_players": [5, 2, 3, 4, 6, 7, 8],
    "variant": ["three_card", "five_card", "irish", "mississippi"],
    "ranks": [13, *range(3, 13)],
    "hand_size": [None, 1, 2, 3, 4, 5],
    "num_deals": [20],
    "stack": [1000],
    "ante": [None],
    "ante_mode": ["all", "dealer", "all_dealer_double"],
    "loo": ["unlimited", "limited", "capped"],
    "loo_amount": [None],
    "bold_stand": ["last_two", "all", "off"],
    "dealer_defends": [True, False],
    "club_law": [False, True],
    "lead_rule": ["ace", "none", "hoyle", "peel"],
    "undertrump": [True, False],
    "pam": ["jack_of_clubs", "jack_of_trumps", "none"],
    "pam_free": [False, True],
    "civil": ["auto", "choice", "off"],
    "civil_exception": [False, True],
    "pam_wild": [True, False],
    "pam_exempts": [False, True],
    "flush_loos_passers": [False, True],
    "flush_order": ["seed", "peel"],
    "flush_tie": ["elder", "split"],
    "odd_chips": ["first_tricks", "stay"],
    "allow_debt": [False, True],
    "exchange_phase": ["with_declaration", "after_all"],
    "limit_draw": [False, True],
    "irish_exchange": [False, True],
    "irish_turnup": [False, True],
    "final_pool": ["split", "unclaimed"],
}
COUNTS = {"num_deals": 1, "stack": 0, "ante": 1, "loo_amount": 1}


def same(told: Any, right: Any) -> bool:
    """Equal as JSON: the order of keys is free, but 1, 1.0 and true differ."""
    texts = [json.dumps(value, sort_keys=True, default=repr) for value in (told, right)]
    return texts[0] == texts[1]


def is_int(x: Any, low: int, high: int | None = None) -> bool:
    """True for a whole number (no bool) from low to high."""
    return type(x) is int and low <= x and (high is None or x <= high)


def resolve(options: dict[str, Any]) -> dict[str, Any]:
    """Fill in the defaults and refuse unknown names and impossible values."""
    full = {name: values[0] for name, values in OPTIONS.items()}
    for name, value in options.items():
        need(name in OPTIONS, f"unknown option {name!r}")
        if value is not None:  # null stands for the default
            full[name] = value
    five = full["variant"] == "five_card"
    own_size, own_ante = (5, 5) if five else (3, 3)
    full["ante"] = own_ante if full["ante"] is None else full["ante"]
    full["hand_size"] = own_size if full["hand_size"] is None else full["hand_size"]
    for name, value in full.items():
        if name in COUNTS:
            allowed = is_int(value, COUNTS[name]) or (value is None and name == "loo_amount")
        else:
            allowed = any(same(value, x) for x in OPTIONS[name])
        need(allowed, f"option {name} is {value!r}")
    if full["loo_amount"] is None:
        full["loo_amount"] = full["ante"] * (10 if full["loo"] == "capped" else 1)
    small = full["ranks"] != 13 or full["hand_size"] != own_size
    need(full["num_players"] > 2 or small, "2 players without a research option")
    hands = full["num_players"] + (full["variant"] in WITH_MISS)
    cards = hands * full["hand_size"] + has_turn_up(full)
    need(cards <= 4 * full["ranks"], f"the deck is too small for {cards} cards")
    dearest = full["ante"] * (2 if full["ante_mode"] == "all_dealer_double" else 1)
    covered = full["stack"] >= dearest or full["allow_debt"]
    need(covered, f"stack is {full['stack']} and the dearest ante {dearest}")
    return full


def has_turn_up(options: dict[str, Any]) -> bool:
    """Whether a card is turned for trumps (rules 7-10)."""
    return bool(options["variant"] != "irish" or options["irish_turnup"])


class Match:
    """One match. Every attribute may be set by hand to build a position.

    `phase` says what comes next: a "deal"; the player to move declares ("declare"), exchanges
    cards ("draw") or plays one ("play"); a new stock is needed ("reshuffle"); or the match is
    "over". `declared` maps the players to what they said: "in", "miss", "defend" or "pass".
    `order` lists the players from the dealer's left, the dealer last. `pile` holds discards and
    passed hands that a reshuffle may take. `carry` is what the pool holds between deals. `happened`
    lists all that happened by itself, deals and reshuffles aside, as the events of a record.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = resolve(options)
        self.n: int = self.options["num_players"]
        self.hand_size: int = self.options["hand_size"]
        self.chips: list[int] = [self.options["stack"]] * self.n
        self.carry = 0
        self.dealer: int | None = None  # the first one is free
        self.deals_played = 0
        self.happened: list[dict[str, Any]] = []
        self.phase = "deal"
        self.to_move: int | None = None
        self.end: str | None = None

    # Before and at the deal

    def antes(self, dealer: int) -> list[int]:
        """What each player pays before a deal (rule 4)."""
        ante: int = self.options["ante"]
        others = 0 if self.options["ante_mode"] == "dealer" else ante
        own = 2 * ante if self.options["ante_mode"] == "all_dealer_double" else ante
        return [own if player == dealer else others for player in range(self.n)]

    def next_dealer(self) -> int | None:
        """The player to the last dealer's left (rule 2)."""
        return None if self.dealer is None else (self.dealer + 1) % self.n

    def deals_miss(self) -> bool:
        """Whether a spare hand is dealt: not when all must play a single pool (rules 7, 10, 14)."""
        all_play = self.options["bold_stand"] == "all" and self.carry == 0
        return self.options["variant"] in WITH_MISS and not all_play

    def start_deal(
        self,
        dealer: int,
        hands: list[list[Card]],
        miss: list[Card] | None,
        turn_up: Card | None,
        stock: list[Card],
    ) -> None:
        """Take the antes and deal; the player to the dealer's left declares (rules 4-10)."""
        self.dealer = dealer
        self.order = [(dealer + step) % self.n for step in range(1, self.n + 1)]
        antes = self.antes(dealer)
        self.chips = [chips - ante for chips, ante in zip(self.chips, antes, strict=True)]
        self.pool = self.carry + sum(antes)
        self.single = self.carry == 0
        self.hands = [list(hand) for hand in hands]
        self.miss = miss
        self.turn_up = turn_up
        self.stock = list(stock)
        self.pile: list[Card] = []
        self.declared: dict[int, str] = {}
        self.drawn: set[int] = set()
        self.discards: list[Card] = []  # of the draw that waits for a reshuffle
        self.trump = None if turn_up is None else turn_up[1]
        self.club_law = bool(self.options["club_law"]) and self.trump == CLUBS
        self.phase = "declare"
        self.to_move = self.order[0]

    # Declaring

    def inside(self) -> list[int]:
        """The players who are in so far, the eldest first."""
        return [player for player in self.order if self.declared.get(player, "pass") != "pass"]

    def must_play(self, player: int) -> bool:
        """Whether bold stand or the club law forces the player to play (rules 14, 16, d3)."""
        if self.club_law:
            return True
        if not self.single or self.options["bold_stand"] == "off":
            return False
        if self.options["bold_stand"] == "all":
            return True
        return player in self.order[-2:] and not set(self.inside()) & set(self.order[:-2])

    def miss_is_there(self) -> bool:
        """Whether the Miss can be taken (rules 11, 16)."""
        taken = "miss" in self.declared.values()
        return self.miss is not None and not taken and not self.club_law

    def declarations(self) -> list[str]:
        """What the player to move may declare (rules 11-16, d3)."""
        assert self.to_move is not None
        miss = ["miss"] if self.miss_is_there() else []
        if self.must_play(self.to_move):
            return ["in", *miss]
        opposite_one = self.to_move == self.dealer and len(self.inside()) == 1
        if opposite_one and miss and self.options["dealer_defends"]:
            return ["in", "miss", "defend"]
        return ["in", "pass", *miss]

    def exchanges(self) -> bool:
        """Whether players who are in may draw in this deal (rules 9, 12, 16)."""
        irish = self.options["variant"] == "irish" and self.options["irish_exchange"]
        return (self.options["variant"] == "five_card" or irish) and not self.club_law

    def declare(self, player: int, word: str) -> None:
        """Pass, play, take the Miss or defend the pool with it."""
        self.declared[player] = word
        if word == "pass":
            self.pile += self.hands[player]
        elif word in ("miss", "defend"):
            assert self.miss is not None
            self.hands[player] = list(self.miss)
        at_once = self.options["exchange_phase"] == "with_declaration"
        if word == "in" and self.exchanges() and at_once:
            self.phase = "draw"
        else:
            self.go_on()

    def go_on(self) -> None:
        """Who declares or draws next; the play, or a pool without play (rule 15, d7)."""
        left = [player for player in self.order if player not in self.declared]
        inside = self.inside()
        if left == [self.dealer] and not inside:  # all passed, so that nobody is forced to play
            self.take_pool(left[0])
        elif left:
            self.phase = "declare"
            self.to_move = left[0]
        elif len(inside) == 1:
            self.take_pool(inside[0])
        else:
            waiting = [player for player in inside if player not in self.drawn]
            if self.exchanges() and waiting:
                self.phase = "draw"
                self.to_move = waiting[0]
            else:
                self.start_play()

    # Exchanging

    def draws(self) -> list[str]:
        """The exchanges that the cards left allow (rules 12, 13, d2)."""
        assert self.to_move is not None
        within_reach = len(self.stock) + (0 if self.options["limit_draw"] else len(self.pile))
        hand = self.hands[self.to_move]
        sizes = range(1, min(len(hand), within_reach) + 1)
        some = [f"draw {text_of(cards)}" for size in sizes for cards in combinations(hand, size)]
        return ["draw none", *some]

    def draw(self, player: int, cards: list[Card]) -> None:
        """Put cards aside and take as many; what the stock lacks needs a reshuffle (d1)."""
        self.discards = cards
        self.hands[player] = [card for card in self.hands[player] if card not in cards]
        self.take_from_stock(player)

    def take_from_stock(self, player: int) -> None:
        """Fill the hand as far as the stock goes."""
        wanted = self.hand_size - len(self.hands[player])
        self.hands[player] += self.stock[:wanted]
        self.stock = self.stock[wanted:]
        if len(self.hands[player]) < self.hand_size:
            self.phase = "reshuffle"
            return
        self.pile += self.discards
        self.discards = []
        self.drawn.add(player)
        self.go_on()

    def reshuffle(self, cards: list[Card]) -> None:
        """The pile becomes the stock, in this order (rule 13, d1)."""
        assert self.to_move is not None
        right = sorted(cards) == sorted(self.pile)
        need(right, f"reshuffled {text_of(cards)} and should be {text_of(self.pile)}")
        self.stock, self.pile = list(cards), []
        self.take_from_stock(self.to_move)

    # Flushes and tricks

    def start_play(self) -> None:
        """A flush takes the pool; otherwise the eldest leads (rules 17, 24)."""
        inside = self.inside()
        self.table = Table(self.options, self.trump, self.turn_up, len(inside))
        if self.options["variant"] == "five_card":
            winners = self.table.best_flushes({player: self.hands[player] for player in inside})
            if winners:
                self.win_by_flush(winners)
                return
        self.phase = "play"
        self.to_move = inside[0]

    def win_by_flush(self, winners: list[int]) -> None:
        """The pool goes to the best flush; who has none is looed (rule 24, d6, d7)."""
        for player in winners:
            told = {"player": player, "cards": texts_of(self.hands[player])}
            self.happened.append({"flush": told})
        straight: bool = self.options["flush_loos_passers"]
        exempt = self.options["pam_exempts"] or self.options["pam_free"]
        looed = []
        for player in range(self.n):
            hand = self.hands[player]
            if self.declared[player] == "pass":
                if straight:  # a passed hand is no flush and holds no Pam
                    looed.append(player)
            elif self.table.flush_suit(hand) is None and not (exempt and self.table.pam in hand):
                looed.append(player)
        loos = self.pay_loos(looed)
        self.share(self.pool + loos if straight else self.pool, winners)
        self.carry = 0 if straight else loos
        self.end_deal(looed)

    def plays(self) -> list[str]:
        """The cards that may be played, and how (rules 18-22, d5)."""
        assert self.to_move is not None
        texts = []
        for card in self.table.legal_cards(self.hands[self.to_move]):
            texts.append(f"play {text_of([card])}")
            if self.options["civil"] == "choice" and self.table.may_bar(card):
                texts.append(f"play {text_of([card])} civil")
        return texts

    def play_card(self, player: int, card: Card, civil: bool) -> None:
        """Put a card on the table; the winner of a trick leads the next one (rule 17)."""
        self.hands[player].remove(card)
        self.table.play(player, card, civil)
        inside = self.inside()
        if len(self.table.trick) < len(inside):
            self.to_move = inside[(inside.index(player) + 1) % len(inside)]
            return
        self.to_move = self.table.finish_trick()
        if len(self.table.winners) == self.hand_size:
            self.settle(self.table.winners)

    # Money

    def share(self, chips: int, players: list[int]) -> None:
        """Equal parts, the odd chips one each to the first of the players."""
        part, odd = divmod(chips, len(players))
        for place, player in enumerate(players):
            self.chips[player] += part + (place < odd)

    def pay_loos(self, looed: Iterable[int]) -> int:
        """The looed players pay what they owe or have; the sum (rules 27, 28)."""
        owed = self.pool
        if self.options["loo"] == "limited":
            owed = self.options["loo_amount"]
        elif self.options["loo"] == "capped":
            owed = min(self.pool, self.options["loo_amount"])
        total = 0
        for player in looed:
            paid = owed if self.options["allow_debt"] else min(owed, self.chips[player])
            self.chips[player] -= paid
            total += paid
        return total

    def settle(self, winners: list[int]) -> None:
        """Pay the tricks, `winners` in their order, and take the loos (rules 15, 26, 27)."""
        part, odd = divmod(self.pool, self.hand_size)
        left = self.pool
        for number, player in enumerate(winners):
            if self.declared[player] == "defend":
                continue  # what a dealer wins for the pool stays in it
            extra = number < odd and self.options["odd_chips"] == "first_tricks"
            self.chips[player] += part + extra
            left -= part + extra
        playing = [player for player in self.inside() if self.declared[player] != "defend"]
        looed = sorted(player for player in playing if player not in winners)
        self.carry = left + self.pay_loos(looed)
        self.end_deal(looed, winners)

    def take_pool(self, player: int) -> None:
        """The only player in takes the pool without play."""
        self.chips[player] += self.pool
        self.carry = 0
        self.end_deal([])

    def end_deal(self, looed: list[int], trick_winners: Iterable[int] = ()) -> None:
        """Tell the result; the next deal, or the end of the match (rules 3, 28, d8, d11)."""
        tricks = list(trick_winners)
        told = {
            "tricks": [tricks.count(player) for player in range(self.n)],
            "looed": looed,
            "chips": list(self.chips),
            "carry": self.carry,
        }
        self.happened.append({"round_end": told})
        self.deals_played += 1
        self.to_move = None
        if self.deals_played == self.options["num_deals"] or self.somebody_is_out():
            self.end = "terminated"
        elif self.carry > LARGEST_CARRY:
            self.end = "truncated"
        self.phase = "deal" if self.end is None else "over"
        if self.end is not None and self.options["final_pool"] == "split":
            self.share(self.carry, self.order)

    def somebody_is_out(self) -> bool:
        """Whether somebody has no chip left or cannot pay the next ante (rule 28, d8)."""
        if self.options["allow_debt"]:
            return False
        dealer = self.next_dealer()
        assert dealer is not None
        antes = self.antes(dealer)
        return any(self.chips[p] == 0 or self.chips[p] < antes[p] for p in range(self.n))

    def scores(self) -> list[int]:
        """Chips won or lost so far; an ante is lost as soon as it is paid."""
        return [chips - self.options["stack"] for chips in self.chips]

    def winners(self) -> list[int]:
        """Who has most chips; nobody before the match is over (rule 3)."""
        if self.end is None:
            return []
        return [player for player in range(self.n) if self.chips[player] == max(self.chips)]

    # Moves

    def move(self, move: str) -> None:
        """Make one move of the player to move; AssertionError if it is not legal."""
        legal = legal_moves(self)
        need(move in legal, f"player {self.to_move}: {move!r} is not legal, but {legal}")
        self.apply(move)

    def apply(self, move: str) -> None:
        """Make a move that is known to be legal."""
        player = self.to_move
        assert player is not None
        kind, *words = move.split()
        if kind == "play":
            self.play_card(player, parse_card(words[0]), words[1:] == ["civil"])
        elif kind == "draw":
            self.draw(player, [] if words == ["none"] else parse_cards(" ".join(words)))
        else:
            self.declare(player, kind)


def legal_moves(match: Match) -> list[str]:
    """Every legal move of the player to move, sorted as text; none when nobody is to move."""
    if match.phase == "declare":
        return sorted(match.declarations())
    if match.phase == "draw":
        return sorted(match.draws())
    if match.phase == "play":
        return sorted(match.plays())
    return []


def parse_list(cards: Any, what: str, size: int | None = None) -> list[Card]:
    """The cards of a list of texts, which has the size where there is one."""
    need(isinstance(cards, list), f"{what} is no list")
    need(size in (None, len(cards)), f"{what}: not {size} cards")
    return [parse_card(card) for card in cards]


def check_deal(match: Match, event: dict[str, Any]) -> None:
    """Check that the deal is possible and start it."""
    options, n, size = match.options, match.n, match.hand_size
    need(set(event) == {"deal"}, f"{event} instead of a deal")
    deal = event["deal"]
    names = ["dealer", "hands", "miss", "pool", "stock", "turn_up"]
    well_formed = isinstance(deal, dict) and sorted(deal) == names
    need(well_formed, f"a deal has {', '.join(names)}, and this is {deal}")
    dealer, right = deal["dealer"], match.next_dealer()
    need(is_int(dealer, 0, n - 1), f"dealer is {dealer!r}")
    need(right in (None, dealer), f"dealer is {dealer} and should be {right}")
    pool = match.carry + sum(match.antes(dealer))
    need(same(deal["pool"], pool), f"pool is {deal['pool']} and should be {pool}")
    need(isinstance(deal["hands"], list) and len(deal["hands"]) == n, f"not {n} hands")
    hands = [parse_list(hand, f"hand {p}", size) for p, hand in enumerate(deal["hands"])]
    miss = turn_up = None
    if match.deals_miss():
        miss = parse_list(deal["miss"], "the Miss", size)
    else:
        need(deal["miss"] is None, "a Miss where none is dealt")
    if has_turn_up(options):
        turn_up = parse_card(deal["turn_up"])
    else:
        need(deal["turn_up"] is None, "a card is turned up")
    stock = parse_list(deal["stock"], "the stock")
    cards = [card for part in [*hands, miss or [], stock] for card in part]
    cards += [] if turn_up is None else [turn_up]
    deck = [(rank, suit) for rank in range(15 - options["ranks"], 15) for suit in range(4)]
    twice = {card for card in cards if cards.count(card) > 1}
    need(not twice, f"dealt more than once: {text_of(twice)}")
    wrong = set(deck) ^ set(cards)
    need(not wrong, f"of the deck but not dealt, or the reverse: {text_of(wrong)}")
    match.start_deal(dealer, hands, miss, turn_up, stock)


def check_reshuffle(match: Match, event: dict[str, Any]) -> None:
    """Check what goes into the new stock and go on drawing from it."""
    need(set(event) == {"reshuffle"}, f"{event} instead of a reshuffle")
    match.reshuffle(parse_list(event["reshuffle"], "the reshuffle"))


def check_happened(event: dict[str, Any], right: dict[str, Any]) -> None:
    """Check an event that happens by itself against what should have happened."""
    need(set(event) == set(right), f"{event} instead of {right}")
    for kind, parts in right.items():
        told = event[kind]
        if isinstance(told, dict):
            for name, value in parts.items():
                found = told.get(name)
                need(same(found, value), f"{kind}: {name} is {found} and should be {value}")
    need(same(event, right), f"{event} instead of {right}")


def check_move(match: Match, event: dict[str, Any]) -> None:
    """Check a player's move and make it."""
    need(match.phase != "over", f"{event} after the end of the match")
    is_move = {"player", "move"} <= set(event) <= {"player", "move", "legal"}
    need(is_move, f"{event} is not a move, and player {match.to_move} is to move")
    player, move = event["player"], event["move"]
    need(same(player, match.to_move), f"player {match.to_move} is to move, not {player!r}")
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
    if match.phase == "reshuffle":
        check_reshuffle(match, event)
        return "reshuffle"
    check_move(match, event)
    return "move"


def check_record(record: dict[str, Any]) -> int:
    """Replay a record and raise AssertionError at the first disagreement; counts the moves."""
    need(record.get("format") == "loop-envs-record/1", f"format is {record.get('format')!r}")
    need(str(record.get("env")).startswith("loo-v"), f"env is {record.get('env')!r}")
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
    due = match.phase not in ("deal", "reshuffle")
    need(due, f"{at_end}the next {match.phase} is missing")
    agents = record.get("agents")
    need(agents is None or len(agents) == match.n, f"agents is {agents!r}")
    results = {"end": match.end, "scores": match.scores(), "winners": match.winners()}
    for name, right in results.items():
        need(name in record, f"{name} is missing")
        found = record[name]
        need(same(found, right), f"{at_end}{name} is {found!r} and should be {right!r}")
    return moves
