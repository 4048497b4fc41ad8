import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop_envs.duplicate.bridge import IMP_BOUNDS, imps, victory_points


def test_bounds_of_imps() -> None:
    assert len(IMP_BOUNDS) == 24
    assert imps(IMP_BOUNDS).tolist() == list(range(1, 25))
    assert imps(IMP_BOUNDS - 1).tolist() == list(range(24))
    assert imps([[0, 10, 20], [-10, -20, -9000]]).tolist() == [[0, 0, 1], [0, -1, -24]]
    assert imps(19.999) == 0
    assert imps(1e9) == 24


@given(st.floats(-1e4, 1e4), st.floats(0, 100))
def test_imps_are_antisymmetric_and_rise(difference: float, more: float) -> None:
    assert imps(-difference) == -imps(difference)
    assert imps(difference + more) >= imps(difference)


def test_victory_points_of_sixteen_boards() -> None:
    # X = 60, so 20 and 30 IMPs are a third and a half of the maximum.
    assert victory_points([0, 20, 30, 60, 61], 16) == pytest.approx(
        [10, 15, 16.73, 20, 20], abs=0.005
    )
    assert victory_points(20, 16) == pytest.approx(15.0, abs=1e-9)
    assert victory_points([-20, -60], [16, 16]) == pytest.approx([5, 0])


@given(st.integers(1, 64), st.floats(0, 200))
def test_victory_points_share_twenty(boards: int, margin: float) -> None:
    won, lost = victory_points([margin, -margin], boards)
    assert won + lost == pytest.approx(20)
    assert 10 <= won <= 20


@pytest.mark.parametrize("boards", [1, 4, 7, 16, 20, 32, 48])
def test_every_imp_is_worth_no_more_than_the_one_before(boards: int) -> None:
    points = victory_points(np.arange(150), boards)
    gains = np.diff(points)
    assert (gains >= 0).all()
    assert (np.diff(gains) <= 1e-12).all()


def test_bad_scales_are_refused() -> None:
    with pytest.raises(ValueError, match=r"boards: got 0\.0"):
        victory_points(3, [16, 0])
    with pytest.raises(ValueError, match="nan"):
        victory_points(np.nan, 16)
    with pytest.raises(ValueError, match="nan"):
        imps([1.0, np.nan])
