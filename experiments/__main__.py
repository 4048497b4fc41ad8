"""The command line: ``python -m experiments VERB CONFIG [key=value ...]``.

Exit status: 0 done; 1 failed on the way; 2 refused, nothing was created; 130 interrupted.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from experiments.say import INTERRUPTED, say
from loop_envs.errors import LoopEnvsError

_HELP = """\
verbs:
  run CONFIG         train if the configuration says so, then play the tournament if it has one
  train CONFIG       train only
  tournament CONFIG  play the tournament only
  fairness CONFIG    study how much is luck and whom the rules favour
  record FOLDER BOARD
                     print the matches of a tournament's board as game records, one a line
  sweep CONFIG       do what run does for a grid of values under several training seeds
  results CONFIG     play several tournaments, write one document of their tables
  zoo                show and verify the trained players; --retrain NAME makes one again
  bench CONFIG       measure speeds
  list               show run folders, agents and configurations
  schema [sweep]     print the JSON Schema of configurations, or of sweeps, for editors

Values of the configuration are overridden by key=value, elements of lists by number:
  python -m experiments run configs/quickstart.yaml seed=2 train.learners.0.entropy=0.02

A tournament is played by several processes, in a folder of one's own choice, with
  python -m experiments tournament CONFIG workers=2 output=FOLDER

A run or a sweep that was interrupted goes on to the same result:
  python -m experiments run --resume runs/NAME
  python -m experiments sweep --resume runs/NAME
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
    verbs = [
        "run", "train", "tournament", "fairness", "record", "sweep", "results", "zoo", "list",
        "bench", "schema",
    ]  # fmt: skip
    parser.add_argument("verb", choices=verbs, metavar="VERB", help="what to do, see below")
    parser.add_argument("rest", nargs="*", metavar="CONFIG [key=value ...]", help="a YAML file")
    parser.add_argument("--runs", default="runs", metavar="DIR", help="folder of all runs")
    parser.add_argument("--retrain", metavar="NAME", help="trained player to make again")
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
        return say(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("agents", "experiments", "loop_envs"):
            raise
        return say(f"the package {error.name!r} is missing: pip install -e '.[train]'")
    except KeyboardInterrupt:
        return say("interrupted", INTERRUPTED)


def _command(options: argparse.Namespace, given: Sequence[str]) -> int:
    from experiments import verbs
    from experiments.errors import ExperimentError

    verb, rest = options.verb, options.rest
    try:
        if options.retrain is not None and verb != "zoo":
            raise _Usage(f"--retrain belongs to the verb zoo, got {verb}")
        if verb in ("list", "schema", "zoo"):
            allowed = [[], ["sweep"]] if verb == "schema" else [[]]
            if options.resume or rest not in allowed:
                raise _Usage(f"{verb} takes no configuration and nothing to resume")
        elif verb == "record":
            if options.resume or len(rest) != 2 or not rest[1].isdecimal():
                raise _Usage("record needs a run folder and the number of a board")
        elif options.resume is not None and rest:
            raise _Usage(f"--resume takes its configuration from the folder, got {rest[0]!r}")
        elif options.resume is not None and verb in ("bench", "results"):
            raise _Usage(f"{verb} cannot be resumed")
        elif options.resume is None and not rest:
            example = verb if verb in ("bench", "sweep", "results") else "quickstart"
            raise _Usage(f"{verb} needs a configuration, such as configs/{example}.yaml")
        return verbs.VERBS[verb](options, given)
    except (ExperimentError, LoopEnvsError) as error:
        return say(str(error))


def _stop(signum: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)  # what clusters send before they kill
    sys.exit(main())
