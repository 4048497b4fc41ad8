"""Whole matches between compiled policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    game.kernels.with_policies(
        "play", *policy_arguments(game, policies), seats, *_own(game), check_seed(seed), numbers,
        0, len(numbers), *_rows(game), points, places, plies, game.kernels.new_scratch(),
    )  # fmt: skip
    return points, places, plies


def play_rounds(
    game: Game,
    policies: Sequence[Policy],
    seating: npt.ArrayLike,
    seed: int,
    boards: npt.ArrayLike,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Plays whole matches, as `play_matches`, and keeps their states at the end of every round.

    A state is the one in which a round, or a deal, has just been scored and the next one has not
    been dealt yet; the last one of a match is its final state.

    Args:
        game: The rules.
        policies: 1 to 8 compiled policies.
        seating: Index of each player's policy, integers [M, n].
        seed: Seed of all matches.
        boards: Board of each match, integers [M].

    Returns:
        The match of every state, int64 [K], ascending; the states, structured [K], in order.
    """
    numbers = check_boards(boards)
    seats = check_seating(game, policies, seating, len(numbers))
    dtype = game.rules.dtype
    fields: Any = dtype.fields
    counter = int(fields[game.rules.round_counter][1])
    given = (*policy_arguments(game, policies), seats, *_own(game), check_seed(seed), numbers)
    size, at = 4096, 0
    parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]] = []
    while at < len(numbers):
        kept, match = np.zeros((size, dtype.itemsize), np.uint8), np.zeros(size, np.int64)
        following, rows = game.kernels.with_policies(
            "play_rounds", *given, at, len(numbers), *_rows(game), counter, kept, match,
            game.kernels.new_scratch(),
        )  # fmt: skip
        if following == at:  # a match of more rounds than there are rows
            size *= 2
        at = following
        parts.append((match[:rows], kept[:rows]))
    matches = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)])
    raw = np.concatenate([part[1] for part in parts] or [np.zeros((0, dtype.itemsize), np.uint8)])
    return matches, raw.view(dtype).reshape(-1)


def _own(game: Game) -> tuple[Any, ...]:
    """What the loops take of a game: options, tables, a state and its bytes."""
    states = game.empty_states(1)
    states["variant"] = game.variant
    raw = states.view(np.ndarray).view(np.uint8).reshape(1, -1)
    return game.record, game.tables, states, raw


def _rows(game: Game) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """An observation and a mask to write into."""
    return np.zeros(game.layout.size, np.int8), np.zeros(game.num_actions, np.int8)
