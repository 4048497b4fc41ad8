"""What the bench measures of our own environments; each function is one timed run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from typing import Any

from experiments.timing import rate
from loop_envs.envs.aec import LoopAECEnv
from loop_envs.envs.batch import Batch
from loop_envs.envs.seat import SeatEnv
from loop_envs.game import Game

_FIRST_USE = """
import time
start = time.perf_counter()
import loop_envs
options = {options!r}
if {batch!r}:
    batch = loop_envs.make_batch({env!r}, 8, **options)
    batch.reset(0)
    batch.step(batch.sample_actions(0))
else:
    env = loop_envs.make({env!r}, **options)
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
print(time.perf_counter() - start)
"""


class Measured:
    """One game's measurements.

    Args:
        game: The game.
        num_matches: Matches of a batch.
        seconds: Length of a timed run.
    """

    def __init__(self, game: Game, num_matches: int, seconds: float) -> None:
        self.game, self.num_matches, self.seconds = game, num_matches, seconds
        self._batches: dict[int, Batch] = {}

    def _batch(self, threads: int) -> Batch:
        if threads not in self._batches:
            batch = Batch(self.game, self.num_matches, num_threads=threads)
            batch.reset(0)
            batch.run(50)  # past the first phase, and spread over different plies
            self._batches[threads] = batch
        return self._batches[threads]

    def compiled_loop(self, threads: int) -> float:
        """Decisions per second of random play in the compiled loop."""
        batch, decisions = self._batch(threads), 50

        def play() -> int:
            batch.run(decisions)
            return decisions * self.num_matches

        return rate(play, self.seconds)

    def python_steps(self, threads: int) -> float:
        """Decisions per second of `step` with NumPy actions, their random choice included."""
        batch = self._batch(threads)
        key = 0

        def play() -> int:
            nonlocal key
            key += 1
            batch.step(batch.sample_actions(key))
            return self.num_matches

        return rate(play, self.seconds)

    def aec(self) -> float:
        """Steps per second of the AEC environment, actions drawn from the mask."""
        env = LoopAECEnv(self.game)
        env.reset(seed=0)
        draw = random.Random(0).random

        def play() -> int:
            env.reset()
            steps = 0
            while True:
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    return steps
                assert observation is not None
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(draw() * len(legal))]))
                steps += 1

        return rate(play, self.seconds)

    def seat(self) -> float:
        """Steps per second of one Gymnasium seat among random players, actions from the mask."""
        env = SeatEnv(self.game.env_id, **self._options())
        env.reset(seed=0)
        draw = random.Random(0).random

        def play() -> int:
            _, info = env.reset()
            steps, ended = 0, False
            while not ended:
                legal = info["action_mask"].nonzero()[0]
                action = int(legal[int(draw() * len(legal))])
                _, _, terminated, truncated, info = env.step(action)
                steps, ended = steps + 1, terminated or truncated
            return steps

        return rate(play, self.seconds)

    def _options(self) -> dict[str, Any]:
        """The options that a game is asked for."""
        return {o.name: self.game.options[o.name] for o in self.game.rules.options}

    def megabytes(self) -> float:
        """Memory of states, masks and observations of a batch, in MiB."""
        return self._batch(1).nbytes / 2**20

    def first_use(self, batch: bool) -> tuple[float, float]:
        """Seconds from `import loop_envs` to the first step: with an empty cache, and again."""
        script = _FIRST_USE.format(options=self._options(), batch=batch, env=self.game.env_id)
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "LOOP_ENVS_CACHE_DIR": cache}
            cold, warm = (_seconds(script, environment) for _ in range(2))
        return cold, warm


def _seconds(script: str, environment: dict[str, str]) -> float:
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def machine() -> dict[str, Any]:
    """Processor, cores and versions that speeds depend on."""
    import platform
    from importlib.metadata import version

    processor = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [
                line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
            ]
        processor = names[0] if names else processor
    except OSError:
        pass
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy", "pettingzoo")},
    }
