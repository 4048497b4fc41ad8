"""`greedy`: takes every card that does not bust, and leaves the next player the least."""

from __future__ import annotations

import numpy as np

from agents.heuristics.loopla.tables import COVERED, VALUES, collection_of, one_of
from agents.heuristics.loopla.tables import TOP as TOP_FIELD
from loop_envs.jit_policies import compile_policy


@compile_policy
def choose_greedy(tables, observation, mask, key):
    """Chooses an action, see `loop_envs.policies.Policy`: the lowest card that may be played, the
    covered card unless it busts, the instruction that allows fewer values."""
    values = np.int64(tables[VALUES])
    if mask[values] != 0:
        covered = one_of(tables, observation, COVERED)
        return values + (collection_of(tables, observation, 0) >> covered & 1)
    if mask[values + 2] != 0:
        top = one_of(tables, observation, TOP_FIELD)
        return values + (2 if 2 * top >= values - 1 else 3)
    for v in range(values):
        if mask[v] != 0:
            return np.int64(v)
    return np.int64(0)
