"""Positions of Loo by hand: deals given as texts, and tricks set up in the state record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from loop_envs import load_game
from loop_envs.game import Game, State

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECLARED = {"pass": 1, "in": 2, "miss": 3, "defend": 4}


def loo(variant: Any = "three_card", **options: Any) -> Game:
    """The game under options."""
    return load_game("loo-v0", variant=variant, **options)


def five(**options: Any) -> Game:
    """Five-card Loo under options."""
    return loo("five_card", **options)


@lru_cache(maxsize=None)
def places(ranks: int) -> dict[str, int]:
    """Every card's bit in a set, in ascending order of rank, then suit; not by the library."""
    return {
        rank + suit: 1 << 16 * s + r
        for r, rank in enumerate(RANKS[13 - ranks :])
        for s, suit in enumerate(SUITS)
    }


def deck_of(game: Game) -> list[str]:
    """All cards, in ascending order of rank, then suit."""
    return list(places(game.options["ranks"]))


def bits(game: Game, cards: str) -> int:
    """A set of cards as one number."""
    return sum(places(game.options["ranks"])[card] for card in cards.split())


def cards(game: Game, word: Any) -> str:
    """The reverse of `bits`, ascending."""
    number = int(word)
    return " ".join(card for card, bit in places(game.options["ranks"]).items() if number & bit)


def event(
    game: Game,
    state: State,
    hands: Sequence[str] = (),
    turn_up: str = "",
    *,
    dealer: int | None = None,
    miss: str = "",
    stock: str = "",
) -> dict[str, Any]:
    """A deal event; what is not given is filled up with the other cards, ascending."""
    n, size = game.num_players, game.options["hand_size"]
    o, s = game.options, state[0]
    given = [*" ".join(hands).split(), *miss.split(), *stock.split(), *turn_up.split()]
    rest = [card for card in deck_of(game) if card not in given]

    def full(text: str, number: int) -> list[str]:
        mine = text.split()
        while len(mine) < number:
            mine.append(rest.pop(0))
        return mine

    turned = o["variant"] != "irish" or o["irish_turnup"]
    single = s["carry"] == 0
    spare = o["variant"] in ("three_card", "mississippi")
    spare &= not (o["bold_stand"] == "all" and single)
    mode, ante = o["ante_mode"], o["ante"]
    antes = {"all": n * ante, "dealer": ante, "all_dealer_double": (n + 1) * ante}[mode]
    all_hands = [full(hands[p] if p < len(hands) else "", size) for p in range(n)]
    if dealer is None:
        dealer = (int(s["dealer"]) + 1) % n if s["deals_done"] else n - 1
    return {
        "dealer": dealer,
        "pool": int(s["carry"]) + antes,
        "hands": all_hands,
        "miss": full(miss, size) if spare else None,
        "turn_up": full(turn_up, 1)[0] if turned else None,
        "stock": stock.split() + rest,
    }


def deal(game: Game, hands: Sequence[str] = (), turn_up: str = "", **more: Any) -> State:
    """A match whose first deal is given by hand; the last player deals unless told."""
    state = game.undealt(0)
    deal_next(game, state, hands, turn_up, **more)
    return state


def deal_next(
    game: Game, state: State, hands: Sequence[str] = (), turn_up: str = "", **more: Any
) -> None:
    """Makes a deal by hand that is due."""
    told = event(game, state, hands, turn_up, **more)
    game.deal(state, game.rules.deck_of(game, state, told))
    right = game.rules.deal_event(game, state)
    for name in ("dealer", "pool", "turn_up", "stock"):
        assert right[name] == told[name]
    assert [set(hand) for hand in right["hands"]] == [set(hand) for hand in told["hands"]]


def legal(game: Game, state: State) -> str:
    """The legal moves, in the order of actions, without the word `play`."""
    texts = [game.action_text(state, a) for a in game.legal_actions(state)]
    return ", ".join(text.removeprefix("play ") for text in texts)


def play(game: Game, state: State, moves: str) -> list[dict[str, Any]]:
    """Plays moves written 'player move, player move, …' and checks whose turn each is.

    Stops before a deal that is due. Returns what happened by itself.
    """
    happened = []
    for text in moves.split(", "):
        player, _, move = text.partition(" ")
        assert game.current_player(state) == int(player), (text, game.state_text(state))
        before = state.copy()
        game.play(state, game.parse_action(state, move))
        happened += game.rules.events(game, before, state)
    return happened


