"""A sweep: the runs of a grid under several training seeds, one after the other.

```
<name>-<date>-<time>[-k]/
    sweep.yaml      the sweep, resolved
    configs/        the configuration of every run, resolved
    runs/           a run folder for every run that was begun
    results/        runs.parquet, summary.parquet
    report.md       their summary
    command.txt, versions.json, status.json    as in a run folder
```

All runs happen in this process: they leave nothing behind that the next one could see, since every
learner draws from generators of its own and sets the number of threads anew, and imports and
compiled code, which take a process seconds, are shared. What would end the process ends no
finished run: a sweep that is resumed keeps those and goes on in the one that was begun, to the
same result if the length of training is given in steps.
"""

from __future__ import annotations

import json
import shlex
import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
from rich.table import Table

from experiments.config import load_config
from experiments.config_sweep import SweepConfig, parse_sweep
from experiments.config_yaml import dump_yaml, read_yaml
from experiments.errors import ExperimentError, RunFolderError
from experiments.progress import Progress
from experiments.runfolder import RunFolder, fresh_folder, run_folders, write_atomically, write_text
from experiments.stages import run_stages, stages_of
from experiments.sweep_plan import SweepRun, run_names
from experiments.sweep_results import print_summary, report_text, runs_table, summary_table
from experiments.versions import versions
from loop_envs.errors import LoopEnvsError

_CONFIG = "sweep.yaml"


class _Quiet(Progress):
    """Shows no tables: those of single runs are in their reports."""

    def print(self, *objects: Any) -> None:
        if not any(isinstance(one, Table) for one in objects):
            super().print(*objects)


class SweepFolder:
    """A sweep's folder; made by `create` or `open`.

    Attributes:
        path: The folder.
        sweep: The sweep.
        runs: Its runs.
        log: Lock, status and commands of the sweep, which are like those of a run.
    """

    def __init__(self, path: Path, sweep: SweepConfig, runs: Sequence[SweepRun]) -> None:
        self.path = path
        self.log = RunFolder(path)
        self.sweep, self.runs = sweep, runs

    @classmethod
    def create(
        cls,
        parent: str | Path,
        sweep: SweepConfig,
        runs: Sequence[SweepRun],
        command: Sequence[str],
    ) -> SweepFolder:
        """Makes a new folder.

        Args:
            parent: Folder of all runs; made if it does not exist.
            sweep: The sweep.
            runs: Its runs.
            command: The command line.

        Raises:
            RunFolderError: If it cannot be made.
        """
        stem = f"{sweep.name}-{datetime.now():%Y%m%d-%H%M%S}"
        try:
            Path(parent).mkdir(parents=True, exist_ok=True)
            folder = cls(fresh_folder(Path(parent), stem), sweep, runs)
            for part in ("configs", "runs", "results"):
                (folder.path / part).mkdir()
            write_text(folder.path / "command.txt", shlex.join(command) + "\n")
            write_text(folder.path / "versions.json", json.dumps(versions(), indent=2) + "\n")
            folder.log.set_status("running", "start")
            for run in runs:
                file = folder.path / "configs" / f"{run.config.name}.yaml"
                write_text(file, dump_yaml(run.config.to_dict()))
            # Last: a folder with a configuration is complete.
            write_text(folder.path / _CONFIG, dump_yaml(sweep.model_dump(mode="json")))
        except OSError as error:
            raise RunFolderError(f"cannot make a sweep folder in {parent}: {error}") from None
        return folder

    @classmethod
    def open(cls, path: str | Path) -> SweepFolder:
        """Opens a folder that `create` has made.

        Raises:
            RunFolderError: If it is none.
            ConfigError: If a configuration in it has been changed into something that is refused.
        """
        file = Path(path) / _CONFIG
        if not file.is_file():
            raise RunFolderError(f"{path} is no sweep folder: it has no {_CONFIG}")
        sweep = parse_sweep(read_yaml(file), str(file))
        runs = [
            SweepRun(point, load_config(Path(path) / "configs" / f"{name}.yaml"))
            for point, _, name in run_names(sweep)
        ]
        return cls(Path(path), sweep, runs)

    def begun(self) -> dict[str, RunFolder]:
        """Folders of the runs that were begun, by the run's name."""
        return {folder.config().name: folder for folder in run_folders(self.path / "runs")}


