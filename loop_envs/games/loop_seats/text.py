"""Texts of loop_seats: moves and events of game records, and a match as a person reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.climbing import text
from loop_envs.climbing.tables import CHOOSING
from loop_envs.climbing.text import LETTERS, hand_text
from loop_envs.errors import RecordError
from loop_envs.game import DECK_SIZE, Game, State
from loop_envs.games.loop_seats.actions import MAX_SET, SEAT_CHOICES
from loop_envs.games.loop_seats.state import SEATING
from loop_envs.options import is_int


def action_texts(game: Game) -> list[str]:
    """All actions as in game records."""
    seats = [f"take_seat {i}" for i in range(SEAT_CHOICES)]
    return text.action_texts(game.tables, game.options["values"]) + seats


def action_groups(game: Game) -> list[tuple[str, int, int, str]]:
    """(name, first, number, meaning) of each kind of action."""
    groups = text.action_groups(game.tables, MAX_SET)
    first = game.num_actions - SEAT_CHOICES
    meaning = "take the seat of the player ranked first (0) or second (1)"
    return [*groups, ("take_seat", first, SEAT_CHOICES, meaning)]


def action_cards(game: Game) -> npt.NDArray[np.int8]:
    """The cards that each action takes out of the hand, and the seat that it chooses."""
    cards = text.action_cards(game.tables, game.options["values"])
    seats = np.zeros((game.num_actions, SEAT_CHOICES), np.int8)
    seats[-SEAT_CHOICES:] = np.eye(SEAT_CHOICES)
    return np.concatenate([cards, seats], axis=1)


# Records ----------------------------------------------------------------------------------------


def _seats(game: Game, state: State) -> list[int]:
    return [int(s) for s in state["seat_of"][0, : game.num_players]]


def deal_event(game: Game, state: State) -> dict[str, Any]:
    """The deal event of a match that has just begun."""
    hands = state["hands"][0, : game.num_players]
    cards = text.cards_event(hands, game.options["colours"], game.options["values"])
    return {**cards, "start_seat": int(state["start_seat"][0]), "seats": _seats(game, state)}


def deck_from_event(game: Game, state: State, event: Any) -> npt.NDArray[np.int16]:
    """The deck that deals what an event says.

    Raises:
        RecordError: If it is no deal of this game.
    """
    n, o = game.num_players, game.options
    others = {"start_seat", "seats"}
    cards = text.cards_from_event(event, others, n, o["hand_size"], o["colours"], o["values"])
    first, seats = event["start_seat"], event["seats"]
    if not is_int(first) or not 0 <= first < n:
        raise RecordError(f"'start_seat' must be a seat 0..{n - 1}, got {first!r:.200}")
    if (
        not isinstance(seats, list)
        or not all(is_int(s) for s in seats)
        or sorted(seats) != list(range(n))
    ):
        raise RecordError(f"'seats' must be the seats 0..{n - 1} in some order, got {seats!r:.200}")
    deck = np.zeros(DECK_SIZE, np.int16)
    deck[: len(cards)] = cards
    deck[len(cards) : len(cards) + 1 + n] = [first, *seats]
    return deck


def events(game: Game, before: State, after: State) -> list[dict[str, Any]]:
    """What happened by itself in a step: the end of a round, a change of seats."""
    n = game.num_players
    found: list[dict[str, Any]] = []
    was, now = before[0], after[0]
    if now["rounds_done"] != was["rounds_done"] or game.is_over(after):
        found.append({"round_end": _round_end(game, after)})
    if was["deals"] and (now["seat_of"][:n] != was["seat_of"][:n]).any():
        found.append({"seats": _seats(game, after)})
    return found


def _round_end(game: Game, after: State) -> dict[str, Any]:
    """What a finished round came to; the state may be in the next round already."""
    n, now = game.num_players, after[0]
    going_on = not game.is_over(after) and now["phase"] != SEATING
    ranks = [int(rank) for rank in now["before" if going_on else "rank"][:n]]
    earned = now["earned"][:n]
    return {
        "ranks": [rank or None for rank in ranks],  # none yet, in a match that ends at once
        "points": [int(e) if rank else 0 for e, rank in zip(earned, ranks, strict=True)],
        "totals": [int(total) for total in now["points"][:n]],
    }


# For people -------------------------------------------------------------------------------------


def state_text(game: Game, state: State, player: int | None) -> str:
    """A match as one player sees it, or with every card face up."""
    colours, values = game.options["colours"], game.options["values"]
    n = game.num_players
    s = state[0]
    order = "low beats high" if s["inverted"] else "high beats low"
    phase = {CHOOSING: "setting aside", SEATING: "choosing a seat"}.get(int(s["phase"]), order)
    lines = [f"Round {int(s['rounds_done']) + 1}, {phase}; seat {int(s['first'])} starts"]
    known = {}
    if player is not None:
        seen = game.layout.split(game.observe(state, player))
        me = int(s["seat_of"][player])
        known = {(me + 1 + k) % n: seen["known"][k] for k in range(n - 1)}
    for seat in range(n):
        p = int(s["player_at"][seat])
        left = s["left"][seat, :colours]
        rank = int(s["rank"][p])
        count = sum(int(word).bit_count() for word in left)
        status = f"out, rank {rank}" if rank else f"{count} cards"
        card = f", rank card {int(s['card'][seat])}" if s["card"][seat] else ""
        lines.append(
            f"{'>' if p == s['player'] else ' '} seat {seat}: P{p} {status}, "
            f"{int(s['points'][p])} points{card}"
        )
        aside = s["aside"][seat, :colours]
        if player is None or p == player:
            lines.append(f"     hand  {hand_text(left, values)}")
            lines.append(f"     aside {hand_text(aside, values)}")
        elif known[seat].any():
            words = (known[seat].astype(np.uint16) << np.arange(values, dtype=np.uint16)).sum(1)
            lines.append(f"     known {hand_text(words, values)}")
        eights = [
            f"{game.options['eight']}{LETTERS[c]}"
            for c in range(colours)
            if s["revealed"][seat] >> c & 1
        ]
        if eights:
            lines.append(f"     revealed {' '.join(eights)}")
        played = s["hands"][seat, :colours] & ~(left | aside)
        if played.any():
            lines.append(f"     played {hand_text(played, values)}")
    if s["player"] < 0:
        winners = [str(p) for p, place in enumerate(game.places(state)) if place == 0]
        lines.append(f"The match is over. Winners: {', '.join(winners)}")
    elif s["current"] >= 0:
        owner = int(s["player_at"][s["owner"]])
        lines.append(f"To beat: {game.action_names[s['current']]} by P{owner}")
    elif s["phase"] == SEATING:
        lines.append(f"P{int(s['player'])} takes the seat of the first (0) or of the second (1)")
    elif s["phase"] != CHOOSING:
        lines.append(f"P{int(s['player'])} leads")
    return "\n".join(lines)
