import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from loop_envs.duplicate.comparisons import (
    COMPARISONS,
    board_scaled,
    difference_to_mean,
    loop_board,
    matchpoints,
    rank_normal,
)
from loop_envs.duplicate.imp_comparisons import (
    butler,
    cross_imps,
    imps_to_mean,
    match_victory_points,
)

BRIDGE = [420, 420, 420, 430, 450, -50, -50, -50, -50, -100]


def one_seat(points: list[int] | list[float]) -> pl.DataFrame:
    """Results of a single seat of a single board, a table for each."""
    tables = range(len(points))
    return pl.DataFrame(
        {"board": 0, "lineup": 0, "rotation": tables, "seat": 0, "agent": "a", "points": points}
    )


def scores(frame: pl.DataFrame) -> list[float]:
    return [round(x, 9) for x in frame["score"].to_list()]


def test_matchpoints_of_ten_tables() -> None:
    assert scores(matchpoints(one_seat(BRIDGE))) == [12, 12, 12, 16, 18, 5, 5, 5, 5, 0]


def test_neuberg_raises_a_bottom_and_lowers_a_top() -> None:
    six = scores(matchpoints(one_seat([6, 5, 4, 3, 2, 1]), num_tables=7))
    assert (six[0], six[-1]) == pytest.approx((11.8333, 0.1667), abs=1e-4)
    # The board played most often sets the number of tables.
    other = one_seat([1, 2]).with_columns(board=pl.lit(1, pl.Int32))
    both = matchpoints(pl.concat([one_seat([1, 2, 3]), other]))
    assert scores(both) == [0, 2, 4, 0.5, 3.5]
    with pytest.raises(ValueError, match=r"num_tables: got 5, but .* 6 results"):
        matchpoints(one_seat([6, 5, 4, 3, 2, 1]), num_tables=5)


def test_butler_drops_extremes_and_rounds() -> None:
    assert scores(butler(one_seat(BRIDGE))) == [6, 6, 6, 6, 6, -6, -6, -6, -6, -7]
    # The plain mean is 184, and 184 + 50 is worth 2 IMPs.
    assert scores(imps_to_mean(one_seat([420, 170, -38, 184]))) == [6, 0, -6, 0]
    # Two results are too few to drop both; 425 is rounded to 420 and 435 to 440.
    assert scores(butler(one_seat([420, 430]))) == [0, 0]
    assert scores(butler(one_seat([400, 450]))) == [-1, 1]
    assert scores(butler(one_seat([415, 455]))) == [-1, 0]


def test_cross_imps_by_hand() -> None:
    assert scores(cross_imps(one_seat([420, 170, 300]))) == [4.5, -5.0, 0.5]
    # Two tables are a match of teams.
    assert scores(cross_imps(one_seat([620, -100]))) == [12, -12]
    assert scores(cross_imps(one_seat([6, 3, 0]), unit=100)) == [9.5, 0, -9.5]


@pytest.mark.parametrize("size", [1, 2, 3, 10, 40])
def test_rank_normal_agrees_with_scipy(size: int) -> None:
    points = np.random.default_rng(size).permutation(size)
    expected = stats.norm.ppf((points + 1 - 0.375) / (size + 0.25))
    got = rank_normal(one_seat(points.tolist()))["score"].to_numpy()
    assert got == pytest.approx(expected, abs=1e-12)


def test_ties_share_normal_scores() -> None:
    ends, middle = stats.norm.ppf((np.array([1, 3]) - 0.375) / 3.25), 0.0
    got = rank_normal(one_seat([5, 9, 9]))["score"].to_list()
    assert got == pytest.approx([ends[0], (middle + ends[1]) / 2, (middle + ends[1]) / 2])


# Values by board and round: rules of Loop's board edition, rows with their score boards.
LINES = [
    ([1, 2, 3, 4], [4, 3, 2, 1]),
    ([1, 1, 2, 4], [4, 4, 2, 1]),
    ([2, 2, 3, 3], [4, 4, 2, 2]),
    ([1, 3, 3, 4], [4, 3, 3, 1]),
    ([1, 4, 4, 4], [4, 3, 3, 3]),
    ([4, 4, 4, 4], [4, 4, 4, 4]),
    ([1, 5, 5, 5, 5], [5, 4, 4, 4, 4]),
    ([2, 2, 2, 4, 5], [5, 5, 5, 2, 1]),
    ([1, 1, 1, 4, 4, 6], [6, 6, 6, 3, 3, 1]),
    ([1, 3, 3, 3, 6, 6], [6, 5, 5, 5, 2, 2]),
]


@pytest.mark.parametrize(("lines", "values"), LINES)
def test_loops_score_board(lines: list[int], values: list[int]) -> None:
    assert scores(loop_board(one_seat(lines), line="points")) == values
    without = loop_board(one_seat(lines), line="points", count_self=False)
    assert scores(without) == [v - 1 for v in values]
    # n (n + 1) / 2, and one for every two markers on a line.
    n, shared = len(lines), sum(math.comb(lines.count(x), 2) for x in set(lines))
    assert sum(values) == n * (n + 1) // 2 + shared


