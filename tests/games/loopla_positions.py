"""Positions of LOOPLA! by hand: the state record is edited, then played through `Game`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loop_envs import load_game
from loop_envs.game import Game, State

CONSTRAINTS = ["free", "up", "down", "doubled", "sovereign"]


def loopla(**options: Any) -> Game:
    """The game under options."""
    return load_game("loopla-v0", **options)


def small(players: int, hand: int, values: int, copies: int, **more: Any) -> dict[str, Any]:
    """Options of a small research variant."""
    return {
        "num_players": players, "hand_size": hand, "values": values, "copies": copies, **more
    }  # fmt: skip


def numbers(text: str) -> list[int]:
    """'5 6' -> [5, 6]."""
    return [int(word) for word in text.split()]


def words(cards: Sequence[int]) -> list[int]:
    """Cards -> four words, word k with the values held more than k times; without the library."""
    return [
        sum(1 << v - 1 for v in set(cards) if list(cards).count(v) > k) for k in range(4)
    ]  # fmt: skip


def cards(row: Any) -> list[int]:
    """The reverse of `words`, ascending."""
    return sorted(v + 1 for word in row for v in range(16) if int(word) >> v & 1)


def position(
    game: Game,
    hands: Sequence[str],
    top: int,
    constraint: str = "free",
    *,
    player: int = 0,
    collections: Sequence[str] = (),
    played: str = "",
    direction: int = 1,
) -> State:
    """A position in which a player is to play a card.

    Args:
        game: The game.
        hands: By player, the cards in hand; one who has none is out of the round.
        top: The top of the pile.
        constraint: What binds the next play.
        player: Who is to play.
        collections: By player, the values collected.
        played: Other cards that were face up before.
        direction: 1 or -1.
    """
    state = game.new_state(0)
    s = state[0]
    for name in ("left", "seen", "collection", "lacks", "gained", "bonus", "cards_left"):
        s[name] = 0
    for name in ("fallen", "busted", "again", "dealt"):
        s[name] = 0
    for p, hand in enumerate(hands):
        s["left"][p] = words(numbers(hand))
        s["cards_left"][p] = len(numbers(hand))
    for p, collection in enumerate(collections):
        s["collection"][p] = words(numbers(collection))[0]
    s["seen"][0] = words([top, *numbers(played)])
    s["active"] = sum(1 << p for p in range(len(hands)) if hands[p])
    s["top"], s["covered"], s["giver"] = top - 1, -1, -1
    s["constraint"] = CONSTRAINTS.index(constraint)
    s["player"], s["direction"], s["phase"] = player, direction, 0
    return state


def deal(game: Game, hands: Sequence[str], top: int, first: int = 0, **more: Any) -> State:
    """A match whose first round is dealt by hand."""
    state = game.undealt(0)
    deal_next(game, state, hands, top, first, **more)
    return state


def deal_next(
    game: Game, state: State, hands: Sequence[str], top: int, first: int, **more: Any
) -> list[dict[str, Any]]:
    """Deals a round by hand; returns what happened by itself."""
    event = {"hands": [numbers(hand) for hand in hands], "top": top, "first": first, **more}
    before = state.copy()
    game.deal(state, game.rules.deck_of(game, state, event))
    told = game.rules.deal_event(game, state)
    assert told == {**event, "hands": [sorted(hand) for hand in event["hands"]]}
    return game.rules.events(game, before, state)


def legal(game: Game, state: State) -> str:
    """The legal moves, cards first and ascending: '2 5 7' or 'take leave'."""
    texts = [game.action_text(state, a) for a in game.legal_actions(state)]
    return " ".join(text.removeprefix("play ") for text in texts)


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


def round_end(happened: list[dict[str, Any]]) -> tuple[Any, Any, Any]:
    """Collections, bonus and points of the round whose end was the last thing to happen."""
    told = happened[-1]["round_end"]
    return told["collections"], told["bonus"], told["points"]


def falls(happened: list[dict[str, Any]]) -> list[int]:
    """The players who fell, in order."""
    return [event["fall"] for event in happened if "fall" in event]


def constraint(state: State) -> str:
    """What binds the next play."""
    return CONSTRAINTS[int(state["constraint"][0])]


def with_points(state: State, points: Sequence[int], rounds_done: int = 0) -> State:
    """The same position with these scores of earlier rounds."""
    state["points"][0, : len(points)] = points
    state["rounds_done"][0] = rounds_done
    return state


def generator(*seed: int) -> np.random.Generator:
    """Random numbers of a test's own."""
    return np.random.default_rng(seed)
