import numpy as np
import pytest

from loop_envs.duplicate import cyclic


@pytest.mark.parametrize("n", range(1, 9))
def test_everybody_sits_in_every_seat_once(n: int) -> None:
    seats = cyclic(n)
    assert seats.shape == (n, n)
    assert seats.dtype == np.int64
    for table in (seats, seats.T):
        assert (np.sort(table, axis=1) == np.arange(n)).all()


@pytest.mark.parametrize("n", range(2, 9))
def test_the_circular_order_never_changes(n: int) -> None:
    seats = cyclic(n)
    following = np.roll(seats, -1, axis=1)
    assert (following == (seats + 1) % n).all()


def test_three_seats_by_hand() -> None:
    assert cyclic(3).tolist() == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]


def test_no_seats_are_refused() -> None:
    with pytest.raises(ValueError, match=r"n: got 0, allowed"):
        cyclic(0)
