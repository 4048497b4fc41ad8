"""Movements of one table: line-ups of n agents, each with its own seatings of the same boards.

With at least as many agents as seats, every n of them are a line-up. With fewer, the seats left
over are filled; see `line_ups`. Each line-up is a table of its own: its number is the table's,
and its seatings follow each other as rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from loop_envs.duplicate.movements.movement import (
    Integers,
    Movement,
    check_agents,
    fill,
    movement,
)
from loop_envs.duplicate.movements.seatings import (
    circular_orders,
    cyclic,
    latin_square,
    permutations,
    williams,
    zigzag,
)

MAX_TABLES = 1_000_000
"""More tables than these are refused: they would fill the memory."""


def line_ups(agents: Sequence[str], n: int, fill_ins: Sequence[str] = ()) -> list[tuple[str, ...]]:
    """The line-ups of n seats.

    With n agents or more: every n of them, in their order. With fewer and with fill-ins: all
    agents, and the fill-ins in turn, spread out between them. With fewer and without fill-ins:
    every way to let the agents fill the table themselves, each as often as the next or once
    more; the agents with one seat more are spread out.

    Raises:
        ValueError: If agents, n or fill-ins are refused (see `check_agents`), or there are
            too many line-ups.
    """
    check_agents(agents, n, fill_ins)
    k = len(agents)
    if k >= n:
        _check_number(math.comb(k, n))
        return list(combinations(agents, n))
    if fill_ins:
        return [_spread([[agent] for agent in agents], fill(agents, n, fill_ins))]
    copies, extra = divmod(n, k)
    if not extra:
        return [tuple(agents) * copies]
    return [
        _spread([more] * (copies + 1), [a for a in agents if a not in more] * copies)
        for more in combinations(agents, extra)
    ]


def permutation_movement(
    agents: Sequence[str], n: int, *, fill_ins: Sequence[str] = ()
) -> Movement:
    """Every line-up in all its seatings: n! tables for each, and everything is balanced.

    Args:
        agents: Names of the agents, all different.
        n: Number of seats, at least 2.
        fill_ins: Names of those who fill seats if there are fewer agents than seats; none lets
            the agents fill them (see `line_ups`). The same in all movements of one table.

    Raises:
        ValueError: If agents, n or fill-ins are refused, or there are too many tables.
    """
    check_agents(agents, n, fill_ins)
    _check_number(math.comb(max(len(agents), n), n) * math.factorial(n))
    return _movement("permutations", agents, n, fill_ins, permutations(n)[None])


def cyclic_movement(agents: Sequence[str], n: int, *, fill_ins: Sequence[str] = ()) -> Movement:
    """Every line-up in its n rotations: seats and opponents are balanced, neighbours never change.

    Args and errors: see `permutation_movement`.
    """
    check_agents(agents, n, fill_ins)
    return _movement("cyclic", agents, n, fill_ins, cyclic(n)[None])


def circular_movement(agents: Sequence[str], n: int, *, fill_ins: Sequence[str] = ()) -> Movement:
    """Every line-up in each of its (n - 1)! circular orders: neighbours are balanced.

    Seats are balanced over n boards: each order is turned by one seat from a board to the next,
    and the orders of one board are turned by different numbers of seats.

    Args and errors: see `permutation_movement`.
    """
    check_agents(agents, n, fill_ins)
    _check_number(math.comb(max(len(agents), n), n) * math.factorial(n))
    orders = circular_orders(n)
    turn = np.arange(n)[:, None] + np.arange(len(orders))[None, :]
    seats = (np.arange(n) - turn[:, :, None]) % n
    rows = np.take_along_axis(np.broadcast_to(orders, seats.shape), seats, axis=2)
    return _movement("circular", agents, n, fill_ins, rows)


def williams_movement(agents: Sequence[str], n: int, *, fill_ins: Sequence[str] = ()) -> Movement:
    """Every line-up in a Williams square (two if n is odd), see `williams`.

    n or 2n tables for each line-up, with everybody in every seat equally often, and neighbours
    that are balanced but for the step from the last seat to the first.

    Args and errors: see `permutation_movement`.
    """
    check_agents(agents, n, fill_ins)
    return _movement("williams", agents, n, fill_ins, williams(n)[None])


def latin_movement(
    agents: Sequence[str],
    n: int,
    *,
    fill_ins: Sequence[str] = (),
    num_boards: int = 1,
    seed: int = 0,
) -> Movement:
    """A random Latin square for each board: everybody plays it once in every seat.

    k ≥ n agents play n columns of a square of order k, which makes k tables for a board instead
    of the many of all line-ups; who meets whom, and on which side, is balanced only on average
    over boards. Fewer agents fill line-ups first.

    Args:
        agents: Names of the agents, all different.
        n: Number of seats, at least 2.
        fill_ins: See `permutation_movement`.
        num_boards: Number of boards with squares of their own, at least 1.
        seed: Seed of the squares, at least 0.

    Raises:
        ValueError: If agents, n, fill-ins, seed or number of boards are refused.
    """
    check_agents(agents, n, fill_ins)
    if num_boards < 1 or seed < 0:
        raise ValueError(f"got {num_boards} boards and seed {seed}, allowed: ≥ 1 and ≥ 0")
    _check_number(num_boards * max(len(agents), n))
    k = max(len(agents), n)
    seeds = np.random.SeedSequence(seed).generate_state(num_boards, np.uint64).tolist()
    rows = np.stack([latin_square(k, int(s))[:, :n] for s in seeds])
    return _movement("latin", agents, n, fill_ins, rows, one_lineup=len(agents) >= n)


def travelling_movement(
    agents: Sequence[str], n: int, *, fill_ins: Sequence[str] = (), balanced: bool = False
) -> Movement:
    """Loop's own movement: players stay, hands and score sheets travel around the table.

    A seat of this movement is a hand, numbered by its first holder: in round r hand b is played
    by player ``(b + r) mod n`` of the line-up. Seats, opponents and boards are balanced, but the
    circular order stays, and everybody inherits every hand from the same neighbour.

    Args:
        agents: Names of the agents, all different.
        n: Number of seats, at least 2.
        fill_ins: See `permutation_movement`.
        balanced: Instead of always moving to the left neighbour, hands move by the steps of a
            Williams square, so that everybody inherits equally often from everybody else; if n
            is odd, on two boards together.

    Raises:
        ValueError: If agents, n or fill-ins are refused.
    """
    check_agents(agents, n, fill_ins)
    steps = [np.arange(n)]
    if balanced:
        steps = [zigzag(n)] if n % 2 == 0 else [zigzag(n), zigzag(n)[::-1]]
    rows = (np.stack(steps)[:, :, None] + np.arange(n)) % n
    return _movement("travelling", agents, n, fill_ins, rows)


def _movement(
    name: str,
    agents: Sequence[str],
    n: int,
    fill_ins: Sequence[str],
    rows: Integers,
    one_lineup: bool = False,
) -> Movement:
    """Every line-up in given seatings, [boards, rows, n]; or all agents as one line-up."""
    groups = [tuple(agents)] if one_lineup else line_ups(agents, n, fill_ins)
    _check_number(len(groups) * rows.shape[0] * rows.shape[1])
    names = list(dict.fromkeys(name for group in groups for name in group))
    number = {name: i for i, name in enumerate(names)}
    seatings, places = [], []
    for table, group in enumerate(groups):
        codes = np.array([number[name] for name in group], np.int64)
        first = 0
        for board, seats in enumerate(codes[rows]):
            distinct = seats if len(set(group)) == len(group) else _distinct(seats)
            rounds = first + np.arange(len(distinct), dtype=np.int64)
            first += len(distinct)
            seatings.append(distinct)
            places.append((rounds, np.full_like(rounds, table), np.full_like(rounds, board)))
    filled: Sequence[str] = ()
    if len(agents) < n:
        filled = fill(agents, n, fill_ins) if fill_ins else agents
    columns = [np.concatenate(column) for column in zip(*places, strict=True)]
    return movement(
        name, agents, filled, names, np.concatenate(seatings), (columns[0], columns[1], columns[2])
    )


def _distinct(seats: Integers) -> Integers:
    """Seatings that repeat because agents do, thinned out evenly, in order of appearance."""
    _, first, counts = np.unique(seats, axis=0, return_index=True, return_counts=True)
    copies = counts // np.gcd.reduce(counts)
    return seats[np.sort(np.repeat(first, copies))]


def _spread(groups: Sequence[Sequence[str]], rest: Sequence[str]) -> tuple[str, ...]:
    """Groups in order, each followed by its share of the rest."""
    result: list[str] = []
    for i, group in enumerate(groups):
        first, last = (-(-len(rest) * j // len(groups)) for j in (i, i + 1))
        result += [*group, *rest[first:last]]
    return tuple(result)


def _check_number(tables: int) -> None:
    if tables > MAX_TABLES:
        raise ValueError(f"{tables} tables would be needed, allowed: at most {MAX_TABLES}")