def trick(
    game: Game,
    turn_up: str,
    played: str,
    hand: str,
    *,
    number: int = 0,
    gone: str = "",
    inside: int = 0,
) -> State:
    """A trick in which these cards have been played, and the player with this hand is to play.

    Args:
        game: The game.
        turn_up: The turned card; empty in irish.
        played: Cards of the trick, one of each player before, in order; the first may be followed
            by `civil`.
        hand: The hand of the player to move.
        number: Number of the trick, from 0.
        gone: Cards of earlier tricks.
        inside: How many players are in; one more than have played or are to play unless told.
    """
    state = deal(game, (), turn_up)
    s = state[0]
    moves = played.replace(" civil", "_civil").split()
    for name in ("hands", "kept", "barred", "played", "declared", "tricks_won"):
        s[name] = 0
    for p, move in enumerate(moves):
        s["hands"][p] = bits(game, move.removesuffix("_civil"))
    s["hands"][len(moves)] = bits(game, hand)
    s["played"][game.num_players - 1] = bits(game, gone)
    s["active"] = (1 << (inside or len(moves) + 2)) - 1
    s["player"], s["phase"], s["trick"], s["leader"] = 0, 2, number, 0
    for p, move in enumerate(moves):
        play(game, state, f"{p} play {move.replace('_', ' ')}")
    return state


def may(game: Game, turn_up: str, played: str, hand: str, **more: Any) -> str:
    """The cards that may be played, ascending by rank."""
    state = trick(game, turn_up, played, hand, **more)
    found = legal(game, state).split(", ")
    return " ".join(sorted(found, key=[*deck_of(game)].index))


def ending(
    game: Game,
    pool: int,
    winners: Sequence[int],
    *,
    inside: Sequence[int],
    defender: int | None = None,
    dealer: int | None = None,
    carry: int = 0,
    chips: Sequence[int] = (),
) -> dict[str, Any]:
    """Plays the last card of a deal; returns what its `round_end` says.

    Args:
        game: The game.
        pool: The pool of the deal.
        winners: Who wins each trick.
        inside: The players who are in.
        defender: Who of them defends.
        dealer: Who dealt; the last player unless told.
        carry: Of the pool, what was there before the antes.
        chips: By player, after the antes; otherwise all have what they began with.
    """
    return finish(game, ready_to_end(
        game, pool, winners, inside=inside, defender=defender, dealer=dealer, carry=carry,
        chips=chips,
    ))  # fmt: skip


def ready_to_end(
    game: Game,
    pool: int,
    winners: Sequence[int],
    *,
    inside: Sequence[int],
    defender: int | None = None,
    dealer: int | None = None,
    carry: int = 0,
    chips: Sequence[int] = (),
) -> State:
    """The last trick of a deal, see `ending`."""
    n, size = game.num_players, game.options["hand_size"]
    assert len(winners) == size
    state = deal(game, dealer=n - 1 if dealer is None else dealer)
    s = state[0]
    for name in ("hands", "played", "declared"):
        s[name] = 0
    s["chips"][:n] = chips or [game.options["stack"]] * n
    s["pool"], s["carry"], s["single"] = pool, carry, carry == 0
    leader = winners[-2] if size > 1 else inside[0]
    # One plain suit: the winner has its ace. Nobody is barred from anything by the last card.
    suit = next(s for s in "CDHS" if s not in str(game.rules.deal_event(game, state)["turn_up"]))
    low = iter(RANKS)
    for p in range(n):
        s["declared"][p] = 1
        if p in inside:
            s["declared"][p] = 4 if p == defender else 2
            rank = "A" if p == winners[-1] else next(low)
            s["hands"][p] = bits(game, f"{rank}{suit}")
    s["active"] = sum(1 << p for p in inside)
    s["phase"], s["trick"], s["player"] = 2, size - 1, leader
    s["leader"][size - 1] = leader
    for t, p in enumerate(winners[:-1]):
        s["leader"][t + 1] = p
        s["tricks_won"][p] += 1
    return state


def finish(game: Game, state: State) -> dict[str, Any]:
    """Plays on to the end of the deal; returns what its `round_end` says."""
    while True:
        before = state.copy()
        game.play(state, game.legal_actions(state)[0])
        happened = game.rules.events(game, before, state)
        if happened:
            told: dict[str, Any] = happened[-1]["round_end"]
            return told


def changes(game: Game, told: dict[str, Any]) -> list[int]:
    """Chips won and lost in a deal before which everybody had the stack."""
    return [chips - game.options["stack"] for chips in told["chips"]]


def generator(*seed: int) -> np.random.Generator:
    """Random numbers of a test's own."""
    return np.random.default_rng(seed)
