"""Abelian groups whose elements are numbered, to develop movements from their first round."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def is_prime(m: int) -> bool:
    """Whether m is a prime number."""
    return prime_factors(m) == {m}


def prime_factors(m: int) -> set[int]:
    """The different prime factors of m ≥ 1."""
    found, factor = set(), 2
    while factor * factor <= m:
        while m % factor == 0:
            found.add(factor)
            m //= factor
        factor += 1
    return found | {m} - {1}


def primitive_root(p: int) -> int:
    """The least number whose powers are all residues of the prime p but 0."""
    factors = prime_factors(p - 1)
    return next(g for g in range(1, p) if all(pow(g, (p - 1) // f, p) != 1 for f in factors))


def addition(m: int) -> Integers:
    """Addition of an Abelian group of order m, int64 [m, m], with 0 as its neutral element.

    The integers mod m; or, if m is a power of an odd prime p, its digits in base p added without
    carry, in which more designs exist.
    """
    factors = prime_factors(m)
    base = min(factors) if len(factors) == 1 and m % 2 else m
    numbers, place = np.arange(m, dtype=np.int64), 1
    table = np.zeros((m, m), np.int64)
    while place < m:
        digit = numbers // place % base
        table += (digit[:, None] + digit[None, :]) % base * place
        place *= base
    return table
