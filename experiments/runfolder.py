"""Run folders: everything that belongs to one run, written so that a kill leaves nothing half.

```
<name>-<date>-<time>[-k]/
    config.yaml     the configuration, resolved
    command.txt     the command line, and below it those that resumed the run
    versions.json   Python, platform, packages and commit
    status.json     state, stage, when started and updated
    checkpoints/    learners
    results/        tables
    tensorboard/    metrics
```
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal, cast

from experiments.config import Config, load_config
from experiments.config_yaml import dump_yaml
from experiments.errors import RunFolderError
from experiments.versions import differences, versions

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two processes from one folder
    fcntl = None  # type: ignore[assignment]

State = Literal["running", "interrupted", "failed", "finished"]


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Writes a file completely or not at all.

    Args:
        path: The file.
        write: Writes to the path it is given.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes a text file completely or not at all."""
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


class RunFolder:
    """A run's folder; made by `create` or `open`.

    Attributes:
        path: The folder.
        checkpoints: Folder of the learners' checkpoints.
        results: Folder of the tables.
        tensorboard: Folder of the metrics.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.results = path / "results"
        self.tensorboard = path / "tensorboard"

    @classmethod
    def create(cls, runs: str | Path, config: Config, command: Sequence[str]) -> RunFolder:
        """Makes a new folder.

        Args:
            runs: Folder of all runs; made if it does not exist.
            config: The run's configuration. Its output, if there is one, is the folder itself.
            command: The command line.

        Raises:
            RunFolderError: If it cannot be made, or the output is a folder that is not empty.
        """
        stem = f"{config.name}-{datetime.now():%Y%m%d-%H%M%S}"
        try:
            if config.output is None:
                Path(runs).mkdir(parents=True, exist_ok=True)
                folder = cls(fresh_folder(Path(runs), stem))
            else:
                folder = cls(_empty_folder(Path(config.output)))
                # A folder that is moved goes on where it is.
                config = config.model_copy(update={"output": None})
            for part in (folder.checkpoints, folder.results, folder.tensorboard):
                part.mkdir()
            write_text(folder.path / "command.txt", shlex.join(command) + "\n")
            write_text(folder.path / "versions.json", json.dumps(versions(), indent=2) + "\n")
            folder.set_status("running", "start")
            # Last: a folder with a configuration is complete.
            write_text(folder.path / "config.yaml", dump_yaml(config.to_dict()))
        except OSError as error:
            where = f"in {runs}" if config.output is None else f"at {config.output}"
            raise RunFolderError(f"cannot make a run folder {where}: {error}") from None
        return folder

    @classmethod
    def open(cls, path: str | Path) -> RunFolder:
        """Opens a folder that `create` has made.

        Raises:
            RunFolderError: If it is none.
        """
        folder = cls(Path(path))
        if not (folder.path / "config.yaml").is_file():
            raise RunFolderError(f"{path} is no run folder: it has no config.yaml")
        return folder

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    def config(self) -> Config:
        """The run's configuration.

        Raises:
            ConfigError: If it has been changed into something that is refused.
        """
        return load_config(self.path / "config.yaml")

    def checkpoint(self, learner: str, best: bool = False) -> Path:
        """The checkpoint file of a learner: the last one, or the best one in evaluations."""
        return self.checkpoints / (f"{learner}.best.zip" if best else f"{learner}.zip")

    def status(self) -> dict[str, Any]:
        """State, stage and times; a run that was killed is shown as interrupted."""
        try:
            status = json.loads((self.path / "status.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {"state": "unknown", "stage": "", "started": "", "updated": ""}
        if status.get("state") == "running" and not self.in_use():
            status["state"] = "interrupted"
        return cast(dict[str, Any], status)

    def set_status(self, state: State, stage: str) -> None:
        """Notes what the run is doing."""
        path = self.path / "status.json"
        started = _now()
        with suppress(OSError, ValueError, KeyError, TypeError):
            started = json.loads(path.read_text(encoding="utf-8"))["started"]
        status = {"state": state, "stage": stage, "started": started, "updated": _now()}
        write_text(path, json.dumps(status, indent=2) + "\n")

    def note_resumed(self, command: Sequence[str]) -> list[str]:
        """Notes a command that resumes the run.

        Returns:
            What differs from the versions that it was begun with, which may change its results.
        """
        with (self.path / "command.txt").open("a", encoding="utf-8") as file:
            file.write(shlex.join(command) + "\n")
        try:
            before = json.loads((self.path / "versions.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return differences(before, versions())

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other processes from running in this folder; ends with the process at latest.

        Raises:
            RunFolderError: If another process has it.
        """
        with (self.path / ".lock").open("w") as file:
            for tries_left in reversed(range(20)):
                if _try_lock(file, exclusive=True):
                    break
                if not tries_left:
                    raise RunFolderError(f"{self.path} is in use by another process")
                time.sleep(0.05)  # somebody may only be looking, see below
            yield

    def in_use(self) -> bool:
        """Whether a process runs in this folder."""
        try:
            with (self.path / ".lock").open() as file:
                return not _try_lock(file, exclusive=False)
        except OSError:
            return False


def _try_lock(file: IO[str], exclusive: bool) -> bool:
    if fcntl is None:
        return exclusive
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def fresh_folder(runs: Path, stem: str) -> Path:
    """Makes a folder of that name, or with a number behind it where there is one already."""
    k = 1
    while True:
        path = runs / (stem if k == 1 else f"{stem}-{k}")
        try:
            path.mkdir()
        except FileExistsError:
            k += 1
        else:
            return path


def _empty_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if any(path.iterdir()):
        raise RunFolderError(f"output: {path} is not empty, allowed: a new or empty folder")
    return path


def run_folders(runs: str | Path) -> list[RunFolder]:
    """All run folders, oldest first."""
    if not Path(runs).is_dir():
        return []
    found = [RunFolder(path.parent) for path in Path(runs).glob("*/config.yaml")]
    return sorted(found, key=lambda folder: (folder.status()["started"], folder.name))


def command_line(arguments: Sequence[str]) -> list[str]:
    """The command line that starts this program with some arguments."""
    return [Path(sys.executable).name, "-m", "experiments", *arguments]
