"""``python -m experiments zoo``: the trained players; ``--retrain NAME`` makes one again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from agents import zoo
from experiments.config import load_config
from experiments.config_yaml import read_yaml
from experiments.errors import ExperimentError
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.stages import run_stages
from loop_envs import load_game
from loop_envs.errors import LoopEnvsError

ROOT = Path(__file__).parents[1]
"""The repository; configurations of trained players are given relative to it."""


class ZooMakingError(ExperimentError):
    """A trained player that cannot be made."""


def show(progress: Progress) -> int:
    """Prints all trained players and checks their files.

    Returns:
        Exit status: 0, or 1 if a file is not what the index says.
    """
    table = Table("player", "kind", "options", "decisions", "minutes", "cores", "MB", "file")
    wrong = []
    total = 0
    for name, one in zoo.entries().items():
        state = "ok"
        try:
            one.verify()
            from agents.checkpoints import load_agent

            load_agent(one.path, load_game(one.env, **one.options))
        except (LoopEnvsError, ValueError) as error:
            state = "WRONG"
            wrong.append(str(error))
        size = one.path.stat().st_size if one.path.is_file() else 0
        total += size
        options = ", ".join(f"{key}={value}" for key, value in one.options.items())
        table.add_row(
            name, one.kind, options, f"{one.decisions:,}", f"{one.minutes:.1f}", str(one.cores),
            f"{size / 1e6:.2f}", state,
        )  # fmt: skip
    progress.print(table)
    progress.print(f"{total / 1e6:.1f} MB in all")
    for text in wrong:
        progress.print(f"error: {text}")
    return 1 if wrong else 0


def retrain(name: str, runs: str, command: Sequence[str], progress: Progress) -> int:
    """Trains a player again from its configuration and puts it in the old one's place.

    Args:
        name: One of the index.
        runs: Folder of all runs.
        command: The command line.
        progress: Shows how far it is.

    Raises:
        ZooError: If there is no such player.
        ExperimentError: If its configuration is refused or the training fails.
    """
    one = zoo.entry(name)
    make(name, one.config, one.learner, runs, command, progress)
    return 0


def make(
    name: str, config_path: str, learner: str, runs: str, command: Sequence[str], progress: Progress
) -> None:
    """Trains a player and adds it to the index.

    Args:
        name: Name in the zoo.
        config_path: Configuration with a section `train`, relative to the repository.
        learner: Which of its learners it is.
        runs: Folder of all runs.
        command: The command line.
        progress: Shows how far it is.

    Raises:
        ZooMakingError: If the configuration has no such learner.
    """
    config = load_config(ROOT / config_path)
    if learner not in config.learner_names:
        raise ZooMakingError(
            f"{config_path} has no learner {learner!r}; learners: {', '.join(config.learner_names)}"
        )
    folder = RunFolder.create(runs, config, command)
    progress.print(f"run folder: {folder.path}")
    with folder.lock():
        run_stages(["train"], config, config.make_game(), folder, progress)
    add(name, config_path, learner, folder)
    progress.print(f"{name}: {zoo.file_of(name)}")


def add(name: str, config_path: str, learner: str, folder: RunFolder) -> None:
    """Puts a learner of a finished run into the zoo, its best checkpoint where there is one."""
    from agents.checkpoints import read

    best = folder.checkpoint(learner, best=True)
    source = best if best.is_file() else folder.checkpoint(learner)
    content = read(source)
    training = read(folder.checkpoint(learner))["about"]  # the whole of it was paid for
    shutil.copyfile(source, zoo.file_of(name))
    config = folder.config()
    given = read_yaml(ROOT / config_path)["game"].get("options", {})
    made = zoo.Entry(
        name=name, config=config_path, learner=learner, kind=content["kind"], env=config.game.env,
        options=given, decisions=training["decisions"],
        minutes=round(training["seconds"] / 60, 1),
        cores=min(config.threads, os.cpu_count() or 1),
        sha256=zoo.sha256_of(zoo.file_of(name)),
    )  # fmt: skip
    zoo.write_index(zoo.entries() | {name: made})
