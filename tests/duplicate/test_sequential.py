import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop_envs.duplicate.sequential import (
    SequentialPlan,
    Spending,
    sequential_plan,
    sequential_test,
)

PLAN = sequential_plan([20, 40, 60, 80, 100])


def test_published_bounds() -> None:
    # Five equal looks at 5 %, two-sided, spending of Lan and DeMets (1983), as tabulated by the
    # programs ld98 and gsDesign.
    assert PLAN.bounds == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4)
    pocock = sequential_plan([20, 40, 60, 80, 100], spending="pocock")
    assert pocock.bounds == pytest.approx([2.4380, 2.4268, 2.4101, 2.3966, 2.3859], abs=2e-4)


def test_one_look_is_the_usual_test() -> None:
    spendings: list[Spending] = ["obrien_fleming", "pocock"]
    for spending in spendings:
        plan = sequential_plan([50], 0.99, spending)
        assert plan.bounds == pytest.approx([2.5758293], abs=1e-6)


def test_bounds_by_simulation() -> None:
    # Uneven looks: the share that has crossed by each look is what was to be spent.
    looks = np.array([5, 8, 30, 31, 100])
    plan = sequential_plan(looks.tolist(), 0.9, "pocock")
    steps = np.random.default_rng(0).normal(size=(200_000, 5)) * np.sqrt(np.diff(looks, prepend=0))
    crossed = np.abs(steps.cumsum(axis=1)) / np.sqrt(looks) >= plan.bounds
    share = np.logical_or.accumulate(crossed, axis=1).mean(axis=0)
    assert share == pytest.approx(0.1 * np.log1p((math.e - 1) * looks / 100), abs=0.003)


def decisions(
    plan: SequentialPlan, mean: float, repeats: int, seed: int = 1
) -> tuple[float, float, float]:
    """Shares of right and of wrong decisions if the difference is positive, and mean boards."""
    rng = np.random.default_rng(seed)
    results = [sequential_test(rng.normal(mean, 1, plan.looks[-1]), plan) for _ in range(repeats)]
    ahead, behind = (np.mean([r.decision == d for r in results]) for d in ("ahead", "behind"))
    return float(ahead), float(behind), float(np.mean([r.boards for r in results]))


def test_the_error_rate_is_kept() -> None:
    ahead, behind, _ = decisions(PLAN, 0, 4000)
    assert ahead == pytest.approx(0.025, abs=0.01)
    assert behind == pytest.approx(0.025, abs=0.01)
    # Testing at every look without a plan errs much more often.
    naive = SequentialPlan(PLAN.looks, np.full(5, 1.96), 0.95)
    assert sum(decisions(naive, 0, 2000)[:2]) > 0.1


def test_power_and_boards_saved() -> None:
    # With 100 boards the paired test has a power of 0.85 for 0.3 standard deviations.
    ahead, behind, boards = decisions(PLAN, 0.3, 2000)
    assert ahead == pytest.approx(0.83, abs=0.03)
    assert behind < 0.002
    assert boards < 85
    assert decisions(PLAN, 0.6, 500)[2] < 55


def test_intervals_cover_when_play_stops() -> None:
    rng = np.random.default_rng(2)
    results = [sequential_test(rng.normal(0.4, 1, 100), PLAN) for _ in range(2000)]
    assert np.mean([r.low <= 0.4 <= r.high for r in results]) >= 0.95


def test_stages() -> None:
    x = np.random.default_rng(3).normal(0, 1, 100)
    assert sequential_test(x[:19], PLAN).decision == "open"
    assert math.isnan(sequential_test(x[:19], PLAN).mean)
    assert (sequential_test(x[:59], PLAN).decision, sequential_test(x[:59], PLAN).boards) == (
        "open",
        40,
    )
    last = sequential_test(x, PLAN)
    assert (last.decision, last.boards) == ("undecided", 100)
    assert last.mean == pytest.approx(x.mean())
    assert sequential_test(x, PLAN, margin=2).decision == "equal"
    assert sequential_test(x + 3, PLAN, margin=1).decision == "ahead"
    assert sequential_test(x - 3, PLAN).decision == "behind"


@given(st.integers(0, 10**6), st.floats(-1, 1))
def test_later_boards_change_no_decision(seed: int, mean: float) -> None:
    x = np.random.default_rng(seed).normal(mean, 1, 100)
    whole = sequential_test(x, PLAN)
    assert sequential_test(x[: whole.boards], PLAN) == whole
    mirrored = sequential_test(-x, PLAN)
    assert (mirrored.low, mirrored.high) == pytest.approx((-whole.high, -whole.low))


def test_equal_differences() -> None:
    identical = sequential_test(np.zeros(100), PLAN)
    assert (identical.decision, identical.low, identical.high) == ("undecided", 0, 0)
    assert sequential_test(np.zeros(100), PLAN, margin=0.1).decision == "equal"
    # The sign of 20 equal differences has probability 2^-19; the first bound allows 1e-6.
    constant = sequential_test(np.full(100, 2.0), PLAN)
    assert (constant.decision, constant.boards) == ("ahead", 40)
    assert sequential_test(np.full(20, 2.0), PLAN).low == -math.inf


def test_many_match_ups_share_the_error() -> None:
    plan = sequential_plan([40, 80], comparisons=10)
    assert plan.bounds == pytest.approx(sequential_plan([40, 80], 0.995).bounds)


def test_bad_input_is_refused() -> None:
    for looks in ([], [1, 5], [5, 5], [5, 4], [10**6, 10**6 + 1], range(2, 600)):
        with pytest.raises(ValueError, match="looks"):
            sequential_plan(looks)
    with pytest.raises(ValueError, match="level"):
        sequential_plan([5], 1)
    with pytest.raises(ValueError, match="comparisons"):
        sequential_plan([5], comparisons=0)
    with pytest.raises(ValueError, match="spending"):
        sequential_plan([5], spending="all")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="differences"):
        sequential_test([1, math.nan], PLAN)
    with pytest.raises(ValueError, match="margin"):
        sequential_test([1, 2], PLAN, margin=-1)
