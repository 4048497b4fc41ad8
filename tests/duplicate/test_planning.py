import math

import numpy as np
import pytest
from scipy import stats

from loop_envs.duplicate.planning import (
    boards_needed,
    critical_repetition_frequency,
    power,
    reversal_probability,
)
from loop_envs.duplicate.reliability import spearman_brown


def test_textbook_numbers_of_boards() -> None:
    # Paired t test, 5 %, power 80 %: Cohen's (1988) small, medium and large effects.
    assert [boards_needed(d, 1) for d in (0.2, 0.5, 0.8)] == [199, 34, 15]
    assert boards_needed(-1, 5) == 199


def test_agreement_with_pingouin() -> None:
    pingouin = pytest.importorskip("pingouin")
    for d, n in ((0.1, 20), (0.3, 50), (1.0, 8)):
        theirs = pingouin.power_ttest(d=d, n=n, contrast="paired", alpha=0.01)
        assert power(d, 1, n, 0.99) == pytest.approx(theirs, abs=1e-6)


def test_power_by_simulation() -> None:
    samples = np.random.default_rng(0).normal(0.4, 2, (20_000, 90))
    found = stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05
    assert power(0.4, 2, 90) == pytest.approx(found.mean(), abs=0.01)


def test_enough_boards_are_just_enough() -> None:
    for difference in (0.03, 0.4, 7.0):
        n = boards_needed(difference, 1, 0.9, 0.99)
        assert power(difference, 1, n, 0.99) >= 0.9
        assert n == 2 or power(difference, 1, n - 1, 0.99) < 0.9
    # For large numbers the normal formula holds: (1.959964 + 0.841621)² / d².
    assert boards_needed(0.001, 1) == pytest.approx(7.848879e6, rel=1e-5)


def test_no_difference_is_found_as_often_as_the_level_says() -> None:
    assert power(0, 1, 30) == pytest.approx(0.05)
    assert power(1e9, 1, 5) == 1


def test_reversals() -> None:
    assert reversal_probability(1, 10, 100) == pytest.approx(stats.norm.cdf(-1))
    assert reversal_probability(0, 1, 5) == 0.5
    means = np.random.default_rng(1).normal(0.5, 4, (20_000, 16)).mean(axis=1)
    assert reversal_probability(0.5, 4, 16) == pytest.approx((means < 0).mean(), abs=0.01)


def test_skill_and_luck_are_level_at_the_critical_frequency() -> None:
    n = critical_repetition_frequency(skill=2, luck=30)
    assert n == 225
    # There, the reliability is 1/2.
    single = 2**2 / (2**2 + 30**2)
    assert spearman_brown(single, n) == pytest.approx(0.5)
    # With a factor, one agent's result after n is just told from chance.
    n = critical_repetition_frequency(2, 30, 1.959964)
    assert 2 * n == pytest.approx(1.959964 * 30 * math.sqrt(n))
    assert critical_repetition_frequency(0, 1) == math.inf
    assert critical_repetition_frequency(1, 0) == 0


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="deviation"):
        power(1, 0, 5)
    with pytest.raises(ValueError, match="boards"):
        power(1, 1, 1)
    with pytest.raises(ValueError, match="level"):
        power(1, 1, 5, 1)
    with pytest.raises(ValueError, match="difference"):
        boards_needed(0, 1)
    with pytest.raises(ValueError, match="wanted"):
        boards_needed(1, 1, 0.05)
    with pytest.raises(ValueError, match="deviation"):
        reversal_probability(1, 1, 0)
    with pytest.raises(ValueError, match="luck"):
        critical_repetition_frequency(1, -1)
