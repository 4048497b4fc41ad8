"""Texts of LOOPLA!: moves and events of game records, and a match as a person reads it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.errors import RecordError
from loop_envs.game import DECK_SIZE, Game, State
from loop_envs.games.loopla.state import DOWN, INSTRUCTING, OPENING, PICKING_UP, UP

CONSTRAINTS = ["any card", "up", "down", "doubled", "Sovereign"]
INSTRUCTIONS = {"up": UP, "down": DOWN}


def values_in(words: Any) -> list[int]:
    """The values of a set of cards, ascending, each as often as it is held."""
    return sorted(v + 1 for word in words for v in range(16) if int(word) >> v & 1)


def _texts(values: list[int]) -> str:
    return " ".join(map(str, values))


def action_texts(game: Game) -> list[str]:
    """All actions as in game records."""
    plays = [f"play {v + 1}" for v in range(game.options["values"])]
    return [*plays, "take", "leave", "up", "down"]


def action_groups(game: Game) -> list[tuple[str, int, int, str]]:
    """(name, first, number, meaning) of each kind of action."""
    values = game.options["values"]
    return [
        ("play", 0, values, "play a card: values ascending from 1"),
        ("take", values, 1, "pick up the covered card"),
        ("leave", values + 1, 1, "leave the covered card"),
        ("up", values + 2, 1, "the next player must play higher"),
        ("down", values + 3, 1, "the next player must play lower"),
    ]


def action_cards(game: Game) -> npt.NDArray[np.int8]:
    """The card that each action takes out of the hand, by value."""
    return np.eye(game.num_actions, game.options["values"], dtype=np.int8)


# Records ----------------------------------------------------------------------------------------


def deal_event(game: Game, state: State) -> dict[str, Any]:
    """The deal event of a round that has just begun, or ended by itself."""
    s = state[0]
    event: dict[str, Any] = {
        "hands": [values_in(s["left"][p]) for p in range(game.num_players)],
        "top": int(s["top"]) + 1,
        "first": int(s["starter"]),
    }
    if game.options["first_instruction"] == "random":
        event["instruction"] = "up" if s["dealt"] == UP else "down"
    return event


def deck_from_event(game: Game, state: State, event: Any) -> npt.NDArray[np.int16]:
    """The deck that deals what an event says.

    Raises:
        RecordError: If it is no deal of this game, or not one that can come next.
    """
    n, size = game.num_players, game.options["hand_size"]
    values, copies = game.options["values"], game.options["copies"]
    drawn = game.options["first_instruction"] == "random"
    keys = {"hands", "top", "first"} | ({"instruction"} if drawn else set())
    if not isinstance(event, dict) or set(event) != keys:
        raise RecordError(f"a deal has exactly the keys {sorted(keys)}, got {event!r:.200}")
    hands, top, first = event["hands"], event["top"], event["first"]
    if not isinstance(hands, list) or [_length(h) for h in hands] != [size] * n:
        raise RecordError(f"'hands' must be {n} lists of {size} cards, got {hands!r:.200}")
    cards = [value for hand in (*hands, [top]) for value in hand]
    for value in cards:
        if type(value) is not int or not 1 <= value <= values:
            raise RecordError(f"{value!r:.200} is no card of this deck (1..{values})")
    often = [v for v, times in Counter(cards).items() if times > copies]
    if often:
        raise RecordError(f"dealt more than {copies} times: {_texts(sorted(often))}")
    if type(first) is not int or not 0 <= first < n:
        raise RecordError(f"'first' must be a player 0..{n - 1}, got {first!r:.200}")
    expected = int(state["next_starter"][0])
    if state["deals"][0] > 0 and first != expected:
        raise RecordError(f"'first' must be player {expected} in this round, got {first}")
    deck = np.zeros(DECK_SIZE, np.int16)
    deck[: len(cards)] = np.array(cards) - 1
    deck[values * copies] = first
    if drawn:
        given = event["instruction"]
        if not isinstance(given, str) or given not in INSTRUCTIONS:
            raise RecordError(f"'instruction' must be 'up' or 'down', got {given!r:.200}")
        deck[values * copies + 1] = INSTRUCTIONS[given]
    return deck


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else -1


def events(game: Game, before: State, after: State) -> list[dict[str, Any]]:
    """What happened by itself in a step or a deal: falls in turn order, the end of a round."""
    n = game.num_players
    b, a = before[0], after[0]
    dealt = int(a["deals"]) != int(b["deals"])
    fallen = int(a["fallen"]) & ~(0 if dealt else int(b["fallen"]))
    # Falls go on from the first player of a round, or from who has moved: who falls after the own
    # move falls first, with the turn of the own again.
    first = int(a["starter"] if dealt else b["player"])
    turn = [(first + int(a["direction"]) * k) % n for k in range(n)]
    found: list[dict[str, Any]] = [{"fall": p} for p in turn if fallen >> p & 1]
    if int(a["rounds_done"]) != int(b["rounds_done"]):
        found.append({"round_end": _round_end(game, after)})
    return found


def _round_end(game: Game, state: State) -> dict[str, Any]:
    s, n = state[0], game.num_players
    return {
        "collections": [values_in([word]) for word in s["collection"][:n]],
        "bonus": [int(x) for x in s["bonus"][:n]],
        "points": [int(x) for x in s["gained"][:n]],
        "totals": [int(x) for x in s["points"][:n]],
    }


# For people -------------------------------------------------------------------------------------


def state_text(game: Game, state: State, player: int | None) -> str:
    """A match as one player sees it, or with every card face up."""
    if player is not None:
        game.observe(state, player)  # refuses foreign states and players
    s = state[0]
    over = game.is_over(state)
    rounds = game.options["rounds"]
    line = f"Round {int(s['rounds_done']) + (not over)}{f' of {rounds}' if rounds else ''}"
    line += f"; {'clockwise' if s['direction'] > 0 else 'anticlockwise'}; top {int(s['top']) + 1}"
    if s["constraint"] >= 0 and not over:
        line += f", next: {CONSTRAINTS[s['constraint']]}"
        if s["giver"] >= 0:
            line += f" (P{int(s['giver'])})"
    lines = [line]
    for p in range(game.num_players):
        status = f"{int(s['cards_left'][p])} cards, {int(s['points'][p])} points"
        if s["fallen"] >> p & 1:
            values = _texts(values_in([s["lacks"][p]]))
            status += f", fell (holds none of {values})"
        elif not s["active"] >> p & 1:
            status += ", out by a bust"
        lines.append(f"{'>' if p == s['player'] else ' '} P{p} {status}")
        if s["collection"][p]:
            lines.append(f"     collection {_texts(values_in([s['collection'][p]]))}")
        if player is None or p == player:
            lines.append(f"     hand       {_texts(values_in(s['left'][p]))}")
    lines.append(f"Seen: {_texts(values_in(s['seen'][0]))}")
    if over:
        winners = [str(p) for p, place in enumerate(game.places(state)) if place == 0]
        lines.append(f"The match is over. Winners: {', '.join(winners)}")
    elif s["player"] < 0:
        lines.append("A deal is due")
    elif s["phase"] == PICKING_UP:
        lines.append(f"P{int(s['player'])} may take the covered {int(s['covered']) + 1}")
    elif s["phase"] in (INSTRUCTING, OPENING):
        whom = "the next player" if s["phase"] == INSTRUCTING else "the own first play"
        lines.append(f"P{int(s['player'])} gives the instruction for {whom}")
    return "\n".join(lines)
