"""The sampler's weights, in thousandths; found by `agents.heuristics.evolve`."""

from __future__ import annotations

from enum import IntEnum


class W(IntEnum):
    """Names of the weights."""

    JOIN = 0  # chance that a player who is yet to declare comes in
    JOIN_LOOED = 1  # more of it where the pool holds loos
    CHOOSY = 2  # chance that a player who came in had two hands to choose from
    COST = 3  # how much a loo counts
    EDGE = 4  # share of the pool that must be expected, to come in
    KEEP = 5  # ranks below the ace that are kept in an exchange
    MISS = 6  # share of the pool that the Miss must promise more than the own hand


DEFAULT: dict[W, int] = {
    W.JOIN: 742,
    W.JOIN_LOOED: -106,
    W.CHOOSY: 828,
    W.COST: 912,
    W.EDGE: -39,
    W.KEEP: 1168,
    W.MISS: 5,
}


def in_order(changes: dict[W, int] | None = None) -> list[int]:
    """All weights as the tables hold them.

    Args:
        changes: Weights that differ from `DEFAULT`.
    """
    chosen = DEFAULT | (changes or {})
    return [chosen[name] for name in W]
