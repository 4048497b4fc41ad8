"""Positions of loop_boards by hand: the state record is edited, then played through `Game`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loop_envs import load_game
from loop_envs.game import Game, State

COLOURS = "RGBYPO"
PLAYING = 1  # the phase behind the set-asides


def loop_boards(**options: Any) -> Game:
    """The game under options."""
    return load_game("loop_boards-v0", **options)


def small(players: int, hand: int, colours: int, values: int, **more: Any) -> dict[str, Any]:
    """Options of a small research variant."""
    deck = {"colours": colours, "values": values}
    return {"num_players": players, "hand_size": hand, "deck": deck, **more}


def words(cards: str) -> list[int]:
    """'8R 9R 1G' -> one word per colour, bit v - 1 for value v; written without the library."""
    row = [0] * 8
    for card in cards.split():
        row[COLOURS.index(card[-1])] |= 1 << int(card[:-1]) - 1
    return row


def cards(row: Any) -> str:
    """The reverse of `words`, ascending by value, then colour."""
    held = [(v, c) for c in range(6) for v in range(15) if int(row[c]) >> v & 1]
    return " ".join(f"{v + 1}{COLOURS[c]}" for v, c in sorted(held))


def position(
    game: Game,
    hands: Sequence[str],
    *,
    table: str = "",
    owner: int = -1,
    player: int = 0,
    aside: Sequence[str] = (),
    played: Sequence[str] = (),
    inverted: bool = False,
    round_: int = 0,
    golden: int = 0,
) -> State:
    """A position in the tricks of a round: who holds what, what lies on the table, who is to move.

    Args:
        game: The game.
        hands: By player, what is still in hand.
        table: The combination to beat; empty for a lead.
        owner: Who played it; -1 is the player before the one to move.
        player: Who is to move.
        aside: By player, the cards set aside.
        played: By player, other cards played before in this round.
        inverted: Whether low beats high.
        round_: Number of the round.
        golden: Who held the golden board in round 0.
    """
    n = game.num_players
    state = game.new_state(0)
    s = state[0]
    aside = [*aside, *[""] * (n - len(aside))]
    played = [*played, *[""] * (n - len(played))]
    owner = (player - 1) % n if owner < 0 else owner
    s["hands"] = s["seen"] = s["left"] = s["aside"] = s["ranks"] = s["revealed"] = 0
    for p in range(n):
        on_table = table if p == owner else ""
        s["left"][p] = words(hands[p])
        s["aside"][p] = words(aside[p])
        s["hands"][(p - round_) % n] = words(f"{hands[p]} {aside[p]} {played[p]} {on_table}")
    s["active"] = sum(1 << p for p in range(n) if hands[p])
    s["current"] = game.parse_action(state, f"play {table}") if table else -1
    s["owner"] = owner if table else -1
    s["passed"] = 0
    s["rounds_done"], s["golden"], s["player"] = round_, golden, player
    s["phase"], s["inverted"], s["must_play"] = PLAYING, inverted, 0
    return state


def legal(game: Game, state: State) -> list[str]:
    """The legal moves as texts, sorted."""
    return sorted(game.action_text(state, a) for a in game.legal_actions(state))


def play(game: Game, state: State, *moves: str) -> None:
    """Plays moves written 'player move'; checks whose turn each is and that it is legal."""
    for text in moves:
        player, _, move = text.partition(" ")
        assert game.current_player(state) == int(player), (text, game.state_text(state))
        game.step(state, game.parse_action(state, move))


def finish_round(game: Game, state: State, ranks: Sequence[int]) -> None:
    """Lets the players leave the running round with these ranks (by player), one card each."""
    n = game.num_players
    s = state[0]
    round_ = int(s["rounds_done"])
    order = sorted(range(n), key=lambda p: ranks[p])
    for p in range(n):
        s["left"][p] = words(f"1{COLOURS[p]}")
        s["aside"][p] = 0
    s["active"], s["phase"] = (1 << n) - 1, PLAYING
    for p in order[:-1]:
        s["player"], s["current"], s["owner"], s["passed"] = p, -1, -1, 0
        play(game, state, f"{p} play 1{COLOURS[p]}")
    placed = [int(state["ranks"][0, (p - round_) % n, round_]) for p in range(n)]
    assert placed == list(ranks)
