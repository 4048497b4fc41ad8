import math
from collections import Counter

import polars as pl
import pytest

from loop_envs.duplicate.movements import (
    MOVEMENTS,
    Movement,
    circular_movement,
    cyclic,
    cyclic_movement,
    latin_movement,
    line_ups,
    permutation_movement,
    travelling_movement,
    williams_movement,
)

NAMES = "abcdefghijklmnopqrstuvwxyz"
SINGLE = ["permutations", "circular", "williams", "cyclic", "travelling", "latin"]


def plays(counts: pl.DataFrame) -> set[int]:
    return set(counts["plays"].to_list())


def seated(movement: Movement, agent: str) -> Counter[int]:
    rows = movement.tables.filter(pl.col("agent") == agent)
    return Counter(rows["seat"].to_list())


@pytest.mark.parametrize("n", range(2, 6))
def test_permutations_balance_everything(n: int) -> None:
    movement = permutation_movement(list(NAMES[:n]), n)
    assert len(movement.seatings(0)) == len(set(movement.seatings(0))) == math.factorial(n)
    b = movement.balance
    assert plays(b.seats) == {math.factorial(n - 1)}
    assert plays(b.opponents) == {math.factorial(n)}
    assert plays(b.left) == {n * math.factorial(n - 2)}
    assert plays(b.boards) == {math.factorial(n)}
    assert b.quality == pytest.approx(100)


@pytest.mark.parametrize("n", range(2, 6))
def test_the_cyclic_movement_is_the_cyclic_square(n: int) -> None:
    movement = cyclic_movement(list(NAMES[:n]), n)
    expected = [tuple(NAMES[i] for i in row) for row in cyclic(n).tolist()]
    assert movement.seatings(0) == expected
    assert plays(movement.balance.seats) == {1}
    assert plays(movement.balance.opponents) == {n}


