import math

import numpy as np
import polars as pl
import pytest

from loop_envs.duplicate.luck import match_differences, variance_reduction


def boards(n: int, hand: float, play: float, seed: int = 0) -> pl.DataFrame:
    """a against two b, in all rotations, and a control table of three b.

    The hands of a board sum to zero and have variance hand² · 2 / 3; a is 1 better.
    """
    rng = np.random.default_rng(seed)
    hands = rng.normal(0, hand, (n, 1, 3))
    points = hands - hands.mean(axis=2, keepdims=True) + rng.normal(0, play, (n, 4, 3))
    board, table, seat = np.indices(points.shape).reshape(3, -1)
    is_a = table == seat
    return pl.DataFrame(
        {
            "board": board,
            "lineup": np.where(table < 3, "abb", "bbb"),
            "rotation": np.where(table < 3, table, 0),
            "seat": seat,
            "agent": np.where(is_a, "a", "b"),
            "points": points.ravel() + is_a,
        }
    )


def test_the_ratios_are_those_of_the_model() -> None:
    values, controls, tables = match_differences(boards(4000, 3, 1), "a", "b", control="b")
    assert values.shape == (4000, 3)
    assert tables == 1
    assert values.mean() == pytest.approx(1, abs=0.05)
    table = variance_reduction(values, controls, tables)
    assert table["method"].to_list() == [
        "fresh", "duplicate", "fresh with control", "duplicate with control",
    ]  # fmt: skip
    assert table["matches"].to_list() == [1, 3, 2, 4]
    # A hand counts 3/2 times in a's difference: variance 9 · 2/3 · 9/4; play gives 1 + 1/2.
    # Over the rotations hands cancel, and so does the control table's play.
    variance = [13.5 + 1.5, 3 * 1.5 / 3, 2 * 2 * 1.5, 4 * 1.5 / 3]
    assert table["variance"].to_list() == pytest.approx(variance, rel=0.06)
    assert table["ratio"].to_list() == pytest.approx([1, 10, 2.5, 7.5], rel=0.1)
    assert (table["ratio_low"] <= table["ratio"]).all()
    for row, truth in zip(table.iter_rows(named=True), [1, 10, 2.5, 7.5], strict=True):
        assert row["ratio_low"] <= truth <= row["ratio_high"]


def test_the_gain_is_the_square_of_the_standard_errors() -> None:
    # 300 tournaments of 120 matches each: 120 fresh boards, or 40 boards in three rotations.
    values, _, _ = match_differences(boards(300 * 120, 2, 1, seed=1), "a", "b")
    fresh = values.reshape(300, 120, 3)
    fresh_means = fresh[:, np.arange(120), np.arange(120) % 3].mean(axis=1)
    duplicate_means = fresh[:, :40].mean(axis=(1, 2))
    ratio = variance_reduction(values)["ratio"][1]
    assert fresh_means.var() / duplicate_means.var() == pytest.approx(ratio, rel=0.25)


def test_without_luck_of_the_deal_duplicate_gains_nothing() -> None:
    values, _, _ = match_differences(boards(3000, 0, 1), "a", "b")
    assert variance_reduction(values)["ratio"].to_list() == pytest.approx([1, 1], abs=0.06)


def test_deterministic_agents() -> None:
    values, _, _ = match_differences(boards(20, 3, 0), "a", "b")
    duplicate = variance_reduction(values).row(1, named=True)
    assert duplicate["variance"] == pytest.approx(0, abs=1e-25)
    same = variance_reduction(np.zeros((5, 2)))
    assert math.isnan(same["ratio"][1])


def test_boards_with_missing_tables_are_left_out() -> None:
    table = boards(10, 1, 1).filter((pl.col("board") != 3) | (pl.col("rotation") != 2))
    values, controls, _ = match_differences(table, "a", "b")
    assert values.shape == (9, 3)
    assert controls is None
    shuffled = table.sample(fraction=1, shuffle=True, seed=0)
    assert (match_differences(shuffled, "a", "b")[0] == values).all()
    swapped = match_differences(table, "b", "a")[0]
    assert swapped == pytest.approx(-values)


def test_bad_input_is_refused() -> None:
    table = boards(4, 1, 1)
    with pytest.raises(ValueError, match="twice"):
        match_differences(table, "a", "a")
    for b, control in (("x", None), ("b", "a")):
        with pytest.raises(ValueError, match="no board"):
            match_differences(table, "a", b, control)
    for values in (np.ones(3), np.ones((2, 1)), np.full((3, 1), np.nan)):
        with pytest.raises(ValueError, match="values"):
            variance_reduction(values)
    with pytest.raises(ValueError, match="controls"):
        variance_reduction(np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="control_tables"):
        variance_reduction(np.zeros((3, 2)), np.zeros((3, 2)), 0)
