"""Texts of loop_boards: moves and events of game records, and a match as a person reads it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.cards import WORDS, cards_of, words_of
from loop_envs.errors import RecordError
from loop_envs.game import DECK_SIZE, Game, State
from loop_envs.games.loop_boards.actions import (
    ASIDE,
    KIND,
    LETTERS,
    PASS,
    REVEAL,
    RUN,
    SET,
    SIZE,
)
from loop_envs.games.loop_boards.options import deck_of
from loop_envs.games.loop_boards.state import CHOOSING


def card_text(card: int, values: int) -> str:
    """A card as in game records, such as ``8R``."""
    return f"{card % values + 1}{LETTERS[card // values]}"


def hand_text(words: npt.NDArray[np.uint16], values: int) -> str:
    """A set of cards, ascending by value, then colour."""
    return " ".join(card_text(card, values) for card in cards_of(words, values))


def action_texts(game: Game) -> list[str]:
    """All actions as in game records."""
    _, values = deck_of(game.options)
    verbs = {SET: "play ", RUN: "play ", ASIDE: "aside ", PASS: "pass", REVEAL: "reveal"}
    return [verbs[int(row[KIND])] + hand_text(row[:WORDS], values) for row in game.tables]


def action_groups(game: Game) -> list[tuple[str, int, int, str]]:
    """(name, first, number, meaning) of each kind of action."""
    meanings = {
        (SET, 0): ("sets", "play 1 to 4 cards of one value: value by value, smaller sets first"),
        (RUN, 2): ("runs of 2", "play a run of two"),
        (RUN, 3): ("runs of 3", "play a run of three"),
        (RUN, 4): ("runs of 4", "play a run of four"),
        (ASIDE, 0): ("aside", "set a card aside: colour by colour, values ascending"),
        (PASS, 0): ("pass", "pass"),
        (REVEAL, 0): ("reveal", "reveal a set-aside 8, flip the order, then play"),
    }
    sizes = np.where(game.tables[:, KIND] == RUN, game.tables[:, SIZE], 0)
    groups = []
    for (kind, size), (name, meaning) in meanings.items():
        rows = np.flatnonzero((game.tables[:, KIND] == kind) & (sizes == size))
        if len(rows):
            groups.append((name, int(rows[0]), len(rows), meaning))
    return groups


# Records ----------------------------------------------------------------------------------------


def deal_event(game: Game, state: State) -> dict[str, Any]:
    """The deal event of a match that has just begun."""
    colours, values = deck_of(game.options)
    hands = state["hands"][0, : game.num_players]
    dealt = np.bitwise_or.reduce(hands, axis=0)
    unseen = [
        card for card in range(colours * values) if not dealt[card // values] >> card % values & 1
    ]
    unseen_words = words_of(unseen, values)
    return {
        "hands": [hand_text(hand, values).split() for hand in hands],
        "unseen": hand_text(unseen_words, values).split(),
        "golden": int(state["golden"][0]),
    }


def deck_from_event(game: Game, state: State, event: Any) -> npt.NDArray[np.int16]:
    """The deck that deals what an event says.

    Raises:
        RecordError: If it is no deal of this game.
    """
    colours, values = deck_of(game.options)
    n, size = game.num_players, game.options["hand_size"]
    keys = {"hands", "unseen", "golden"}
    if not isinstance(event, dict) or set(event) != keys:
        raise RecordError(f"a deal has exactly the keys {sorted(keys)}, got {event!r:.200}")
    hands, unseen, golden = event["hands"], event["unseen"], event["golden"]
    if not isinstance(hands, list) or [_length(h) for h in hands] != [size] * n:
        raise RecordError(f"'hands' must be {n} lists of {size} cards, got {hands!r:.200}")
    if _length(unseen) != colours * values - n * size:
        raise RecordError(
            f"'unseen' must be {colours * values - n * size} cards, got {unseen!r:.200}"
        )
    if not isinstance(golden, int) or isinstance(golden, bool) or not 0 <= golden < n:
        raise RecordError(f"'golden' must be a player 0..{n - 1}, got {golden!r:.200}")
    fixed = game.options["golden"]
    if fixed != "random" and golden != fixed:
        raise RecordError(f"'golden' must be {fixed} under the option, got {golden}")
    numbers = {card_text(card, values): card for card in range(colours * values)}
    texts = [card for hand in (*hands, unseen) for card in hand]
    for text in texts:
        if not isinstance(text, str) or text not in numbers:
            raise RecordError(
                f"{text!r:.200} is no card of this deck (1..{values}, {LETTERS[:colours]})"
            )
    twice = [text for text, times in Counter(texts).items() if times > 1]
    if twice:
        raise RecordError(f"cards dealt more than once: {', '.join(twice)}")
    deck = np.zeros(DECK_SIZE, np.int16)
    deck[: len(texts)] = [numbers[text] for text in texts]
    deck[len(texts)] = golden
    return deck


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else -1


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
