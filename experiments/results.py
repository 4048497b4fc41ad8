"""``python -m experiments results CONFIG``: several tournaments in one document of tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl
from pydantic import Field, ValidationError

from experiments.config import Config, load_config
from experiments.config_errors import problems
from experiments.config_values import Model
from experiments.config_yaml import apply_overrides, read_yaml
from experiments.errors import ConfigError, ExperimentError
from experiments.progress import Progress
from experiments.report import agent_rows, markdown, pair_rows
from experiments.runfolder import RunFolder, run_folders
from experiments.stages import run_stages
from loop_envs.errors import LoopEnvsError

_INTRODUCTION = """\
# Results

Made by `{command}`: for each game and variant one duplicate tournament of its configuration, on
boards that nobody was trained on. Every pair of agents fills the table by itself, in all cyclic
seatings on every board, so the differences are those of tables that two kinds of players share.
*margin* is points minus the mean points of the match; ± is the half-width of Student's 95 %
interval over boards. **Bold** differences exclude 0; the intervals are those of single
comparisons. Trained agents are those of `agents/zoo`, each from a single training run: the
intervals tell how sure the order of these players is, not what another training seed would give.
`python -m experiments zoo` says what each of them cost.
"""


class ResultsConfig(Model):
    """Which tournaments, and where their tables go."""

    output: str = Field(min_length=1, description="Markdown file that gets the tables")
    tournaments: list[str] = Field(min_length=1, description="paths of configurations")


def load(path: str, overrides: Sequence[str]) -> tuple[ResultsConfig, list[Config]]:
    """Reads and checks the configuration and all those that it names.

    Raises:
        ConfigError: If one is refused; nothing was played.
    """
    data = apply_overrides(read_yaml(path), overrides)
    try:
        config = ResultsConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(path, problems(error, ResultsConfig.model_json_schema())) from None
    configs = [load_config(one) for one in config.tournaments]
    for i, one in enumerate(configs):
        if one.tournament is None or one.train is not None:
            text = f"{config.tournaments[i]} must have a section tournament and none to train"
            raise ConfigError(path, [(f"tournaments.{i}", text)])
    return config, configs


def _section(config: Config, source: str, folder: RunFolder) -> str:
    agents = pl.read_parquet(folder.results / "agents.parquet")
    pairs = pl.read_parquet(folder.results / "pairs.parquet")
    game = config.make_game()
    changed = {
        o.name: game.options[o.name]
        for o in game.rules.options
        if game.options[o.name] != o.default
    }
    options = ", ".join(f"{key} = {json.dumps(value)}" for key, value in changed.items())
    about = f"{game.num_players} players" + (f", {options}" if options else "")
    boards = int(agents["boards"].to_numpy().max())
    return "\n".join(
        [
            f"## {game.env_id}: {about}",
            "",
            f"`{source}`, {boards:,} boards, seed {config.seed}.",
            "",
            markdown(agent_rows(agents)),
            "",
            "Row minus column:",
            "",
            markdown(pair_rows(agents, pairs, "**")),
            "",
        ]
    )


def _begun(runs: str, config: Config) -> RunFolder | None:
    """A folder of the same tournament, whose shards are used where the players are the same."""
    same = None
    for folder in run_folders(runs):
        with suppress(LoopEnvsError, ExperimentError):  # begun by an older version
            if folder.config() == config and not folder.in_use():
                same = folder
    return same


def main(path: str, overrides: Sequence[str], runs: str, command: Sequence[str]) -> int:
    """Plays all tournaments and writes the document.

    What an earlier call in the same folder of runs has played, with the same players, is not
    played again.

    Args:
        path: The configuration.
        overrides: ``dotted.key=value`` each.
        runs: Folder of all runs.
        command: The command line.

    Returns:
        Exit status 0.

    Raises:
        ConfigError: If a configuration is refused; nothing was played.
    """
    config, configs = load(path, overrides)
    progress = Progress()
    said = " ".join(["python -m experiments results", path, *overrides])
    parts = [_INTRODUCTION.format(command=said)]
    for source, one in zip(config.tournaments, configs, strict=True):
        folder = _begun(runs, one) or RunFolder.create(runs, one, command)
        progress.print(f"{source}: run folder {folder.path}")
        with folder.lock():
            run_stages(["tournament"], one, one.make_game(), folder, progress)
        parts.append(_section(one, source, folder))
    Path(config.output).parent.mkdir(parents=True, exist_ok=True)
    Path(config.output).write_text("\n".join(parts), encoding="utf-8")
    progress.print(f"written to {config.output}")
    return 0
