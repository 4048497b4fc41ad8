"""Whole matches between compiled policies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loop_envs.deals import check_boards, check_seed
from loop_envs.errors import OptionError
from loop_envs.game import Game
from loop_envs.kernels import MAX_POLICIES
from loop_envs.policies import Policy, policy_arguments


def check_seating(
    game: Game, policies: Sequence[Policy], seating: npt.ArrayLike | None, matches: int
) -> npt.NDArray[np.int8]:
    """Validates policies and their seats; returns int8 [matches, n]."""
    if not 1 <= len(policies) <= MAX_POLICIES:
        raise OptionError(f"policies: got {len(policies)}, allowed: 1 to {MAX_POLICIES}")
    for policy in policies:
        if not isinstance(policy, Policy):
            raise OptionError(f"policies: got {policy!r}, allowed: compiled policies")
        if policy.games and game.rules.name not in policy.games:
            raise OptionError(
                f"policy {policy.name!r} plays {', '.join(policy.games)}, not {game.rules.name}"
            )
    shape = (matches, game.num_players)
    seats = np.zeros(shape, np.int8) if seating is None else np.asarray(seating)
    if seats.shape != shape or seats.dtype.kind not in "iu":
        raise OptionError(
            f"seating must be integers of shape {shape}, got {seats.dtype} {seats.shape}"
        )
    if seats.size and (seats.min() < 0 or seats.max() >= len(policies)):
        raise OptionError(f"seating must name policies 0..{len(policies) - 1}")
    return np.ascontiguousarray(seats, np.int8)


def play_matches(
    game: Game,
    policies: Sequence[Policy],
    seating: npt.ArrayLike,
    seed: int,
    boards: npt.ArrayLike,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Plays whole matches between compiled policies in one compiled loop.

    Args:
        game: The rules.
        policies: 1 to 8 compiled policies.
        seating: Index of each player's policy, integers [M, n].
        seed: Seed of all matches.
        boards: Board of each match, integers [M].

    Returns:
        points int32 [M, n]; places int8 [M, n], 0 best; number of decisions int32 [M].
    """
    numbers = check_boards(boards)
    seats = check_seating(game, policies, seating, len(numbers))
    points = np.zeros((len(numbers), game.num_players), np.int32)
    places = np.zeros((len(numbers), game.num_players), np.int8)
    plies = np.zeros(len(numbers), np.int32)
    states = game.empty_states(1)
    states["variant"] = game.variant
    game.kernels.with_policies(
        "play", *policy_arguments(game, policies), seats, game.record, game.tables, states,
        states.view(np.ndarray).view(np.uint8).reshape(1, -1), check_seed(seed), numbers,
        0, len(numbers), np.zeros(game.layout.size, np.int8), np.zeros(game.num_actions, np.int8),
        points, places, plies, game.kernels.new_scratch(),
    )  # fmt: skip
    return points, places, plies
