"""Texts of cards, moves and deals, as in game records."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.cards import WORDS, cards_of, unpack, words_of
from loop_envs.climbing.tables import ASIDE, KIND, PASS, REVEAL, RUN, SET, SIZE
from loop_envs.errors import RecordError

LETTERS = "RGBYPO"
_VERBS = {SET: "play ", RUN: "play ", ASIDE: "aside ", PASS: "pass", REVEAL: "reveal"}


def card_text(card: int, values: int) -> str:
    """A card as in game records, such as ``8R``."""
    return f"{card % values + 1}{LETTERS[card // values]}"


def hand_text(words: npt.NDArray[np.uint16], values: int) -> str:
    """A set of cards, ascending by value, then colour."""
    return " ".join(card_text(card, values) for card in cards_of(words, values))


def action_texts(tables: npt.NDArray[np.uint16], values: int) -> list[str]:
    """The actions up to REVEAL as in game records."""
    rows = [row for row in tables if int(row[KIND]) in _VERBS]
    return [_VERBS[int(row[KIND])] + hand_text(row[:WORDS], values) for row in rows]


def action_groups(tables: npt.NDArray[np.uint16], max_set: int) -> list[tuple[str, int, int, str]]:
    """(name, first, number, meaning) of each kind of action up to REVEAL."""
    groups = []
    kinds, sizes = tables[:, KIND], tables[:, SIZE]
    meanings = {
        SET: (
            "sets",
            f"play 1 to {max_set} cards of one value: value by value, smaller sets first",
        ),
        RUN: ("runs of {}", "play a run of {}"),
        ASIDE: ("aside", "set a card aside: colour by colour, values ascending"),
        PASS: ("pass", "pass"),
        REVEAL: ("reveal", "reveal a set-aside 8, flip the order, then play"),
    }
    for kind, (name, meaning) in meanings.items():
        for size in np.unique(sizes[kinds == kind]) if kind == RUN else [-1]:
            rows = np.flatnonzero((kinds == kind) & ((sizes == size) | (size < 0)))
            if len(rows):
                names = name.format(size), meaning.format(size)
                groups.append((names[0], int(rows[0]), len(rows), names[1]))
    return groups


def action_cards(tables: npt.NDArray[np.uint16], values: int) -> npt.NDArray[np.int8]:
    """The cards of each action, colour by colour, int8 [actions, 8 · values]."""
    return unpack(tables[:, :WORDS], values).reshape(len(tables), -1)


def cards_event(hands: npt.NDArray[np.uint16], colours: int, values: int) -> dict[str, list[Any]]:
    """The hands and the unseen cards of a deal event.

    Args:
        hands: uint16 [hands, WORDS].
        colours: Number of colours.
        values: Number of values.
    """
    dealt = np.bitwise_or.reduce(hands, axis=0)
    unseen = [
        card for card in range(colours * values) if not dealt[card // values] >> card % values & 1
    ]
    return {
        "hands": [hand_text(hand, values).split() for hand in hands],
        "unseen": hand_text(words_of(unseen, values), values).split(),
    }


def cards_from_event(
    event: Any, others: set[str], hands: int, size: int, colours: int, values: int
) -> list[int]:
    """The card numbers that a deal event deals: hand by hand, then the unseen cards.

    Args:
        event: The event.
        others: The keys that it has besides ``hands`` and ``unseen``.
        hands: Number of hands.
        size: Cards in each.
        colours: Number of colours.
        values: Number of values.

    Raises:
        RecordError: If it does not have these keys or does not deal the whole deck.
    """
    keys = {"hands", "unseen"} | others
    if not isinstance(event, dict) or set(event) != keys:
        raise RecordError(f"a deal has exactly the keys {sorted(keys)}, got {event!r:.200}")
    dealt, unseen = event["hands"], event["unseen"]
    if not isinstance(dealt, list) or [_length(h) for h in dealt] != [size] * hands:
        raise RecordError(f"'hands' must be {hands} lists of {size} cards, got {dealt!r:.200}")
    left = colours * values - hands * size
    if _length(unseen) != left:
        raise RecordError(f"'unseen' must be {left} cards, got {unseen!r:.200}")
    numbers = {card_text(card, values): card for card in range(colours * values)}
    texts = [card for hand in (*dealt, unseen) for card in hand]
    for text in texts:
        if not isinstance(text, str) or text not in numbers:
            raise RecordError(
                f"{text!r:.200} is no card of this deck (1..{values}, {LETTERS[:colours]})"
            )
    twice = [text for text, times in Counter(texts).items() if times > 1]
    if twice:
        raise RecordError(f"cards dealt more than once: {', '.join(twice)}")
    return [numbers[text] for text in texts]


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else -1
