"""What the tests of rule-based players share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.game import Game
from loop_envs.policies import Policy, choose_many


def choices(batch: Batch, policy: Policy) -> npt.NDArray[np.int64]:
    """What a policy chooses in each match of a batch."""
    keys = np.arange(batch.num_matches, dtype=np.uint64)
    return choose_many(batch.game, policy, batch.observation, batch.action_mask, keys)


def check_legal(game: Game, policies: Sequence[Policy], seed: int, steps: int = 120) -> None:
    """Steps matches with a mixture of players; every player's choice is checked everywhere."""
    batch = Batch(game, 12)
    batch.reset(seed)
    rng = np.random.default_rng(seed)
    rows = np.arange(12)
    for step in range(steps):
        options = [batch.sample_actions(step)]
        for policy in policies:
            actions = choices(batch, policy)
            assert (actions >= 0).all()
            assert (batch.action_mask[rows, actions] == 1).all(), (policy.name, game)
            options.append(actions)
        batch.step(np.array(options)[rng.integers(len(options), size=12), rows])


def check_repeats(game: Game, policy: Policy) -> None:
    """Choices depend on the match alone, not on the order in which matches are played."""
    seats = np.zeros((40, game.num_players), np.int8)
    points, _, plies = play_matches(game, [policy], seats, 3, np.arange(40))
    points2, _, plies2 = play_matches(game, [policy], seats, 3, np.arange(40)[::-1].copy())
    assert (points == points2[::-1]).all()
    assert (plies == plies2[::-1]).all()


def margin(game: Game, a: Policy, b: Policy, boards: int) -> tuple[float, float]:
    """Mean margin of a's seats per board, and half its 95 % interval."""
    n = game.num_players
    half = np.arange(n) % 2
    patterns = np.array([half, 1 - half, np.roll(half, 1), np.roll(1 - half, 1)], np.int8)
    seating = np.tile(patterns, (boards, 1))
    points, _, _ = play_matches(game, [a, b], seating, 11, np.repeat(np.arange(boards), 4))
    margins = (points - points.mean(axis=1, keepdims=True)) * (seating == 0)
    of_board = margins.reshape(boards, -1).sum(axis=1) / (seating == 0).reshape(boards, -1).sum(
        axis=1
    )
    return float(of_board.mean()), float(1.96 * of_board.std(ddof=1) / np.sqrt(boards))
