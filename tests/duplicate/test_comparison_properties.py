"""What holds for the scores of any table of results."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from loop_envs.duplicate.bridge import imps
from loop_envs.duplicate.comparisons import COMPARISONS, loop_board, matchpoints
from loop_envs.duplicate.imp_comparisons import cross_imps

ZERO_SUM = ["difference", "cross_imps", "board_scaled", "rank_normal"]


@st.composite
def some_results(draw: st.DrawFn, equal: bool = False) -> pl.DataFrame:
    """Results of a few boards; `equal`: every table of a board has the same points."""
    n = draw(st.integers(1, 4))
    rows = []
    for board in range(draw(st.integers(1, 3))):
        tables = draw(st.integers(1, 6))
        points = st.lists(st.integers(-300, 600), min_size=n, max_size=n)
        played = [draw(points)] * tables if equal else [draw(points) for _ in range(tables)]
        for table, own in enumerate(played):
            rows += [(board, table, s, "abcd"[(s + table) % n], x) for s, x in enumerate(own)]
    columns = ["board", "lineup", "seat", "agent", "points"]
    frame = pl.DataFrame(rows, columns, orient="row").with_columns(rotation=pl.lit(0))
    return frame.sample(fraction=1, shuffle=True, seed=draw(st.integers(0, 9)))


@settings(max_examples=25)
@given(some_results())
def test_matchpoints_agree_with_scipys_ranks(results: pl.DataFrame) -> None:
    plays = int(results.group_by("board", "seat").len()["len"].max())  # type: ignore[arg-type]
    for own in matchpoints(results).partition_by("board", "seat"):
        n = len(own)
        won = 2 * (stats.rankdata(own["points"]) - 1)
        assert own["score"].to_numpy() == pytest.approx(plays * (won + 1) / n - 1)


@settings(max_examples=25)
@given(some_results(), st.sampled_from([1.0, 0.5, 7.0]))
def test_cross_imps_agree_with_all_pairs(results: pl.DataFrame, unit: float) -> None:
    for own in cross_imps(results, unit=unit).partition_by("board", "seat"):
        x = own["points"].to_numpy()
        pairs = imps((x[:, None] - x[None, :]) * unit).sum(axis=1)
        assert own["score"].to_numpy() == pytest.approx(pairs / max(1, len(x) - 1))


@pytest.mark.parametrize("name", ZERO_SUM)
@settings(max_examples=15)
@given(results=some_results())
def test_scores_of_a_board_and_seat_sum_to_zero(name: str, results: pl.DataFrame) -> None:
    sums = COMPARISONS[name](results).group_by("board", "seat").agg(pl.col("score").sum())
    assert sums["score"].to_numpy() == pytest.approx(0, abs=1e-9)


@settings(max_examples=15)
@given(some_results())
def test_matchpoints_average_the_same_on_every_board(results: pl.DataFrame) -> None:
    means = matchpoints(results, num_tables=9).group_by("board", "seat").agg(pl.col("score").mean())
    assert means["score"].to_numpy() == pytest.approx(8)


@pytest.mark.parametrize("name", sorted(set(COMPARISONS) - {"loop_board"}))
@settings(max_examples=15)
@given(results=some_results(), shift=st.integers(-9, 9))
def test_a_constant_on_a_board_and_seat_changes_nothing(
    name: str, results: pl.DataFrame, shift: int
) -> None:
    # The datum of Butler is rounded to tens, from the middle to even ones: steps of 20 fit it.
    constant = shift * 20 * (pl.col("board") + 2 * pl.col("seat"))
    moved = results.with_columns(points=pl.col("points") + constant)
    assert COMPARISONS[name](moved)["score"].equals(COMPARISONS[name](results)["score"])


@settings(max_examples=15)
@given(some_results(), st.integers(-9, 9))
def test_a_constant_on_a_board_changes_no_place(results: pl.DataFrame, shift: int) -> None:
    moved = results.with_columns(points=pl.col("points") + shift * pl.col("board"))
    assert loop_board(moved)["score"].equals(loop_board(results)["score"])


@pytest.mark.parametrize("name", sorted(COMPARISONS))
@settings(max_examples=15)
@given(results=some_results(equal=True), as_float=st.booleans())
def test_identical_agents_have_exactly_the_average(
    name: str, results: pl.DataFrame, as_float: bool
) -> None:
    if as_float:
        results = results.with_columns(points=pl.col("points") * 0.1)
    scored = COMPARISONS[name](results)
    if name == "matchpoints":
        average = results.group_by("board", "seat").len()["len"].max() - 1  # type: ignore[operator]
        assert (scored["score"] == average).all()
    elif name == "loop_board":
        tables = scored.select(pl.len().over("board", "seat"))["len"]
        assert (scored["score"] == tables).all()
    else:
        assert (scored["score"] == (10 if name == "victory_points" else 0)).all()


@pytest.mark.parametrize("name", sorted(COMPARISONS))
@settings(max_examples=15)
@given(results=some_results())
def test_more_points_are_never_worse_and_rows_keep_their_order(
    name: str, results: pl.DataFrame
) -> None:
    scored = COMPARISONS[name](results, name="s")
    assert scored.drop("s").equals(results)
    assert scored["s"].dtype == pl.Float64
    if name not in {"victory_points", "loop_board"}:
        for own in scored.sort("points", "s").partition_by("board", "seat"):
            assert (np.diff(own["s"].to_numpy()) >= -1e-12).all()


@pytest.mark.parametrize("name", sorted(set(COMPARISONS) - {"victory_points"}))
@settings(max_examples=15)
@given(results=some_results(), seed=st.integers(0, 99))
def test_the_order_of_rows_makes_no_difference(name: str, results: pl.DataFrame, seed: int) -> None:
    keys = ["board", "seat", "lineup"]
    shuffled = results.sample(fraction=1, shuffle=True, seed=seed)
    for points in (pl.col("points"), pl.col("points") * 0.1):
        one, two = (
            COMPARISONS[name](r.with_columns(points)).sort(keys) for r in (results, shuffled)
        )
        assert one.equals(two)
