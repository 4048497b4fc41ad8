"""Positions of loop_seats by hand: the state record is edited, then played through `Game`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loop_envs import load_game
from loop_envs.game import Game, State

from .positions import PLAYING, cards, play, words

SEATING = 2  # the phase in which the fourth of four chooses a seat


def loop_seats(**options: Any) -> Game:
    """The game under options."""
    return load_game("loop_seats-v0", **options)


def small(players: int, hand: int, colours: int, values: int, **more: Any) -> dict[str, Any]:
    """Options of a small research variant."""
    deck = {"colours": colours, "values": values}
    return {"num_players": players, "hand_size": hand, **deck, **more}


def position(
    game: Game,
    hands: Sequence[str],
    *,
    table: str = "",
    player: int = 0,
    aside: Sequence[str] = (),
    inverted: bool = False,
    passed: Sequence[int] = (),
) -> State:
    """A position in the tricks of round 1: player p sits at seat p.

    Args:
        game: The game.
        hands: By player, what is still in hand; who has nothing has gone out, the lower first.
        table: The combination to beat, by the player before the one to move; empty for a lead.
        player: Who is to move.
        aside: By player, the cards set aside.
        inverted: Whether low beats high.
        passed: Who has passed since the last play.
    """
    n = game.num_players
    state = game.new_state(0)
    s = state[0]
    owner = (player - 1) % n
    s["hands"] = s["left"] = s["aside"] = 0
    for p, set_aside in enumerate([*aside, *[""] * (n - len(aside))]):
        s["left"][p] = words(hands[p])
        s["aside"][p] = words(set_aside)
        on_table = table if p == owner else ""
        s["hands"][p] = words(f"{hands[p]} {set_aside} {on_table}")
        if not hands[p]:
            s["rank"][p] = s["rank"].max() + 1
    s["active"] = sum(1 << p for p in range(n) if hands[p])
    s["current"] = game.parse_action(state, f"play {table}") if table else -1
    s["owner"] = owner if table else -1
    s["passed"] = sum(1 << p for p in passed)
    s["player"], s["phase"], s["inverted"] = player, PLAYING, inverted
    return state


def after_round(game: Game, card: Sequence[int], points: Sequence[int]) -> State:
    """The start of a round behind the first: the rank card of each seat, the totals; player p sits
    at seat p, where the rank card is that of the own rank before."""
    state = game.new_state(0)
    n = game.num_players
    for field, values in (("card", card), ("before", card), ("points", points)):
        state[field][0, :n] = values
    state["rounds_done"] = 1
    return state


def finish_round(game: Game, state: State, ranks: Sequence[int], choice: int | None = 0) -> None:
    """Lets the players leave the running round with these ranks (by player), one card each.

    Where the last of four is to choose a seat, that is `choice`; None leaves it to be chosen.
    """
    n = game.num_players
    s = state[0]
    lowest = [cards(s["hands"][s["seat_of"][p]]).split()[0] for p in range(n)]
    for p in range(n):
        s["left"][s["seat_of"][p]] = words(lowest[p])
    s["aside"] = s["rank"] = 0
    s["active"], s["phase"] = (1 << n) - 1, PLAYING
    order = sorted(range(n), key=lambda p: ranks[p])
    for p in order[:-1]:
        s["player"], s["current"], s["owner"], s["passed"] = p, -1, -1, 0
        play(game, state, f"{p} play {lowest[p]}")
        if game.is_over(state):
            return
    if s["phase"] == SEATING and choice is not None:
        play(game, state, f"{order[-1]} take_seat {choice}")


def seats(game: Game, state: State) -> list[int]:
    """The seat of each player."""
    return [int(seat) for seat in state["seat_of"][0, : game.num_players]]
