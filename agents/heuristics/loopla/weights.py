"""The card counter's weights, in thousandths; found by `agents.heuristics.evolve`."""

from __future__ import annotations

from enum import IntEnum


class W(IntEnum):
    """Names of the weights. Worths are counted in points."""

    ALONE = 0  # worth of being the last in the round, besides the own collection
    FUTURE = 1  # what a player who goes on will still collect
    FALL = 2  # worth of an opponent's fall, times what that opponent loses
    FEED = 3  # cost of a card that an opponent may pick up, times its value
    HARD = 4  # how much the harder instruction counts in a guess of what will come
    SOVEREIGN = 5  # how often a Sovereign will come, times the share of unseen ones
    ROOM = 6  # worth of each value in hand
    JOKER = 7  # worth of each joker in hand
    TOP = 8  # worth of each Sovereign in hand
    LOW = 9  # worth of each Rebel in hand
    EMPTY = 10  # worth of the end of the round by the last card, besides its bonus
    NEAR = 11  # worth of being near the last card, times the share of the hand played


DEFAULT: dict[W, int] = {
    W.ALONE: 339,
    W.FUTURE: 1379,
    W.FALL: 45,
    W.FEED: 89,
    W.HARD: 775,
    W.SOVEREIGN: 4461,
    W.ROOM: 807,
    W.JOKER: 1075,
    W.TOP: 1541,
    W.LOW: 459,
    W.EMPTY: 206,
    W.NEAR: 782,
}


def in_order(changes: dict[W, int] | None = None) -> list[int]:
    """All weights as the tables hold them.

    Args:
        changes: Weights that differ from `DEFAULT`.
    """
    chosen = DEFAULT | (changes or {})
    return [chosen[name] for name in W]
