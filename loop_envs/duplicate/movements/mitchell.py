"""Mitchell movements: lines of agents that move past each other and past the boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loop_envs.duplicate.movements.movement import Movement, check_agents, fill, movement


def mitchell_movement(
    agents: Sequence[str], n: int = 2, *, fill_ins: Sequence[str] = (), switches: int = 0
) -> Movement:
    """A Mitchell movement: t tables, rounds and boards, everybody plays every board once.

    Each seat has a line of t agents. After a round the line of seat s moves up s tables and
    the boards move down one, so that agents of different lines meet exactly once (with two seats,
    John T. Mitchell, "Duplicate Whist", 1891). With two seats and an even number of tables, the
    first and the last table share boards and a set waits on a stand half-way (relay and
    bye-stand). More seats need a number of tables without a prime factor up to n.

    Lines keep their seats, so agents of one line compete with each other only. A round that is
    switched turns all its tables by one seat (an arrow switch; with n > 2, by one more seat in
    each switched round, never back to the first): about one switch in eight rounds balances
    competition between the lines best.

    Args:
        agents: Names of the agents, all different; the first n start at the first table.
        n: Number of seats, at least 2.
        fill_ins: Names of those who take the last places, in turn, if n does not divide the
            number of agents; none lets the agents take a second place in turn.
        switches: How many rounds are switched, the last ones; 0 to the number of rounds.

    Raises:
        ValueError: If agents, n, fill-ins or switches are refused, or n > 2 and the number of
            tables does not allow a movement.
    """
    check_agents(agents, n, fill_ins)
    t = -(-len(agents) // n)
    if n > 2 and any(t % factor == 0 for factor in range(2, n + 1)):
        raise ValueError(
            f"{len(agents)} agents make {t} tables of {n}, allowed: a number of tables that no "
            f"number from 2 to {n} divides"
        )
    if not 0 <= switches <= t:
        raise ValueError(f"switches: got {switches}, allowed: 0 to {t}")
    filled = fill(agents, n * t, fill_ins)
    rounds, tables = (x.reshape(-1) for x in np.indices((t, t), np.int64))
    lines = np.arange(n)
    # By line, as its agents start: who has moved to the table by this round.
    who = (tables[:, None] - lines * rounds[:, None]) % t * n + lines
    switched = rounds - (t - switches)
    turn = np.where(switched < 0, 0, 1 + switched % (n - 1))
    who = np.take_along_axis(who, (lines - turn[:, None]) % n, axis=1)
    stand = (tables >= t // 2).astype(np.int64) if n == 2 and t % 2 == 0 else 0
    places = (rounds, tables, (tables + stand + rounds) % t)
    return movement("mitchell", agents, filled, [*agents, *filled], who, places)
