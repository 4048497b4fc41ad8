"""A deal is a number: shuffles and keys as pure functions of (seed, board, index).

Nothing else in the environments is random, and no state holds a generator. Bits come from
SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
2014), used as a counter: output i of a stream is the mixed value of ``key + i * GOLDEN``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.errors import SeedError
from loop_envs.jit import DISABLED, Int, compiled

MAX_SEED = 2**63 - 1
MAX_BOARD = 2**63 - 1
BOARD_STRIDE = 2**32
"""A batch slot that starts on board b goes on to b + 2^32, b + 2 * 2^32, …"""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_NO_DEAL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)

if DISABLED:
    # 64-bit arithmetic wraps around on purpose; compiled code does so silently.
    np.seterr(over="ignore")


@compiled
def mix(value: Int) -> np.uint64:
    """SplitMix64's finaliser: a bijection of 64-bit words that scatters every bit."""
    z = np.uint64(value)
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@compiled
def combine(key: Int, value: Int) -> np.uint64:
    """A new key from a key and an integer; different integers give unrelated keys."""
    return mix(mix(np.uint64(key) + _GOLDEN) ^ (np.uint64(value) + _GOLDEN))


@compiled
def deal_key(seed: Int, board: Int, index: Int) -> np.uint64:
    """The key of deal `index` of a board under a seed."""
    return combine(combine(np.uint64(seed), board), index)


@compiled
def match_key(seed: Int, board: Int) -> np.uint64:
    """The key that all policies of a match derive theirs from; unrelated to its deals."""
    return combine(combine(np.uint64(seed), board), _NO_DEAL)


@compiled
def decision_key(match: Int, policy: Int, ply: Int) -> np.uint64:
    """The random word of one decision: a function of match, policy and ply."""
    return mix(np.uint64(match) ^ mix(np.uint64(policy) + np.uint64(ply) * _GOLDEN))


@compiled
def draw(key: Int, counter: Int, bound: Int) -> Any:
    """Uniform integer in 0..bound-1, exactly unbiased.

    Lemire's method on 32 bits ("Fast random integer generation in an interval", 2019). Rejected
    draws move on in a stream of their own, so that `counter` alone names a draw.

    Args:
        key: The stream's key.
        counter: Number of the draw in the stream.
        bound: 1 to 2^31.
    """
    n = np.uint64(bound)
    low = np.uint64(0xFFFFFFFF)
    stream = mix(np.uint64(key) + (np.uint64(counter) + np.uint64(1)) * _GOLDEN)
    product = (stream >> np.uint64(32)) * n
    if product & low < n:  # rarely; the threshold below is less than n
        threshold = (np.uint64(1 << 32) - n) % n
        while product & low < threshold:
            stream = mix(stream + _GOLDEN)
            product = (stream >> np.uint64(32)) * n
    return np.int64(product >> np.uint64(32))


@compiled
def shuffle(key: Int, deck: npt.NDArray[np.int16], size: Int) -> None:
    """Fills `deck[:size]` with a uniformly random permutation of 0..size-1 (Fisher–Yates)."""
    for i in range(size):
        deck[i] = i
    for i in range(size - 1, 0, -1):
        j = draw(key, i, i + 1)
        deck[i], deck[j] = deck[j], deck[i]


def check_seed(seed: Any) -> int:
    """Returns the seed as an int.

    Raises:
        SeedError: If it is not an integer from 0 to 2^63-1.
    """
    return _check("seed", seed, MAX_SEED)


def check_board(board: Any) -> int:
    """Returns the board number as an int.

    Raises:
        SeedError: If it is not an integer from 0 to 2^63-1.
    """
    return _check("board", board, MAX_BOARD)


def check_boards(boards: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Returns a vector of board numbers.

    Raises:
        SeedError: If it is no vector of integers from 0 to 2^63-1.
    """
    given = np.asarray(boards)
    if given.size == 0 and given.ndim == 1:
        return np.zeros(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise SeedError(
            f"boards must be a vector of integers from 0 to {MAX_BOARD}, got {given.dtype} of "
            f"shape {given.shape}"
        )
    if given.min() < 0 or given.max() > MAX_BOARD:
        raise SeedError(f"boards must be from 0 to {MAX_BOARD}, got {given.min()}…{given.max()}")
    return np.array(given, np.int64)


def _check(what: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise SeedError(f"{what} must be an integer from 0 to {most}, got {value!r}")
    if not 0 <= int(value) <= most:
        raise SeedError(f"{what} must be from 0 to {most}, got {value}")
    return int(value)


def next_board(board: int) -> int:
    """The board that a batch slot plays after `board`; wraps around at 2^63."""
    return (board + BOARD_STRIDE) % (MAX_BOARD + 1)


def fresh_seed() -> int:
    """A seed from the operating system, for callers who did not name one."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
