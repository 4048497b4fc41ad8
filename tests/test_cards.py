"""The card words: round trips, and planes written where they belong and nowhere else."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop_envs import cards
from loop_envs.cards import MAX_RANKS, MAX_SUITS, WORDS

RANKS = st.integers(1, MAX_RANKS)
SUITS = st.integers(1, MAX_SUITS)
GUARD = 99


@st.composite
def card_sets(draw: st.DrawFn) -> tuple[int, int, list[int]]:
    """(suits, ranks, card numbers without repetition)."""
    suits, ranks = draw(SUITS), draw(RANKS)
    numbers = draw(st.sets(st.integers(0, suits * ranks - 1)))
    return suits, ranks, draw(st.permutations(sorted(numbers)))


def halves(words: npt.NDArray[np.uint16]) -> tuple[np.uint64, np.uint64]:
    """The two 64-bit halves of a set, put together word by word."""
    low = sum(int(words[s]) << 16 * s for s in range(4))
    high = sum(int(words[4 + s]) << 16 * s for s in range(4))
    return np.uint64(low), np.uint64(high)


@given(card_sets())
def test_words_and_card_lists_are_inverse(drawn: tuple[int, int, list[int]]) -> None:
    _, ranks, numbers = drawn
    words = cards.words_of(numbers, ranks)
    assert words.shape == (WORDS,)
    assert words.dtype == np.uint16
    listed = cards.cards_of(words, ranks)
    assert sorted(listed) == sorted(numbers)
    assert listed == sorted(numbers, key=lambda c: (c % ranks, c // ranks)), "by rank, then suit"
    assert cards.count(words, WORDS) == len(numbers)


@given(card_sets())
def test_count_looks_at_the_first_suits_only(drawn: tuple[int, int, list[int]]) -> None:
    suits, ranks, numbers = drawn
    words = cards.words_of(numbers, ranks)
    for first in range(suits + 1):
        assert cards.count(words, first) == sum(c // ranks < first for c in numbers)


@given(card_sets())
def test_pack_undoes_unpack(drawn: tuple[int, int, list[int]]) -> None:
    suits, ranks, numbers = drawn
    words = cards.words_of(numbers, ranks)
    planes = cards.unpack(words, ranks)
    assert planes.shape == (WORDS, ranks)
    assert planes.dtype == np.int8
    assert {(int(s), int(r)) for s, r in np.argwhere(planes)} == {
        (c // ranks, c % ranks) for c in numbers
    }
    assert not planes[suits:].any()
    assert (cards.pack(planes) == words).all()
    assert cards.pack(planes).dtype == np.uint16


@given(st.integers(0, 2**32 - 1), RANKS, st.lists(st.integers(1, 3), max_size=3))
def test_pack_and_unpack_take_any_leading_axes(seed: int, ranks: int, lead: list[int]) -> None:
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << ranks, (*lead, 6), dtype=np.uint16)
    planes = cards.unpack(words, ranks)
    assert planes.shape == (*lead, 6, ranks)
    assert set(np.unique(planes)) <= {0, 1}
    assert (cards.pack(planes) == words).all()


def test_unpack_takes_lists_and_the_top_rank() -> None:
    assert cards.unpack([1, 1 << 14], 15).tolist() == [[1] + [0] * 14, [0] * 14 + [1]]


def test_pack_counts_any_value_but_zero_as_one() -> None:
    assert cards.pack([[0, 2, -1]]).tolist() == [6]
    assert cards.pack(np.array([[True, False, True]])).tolist() == [5]


@given(card_sets(), st.integers(0, 70), st.integers(0, 80))
def test_write_planes_equals_unpack_and_stays_in_its_array(
    drawn: tuple[int, int, list[int]], at: int, tail: int
) -> None:
    suits, ranks, numbers = drawn
    words = cards.words_of(numbers, ranks)
    size = suits * ranks
    memory = np.full(at + size + tail + 80, GUARD, np.int8)
    out = memory[: at + size + tail]
    assert cards.write_planes(out, at, suits, ranks, *halves(words)) == at + size
    assert (out[at : at + size] == cards.unpack(words[:suits], ranks).ravel()).all()
    assert (out[:at] == GUARD).all(), "written in front of the planes"
    assert set(out[at + size :]) <= {0, GUARD}, "behind the planes there may be zeros only"
    assert (memory[len(out) :] == GUARD).all(), "written behind the end of the array"


@pytest.mark.parametrize("suits", range(1, MAX_SUITS + 1))
@pytest.mark.parametrize("ranks", range(1, MAX_RANKS + 1))
def test_write_planes_of_all_shapes_at_the_very_end(suits: int, ranks: int) -> None:
    size = suits * ranks
    rng = np.random.default_rng(suits * 100 + ranks)
    samples = [
        np.arange(size),
        np.arange(0),
        *(np.flatnonzero(rng.random(size) < 0.5) for _ in "abc"),
    ]
    for numbers in samples:
        words = cards.words_of([int(c) for c in numbers], ranks)
        for tail in (0, 1, 15, 16, 63, 64, 65):
            memory = np.full(3 + size + tail + 80, GUARD, np.int8)
            out = memory[: 3 + size + tail]
            cards.write_planes(out, 3, suits, ranks, *halves(words))
            assert (out[3 : 3 + size] == cards.unpack(words[:suits], ranks).ravel()).all()
            assert (memory[len(out) :] == GUARD).all()


def test_planes_written_one_after_the_other_do_not_disturb_each_other() -> None:
    rng = np.random.default_rng(0)
    for suits, ranks in ((4, 13), (6, 15), (5, 7), (1, 1), (2, 15)):
        words = rng.integers(0, 1 << ranks, (5, WORDS), dtype=np.uint16)
        words[:, suits:] = 0
        out = np.full(5 * suits * ranks, GUARD, np.int8)
        at = 0
        for row in words:
            at = int(cards.write_planes(out, at, suits, ranks, *halves(row)))
        assert at == len(out)
        assert (out.reshape(5, suits, ranks) == cards.unpack(words[:, :suits], ranks)).all()


@given(st.integers(0, 2**16 - 1), st.integers(0, 20), st.integers(0, 40))
def test_write_bits_writes_sixteen_or_up_to_the_end(word: int, at: int, tail: int) -> None:
    memory = np.full(at + tail + 40, GUARD, np.int8)
    out = memory[: at + tail]
    cards.write_bits(out, at, np.uint64(word))
    written = min(16, tail)
    assert out[at : at + written].tolist() == [word >> i & 1 for i in range(written)]
    assert (out[:at] == GUARD).all()
    assert (memory[at + written :] == GUARD).all()


@given(st.integers(0, 2**64 - 1))
def test_write_bits_ignores_higher_bits(word: int) -> None:
    out = np.full(40, GUARD, np.int8)
    cards.write_bits(out, 5, np.uint64(word))
    assert out[5:21].tolist() == [word >> i & 1 for i in range(16)]
    assert (out[21:] == GUARD).all()


@given(card_sets())
def test_read_plane_undoes_write_planes(drawn: tuple[int, int, list[int]]) -> None:
    suits, ranks, numbers = drawn
    words = cards.words_of(numbers, ranks)
    out = np.zeros(suits * ranks, np.int8)
    cards.write_planes(out, 0, suits, ranks, *halves(words))
    assert [cards.read_plane(out, s * ranks, ranks) for s in range(suits)] == words[:suits].tolist()
