"""``python -m experiments bench CONFIG``: speed of the environments, beside their peers.

Everything in the table is measured in one run, several times in turn, so that a change of the
machine's mood hits all of them; shown are the median and the spread.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.table import Table

from experiments import peers
from experiments.bench_report import Row, markdown, summary
from experiments.config import GameConfig
from experiments.config_errors import problems
from experiments.config_yaml import apply_overrides, read_yaml
from experiments.errors import ConfigError
from experiments.measure import Measured
from experiments.progress import Progress
from loop_envs import load_game
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game


class BenchConfig(BaseModel):
    """What to measure."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    games: list[GameConfig] = Field([], description="our games")
    num_matches: int = Field(4096, ge=1, description="matches of a batch")
    seconds: float = Field(2.0, gt=0, description="length of a timed run")
    repeats: int = Field(5, ge=1, description="timed runs of each measurement")
    threads: list[int] = Field([1, 2], min_length=1, description="numbers of threads")
    first_use: bool = Field(True, description="measure how long first use takes, cold and warm")
    training: list[GameConfig] = Field([], description="games on which learners are timed")
    learners: list[Literal["ppo", "ppo_all", "ppo_all bfloat16", "dmc", "dmc bfloat16", "dqn"]] = (
        Field(
            ["ppo", "ppo_all", "ppo_all bfloat16", "dmc", "dqn"],
            description="kinds of learners that are timed",
        )
    )
    peers: bool = Field(True, description="measure peer libraries that are installed")
    output: str | None = Field(None, description="Markdown file that gets the table")


def load(path: str | Path, overrides: Sequence[str]) -> tuple[BenchConfig, list[Game], list[Game]]:
    """Reads and checks the configuration.

    Returns:
        The configuration, its games, and those on which learners are timed.

    Raises:
        ConfigError: If anything is wrong with it.
    """
    data = apply_overrides(read_yaml(path), overrides)
    try:
        config = BenchConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(str(path), problems(error, BenchConfig.model_json_schema())) from None
    games = _games(config.games, "games", str(path))
    return config, games, _games(config.training, "training", str(path))


def _games(given: Sequence[GameConfig], section: str, path: str) -> list[Game]:
    games = []
    for number, one in enumerate(given):
        try:
            games.append(load_game(one.env, **one.options))
        except LoopEnvsError as error:
            raise ConfigError(path, [(f"{section}.{number}", str(error))]) from None
    return games


def title(game: Game) -> str:
    """The game and what distinguishes this variant of it."""
    changed = {
        o.name: game.options[o.name]
        for o in game.rules.options
        if o.name != "num_players" and game.options[o.name] != o.default
    }
    words = "".join(f", {value}" if isinstance(value, str) else "" for value in changed.values())
    return f"{game.env_id}{words}, {game.num_players} players"


def measure(
    config: BenchConfig, games: list[Game], training: list[Game], progress: Progress
) -> list[Row]:
    """Runs every measurement `repeats` times, in turn."""
    jobs: list[tuple[str, str, str, Callable[[], float]]] = []
    fixed: list[Row] = []
    for game in games:
        measured = Measured(game, config.num_matches, config.seconds)
        name = title(game)
        for threads in config.threads:
            on = f"batch {config.num_matches}, {threads} thread{'s' * (threads > 1)}"
            loop = functools.partial(measured.compiled_loop, threads)
            jobs.append((name, f"compiled loop, {on}", "decisions/s", loop))
            steps = functools.partial(measured.python_steps, threads)
            jobs.append((name, f"step() from Python, {on}", "decisions/s", steps))
        jobs.append((name, "AEC make(): last() + step()", "decisions/s", measured.aec))
        jobs.append((name, "Gymnasium seat among random: step()", "steps/s", measured.seat))
        size = f"state, mask and observation of {config.num_matches} matches"
        fixed.append(Row(name, size, "MiB", (measured.megabytes(),)))
        for batch, kind in ((False, "AEC"), (True, "batch")) if config.first_use else ():
            progress.print(f"first use of {name}, {kind}")
            runs = [measured.first_use(batch) for _ in range(min(2, config.repeats))]
            cold, warm = zip(*runs, strict=True)
            fixed.append(Row(name, f"import to first {kind} step, empty cache", "s", cold))
            fixed.append(Row(name, f"import to first {kind} step, warm cache", "s", warm))
    for game in training:
        jobs += _training_jobs(game, config, progress)
    paths: dict[str, str] = {}
    versions: dict[str, str] = {}
    if config.peers:
        for name, installed in peers.available().items():
            if installed:
                jobs.append((name, "", "decisions/s", _peer(name, config.seconds, paths, versions)))
            else:
                progress.print(f"{name}: not installed (extra `bench`), left out")
    values: list[list[float]] = [[] for _ in jobs]
    with progress.task("bench", config.repeats * len(jobs), unit="runs") as task:
        for _ in range(config.repeats):
            for kept, (name, path, _, job) in zip(values, jobs, strict=True):
                task.note(f"{name} {path}")
                kept.append(job())
                task.advance(1)
    rows = [
        Row(
            f"{name} {versions[name]}" if name in versions else name,
            path or paths[name],
            unit,
            tuple(kept),
        )
        for kept, (name, path, unit, _) in zip(values, jobs, strict=True)
    ]
    return rows + fixed


def _training_jobs(
    game: Game, config: BenchConfig, progress: Progress
) -> list[tuple[str, str, str, Callable[[], float]]]:
    """Training of every kind of learner, and the same on an environment that does nothing."""
    from experiments.measure_training import Training  # imports torch

    jobs: list[tuple[str, str, str, Callable[[], float]]] = []
    for kind in config.learners:
        progress.print(f"warming up training of {kind} on {title(game)}")
        real, idle = Training(game, kind), Training(game, kind, idle=True)
        real_rate = functools.partial(real.samples_per_second, config.seconds)
        idle_rate = functools.partial(idle.samples_per_second, config.seconds)
        jobs += [
            (title(game), f"training {kind}, 1 thread", "samples/s", real_rate),
            (title(game), f"training {kind}, do-nothing environment", "samples/s", idle_rate),
            (title(game), f"training {kind}, environment's share", "%", real.environment_share),
        ]
    return jobs


def _peer(
    name: str, seconds: float, paths: dict[str, str], versions: dict[str, str]
) -> Callable[[], float]:
    def job() -> float:
        result = peers.PEERS[name](seconds)
        paths[name], versions[name] = result.path, result.version
        return result.decisions_per_second

    return job


def main(path: str, overrides: Sequence[str] = ()) -> int:
    """Measures, prints the table and writes it where the configuration says.

    Args:
        path: The configuration.
        overrides: ``dotted.key=value`` each.

    Returns:
        Exit status 0.

    Raises:
        ConfigError: If the configuration is refused; nothing was measured.
    """
    config, games, training = load(path, overrides)
    progress = Progress()
    rows = measure(config, games, training, progress)
    table = Table("what", "path", "median", "min – max")
    for row in rows:
        table.add_row(*row.cells())
    progress.print(table)
    for line in summary(rows):
        progress.print(line)
    if config.output:
        command = " ".join(["python -m experiments bench", path, *overrides])
        Path(config.output).parent.mkdir(parents=True, exist_ok=True)
        Path(config.output).write_text(
            markdown(rows, config.repeats, config.seconds, command), encoding="utf-8"
        )
        progress.print(f"written to {config.output}")
    return 0


def schema() -> dict[str, Any]:
    """JSON Schema of the configuration."""
    return BenchConfig.model_json_schema()
