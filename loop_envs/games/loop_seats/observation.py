"""What one player of loop_seats sees and remembers: the only way from a state to an agent.

Everything is by seat, relative to the observer's: index 0 is the observer's seat, 1 the next
clockwise, …; what belongs to a player stands at the seat where the player sits now. The groups of
card planes come first, so that they are unpacked 8 bytes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loop_envs.bits import ones, word64
from loop_envs.cards import write_planes
from loop_envs.climbing.shown import played_half, still_known_half
from loop_envs.climbing.tables import CHOOSING, KIND, SET, SIZE
from loop_envs.games.loop_seats.actions import MAX_SET, combinations_of
from loop_envs.games.loop_seats.state import SEATING
from loop_envs.jit import ONE, ZERO, compiled, inlined
from loop_envs.layout import Field, Layout, turned, write_number

TWO = np.int64(2)  # digits of a number


def longest_of(options: dict[str, Any]) -> int:
    """Most cards in a combination."""
    return max(MAX_SET, combinations_of(options).longest_run)


def build_layout(options: dict[str, Any]) -> Layout:
    """The observation's fields under resolved options."""
    n = options["num_players"]
    colours, values = options["colours"], options["values"]
    plane = (colours, values)
    return Layout(
        [
            Field("hand", plane, 1, "cards in the own hand"),
            Field("aside", plane, 1, "cards that the observer has set aside this round"),
            Field(
                "known",
                (n - 1, *plane),
                1,
                "by other seat: cards known to lie there (in hand or set aside), from rounds in "
                "which the observer sat there and from cards seen of it, less those shown this "
                "round",
            ),
            Field("played", (n, *plane), 1, "by seat: cards played this round"),
            Field("current", plane, 1, "the combination to beat; empty on a lead"),
            Field("kind", (2,), 1, "the combination to beat is a set; a run"),
            Field("size", (longest_of(options),), 1, "its number of cards, one-hot from 1"),
            Field("owner", (n,), 1, "who played it"),
            Field("passed", (n,), 1, "who has passed and will not be asked before the next play"),
            Field("revealed", (n, colours), 1, "by seat: colours of revealed set-aside 8s"),
            Field("cards_left", (n,), options["hand_size"], "by seat: cards in hand"),
            Field("rank", (n, n), 1, "by seat: rank taken this round, one-hot from first"),
            Field("card", (n, n), 1, "by seat: its rank card, one-hot; none in the first round"),
            Field("before", (n, n), 1, "by seat: its player's rank in the round before, one-hot"),
            Field("held", (n, n), 1, "by seat, by player: that player has sat there"),
            Field(
                "player",
                (n, n),
                1,
                "by seat: its player's number, counted from the observer's, one-hot",
            ),
            Field("turn", (n,), 1, "who is to move; empty when the match is over"),
            Field("first", (n,), 1, "who started this round"),
            Field("start", (n,), 1, "the start seat of the deal"),
            Field("phase", (4,), 1, "setting aside; playing; a play must follow a reveal; seats"),
            Field("inverted", (1,), 1, "low beats high"),
            Field("rounds", (2,), 99, "rounds played: modulo 100, and hundreds"),
            Field("points", (n,), 99, "by seat: its player's total, modulo 100", -99),
            Field("hundreds", (n,), 127, "by seat: hundreds of the total", -127),
        ]
    )


@compiled
def observe(options, tables, state, player, out):
    """Writes the observation of one player, int8 of shape (layout.size,)."""
    n = np.int64(options.players)
    colours = np.int64(options.colours)
    me = np.int64(state.seat_of[player])
    at = _write_planes(options, tables, state, me, out, n, colours, np.int64(options.values))
    out[at:] = 0

    # Offsets of the fields behind the planes, in the order of `build_layout`.
    size = at + 2
    owner = size + max(np.int64(MAX_SET), np.int64(options.longest_run))
    passed = owner + n
    revealed = passed + n
    left = revealed + n * colours
    rank = left + n
    card = rank + n * n
    before = card + n * n
    held = before + n * n
    who = held + n * n
    turn = who + n * n
    first = turn + n
    phase = first + n + n
    rounds = phase + 5
    points = rounds + 2
    current = np.int64(state.current)
    if current >= 0:
        out[at + np.int64(tables[current, KIND] != SET)] = 1
        out[size + tables[current, SIZE] - 1] = 1
        out[owner + turned(state.owner, me, n)] = 1
    passes = np.int64(state.passed)
    s = me
    for k in range(n):
        p = np.int64(state.player_at[s])
        out[passed + k] = passes >> s & 1
        out[left + k] = ones(word64(state.left, 2 * s)) + ones(word64(state.left, 2 * s + 1))
        if state.revealed[s]:
            for c in range(colours):
                out[revealed + k * colours + c] = state.revealed[s] >> c & 1
        if state.rank[p] > 0:
            out[rank + k * n + state.rank[p] - 1] = 1
        if state.card[s] > 0:
            out[card + k * n + state.card[s] - 1] = 1
            out[before + k * n + state.before[p] - 1] = 1
        out[who + k * n + turned(p, player, n)] = 1
        sitters = np.int64(state.held[s])
        t = me
        for j in range(n):
            out[held + k * n + j] = sitters >> state.player_at[t] & 1
            t = t + 1 if t + 1 < n else 0
        write_number(out, points + k, n, TWO, np.int64(state.points[p]))
        s = s + 1 if s + 1 < n else 0
    if state.player >= 0:
        out[turn + turned(state.seat_of[state.player], me, n)] = 1
    out[first + turned(state.first, me, n)] = 1
    out[first + n + turned(state.start_seat, me, n)] = 1
    if state.phase == CHOOSING:
        out[phase] = 1
    elif state.phase == SEATING:
        out[phase + 3] = 1
    else:
        out[phase + 1 + state.must_play] = 1
    out[phase + 4] = state.inverted
    write_number(out, rounds, ONE, TWO, np.int64(state.rounds_done))


@inlined
def _write_planes(options, tables, state, me, out, n, colours, values):
    """The card planes, in ascending order; returns the offset behind them."""
    left, aside = state.left, state.aside
    at = write_planes(out, ZERO, colours, values, word64(left, 2 * me), word64(left, 2 * me + 1))
    at = write_planes(out, at, colours, values, word64(aside, 2 * me), word64(aside, 2 * me + 1))
    me_bit = np.int64(1) << np.int64(state.player_at[me])
    s = me
    for _ in range(1, n):
        s = s + 1 if s + 1 < n else 0
        sat = np.int64(state.held[s]) & me_bit != 0
        low = still_known_half(options, state, s, s, sat, ZERO)
        high = np.uint64(0)
        if colours > 4:
            high = still_known_half(options, state, s, s, sat, ONE)
        at = write_planes(out, at, colours, values, low, high)
    s = me
    for _ in range(n):
        high = played_half(state, s, s, ONE)
        at = write_planes(out, at, colours, values, played_half(state, s, s, ZERO), high)
        s = s + 1 if s + 1 < n else 0
    low, high = np.uint64(0), np.uint64(0)
    if state.current >= 0:
        low = word64(tables, 3 * np.int64(state.current))
        high = word64(tables, 3 * np.int64(state.current) + 1)
    return write_planes(out, at, colours, values, low, high)
