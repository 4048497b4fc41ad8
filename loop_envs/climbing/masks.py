"""Legal actions, made from bit words."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import highest_bit, lowest_bit, ones, word64
from loop_envs.cards import write_bits
from loop_envs.climbing.tables import CHOOSING, KIND, REVEALS, RUN, SET, SIZE, STRENGTH
from loop_envs.jit import ONE, ZERO, compiled, inlined

STUCK_ONLY = REVEALS["stuck_only"]


@compiled
def write_legal(options, tables, state, holder, mask):
    """Writes what the holder of some cards may do into a mask of zeros."""
    if state.phase == CHOOSING:
        _legal_asides(options, state, holder, mask)
        return
    lead = state.current < 0
    kind, size, strength = 0, 0, 0
    if not lead:
        kind = np.int64(tables[state.current, KIND])
        size = np.int64(tables[state.current, SIZE])
        strength = np.int64(tables[state.current, STRENGTH])
    inverted = np.int64(state.inverted)
    found = plays(options, state, holder, kind, size, strength, inverted, mask, ONE)
    if state.must_play:
        return  # after a reveal the play must follow at once
    if not lead:
        mask[options.pass_action] = 1
    if unrevealed_eights(options, state, holder) == 0:
        return
    if lead:
        # A leader always has a play, so is never stuck.
        allowed = options.reveal_on_lead == 1 and options.reveal != STUCK_ONLY
    else:
        allowed = options.reveal != STUCK_ONLY or not found
        if allowed:
            allowed = plays(options, state, holder, kind, size, strength, 1 - inverted, mask, ZERO)
    if allowed:
        mask[options.pass_action + 1] = 1


@compiled
def unrevealed_eights(options, state, holder):
    """Colours of the set-aside 8s that may still be revealed; none where that is off."""
    if options.eight < 0 or options.reveal == 0:
        return 0
    colours = 0
    for c in range(options.colours):
        colours |= (state.aside[holder, c] >> options.eight & 1) << c
    return colours & ~state.revealed[holder]


@compiled
def _legal_asides(options, state, holder, mask):
    """Cards that may be set aside now: later than the pick before, and leaving enough later."""
    picked = 0
    value, colour = -1, -1  # the pick before, in card order: by value, then colour
    highest, last = -1, -1  # the last card of the hand in that order
    for c in range(options.colours):
        if state.aside[holder, c]:
            picked = 1
            value, colour = lowest_bit(state.aside[holder, c]), c
        if state.left[holder, c]:
            top = highest_bit(state.left[holder, c])
            if top >= highest:
                highest, last = top, c
    spare_last = picked + 1 < options.set_aside
    for c in range(options.colours):
        word = np.int64(state.left[holder, c])
        if picked:
            later = value if c > colour else value + 1
            word &= -1 << later
        if spare_last and c == last:
            word &= ~(1 << highest)
        write_bits(mask, options.aside_offset + c * options.values, np.uint64(word))


@compiled
def plays(options, state, holder, kind, size, strength, inverted, mask, write):
    """Whether a legal combination exists (kind 0: any lead); writes them all if `write` is 1.

    Bits are written 16 at a time with zeros behind them, so in ascending order.
    """
    low = word64(state.left, 2 * np.int64(holder))
    high = word64(state.left, 2 * np.int64(holder) + 1)
    found = False
    if kind != RUN:
        held = _held_in(low, high, ONE if kind == 0 else size)
        held &= np.uint64(options.starts[1] if kind == 0 else options.beats[inverted, 1, strength])
        if held:
            if not write:
                return True
            found = True
            _write_sets(options, low, high, held, 0 if kind == 0 else size, mask)
    if kind != SET:
        shortest = options.shortest_run if kind == 0 else size
        longest = options.longest_run if kind == 0 else size
        for length in range(shortest, longest + 1):
            starts = (
                options.starts[length] if kind == 0 else options.beats[inverted, length, strength]
            )
            if starts == 0:
                break
            if options.same_colour:
                some = _runs(options, low, high, length, np.uint64(starts), mask, write)
            else:
                some = _mixed_runs(options, low, high, length, starts, mask, write)
            if not some:
                break  # on a lead: nor is there a longer one
            if not write:
                return True
            found = True
    return found


@inlined
def _held_in(low, high, number):
    """Word of the values that a set of cards holds in at least `number` (1 to 4) colours."""
    one, two, three, four = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    for half in (low, high):
        rest = half
        while rest:
            four |= three & rest
            three |= two & rest
            two |= one & rest
            one |= rest
            rest >>= np.uint64(16)
    # Bits above the first 16 are shifted copies of other colours.
    if number == 1:
        return one & np.uint64(0xFFFF)
    if number == 2:
        return two & np.uint64(0xFFFF)
    return (three if number == 3 else four) & np.uint64(0xFFFF)


@inlined
def _colours_of(low, high, value):
    """Word of the colours in which a set of cards holds a value."""
    x = low >> np.uint64(value) & np.uint64(0x0001000100010001)
    y = high >> np.uint64(value) & np.uint64(0x0001000100010001)
    x |= x >> np.uint64(15)
    y |= y >> np.uint64(15)
    return (x | x >> np.uint64(30)) & np.uint64(15) | (y & np.uint64(3)) << np.uint64(4)


@inlined
def _write_sets(options, low, high, held, size, mask):
    """Writes the sets of the values in `held`, of one size or (0) of all."""
    which = ~np.uint64(0) if size == 0 else options.of_size[size]
    while held:
        v = lowest_bit(held)
        held &= held - np.uint64(1)
        bits = options.subsets[_colours_of(low, high, v)] & which
        at = v * options.num_subsets
        while bits:
            write_bits(mask, at, bits)
            bits >>= np.uint64(16)
            at += 16


@compiled
def _runs(options, low, high, length, starts, mask, write):
    """Runs of one colour, a word of starts for each colour."""
    number = ones(np.uint64(options.starts[length]))
    values = np.uint64(options.values)
    at = options.run_offset[length]
    found = False
    half = low
    for c in range(options.colours):
        if c == 4:
            half = high
        word = half & np.uint64(0xFFFF)
        half >>= np.uint64(16)
        word |= word << values  # a run that wraps goes on in the second copy
        runs = word & word >> np.uint64(1) & starts
        for i in range(2, length):
            runs &= word >> np.uint64(i)
        if runs:
            if not write:
                return True
            found = True
            write_bits(mask, at, runs)
        at += number
    return found


@compiled
def _mixed_runs(options, low, high, length, starts, mask, write):
    """Runs of any colours: every product of the colours in which the values are held."""
    colours, values = np.int64(options.colours), np.int64(options.values)
    per_start = colours**length
    held = np.int64(_held_in(low, high, ONE))
    held |= held << values
    found = False
    number = -1
    for s in range(values):
        if not options.starts[length] >> s & 1:
            continue
        number += 1
        if not starts >> s & 1 or (held >> s & ((1 << length) - 1)) != (1 << length) - 1:
            continue
        found = True
        if not write:
            return True
        base = options.run_offset[length] + number * per_start
        for code in range(per_start):
            rest = code
            ok = True
            for i in range(length - 1, -1, -1):
                v = s + i if s + i < values else s + i - values
                ok &= np.int64(_colours_of(low, high, v)) >> rest % colours & 1 == 1
                rest //= colours
            if ok:
                mask[base + code] = 1
    return found
