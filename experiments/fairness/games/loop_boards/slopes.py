"""What the strength of the players before and behind is worth: a regression, board by board."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.fairness.boards import Floats

Ints = npt.NDArray[np.int64]


class Seatings(NamedTuple):
    """Who sat where, and a value of each player, in M matches of B boards.

    Attributes:
        board: int64 [M].
        lineup: Number of the line-up, int64 [M].
        who: By seat, number of the agent on the ladder, int64 [M, n].
        values: By seat, float64 [M, n].
    """

    board: Ints
    lineup: Ints
    who: Ints
    values: Floats


def slopes(parts: Callable[[], Iterable[Seatings]], strength: Floats) -> Floats:
    """How much a value changes with the strengths of the players before and behind.

    Least squares of ``value = a(line-up, agent) + b · before + c · behind``. Row x of the result
    is ``(b, c) + A⁻¹ X'e`` with the residuals e and regressors X of board x and A the mean of X'X
    over boards, so its mean is the estimate and its spread gives the interval over boards.

    Args:
        parts: Gives the matches of all line-ups of the agents, in parts of whole boards, in order;
            it is called twice.
        strength: By agent, float64 [agents].

    Returns:
        float64 [boards, 2]; the slopes b and c.
    """
    cells: Floats = sum((_cell_sums(part, strength) for part in parts()), start=np.zeros(()))
    means = cells[1:] / np.maximum(cells[0], 1)
    products = np.concatenate([_products(part, strength, means) for part in parts()])
    xx, xy = products[:, :, 1:], products[:, :, 0]
    # With three players the two regressors are the same but for the sign; the least solution.
    inverse = np.linalg.pinv(xx.mean(axis=0), rcond=1e-9)
    slope = inverse @ xy.mean(axis=0)
    found: Floats = slope + (xy - xx @ slope) @ inverse
    return found


def _columns(part: Seatings, strength: Floats) -> tuple[Ints, list[Floats]]:
    """Cell of every player, and value, strength before and strength behind, each [M n]."""
    of = strength[part.who]
    cell = part.lineup[:, None] * len(strength) + part.who
    columns = (part.values, np.roll(of, 1, axis=1), np.roll(of, -1, axis=1))
    return cell.reshape(-1), [column.reshape(-1) for column in columns]


def _cell_sums(part: Seatings, strength: Floats) -> Floats:
    """Numbers and sums by line-up and agent, float64 [4, cells]."""
    cell, columns = _columns(part, strength)
    size = math.comb(len(strength), part.who.shape[1]) * len(strength)
    sums = [np.bincount(cell, column, size) for column in columns]
    return np.stack([np.bincount(cell, minlength=size), *sums])


def _products(part: Seatings, strength: Floats, means: Floats) -> Floats:
    """By board, sums of the regressors times value and regressors, float64 [boards, 2, 3].

    All are counted from the means of their cells, float64 [3, cells].
    """
    cell, columns = _columns(part, strength)
    y, *x = (column - mean[cell] for column, mean in zip(columns, means, strict=True))
    _, board = np.unique(np.repeat(part.board, part.who.shape[1]), return_inverse=True)
    sums = [[np.bincount(board, a * b) for b in (y, *x)] for a in x]
    return np.moveaxis(np.array(sums), -1, 0)
