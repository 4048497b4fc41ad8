"""Sweeps: what is refused, what is compared, and going on after a stop or a failure."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from experiments import train as training
from experiments.__main__ import main
from experiments.config_sweep import SweepConfig
from experiments.config_yaml import dump_yaml
from experiments.errors import ExperimentError, RunFolderError
from experiments.runfolder import RunFolder, run_folders
from experiments.sweep import SweepFolder
from experiments.sweep_plan import load_sweep, run_names
from experiments.sweep_results import report_text, runs_table, summary_table

BASE: dict[str, Any] = {
    "name": "small",
    "game": {
        "env": "loop_boards-v0",
        "options": {
            "num_players": 2,
            "hand_size": 4,
            "deck": {"colours": 2, "values": 4},
            "eight": 3,
        },
    },
    "train": {
        "steps": 1500,
        "num_matches": 16,
        "save_every": 1,
        "evaluate": {"every": 2, "boards": 32, "against": ["random", "greedy"]},
        "learners": [
            {"name": "one", "kind": "ppo_all", "network": [8], "rollout": 256, "batch_size": 64},
        ],
    },
    "tournament": {"agents": ["one", "random"], "boards": 32},
}
KEY = "train.learners.0.learning_rate"


def write(folder: Path, **changes: Any) -> str:
    """Writes a base and a sweep of it; returns the sweep's path."""
    (folder / "base.yaml").write_text(dump_yaml(BASE))
    values: dict[str, Any] = {"name": "test", "base": str(folder / "base.yaml"), "seeds": [1, 2]}
    values |= {"grid": {KEY: [0.001, 0.1]}, **changes}
    (folder / "sweep.yaml").write_text(dump_yaml(values))
    return str(folder / "sweep.yaml")


def only(runs: Path) -> Path:
    (path,) = [file.parent for file in runs.glob("*/sweep.yaml")]
    return path


