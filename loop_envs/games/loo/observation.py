"""What one player of Loo sees and remembers: the only way from a state to an agent.

Everything is relative to the observer: index 0 is the observer, 1 the next player clockwise, …
The sets of cards come first, so that they are unpacked many bytes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loop_envs.cards import write_planes
from loop_envs.games.loo.options import MAX_HAND, SUITS, has_exchange
from loop_envs.games.loo.state import EMPTY, PLAYING
from loop_envs.jit import ONE, compiled, inlined
from loop_envs.layout import Field, Layout, turned, write_number

MOST = 127  # of int8
FOUR = np.int64(SUITS)
DECLARATIONS, PHASES = 4, 3
DIGITS = np.int64(3)  # of an amount


def build_layout(options: dict[str, Any]) -> Layout:
    """The observation's fields under resolved options."""
    n, ranks, size = options["num_players"], options["ranks"], options["hand_size"]
    planes = (SUITS, ranks)
    exchange = has_exchange(options)
    fields = [
        Field("hand", planes, 1, "own cards"),
        Field("discards", planes, 1, "own cards given up: exchanged, passed, left for the Miss"),
        Field("drawn", planes, 1, "own cards got by the exchange, in hand or played"),
        Field("turn_up", planes, 1, "the card turned for trumps"),
        Field("table", planes, 1, "cards of this trick"),
        Field("played", (n, *planes), 1, "by player: cards played in this deal"),
        Field(
            "barred",
            (n - 1, *planes),
            1,
            "by opponent: cards not held, known from what was played instead",
        ),
        Field("trick", planes, size, "by card: the trick it was played in, from 1; 0: in none"),
        Field("trump", (SUITS + 1,), 1, "the suit that is trumps; none yet"),
        Field("led", (SUITS + 1,), 1, "the suit to follow; none yet"),
        Field("leader", (n,), 1, "who leads or has led this trick"),
        Field("winning", (n,), 1, "whose card wins this trick so far"),
        Field("dealer", (n,), 1, "who dealt"),
        Field("turn", (n,), 1, "who is to move; empty when the match is over"),
        Field("phase", (PHASES,), 1, "declaring; exchanging; playing"),
        Field("declared", (n, DECLARATIONS), 1, "by player: passed, plays, took the Miss, defends"),
        Field("tricks_won", (n,), size, "by player: tricks won in this deal"),
        Field("civil", (2,), 1, "Pam is barred from this trick; was from an earlier one"),
        Field("exchanged", (n, size + 1), 1, "by player: how many cards were exchanged"),
        Field("stock", (1,), SUITS * ranks, "cards in the stock"),
        Field("single", (1,), 1, "nothing was in the pool before the antes"),
        Field("deals_left", (1,), MOST, f"deals to come after this one, or {MOST}"),
        *_amount("points", n, "by player: chips won or lost", -1),
        *_amount("pool", 1, "chips in the pool"),
        *_amount("carry", 1, "chips that were in it before the antes"),
    ]
    left_out = () if exchange else ("drawn", "exchanged", "stock")
    return Layout([field for field in fields if field.name not in left_out])


def _amount(name: str, size: int, text: str, sign: int = 0) -> list[Field]:
    """The three fields of an amount of chips."""
    return [
        Field(name, (size,), 99, f"{text}: the last two digits", 99 * sign),
        Field(f"{name}_hundreds", (size,), 99, f"{text}: the hundreds", 99 * sign),
        Field(
            f"{name}_10000s", (size,), MOST, f"{text}: the ten-thousands, to {MOST}", MOST * sign
        ),
    ]


@compiled
def observe(options, tables, state, player, out):
    """Writes the observation of one player, int8 of shape (layout.size,)."""
    n, ranks = options.players, options.ranks
    me = np.int64(player)
    cards = FOUR * ranks
    at = write_planes(out, np.int64(0), FOUR, ranks, state.hands[me], EMPTY)
    at = write_planes(out, at, FOUR, ranks, state.discards[me], EMPTY)
    if options.exchange:
        drawn = (state.hands[me] | state.played[me]) & ~state.kept[me]
        at = write_planes(out, at, FOUR, ranks, drawn, EMPTY)
    at = write_planes(out, at, FOUR, ranks, state.turn_up, EMPTY)
    at = write_planes(out, at, FOUR, ranks, state.table, EMPTY)
    q = me
    for _ in range(n):
        at = write_planes(out, at, FOUR, ranks, state.played[q], EMPTY)
        q = q + 1 if q + 1 < n else 0
    for _ in range(n - 1):
        q = q + 1 if q + 1 < n else 0
        at = write_planes(out, at, FOUR, ranks, state.barred[q], EMPTY)
    out[at:] = 0
    _observe_play(options, state, me, out, at)
    _observe_deal(options, state, me, out, at + cards + 2 * (SUITS + 1) + 2 * n)


@inlined
def _observe_play(options, state, me, out, at):
    """The fields from `trick` to `winning`."""
    n, ranks = options.players, options.ranks
    current = np.int64(state.trick)
    for p in range(n):
        if state.played[p] != EMPTY:
            for t in range(min(current + 1, MAX_HAND)):
                # Whoever has yet to play to this trick has no card of it.
                if t < current or options.card_bits[state.card_at[p, t]] & state.table:
                    out[at + state.card_at[p, t]] = t + 1
    at += FOUR * ranks
    out[at + (state.trump if state.trumps != EMPTY else SUITS)] = 1
    at += SUITS + 1
    suit = np.int64(SUITS)
    if state.led != EMPTY:
        suit = np.int64(state.trump)
        if state.led != state.trumps:
            suit = np.int64(state.card_at[state.leader[current], current]) // ranks
    out[at + suit] = 1
    at += SUITS + 1
    if state.phase == PLAYING and state.player >= 0:
        out[at + turned(state.leader[current], me, n)] = 1
        if state.table != EMPTY:
            out[at + n + turned(state.winning, me, n)] = 1


@inlined
def _observe_deal(options, state, me, out, at):
    """The fields from `dealer` on."""
    n = options.players
    out[at + turned(state.dealer, me, n)] = 1
    at += n
    if state.player >= 0:
        out[at + turned(state.player, me, n)] = 1
        out[at + n + state.phase] = 1
    at += n + PHASES
    won = at + DECLARATIONS * n
    behind = won + n + 2
    size = options.hand_size + 1 if options.exchange else 0
    money = behind + n * size + (3 if options.exchange else 2)
    q = me
    for k in range(n):
        if state.declared[q] > 0:
            out[at + DECLARATIONS * k + state.declared[q] - 1] = 1
        out[won + k] = state.tricks_won[q]
        if options.exchange and state.exchanged[q] > 0:
            out[behind + size * k + state.exchanged[q] - 1] = 1
        write_number(out, money + k, n, DIGITS, np.int64(state.chips[q]) - options.stack)
        q = q + 1 if q + 1 < n else 0
    out[won + n] = state.civil
    out[won + n + 1] = state.was_civil
    if options.exchange:
        out[behind + n * size] = state.stock_size - state.stock_at
    out[money - 2] = state.single
    out[money - 1] = min(max(options.num_deals - state.deals_done - 1, 0), MOST)
    write_number(out, money + 3 * n, ONE, DIGITS, np.int64(state.pool))
    write_number(out, money + 3 * n + 3, ONE, DIGITS, np.int64(state.carry))
