"""Movements: who sits where when the same deal is played again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def cyclic(n: int) -> npt.NDArray[np.int64]:
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
    if n < 1:
        raise ValueError(f"n: got {n}, allowed: an integer ≥ 1")
    seats = np.arange(n, dtype=np.int64)
    return (seats[None, :] - seats[:, None]) % n
