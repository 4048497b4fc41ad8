"""The battery that every game must pass; import it to check a game of your own.

```python
from loop_envs import load_game
from loop_envs.testing import run_battery

run_battery(load_game("loop_boards-v0", num_players=5))
```

Every check raises AssertionError with what was found. None needs more than a registered game.
"""

from loop_envs.game import Game
from loop_envs.testing.adapters import (
    check_aec_matches_game,
    check_batch_independence,
    check_copies,
    check_rewards,
    check_seat_env,
)
from loop_envs.testing.rules import (
    check_actions,
    check_illegal_actions,
    check_masks_and_observations,
    check_records,
    check_resample,
    check_states,
)
from loop_envs.testing.tree import TreeSize, count_states

CHECKS = (
    check_actions,
    check_masks_and_observations,
    check_states,
    check_illegal_actions,
    check_resample,
    check_records,
    check_rewards,
    check_batch_independence,
    check_aec_matches_game,
    check_copies,
    check_seat_env,
)
"""All checks, each called with a game."""


def run_battery(game: Game, seed: int = 0) -> None:
    """Runs every check on a game under its options.

    Args:
        game: A `loop_envs.game.Game`.
        seed: Seed of the matches that are played.

    Raises:
        AssertionError: With the first thing that is wrong.
    """
    for check in CHECKS:
        check(game, seed)


__all__ = [
    "CHECKS",
    "TreeSize",
    "count_states",
    "run_battery",
    *(check.__name__ for check in CHECKS),
]
