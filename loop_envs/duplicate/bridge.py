"""Duplicate bridge's scales: international match points and victory points."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# fmt: off
IMP_BOUNDS: npt.NDArray[np.int64] = np.array([
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
])
# fmt: on
"""The least difference that is worth 1 to 24 IMPs (Laws of Duplicate Bridge 2017, Law 78B)."""

_RATIO = math.sqrt(5) - 2
"""Ratio of the geometric scale: the cube of the golden section."""


def imps(differences: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """International match points of differences, -24 to 24, antisymmetric.

    Args:
        differences: Differences of two scores in points of duplicate bridge, of any shape.

    Returns:
        int64 of the same shape.

    Raises:
        ValueError: If a difference is not a number.
    """
    given = np.asarray(differences)
    if np.isnan(given).any():
        raise ValueError("differences must be numbers, got nan")
    size = np.searchsorted(IMP_BOUNDS, np.abs(given), side="right")
    signed: npt.NDArray[np.int64] = (np.sign(given) * size).astype(np.int64)
    return signed


def victory_points(margin: npt.ArrayLike, boards: npt.ArrayLike) -> Floats:
    """The World Bridge Federation's continuous scale of victory points, unrounded.

    The winner by I IMPs over N boards gets ``10 + 10 (1 - R^(I / X)) / (1 - R)`` with
    R = √5 - 2 and X = 15 √N, from I = X on all 20; the loser gets the rest of 20 (WBF Scoring
    Panel, "The new WBF IMP to VP scales", technical report, 2012).

    Args:
        margin: IMPs won, negative if lost, of any shape.
        boards: Boards of the match, at least 1; a number or the shape of `margin`.

    Returns:
        float64 of the common shape, 0 to 20, 10 for a draw.

    Raises:
        ValueError: If there are boards below 1, or a margin is not a number.
    """
    won, n = np.asarray(margin, np.float64), np.asarray(boards, np.float64)
    if not (n >= 1).all():
        raise ValueError(f"boards: got {n.min()}, allowed: ≥ 1")
    if np.isnan(won).any():
        raise ValueError("margins must be numbers, got nan")
    part = np.minimum(np.abs(won) / (15 * np.sqrt(n)), 1)
    gain: Floats = 10 * (1 - _RATIO**part) / (1 - _RATIO)
    return 10 + np.sign(won) * gain
