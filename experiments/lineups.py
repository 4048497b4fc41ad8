"""Line-ups: which agents meet, and the seatings in which each line-up plays a board.

A line-up is a tuple of agent names in seat order, the same name as often as the agent plays. Its
seatings are its distinct cyclic rotations, so each of its agents sits in every seat equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from loop_envs.duplicate.movements import cyclic, line_ups

Lineup = tuple[str, ...]


def lineups(
    agents: Sequence[str], n: int, mode: str | Sequence[Sequence[str]] = "all"
) -> list[Lineup]:
    """The line-ups of a tournament.

    Args:
        agents: Names, all different, at least 2.
        n: Number of seats, at least 2.
        mode: "all": every set of n agents, or, with fewer agents than seats, every way to fill
            the seats in which all agents play and their numbers of seats differ by at most one.
            "pairs": every two agents by themselves, seated in turn, with equal numbers of seats
            (if n is odd, once with each in the majority). Or a list of line-ups.

    Raises:
        ValueError: If names repeat or are too few, the mode is unknown, or a given line-up has
            the wrong length, an unknown name, or is another one rotated.
    """
    if len(set(agents)) != len(agents):
        raise ValueError(f"agents must have different names, got {list(agents)}")
    if len(agents) < 2 or n < 2:
        raise ValueError(f"at least 2 agents and 2 seats are needed, got {len(agents)} and {n}")
    if not isinstance(mode, str):
        return _given(agents, n, mode)
    if mode == "all":
        return line_ups(agents, n)
    if mode == "pairs":
        return [lineup for pair in combinations(agents, 2) for lineup in line_ups(pair, n)]
    raise ValueError(f'got {mode!r}, allowed: "all", "pairs", or a list of line-ups')


def rotations(lineup: Sequence[str]) -> list[Lineup]:
    """The distinct cyclic seatings of a line-up; by position, who sits there."""
    seatings = [tuple(lineup[i] for i in row) for row in cyclic(len(lineup)).tolist()]
    return list(dict.fromkeys(seatings))


def label(lineup: Sequence[str]) -> str:
    """A line-up as text; names contain no blanks."""
    return " ".join(lineup)


def _given(agents: Sequence[str], n: int, given: Sequence[Sequence[str]]) -> list[Lineup]:
    if not given:
        raise ValueError("an empty list of line-ups")
    result: list[Lineup] = []
    seen: dict[Lineup, int] = {}
    for i, names in enumerate(given):
        lineup = tuple(names)
        unknown = [name for name in lineup if name not in agents]
        if unknown:
            raise ValueError(
                f"line-up {i}: no agent {unknown[0]!r} takes part; agents: {', '.join(agents)}"
            )
        if len(lineup) != n:
            raise ValueError(f"line-up {i}: {len(lineup)} agents, allowed: {n}, one for each seat")
        if lineup in seen:
            raise ValueError(f"line-up {i}: the same as line-up {seen[lineup]}, rotated")
        seen |= dict.fromkeys(rotations(lineup), i)
        result.append(lineup)
    idle = [name for name in agents if not any(name in lineup for lineup in result)]
    if idle:
        raise ValueError(f"agent {idle[0]!r} sits in no line-up")
    return result
