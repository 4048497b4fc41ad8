import math

import numpy as np
import pytest

from loop_envs.duplicate import mean_interval
from loop_envs.duplicate.statistics import jackknife_interval


def test_four_values_by_hand() -> None:
    # s = sqrt(5/3), t(3, 0.975) = 3.182446, so the half-width is 3.182446 · 1.290994 / 2.
    mean, low, high, n = mean_interval([1, 2, 3, 4])
    assert (mean, n) == (2.5, 4)
    assert low == pytest.approx(2.5 - 2.054260, abs=1e-6)
    assert high == pytest.approx(2.5 + 2.054260, abs=1e-6)


def test_two_values_by_hand() -> None:
    # t(1, 0.975) = tan(0.475 π) = 12.706205 and s / √2 = 0.5.
    interval = mean_interval([0.0, 1.0])
    assert interval.high - interval.mean == pytest.approx(12.706205 / 2, abs=1e-6)
    # t(1, 0.75) = 1.
    assert mean_interval([0, 1], level=0.5).high == pytest.approx(1.0)


def test_few_values_have_no_bounds() -> None:
    one, none = mean_interval([7]), mean_interval([])
    assert (one.mean, one.n, none.n) == (7.0, 1, 0)
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    assert math.isnan(none.mean)


def test_equal_values_have_a_point() -> None:
    assert mean_interval([2, 2, 2])[:3] == (2, 2, 2)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan])
def test_levels_out_of_range_are_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        mean_interval([1, 2], level)


@pytest.mark.parametrize("values", [[1, math.nan], [math.inf, 1], [[1, 2]]])
def test_bad_values_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="values must be"):
        mean_interval(values)


def test_intervals_cover_as_often_as_they_say() -> None:
    samples = np.random.default_rng(0).normal(3, 2, (4000, 5))
    intervals = [mean_interval(sample, 0.9) for sample in samples]
    covered = np.mean([i.low <= 3 <= i.high for i in intervals])
    assert covered == pytest.approx(0.9, abs=0.02)


def test_jackknife_of_a_mean_is_the_interval_of_the_mean() -> None:
    values = np.random.default_rng(1).normal(2, 3, 30)
    one_each = jackknife_interval(values, np.mean, groups=100)
    assert one_each == pytest.approx(mean_interval(values))
    assert jackknife_interval(values, np.mean, groups=10).n == 10


def test_jackknife_intervals_cover() -> None:
    samples = np.random.default_rng(2).normal(0, 1, (600, 80))

    def log_variance(values: np.ndarray) -> float:
        return float(np.log(values.var(ddof=1)))

    intervals = [jackknife_interval(sample, log_variance, 20, 0.9) for sample in samples]
    assert np.mean([i.low <= 0 <= i.high for i in intervals]) == pytest.approx(0.9, abs=0.035)


def test_jackknife_without_bounds() -> None:
    interval = jackknife_interval([0.0, 0, 1], lambda x: 1.0 if x.any() else math.inf)
    assert interval.mean == 1
    assert math.isnan(interval.low)
    for values, groups in (([1.0], 20), ([1.0, 2], 1)):
        with pytest.raises(ValueError, match="groups"):
            jackknife_interval(values, np.mean, groups)
    with pytest.raises(ValueError, match="level"):
        jackknife_interval([1, 2], np.mean, level=1)
