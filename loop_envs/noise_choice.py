"""The choice of a policy with noise; `noise.py` loads this module once for every inner policy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loop_envs.noise import noise_action
from loop_envs.policies import choose_random

inner_choose = choose_random


def choose(
    tables: npt.NDArray[np.int32],
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    key: np.uint64,
) -> int:
    """The inner policy's action, or noise; the share comes before the inner policy's tables."""
    action = noise_action(tables[0], mask, key)
    if action >= 0:
        return action
    return inner_choose(tables[1:], observation, mask, key)
