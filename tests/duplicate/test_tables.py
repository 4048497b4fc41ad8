import polars as pl
import pytest

from loop_envs.duplicate import (
    agent_summary,
    agent_table,
    board_differences,
    board_margins,
    mean_interval,
    pair_summary,
    pair_table,
)

Match = tuple[int, str, int, list[tuple[str, int]]]


def results(matches: list[Match]) -> pl.DataFrame:
    """A table of results from (board, lineup, rotation, [(agent, points) by seat])."""
    rows = []
    for board, lineup, rotation, seats in matches:
        best = max(points for _, points in seats)
        for seat, (agent, points) in enumerate(seats):
            rows.append((board, lineup, rotation, seat, agent, points, points == best))
    columns = ["board", "lineup", "rotation", "seat", "agent", "points", "winner"]
    return pl.DataFrame(rows, columns, orient="row")


# Margins, board 5: a 2, b -2; a -1, b 1.  Board 6: a 3, b -3; a 0, b 0 (a shared first place).
TWO = results(
    [
        (5, "a b", 0, [("a", 4), ("b", 0)]),
        (5, "a b", 1, [("b", 3), ("a", 1)]),
        (6, "a b", 0, [("a", 6), ("b", 0)]),
        (6, "a b", 1, [("b", 2), ("a", 2)]),
    ]
)
# Three seats: margins 4, -2, -2 (a b b) and -3, 0, 3 (b a a).
THREE = results(
    [
        (1, "a b b", 0, [("a", 6), ("b", 0), ("b", 0)]),
        (1, "b a a", 0, [("b", 1), ("a", 4), ("a", 7)]),
        (2, "a b b", 0, [("a", 0), ("b", 1), ("b", 5)]),
        (2, "b a a", 0, [("b", 0), ("a", 0), ("a", 0)]),
    ]
)


@pytest.mark.parametrize("table", [TWO, THREE])
def test_parts_with_whole_boards_are_as_good_as_the_whole(table: pl.DataFrame) -> None:
    parts = [table.filter(board=board) for board in table["board"].unique().sort(descending=True)]
    margins = pl.concat([board_margins(part) for part in parts])
    differences = pl.concat([board_differences(part) for part in parts])
    assert agent_summary(margins).equals(agent_table(table))
    assert pair_summary(differences).equals(pair_table(table))


def test_agents_by_hand() -> None:
    table = agent_table(TWO)
    assert table.columns == [
        "agent", "boards", "matches", "margin", "margin_low", "margin_high",
        "first", "first_low", "first_high",
    ]  # fmt: skip
    assert table["agent"].to_list() == ["a", "b"]
    a = table.row(0, named=True)
    assert (a["boards"], a["matches"]) == (2, 4)
    # Boards: 0.5 and 1.5; first places 0.5 and 0.75.
    mean, low, high, _ = mean_interval([0.5, 1.5])
    assert (a["margin"], a["margin_low"], a["margin_high"]) == pytest.approx((mean, low, high))
    assert a["first"] == pytest.approx(0.625)
    assert (a["first_low"], a["first_high"]) == pytest.approx(mean_interval([0.5, 0.75])[1:3])


def test_margins_of_several_seats_are_averaged_on_their_board() -> None:
    table = agent_table(THREE)
    a = table.filter(pl.col("agent") == "a").row(0, named=True)
    # Board 1: (4 + 0 + 3) / 3.  Board 2: (-2 + 0 + 0) / 3.
    assert a["margin"] == pytest.approx((7 / 3 - 2 / 3) / 2)
    # First places: (1 + 0 + 1) / 3 and (0 + 1/3 + 1/3) / 3.
    assert a["first"] == pytest.approx((2 / 3 + 2 / 9) / 2)


def test_pairs_by_hand() -> None:
    table = pair_table(THREE)
    assert table.columns == [
        "a", "b", "boards", "matches", "difference", "difference_low", "difference_high",
    ]  # fmt: skip
    assert table.select("a", "b").rows() == [("a", "b"), ("b", "a")]
    # Board 1: 4 + 2 and 1.5 + 3.  Board 2: -2 - 1 and 0.
    boards = [(6 + 4.5) / 2, -3 / 2]
    mean, low, high, _ = mean_interval(boards)
    row = table.row(0, named=True)
    assert (row["boards"], row["matches"]) == (2, 4)
    got = (row["difference"], row["difference_low"], row["difference_high"])
    assert got == pytest.approx((mean, low, high))
    assert table["difference"].to_list() == pytest.approx([mean, -mean])


def test_only_those_who_met_are_pairs() -> None:
    frame = results([(b, f"a {x}", 0, [("a", b), (x, 1)]) for b in (0, 1, 2) for x in ("b", "c")])
    assert set(pair_table(frame).select("a", "b").rows()) == {
        ("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"),
    }  # fmt: skip


def test_the_order_of_rows_makes_no_difference() -> None:
    for seed in range(5):
        shuffled = THREE.sample(fraction=1, shuffle=True, seed=seed)
        assert agent_table(shuffled).equals(agent_table(THREE))
        assert pair_table(shuffled).equals(pair_table(THREE))


def test_narrow_integers_do_not_overflow() -> None:
    narrow = TWO.with_columns(pl.col("points").cast(pl.Int8) * 20)
    assert agent_table(narrow)["margin"][0] == pytest.approx(20)
    assert pair_table(narrow)["difference"][0] == pytest.approx(40)


def test_matches_of_different_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\[2, 3\]"):
        agent_table(pl.concat([TWO, THREE]))
