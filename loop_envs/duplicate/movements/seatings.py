"""Seatings of n players in n seats, as arrays: who sits where, row by row.

All are int64 and have a row for every seating: the entry at [row, seat] is who sits there. The
next seat is to the left, and after the last comes the first.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def cyclic(n: int) -> Integers:
    """The n seatings in which everybody moves up one seat from one to the next.

    Everybody sits in every seat exactly once, and the circular order stays the same: whoever
    plays after somebody does so in all seatings.

    Args:
        n: Number of seats, at least 1.

    Returns:
        int64 [n, n]: the entry at [rotation, seat] is who sits there, ``(seat - rotation) mod n``.
        Rotation 0 seats everybody at the seat of their own number.

    Raises:
        ValueError: If n is less than 1.
    """
    seats = _seats(n)
    return (seats[None, :] - seats[:, None]) % n


def permutations(n: int) -> Integers:
    """All seatings, int64 [n!, n], in lexicographic order.

    Raises:
        ValueError: If n is less than 1.
    """
    return np.array(list(itertools.permutations(_seats(n))), np.int64)


def circular_orders(n: int) -> Integers:
    """The circular orders, int64 [(n - 1)!, n]: every seating with player 0 in seat 0.

    Raises:
        ValueError: If n is less than 1.
    """
    _seats(n)
    if n == 1:
        return np.zeros((1, 1), np.int64)
    rest = permutations(n - 1) + 1
    return np.concatenate([np.zeros((len(rest), 1), np.int64), rest], axis=1)


def williams(n: int) -> Integers:
    """Williams squares: everybody sits equally often to the left of everybody else.

    Everybody sits in every seat once per square. Along a row, without the step from the last
    seat back to the first, every ordered pair of neighbours occurs once if n is even (one
    square), and twice if n is odd (a square and its mirror image): E. J. Williams, "Experimental
    designs balanced for the estimation of residual effects of treatments", 1949.

    Args:
        n: Number of seats, at least 1.

    Returns:
        int64 [n, n] if n is even, [2n, n] if n is odd and more than 1.

    Raises:
        ValueError: If n is less than 1.
    """
    square = (_seats(n)[:, None] + zigzag(n)[None, :]) % n
    return square if n % 2 == 0 or n == 1 else np.concatenate([square, square[:, ::-1]])


def latin_square(n: int, seed: int) -> Integers:
    """A random Latin square: everybody sits in every seat once.

    The cyclic square with its rows, columns and players shuffled, the randomisation of R. A.
    Fisher and F. Yates, "Statistical Tables", 1938: every ordered pair of neighbours is equally
    likely, though not every Latin square can occur.

    Args:
        n: Number of seats and players, at least 1.
        seed: Seed, at least 0.

    Returns:
        int64 [n, n].

    Raises:
        ValueError: If n is less than 1.
    """
    _seats(n)
    rng = np.random.default_rng(seed)
    rows, columns, players = (rng.permutation(n) for _ in range(3))
    square: Integers = players[(rows[:, None] + columns[None, :]) % n].astype(np.int64)
    return square


def zigzag(n: int) -> Integers:
    """0, 1, -1, 2, -2, ... mod n: for even n, all steps from one to the next differ."""
    steps = np.arange(n, dtype=np.int64)
    return np.where(steps % 2 == 1, (steps + 1) // 2, -(steps // 2)) % n


def _seats(n: int) -> Integers:
    if n < 1:
        raise ValueError(f"n: got {n}, allowed: an integer ≥ 1")
    return np.arange(n, dtype=np.int64)
