"""Arguments that the adapters share: reward modes and the options of `reset`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from loop_envs.deals import check_board
from loop_envs.errors import OptionError

REWARDS: dict[str, int] = {"margin": 0, "points": 1, "win": 2, "place": 3}
"""Number of each reward mode in the compiled loops.

* ``margin``: points as they are earned, minus the mean over players: every step sums to zero.
* ``points``: points as they are earned.
* ``win``: at the end, +1 shared by the winners and -1 shared by the others.
* ``place``: at the end, best +1 … worst -1 in equal steps, ties averaged.
"""


def reward_mode(name: str) -> int:
    """Number of a reward mode.

    Raises:
        OptionError: If there is no such mode.
    """
    if not isinstance(name, str) or name not in REWARDS:
        raise OptionError(f"option 'reward': got {name!r}, allowed: {', '.join(REWARDS)}")
    return REWARDS[name]


def check_choice(option: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raises `OptionError` unless the value is one of those allowed."""
    if value not in allowed:
        raise OptionError(
            f"option {option!r}: got {value!r}, allowed: {', '.join(map(str, allowed))}"
        )


def board_option(options: dict[str, Any] | None) -> int | None:
    """The board that the options of `reset` ask for, or None.

    Other keys have no effect, as PettingZoo and Gymnasium want it, but are warned of.

    Raises:
        SeedError: If the board is no integer from 0 to 2^63-1.
    """
    options = options or {}
    unknown = sorted(str(key) for key in options if key != "board")
    if unknown:
        warnings.warn(f"reset options {unknown} have no effect; known: 'board'", stacklevel=3)
    return check_board(options["board"]) if "board" in options else None


def check_positive(option: str, value: object) -> None:
    """Raises `OptionError` unless the value is an integer of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise OptionError(f"option {option!r}: got {value!r}, allowed: an integer ≥ 1")
