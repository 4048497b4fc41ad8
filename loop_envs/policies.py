"""Compiled policies: functions that play inside the compiled loops.

A policy is ``choose(tables, observation, mask, key) -> action``, compiled, plus ``prepare(game)``
that makes its `tables` once per game. `key` is a uniformly random 64-bit word of its own for
every decision: a function of the policy's seed, the match and the ply, so a match replays
whatever else runs beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from loop_envs.bits import load8, ones, read64, row
from loop_envs.deals import combine, decision_key, draw, match_key
from loop_envs.jit import ZERO, Int, compiled, inlined
from loop_envs.jit_policies import PolicyLoop, compile_policy, policies_at
from loop_envs.kernels import MAX_POLICIES

if TYPE_CHECKING:
    from loop_envs.game import Game

Choose = Callable[[Any, Any, Any, Any], int]
Tables = npt.NDArray[np.int32]

_TO_BITS = np.uint64(0x0102040810204080)


def no_tables(game: Game) -> Tables:
    """For policies that need nothing but observation and mask."""
    return np.zeros(1, np.int32)


@dataclass(frozen=True)
class Policy:
    """A compiled policy.

    Attributes:
        name: Public name.
        choose: ``choose(tables int32[T], observation int8[D], mask int8[A], key uint64) ->
            int``, made with `loop_envs.jit_policies.compile_policy`.
        prepare: Makes `tables` from a game.
        seed: Distinguishes the randomness of two players of the same policy.
        games: Names of the games it can play; empty for all.
    """

    name: str
    choose: Choose
    prepare: Callable[[Game], Tables] = no_tables
    seed: int = 0
    games: tuple[str, ...] = ()

    def with_seed(self, seed: int) -> Policy:
        """The same policy with another seed."""
        return replace(self, seed=seed)


@inlined
def _block(mask: npt.NDArray[np.int8], at: Int) -> np.uint64:
    """The ones of a mask from `at` on, a multiple of 64, as bits; at most 64 of them."""
    size = mask.shape[0]
    if at + 64 <= size:
        return np.uint64(read64(mask, at))
    if size >= 64:
        return np.uint64(read64(mask, size - 64)) >> np.uint64(at + 64 - size)
    return _short_block(mask, at)


@compiled
def _short_block(mask: npt.NDArray[np.int8], at: Int) -> np.uint64:
    """The same for a mask of less than 64 entries."""
    word = np.uint64(0)
    whole = mask.shape[0] // 8 * 8
    for i in range(at, whole, 8):
        # The product moves byte k, which is 0 or 1, to bit 56 + k.
        word |= load8(mask, i) * _TO_BITS >> np.uint64(56) << np.uint64(i)
    for i in range(whole, mask.shape[0]):
        word |= np.uint64(mask[i]) << np.uint64(i)
    return word


@compiled
def count_legal(mask: npt.NDArray[np.int8]) -> Any:
    """Number of ones of an action mask."""
    total: Any = 0
    for at in range(0, mask.shape[0], 64):
        total += ones(_block(mask, at))
    return total


@compiled
def nth_legal(mask: npt.NDArray[np.int8], n: int) -> int:
    """Index of the n-th one (from 0) of an action mask that has more than n ones."""
    at = 0
    word = _block(mask, ZERO)
    here = ones(word)
    while n >= here:
        n -= here
        at += 64
        word = _block(mask, at)
        here = ones(word)
    # The n-th one bit, by halves: no branch to guess wrong.
    for width in (32, 16, 8, 4, 2, 1):
        low = ones(word & (np.uint64(1) << np.uint64(width)) - np.uint64(1))
        if n >= low:
            n -= low
            at += width
            word >>= np.uint64(width)
    return at


@compile_policy
def choose_random(
    tables: Tables, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8], key: np.uint64
) -> int:
    """A uniformly random legal action."""
    return nth_legal(mask, draw(key, ZERO, count_legal(mask)))


RANDOM = Policy("random", choose_random)
"""Uniformly random legal play, for every game."""


@compiled
def sample_range(
    mask: npt.NDArray[np.int8], key: int, lo: int, hi: int, actions: npt.NDArray[np.int64]
) -> None:
    """Writes a uniformly random legal action for each of the matches lo..hi."""
    for i in range(lo, hi):
        legal = row(mask, i)
        key_i = combine(np.uint64(key), i)
        actions[i] = nth_legal(legal, draw(key_i, ZERO, count_legal(legal)))


def policy_arguments(game: Game, policies: Sequence[Policy]) -> tuple[Any, ...]:
    """(functions, tables, keys) as the compiled loops take them.

    The functions are filled up to a fixed number; row k of the tables, int32, begins with those
    of policy k.
    """
    padded = list(policies) + [policies[-1]] * (MAX_POLICIES - len(policies))
    prepared = [_prepared(game, p.prepare) for p in padded]
    tables = np.zeros((len(padded), max(len(t) for t in prepared)), np.int32)
    for line, values in zip(tables, prepared, strict=True):
        line[: len(values)] = values
    keys = np.array([policy_key(p) for p in padded], np.uint64)
    return tuple(p.choose for p in padded), tables, keys


def policy_key(policy: Policy) -> int:
    """The key of a policy's randomness: a function of its seed."""
    return int(combine(np.uint64(policy.seed), 0))


@lru_cache(maxsize=64)
def _prepared(game: Game, prepare: Callable[[Game], Tables]) -> Tables:
    return np.ascontiguousarray(prepare(game), np.int32)


@compiled
def _keys(policy: Any, seeds: Any, boards: Any, plies: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        out[i] = decision_key(match_key(seeds[i], boards[i]), policy, plies[i])


def decision_keys(
    policy_seed: int,
    seeds: npt.NDArray[np.uint64],
    boards: npt.NDArray[np.int64],
    plies: npt.NDArray[np.int32],
) -> npt.NDArray[np.uint64]:
    """The random words of many decisions, as the compiled loops make them, uint64 [k]."""
    out = np.empty(len(plies), np.uint64)
    _keys(np.uint64(combine(np.uint64(policy_seed), 0)), seeds, boards, plies, out)
    return out


def _choose_many(
    addresses: Any, tables: Any, observation: Any, mask: Any, keys: Any, out: Any
) -> None:
    choose = policies_at(addresses)
    for i in range(out.shape[0]):
        out[i] = choose[0](tables, row(observation, i), row(mask, i), keys[i])


def choose_many(
    game: Game,
    policy: Policy,
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    keys: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    """A compiled policy's choice for each of k decisions, int64 [k].

    Args:
        game: The game.
        policy: The policy.
        observation: int8 [k, D].
        mask: int8 [k, A], at least one 1 in every row.
        keys: uint64 [k], see `decision_keys`.
    """
    out = np.empty(len(keys), np.int64)
    _chooser(
        (policy.choose,),
        _prepared(game, policy.prepare),
        np.ascontiguousarray(observation, np.int8),
        np.ascontiguousarray(mask, np.int8),
        keys,
        out,
    )
    return out


_chooser = PolicyLoop(_choose_many)
