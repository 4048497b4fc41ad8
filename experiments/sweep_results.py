"""What came out of a sweep: tables of runs and of grid points, a report, and a table to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from experiments.config_sweep import SweepConfig, value_text
from experiments.errors import RunFolderError
from experiments.progress import Progress
from experiments.report import markdown, plus_minus, text_table
from experiments.runfolder import RunFolder
from experiments.sweep_plan import Measure, SweepRun, measures
from loop_envs.duplicate.statistics import mean_interval

_NOTES = """\
Means over training seeds; ± is the half-width of Student's 95 % interval over them, and stays
empty for fewer than two seeds. *difference*: the mean points of a seat of the learner minus those
of a seat of the opponent, in the run's last evaluation. *margin*: points minus the mean points of
the match, in the run's tournament; it depends on all who play there, other learners of the run
among them.
"""
_CHANGE_NOTES = """\
*change*: difference to the first grid point under the same seed, which judges both on the same
cards; mean and interval are over the seeds that both have finished. **Bold** where the interval
excludes 0. The intervals are those of single comparisons: among twenty changes that make no
difference, one is expected to be bold by chance.
"""


def runs_table(
    sweep: SweepConfig, runs: Sequence[SweepRun], finished: Mapping[str, RunFolder]
) -> pl.DataFrame:
    """What every finished run has measured.

    Args:
        sweep: The sweep.
        runs: All its runs.
        finished: Folders of the finished ones, by the run's name.

    Returns:
        A row per grid point, seed and measure: point (number from 1); a column for each key of
        the grid; seed; run (name of its folder); learner; measure ("difference" or "margin");
        opponent (null for a margin); value.

    Raises:
        RunFolderError: If results of a finished run are missing.
    """
    rows: list[dict[str, Any]] = []
    for run in sorted(runs, key=lambda run: (run.point, sweep.seeds.index(run.config.seed))):
        folder = finished.get(run.config.name)
        for (learner, measure, opponent), value in _measured(run, folder) if folder else ():
            rows.append(
                {"point": run.point, "seed": run.config.seed, "run": folder.name if folder else ""}
                | {"learner": learner, "measure": measure, "opponent": opponent, "value": value}
            )
    text = dict.fromkeys(("run", "learner", "measure", "opponent"), pl.String)
    schema = {"point": pl.Int64, "seed": pl.Int64, **text, "value": pl.Float64}
    return _with_values(sweep, pl.DataFrame(rows, schema))


def _measured(run: SweepRun, folder: RunFolder) -> list[tuple[Measure, float]]:
    """What a finished run has measured."""
    found: dict[Measure, float] = {}
    try:
        if run.config.train is not None and run.config.train.evaluate is not None:
            frame = pl.read_parquet(folder.results / "evaluation.parquet")
            last = frame.filter(pl.col("decisions") == pl.col("decisions").max())
            # A run of several sizes has been judged in each: their mean.
            mean = last.group_by("learner", "opponent").agg(pl.col("difference").mean())
            for row in mean.iter_rows(named=True):
                found[row["learner"], "difference", row["opponent"]] = row["difference"]
        if run.config.tournament is not None:
            for row in pl.read_parquet(folder.results / "agents.parquet").iter_rows(named=True):
                found[row["agent"], "margin", None] = row["margin"]
        return [(measure, found[measure]) for measure in measures(run.config)]
    except (OSError, KeyError, pl.exceptions.PolarsError) as error:
        raise RunFolderError(f"{folder.path} lacks results, remove it: {error}") from None


def _with_values(sweep: SweepConfig, frame: pl.DataFrame) -> pl.DataFrame:
    """Adds the columns of the grid: numbers, texts or truth values; what is mixed as texts."""
    columns = []
    for key, given in sweep.grid.items():
        kinds = {type(value) for value in given}
        kind: tuple[type[pl.DataType], Callable[[Any], Any]] = (pl.String, value_text)
        if kinds == {bool}:
            kind = (pl.Boolean, bool)
        elif kinds == {int} and all(abs(value) < 2**63 for value in given):
            kind = (pl.Int64, int)
        elif kinds <= {int, float}:
            # Polars has no larger integers.
            kind = (pl.Float64, float)
        values = [kind[1](sweep.points[point - 1][key]) for point in frame["point"]]
        columns.append(pl.Series(key, values, kind[0]))
    return frame.select("point", *columns, pl.exclude("point"))


def summary_table(
    sweep: SweepConfig, runs: Sequence[SweepRun], table: pl.DataFrame
) -> pl.DataFrame:
    """Means over training seeds, with intervals.

    Args:
        sweep: The sweep.
        runs: All its runs.
        table: From `runs_table`.

    Returns:
        A row per learner, measure and grid point: point; a column for each key of the grid;
        learner; measure; opponent; seeds (number of finished runs); mean, low, high (95 %, over
        seeds); common_seeds, change, change_low, change_high (paired difference to the first
        grid point over the seeds that both have). Values are nan where seeds are too few.
    """
    values: dict[tuple[int, Measure], dict[int, float]] = {}
    for row in table.iter_rows(named=True):
        measure = (row["learner"], row["measure"], row["opponent"])
        values.setdefault((row["point"], measure), {})[row["seed"]] = row["value"]
    configs = {run.point: run.config for run in runs}
    expected = {point: measures(config) for point, config in sorted(configs.items())}
    rows = []
    for measure in dict.fromkeys(measure for found in expected.values() for measure in found):
        first = values.get((1, measure), {})
        for point in (point for point, found in expected.items() if measure in found):
            own = values.get((point, measure), {})
            mean, low, high, seeds = mean_interval(list(own.values()))
            paired = [own[seed] - first[seed] for seed in own if seed in first and point > 1]
            change, change_low, change_high, common = mean_interval(paired)
            rows.append(
                {"point": point}
                | dict(zip(("learner", "measure", "opponent"), measure, strict=True))
                | {"seeds": seeds, "mean": mean, "low": low, "high": high}
                | {"common_seeds": common, "change": change}
                | {"change_low": change_low, "change_high": change_high}
            )
    return _with_values(sweep, pl.DataFrame(rows, schema_overrides={"opponent": pl.String}))


def summary_rows(sweep: SweepConfig, summary: pl.DataFrame, bold: str = "") -> list[list[str]]:
    """Header and rows of the table of grid points; `bold` is put around clear changes."""
    several = len(sweep.points) > 1
    header = ["learner", "measure", *sweep.short_keys.values(), "seeds", "mean"]
    rows = [header + ["change"] * several]
    for row in summary.iter_rows(named=True):
        to = f" to {row['opponent']}" if row["opponent"] is not None else ""
        point = sweep.points[row["point"] - 1]
        change = _mean(row["change"], row["change_low"], row["change_high"], bold)
        if 0 < row["common_seeds"] < row["seeds"]:
            change += f" ({row['common_seeds']} seeds)"
        rows.append(
            [row["learner"], row["measure"] + to, *map(value_text, point.values())]
            + [str(row["seeds"]), _mean(row["mean"], row["low"], row["high"])]
            + [change] * several
        )
    return rows


def _mean(mean: float, low: float, high: float, bold: str = "") -> str:
    if mean != mean:
        return ""
    if low != low:
        return f"{mean:+.2f}"
    mark = bold if low > 0 or high < 0 else ""
    return f"{mark}{plus_minus(mean, low, high)}{mark}"


def report_text(sweep: SweepConfig, summary: pl.DataFrame, states: Mapping[str, str]) -> str:
    """The report in Markdown.

    Args:
        sweep: The sweep.
        summary: From `summary_table`.
        states: State of every run, by name.
    """
    finished = sum(state == "finished" for state in states.values())
    changes = f", with {', '.join(sweep.overrides)}" if sweep.overrides else ""
    grid = [f"* {key}: {', '.join(map(value_text, v))}" for key, v in sweep.grid.items()]
    missing = [f"* {state}: {name}" for name, state in states.items() if state != "finished"]
    return "\n".join(
        [
            f"# {sweep.name}: sweep",
            "",
            f"* base: {sweep.base}{changes}",
            *grid,
            f"* seeds: {', '.join(map(str, sweep.seeds))}",
            f"* {finished} of {len(states)} runs finished",
            *missing,
            "",
            markdown(summary_rows(sweep, summary, "**"), left=2),
            "",
            _NOTES,
            *([_CHANGE_NOTES] if len(sweep.points) > 1 else []),
        ]
    )


def print_summary(progress: Progress, sweep: SweepConfig, summary: pl.DataFrame) -> None:
    """Prints the table of grid points."""
    title = "mean, 95 % interval over training seeds"
    progress.print(text_table(title, summary_rows(sweep, summary), left=2))
