"""The command line: ``python -m experiments VERB CONFIG [key=value ...]``.

Exit status: 0 done; 1 failed on the way; 2 refused, nothing was created; 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shlex
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from loop_envs.errors import LoopEnvsError

if TYPE_CHECKING:
    from experiments.config import Config
    from experiments.progress import Progress
    from experiments.runfolder import RunFolder

REFUSED, FAILED, INTERRUPTED = 2, 1, 130
_HELP = """\
verbs:
  run CONFIG         train if the configuration says so, then play the tournament if it has one
  train CONFIG       train only
  tournament CONFIG  play the tournament only
  bench CONFIG       measure speeds
  list               show run folders, agents and configurations
  schema             print the JSON Schema of configurations, for editors

Values of the configuration are overridden by key=value, elements of lists by number:
  python -m experiments run configs/quickstart.yaml seed=2 train.learners.0.entropy=0.02

A run that was interrupted goes on to the same result:
  python -m experiments run --resume runs/NAME
"""


class _Usage(Exception):
    """A command line that makes no sense."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Usage(f"{message} (python -m experiments --help shows the usage)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m experiments",
        usage="python -m experiments VERB [CONFIG] [key=value ...] [--runs DIR] [--resume FOLDER]",
        description="Trains agents and plays duplicate tournaments.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verbs = ["run", "train", "tournament", "list", "bench", "schema"]
    parser.add_argument("verb", choices=verbs, metavar="VERB", help="what to do, see below")
    parser.add_argument("rest", nargs="*", metavar="CONFIG [key=value ...]", help="a YAML file")
    parser.add_argument("--runs", default="runs", metavar="DIR", help="folder of all runs")
    parser.add_argument("--resume", metavar="FOLDER", help="run folder to go on in")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: The command line without the program; None takes the process's.

    Returns:
        The exit status.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _parser().parse_intermixed_args(given)
        return _command(options, given)
    except _Usage as error:
        return _say(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("agents", "experiments", "loop_envs"):
            raise
        return _say(f"the package {error.name!r} is missing: pip install -e '.[train]'")
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)


def _say(message: str, status: int = REFUSED) -> int:
    print(message if status == INTERRUPTED else f"error: {message}", file=sys.stderr)
    return status


def _command(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments.errors import ExperimentError

    verb, rest = options.verb, options.rest
    try:
        if verb in ("list", "schema"):
            if rest or options.resume:
                raise _Usage(f"{verb} takes no configuration and nothing to resume")
            return _list(options.runs) if verb == "list" else _schema()
        if options.resume is not None and rest:
            raise _Usage(f"--resume takes its configuration from the folder, got {rest[0]!r}")
        if verb == "bench" and options.resume is not None:
            raise _Usage("bench cannot be resumed")
        if options.resume is None and not rest:
            example = "configs/bench.yaml" if verb == "bench" else "configs/quickstart.yaml"
            raise _Usage(f"{verb} needs a configuration, such as {example}")
        if verb == "bench":
            bench = importlib.import_module("experiments.bench")
            return int(bench.main(rest[0], rest[1:]) or 0)
        return _run(options, given)
    except (ExperimentError, LoopEnvsError) as error:
        return _say(str(error))


def _schema() -> int:
    from experiments.config import Config

    print(json.dumps(Config.model_json_schema(), indent=2))
    return 0


def _list(runs: str) -> int:
    from rich.table import Table

    from agents.named import agent_names
    from experiments.config_yaml import known_configs
    from experiments.progress import Progress
    from experiments.runfolder import run_folders
    from loop_envs import env_ids
    from loop_envs.registry import rules_of

    progress = Progress()
    folders = run_folders(runs)
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
    """The verbs run, train and tournament."""
    from experiments.config import load_config
    from experiments.players import load_agents
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
    from experiments.stages import run_stages

    try:
        run_stages(stages, config, config.make_game(), folder, progress)
    except KeyboardInterrupt:
        again = f"python -m experiments {verb} --resume {shlex.quote(str(folder.path))}"
        return _say(f"interrupted; this goes on to the same result: {again}", INTERRUPTED)
    except (ExperimentError, LoopEnvsError) as error:
        return _say(str(error), FAILED)
    except Exception as error:
        file = folder.path / "error.txt"
        file.write_text(traceback.format_exc(), encoding="utf-8")
        return _say(f"{type(error).__name__}: {error} (more in {file})", FAILED)
    progress.print(f"finished: {folder.path}")
    return 0


def _stop(signum: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)  # what clusters send before they kill
    sys.exit(main())
