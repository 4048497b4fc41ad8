"""The configuration of a sweep: an experiment, training seeds, and a grid of some of its values."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from experiments.config_errors import problems
from experiments.config_values import Model, Name, Seed
from experiments.errors import ConfigError

MOST_RUNS = 1000
Point = dict[str, Any]


def _grid(value: Any) -> Any:
    ok = isinstance(value, dict) and all(
        isinstance(key, str) and isinstance(values, list) and values
        for key, values in value.items()
    )
    try:
        json.dumps(value)  # fails for dates, which YAML has but no configuration
    except (TypeError, ValueError):
        ok = False
    if not ok:
        raise PydanticCustomError("grid", "no mapping of keys to lists")
    return value


class SweepConfig(Model):
    """A sweep: every combination of the grid's values under every training seed."""

    name: Name = Field(description="name of the sweep, which begins its folder's name")
    base: str = Field(min_length=1, description="path of an experiment with a section train")
    overrides: list[str] = Field([], description="changes of the base, dotted.key=value each")
    seeds: list[Seed] = Field(min_length=1, description="training seeds, instead of the base's")
    grid: Annotated[dict[str, list[Any]], BeforeValidator(_grid)] = Field(
        {},
        description="values to be compared, by dotted key of the base",
        json_schema_extra={
            "allowed": "a mapping of dotted keys, such as train.learners.0.entropy, to lists of "
            "at least one value"
        },
    )

    @property
    def points(self) -> list[Point]:
        """All combinations of the grid's values; a single empty one without a grid."""
        return [
            dict(zip(self.grid, values, strict=True))
            for values in itertools.product(*self.grid.values())
        ]

    @property
    def short_keys(self) -> dict[str, str]:
        """The grid's keys without what is not needed to tell them apart."""
        return {key: _short(key, self.grid) for key in self.grid}

    def label(self, point: Point) -> str:
        """A grid point in a few words."""
        short = self.short_keys
        return ", ".join(f"{short[key]}={value_text(v)}" for key, v in point.items()) or "base"


def parse_sweep(data: Any, source: str) -> SweepConfig:
    """Checks a sweep by itself, without its base.

    Raises:
        ConfigError: If anything is wrong with it; all problems are named.
    """
    try:
        sweep = SweepConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(source, problems(error, SweepConfig.model_json_schema())) from None
    found = []
    if len(set(sweep.seeds)) < len(sweep.seeds):
        found.append(("seeds", f"got {sweep.seeds}, allowed: each seed once"))
    given = [("overrides", override.partition("=")[0]) for override in sweep.overrides]
    for where, key in [*given, *(("grid", key) for key in sweep.grid)]:
        if key in ("name", "seed"):
            text = "allowed: other keys; names and seeds of runs are those of the sweep"
            found.append((f"{where}: {key}", text))
        elif where == "grid" and ("=" in key or not all(key.split("."))):
            text = f"got {key!r}, allowed: dotted keys, such as train.learners.0.entropy"
            found.append((where, text))
    count = len(sweep.seeds) * math.prod(map(len, sweep.grid.values()))
    if count > MOST_RUNS:
        found.append(("grid", f"{count:,} runs with all seeds, allowed: at most {MOST_RUNS:,}"))
    if found:
        raise ConfigError(source, found)
    return sweep


def value_text(value: Any) -> str:
    """A value of the grid as a short text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(key: str, keys: Mapping[str, Any]) -> str:
    parts = key.split(".")
    for k in range(len(parts) - 1, 0, -1):
        end = "." + ".".join(parts[k:])
        if not parts[k].isdecimal() and sum(f".{other}".endswith(end) for other in keys) == 1:
            return end[1:]
    return key
