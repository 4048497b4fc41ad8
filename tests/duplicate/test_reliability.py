import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loop_envs.duplicate.reliability import (
    icc,
    lengthening,
    reversal_table,
    spearman_brown,
    split_half_tau,
)
from tests.duplicate.test_components import RATINGS


def test_shrout_and_fleiss() -> None:
    table = icc(RATINGS)
    assert table["type"].to_list() == [f"ICC({i},{k})" for i in "123" for k in "1k"]
    # Shrout and Fleiss (1979), table 4.
    assert table["icc"].to_list() == pytest.approx([0.17, 0.44, 0.29, 0.62, 0.71, 0.91], abs=0.005)
    # ICC(3,k) = (MS_p - MS_e) / MS_p.
    assert table["icc"][5] == pytest.approx((11.2417 - 1.0194) / 11.2417, abs=1e-5)
    assert table["f"][5] == pytest.approx(11.03, abs=0.005)
    assert table.select("df1", "df2").row(5) == (5, 15)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in pingouin
@pytest.mark.parametrize("shape", [(6, 4), (3, 9), (20, 2)])
def test_agreement_with_pingouin(shape: tuple[int, int]) -> None:
    pingouin = pytest.importorskip("pingouin")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(shape[0])
    scores = rng.normal(size=shape) + rng.normal(size=(shape[0], 1)) + rng.normal(size=shape[1])
    row, column = np.indices(shape).reshape(2, -1)
    frame = pandas.DataFrame({"row": row, "column": column, "score": scores.ravel()})
    theirs = pingouin.intraclass_corr(frame, "row", "column", "score")
    ours = icc(scores)[[0, 2, 4, 1, 3, 5]]  # theirs has the single scores first
    assert ours["icc"].to_numpy() == pytest.approx(theirs["ICC"].to_numpy(float))
    assert ours["f"].to_numpy() == pytest.approx(theirs["F"].to_numpy(float))
    assert ours["p_value"].to_numpy() == pytest.approx(theirs["pval"].to_numpy(float))
    bounds = np.array([list(b) for b in theirs["CI95"]], float)
    # Theirs are rounded to two digits.
    assert ours.select("low", "high").to_numpy() == pytest.approx(bounds, abs=0.0051)


def test_rows_without_error() -> None:
    table = icc(np.array([[1.0, 1], [2, 2], [5, 5]]))
    assert table["icc"].to_list() == pytest.approx([1] * 6)
    assert table["p_value"].to_list() == [0] * 6


def test_spearman_brown() -> None:
    assert spearman_brown(0.5, 2) == pytest.approx(2 / 3)
    assert spearman_brown([0.2, 0.5], 4) == pytest.approx([0.5, 0.8])
    assert lengthening(0.5, 2 / 3) == pytest.approx(2)
    table = dict(icc(RATINGS).select("type", "icc").rows())
    assert spearman_brown(table["ICC(3,1)"], 4) == pytest.approx(table["ICC(3,k)"])


@given(st.floats(0.01, 0.99), st.floats(0.1, 50), st.floats(0.1, 50))
def test_lengths_multiply(r: float, first: float, second: float) -> None:
    both = spearman_brown(spearman_brown(r, first), second)
    assert both == pytest.approx(spearman_brown(r, first * second))
    longer = float(spearman_brown(r, first))
    if longer < 1 - 1e-9:
        assert lengthening(r, longer) == pytest.approx(first, rel=1e-4)


def test_split_halves() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0, 3, (51, 6)) + np.arange(6)
    taus = split_half_tau(values, splits=30, seed=5)
    # The same splits by hand.
    again = np.random.default_rng(5)
    for tau in taus:
        order = again.permutation(51)
        halves = [values[order[:25]].mean(axis=0), values[order[25:50]].mean(axis=0)]
        assert tau == stats.kendalltau(*halves).statistic
    assert split_half_tau(np.arange(6) + np.zeros((10, 1)), 3) == pytest.approx([1, 1, 1])
    noise = split_half_tau(rng.normal(size=(200, 6)), 100)
    assert abs(noise.mean()) < 0.6


def test_reversals_agree_with_the_normal_formula() -> None:
    values = np.random.default_rng(1).normal([0.3, 0.0, 0.1], 1, (4000, 3))
    table = reversal_table(values, ["a", "b", "c"], boards=25, resamples=4000)
    assert table.select("better", "worse").rows() == [("a", "c"), ("c", "b"), ("a", "b")]
    for row in table.iter_rows(named=True):
        z = -row["difference"] * 5 / np.sqrt(2)
        assert row["reversed"] == pytest.approx(stats.norm.cdf(z), abs=0.03)


def test_a_known_order_and_ties() -> None:
    values = np.array([[1.0, 0, 1], [1, 0, 1]])
    known = reversal_table(values, ["a", "b", "c"], 2, order=["b", "a", "c"], resamples=10)
    rows = {row[:2]: row[2:] for row in known.rows()}
    assert rows == {("b", "a"): (-1.0, 1.0), ("a", "c"): (0.0, 0.5), ("b", "c"): (-1.0, 1.0)}


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="scores"):
        icc([[1, 2]])
    with pytest.raises(ValueError, match="level"):
        icc(RATINGS, 0)
    with pytest.raises(ValueError, match="reliability"):
        spearman_brown(1.1, 2)
    with pytest.raises(ValueError, match="reliability"):
        lengthening(0, 0.5)
    for values in (np.ones((1, 2)), np.ones((2, 1)), np.full((2, 2), np.nan)):
        with pytest.raises(ValueError, match="values"):
            split_half_tau(values)
    with pytest.raises(ValueError, match="agents"):
        reversal_table(RATINGS, ["a"], 3)
    with pytest.raises(ValueError, match="boards"):
        reversal_table(RATINGS, list("abcd"), 0)
    with pytest.raises(ValueError, match="order"):
        reversal_table(RATINGS, list("abcd"), 3, order=list("abcc"))
