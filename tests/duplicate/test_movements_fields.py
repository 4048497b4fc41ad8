"""Movements of several tables: Mitchell, Howell, whist."""

import itertools
from collections import Counter

import polars as pl
import pytest

from loop_envs.duplicate.movements import (
    Movement,
    howell_movement,
    mitchell_movement,
    whist_movement,
)
from loop_envs.duplicate.movements.groups import addition, is_prime, prime_factors, primitive_root


def names(k: int) -> list[str]:
    return [f"p{i:02}" for i in range(k)]


def plays(counts: pl.DataFrame) -> set[int]:
    return set(counts["plays"].to_list())


def nobody_sits_twice_in_a_round(movement: Movement) -> bool:
    return not movement.tables.select("round", "agent").is_duplicated().any()


def tables_of_a_round_differ_in_boards(movement: Movement) -> bool:
    boards = movement.tables.filter(pl.col("seat") == 0).select("round", "board")
    return not boards.is_duplicated().any()


@pytest.mark.parametrize(("switches", "quality"), [(0, 46.15), (1, 90.46), (2, 48.81), (3, 32.15)])
def test_quality_of_mitchell_with_seven_tables(switches: int, quality: float) -> None:
    movement = mitchell_movement(names(14), switches=switches)
    assert movement.balance.quality == pytest.approx(quality, abs=0.005)


@pytest.mark.parametrize("t", range(1, 13))
@pytest.mark.parametrize("switches", [0, 1])
def test_mitchell_lines_meet_once_and_play_every_board(t: int, switches: int) -> None:
    movement = mitchell_movement(names(2 * t), switches=switches)
    assert (movement.num_rounds, movement.num_boards) == (t, t)
    assert nobody_sits_twice_in_a_round(movement)
    if t % 2:
        assert tables_of_a_round_differ_in_boards(movement)
    assert plays(movement.balance.boards) == {1}
    met = {(a, b): n for a, b, n in movement.balance.opponents.rows()}
    for a, b in itertools.permutations(range(2 * t), 2):
        assert met[f"p{a:02}", f"p{b:02}"] == (a % 2 != b % 2)


def test_three_tables_of_mitchell_by_hand() -> None:
    movement = mitchell_movement(["a", "A", "b", "B", "c", "C"], switches=1)
    rows = movement.tables.group_by("round", "table", "board", maintain_order=True).agg("agent")
    assert [(r, t, b, "".join(x)) for r, t, b, x in rows.rows()] == [
        (0, 0, 0, "aA"), (0, 1, 1, "bB"), (0, 2, 2, "cC"),
        (1, 0, 1, "aC"), (1, 1, 2, "bA"), (1, 2, 0, "cB"),
        (2, 0, 2, "Ba"), (2, 1, 0, "Cb"), (2, 2, 1, "Ac"),
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "t"), [(3, 5), (4, 5), (4, 7), (5, 7)])
def test_mitchell_with_more_lines(n: int, t: int) -> None:
    movement = mitchell_movement(names(n * t), n)
    assert nobody_sits_twice_in_a_round(movement)
    assert tables_of_a_round_differ_in_boards(movement)
    assert plays(movement.balance.boards) == {1}
    # Everybody stays in the seat of its line and meets those of the others once.
    assert plays(movement.balance.seats) == {0, t}
    assert Counter(movement.balance.opponents["plays"].to_list()) == {
        1: n * t * (n - 1) * t,
        0: n * t * (t - 1),
    }
    switched = mitchell_movement(names(n * t), n, switches=n - 1)
    assert switched.balance.opponents.sort("agent", "opponent").equals(
        movement.balance.opponents.sort("agent", "opponent")
    )
    assert plays(switched.balance.seats) == {1, t - n + 1}


def test_mitchell_fills_the_last_table() -> None:
    movement = mitchell_movement(names(5), fill_ins=["house"])
    assert movement.fill_ins == ("house",)
    assert plays(movement.balance.boards) == {1}
    assert mitchell_movement(names(5)).fill_ins == ("p00",)


def test_bad_mitchells_are_refused() -> None:
    with pytest.raises(ValueError, match="16 agents make 4 tables of 4"):
        mitchell_movement(names(16), 4)
    with pytest.raises(ValueError, match="switches: got 8, allowed: 0 to 7"):
        mitchell_movement(names(14), switches=8)


@pytest.mark.parametrize("k", [*range(2, 22, 2), 26, 32])
def test_howell_meets_everybody_and_plays_everything_once(k: int) -> None:
    movement = howell_movement(names(k))
    assert (movement.num_rounds, movement.num_boards) == (k - 1, k - 1)
    assert plays(movement.balance.opponents) == plays(movement.balance.boards) == {1}
    assert nobody_sits_twice_in_a_round(movement)
    assert tables_of_a_round_differ_in_boards(movement) == (k not in (4, 6))


