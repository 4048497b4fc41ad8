"""What each verb of the command line does; modules are imported when a verb needs them."""

from __future__ import annotations

import argparse
import json
import shlex
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from experiments.say import FAILED, INTERRUPTED, say
from loop_envs.errors import LoopEnvsError

if TYPE_CHECKING:
    from experiments.config import Config
    from experiments.progress import Progress
    from experiments.runfolder import RunFolder


def _schema(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments.config import Config
    from experiments.config_sweep import SweepConfig

    model = SweepConfig if options.rest else Config
    print(json.dumps(model.model_json_schema(), indent=2))
    return 0


def _list(options: argparse.Namespace, given: Sequence[str]) -> int:
    from rich.table import Table

    from agents.named import agent_names
    from experiments.config_yaml import known_configs
    from experiments.progress import Progress
    from experiments.runfolder import run_folders
    from experiments.sweep import sweep_folders
    from loop_envs import env_ids
    from loop_envs.registry import rules_of

    progress, runs = Progress(), options.runs
    folders = run_folders(runs) + sweep_folders(runs)
    if folders:
        table = Table("run", "state", "stage", "started", "updated", title=f"runs in {runs}")
        for folder in folders:
            status = folder.status()
            keys = ("state", "stage", "started", "updated")
            table.add_row(folder.name, *(str(status.get(key, "")) for key in keys))
        progress.print(table)
    else:
        progress.print(f"no runs in {runs}")
    for env_id in env_ids():
        names = ", ".join(agent_names(rules_of(env_id).name))
        progress.print(f"agents of {env_id}: {names}")
    progress.print(f"configurations: {', '.join(known_configs()) or 'none'}")
    return 0


def _run(options: argparse.Namespace, given: Sequence[str]) -> int:
    """The verbs run, train, tournament and fairness."""
    from experiments.config import load_config
    from experiments.players import load_agents, make_players
    from experiments.progress import Progress
    from experiments.runfolder import RunFolder, command_line
    from experiments.stages import stages_of

    progress = Progress()
    folder = None if options.resume is None else RunFolder.open(options.resume)
    config = folder.config() if folder else load_config(options.rest[0], options.rest[1:])
    stages = stages_of(config, options.verb, folder)
    if "tournament" in stages:
        # So that checkpoints that do not fit are found before anything is created.
        load_agents(config, config.make_game(), None if "train" in stages else folder)
    if "fairness" in stages and config.fairness is not None:
        make_players(config, config.fairness.others, config.make_game(), "fairness.others")
    command = command_line(given)
    if folder is None:
        folder = RunFolder.create(options.runs, config, command)
        progress.print(f"run folder: {folder.path}")
        command = []
    with folder.lock():
        for difference in folder.note_resumed(command) if command else []:
            progress.print(f"note: the run was begun with another version: {difference}")
        return _run_in(folder, stages, config, options.verb, progress)


def _run_in(
    folder: RunFolder, stages: Sequence[str], config: Config, verb: str, progress: Progress
) -> int:
    from experiments.errors import ExperimentError
    from experiments.progress import duration
    from experiments.stages import run_stages
    from experiments.usage import peak_memory

    start = time.perf_counter()
    try:
        run_stages(stages, config, config.make_game(), folder, progress)
    except KeyboardInterrupt:
        again = f"python -m experiments {verb} --resume {shlex.quote(str(folder.path))}"
        return say(f"interrupted; this goes on to the same result: {again}", INTERRUPTED)
    except (ExperimentError, LoopEnvsError) as error:
        return say(str(error), FAILED)
    except Exception as error:
        file = folder.path / "error.txt"
        file.write_text(traceback.format_exc(), encoding="utf-8")
        return say(f"{type(error).__name__}: {error} (more in {file})", FAILED)
    memory = peak_memory()
    of_memory = "" if memory is None else f", at most {memory:,.0f} MiB of memory"
    progress.print(f"this process: {duration(time.perf_counter() - start)}{of_memory}")
    progress.print(f"finished: {folder.path}")
    return 0


def _sweep(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments.errors import ExperimentError
    from experiments.progress import Progress
    from experiments.runfolder import command_line
    from experiments.sweep import SweepFolder, run_sweep
    from experiments.sweep_plan import load_sweep

    progress = Progress()
    command = command_line(given)
    if options.resume is None:
        sweep, runs = load_sweep(options.rest[0], options.rest[1:])
        folder = SweepFolder.create(options.runs, sweep, runs, command)
        progress.print(f"sweep folder: {folder.path}")
    else:
        folder = SweepFolder.open(options.resume)
    with folder.log.lock():
        for difference in folder.log.note_resumed(command) if options.resume else []:
            progress.print(f"note: the sweep was begun with another version: {difference}")
        try:
            failed = run_sweep(folder, command, progress)
        except KeyboardInterrupt:
            again = f"python -m experiments sweep --resume {shlex.quote(str(folder.path))}"
            return say(f"interrupted; this goes on to the same result: {again}", INTERRUPTED)
        except (ExperimentError, LoopEnvsError) as error:
            return say(str(error), FAILED)
    if failed:
        return say(f"{len(failed)} of {len(folder.runs)} runs failed: {', '.join(failed)}", FAILED)
    progress.print(f"finished: {folder.path}")
    return 0


def _zoo(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments import zoo
    from experiments.errors import ExperimentError
    from experiments.progress import Progress
    from experiments.runfolder import command_line
    from experiments.train import TrainingError

    if options.retrain is None:
        return zoo.show(Progress())
    try:
        return zoo.retrain(options.retrain, options.runs, command_line(given), Progress())
    except KeyboardInterrupt:
        return say("interrupted; the player is the one it was", INTERRUPTED)
    except TrainingError as error:
        return say(str(error), FAILED)
    except (ExperimentError, LoopEnvsError) as error:
        return say(str(error))


def _results(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments import results
    from experiments.runfolder import command_line

    return results.main(options.rest[0], options.rest[1:], options.runs, command_line(given))


def _record(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments.board_records import board_records
    from experiments.runfolder import RunFolder
    from loop_envs.records import dumps

    path, board = options.rest
    for record in board_records(RunFolder.open(path), int(board)):
        print(dumps(record), flush=True)
    return 0


def _bench(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments import bench

    return bench.main(options.rest[0], options.rest[1:])


VERBS: dict[str, Callable[[argparse.Namespace, Sequence[str]], int]] = {
    "run": _run,
    "train": _run,
    "tournament": _run,
    "fairness": _run,
    "sweep": _sweep,
    "record": _record,
    "results": _results,
    "zoo": _zoo,
    "list": _list,
    "bench": _bench,
    "schema": _schema,
}
