"""Howell movements: everybody meets everybody else once, on boards that all play once.

One player, written ∞, stays; the others are the residues modulo m, an odd number, and all move
by one from round to round. So the first round says it all: its pairs, a *starter*, in which every
difference occurs once, the boards they play, and who sits where.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from loop_envs.duplicate.movements.groups import is_prime, primitive_root
from loop_envs.duplicate.movements.movement import Movement, check_agents, fill, movement

# First, second and board: the only odd order above 5 without a strong starter is 9.
_NINE = [(1, 4, 2), (2, 6, 5), (3, 5, 7), (7, 8, 4)]
_STARTERS = 4
_TURNS = 24
"""How many starters are tried for the best balance, and ways to turn the tables of each."""

Pairs = list[tuple[int, int, int]]


def howell_movement(agents: Sequence[str], n: int = 2, *, fill_ins: Sequence[str] = ()) -> Movement:
    """A complete Howell movement: 2t agents or pairs, t tables, 2t - 1 rounds and boards.

    Every two meet exactly once, and everybody plays every board once. Tables of a round play
    different boards, except that 4 and 6 agents, for which this is impossible, all play the same
    one. Who sits in which seat is chosen so that everybody competes with everybody else as
    equally as can be found; perfectly so if 2t - 1 is a prime number that leaves 3 when divided
    by 4.

    From a strong starter, in which no sum of a pair repeats or is 0, the pair with sum c plays
    board c of the first round (R. C. Mullin and E. Nemeth, "An existence theorem for Room
    squares", 1969, who also give those for the primes above). Others are found by the hill
    climbing of J. H. Dinitz and D. R. Stinson, "A fast algorithm for finding strong starters",
    1981.

    Args:
        agents: Names of the agents or pairs, all different. The last one, or a fill-in, stays in
            its place.
        n: Number of seats, 2.
        fill_ins: Names; the first takes the place that an odd number of agents leaves empty.
            None lets the first agent take it too.

    Raises:
        ValueError: If agents or fill-ins are refused, or n is not 2.
    """
    check_agents(agents, n, fill_ins)
    if n != 2:
        raise ValueError(f"seats: got {n}, allowed: 2")
    size = max(2, len(agents) + len(agents) % 2)
    filled = fill(agents, size, fill_ins)
    m = size - 1
    first = np.array(_first_round(m), np.int64).reshape(-1, 3)
    rounds, tables = (x.reshape(-1) for x in np.indices((m, size // 2), np.int64))
    pairs = np.concatenate([[[0, 0, 0]], first])[tables]
    who = (pairs[:, :2] + rounds[:, None]) % m
    who[tables == 0, 0] = m
    places = (rounds, tables, (pairs[:, 2] + rounds) % m)
    return movement("howell", agents, filled, [*agents, *filled], who, places)


@cache
def _first_round(m: int) -> Pairs:
    """Pairs of the first round but for (∞, 0) on board 0: who sits first, second, and the board."""
    if m < 7:
        return _oriented([(i, m - i, 0) for i in range(1, (m + 1) // 2)], m, random.Random(0))[1]
    if m % 4 == 3 and is_prime(m):
        root = primitive_root(m)
        powers = [pow(root, i, m) for i in range(m - 1)]
        pairs = list(zip(powers[::2], powers[1::2], strict=True))
        # The squares mod m are the first seats' places on a board: a difference set (Paley).
        return [(x, y, (x + y) % m) for x, y in pairs]
    rng = random.Random(m)
    starters = (_NINE if m == 9 else _strong_starter(m, rng) for _ in range(_STARTERS))
    return min((_oriented(starter, m, rng) for starter in starters), key=lambda found: found[0])[1]


def _strong_starter(m: int, rng: random.Random) -> Pairs:
    """Adds pairs with a missing difference, and drops at most one that is in the way of it."""
    while True:
        pairs: dict[int, tuple[int, int]] = {}  # by difference
        by_value, by_sum = [0] * m, [0] * m  # the difference of the pair that uses it, 0 none
        missing = list(range(1, (m + 1) // 2))
        for _ in range(60 * m * m):
            if not missing:
                return [(x, y, (x + y) % m) for x, y in pairs.values()]
            at, x = rng.randrange(len(missing)), rng.randrange(1, m)
            d = missing[at]
            y = (x + rng.choice((d, -d))) % m
            total = (x + y) % m
            blocking = {by_value[y], by_sum[total]} - {0}
            if by_value[x] or y == 0 or total == 0 or len(blocking) > 1:
                continue
            missing.pop(at)
            for other in blocking:
                a, b = pairs.pop(other)
                by_value[a] = by_value[b] = by_sum[(a + b) % m] = 0
                missing.append(other)
            pairs[d] = (x, y)
            by_value[x] = by_value[y] = by_sum[total] = d


def _oriented(pairs: Pairs, m: int, rng: random.Random) -> tuple[int, Pairs]:
    """Seats the pairs so that all compete as equally as can be; and how unequally they still do.

    Player p sits on board b according to p - b alone. With a sign by that difference, 1 for the
    first seat, two players compete as much as the signs agree when shifted by what they differ:
    the sum of squares of these autocorrelations is brought to a minimum by turning tables.
    """
    spots = np.array([((x - c) % m, (y - c) % m) for x, y, c in pairs], np.int64).reshape(-1, 2)
    best: tuple[int, npt.NDArray[np.int64]] | None = None
    for _ in range(_TURNS):
        signs = np.full(m, -1, np.int64)  # at 0 sits the partner of the one who stays
        signs[spots[:, 0]] = [rng.choice((-1, 1)) for _ in pairs]
        signs[spots[:, 1]] = -signs[spots[:, 0]]
        least, improved = _unequal(signs), True
        while improved:
            improved = False
            for spot in spots:
                signs[spot] *= -1
                if (now := _unequal(signs)) < least:
                    least, improved = now, True
                else:
                    signs[spot] *= -1
        if best is None or least < best[0]:
            best = least, signs
    assert best is not None
    first = best[1][spots[:, 0]] == 1
    seated = zip(pairs, first, strict=True)
    return best[0], [(x, y, c) if ahead else (y, x, c) for (x, y, c), ahead in seated]


def _unequal(signs: npt.NDArray[np.int64]) -> int:
    """The sum of squares of the autocorrelations; the spectrum has them all (Parseval)."""
    power = np.abs(np.fft.fft(signs)) ** 2
    return round(float((power**2).sum()) / len(signs))
