"""The shared card representation: a set of cards is one `uint16` word per suit.

Every card is a (suit, rank); bit r of word s says whether card (s, r) is in the set. A set has
at most `MAX_SUITS` words of at most `MAX_RANKS` bits and is stored as `WORDS` words, so that
it is two 64-bit halves of four suits each: union, difference and complement of all suits are
two operations. A card's number is ``suit * ranks + rank``. The same helpers serve every game,
one match or a million.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loop_envs.bits import ones, write16, write64
from loop_envs.jit import Int, compiled, inlined

MAX_SUITS = 6
WORDS = 8
MAX_RANKS = 15
MAX_CARDS = MAX_SUITS * MAX_RANKS

Words = npt.NDArray[np.uint16]


@inlined
def write_bits(out: npt.NDArray[np.int8], at: Int, word: Int) -> None:
    """Writes the low 16 bits of a word as bytes of 0 or 1 at `at`, as far as `out` reaches."""
    if at + 16 <= out.shape[0]:
        write16(out, at, word)
    else:
        for i in range(out.shape[0] - at):
            out[at + i] = np.int64(word) >> i & 1


@compiled
def count(words: Words, suits: Int) -> int:
    """Number of cards in a set."""
    total = 0
    for s in range(suits):
        total += ones(words[s])
    return total


@inlined
def write_planes(
    out: npt.NDArray[np.int8], at: Int, suits: Int, ranks: Int, low: Int, high: Int
) -> Int:
    """Unpacks a set to `suits * ranks` bytes of 0 or 1 at `at`; returns the offset behind them.

    Writes up to 64 bytes at a time: what lies behind the planes is overwritten with zeros, so
    sets are written in ascending order.

    Args:
        out: int8 vector.
        at: Where to begin.
        suits: Number of suits.
        ranks: Number of ranks.
        low: The set's first four words (see `jit.word64`).
        high: Its other words.
    """
    behind = at + suits * ranks
    if at + 4 * ranks + 64 <= out.shape[0]:
        # Four words of at most 15 bits, moved together, fit 64 bits.
        write64(out, at, _packed(low, np.uint64(ranks)))
        if suits > 4:
            write64(out, at + 4 * ranks, _packed(high, np.uint64(ranks)))
        return behind
    _write_planes_near_end(out, at, suits, ranks, low, high)
    return behind


@compiled
def _write_planes_near_end(
    out: npt.NDArray[np.int8], at: Int, suits: Int, ranks: Int, low: Int, high: Int
) -> None:
    """The same, suit by suit, never beyond the end of `out`."""
    half = low
    for s in range(suits):
        if s == 4:
            half = high
        write_bits(out, at, half)
        half >>= np.uint64(16)
        at += ranks


@inlined
def _packed(half: Int, ranks: np.uint64) -> Int:
    """The four words of half a set moved together to `ranks` bits each."""
    word = np.uint64(0xFFFF)
    packed = half & word
    packed |= (half >> np.uint64(16) & word) << ranks
    packed |= (half >> np.uint64(32) & word) << (ranks + ranks)
    return packed | (half >> np.uint64(48)) << (ranks + ranks + ranks)


@compiled
def read_plane(source: npt.NDArray[np.int8], offset: Int, ranks: Int) -> int:
    """Packs `ranks` bytes of 0 or 1 at `offset` into a word: undoes `write_planes` for a suit."""
    word = 0
    for r in range(ranks):
        if source[offset + r] != 0:
            word |= 1 << r
    return word


def unpack(words: npt.ArrayLike, ranks: int) -> npt.NDArray[np.int8]:
    """Unpacks words to planes, for networks and people.

    Args:
        words: Integer array of shape (..., suits).
        ranks: Number of ranks, 1 to 15.

    Returns:
        int8 array of shape (..., suits, ranks) of 0 and 1.
    """
    bits = np.asarray(words, np.uint16)[..., None] >> np.arange(ranks, dtype=np.uint16)
    return (bits & 1).astype(np.int8)


def pack(planes: npt.ArrayLike) -> Words:
    """Packs planes of shape (..., suits, ranks) to uint16 words of shape (..., suits)."""
    planes = np.asarray(planes)
    weights = (1 << np.arange(planes.shape[-1], dtype=np.uint32)).astype(np.uint32)
    words: Words = ((planes != 0) * weights).sum(axis=-1).astype(np.uint16)
    return words


def cards_of(words: npt.ArrayLike, ranks: int) -> list[int]:
    """Lists the card numbers of a set in ascending order of rank, then suit.

    Args:
        words: Integer array of shape (suits,).
        ranks: Number of ranks, 1 to 15.
    """
    suits, values = np.nonzero(unpack(words, ranks))
    order = np.lexsort((suits, values))
    return [int(suits[i] * ranks + values[i]) for i in order]


def words_of(cards: list[int], ranks: int) -> Words:
    """Packs card numbers into words of shape (WORDS,)."""
    words = np.zeros(WORDS, np.uint16)
    for card in cards:
        words[card // ranks] |= np.uint16(1 << card % ranks)
    return words
