"""The runs of a sweep: every grid point under every training seed.

Training seeds are what is replicated: everything of a run that is random follows its seed, the
learners' weights as well as all deals, those of evaluations and of the tournament included. The
board *numbers* that are evaluated on are the same in all runs, so at a shared seed all grid points
are judged on the very same cards, and differences between grid points, paired by seed, are free of
most of the luck of the deal (unless it is the game itself that the grid changes). Runs of
different seeds share no cards: they are independent of each other, and an interval over seeds
covers the luck of training and that of the boards together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.config import Config, parse_config
from experiments.config_sweep import SweepConfig, parse_sweep, value_text
from experiments.config_yaml import apply_overrides, read_yaml
from experiments.errors import ConfigError
from experiments.players import load_agents

Measure = tuple[str, str, str | None]
"""Learner, "difference" or "margin", and the opponent of a difference."""


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep.

    Attributes:
        point: Number of its grid point, from 1.
        config: Its configuration, whose name is that of the run and whose seed is the run's.
    """

    point: int
    config: Config


def load_sweep(
    path: str | Path, overrides: Sequence[str] = ()
) -> tuple[SweepConfig, list[SweepRun]]:
    """Reads a sweep and checks it and the configurations of all its runs.

    Args:
        path: A YAML file.
        overrides: ``dotted.key=value`` each, of the sweep's own values.

    Returns:
        The sweep, with the path of its base made absolute, and its runs, see `run_names`.

    Raises:
        ConfigError: If anything is wrong with it; all problems are named.
    """
    sweep = parse_sweep(apply_overrides(read_yaml(path), overrides), str(path))
    values = read_yaml(sweep.base)
    try:
        values = apply_overrides(values, sweep.overrides)
    except ConfigError as error:
        raise ConfigError(str(path), [(f"overrides: {p}", t) for p, t in error.problems]) from None
    base = parse_config(values, f"{path}, base {sweep.base}")
    if base.train is None:
        raise ConfigError(str(path), [("base", f"{sweep.base} has no section 'train'")])
    if base.output is not None or "output" in sweep.grid:
        text = "output is the folder of a single run, allowed: none, since a sweep has its own"
        raise ConfigError(str(path), [("base", text)])
    configs = _configs(sweep, values, str(path))
    for config in configs:
        if config.tournament is not None:
            # So that checkpoints that do not fit are found before anything is created.
            load_agents(config, config.make_game(), None)
    runs = [
        SweepRun(point, configs[point - 1].model_copy(update={"name": name, "seed": seed}))
        for point, seed, name in run_names(sweep)
    ]
    return sweep.model_copy(update={"base": str(Path(sweep.base).resolve())}), runs


def run_names(sweep: SweepConfig) -> list[tuple[int, int, str]]:
    """Grid point (from 1), seed and name of every run.

    All grid points come under the first seed, then all under the next, so that a sweep that is
    cut short compares them. A name tells number and values of the grid point, as far as there is
    room, and the seed.
    """
    result, short = [], sweep.short_keys
    for seed in sweep.seeds:
        for number, point in enumerate(sweep.points, 1):
            head = [f"{number:0{len(str(len(sweep.points)))}}"] if point else []
            values = [f"{short[key]}_{value_text(value)}" for key, value in point.items()]
            values = [re.sub(r"[^A-Za-z0-9.+-]+", "_", value).strip("_") for value in values]
            end = f"seed_{seed}"
            start = "-".join([*head, *values])[: 63 - len(end)]  # names have 64 at most
            result.append((number, seed, f"{start}-{end}" if point else end))
    return result


def measures(config: Config) -> list[Measure]:
    """What a run measures: its learners' differences to opponents, and tournament margins."""
    result: list[Measure] = []
    against = config.train.evaluate.against if config.train and config.train.evaluate else []
    playing = config.tournament.agent_names if config.tournament else []
    for name in config.learner_names:
        result += [(name, "difference", opponent) for opponent in dict.fromkeys(against)]
        result += [(name, "margin", None)] if name in playing else []
    return result


def _configs(sweep: SweepConfig, values: Any, source: str) -> list[Config]:
    """The configurations of all grid points, whose names and seeds are still those of the base."""
    found: dict[tuple[str, str], str] = {}  # problems, and the first grid point that has each
    configs: list[Config] = []
    same: dict[str, str] = {}
    for point in sweep.points:
        label = sweep.label(point)
        # JSON is YAML.
        changes = [f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in point.items()]
        try:
            config = parse_config(apply_overrides(values, changes), source)
        except ConfigError as error:
            for problem in error.problems:
                found.setdefault(problem, label)
            continue
        configs.append(config)
        text = json.dumps(config.to_dict(), sort_keys=True)
        if text in same:
            found["grid", f"the same experiment as {same[text]}, allowed: different ones"] = label
        same.setdefault(text, label)
        for problem in _unfit(config, configs[0]):
            found.setdefault(problem, label)
    if found:
        raise ConfigError(
            source, [(path, f"{text} (grid point {at})") for (path, text), at in found.items()]
        )
    return configs


def _unfit(config: Config, first: Config) -> list[tuple[str, str]]:
    """What is right for a run alone but not in a sweep."""
    found = []
    for i, learner in enumerate(config.train.learners if config.train else []):
        if learner.seed is not None:
            text = f"got {learner.seed}, allowed: null, so that it follows the sweep's seeds"
            found.append((f"train.learners.{i}.seed", text))
    if not measures(config):
        text = "missing, as is a tournament with a learner; one of them is needed to compare by"
        found.append(("train.evaluate", text))
    boards, expected = _boards(config), _boards(first)
    for key in boards.keys() & expected.keys():
        if boards[key] != expected[key]:
            text = f"got {boards[key]}, allowed: {expected[key]} at all grid points: they are "
            found.append((key, f"{text}compared on the same boards"))
    return sorted(found)


def _boards(config: Config) -> dict[str, int]:
    evaluate = config.train.evaluate if config.train else None
    return {
        f"{path}.{key}": getattr(section, key)
        for path, section in (("train.evaluate", evaluate), ("tournament", config.tournament))
        if section is not None
        for key in ("boards", "first_board")
    }
