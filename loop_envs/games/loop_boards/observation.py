"""What one player of loop_boards sees and remembers: the only way from a state to an agent.

Everything is relative to the observer: index 0 is the observer, 1 the next player clockwise, …
The five groups of card planes come first, so that they are unpacked 8 bytes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loop_envs.bits import ones, word64
from loop_envs.cards import write_planes
from loop_envs.climbing.shown import played_half, still_known_half
from loop_envs.climbing.tables import CHOOSING, KIND, SET, SIZE
from loop_envs.games.loop_boards.options import deck_of
from loop_envs.games.loop_boards.state import board_of, first_player
from loop_envs.jit import ONE, ZERO, compiled, inlined
from loop_envs.layout import Field, Layout, turned


def build_layout(options: dict[str, Any]) -> Layout:
    """The observation's fields under resolved options."""
    n = options["num_players"]
    colours, values = deck_of(options)
    plane = (colours, values)
    return Layout(
        [
            Field("hand", plane, 1, "cards in the own hand"),
            Field("aside", plane, 1, "cards that the observer has set aside this round"),
            Field(
                "known",
                (n - 1, *plane),
                1,
                "by opponent: cards known to lie in the hand they hold (in hand or set aside), "
                "from rounds in which the observer held it and from cards seen of it, less those "
                "shown this round",
            ),
            Field("played", (n, *plane), 1, "by player: cards played this round"),
            Field("current", plane, 1, "the combination to beat; empty on a lead"),
            Field("kind", (2,), 1, "the combination to beat is a set; a run"),
            Field("size", (4,), 1, "its number of cards, one-hot from 1"),
            Field("owner", (n,), 1, "who played it"),
            Field("passed", (n,), 1, "who has passed since"),
            Field("revealed", (n, colours), 1, "by player: colours of revealed set-aside 8s"),
            Field("cards_left", (n,), options["hand_size"], "by player: cards in hand"),
            Field("rank", (n, n), 1, "by player: rank taken this round, one-hot from first"),
            Field("turn", (n,), 1, "who is to move; empty when the match is over"),
            Field("first", (n,), 1, "who led first this round (holds the golden board)"),
            Field("phase", (3,), 1, "setting aside; playing; a play must follow a reveal"),
            Field("inverted", (1,), 1, "low beats high"),
            Field("round", (options["rounds"],), 1, "number of the round, one-hot from 0"),
            Field(
                "results",
                (n, n, n),
                1,
                "by holder of a board, by player: rank of that player's marker on it, one-hot",
            ),
            Field("points", (n,), n * n, "by player: score so far"),
        ]
    )


@compiled
def observe(options, tables, state, player, out):
    """Writes the observation of one player, int8 of shape (layout.size,)."""
    n = np.int64(options.players)
    colours = np.int64(options.colours)
    me = np.int64(player)
    played = np.int64(state.rounds_done)
    at = _write_planes(options, tables, state, me, out, n, colours, np.int64(options.values))
    out[at:] = 0

    # Offsets of the fields behind the planes, in the order of `build_layout`.
    passed = at + 6 + n
    revealed = passed + n
    left = revealed + n * colours
    rank = left + n
    turn = rank + n * n
    first = turn + n
    phase = first + n
    results = phase + 4 + options.rounds
    points = results + n * n * n
    current = np.int64(state.current)
    if current >= 0:
        out[at + np.int64(tables[current, KIND] != SET)] = 1
        out[at + 1 + tables[current, SIZE]] = 1
        out[at + 6 + turned(state.owner, me, n)] = 1
    passes = np.int64(state.passed)
    q = me
    for k in range(n):
        out[passed + k] = passes >> q & 1
        out[points + k] = state.points[q]
        out[left + k] = ones(word64(state.left, 2 * q)) + ones(word64(state.left, 2 * q + 1))
        if state.revealed[q]:
            for c in range(colours):
                out[revealed + k * colours + c] = state.revealed[q] >> c & 1
        b = board_of(options, state, q)
        taken = np.int64(state.ranks[b, played])
        if taken > 0:
            out[rank + k * n + taken - 1] = 1
            out[results + (k * n + k) * n + taken - 1] = 1
        # In round r board b was with player b + r, who sits (b + r - me) from the observer.
        holder = turned(b, me, n)
        for r in range(played):
            out[results + (k * n + holder) * n + state.ranks[b, r] - 1] = 1
            holder = holder + 1 if holder + 1 < n else 0
        q = q + 1 if q + 1 < n else 0
    if state.player >= 0:
        out[turn + turned(state.player, me, n)] = 1
    out[first + turned(first_player(options, state), me, n)] = 1
    out[phase + (0 if state.phase == CHOOSING else 1 + state.must_play)] = 1
    out[phase + 3] = state.inverted
    out[phase + 4 + played] = 1


@inlined
def _write_planes(options, tables, state, me, out, n, colours, values):
    """The card planes, in ascending order; returns the offset behind them."""
    left, aside = state.left, state.aside
    at = write_planes(out, ZERO, colours, values, word64(left, 2 * me), word64(left, 2 * me + 1))
    at = write_planes(out, at, colours, values, word64(aside, 2 * me), word64(aside, 2 * me + 1))
    q = me
    for k in range(1, n):
        q = q + 1 if q + 1 < n else 0
        b = board_of(options, state, q)
        # The observer held this board in an earlier round exactly if it has since moved on by
        # k seats, that is for k up to the number of rounds played (rule 28).
        held = k <= state.rounds_done
        low = still_known_half(options, state, b, q, held, ZERO)
        high = np.uint64(0)
        if colours > 4:
            high = still_known_half(options, state, b, q, held, ONE)
        at = write_planes(out, at, colours, values, low, high)
    q = me
    for _ in range(n):
        b = board_of(options, state, q)
        high = played_half(state, b, q, ONE)
        at = write_planes(out, at, colours, values, played_half(state, b, q, ZERO), high)
        q = q + 1 if q + 1 < n else 0
    low, high = np.uint64(0), np.uint64(0)
    if state.current >= 0:
        low = word64(tables, 3 * np.int64(state.current))
        high = word64(tables, 3 * np.int64(state.current) + 1)
    return write_planes(out, at, colours, values, low, high)
