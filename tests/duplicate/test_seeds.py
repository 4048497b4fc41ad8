import math

import numpy as np
import pytest
from scipy import stats

from loop_envs.duplicate import mean_interval
from loop_envs.duplicate.seeds import seed_interval


def test_single_seeds_are_the_paired_interval() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 1, 30))
    assert seed_interval(a, b) == mean_interval((a - b)[0])
    assert seed_interval(a) == mean_interval(a[0])


def test_without_cards_only_seeds_count() -> None:
    means = np.array([1.0, 2.0, 4.0])
    got = seed_interval(np.repeat(means[:, None], 50, axis=1))
    assert got[:3] == pytest.approx(mean_interval(means)[:3])
    assert got.n == 3


def test_without_luck_of_seeds_only_boards_count() -> None:
    boards = np.random.default_rng(1).normal(size=40)
    got = seed_interval(np.repeat(boards[None], 5, axis=0), np.zeros((2, 40)))
    assert got[:3] == pytest.approx(mean_interval(boards)[:3])


def test_the_formula_by_hand() -> None:
    # Seed means 2, 4; board means 1, 3, 5; no interaction: V = 1 + 4 / 3,
    # with V² / (1² / 1 + (4/3)² / 2) degrees of freedom.
    a = np.array([[0.0, 2.0, 4.0], [2.0, 4.0, 6.0]])
    got = seed_interval(a)
    variance = 1 + 4 / 3
    freedom = variance**2 / (1 + (4 / 3) ** 2 / 2)
    half = stats.t.ppf(0.975, freedom) * math.sqrt(variance)
    assert got[:3] == pytest.approx((3, 3 - half, 3 + half))
    assert got.n == 2


@pytest.mark.parametrize(
    ("seeds", "boards", "of_seed", "of_board", "of_cell"),
    [((4, 4), 30, 1, 1, 1), ((3, 8), 20, 1, 0, 1), ((5, 1), 30, 1, 1, 1), ((5, 5), 60, 0.2, 1, 4)],
)
def test_intervals_cover(
    seeds: tuple[int, int], boards: int, of_seed: float, of_board: float, of_cell: float
) -> None:
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(600):
        a, b = (
            # A single seed is itself what is asked about.
            rng.normal(0, of_seed if n > 1 else 0, (n, 1)) + rng.normal(0, of_cell, (n, boards))
            for n in seeds
        )
        interval = seed_interval(a + rng.normal(0, of_board, boards), b, 0.9)
        covered.append(interval.low <= 0 <= interval.high)
    assert 0.87 <= np.mean(covered) <= 0.96


def test_pooling_episodes_would_not_cover() -> None:
    # The mistake that this is against: all boards of all seeds as independent values.
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(200):
        x = rng.normal(0, 1, (4, 1)) + rng.normal(0, 1, (4, 100))
        interval = mean_interval(x.ravel())
        covered.append(interval.low <= 0 <= interval.high)
    assert np.mean(covered) < 0.5


def test_few_units() -> None:
    assert math.isnan(seed_interval([[1.0], [2.0]]).low)
    assert seed_interval(np.zeros((3, 4)))[:3] == (0, 0, 0)


def test_bad_input_is_refused() -> None:
    for values in ([1.0], np.zeros((0, 3)), [[math.nan, 1]]):
        with pytest.raises(ValueError, match="allowed: finite values"):
            seed_interval(values)
    with pytest.raises(ValueError, match="b: got 3 boards"):
        seed_interval(np.zeros((2, 4)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="level"):
        seed_interval(np.zeros((2, 4)), level=2)
