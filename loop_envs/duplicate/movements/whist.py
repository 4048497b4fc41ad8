"""Individual movements like those of whist: everybody meets everybody equally often."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from loop_envs.duplicate.movements.groups import addition, is_prime, primitive_root
from loop_envs.duplicate.movements.movement import (
    Integers,
    Movement,
    check_agents,
    fill,
    movement,
)

_STEPS = 1000
_TRIALS = 96
_PATIENCE = 30
"""The search for a first round: steps, swaps tried in each, steps without success."""


def whist_movement(
    agents: Sequence[str], n: int, *, fill_ins: Sequence[str] = (), seed: int = 0
) -> Movement:
    """An individual movement: in each round all sit at tables of n, with new company.

    A round has as many tables as k agents fill, and a board that all its tables play; those
    whom n does not divide sit out in turn. If n divides k there are k - 1 rounds, the last agent
    stays at its table, and all tables move around it; else there are k rounds.

    Ideally every two agents meet n - 1 times, and equally often at every distance around the
    table; with n = 4 that makes them opposite once, as in a whist tournament (E. H. Moore,
    "Tactical memoranda", 1896). It is reached for k = tn + 1 prime, where tables are cosets of
    the n-th roots of 1 and everybody also has everybody else once at the left hand. Other first
    rounds come from a seeded search by swaps; the movement's balance says how good they are.
    Without an agent that stays, everybody sits in every seat equally often.

    Args:
        agents: Names of the agents, all different.
        n: Number of seats, at least 2.
        fill_ins: Names of those who fill seats if there are fewer agents than seats, in turn;
            none lets the agents take second places in turn.
        seed: Seed of the search, at least 0.

    Raises:
        ValueError: If agents, n, fill-ins or seed are refused.
    """
    check_agents(agents, n, fill_ins)
    if seed < 0:
        raise ValueError(f"seed: got {seed}, allowed: an integer ≥ 0")
    filled = fill(agents, n, fill_ins)
    k = len(agents) + len(filled)

    first = _first_round(n, k, seed)
    m, (t, _) = k - (k % n == 0), first.shape
    moved = addition(m)[np.arange(m)[:, None, None], np.where(first < m, first, 0)]
    who = np.where(first < m, moved, first)
    if k % n == 0:
        who[:, 0] = _turned(who[:, 0], k)
    rounds, tables = (x.reshape(-1) for x in np.indices((m, t), np.int64))
    places = (rounds, tables, rounds)
    return movement("whist", agents, filled, [*agents, *filled], who.reshape(-1, n), places)


def _turned(tables: Integers, k: int) -> Integers:
    """Turns the table of the agent that stays, so that seats are shared as evenly as can be."""
    n = tables.shape[1]
    turns = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n
    sits = np.zeros((k, n), np.int64)
    result = np.empty_like(tables)
    for r, table in enumerate(tables):
        seated = table[turns]
        # The one with the most to catch up; the agent that stays sits there in every round.
        cost = (2 * sits[seated, np.arange(n)] + 1).sum(axis=1)
        result[r] = seated[cost.argmin()]
        sits[result[r], np.arange(n)] += 1
    return result


@cache
def _first_round(n: int, k: int, seed: int) -> Integers:
    """Tables of the first round, int64 [tables, n]: elements of the group, or k - 1 who stays."""
    t = k // n
    if k % n == 1 and is_prime(k):
        root = primitive_root(k)
        powers = np.array([pow(root, i, k) for i in range(k - 1)], np.int64)
        cosets: Integers = powers.reshape(n, t).T
        return cosets
    m = k - (k % n == 0)
    slots = np.arange(t * n)[t * n - min(t * n, m) :]
    subtract = np.argsort(addition(m), axis=1).T
    rng = np.random.default_rng([seed, n, k])

    def rows(orders: Integers) -> Integers:
        tables = np.full((len(orders), t * n), k - 1, np.int64)
        tables[:, slots] = orders[:, : len(slots)]
        return tables.reshape(len(orders), t, n)

    order = rng.permutation(m)
    cost = _unevenness(rows(order[None]), m, subtract)[0]
    best, least, failures = order, cost, 0
    trials = np.arange(_TRIALS)
    for _ in range(_STEPS if m > 1 else 0):
        i = rng.integers(len(slots), size=_TRIALS)
        j = (i + rng.integers(1, m, size=_TRIALS)) % m
        swapped = np.repeat(order[None], _TRIALS, axis=0)
        swapped[trials, i], swapped[trials, j] = order[j], order[i]
        costs = _unevenness(rows(swapped), m, subtract)
        choice = int(costs.argmin())
        failures = 0 if costs[choice] < cost else failures + 1
        if costs[choice] <= cost:
            order, cost = swapped[choice], costs[choice]
        if cost < least:
            best, least = order, cost
        if failures > _PATIENCE:
            order, failures = best if rng.random() < 0.5 else rng.permutation(m), 0
            order = order.copy()
            shaken = rng.choice(m, min(m, 6), replace=False)
            order[shaken] = order[rng.permutation(shaken)]
            cost = _unevenness(rows(order[None]), m, subtract)[0]
    first: Integers = rows(best[None])[0]
    return first


def _unevenness(tables: Integers, m: int, subtract: Integers) -> npt.NDArray[np.int64]:
    """How unevenly differences occur, by arrangement [trials, tables, n]; less is better.

    Developed through the group, a difference within a table becomes every pair that differs by
    it. The sums of squares count meetings most, then those at each distance around the table,
    then who is at whose left hand; the one who stays meets everybody equally often anyway.
    """
    trials, _, n = tables.shape
    base = np.arange(trials)[:, None, None] * m
    opposite = subtract[0]
    meetings = np.zeros((trials, m), np.int64)
    cost = np.zeros(trials, np.int64)
    for distance in range(1, n // 2 + 1):
        other = np.roll(tables, -distance, axis=2)
        both = (tables[0] < m) & (other[0] < m)
        differences = base + subtract[np.where(both, other, 0), np.where(both, tables, 0)]
        counts = np.bincount(differences[:, both].reshape(-1), minlength=trials * m)
        counts = counts.reshape(trials, m)
        if distance == 1:
            cost += (counts**2).sum(axis=1)
        if 2 * distance != n:
            counts = counts + counts[:, opposite]
        meetings += counts
        cost += 2 * (counts**2).sum(axis=1)
    cost += 4 * (meetings**2).sum(axis=1)
    return cost
