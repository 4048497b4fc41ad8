import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loop_envs.duplicate.hotelling import hotelling
from loop_envs.duplicate.seats import holm, seat_bias


def matches(boards: int, bias: list[float], seed: int = 0) -> pl.DataFrame:
    """Identical agents; the hands of a board stay where they are in two matches of it."""
    rng = np.random.default_rng(seed)
    points = rng.normal(bias, 3, (boards, 1, len(bias))) + rng.normal(0, 1, (boards, 2, len(bias)))
    board, rotation, seat = np.indices(points.shape).reshape(3, -1)
    columns = {"board": board, "lineup": 0, "rotation": rotation, "seat": seat, "agent": "a"}
    return pl.DataFrame({**columns, "points": points.ravel()})


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]).tolist() == [1, 1]
    assert holm([]).tolist() == []
    for values in ([1.1], [[0.5]], [np.nan]):
        with pytest.raises(ValueError, match="p_values"):
            holm(values)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_lies_between_no_adjustment_and_bonferroni(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(np.array(p) * len(p), 1) + 1e-15).all()
    assert (
        np.argsort(adjusted[np.argsort(p, kind="stable")], kind="stable") == range(len(p))
    ).all()


def test_agreement_with_pingouin() -> None:
    pingouin = pytest.importorskip("pingouin")
    pandas = pytest.importorskip("pandas")
    p = np.random.default_rng(0).random(8) ** 3
    assert holm(p) == pytest.approx(pingouin.multicomp(p, method="holm")[1])
    x = np.random.default_rng(1).normal(0.2, 1, (30, 3))
    theirs = pingouin.multivariate_ttest(pandas.DataFrame(x), np.zeros(3))
    assert hotelling(x) == pytest.approx(float(theirs["pval"].iloc[0]))


def test_hotelling() -> None:
    x = np.random.default_rng(2).normal(0.3, 1, (25, 1))
    assert hotelling(x) == pytest.approx(stats.ttest_1samp(x[:, 0], 0).pvalue)
    # A column that is a function of the others adds nothing.
    y = np.random.default_rng(3).normal(size=(25, 2))
    assert hotelling(np.column_stack([y, -y.sum(axis=1)])) == pytest.approx(hotelling(y))
    assert hotelling(np.zeros((5, 3))) == 1
    assert hotelling(np.ones((5, 1))) == 0
    assert np.isnan(hotelling(y[:2]))
    with pytest.raises(ValueError, match="values"):
        hotelling([1, 2])


def test_a_planted_bias_is_found() -> None:
    got = seat_bias(matches(400, [1.0, 0.0, 0.0, -1.0]))
    assert got.seats.columns == ["seat", "mean", "low", "high", "p_value", "p_holm"]
    assert got.boards == 400
    assert got.seats["mean"].to_list() == pytest.approx([1, 0, 0, -1], abs=0.4)
    assert (got.seats["p_holm"] < 0.05).to_list() == [True, False, False, True]
    assert got.p_value < 1e-6


def test_no_bias_is_found_as_often_as_the_level_says() -> None:
    results = [seat_bias(matches(40, [0.0] * 4, seed)) for seed in range(150)]
    assert np.mean([r.p_value < 0.1 for r in results]) == pytest.approx(0.1, abs=0.06)
    assert np.mean([(r.seats["p_holm"] < 0.1).any() for r in results]) <= 0.16
    inside = [(r.seats["low"] <= 0).to_numpy() & (r.seats["high"] >= 0).to_numpy() for r in results]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)


def test_another_column_and_equal_seats() -> None:
    table = matches(30, [0.0, 0.0, 0.0]).with_columns(place=(pl.col("seat") + 1) % 3)
    by_place = seat_bias(table, by="place").seats
    by_seat = seat_bias(table).seats
    assert by_place["mean"].to_list() == [by_seat["mean"][i] for i in (2, 0, 1)]
    equal = seat_bias(table.with_columns(points=7))
    assert equal.p_value == 1
    assert equal.seats["p_holm"].to_list() == [1, 1, 1]
    fixed = seat_bias(table.with_columns(points=pl.col("seat")))
    assert fixed.p_value == 0
    assert fixed.seats["p_value"].to_list() == [0, 1, 0]


def test_too_few_boards_are_refused() -> None:
    with pytest.raises(ValueError, match="1 complete boards"):
        seat_bias(matches(1, [0.0, 0.0]))