@pytest.mark.parametrize(("k", "n"), [(4, 4), (5, 3), (5, 5), (6, 4)])
def test_circular_orders_are_balanced_over_their_boards(k: int, n: int) -> None:
    movement = circular_movement(list(NAMES[:k]), n)
    assert movement.num_boards == n
    for board in range(n):
        tables = movement.seatings(board)
        assert len(tables) == math.comb(k, n) * math.factorial(n - 1)
        # No two are the same order.
        assert len({t[(i := t.index(min(t))) :] + t[:i] for t in tables}) == len(tables)
    summary = movement.balance.summary().filter(pl.col("count") != "previous")
    assert (summary["least"] == summary["most"]).all()
    both = [t for board in range(n) for t in movement.seatings(board)]
    assert len(set(both)) == math.perm(k, n)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_williams_movement_balances_seats_and_opponents(n: int) -> None:
    b = williams_movement(list(NAMES[:n]), n).balance
    tables = n if n % 2 == 0 else 2 * n
    assert plays(b.seats) == {tables // n}
    assert plays(b.opponents) == {tables}


def test_latin_movements_seat_everybody_once_on_each_board() -> None:
    movement = latin_movement(list(NAMES[:7]), 4, num_boards=60, seed=3)
    assert movement.num_boards == 60
    assert plays(movement.balance.boards) == {4}
    for board in (0, 17):
        tables = movement.seatings(board)
        assert len(tables) == 7
        assert all(sorted(column) == list(NAMES[:7]) for column in zip(*tables, strict=True))
    assert movement.seatings(0) != movement.seatings(1)
    again = latin_movement(list(NAMES[:7]), 4, num_boards=60, seed=3)
    assert again.tables.equals(movement.tables)
    # On average every two meet 12 · 7 / 42 = 2 times a board, and 2 / 3 of it as left neighbours.
    left = movement.balance.left["plays"]
    assert left.mean() == pytest.approx(60 * 4 / 6)
    assert left.to_numpy().std() < 12


@pytest.mark.parametrize("n", range(2, 7))
def test_hands_travel_to_the_left_neighbour(n: int) -> None:
    movement = travelling_movement(list(NAMES[:n]), n)
    for r, table in enumerate(movement.seatings(0)):
        assert table == tuple(NAMES[(hand + r) % n] for hand in range(n))
    handed = movement.balance.previous.filter(pl.col("plays") > 0)
    # Everybody inherits all hands but its own from the right neighbour.
    assert sorted(handed.rows()) == [(NAMES[i], NAMES[(i - 1) % n], n - 1) for i in range(n)]


@pytest.mark.parametrize(("n", "each"), [(2, 1), (3, 2), (4, 1), (5, 2), (6, 1)])
def test_balanced_travel_inherits_equally_from_all(n: int, each: int) -> None:
    movement = travelling_movement(list(NAMES[:n]), n, balanced=True)
    assert movement.num_boards == each
    assert plays(movement.balance.previous) == {each}
    assert plays(movement.balance.seats) == {each}
    # Around the table of hands the order is always the same.
    assert len(plays(movement.balance.left)) <= 2


def test_few_agents_fill_the_table_evenly() -> None:
    assert line_ups(["a", "b"], 4) == [("a", "b", "a", "b")]
    assert line_ups(["a", "b"], 3) == [("a", "b", "a"), ("b", "a", "b")]
    assert line_ups(["a", "b", "c"], 5) == [
        ("a", "b", "c", "a", "b"),
        ("a", "c", "b", "a", "c"),
        ("b", "c", "a", "b", "c"),
    ]
    assert line_ups(["a"], 3) == [("a", "a", "a")]
    assert line_ups(["a", "b", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_named_fill_ins_are_spread_out() -> None:
    assert line_ups(["a", "b"], 4, ["x"]) == [("a", "x", "b", "x")]
    assert line_ups(["a", "b"], 4, ["x", "y"]) == [("a", "x", "b", "y")]
    assert line_ups(["a", "b", "c"], 4, ["x"]) == [("a", "x", "b", "c")]
    assert line_ups(["a", "b", "c", "d"], 4, ["x"]) == [("a", "b", "c", "d")]


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize(("k", "n"), [(1, 3), (2, 3), (2, 4), (3, 5), (5, 6), (4, 3), (6, 4)])
def test_every_movement_says_who_fills_in(name: str, k: int, n: int) -> None:
    agents = list(NAMES[:k])
    alone, filled = MOVEMENTS[name](agents, n), MOVEMENTS[name](agents, n, fill_ins=["x", "y"])
    assert alone.fill_ins == (tuple(agents) if k < n else ())
    assert filled.fill_ins == (("x", "y")[: n - k] if k < n else ())
    for movement in (alone, filled):
        assert movement.agents == tuple(agents)
        assert set(movement.tables["agent"]) == set(agents) | set(movement.fill_ins)
        counts = [seated(movement, agent) for agent in agents]
        assert all(count.total() == counts[0].total() for count in counts)


def test_seatings_that_repeat_are_thinned_out() -> None:
    assert cyclic_movement(["a", "b"], 4).seatings(0) == [tuple("abab"), tuple("baba")]
    assert len(permutation_movement(["a", "b"], 4).seatings(0)) == 6
    assert permutation_movement(["a"], 4).seatings(0) == [("a",) * 4]


def test_boards_repeat() -> None:
    movement = circular_movement(["a", "b", "c"], 3)
    assert [movement.seatings(b) for b in (3, 4, 5)] == [movement.seatings(b) for b in (0, 1, 2)]
    with pytest.raises(ValueError, match="board: got -1"):
        movement.seatings(-1)


def test_all_tables_can_be_put_on_one_board() -> None:
    movement = circular_movement(["a", "b", "c"], 3)
    one = movement.on_one_board()
    assert one.num_boards == 1
    assert sorted(one.seatings(5)) == sorted(permutation_movement(["a", "b", "c"], 3).seatings(0))


def test_the_table_of_a_movement() -> None:
    movement = cyclic_movement(["a", "b", "c"], 2)
    assert movement.tables.schema == {
        "round": pl.Int64, "table": pl.Int64, "board": pl.Int64, "seat": pl.Int64,
        "agent": pl.String,
    }  # fmt: skip
    assert movement.tables.head(4).rows() == [
        (0, 0, 0, 0, "a"), (0, 0, 0, 1, "b"), (0, 1, 0, 0, "a"), (0, 1, 0, 1, "c"),
    ]  # fmt: skip
    assert (movement.num_rounds, movement.num_boards, movement.num_seats) == (2, 1, 2)


@pytest.mark.parametrize("name", sorted(MOVEMENTS))
@pytest.mark.parametrize(
    ("agents", "n", "fill_ins", "message"),
    [
        ([], 2, (), "at least one"),
        (["a", "a"], 2, (), "different names"),
        (["a", ""], 2, (), "empty"),
        (["a", "b"], 1, (), "seats: got 1"),
        (["a", "b"], 2, "x", "sequence"),
        ("ab", 2, (), "sequence"),
    ],
)
def test_bad_input_is_refused(
    name: str, agents: list[str], n: int, fill_ins: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        MOVEMENTS[name](agents, n, fill_ins=fill_ins)


def test_too_many_tables_are_refused() -> None:
    with pytest.raises(ValueError, match=r"27907200 tables .* at most 1000000"):
        permutation_movement(list(NAMES[:20]), 6)
    with pytest.raises(ValueError, match="tables"):
        circular_movement(list(NAMES), 26)
    with pytest.raises(ValueError, match="0 boards"):
        latin_movement(["a", "b"], 2, num_boards=0)
