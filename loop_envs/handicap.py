"""Policies that are kept from knowing something, or from doing something.

What an agent loses by it says what the knowledge, or the action, is worth to it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from loop_envs.bits import row
from loop_envs.jit import compiled
from loop_envs.jit_policies import policy_around
from loop_envs.policies import Choose, Policy, Tables

if TYPE_CHECKING:
    from loop_envs.game import Game

Spans = npt.NDArray[np.int32]


def with_handicap(
    policy: Policy, hide: Collection[str] = (), never: Collection[str] = (), name: str = ""
) -> Policy:
    """A policy that sees some fields of its observation as zeros, or keeps from some actions.

    It decides as the inner policy would in that position, had it seen this. Names are checked
    when the policy is prepared for a game.

    Args:
        policy: The inner policy.
        hide: Names of the observation's fields that it sees as zeros.
        never: Names of groups of actions, see `Rules.action_groups`, that it takes only where
            nothing else is legal.
        name: Its name; the inner policy's with what it lacks behind it if empty.
    """
    lacks = [*(f"no-{field}" for field in hide), *(f"never-{group}" for group in never)]
    prepare = _Prepare(policy, tuple(hide), tuple(never))
    name = name or "-".join([policy.name, *lacks])
    return Policy(name, _choose_of(policy.choose), prepare, policy.seed, policy.games)


def handicap_spans(game: Game, hide: Collection[str], never: Collection[str]) -> Spans:
    """What is hidden and what is forbidden, as compiled code takes it.

    Returns:
        int32: the length of the whole, the number of hidden fields, for each its first entry and
        the one behind its last, and for each group of actions its first one and the one behind
        its last.

    Raises:
        ValueError: If the game has no such field or group.
    """
    fields = {field.name: (game.layout.offsets[field.name], field.size) for field in game.layout}
    groups = {group: (first, size) for group, first, size, _ in game.rules.action_groups(game)}
    spans: list[int] = []
    for what, wanted, known in (("hide", hide, fields), ("never", never, groups)):
        for name in wanted:
            if name not in known:
                raise ValueError(f"{what}: got {name!r}, allowed: {', '.join(known)}")
            first, size = known[name]
            spans += [first, first + size]
    return np.array([len(spans) + 2, len(hide), *spans], np.int32)


@compiled
def hide_fields(spans: Any, observation: Any) -> None:
    """Zeroes the hidden fields of an observation, int8 [D], in place."""
    for k in range(spans[1]):
        observation[spans[2 + 2 * k] : spans[3 + 2 * k]] = 0


@compiled
def forbid_actions(spans: Any, mask: Any) -> None:
    """Zeroes the forbidden actions of a mask, int8 [A], in place, unless nothing else is legal."""
    first = np.int64(2 + 2 * spans[1])
    for action in range(mask.shape[0]):
        if mask[action] == 0:
            continue
        free = True
        for k in range(first, spans[0], 2):
            free &= not spans[k] <= action < spans[k + 1]
        if free:
            for k in range(first, spans[0], 2):
                mask[spans[k] : spans[k + 1]] = 0
            return


@compiled
def _handicap_rows(spans: Any, observation: Any, mask: Any) -> None:
    for i in range(mask.shape[0]):
        hide_fields(spans, row(observation, i))
        forbid_actions(spans, row(mask, i))


def handicap_rows(
    spans: Spans, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """What is left of k observations and masks, as new arrays.

    Args:
        spans: See `handicap_spans`.
        observation: int8 [k, D].
        mask: int8 [k, A], at least one 1 in every row.
    """
    seen, allowed = np.array(observation, np.int8), np.array(mask, np.int8)
    _handicap_rows(spans, seen, allowed)
    return seen, allowed


@dataclass(frozen=True)
class _Prepare:
    """Makes the tables: the spans, and then those of the inner policy. Equal ones are the same,
    so that tables are made once."""

    policy: Policy
    hide: tuple[str, ...]
    never: tuple[str, ...]

    def __call__(self, game: Game) -> Tables:
        spans = handicap_spans(game, self.hide, self.never)
        return np.concatenate([spans, self.policy.prepare(game)], dtype=np.int32)


@lru_cache(maxsize=None)
def _choose_of(inner: Choose) -> Choose:
    """The compiled choice with a given inner one, see `handicap_choice`."""
    file = Path(__file__).with_name("handicap_choice.py")
    return cast(Choose, policy_around(file, "handicap", inner))
