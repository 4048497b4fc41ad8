"""Texts of loop_boards: moves and events of game records, and a match as a person reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.climbing import text
from loop_envs.climbing.tables import CHOOSING
from loop_envs.climbing.text import LETTERS, hand_text
from loop_envs.errors import RecordError
from loop_envs.game import DECK_SIZE, Game, State
from loop_envs.games.loop_boards.actions import MAX_COMBINATION
from loop_envs.games.loop_boards.options import deck_of


def action_texts(game: Game) -> list[str]:
    """All actions as in game records."""
    return text.action_texts(game.tables, deck_of(game.options)[1])


def action_groups(game: Game) -> list[tuple[str, int, int, str]]:
    """(name, first, number, meaning) of each kind of action."""
    return text.action_groups(game.tables, MAX_COMBINATION)


def action_cards(game: Game) -> npt.NDArray[np.int8]:
    """The cards that each action takes out of the hand."""
    return text.action_cards(game.tables, deck_of(game.options)[1])


# Records ----------------------------------------------------------------------------------------


def deal_event(game: Game, state: State) -> dict[str, Any]:
    """The deal event of a match that has just begun."""
    hands = state["hands"][0, : game.num_players]
    golden = int(state["golden"][0])
    return {**text.cards_event(hands, *deck_of(game.options)), "golden": golden}


def deck_from_event(game: Game, state: State, event: Any) -> npt.NDArray[np.int16]:
    """The deck that deals what an event says.

    Raises:
        RecordError: If it is no deal of this game.
    """
    n, size = game.num_players, game.options["hand_size"]
    cards = text.cards_from_event(event, {"golden"}, n, size, *deck_of(game.options))
    golden = event["golden"]
    if not isinstance(golden, int) or isinstance(golden, bool) or not 0 <= golden < n:
        raise RecordError(f"'golden' must be a player 0..{n - 1}, got {golden!r:.200}")
    fixed = game.options["golden"]
    if fixed != "random" and golden != fixed:
        raise RecordError(f"'golden' must be {fixed} under the option, got {golden}")
    deck = np.zeros(DECK_SIZE, np.int16)
    deck[: len(cards)] = cards
    deck[len(cards)] = golden
    return deck


def events(game: Game, before: State, after: State) -> list[dict[str, Any]]:
    """What happened by itself in a step: the end of a round."""
    played = int(before["rounds_done"][0])
    if int(after["rounds_done"][0]) == played and not game.is_over(after):
        return []
    n = game.num_players
    ranks = [int(after["ranks"][0, (p - played) % n, played]) for p in range(n)]
    return [{"round_end": {"ranks": ranks}}]


# For people -------------------------------------------------------------------------------------


def state_text(game: Game, state: State, player: int | None) -> str:
    """A match as one player sees it, or with every card face up."""
    colours, values = deck_of(game.options)
    n = game.num_players
    s = state[0]
    round_, golden = int(s["rounds_done"]), int(s["golden"])
    moved = round_ if game.options["golden_travels"] else 0
    order = "low beats high" if s["inverted"] else "high beats low"
    phase = "setting aside" if s["phase"] == CHOOSING else order
    lines = [
        f"Round {round_ + 1} of {game.options['rounds']}, {phase}; "
        f"player {(golden + moved) % n} holds the golden board"
    ]
    seen = {} if player is None else game.layout.split(game.observe(state, player))
    for p in range(n):
        b = (p - round_) % n
        left = s["left"][p, :colours]
        count = sum(int(word).bit_count() for word in left)
        rank = int(s["ranks"][b, round_])
        status = f"out, rank {rank}" if rank else f"{count} cards"
        marks = " ".join(f"P{(b + r) % n}:{int(s['ranks'][b, r])}" for r in range(round_))
        lines.append(
            f"{'>' if p == s['player'] else ' '} P{p} {status}, {int(s['points'][p])} points; "
            f"board {b}{' [' + marks + ']' if marks else ''}"
        )
        played = s["hands"][b, :colours] & ~(left | s["aside"][p, :colours])
        if player is None or p == player:
            lines.append(f"     hand  {hand_text(left, values)}")
            lines.append(f"     aside {hand_text(s['aside'][p, :colours], values)}")
        else:
            known = seen["known"][(p - player) % n - 1]
            words = (known.astype(np.uint16) << np.arange(values, dtype=np.uint16)).sum(axis=1)
            if words.any():
                lines.append(f"     known {hand_text(words, values)}")
        eight = game.options["eight"]
        eights = [f"{eight}{LETTERS[c]}" for c in range(colours) if s["revealed"][p] >> c & 1]
        if eights:
            lines.append(f"     revealed {' '.join(eights)}")
        if played.any():
            lines.append(f"     played {hand_text(played, values)}")
    if s["player"] < 0:
        winners = [str(p) for p, place in enumerate(game.places(state)) if place == 0]
        lines.append(f"The match is over. Winners: {', '.join(winners)}")
    elif s["current"] >= 0:
        lines.append(f"To beat: {game.action_names[s['current']]} by P{int(s['owner'])}")
    elif s["phase"] != CHOOSING:
        lines.append(f"P{int(s['player'])} leads")
    return "\n".join(lines)