def tables(path: Path) -> list[pl.DataFrame]:
    """Both tables, without the names of folders, which tell the time."""
    frames = [pl.read_parquet(path / "results" / f"{n}.parquet") for n in ("runs", "summary")]
    return [frames[0].drop("run"), frames[1]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a sweep that was not disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert main(["sweep", write(folder), "--runs", str(folder / "runs")]) == 0
    return only(folder / "runs")


def test_a_sweep_is_a_folder_of_runs(whole: Path) -> None:
    assert whole.name.startswith("test-2")
    assert {path.name for path in whole.iterdir()} - {".lock"} == {
        "sweep.yaml", "configs", "runs", "results", "report.md",
        "command.txt", "versions.json", "status.json",
    }  # fmt: skip
    runs = {folder.config().name: folder for folder in run_folders(whole / "runs")}
    names = ["1-learning_rate_0.001-seed_1", "2-learning_rate_0.1-seed_1"]
    names += ["1-learning_rate_0.001-seed_2", "2-learning_rate_0.1-seed_2"]
    assert sorted(runs) == sorted(names)
    assert all(folder.status()["state"] == "finished" for folder in runs.values())
    config = runs[names[3]].config()
    assert config.seed == 2
    assert config.train is not None
    assert config.train.learners[0].learning_rate == 0.1
    assert SweepFolder.open(whole).sweep.base == str(whole.parents[1] / "base.yaml")
    assert RunFolder(whole).status()["state"] == "finished"


def test_the_summary_is_over_seeds(whole: Path) -> None:
    runs, summary = tables(whole)
    assert runs.columns == ["point", KEY, "seed", "learner", "measure", "opponent", "value"]
    assert runs.height == 2 * 2 * 3
    assert runs["value"].n_unique() > 4
    for folder in run_folders(whole / "runs"):
        here = {"point": int(folder.name[0]), "seed": folder.config().seed}
        rows = runs.filter(**here)
        values = dict(zip(rows["opponent"], rows["value"], strict=True))
        judged = pl.read_parquet(folder.results / "evaluation.parquet")
        last = judged.filter(pl.col("decisions") == judged["decisions"].max())
        assert judged.height > last.height == 2
        margin = pl.read_parquet(folder.results / "agents.parquet").row(
            by_predicate=pl.col("agent") == "one", named=True
        )["margin"]
        expected = dict(zip(last["opponent"], last["difference"], strict=True)) | {None: margin}
        assert values == expected
    assert summary["seeds"].to_list() == [2] * 6
    for row in summary.iter_rows(named=True):
        about = [pl.col(key).eq_missing(row[key]) for key in ("measure", "opponent")]
        first, own = (
            runs.filter(pl.col("point") == p, *about)["value"].to_numpy() for p in (1, row["point"])
        )
        assert (row["mean"], row["low"], row["high"]) == pytest.approx(interval(own))
        if row["point"] == 1:
            assert row["common_seeds"] == 0
            assert math.isnan(row["change"])
        else:
            found = (row["change"], row["change_low"], row["change_high"])
            assert found == pytest.approx(interval(own - first))


def interval(values: Any) -> tuple[float, float, float]:
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return values.mean(), values.mean() - half, values.mean() + half


def test_report_list_and_schema(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = (whole / "report.md").read_text()
    assert "| learner | measure | learning_rate | seeds | mean | change |" in report
    assert "| one | difference to greedy | 0.1 | 2 | " in report
    assert "4 of 4 runs finished" in report
    assert main(["sweep", "--resume", str(whole)]) == 0  # nothing is left to do
    assert (whole / "report.md").read_text() == report
    assert len((whole / "command.txt").read_text().splitlines()) == 2
    assert "training: " not in capsys.readouterr().out
    assert main(["list", "--runs", str(whole.parent)]) == 0
    out = capsys.readouterr().out
    assert whole.name in out
    assert "4 of 4 runs" in out
    assert main(["schema", "sweep"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(schema["properties"]) == {"name", "base", "overrides", "seeds", "grid"}
    assert main(["run", "--resume", str(whole)]) == 2
    assert "is no run folder" in capsys.readouterr().err


def test_a_sweep_that_is_stopped_goes_on_to_the_same_result(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    iterate = training.Trainer.iterate

    def stop(self: training.Trainer) -> None:
        if self._iteration == 2 and "2-learning_rate_0.1-seed_1" in str(self._folder.path):
            raise KeyboardInterrupt
        iterate(self)

    with monkeypatch.context() as patch:
        patch.setattr(training.Trainer, "iterate", stop)
        assert main(["sweep", write(tmp_path), "--runs", str(tmp_path)]) == 130
    path = only(tmp_path)
    assert f"python -m experiments sweep --resume {path}" in capsys.readouterr().err
    assert RunFolder(path).status()["state"] == "interrupted"
    assert "1 of 4 runs finished" in (path / "report.md").read_text()
    first, begun = run_folders(path / "runs")
    assert begun.status()["state"] == "interrupted"
    kept = (first.checkpoint("one")).stat().st_mtime_ns
    # Nothing of it is read again.
    (tmp_path / "base.yaml").unlink()
    (tmp_path / "sweep.yaml").unlink()
    assert main(["sweep", "--resume", str(path)]) == 0
    assert (first.checkpoint("one")).stat().st_mtime_ns == kept
    assert len(run_folders(path / "runs")) == 4
    for one, other in zip(tables(path), tables(whole), strict=True):
        assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("error", [ExperimentError("loss is nan"), RuntimeError("a bug")])
def test_a_run_that_fails_does_not_end_the_sweep(
    error: Exception,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(self: training.Trainer) -> None:
        if self._config.seed == 1 and self._iteration == 1:
            raise error
        iterate(self)

    iterate = training.Trainer.iterate
    changes = {"grid": {}, "overrides": [f"{KEY}=0.001"]}
    with monkeypatch.context() as patch:
        patch.setattr(training.Trainer, "iterate", fail)
        assert main(["sweep", write(tmp_path, **changes), "--runs", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.err == "error: 1 of 2 runs failed: seed_1\n"
    assert f"failed: {'' if isinstance(error, ExperimentError) else 'RuntimeError: '}" in said.out
    path = only(tmp_path)
    assert RunFolder(path).status()["state"] == "failed"
    states = [folder.status()["state"] for folder in run_folders(path / "runs")]
    assert states == ["failed", "finished"]
    report = (path / "report.md").read_text()
    assert "1 of 2 runs finished" in report
    assert "* failed: seed_1" in report
    summary = tables(path)[1]
    assert summary["seeds"].to_list() == [1, 1, 1]
    assert summary["mean"].is_not_nan().all()
    assert summary["low"].is_nan().all()  # one seed says nothing about seeds
    assert main(["sweep", "--resume", str(path)]) == 0
    # The same runs, so the same values, as those of the first grid point of the other sweep.
    expected = tables(whole)[1].filter(pl.col("point") == 1).drop(KEY)
    assert_frame_equal(tables(path)[1], expected, check_exact=True)


# changes of the sweep, path in the message, and words that must be there
BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"sed": [1]}, "sed", "did you mean 'seeds'? Keys: name, base, overrides, seeds, grid"),
    ({"name": "a/b"}, "name", "allowed: a name of"),
    ({"seeds": []}, "seeds", "got [], allowed: a list of integers ≥ 0"),
    ({"seeds": [1, "2"]}, "seeds.1", "got '2', allowed: an integer ≥ 0"),
    ({"seeds": [1, 2, 1]}, "seeds", "got [1, 2, 1], allowed: each seed once"),
    ({"grid": [KEY]}, "grid", "allowed: a mapping of dotted keys, such as"),
    ({"grid": {KEY: 0.1}}, "grid", "to lists of at least one value"),
    ({"grid": {KEY: []}}, "grid", "to lists of at least one value"),
    ({"grid": {"seed": [3]}}, "grid: seed", "names and seeds of runs are those of the sweep"),
    ({"grid": {"a..b": [3]}}, "grid", "got 'a..b', allowed: dotted keys"),
    ({"grid": {KEY: [0.1, 0.1]}}, "grid", "the same experiment as learning_rate=0.1"),
    ({"seeds": list(range(900))}, "grid", "1,800 runs with all seeds, allowed: at most 1,000"),
    ({"grid": {KEY: [0.1, -1]}}, KEY,
     "got -1, allowed: a number > 0 (grid point learning_rate=-1)"),
    ({"grid": {KEY: ["0.1"]}}, KEY, "got '0.1', allowed: a number > 0"),
    ({"grid": {"train.learners.0.entrpy": [1]}}, "train.learners.0.entrpy",
     "did you mean 'entropy'? Keys: name, network"),
    ({"grid": {"train.learners.3.entropy": [1]}}, "train.learners.3.entropy",
     "train.learners is a list: got '3', allowed: 0..0"),
    ({"grid": {"train.learners.0.seed": [5]}}, "train.learners.0.seed", "got 5, allowed: null"),
    ({"grid": {"tournament.boards": [32, 5]}}, "tournament.boards",
     "got 5, allowed: 32 at all grid points"),
    ({"grid": {"train.steps": [1500, 100]}}, "train.steps", "got 100, allowed: at least 256"),
    ({"grid": {"train": [None]}}, "tournament.agents.0", "no learners without 'train'"),
    ({"overrides": ["seed=3"]}, "overrides: seed", "allowed: other keys"),
    ({"overrides": ["train.steps"]}, "overrides: 'train.steps'", "key=value"),
    ({"overrides": ["train.stps=3"]}, "train.stps", "did you mean 'steps'?"),
    ({"overrides": ["train=", "tournament.agents.0=greedy"]}, "base", "has no section 'train'"),
    ({"overrides": ["tournament=", "train.evaluate="]}, "train.evaluate", "missing"),
    ({"overrides": ["tournament.agents.1={name: x, checkpoint: no.zip}"]},
     "tournament.agents.1.checkpoint", "got 'no.zip', allowed: a file that exists"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "path", "words"), BAD)
def test_bad_sweeps_are_refused(
    changes: dict[str, Any],
    path: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["sweep", write(tmp_path, **changes), "--runs", str(tmp_path / "runs")]) == 2
    err = capsys.readouterr().err
    assert f"\n  {path}: " in err
    assert words in err
    assert not (tmp_path / "runs").exists()


def test_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in [
        (["sweep"], "sweep needs a configuration, such as configs/sweep.yaml"),
        (["sweep", "--resume", str(tmp_path / "x")], "is no sweep folder: it has no sweep.yaml"),
        (["sweep", write(tmp_path), "grid=3"], "grid: got 3"),
        (["sweep", write(tmp_path), "base=no.yaml"], "no.yaml: 1 problem\n  no such file"),
        (["schema", "sweeps"], "takes no configuration"),
    ]:
        assert main([*arguments, "--runs", str(tmp_path / "runs")]) == 2
        assert words in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_names_tell_values_and_fit() -> None:
    grid: dict[str, list[Any]] = {
        "train.learners.0.network": [[64, 64], [16]],
        "train.learners.0.entropy": [0.1],
        "train.learners.1.entropy": [0.2],
        "game.options.variant": ["a b/" * 20],
    }
    sweep = SweepConfig(name="x", base="b", overrides=[], seeds=[7, 2**63 - 1], grid=grid)
    assert list(sweep.short_keys.values()) == [
        "network", "learners.0.entropy", "learners.1.entropy", "variant",
    ]  # fmt: skip
    points, seeds, names = zip(*run_names(sweep), strict=True)
    assert points == (1, 2, 1, 2)
    assert seeds == (7, 7, 2**63 - 1, 2**63 - 1)
    assert names[0] == "1-network_64_64-learners.0.entropy_0.1-learners.1.entropy-seed_7"
    assert len(set(names)) == 4
    assert max(map(len, names)) <= 64


def test_learners_and_columns_may_differ_between_grid_points(tmp_path: Path) -> None:
    grid = {"train.learners.0.name": ["one", "two"], "train.reward": ["win", "margin"]}
    changes = ["tournament=", "train.evaluate.against=[greedy]"]
    sweep, runs = load_sweep(write(tmp_path, grid=grid, overrides=changes))
    folders = {}
    for number, run in enumerate(runs[:6]):  # seed 2 lacks half of its runs
        folder = RunFolder.create(tmp_path / "runs", run.config, [])
        about = {"learner": run.config.learner_names[0], "opponent": "greedy"}
        # Only the last evaluation counts.
        results = [about | {"difference": d, "decisions": -d} for d in (number + 1, number)]
        pl.DataFrame(results).write_parquet(folder.results / "evaluation.parquet")
        folders[run.config.name] = folder
    table = runs_table(sweep, runs, folders)
    assert table["value"].to_list() == [0, 4, 1, 5, 2, 3]
    assert table["train.reward"].to_list() == ["win"] * 2 + ["margin"] * 2 + ["win", "margin"]
    summary = summary_table(sweep, runs, table)
    assert summary["learner"].to_list() == ["one", "one", "two", "two"]
    assert summary["mean"].to_list() == [2, 3, 2, 3]
    assert summary["seeds"].to_list() == [2, 2, 1, 1]
    assert summary["change"].to_list() == pytest.approx(
        [math.nan, 1, math.nan, math.nan], nan_ok=True
    )
    assert summary["low"].is_nan().to_list() == [False, False, True, True]
    report = report_text(sweep, summary, {run.config.name: "finished" for run in runs})
    assert (
        "| one | difference to greedy | one | margin | 2 | +3.00 ± 25.41 | **+1.00 ± 0.00** |"
        in report
    )
    assert "| two | difference to greedy | two | win | 1 | +2.00 |  |" in report
    (folders[runs[0].config.name].results / "evaluation.parquet").unlink()
    with pytest.raises(RunFolderError, match="lacks results, remove it"):
        runs_table(sweep, runs, folders)
    assert runs_table(sweep, runs, {}).schema == table.schema
    assert summary_table(sweep, runs, runs_table(sweep, runs, {}))["seeds"].to_list() == [0] * 4
