import itertools
import math
from collections import Counter

import numpy as np
import pytest

from loop_envs.duplicate.movements import circular_orders, latin_square, permutations, williams


@pytest.mark.parametrize(("n", "rows", "each"), [(4, 4, 1), (6, 6, 1), (3, 6, 2), (5, 10, 2)])
def test_williams_squares_have_every_ordered_neighbour_pair_equally_often(
    n: int, rows: int, each: int
) -> None:
    squares = williams(n)
    assert squares.shape == (rows, n)
    for square in squares.reshape(-1, n, n):
        assert (np.sort(square, axis=0) == np.arange(n)[:, None]).all()
        assert (np.sort(square, axis=1) == np.arange(n)).all()
    pairs = Counter(zip(squares[:, :-1].flat, squares[:, 1:].flat, strict=True))
    assert pairs == dict.fromkeys(itertools.permutations(range(n), 2), each)


@pytest.mark.parametrize("n", range(1, 9))
def test_williams_squares_of_every_order_are_balanced(n: int) -> None:
    squares = williams(n)
    pairs = Counter(zip(squares[:, :-1].flat, squares[:, 1:].flat, strict=True))
    assert len(pairs) == n * (n - 1)
    assert len(set(pairs.values())) <= 1


@pytest.mark.parametrize("n", range(1, 7))
def test_all_seatings_and_all_circular_orders(n: int) -> None:
    assert permutations(n).tolist() == [list(p) for p in itertools.permutations(range(n))]
    orders = circular_orders(n)
    assert orders.shape == (math.factorial(n - 1), n)
    turned = {tuple(np.roll(order, i).tolist()) for order in orders for i in range(n)}
    assert len(turned) == math.factorial(n)


def test_latin_squares_are_latin_random_and_reproducible() -> None:
    seen = set()
    for seed in range(300):
        square = latin_square(3, seed)
        assert (np.sort(square, axis=0) == np.arange(3)[:, None]).all()
        assert (np.sort(square, axis=1) == np.arange(3)).all()
        seen.add(square.tobytes())
    assert len(seen) == 12  # all there are
    assert (latin_square(7, 1) == latin_square(7, 1)).all()


@pytest.mark.parametrize("make", [williams, circular_orders, permutations])
def test_no_seats_are_refused(make: object) -> None:
    with pytest.raises(ValueError, match=r"n: got 0, allowed"):
        make(0)  # type: ignore[operator]
