import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from loop_envs.duplicate.online import elo_change, elo_table, openskill_table

COLUMNS = ["board", "lineup", "rotation", "seat", "agent", "points"]
# a beats b; b, c and a second b meet.
TWO = pl.DataFrame(
    [
        (0, "a b", 0, 0, "a", 3),
        (0, "a b", 0, 1, "b", 1),
        (1, "b c b", 0, 0, "b", 5),
        (1, "b c b", 0, 1, "c", 5),
        (1, "b c b", 0, 2, "b", 2),
    ],
    COLUMNS,
    orient="row",
)


def test_four_equal_players() -> None:
    change = elo_change([1500] * 4, [9, 7, 4, 1])
    assert change == pytest.approx([16, 5.333, -5.333, -16], abs=5e-4)


def test_two_players_are_the_usual_elo() -> None:
    expected = 1 / (1 + 10 ** (-200 / 400))
    assert elo_change([1700, 1500], [0, 1]) == pytest.approx([-32 * expected, 32 * expected])
    assert elo_change([1700, 1500], [1, 1], k=10)[0] == pytest.approx(10 * (0.5 - expected))


@given(st.lists(st.tuples(st.floats(0, 3000), st.integers(-5, 5)), min_size=2, max_size=8))
def test_elo_is_zero_sum(seats: list[tuple[float, int]]) -> None:
    ratings, scores = zip(*seats, strict=True)
    assert elo_change(ratings, scores).sum() == pytest.approx(0, abs=1e-9)


def test_elo_by_hand() -> None:
    table = elo_table(TWO)
    # Match 1: a +16, b -16. Match 2: b's seats against each other cancel.
    expected = 1 / (1 + 10 ** (16 / 400))  # of b against c
    b = 16 * (0.5 - expected) + 16 * (0 - expected)
    values = dict(table.select("agent", "elo").rows())
    assert values == pytest.approx({"a": 1516, "b": 1484 + b, "c": 1500 - b})
    assert table["agent"].to_list() == ["a", "c", "b"]
    assert dict(table.select("agent", "matches").rows()) == {"a": 1, "b": 2, "c": 1}


def test_openskill_as_the_library_has_it() -> None:
    # Two players with default ratings: the values of the library's own documentation.
    one = openskill_table(TWO.filter(pl.col("board") == 0))
    assert one["mu"].to_list() == pytest.approx([27.635389, 22.364611], abs=1e-6)
    assert one["sigma"].to_list() == pytest.approx([8.065901] * 2, abs=1e-6)
    assert one["ordinal"][0] == pytest.approx(27.635389 - 3 * 8.065901, abs=1e-5)
    # The next match, seat by seat; b leaves with the mean of its seats.
    model = PlackettLuce()
    b, again = (model.rating(mu=one["mu"][1], sigma=one["sigma"][1]) for _ in range(2))
    after = model.rate([[b], [model.rating()], [again]], scores=[5, 5, 2])
    table = openskill_table(TWO)
    got = {row["agent"]: row for row in table.iter_rows(named=True)}
    assert got["c"]["mu"] == pytest.approx(after[1][0].mu)
    assert got["b"]["mu"] == pytest.approx((after[0][0].mu + after[2][0].mu) / 2)
    assert got["b"]["sigma"] == pytest.approx((after[0][0].sigma + after[2][0].sigma) / 2)
    assert got["b"]["matches"] == 2


def test_the_order_of_rows_makes_no_difference() -> None:
    for seed in range(3):
        shuffled = TWO.sample(fraction=1, shuffle=True, seed=seed)
        assert elo_table(shuffled).equals(elo_table(TWO))
        assert openskill_table(shuffled).equals(openskill_table(TWO))


def test_single_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="length ≥ 2"):
        elo_change([1500], [1])
    with pytest.raises(ValueError, match="length ≥ 2"):
        elo_change([1500, 1500], [1, 2, 3])
