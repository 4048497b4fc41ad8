"""Random deals to boxes that are barred from some cards: possible, uniform, never stuck."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from loop_envs.assignments import assign, count_ways

Array = npt.NDArray[np.int64]

# (cards' bars by box as bits, sizes of the boxes)
CASES: dict[str, tuple[list[int], list[int]]] = {
    "no box barred": ([0] * 5, [2, 1]),
    "one box": ([1, 1, 0, 0, 0, 0], [2, 2]),
    "one box that takes all it may": ([1, 1, 0, 0, 0], [3, 1]),
    "two boxes": ([1, 1, 2, 2, 3, 0, 0], [2, 2]),
    "two boxes and a free one": ([1, 2, 2, 3, 0, 0], [1, 2, 2]),
    "nothing left over": ([1, 2, 0, 0, 4, 1], [2, 2, 2]),
    "a barred box of no cards": ([1, 1, 2, 0, 0], [0, 2, 1]),
    "all barred from one": ([1, 1, 1, 1], [0, 2]),
    "three boxes": ([1, 2, 4, 3, 5, 6, 0, 0], [1, 1, 1]),
    "only one way": ([5, 6, 3], [1, 1, 1]),
    "no cards": ([], [0, 0]),
}


def ways_of(bars: list[int], sizes: list[int]) -> set[tuple[int, ...]]:
    """Every box of every card, by trying all."""
    boxes = range(-1, len(sizes))
    return {
        where
        for where in product(boxes, repeat=len(bars))
        if all(where.count(b) == size for b, size in enumerate(sizes))
        and not any(b >= 0 and bar >> b & 1 for b, bar in zip(where, bars, strict=True))
    }


def draws(bars: list[int], sizes: list[int], number: int, key: int) -> list[tuple[int, ...]]:
    """Random deals."""
    barred, room = np.array(bars, np.int64), np.array(sizes, np.int64)
    box_of = np.zeros(len(bars), np.int64)
    ways: Any = count_ways(barred, len(bars), room, len(sizes), 0)
    counter, found = 0, []
    for _ in range(number):
        counter = int(
            assign(barred, len(bars), room, len(sizes), ways, -1, np.uint64(key), counter, box_of)
        )
        found.append(tuple(int(b) for b in box_of))
    return found


def check_uniform(bars: list[int], sizes: list[int], key: int) -> None:
    """Every possible deal is drawn about equally often, and no other."""
    possible = sorted(ways_of(bars, sizes))
    number = max(200, 12 * len(possible))
    found = draws(bars, sizes, number, key)
    assert set(found) <= set(possible)
    if len(possible) > 1:
        counts = [0] * len(possible)
        index = {where: i for i, where in enumerate(possible)}
        for where in found:
            counts[index[where]] += 1
        assert stats.chisquare(counts).pvalue > 1e-5


@pytest.mark.parametrize("name", CASES)
def test_deals_are_uniform(name: str) -> None:
    check_uniform(*CASES[name], key=11)


def test_random_cases_are_uniform() -> None:
    rng = np.random.default_rng(3)
    checked = 0
    while checked < 25:
        boxes, cards = int(rng.integers(1, 4)), int(rng.integers(2, 8))
        sizes = [int(x) for x in rng.integers(0, 3, boxes)]
        bars = [int(x) for x in rng.integers(0, 1 << boxes, cards)]
        if sum(sizes) <= cards and 1 < len(ways_of(bars, sizes)) < 500:
            check_uniform(bars, sizes, checked)
            checked += 1


def test_the_number_of_ways_is_counted() -> None:
    for bars, sizes in CASES.values():
        barred, room = np.array(bars, np.int64), np.array(sizes, np.int64)
        ways: Any = count_ways(barred, len(bars), room, len(sizes), 0)
        # Boxes that are barred from nothing, and what is left over, are not counted over.
        limited = [b for b in range(len(sizes)) if any(bar >> b & 1 for bar in bars)]
        seen = {tuple(b if b in limited else -1 for b in way) for way in ways_of(bars, sizes)}
        assert ways[2][0, -1] == len(seen)


def test_a_big_case_is_quick_and_keeps_to_its_bars() -> None:
    # 52 cards, seven boxes of five, each barred from a fifth of the cards, and no card open to all.
    rng = np.random.default_rng(0)
    bars = [int(sum(1 << b for b in range(7) if rng.random() < 0.2)) or 1 for _ in range(52)]
    for where in draws(bars, [5] * 7, 20, 5):
        assert all(where.count(b) == 5 for b in range(7))
        assert not any(b >= 0 and bar >> b & 1 for b, bar in zip(where, bars, strict=True))


def test_a_draw_depends_on_the_key_alone() -> None:
    bars, sizes = CASES["two boxes and a free one"]
    assert draws(bars, sizes, 20, 4) == draws(bars, sizes, 20, 4)
    assert draws(bars, sizes, 20, 4) != draws(bars, sizes, 20, 5)
