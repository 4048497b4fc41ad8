"""The choice of a policy with a handicap; `handicap.py` loads it once for every inner policy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loop_envs.handicap import forbid_actions, hide_fields
from loop_envs.policies import choose_random

inner_choose = choose_random


def decide(
    tables: npt.NDArray[np.int32],
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    key: np.uint64,
) -> int:
    """The inner policy's action for what is left of observation and mask."""
    seen = observation.copy()
    hide_fields(tables, seen)
    allowed = mask.copy()
    forbid_actions(tables, allowed)
    return inner_choose(tables[tables[0] :], seen, allowed, key)


def choose(
    tables: npt.NDArray[np.int32],
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    key: np.uint64,
) -> int:
    """Chooses an action; the spans of `handicap_spans` come before the inner policy's tables."""
    return decide(tables, observation, mask, key)
