"""Uniformly random deals of unknown cards to boxes that may be barred from some of them.

What a player knows of hidden hands is often of the form "these cards lie in these hands of known
sizes, and this hand holds none of those values". Dealing and rejecting would be exact, but can
take forever; here the ways are counted by dynamic programming over the cards, and a deal is
drawn card by card with the right chances. Only boxes that are barred from something are counted
over; the others, and the cards that no box gets, are shuffled.

Counts are floats: at most (boxes + 1)^cards, far below their limit of 10^308 for 8 boxes and 128
cards, and exact to the last bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loop_envs.deals import draw
from loop_envs.jit import Int, allocating, compiled

Integers = npt.NDArray[np.int64]
Ways = tuple[Integers, Integers, npt.NDArray[np.float64], Int, Int]
"""What `count_ways` makes for `assign`."""


@allocating
def count_ways(barred: Integers, cards: Int, sizes: Integers, boxes: Int, counted: Int) -> Ways:
    """Counts the ways to fill all boxes.

    A state is the room left in each box that is barred from something, as one mixed-radix
    number. Cards that all these boxes accept need no states: what they still lack in the end is
    filled by a shuffle of them, in a number of ways known by a formula.

    Args:
        barred: By card, bit b is set when box b must not get it.
        cards: Number of cards; at least the sum of the sizes.
        sizes: By box, how many cards it gets.
        boxes: Number of boxes.
        counted: Bits of boxes that are counted over even if no card is barred from them.

    Returns:
        A plan for `assign`, good for any number of draws.
    """
    limited = np.int64(counted)
    for i in range(cards):
        limited |= barred[i]
    strides = np.zeros(boxes, np.int64)
    states = np.int64(1)
    for b in range(boxes):
        if limited >> b & 1 and sizes[b] > 0:
            strides[b] = states
            states *= sizes[b] + 1
        else:
            limited &= ~(np.int64(1) << b)
    # First the cards that some limited boxes accept, then those that all do, then those none does.
    order = np.zeros(2 * cards, np.int64)  # the second half is room for `assign`
    some, every, at = np.int64(0), np.int64(0), np.int64(0)
    for group in range(3):
        for i in range(cards):
            bars = barred[i] & limited
            of_group = 1 if bars == 0 else (2 if bars == limited else 0)
            if of_group == group:
                order[at] = i
                at += 1
        if group == 0:
            some = at
        elif group == 1:
            every = at - some
    counts = np.zeros((some + 1, states), np.float64)
    for s in range(states):
        left, ways = every, 1.0
        for b in range(boxes):
            if strides[b] > 0:
                for k in range(s // strides[b] % (sizes[b] + 1)):
                    ways *= left / (k + 1.0)
                    left -= 1
        # Where the cards do not suffice, `left` was 0 on the way, and so are the ways.
        counts[some, s] = ways
    for i in range(some - 1, -1, -1):
        for s in range(states):
            ways = counts[i + 1, s]
            for b in range(boxes):
                if _may_get(barred, sizes, strides, order[i], s, b):
                    ways += counts[i + 1, s - strides[b]]
            counts[i, s] = ways
    return order, strides, counts, some, every


@compiled
def _may_get(
    barred: Integers, sizes: Integers, strides: Integers, card: Int, state: Int, box: Int
) -> bool:
    """Whether a limited box accepts a card and has room for it."""
    if strides[box] == 0 or barred[card] >> box & 1:
        return False
    return bool(state // strides[box] % (sizes[box] + 1) > 0)


@compiled
def assign(
    barred: Integers, cards: Int, sizes: Integers, boxes: Int, ways: Ways, first: Int, key: Int,
    counter: Int, box_of: Integers,
) -> Int:  # fmt: skip
    """Draws one deal, each possible one with the same chance.

    Args:
        barred: As given to `count_ways`; at least one way must exist.
        cards: As given to `count_ways`.
        sizes: As given to `count_ways`.
        boxes: As given to `count_ways`.
        ways: What `count_ways` returned; its room for work is overwritten.
        first: The state to begin with, in which places may be taken already; -1: all are free.
        key: Key of the random stream.
        counter: First draw of the stream to use.
        box_of: Written: by card, its box, or -1 when no box gets it.

    Returns:
        The first draw that was not used.
    """
    order, strides, counts, some, every = ways
    for i in range(cards):
        box_of[i] = -1
    # One card after the other: left over, or in a box, each as often as ways go on from there.
    s = counts.shape[1] - 1 if first < 0 else first
    for i in range(some):
        rest = counts[i, s] * fraction(key, counter)
        counter += 2
        chosen = -1
        if counts[i + 1, s] > 0.0:
            rest -= counts[i + 1, s]
        if rest >= 0.0:
            for b in range(boxes):
                # Rounding may leave a rest behind; the last possible box stands then.
                if rest >= 0.0 and _may_get(barred, sizes, strides, order[i], s, b):
                    going_on = counts[i + 1, s - strides[b]]
                    if going_on > 0.0:
                        rest -= going_on
                        chosen = b
        if chosen >= 0:
            box_of[order[i]] = chosen
            s -= strides[chosen]
    # Cards that every limited box accepts fill these up.
    for i in range(every):
        order[cards + i] = order[some + i]
    used = np.int64(0)
    for b in range(boxes):
        if strides[b] > 0:
            room = s // strides[b] % (sizes[b] + 1)
            counter = _fill(order, cards, every, used, room, b, key, counter, box_of)
            used += room
    # All that is left over, shuffled, fills the other boxes.
    free = np.int64(0)
    for i in range(cards):
        if box_of[i] < 0:
            order[cards + free] = i
            free += 1
    used = np.int64(0)
    for b in range(boxes):
        if strides[b] == 0:
            counter = _fill(order, cards, free, used, sizes[b], b, key, counter, box_of)
            used += sizes[b]
    return counter


@compiled
def _fill(
    order: Integers, start: Int, size: Int, used: Int, room: Int, box: Int, key: Int, counter: Int,
    box_of: Integers,
) -> Int:  # fmt: skip
    """Puts `room` random cards of order[start+used:start+size] into a box (Fisher–Yates)."""
    for i in range(used, used + room):
        j = i + draw(key, counter, size - i)
        counter += 1
        card = order[start + j]
        order[start + j] = order[start + i]
        order[start + i] = card
        box_of[card] = box
    return counter


@compiled
def fraction(key: Int, counter: Int) -> float:
    """A random multiple of 2^-53 in [0, 1), from two draws."""
    high, low = draw(key, counter, 1 << 27), draw(key, counter + 1, 1 << 26)
    return float((high * 67108864.0 + low) * (1.0 / 9007199254740992.0))
