import itertools
import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loop_envs.duplicate.balance import balance, manning_quality
from loop_envs.duplicate.movements import permutation_movement

Table = tuple[int, int, int, str]


def tables(rows: list[Table]) -> pl.DataFrame:
    """Tables from (round, table, board, agents by seat, one letter each)."""
    flat = [(r, t, b, i, agent) for r, t, b, agents in rows for i, agent in enumerate(agents)]
    return pl.DataFrame(flat, ["round", "table", "board", "seat", "agent"], orient="row")


SMALL = [(0, 0, 5, "abc"), (1, 0, 5, "cab"), (1, 1, 7, "dbd")]


def counts(frame: pl.DataFrame) -> dict[tuple[object, object], int]:
    return {(a, b): n for a, b, n in frame.rows()}


def test_counts_by_hand() -> None:
    report = balance(tables(SMALL))
    seats = counts(report.seats)
    assert len(seats) == 12
    assert {k: n for k, n in seats.items() if n} == {
        ("a", 0): 1, ("b", 1): 2, ("c", 2): 1, ("c", 0): 1, ("a", 1): 1, ("b", 2): 1,
        ("d", 0): 1, ("d", 2): 1,
    }  # fmt: skip
    opponents = counts(report.opponents)
    assert len(opponents) == 12
    assert (opponents["a", "b"], opponents["b", "d"], opponents["d", "b"]) == (2, 2, 2)
    left = counts(report.left)
    assert (left["a", "b"], left["b", "a"], left["b", "c"], left["c", "a"]) == (2, 0, 2, 2)
    assert (left["d", "b"], left["b", "d"], left["a", "d"]) == (1, 1, 0)
    boards = counts(report.boards)
    assert (boards["a", 5], boards["a", 7], boards["d", 7], boards["b", 7]) == (2, 0, 2, 1)
    previous = counts(report.previous)
    assert {k: n for k, n in previous.items() if n} == {("a", "b"): 1, ("b", "c"): 1, ("c", "a"): 1}


def test_the_summary_shows_least_mean_and_most() -> None:
    summary = balance(tables(SMALL)).summary()
    assert summary.columns == ["count", "least", "mean", "most"]
    assert summary.row(0) == ("seats", 0, 9 / 12, 2)
    assert summary["count"].to_list() == ["seats", "opponents", "left", "boards", "previous"]


def slow_quality(rows: list[Table]) -> float:
    """Manning's weights, summed over every two results of a board."""
    n = len(rows[0][3])
    names = sorted({a for *_, agents in rows for a in agents})
    total = dict.fromkeys(itertools.combinations(names, 2), 0)
    for board in {b for _, _, b, _ in rows}:
        own = [agents for _, _, b, agents in rows if b == board]
        results = [(t, s, a) for t, agents in enumerate(own) for s, a in enumerate(agents)]
        for (t, s, a), (u, v, b) in itertools.combinations(results, 2):
            weight = len(own) - 1 if t == u else n - 1 if s == v else -1
            if a != b:
                total[min(a, b), max(a, b)] += weight
    squares = sum(x * x for x in total.values())
    return 100 * sum(total.values()) ** 2 / (len(total) * squares) if squares else math.nan


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.tuples(st.integers(0, 3), st.text("abcdef", min_size=n, max_size=n)),
            min_size=1,
            max_size=12,
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_quality_agrees_with_its_definition(played: list[tuple[int, str]]) -> None:
    rows = [(i, 0, board, agents) for i, (board, agents) in enumerate(played)]
    expected = slow_quality(rows)
    assert manning_quality(tables(rows)) == pytest.approx(expected, nan_ok=True)
    assert balance(tables(rows)).quality == pytest.approx(expected, nan_ok=True)


def test_one_table_compares_nothing() -> None:
    assert math.isnan(manning_quality(tables([(0, 0, 0, "ab")])))


def test_the_order_of_rows_makes_no_difference() -> None:
    frame = permutation_movement(["a", "b", "c", "d"], 3).tables
    assert manning_quality(frame) == pytest.approx(100)
    shuffled = balance(frame.sample(fraction=1, shuffle=True, seed=1))
    assert shuffled.left.equals(balance(frame).left)


def test_broken_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one table"):
        balance(tables(SMALL).clear())
    with pytest.raises(ValueError, match="each of the seats 0 to 2 once"):
        balance(tables([(0, 0, 0, "abc"), (0, 1, 0, "ab")]))
    with pytest.raises(ValueError, match="each of the seats"):
        balance(tables([*SMALL, SMALL[0]]))
