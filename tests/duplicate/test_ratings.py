import math

import numpy as np
import polars as pl
import pytest

from loop_envs.duplicate.luce import plackett_luce
from loop_envs.duplicate.rankings import rank_matches
from loop_envs.duplicate.ratings import elo, rating_table


def matches(boards: int, advantage: float, seed: int = 0) -> pl.DataFrame:
    """Two matches per board of a, b and c; a is ahead of b, and b of c, by the same."""
    rng = np.random.default_rng(seed)
    # Gumbel noise makes rankings Plackett–Luce with the given logarithms of strengths.
    points = rng.gumbel(size=(boards, 2, 3)) + advantage * np.array([1, 0, -1])
    board, rotation, seat = np.indices(points.shape).reshape(3, -1)
    return pl.DataFrame(
        {
            "board": board,
            "lineup": "a b c",
            "rotation": rotation,
            "seat": seat,
            "agent": np.array(["a", "b", "c"])[seat],
            "points": points.ravel(),
        }
    )


def test_bradley_terry_as_elo() -> None:
    difference = elo([0.847298 / 2, -0.847298 / 2])
    assert difference[0] - difference[1] == pytest.approx(147.19, abs=0.005)
    assert elo(0.0) == 1500
    assert elo(math.log(10)) == pytest.approx(1900)


def test_the_table_is_the_fit() -> None:
    results = matches(60, 0.5)
    fit = plackett_luce(rank_matches(results))
    table = rating_table(results, resamples=50)
    assert table.columns == [
        "agent", "boards", "matches", "rating", "rating_low", "rating_high",
        "elo", "elo_low", "elo_high",
    ]  # fmt: skip
    assert table["agent"].to_list() == ["a", "b", "c"]
    assert table["rating"].to_list() == fit.rating.tolist()
    assert table["boards"].to_list() == [60] * 3
    assert table["matches"].to_list() == [120] * 3
    assert (table["rating_low"] < table["rating"]).all()
    assert (table["rating"] < table["rating_high"]).all()
    assert table["elo_low"].to_numpy() == pytest.approx(elo(table["rating_low"]))


def test_shuffling_changes_nothing() -> None:
    results = matches(40, 0.3).with_columns(pl.col("points").round(0))
    table = rating_table(results, resamples=20, seed=7)
    shuffled = results.sample(fraction=1, shuffle=True, seed=1)
    assert rating_table(shuffled, resamples=20, seed=7).equals(table)
    assert not rating_table(results, resamples=20, seed=8).equals(table)


def test_intervals_are_as_wide_as_ratings_scatter() -> None:
    fits = [plackett_luce(rank_matches(matches(60, 0.4, seed))).rating for seed in range(100)]
    scatter = np.std(fits, axis=0).mean()
    tables = [rating_table(matches(60, 0.4, seed), 0.9, 100) for seed in range(3)]
    width = np.mean([(t["rating_high"] - t["rating_low"]).to_numpy() for t in tables])
    # 90 % of a normal distribution lie within 1.645 standard deviations.
    assert width == pytest.approx(2 * 1.645 * scatter, rel=0.15)
    assert np.mean(fits, axis=0) == pytest.approx([0.4, 0, -0.4], abs=4 * scatter / 100**0.5)


def test_boards_are_drawn_whole() -> None:
    # Ten copies of every match on its board say no more than one.
    once = matches(30, 0.4)
    often = pl.concat([once.with_columns(rotation=2 * i + pl.col("rotation")) for i in range(10)])
    a, b = (rating_table(x, resamples=30) for x in (once, often))
    assert b["rating_low"].to_numpy() == pytest.approx(a["rating_low"].to_numpy(), abs=1e-6)


def test_one_board_has_no_interval_and_a_constant_winner_stays_finite() -> None:
    one = matches(1, 0.0).with_columns(points=-pl.col("seat"))
    table = rating_table(one)
    assert table["agent"].to_list() == ["a", "b", "c"]
    assert table["rating_low"].is_nan().all()
    assert table["rating"].is_finite().all()


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        rating_table(matches(2, 0), level=1)
    with pytest.raises(ValueError, match="resamples"):
        rating_table(matches(2, 0), resamples=0)