def test_a_whole_match_of_loop() -> None:
    # Four hands travel around four players; holder (hand + round) mod 4.
    ranks = [[1, 2, 1, 4], [3, 1, 2, 1], [2, 4, 4, 3], [4, 3, 3, 2]]
    rows = [
        (0, "m", r, hand, f"P{(hand + r) % 4}", -ranks[hand][r])
        for hand in range(4)
        for r in range(4)
    ]
    columns = ["board", "lineup", "rotation", "seat", "agent", "points"]
    scored = loop_board(pl.DataFrame(rows, columns, orient="row"))
    totals = scored.group_by("agent").agg(pl.col("score").sum()).sort("agent")
    assert totals["score"].to_list() == [13, 9, 16, 6]
    assert scored.columns == [*columns, "score"]


def test_equal_points_share_the_better_line() -> None:
    # Places at the two tables: 1 1 3 and 1 2 3.
    rows = [
        (0, t, s, "x", p) for t, own in enumerate([[5, 5, 1], [9, 8, 7]]) for s, p in enumerate(own)
    ]
    frame = pl.DataFrame(rows, ["board", "lineup", "seat", "agent", "points"], orient="row")
    scored = loop_board(frame.with_columns(rotation=pl.lit("r")))
    assert scores(scored) == [2, 2, 2, 2, 1, 2]


def test_difference_and_spread_by_hand() -> None:
    # Board 0: seat 0 has ±2, seat 1 has ±1; board 1 is quiet.
    frame = pl.DataFrame(
        {
            "board": [0, 0, 0, 0, 1, 1], "seat": [0, 0, 1, 1, 0, 0],
            "points": [4, 0, 7, 5, 3, 3],
        }
    )  # fmt: skip
    assert scores(difference_to_mean(frame)) == [2, -2, 1, -1, 0, 0]
    spread = math.sqrt((4 + 4 + 1 + 1) / 4)
    scaled = board_scaled(frame, name="scaled")["scaled"].to_list()
    assert scaled == pytest.approx([2 / spread, -2 / spread, 1 / spread, -1 / spread, 0, 0])


def test_victory_points_over_matches() -> None:
    # Boards 3, 4 are a match that a wins by 12 + 0 IMPs, board 9 another that b wins by 10.
    points = {3: (620, -100), 4: (110, 110), 9: (0, 460)}
    rows = [
        (board, 0, r, 0, "ab"[r], x) for board, own in points.items() for r, x in enumerate(own)
    ]
    columns = ["board", "lineup", "rotation", "seat", "agent", "points"]
    scored = match_victory_points(pl.DataFrame(rows, columns, orient="row"), num_boards=2)
    ratio = math.sqrt(5) - 2
    won = 10 * (1 - ratio ** (12 / (15 * math.sqrt(2)))) / (1 - ratio)
    lost = 10 * (1 - ratio ** (10 / 15)) / (1 - ratio)
    expected = [10 + won, 10 - won, 10 + won, 10 - won, 10 - lost, 10 + lost]
    assert scored["score"].to_list() == pytest.approx(expected)


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_no_results_have_no_scores(name: str) -> None:
    empty = one_seat([1]).clear()
    assert COMPARISONS[name](empty).columns == [*empty.columns, "score"]


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_other_columns_can_be_compared(name: str) -> None:
    frame = one_seat([3, 1]).with_columns(
        other=pl.Series([1.5, 0.5]),
        winner=pl.Series([True, False]),
        small=pl.Series([9, 8], dtype=pl.UInt8),
    )
    for column in ("other", "winner", "small"):
        got = COMPARISONS[name](frame, column=column)["score"]
        assert got.equals(COMPARISONS[name](frame, column=column).reverse()["score"].reverse())
        assert got.is_finite().all()


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_bad_results_are_refused(name: str) -> None:
    compare = COMPARISONS[name]
    frame = one_seat([3, 1])
    with pytest.raises(ValueError, match="no column 'gain'"):
        compare(frame, column="gain")
    with pytest.raises(ValueError, match="no column 'seat'"):
        compare(frame.drop("seat"))
    with pytest.raises(ValueError, match="String"):
        compare(frame, column="agent")
    with pytest.raises(ValueError, match="nulls"):
        compare(frame.with_columns(points=pl.Series([1, None])))
    with pytest.raises(ValueError, match="finite"):
        compare(frame.with_columns(points=pl.Series([1.0, math.inf])))


def test_bad_scales_are_refused() -> None:
    frame = one_seat([3, 1])
    for compare in (butler, imps_to_mean, cross_imps, match_victory_points):
        for unit in (0.0, -1.0, math.nan, math.inf):
            with pytest.raises(ValueError, match="unit"):
                compare(frame, unit=unit)
    with pytest.raises(ValueError, match="trim: got -1"):
        butler(frame, trim=-1)
    with pytest.raises(ValueError, match="rounding: got 0"):
        butler(frame, rounding=0)
    with pytest.raises(ValueError, match="num_boards: got 0"):
        match_victory_points(frame, num_boards=0)
    with pytest.raises(ValueError, match="agent"):
        match_victory_points(frame.drop("agent"))
