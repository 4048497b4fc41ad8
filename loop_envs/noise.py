"""Policies that play at random now and then: players of a known order, weaker by a known dose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from loop_envs.bits import row
from loop_envs.deals import combine, draw
from loop_envs.jit import ONE, ZERO, compiled
from loop_envs.jit_policies import policy_around
from loop_envs.policies import Choose, Policy, Tables, count_legal, nth_legal

if TYPE_CHECKING:
    from loop_envs.game import Game

UNIT = 2**30
"""A share of 1: shares are whole multiples of 1 / UNIT, which fit tables of int32."""

_NOISE = np.uint64(0x6E6F697365)  # tells this draw from those of the inner policy
_SHIFT = np.uint64(34)  # leaves 30 random bits


def with_noise(policy: Policy, epsilon: float, name: str = "") -> Policy:
    """A policy that plays a uniformly random legal action in a share of its decisions.

    Which decisions these are, and the random actions, are functions of the policy's seed, the
    match and the ply. In all others it plays exactly as the inner policy would in that position.

    Args:
        policy: The inner policy.
        epsilon: The share, 0 to 1; rounded to a multiple of 2⁻³⁰.
        name: Its name; the inner policy's with the share behind it if empty.

    Raises:
        ValueError: If the share is out of range.
    """
    prepare = _Prepare(policy, noise_share(epsilon))
    name = name or f"{policy.name}-noise-{epsilon:g}"
    return Policy(name, _choose_of(policy.choose), prepare, policy.seed, policy.games)


def noise_share(epsilon: float) -> int:
    """A share as compiled code takes it.

    Raises:
        ValueError: If it is out of range.
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon: got {epsilon!r}, allowed: a number from 0 to 1")
    return round(epsilon * UNIT)


@compiled
def noise_action(share: Any, mask: npt.NDArray[np.int8], key: np.uint64) -> int:
    """A random legal action in `share / UNIT` of all cases, else -1.

    The key's own draws are left to the inner policy: without noise it does what it would do alone.
    """
    noise = combine(key, _NOISE)
    if np.int64(noise >> _SHIFT) >= np.int64(share):
        return -1
    return nth_legal(mask, draw(combine(noise, ONE), ZERO, count_legal(mask)))


@compiled
def _noise_actions(share: Any, mask: Any, keys: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        out[i] = noise_action(share, row(mask, i), keys[i])


def noise_actions(
    epsilon: float, mask: npt.NDArray[np.int8], keys: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """What the noise decides in each of k decisions, int64 [k]; -1 where it leaves the choice.

    Args:
        epsilon: The share, 0 to 1.
        mask: int8 [k, A], at least one 1 in every row.
        keys: uint64 [k], see `loop_envs.policies.decision_keys`.
    """
    out = np.empty(len(keys), np.int64)
    _noise_actions(np.int64(noise_share(epsilon)), np.ascontiguousarray(mask, np.int8), keys, out)
    return out


@dataclass(frozen=True)
class _Prepare:
    """Makes the tables: the share, and then those of the inner policy. Equal ones are the same,
    so that tables are made once."""

    policy: Policy
    share: int

    def __call__(self, game: Game) -> Tables:
        return np.concatenate([[np.int32(self.share)], self.policy.prepare(game)], dtype=np.int32)


@lru_cache(maxsize=None)
def _choose_of(inner: Choose) -> Choose:
    """The compiled choice with a given inner one, see `noise_choice`."""
    file = Path(__file__).with_name("noise_choice.py")
    return cast(Choose, policy_around(file, "noise", inner))
