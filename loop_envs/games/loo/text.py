"""Texts of Loo: cards and moves of game records, and a match as a person reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.cards import cards_of
from loop_envs.game import Game, State
from loop_envs.games.loo.actions import (
    CARD,
    CIVIL,
    DEFEND,
    DRAW,
    IN,
    KIND,
    MISS,
    PASS,
    PLAY,
    SUBSET,
)
from loop_envs.games.loo.options import SUITS
from loop_envs.games.loo.state import DRAWING, PLAYING, RESHUFFLING

RANKS = "23456789TJQKA"
LETTERS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_WORDS = {PASS: "pass", IN: "in", MISS: "miss", DEFEND: "defend"}
_DECLARED = ("", "passed", "plays", "took the Miss", "defends")


def card_text(card: int, ranks: int) -> str:
    """A card as in game records, such as ``TH``."""
    return RANKS[13 - ranks + card % ranks] + LETTERS[card // ranks]


def cards_in(word: Any, ranks: int) -> list[str]:
    """The cards of a set, ascending by rank, then suit."""
    words = np.array([int(word) >> 16 * suit & 0xFFFF for suit in range(SUITS)], np.uint16)
    return [card_text(card, ranks) for card in cards_of(words, ranks)]


def action_texts(game: Game) -> list[str]:
    """All actions by number; draws name places in the own hand, as nothing else is known here."""
    ranks = game.options["ranks"]
    texts = []
    for row in game.tables:
        kind = int(row[KIND])
        if kind in (PLAY, CIVIL):
            card = card_text(int(row[1]), ranks)
            texts.append(f"play {card} civil" if kind == CIVIL else f"play {card}")
        elif kind == DRAW:
            texts.append(_draw_text([str(i + 1) for i in _places(row)]))
        else:
            texts.append(_WORDS[kind])
    return texts


def _places(row: npt.NDArray[np.uint16]) -> list[int]:
    return [i for i in range(16) if int(row[SUBSET]) >> i & 1]


def _draw_text(cards: list[str]) -> str:
    return f"draw {' '.join(cards) or 'none'}"


def action_text(game: Game, state: State, action: int) -> str:
    """An action as in game records: a draw names the cards of the player who is to draw."""
    row, s = game.tables[action], state[0]
    if row[KIND] == DRAW and s["player"] >= 0 and s["phase"] == DRAWING:
        hand = cards_in(s["hands"][s["player"]], game.options["ranks"])
        return _draw_text([hand[i] for i in _places(row)])
    return game.action_names[action]


def action_groups(game: Game) -> list[tuple[str, int, int, str]]:
    """(name, first, number, meaning) of each kind of action."""
    kinds = game.tables[:, KIND]
    meanings = {
        PLAY: ("play", "play a card: suit by suit (C D H S), ranks ascending"),
        CIVIL: ("play civil", "lead the trump ace and bar Pam, suit by suit"),
        PASS: ("pass", "do not play this deal"),
        IN: ("in", "play this deal"),
        MISS: ("miss", "play with the Miss"),
        DEFEND: ("defend", "as dealer, play the Miss for the pool"),
        DRAW: ("draw", "exchange cards: bit i for the i-th in ascending order of rank, then suit"),
    }
    groups = []
    for kind, (name, meaning) in meanings.items():
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            groups.append((name, int(rows[0]), len(rows), meaning))
    return groups


# For people -------------------------------------------------------------------------------------


def action_cards(game: Game) -> npt.NDArray[np.int8]:
    """The card that each action plays, and the places of the hand that it exchanges.

    Which cards a `draw` gives up depends on the hand; columns behind the cards say which places
    of it (in ascending order of rank, then suit).
    """
    cards, size = SUITS * game.options["ranks"], game.options["hand_size"]
    kinds, subsets = game.tables[:, KIND], game.tables[:, SUBSET]
    out = np.zeros((game.num_actions, cards + size), np.int8)
    for kind in (PLAY, CIVIL):
        rows = np.flatnonzero(kinds == kind)
        out[rows, game.tables[rows, CARD]] = 1
    draws = kinds == DRAW
    out[draws, cards:] = subsets[draws, None] >> np.arange(size) & 1
    return out


def state_text(game: Game, state: State, player: int | None) -> str:
    """A match as one player sees it, or with every card face up."""
    if player is not None:
        game.observe(state, player)  # refuses foreign states and players
    ranks, s = game.options["ranks"], state[0]
    over = game.is_over(state)
    done, deals = int(s["deals_done"]), game.options["num_deals"]
    kind = "single" if s["single"] else "looed"
    line = f"Deal {done + (not over)} of {deals}; P{int(s['dealer'])} dealt; "
    line += f"pool {int(s['pool'])}, {kind}"
    if s["trumps"]:
        line += f"; trumps {SUIT_NAMES[s['trump']]}"
    if s["turn_up"]:
        line += f", turned up {cards_in(s['turn_up'], ranks)[0]}"
    lines = [line]
    for p in range(game.num_players):
        status = f"{int(s['chips'][p])} chips"
        if s["declared"][p]:
            status += f", {_DECLARED[s['declared'][p]]}"
        if s["exchanged"][p]:
            status += f", exchanged {int(s['exchanged'][p]) - 1}"
        if s["tricks_won"][p]:
            status += f", tricks {int(s['tricks_won'][p])}"
        lines.append(f"{'>' if p == s['player'] else ' '} P{p} {status}")
        if s["played"][p]:
            tricks = int(s["played"][p]).bit_count()
            played = [card_text(int(card), ranks) for card in s["card_at"][p, :tricks]]
            lines.append(f"     played {' '.join(played)}")
        if player is None or p == player:
            lines.append(f"     hand   {' '.join(cards_in(s['hands'][p], ranks))}")
            if s["discards"][p]:
                lines.append(f"     gave   {' '.join(cards_in(s['discards'][p], ranks))}")
    if player is None and s["miss"]:
        lines.append(f"Miss: {' '.join(cards_in(s['miss'], ranks))}")
    if over:
        winners = [str(p) for p, place in enumerate(game.places(state)) if place == 0]
        lines.append(f"The match is over. Winners: {', '.join(winners)}")
    elif s["player"] < 0:
        lines.append("A deal is due" if s["phase"] != RESHUFFLING else "A reshuffle is due")
    elif s["phase"] == PLAYING and s["table"]:
        lines.append(f"On the table: {' '.join(cards_in(s['table'], ranks))}")
    return "\n".join(lines)
