import numpy as np
import polars as pl
import pytest

from loop_envs.duplicate import agent_table, pair_table
from loop_envs.duplicate.boards import agent_boards, family_difference, group_boards, pair_boards
from loop_envs.duplicate.seeds import seed_interval


def tournament(boards: int, seed: int = 0) -> pl.DataFrame:
    """Three seats, line-ups a b b and a b c, all rotations; one line-up is missing on board 0."""
    rng = np.random.default_rng(seed)
    rows = [
        (board, lineup, rotation, seat, lineup[(seat - rotation) % 3], int(rng.integers(-9, 10)))
        for board in range(boards)
        for lineup in ("abb", "abc")
        if (board, lineup) != (0, "abc")
        for rotation in range(3)
        for seat in range(3)
    ]
    names = ["board", "lineup", "rotation", "seat", "agent", "points"]
    table = pl.DataFrame(rows, names, orient="row")
    best = pl.col("points").max().over("board", "lineup", "rotation")
    return table.with_columns(winner=pl.col("points") == best)


def test_the_means_of_boards_are_those_of_the_tables() -> None:
    results = tournament(12)
    agents, values = agent_boards(results)
    assert agents == ["a", "b", "c"]
    assert values.shape == (12, 3)
    assert np.isnan(values[0]).tolist() == [False, False, True]
    expected = dict(agent_table(results).select("agent", "margin").rows())
    for agent, column in zip(agents, values.T, strict=True):
        assert np.nanmean(column) == pytest.approx(expected[agent])

    pairs, differences = pair_boards(results)
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    table = {(a, b): d for a, b, d in pair_table(results).select("a", "b", "difference").rows()}
    for pair, column in zip(pairs, differences.T, strict=True):
        assert np.nanmean(column) == pytest.approx(table[pair])


def test_seats_add_up_to_nothing_and_any_score_will_do() -> None:
    results = tournament(5)
    seats, values = group_boards(results, "seat")
    assert seats == [0, 1, 2]
    assert values.sum(axis=1) == pytest.approx(np.zeros(5), abs=1e-12)
    doubled = results.with_columns(half=pl.col("points") / 2)
    assert group_boards(doubled, "seat", "half")[1] == pytest.approx(values / 2)
    assert group_boards(results, "seat", "winner")[1].sum() == pytest.approx(0, abs=1e-12)


def test_the_order_of_rows_makes_no_difference() -> None:
    results = tournament(6)
    for seed in range(3):
        shuffled = results.sample(fraction=1, shuffle=True, seed=seed)
        for function in (agent_boards, pair_boards):
            assert np.array_equal(function(shuffled)[1], function(results)[1], equal_nan=True)


def test_families() -> None:
    results = tournament(9)
    agents, values = agent_boards(results)
    chosen = values[1:, [agents.index(name) for name in "abc"]].T
    assert family_difference(results, ["a", "c"], ["b"]) == seed_interval(
        chosen[[0, 2]], chosen[[1]]
    )
    for a, b in ((["a"], ["a"]), (["a"], ["x"]), ([], ["a"]), (["a", "a"], ["b"])):
        with pytest.raises(ValueError, match="disjoint lists"):
            family_difference(results, a, b)
    apart = results.filter(
        ((pl.col("board") == 0) & (pl.col("lineup") == "abb"))
        | ((pl.col("board") > 0) & (pl.col("lineup") == "abc"))
    )
    late = pl.col("board") > 0
    apart = apart.with_columns(
        agent=pl.when(late).then(pl.col("agent").replace({"a": "d"})).otherwise("agent")
    )
    with pytest.raises(ValueError, match="no board"):
        family_difference(apart, ["a"], ["c"])


def test_matches_of_different_size_are_refused() -> None:
    results = tournament(3)
    with pytest.raises(ValueError, match=r"\[2, 3\]"):
        agent_boards(results[1:])
