"""Speed of peer libraries stepping card games under random legal play.

Each peer is a function that plays one library's card game for a given number of seconds after a
warm-up and returns how many decisions per second it made. A decision is one player's choice for
which the library has produced an observation and its legal actions; deals, other chance nodes and
resets cost time but are not counted. Wherever a driver had a choice, it takes the cheapest route
the library offers, so that the numbers are the library's own and not those of the loop around it.

The libraries come with the `bench` extra and are imported inside the functions, so this module can
be imported without them; `available` says which peers can run.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from experiments.timing import rate

# Steps of every row in one compiled Pgx call: enough to hide the cost of the call itself.
_SCAN_STEPS = 64
# Batches to try for each game. Larger ones of Sparrow Mahjong are slower and take seconds a call.
_PGX_BATCHES = {"leduc_holdem": (64, 1024, 4096, 16384), "sparrow_mahjong": (64, 256, 1024)}
_PROBE_SECONDS = 0.3


@dataclass(frozen=True)
class PeerResult:
    """One timed run of a peer library.

    Attributes:
        name: The peer's name, as in `PEERS`.
        path: Which code path was measured, in words.
        version: The library's installed version.
        decisions_per_second: Decisions per second of wall-clock time.
    """

    name: str
    path: str
    version: str
    decisions_per_second: float


def pettingzoo_leduc(seconds: float = 2.0) -> PeerResult:
    """Measures PettingZoo's Leduc hold'em, one environment at a time."""
    # PettingZoo imports pygame for its renderer, which would print a banner into the bench table.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import leduc_holdem_v4

    env = leduc_holdem_v4.env()
    env.reset(seed=0)
    draw = random.Random(0).random

    def play() -> int:
        env.reset()
        decisions = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            # Not `action_space.sample(mask)`: its checks are Gymnasium's cost, not PettingZoo's.
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            decisions += 1

    path = "AEC env() with its standard wrappers: last() + step(), action drawn from the mask"
    speed = rate(play, seconds)
    return PeerResult("PettingZoo leduc_holdem_v4", path, version("pettingzoo"), speed)


def rlcard_doudizhu(seconds: float = 2.0) -> PeerResult:
    """Measures RLCard's Dou Dizhu, one environment at a time."""
    import rlcard

    env = rlcard.make("doudizhu", config={"seed": 0})
    draw = random.Random(0).random

    def play() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            # The state holds the observation array and, in place of a mask over its 27,472
            # actions, a dict from each legal action's id to that action's feature array.
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    path = "env.step() with its state dict: obs array, dict of legal actions (no dense mask)"
    return PeerResult("RLCard doudizhu", path, version("rlcard"), rate(play, seconds))


def openspiel_hearts(seconds: float = 2.0) -> PeerResult:
    """Measures OpenSpiel's Hearts, one C++ state at a time driven from Python."""
    import pyspiel
    from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

    game = pyspiel.load_game("hearts")
    # Hearts offers no smaller observation than the information state (5,088 floats).
    observation = make_observation(game, INFO_STATE_OBS_TYPE)
    mask = np.zeros(game.num_distinct_actions(), dtype=np.int8)
    draw = random.Random(0).random

    def play() -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                observation.set_from(state, state.current_player())
                mask.fill(0)
                mask[legal] = 1
                decisions += 1
            # Every chance node of Hearts (pass direction, next card) is uniform, so its legal
            # actions serve, at a lower cost than `chance_outcomes` with its probabilities.
            state.apply_action(legal[int(draw() * len(legal))])
        return decisions

    path = "C++ game from Python: information-state observer, int8 mask from legal_actions()"
    return PeerResult("OpenSpiel hearts", path, version("open_spiel"), rate(play, seconds))


def _pgx_player(env_id: Any, batch: int) -> Callable[[], int]:
    """Returns a function that steps `batch` games `_SCAN_STEPS` times and counts the decisions."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(env_id)
    step = jax.vmap(auto_reset(env.step, env.init))

    def decide(carry: Any, _: None) -> tuple[Any, None]:
        state, key, seen = carry
        # Reading what the previous step left in the carry, as a policy would, makes sure that the
        # observation is a real array in every step, which XLA may not fuse away.
        seen = seen + jnp.sum(state.observation, dtype=jnp.uint32)
        key, draw_key, step_key = jax.random.split(key, 3)
        # One uniform draw per row is a little cheaper than `categorical`'s one per action.
        ranks = jnp.cumsum(state.legal_action_mask, axis=1, dtype=jnp.int32)
        pick = jax.random.uniform(draw_key, (batch, 1)) * ranks[:, -1:]
        action = jnp.argmax(ranks > pick.astype(jnp.int32), axis=1)
        return (step(state, action, jax.random.split(step_key, batch)), key, seen), None

    @functools.partial(jax.jit, donate_argnums=0)
    def scan(carry: Any) -> Any:
        return jax.lax.scan(decide, carry, None, length=_SCAN_STEPS)[0]

    keys = jax.random.split(jax.random.PRNGKey(0), batch)
    carry = (jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1), jnp.uint32(0))

    def play() -> int:
        nonlocal carry
        carry = jax.block_until_ready(scan(carry))
        return batch * _SCAN_STEPS

    return play


@functools.cache
def _pgx_best(env_id: str) -> tuple[int, Callable[[], int]]:
    """Finds a Pgx game's fastest batch; cached, so that repeated runs share one compilation."""
    players = {batch: _pgx_player(env_id, batch) for batch in _PGX_BATCHES[env_id]}
    best = max(players, key=lambda batch: rate(players[batch], _PROBE_SECONDS))
    return best, players[best]


def pgx_game(env_id: str, seconds: float = 2.0) -> PeerResult:
    """Measures one Pgx game, compiled and batched, on the CPU at its best batch."""
    import jax

    with jax.default_device(jax.devices("cpu")[0]):
        batch, play = _pgx_best(env_id)
        speed = rate(play, seconds)
    path = f"XLA on the CPU: vmapped step with auto_reset in a jitted lax.scan, batch {batch}"
    return PeerResult(f"Pgx {env_id}", path, f"{version('pgx')} (jax {version('jax')})", speed)


PEERS: dict[str, Callable[[float], PeerResult]] = {
    "PettingZoo leduc_holdem_v4": pettingzoo_leduc,
    "RLCard doudizhu": rlcard_doudizhu,
    "OpenSpiel hearts": openspiel_hearts,
    "Pgx leduc_holdem": functools.partial(pgx_game, "leduc_holdem"),
    "Pgx sparrow_mahjong": functools.partial(pgx_game, "sparrow_mahjong"),
}

# What each peer imports, by the first word of its name.
_MODULES = {
    "PettingZoo": ("pettingzoo", "rlcard", "pygame"),
    "RLCard": ("rlcard",),
    "OpenSpiel": ("pyspiel", "open_spiel"),
    "Pgx": ("pgx", "jax"),
}


def available() -> dict[str, bool]:
    """Says for each peer, without importing anything, whether its libraries are installed."""
    return {
        name: all(importlib.util.find_spec(module) for module in _MODULES[name.split()[0]])
        for name in PEERS
    }