@pytest.mark.parametrize("k", [4, 8, 12, 20, 24])
def test_howell_is_perfect_where_squares_make_a_difference_set(k: int) -> None:
    assert howell_movement(names(k)).balance.quality == pytest.approx(100)


@pytest.mark.parametrize("k", [10, 14, 16, 18])
def test_howell_is_nearly_perfect_elsewhere(k: int) -> None:
    assert howell_movement(names(k)).balance.quality > 80


def test_howell_fills_an_odd_place() -> None:
    movement = howell_movement(names(7), fill_ins=["house", "unused"])
    assert movement.fill_ins == ("house",)
    assert plays(movement.balance.opponents) == {1}
    assert howell_movement(names(7)).fill_ins == ("p00",)
    assert howell_movement(["a"]).seatings(0) == [("a", "a")]
    with pytest.raises(ValueError, match="seats: got 4, allowed: 2"):
        howell_movement(names(8), 4)


@pytest.mark.parametrize(("k", "n"), [(3, 2), (7, 2), (7, 3), (5, 4), (13, 4), (11, 5), (13, 6)])
def test_whist_with_a_prime_number_of_agents_is_perfect(k: int, n: int) -> None:
    movement = whist_movement(names(k), n)
    assert (movement.num_rounds, movement.num_boards) == (k, k)
    b = movement.balance
    assert plays(b.seats) == {k // n}
    assert plays(b.opponents) == {n - 1}
    assert plays(b.left) == {1}
    assert Counter(b.boards["plays"].to_list()) == {0: k, 1: k * (k - 1)}


@pytest.mark.parametrize("k", [8, 12, 16])
def test_whist_proper_partners_everybody_once_and_opposes_everybody_twice(k: int) -> None:
    movement = whist_movement(names(k), 4)
    assert movement.num_rounds == k - 1
    assert plays(movement.balance.opponents) == {3}
    partners: Counter[tuple[str, str]] = Counter()
    for board in range(movement.num_boards):
        for a, b, c, d in movement.seatings(board):
            partners.update([(min(a, c), max(a, c)), (min(b, d), max(b, d))])
    assert partners == dict.fromkeys(itertools.combinations(names(k), 2), 1)
    # Everybody once on each board; seats as even as k - 1 rounds in 4 seats allow, or one off.
    assert plays(movement.balance.boards) == {1}
    seats = plays(movement.balance.seats)
    assert max(seats) - min(seats) <= 2


def test_nine_play_whist_in_the_group_without_carry() -> None:
    b = whist_movement(names(9), 4).balance
    assert (plays(b.seats), plays(b.opponents)) == ({2}, {3})


@pytest.mark.parametrize(("k", "n"), [(6, 4), (7, 4), (8, 6), (9, 5), (2, 2), (3, 3)])
def test_any_number_of_agents_can_play(k: int, n: int) -> None:
    movement = whist_movement(names(k), n, seed=1)
    assert nobody_sits_twice_in_a_round(movement)
    met = plays(movement.balance.opponents)
    assert max(met) - min(met) <= 1
    if k % n:
        assert plays(movement.balance.seats) == {k // n}


def test_whist_is_a_function_of_its_seed() -> None:
    one, two = (whist_movement(names(10), 4, seed=5) for _ in range(2))
    assert one.tables.equals(two.tables)
    with pytest.raises(ValueError, match="seed: got -1"):
        whist_movement(names(8), 4, seed=-1)


def test_whist_fills_one_table() -> None:
    assert whist_movement(names(3), 5, fill_ins=["x"]).fill_ins == ("x",)
    assert whist_movement(names(3), 5).fill_ins == ("p00", "p01")
    assert whist_movement(["a"], 2).seatings(3) == [("a", "a")]


def test_numbers_and_groups() -> None:
    assert [m for m in range(1, 30) if is_prime(m)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert prime_factors(360) == {2, 3, 5}
    assert [primitive_root(p) for p in (2, 3, 5, 7, 23, 41)] == [1, 2, 2, 3, 5, 6]
    assert (addition(6)[4, 5], addition(9)[4, 5], addition(9)[8, 4]) == (3, 6, 0)
    for m in range(1, 28):
        add = addition(m)
        assert (add == add.T).all()
        assert all(len(set(row)) == m for row in add.tolist())
        assert (add[add[1 % m]] == add[1 % m][add]).all()
