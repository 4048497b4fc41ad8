"""Command line: ``python -m loop_envs record|replay|info|list``."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from typing import Any

from loop_envs import records
from loop_envs.errors import LoopEnvsError, OptionError, RecordError
from loop_envs.options import table
from loop_envs.registry import env_ids, load_game, presets, rules_of


def _options(texts: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option must be NAME=VALUE, got {text!r}")
        try:
            options[name] = json.loads(value)
        except (ValueError, RecursionError):
            options[name] = value  # a bare word is a string
    return options


def _record(arguments: argparse.Namespace) -> None:
    game = load_game(arguments.env, **_options(arguments.option))
    for board in range(arguments.board, arguments.board + arguments.matches):
        match = records.record_match(game, arguments.seed, board, legal=arguments.legal)
        print(records.dumps(match))


def _replay(arguments: argparse.Namespace) -> None:
    matches = moves = 0
    with (
        io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
        if arguments.file == "-"
        else open(arguments.file, encoding="utf-8", errors="replace") as lines
    ):
        for record in records.read(lines):
            try:
                records.replay(record)
            except LoopEnvsError as error:
                raise type(error)(f"record {matches + 1}: {error}") from None
            matches += 1
            moves += sum("move" in event for event in record["events"])
    print(f"{matches} records replayed, {moves} moves, all by the rules")


def info_text(env_id: str, **options: Any) -> str:
    """What ``info`` prints: options, observation fields and actions, made from the code."""
    game = load_game(env_id, **options)
    actions = ["| actions | numbers | how many | meaning |", "|---|---|---|---|"]
    for name, first, number, meaning in game.rules.action_groups(game):
        actions.append(f"| {name} | {first}–{first + number - 1} | {number} | {meaning} |")
    values = json.dumps(game.options)
    small = [f"* `{name}`: `{json.dumps(given)}`" for name, given in presets(env_id).items()]
    return "\n".join(
        [
            f"# {env_id}: {game.rules.title}",
            "",
            "## Options",
            "",
            table(game.rules.options),
            "",
            "Small variants by name, see `loop_envs.registry.presets`:",
            "",
            *small,
            "",
            f"The tables below are those of `{values}`.",
            "",
            f"## Observation: int8 [{game.layout.size}]",
            "",
            game.layout.table(),
            "",
            f"## Actions: {game.num_actions}",
            "",
            *actions,
        ]
    )


def _info(arguments: argparse.Namespace) -> None:
    print(info_text(arguments.env, **_options(arguments.option)))


def _list(arguments: argparse.Namespace) -> None:
    for env_id in env_ids():
        print(f"{env_id}  {rules_of(env_id).title}")


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loop_envs", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    option = {"action": "append", "default": [], "metavar": "NAME=VALUE"}
    record = verbs.add_parser("record", help="print records of random matches, one a line")
    record.add_argument("env")
    record.add_argument("--seed", type=_natural, default=0)
    record.add_argument("--board", type=_natural, default=0, help="first board")
    record.add_argument("--matches", type=_natural, default=1)
    record.add_argument("--legal", action="store_true", help="list the legal moves at every move")
    record.add_argument("--option", **option)  # type: ignore[arg-type]
    record.set_defaults(run=_record)
    replay = verbs.add_parser("replay", help="check records against the rules")
    replay.add_argument("file", help="JSON Lines, or - for standard input")
    replay.set_defaults(run=_replay)
    info = verbs.add_parser("info", help="options, observation and actions of an environment")
    info.add_argument("env")
    info.add_argument("--option", **option)  # type: ignore[arg-type]
    info.set_defaults(run=_info)
    verbs.add_parser("list", help="all environments").set_defaults(run=_list)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Runs a command; returns its exit status: 0 done, 1 a record is refused, 2 bad usage."""
    arguments = _parser().parse_args(argv)
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (LoopEnvsError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1 if isinstance(error, RecordError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
