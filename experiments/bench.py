"""``python -m experiments bench CONFIG``: speed of the environments, beside their peers.

Everything in the table is measured in one run, several times in turn, so that a change of the
machine's mood hits all of them; shown are the median and the spread.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.table import Table

from experiments import peers
from experiments.config import GameConfig
from experiments.config_errors import problems
from experiments.config_yaml import apply_overrides, read_yaml
from experiments.errors import ConfigError
from experiments.measure import Measured, machine
from experiments.progress import Progress
from loop_envs import load_game
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game

LEDUC = "PettingZoo leduc_holdem_v4"


class BenchConfig(BaseModel):
    """What to measure."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    games: list[GameConfig] = Field(min_length=1, description="our games")
    num_matches: int = Field(4096, ge=1, description="matches of a batch")
    seconds: float = Field(2.0, gt=0, description="length of a timed run")
    repeats: int = Field(5, ge=1, description="timed runs of each measurement")
    threads: list[int] = Field([1, 2], min_length=1, description="numbers of threads")
    peers: bool = Field(True, description="measure peer libraries that are installed")
    output: str | None = Field(None, description="Markdown file that gets the table")


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: What was measured.
        path: How.
        unit: Of the values.
        values: One for each run.
    """

    what: str
    path: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the runs."""
        return statistics.median(self.values)

    def cells(self) -> list[str]:
        """What, how, median and spread as texts."""
        lowest, highest = min(self.values), max(self.values)
        spread = f"{_number(lowest)} – {_number(highest)}"
        return [self.what, self.path, f"{_number(self.median)} {self.unit}", spread]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def load(path: str | Path, overrides: Sequence[str]) -> tuple[BenchConfig, list[Game]]:
    """Reads and checks the configuration.

    Raises:
        ConfigError: If anything is wrong with it.
    """
    data = apply_overrides(read_yaml(path), overrides)
    try:
        config = BenchConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(str(path), problems(error, BenchConfig.model_json_schema())) from None
    games = []
    for number, given in enumerate(config.games):
        try:
            games.append(load_game(given.env, **given.options))
        except LoopEnvsError as error:
            raise ConfigError(str(path), [(f"games.{number}", str(error))]) from None
    return config, games


def measure(config: BenchConfig, games: list[Game], progress: Progress) -> list[Row]:
    """Runs every measurement `repeats` times, in turn."""
    jobs: list[tuple[str, str, str, Callable[[], float]]] = []
    fixed: list[Row] = []
    for game in games:
        measured = Measured(game, config.num_matches, config.seconds)
        name = f"{game.env_id}, {game.num_players} players"
        for threads in config.threads:
            on = f"batch {config.num_matches}, {threads} thread{'s' * (threads > 1)}"
            loop = functools.partial(measured.compiled_loop, threads)
            jobs.append((name, f"compiled loop, {on}", "decisions/s", loop))
            steps = functools.partial(measured.python_steps, threads)
            jobs.append((name, f"step() from Python, {on}", "decisions/s", steps))
        jobs.append((name, "AEC make(): last() + step()", "decisions/s", measured.aec))
        size = f"state, mask and observation of {config.num_matches} matches"
        fixed.append(Row(name, size, "MiB", (measured.megabytes(),)))
        for batch, kind in ((False, "AEC"), (True, "batch")):
            progress.print(f"first use of {name}, {kind}")
            runs = [measured.first_use(batch) for _ in range(min(2, config.repeats))]
            cold, warm = zip(*runs, strict=True)
            fixed.append(Row(name, f"import to first {kind} step, empty cache", "s", cold))
            fixed.append(Row(name, f"import to first {kind} step, warm cache", "s", warm))
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


def _peer(
    name: str, seconds: float, paths: dict[str, str], versions: dict[str, str]
) -> Callable[[], float]:
    def job() -> float:
        result = peers.PEERS[name](seconds)
        paths[name], versions[name] = result.path, result.version
        return result.decisions_per_second

    return job


def ratio_line(rows: list[Row]) -> str | None:
    """How much faster AEC is than PettingZoo's Leduc, pair by pair of runs; None without it."""
    ours = next((row for row in rows if row.path.startswith("AEC make()")), None)
    theirs = next((row for row in rows if row.what.startswith(LEDUC)), None)
    if ours is None or theirs is None:
        return None
    ratios = [a / b for a, b in zip(ours.values, theirs.values, strict=True)]
    return (
        f"AEC of {ours.what} against {LEDUC} env(): {statistics.median(ratios):.1f} times as fast "
        f"({min(ratios):.1f} – {max(ratios):.1f})."
    )


def markdown(rows: list[Row], config: BenchConfig, command: str) -> str:
    """The table as a Markdown document."""
    about = ", ".join(f"{key} {value}" for key, value in machine().items())
    lines = [
        "# Speed",
        "",
        f"Made by `{command}` in one run: median of {config.repeats} runs of {config.seconds:g} s "
        "each, in turn, and their spread (first use: 2 runs). Play is random and legal; every "
        "decision has its mask and observation written. Threads share a batch; the default is one.",
        "",
        f"Machine: {about}.",
        "",
        "| what | path | median | min – max |",
        "|---|---|---|---|",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
    ]
    ratio = ratio_line(rows)
    return "\n".join(lines + (["", ratio] if ratio else [])) + "\n"


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
    config, games = load(path, overrides)
    progress = Progress()
    rows = measure(config, games, progress)
    table = Table("what", "path", "median", "min – max")
    for row in rows:
        table.add_row(*row.cells())
    progress.print(table)
    ratio = ratio_line(rows)
    if ratio:
        progress.print(ratio)
    if config.output:
        command = " ".join(["python -m experiments bench", path, *overrides])
        Path(config.output).parent.mkdir(parents=True, exist_ok=True)
        Path(config.output).write_text(markdown(rows, config, command), encoding="utf-8")
        progress.print(f"written to {config.output}")
    return 0


def schema() -> dict[str, Any]:
    """JSON Schema of the configuration."""
    return BenchConfig.model_json_schema()