def sweep_folders(parent: str | Path) -> list[RunFolder]:
    """Folders of all sweeps, as far as they are like those of runs."""
    return [RunFolder(path.parent) for path in sorted(Path(parent).glob(f"*/{_CONFIG}"))]


def run_sweep(folder: SweepFolder, command: Sequence[str], progress: Progress) -> list[str]:
    """Runs what is left of a sweep, and sums up after every run what has finished so far.

    A run that fails is left for a later command, and the others go on.

    Args:
        folder: The sweep's folder, locked.
        command: The command line, which is noted in the runs' folders.
        progress: Shows how far it is.

    Returns:
        Names of the runs that failed.
    """
    stage, failed = "start", []
    try:
        begun = folder.begun()
        for number, run in enumerate(folder.runs, 1):
            name = run.config.name
            if name in _finished(begun):
                continue
            stage = f"run {number} of {len(folder.runs)}"
            folder.log.set_status("running", stage)
            progress.print(f"{stage}: {name}")
            error = _run(run, folder, begun, command, progress)
            if error is not None:
                failed.append(name)
                progress.print(f"{stage} failed: {error}")
            _write_results(folder, begun)
        stage = f"{len(_finished(begun))} of {len(folder.runs)} runs"
        summary = _write_results(folder, begun)
        print_summary(progress, folder.sweep, summary)
    except KeyboardInterrupt:
        folder.log.set_status("interrupted", stage)
        raise
    except BaseException:
        folder.log.set_status("failed", stage)
        raise
    folder.log.set_status("failed" if failed else "finished", stage)
    return failed


def _finished(begun: Mapping[str, RunFolder]) -> dict[str, RunFolder]:
    """The runs that have nothing left to do."""
    result = {}
    for name, folder in begun.items():
        status = folder.status()
        last = stages_of(folder.config(), "run", folder)[-1]
        if status["state"] == "finished" and status["stage"] == last:
            result[name] = folder
    return result


def _run(
    run: SweepRun,
    folder: SweepFolder,
    begun: dict[str, RunFolder],
    command: Sequence[str],
    progress: Progress,
) -> str | None:
    """Runs one run, or what is left of it.

    Returns:
        What went wrong, or None.
    """
    config, own = run.config, begun.get(run.config.name)
    try:
        if own is None:
            own = begun[config.name] = RunFolder.create(folder.path / "runs", config, command)
        else:
            for difference in own.note_resumed(command):
                progress.print(f"note: the run was begun with another version: {difference}")
        with own.lock():
            quiet = _Quiet(progress.console, progress.every)
            stages = stages_of(config, "run", own)
            run_stages(stages, config, config.make_game(), own, quiet)
    except (ExperimentError, LoopEnvsError) as error:
        return str(error)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if own is None:
            return text
        file = own.path / "error.txt"
        file.write_text(traceback.format_exc(), encoding="utf-8")
        return f"{text} (more in {file})"
    return None


def _write_results(folder: SweepFolder, begun: Mapping[str, RunFolder]) -> pl.DataFrame:
    """Writes tables and report of what has finished so far; returns the summary."""
    finished = _finished(begun)
    table = runs_table(folder.sweep, folder.runs, finished)
    summary = summary_table(folder.sweep, folder.runs, table)
    for name, frame in (("runs", table), ("summary", summary)):
        write_atomically(folder.path / "results" / f"{name}.parquet", frame.write_parquet)
    states = {run.config.name: "not begun" for run in folder.runs}
    for name, own in begun.items():
        state = str(own.status()["state"])
        # Training that was resumed alone ends as finished, but a tournament may be left.
        states[name] = "interrupted" if state == "finished" and name not in finished else state
    write_text(folder.path / "report.md", report_text(folder.sweep, summary, states))
    return summary
