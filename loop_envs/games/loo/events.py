"""Events of game records of Loo: what was dealt, shuffled anew, and happened by itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.errors import RecordError
from loop_envs.game import DECK_SIZE, Game, State
from loop_envs.games.loo.options import SUITS, antes, has_miss, has_turn_up
from loop_envs.games.loo.state import RESHUFFLING
from loop_envs.games.loo.text import LETTERS, RANKS, card_text, cards_in


def _stock(state: State, ranks: int) -> list[str]:
    s = state[0]
    return [card_text(int(card), ranks) for card in s["stock"][: int(s["stock_size"])]]


def deal_name(game: Game, state: State) -> str:
    """What is due in a state without a player to move: a deal or a reshuffle."""
    return "reshuffle" if state["phase"][0] == RESHUFFLING else "deal"


def deal_event(game: Game, state: State) -> Any:
    """The deal event of a deal that has just begun, or the new stock right after a reshuffle."""
    ranks, s = game.options["ranks"], state[0]
    if s["reshuffled"]:
        return _stock(state, ranks)
    turn_up = cards_in(s["turn_up"], ranks)
    return {
        "dealer": int(s["dealer"]),
        "pool": int(s["pool"]),
        "hands": [cards_in(hand, ranks) for hand in s["hands"][: game.num_players]],
        "miss": cards_in(s["miss"], ranks) or None,
        "turn_up": turn_up[0] if turn_up else None,
        "stock": _stock(state, ranks),
    }


def deck_from_event(game: Game, state: State, event: Any) -> npt.NDArray[np.int16]:
    """The deck that deals what an event says.

    Raises:
        RecordError: If it is no deal of this game, or not one that can come next.
    """
    if deal_name(game, state) == "reshuffle":
        return _reshuffled_deck(game, state, event)
    n, size, ranks = game.num_players, game.options["hand_size"], game.options["ranks"]
    keys = ["dealer", "hands", "miss", "pool", "stock", "turn_up"]
    if not isinstance(event, dict) or sorted(event) != keys:
        raise RecordError(f"a deal has exactly the keys {keys}, got {event!r:.200}")
    dealer, pool = _next_dealer_and_pool(game, state, event["dealer"])
    if type(event["pool"]) is not int or event["pool"] != pool:
        raise RecordError(f"'pool' must be {pool} in this deal, got {event['pool']!r:.200}")
    hands, miss, turn_up = event["hands"], event["miss"], event["turn_up"]
    if not isinstance(hands, list) or [_length(h) for h in hands] != [size] * n:
        raise RecordError(f"'hands' must be {n} lists of {size} cards, got {hands!r:.200}")
    single = state["carry"][0] == 0
    with_miss = has_miss(game.options) and not (single and game.options["bold_stand"] == "all")
    if (_length(miss) != size) if with_miss else (miss is not None):
        wanted = f"{size} cards" if with_miss else "null"
        raise RecordError(f"'miss' must be {wanted}, got {miss!r:.200}")
    if (turn_up is None) == has_turn_up(game.options):
        wanted = "a card" if has_turn_up(game.options) else "null"
        raise RecordError(f"'turn_up' must be {wanted}, got {turn_up!r:.200}")
    if not isinstance(event["stock"], list):
        raise RecordError(f"'stock' must be a list of cards, got {event['stock']!r:.200}")
    dealt = [card for hand in hands for card in hand] + (miss or [])
    dealt += [turn_up] if has_turn_up(game.options) else []
    cards = _numbers([*dealt, *event["stock"]], ranks)
    if len(cards) != SUITS * ranks:
        raise RecordError(f"a deal has all {SUITS * ranks} cards of the deck, got {len(cards)}")
    deck = np.zeros(DECK_SIZE, np.int16)
    deck[: len(cards)] = cards
    deck[len(cards)] = dealer
    return deck


def _next_dealer_and_pool(game: Game, state: State, given: Any) -> tuple[int, int]:
    """Who deals next and what lies in the pool then; the first dealer is free."""
    n, s = game.num_players, state[0]
    if type(given) is not int or not 0 <= given < n:
        raise RecordError(f"'dealer' must be a player 0..{n - 1}, got {given!r:.200}")
    expected = (int(s["dealer"]) + 1) % n if s["deals_done"] else given
    if given != expected:
        raise RecordError(f"'dealer' must be player {expected} in this deal, got {given}")
    own, others = antes(game.options)
    return given, int(s["carry"]) + own + (n - 1) * others


def _reshuffled_deck(game: Game, state: State, event: Any) -> npt.NDArray[np.int16]:
    ranks = game.options["ranks"]
    waste = cards_in(state["waste"][0], ranks)
    if not isinstance(event, list):
        raise RecordError(f"a reshuffle is a list of cards, got {event!r:.200}")
    cards = _numbers(event, ranks)
    if set(cards) != set(_numbers(waste, ranks)):
        raise RecordError(f"a reshuffle here has the cards {' '.join(waste)}, got {event!r:.200}")
    others = [card for card in range(SUITS * ranks) if card not in cards]
    deck = np.zeros(DECK_SIZE, np.int16)
    deck[: SUITS * ranks] = cards + others
    return deck


def _numbers(texts: list[Any], ranks: int) -> list[int]:
    """The numbers of cards that must all differ."""
    numbers = {card_text(card, ranks): card for card in range(SUITS * ranks)}
    for text in texts:
        if not isinstance(text, str) or text not in numbers:
            known = f"{RANKS[13 - ranks :]}, {LETTERS}"
            raise RecordError(f"{text!r:.200} is no card of this deck ({known})")
    twice = [text for text, times in Counter(texts).items() if times > 1]
    if twice:
        raise RecordError(f"cards dealt more than once: {', '.join(twice)}")
    return [numbers[text] for text in texts]


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else -1


def events(game: Game, before: State, after: State) -> list[dict[str, Any]]:
    """What happened by itself in a step or a deal: flushes, the end of a deal."""
    n, s = game.num_players, after[0]
    if s["deals_done"] == before["deals_done"][0]:
        return []
    found: list[dict[str, Any]] = []
    for k in range(1, n + 1):
        p = (int(s["dealer"]) + k) % n
        if s["flushed"] >> p & 1:
            cards = cards_in(s["hands"][p], game.options["ranks"])
            found.append({"flush": {"player": p, "cards": cards}})
    found.append({"round_end": _round_end(game, after)})
    return found


def _round_end(game: Game, state: State) -> dict[str, Any]:
    n, s = game.num_players, state[0]
    chips = [int(c) for c in s["chips"][:n]]
    carry = int(s["carry"])
    if game.is_over(state) and game.options["final_pool"] == "split":
        for k in range(n):  # what the pool was shared out to afterwards
            p = (int(s["dealer"]) + 1 + k) % n
            chips[p] -= carry // n + (k < carry % n)
    return {
        "tricks": [int(t) for t in s["tricks_won"][:n]],
        "looed": [p for p in range(n) if s["looed"] >> p & 1],
        "chips": chips,
        "carry": carry,
    }
