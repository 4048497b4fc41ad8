import itertools
import math

import numpy as np
import polars as pl
import pytest

from loop_envs.duplicate.cycles import transitivity

ROCK = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def duels(table: np.ndarray, boards: int, noise: float, seed: int = 0) -> pl.DataFrame:
    """Every two agents meet once per board, with the table's mean difference."""
    rng = np.random.default_rng(seed)
    rows = []
    for board in range(boards):
        for i, j in itertools.combinations(range(len(table)), 2):
            half = (table[i, j] + rng.normal(0, noise)) / 2
            rows += [
                (board, f"{i} {j}", 0, s, f"a{k}", x) for s, k, x in [(0, i, half), (1, j, -half)]
            ]
    names = ["board", "lineup", "rotation", "seat", "agent", "points"]
    return pl.DataFrame(rows, names, orient="row")


def test_a_rating_is_transitive() -> None:
    rating = np.array([2.0, 0.5, -1.0, 0.0, -1.5])
    got = transitivity(duels(rating[:, None] - rating, 3, 0))
    assert got.agents == ["a0", "a1", "a2", "a3", "a4"]
    assert got.rating == pytest.approx(rating)
    assert got.share == pytest.approx(0, abs=1e-20)
    assert (got.triads, got.consistence, got.boards) == (0, 1.0, 3)
    assert got.cyclic == pytest.approx(np.zeros((5, 5)), abs=1e-12)
    assert math.isnan(got.p_value)


def test_rock_paper_scissors_is_cyclic() -> None:
    got = transitivity(duels(ROCK, 3, 0))
    assert got.rating == pytest.approx(np.zeros(3), abs=1e-12)
    assert got.share == pytest.approx(1)
    assert got.cyclic == pytest.approx(ROCK)
    assert (got.triads, got.consistence) == (1, 0.0)
    assert got.worst == ("a0", "a1", "a2")
    assert got.p_value == 0


def test_the_two_parts_add_up() -> None:
    rating = np.array([1.0, 0, -1])
    table = rating[:, None] - rating + ROCK / 2
    got = transitivity(duels(table, 2, 0))
    assert got.rating == pytest.approx(rating)
    assert got.cyclic == pytest.approx(ROCK / 2)
    # Sums of squares over the three pairs: 1 + 1 + 4, and 3 / 4.
    assert got.share == pytest.approx(0.75 / 6.75)


def test_kendalls_consistence() -> None:
    # Kendall and Babington Smith (1940): among 5 agents, 5 circular triads are the most.
    regular = np.zeros((5, 5))
    for i in range(5):
        regular[i, [(i + 1) % 5, (i + 2) % 5]] = 1
        regular[i, [(i + 3) % 5, (i + 4) % 5]] = -1
    got = transitivity(duels(regular, 1, 0))
    assert (got.triads, got.consistence) == (5, 0.0)


def test_the_test_keeps_its_level_and_finds_cycles() -> None:
    rating = np.arange(4.0)
    table = rating[:, None] - rating
    nulls = [transitivity(duels(table, 8, 2, seed)).p_value for seed in range(100)]
    assert np.mean(np.array(nulls) < 0.1) == pytest.approx(0.1, abs=0.07)
    table[:3, :3] += ROCK
    assert transitivity(duels(table, 60, 2)).p_value < 1e-3


def test_one_table_cannot_be_cyclic() -> None:
    rng = np.random.default_rng(0)
    points = rng.integers(0, 50, (20, 3))
    board, seat = np.indices(points.shape).reshape(2, -1)
    table = pl.DataFrame({"board": board, "lineup": 0, "rotation": 0, "seat": seat})
    table = table.with_columns(agent=pl.col("seat").cast(pl.String), points=points.ravel())
    got = transitivity(table)
    assert got.share == pytest.approx(0, abs=1e-20)
    assert math.isnan(got.p_value)


def test_pairs_that_did_not_meet() -> None:
    met = duels(ROCK, 4, 1).filter(pl.col("lineup") != "0 2")
    got = transitivity(met)
    assert math.isnan(got.cyclic[0, 2])
    assert math.isnan(got.consistence)
    assert got.share == pytest.approx(0, abs=1e-20)
    assert got.worst == ()


def test_no_complete_board_is_refused() -> None:
    table = duels(ROCK, 3, 1).filter(
        pl.col("board").cast(pl.String) != pl.col("lineup").str.head(1)
    )
    table = table.filter((pl.col("board") != 2) | (pl.col("lineup") != "0 1"))
    with pytest.raises(ValueError, match="no board"):
        transitivity(table)
