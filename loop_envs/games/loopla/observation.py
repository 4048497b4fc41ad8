"""What one player of LOOPLA! sees and remembers: the only way from a state to an agent.

Everything is relative to the observer: index 0 is the observer, 1 the next player clockwise, …
The sets of cards come first, so that they are unpacked many bytes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loop_envs.bits import word64
from loop_envs.cards import write_bits, write_planes
from loop_envs.games.loopla.state import OPEN, PICKING_UP
from loop_envs.jit import compiled
from loop_envs.layout import Field, Layout, turned, write_number

MOST = 127  # of int8
TWO = np.int64(2)  # digits of a score


def build_layout(options: dict[str, Any]) -> Layout:
    """The observation's fields under resolved options."""
    n, values = options["num_players"], options["values"]
    planes = (options["copies"], values)
    return Layout(
        [
            Field("hand", planes, 1, "own cards: plane k has the values held more than k times"),
            Field("seen", planes, 1, "cards that were face up this round, in the same form"),
            Field("collections", (n, values), 1, "by player: values collected this round"),
            Field("lacks", (n - 1, values), 1, "by opponent: values not held, known from a fall"),
            Field("top", (values,), 1, "the card to play on"),
            Field("covered", (values,), 1, "the card that may be picked up now"),
            Field(
                "constraint",
                (5,),
                1,
                "what binds the next play: free, up, down, doubled, Sovereign; none while it is "
                "yet to be given",
            ),
            Field("giver", (n,), 1, "who gave it by an instruction, a double or a Sovereign"),
            Field("reversed", (1,), 1, "play goes anticlockwise"),
            Field(
                "phase",
                (4,),
                1,
                "playing; picking up; instructing; instructing for the own first play",
            ),
            Field("cards_left", (n,), options["hand_size"], "by player: cards in hand"),
            Field("active", (n,), 1, "by player: in the round"),
            Field("fallen", (n,), 1, "by player: fell this round"),
            Field("busted", (n,), 1, "by player: had a bust this round"),
            Field("starter", (n,), 1, "who plays first this round"),
            Field("turn", (n,), 1, "who is to move; empty when the match is over"),
            Field("points", (n,), 99, "by player: score so far, its last two digits"),
            Field("hundreds", (n,), MOST, f"by player: score so far, hundreds (at most {MOST})"),
            Field("rounds_left", (1,), MOST, f"rounds until the match ends anyway, or {MOST}"),
        ]
    )


@compiled
def observe(options, tables, state, player, out):
    """Writes the observation of one player, int8 of shape (layout.size,)."""
    n = options.players
    values = options.values
    me = np.int64(player)
    none = np.uint64(0)
    at = write_planes(out, np.int64(0), options.copies, values, word64(state.left, me), none)
    at = write_planes(out, at, options.copies, values, word64(state.seen, 0), none)
    q = me
    for _ in range(n):
        write_bits(out, at, np.uint64(state.collection[q]))
        at += values
        q = q + 1 if q + 1 < n else 0
    for _ in range(n - 1):
        q = q + 1 if q + 1 < n else 0
        write_bits(out, at, np.uint64(state.lacks[q]))
        at += values
    out[at:] = 0

    # Offsets of the fields behind, in the order of `build_layout`.
    constraint = at + 2 * values
    giver = constraint + 5
    phase = giver + n + 1
    by_player = phase + 4
    points = by_player + 6 * n
    out[at + state.top] = 1
    if state.constraint != OPEN:
        out[constraint + state.constraint] = 1
    if state.giver >= 0:
        out[giver + turned(state.giver, me, n)] = 1
    out[giver + n] = state.direction < 0
    active, fallen = np.int64(state.active), np.int64(state.fallen)
    busted = np.int64(state.busted)
    q = me
    for k in range(n):
        out[by_player + k] = state.cards_left[q]
        out[by_player + n + k] = active >> q & 1
        out[by_player + 2 * n + k] = fallen >> q & 1
        out[by_player + 3 * n + k] = busted >> q & 1
        write_number(out, points + k, n, TWO, np.int64(state.points[q]))
        q = q + 1 if q + 1 < n else 0
    out[by_player + 4 * n + turned(state.starter, me, n)] = 1
    if state.player >= 0:
        out[by_player + 5 * n + turned(state.player, me, n)] = 1
        out[phase + state.phase] = 1
        if state.phase == PICKING_UP:
            out[at + values + state.covered] = 1
    rounds = min(options.rounds, options.max_rounds)
    out[points + 2 * n] = min(rounds - state.rounds_done, MOST)
