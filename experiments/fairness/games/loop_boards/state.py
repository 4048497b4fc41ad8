"""States of loop_boards that look as one player sees them, made from the observation alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from loop_envs.climbing.tables import CHOOSING, KIND, PLAYING, RUN, SET
from loop_envs.game import Game, State
from loop_envs.games.loop_boards.options import deck_of

Cards = npt.NDArray[np.bool_]


def rebuild(game: Game, observation: npt.NDArray[np.int8], seat: int) -> State:
    """A state in which a seat is to move and sees an observation.

    Cards whose place the observation does not tell lie anywhere that it allows, and not at
    random: `Game.resample` draws them. Results of earlier rounds may be missing; their boards
    then look as if nobody had played them, and only markers to come are counted.

    Args:
        game: A game of loop_boards.
        observation: int8 [D], of a seat that is to move.
        seat: The seat.
    """
    n, see = game.num_players, game.layout.split(observation)
    state = game.empty_states(1)
    s = state[0]
    s["variant"], s["deals"], s["player"] = game.variant, 1, seat
    done = int(see["round"].argmax())
    s["rounds_done"] = done
    s["phase"] = CHOOSING if see["phase"][0] else PLAYING
    s["must_play"], s["inverted"] = see["phase"][2], see["inverted"][0]
    players = (seat + np.arange(n)) % n  # by place from the observer on
    boards = (players - done) % n
    s["points"][players] = see["points"]
    first = (seat + int(see["first"].argmax())) % n
    s["golden"] = (first - done * game.options["golden_travels"]) % n
    s["passed"] = _bits(players[see["passed"] > 0])
    s["active"] = _bits(players[see["cards_left"] > 0])
    s["current"], s["owner"] = -1, -1
    if see["kind"].any():
        s["current"] = _combinations(game)[see["current"].tobytes()]
        s["owner"] = players[int(see["owner"].argmax())]
    _place_markers(state, see["results"], see["rank"], players, boards, done)
    _place_cards(game, state, see, players, boards, done)
    return state


def _bits(players: npt.NDArray[np.int64]) -> int:
    return int(sum(1 << int(player) for player in players))


def _place_markers(
    state: State,
    results: npt.NDArray[np.int8],
    rank: npt.NDArray[np.int8],
    players: npt.NDArray[np.int64],
    boards: npt.NDArray[np.int64],
    done: int,
) -> None:
    n = len(players)
    for k, board in enumerate(boards):
        for j, player in enumerate(players):
            number = int((player - board) % n)  # the round in which that player held it
            if number < done and results[k, j].any():
                state["ranks"][0, board, number] = 1 + int(results[k, j].argmax())
        if rank[k].any():
            state["ranks"][0, board, done] = 1 + int(rank[k].argmax())


def _place_cards(
    game: Game,
    state: State,
    see: dict[str, npt.NDArray[np.int8]],
    players: npt.NDArray[np.int64],
    boards: npt.NDArray[np.int64],
    done: int,
) -> None:
    size = game.options["hand_size"]
    colours, _ = deck_of(game.options)
    shown = see["played"] > 0
    certain = shown.copy()  # cards of each hand, [n, colours, values]
    certain[0] |= (see["hand"] > 0) | (see["aside"] > 0)
    certain[1:] |= see["known"] > 0
    revealed = see["revealed"] > 0  # [n, colours]
    if game.record["eight"][0] >= 0:
        certain[:, :, game.record["eight"][0]] |= revealed
    free = np.argwhere(~certain.any(axis=0))[::-1].tolist()
    for k, (player, board) in enumerate(zip(players, boards, strict=True)):
        hand = certain[k].copy()
        state["seen"][0, board, :colours] = _words(certain[k])
        for colour, value in [free.pop() for _ in range(size - int(hand.sum()))]:
            hand[colour, value] = True
        rest = hand & ~shown[k]
        aside = see["aside"] > 0
        if k > 0:
            # What lies face down is whatever is left: revealed 8s, then any cards.
            aside = np.zeros_like(rest)
            if revealed[k].any():
                aside[revealed[k], game.record["eight"][0]] = True
            hidden = np.argwhere(rest & ~aside)
            number = int(rest.sum()) - int(see["cards_left"][k]) - int(aside.sum())
            aside[tuple(hidden[:number].T)] = True
        state["hands"][0, board, :colours] = _words(hand)
        state["left"][0, player, :colours] = _words(rest & ~aside)
        state["aside"][0, player, :colours] = _words(aside)
        state["revealed"][0, player] = _bits(np.flatnonzero(revealed[k]))


def _words(cards: Cards) -> npt.NDArray[np.uint16]:
    """Sets of cards [colours, values] as words, uint16 [colours]."""
    bits = cards.astype(np.uint16) << np.arange(cards.shape[1], dtype=np.uint16)
    return np.asarray(bits.sum(axis=1), np.uint16)


@lru_cache(maxsize=16)
def _combinations(game: Game) -> dict[bytes, int]:
    """The action of every combination, by its cards as the observation has them."""
    colours, values = deck_of(game.options)
    found = {}
    for action in np.flatnonzero(np.isin(game.tables[:, KIND], (SET, RUN))).tolist():
        words = game.tables[action, :colours].astype(np.int64)
        plane = (words[:, None] >> np.arange(values) & 1).astype(np.int8)
        found[plane.tobytes()] = action
    return found
