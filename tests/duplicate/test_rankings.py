import polars as pl
import pytest

from loop_envs.duplicate.rankings import merge_rankings, rank_matches

TABLE = pl.DataFrame(
    [
        (7, "x", 0, 0, "b", 1.5),
        (7, "x", 0, 1, "a", 1.5),
        (7, "x", 0, 2, "b", -2.0),
        (7, "x", 1, 0, "a", 0.0),
        (7, "x", 1, 1, "b", 4.0),
        (3, "x", 0, 0, "b", 0.0),
        (3, "x", 0, 1, "a", -1.0),
    ],
    ["board", "lineup", "rotation", "seat", "agent", "points"],
    orient="row",
)


def test_patterns_by_hand() -> None:
    got = rank_matches(TABLE)
    assert got.agents == ["a", "b"]
    assert got.boards.tolist() == [3, 7]
    # a and b tie before another b; b before a.
    assert got.patterns == [((0, 1), (1,)), ((1,), (0,))]
    assert got.counts.toarray().tolist() == [[0, 1], [1, 1]]
    assert got.weights().tolist() == [1, 2]
    assert got.tie_sizes == [2]


def test_choices_by_hand() -> None:
    choices = rank_matches(TABLE).choices
    # Features: a, b, a tie of two. Pools: a b b, then a b; the last one left is no choice.
    assert choices.chosen.tolist() == [[0.5, 0.5, 1], [0, 1, 0]]
    assert choices.visits.toarray().tolist() == [[1, 0], [0, 1]]
    assert choices.starts.tolist() == [0, 6]
    assert choices.options[:6].tolist() == [
        [1, 0, 0], [0, 1, 0], [0, 1, 0], [0.5, 0.5, 1], [0.5, 0.5, 1], [0, 1, 1],
    ]  # fmt: skip
    assert choices.options[6:].tolist() == [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 1]]


def test_parts_are_merged_to_the_whole() -> None:
    more = TABLE.with_columns(
        board=pl.col("board") + 10,
        agent=pl.col("agent").replace("a", "Z"),
        points=pl.when(pl.col("seat") < 2).then(0.0).otherwise(pl.col("points")),
    )
    for parts in ([TABLE, more], [more, TABLE], [more.filter(pl.col("board") > 13), TABLE]):
        expected = rank_matches(pl.concat(parts))
        got = merge_rankings([rank_matches(part) for part in parts])
        assert got.agents == expected.agents == ["Z", "a", "b"]
        assert got.boards.tolist() == expected.boards.tolist()
        assert got.patterns == expected.patterns
        assert got.tie_sizes == expected.tie_sizes
        assert (got.counts.toarray() == expected.counts.toarray()).all()


def test_anything_can_be_ranked() -> None:
    totals = TABLE.group_by("board", "agent").agg(pl.col("points").sum())
    got = rank_matches(totals, match=["board"])
    assert got.patterns == [((1,), (0,))]
    assert got.counts.toarray().tolist() == [[1], [1]]
    worse = rank_matches(TABLE.with_columns(cost=-pl.col("points")), score="cost")
    assert worse.patterns == [((0,), (1,)), ((1,), (0, 1))]


def test_bad_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="no rows"):
        rank_matches(TABLE[:0])
    for missing in (None, float("nan")):
        broken = TABLE.with_columns(points=pl.lit(missing, pl.Float64))
        with pytest.raises(ValueError, match="'points' is missing"):
            rank_matches(broken)
