from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from experiments import bench, players, tournament
from experiments.__main__ import main
from experiments.config_yaml import CONFIGS, dump_yaml
from experiments.errors import ExperimentError
from experiments.runfolder import RunFolder, run_folders
from tests.experiments.helpers import Interrupted, config_values

ROOT = CONFIGS.parent


def command(*arguments: str, program: str | None = None) -> list[str]:
    start = [sys.executable, "-m", "experiments"] if program is None else [sys.executable, program]
    return [*start, *arguments]


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), cwd=ROOT, capture_output=True, text=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "test.yaml"
    path.write_text(dump_yaml(config_values(train=False)))
    return path


@pytest.fixture
def full(tmp_path: Path) -> Path:
    path = tmp_path / "full.yaml"
    path.write_text(dump_yaml(config_values()))
    return path


def test_a_run_from_outside(file: Path, tmp_path: Path) -> None:
    runs = str(tmp_path / "runs")
    done = call("run", str(file), "--runs", runs, "seed=5", "tournament.lineups=pairs")
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    assert "greedy" in done.stdout
    (folder,) = run_folders(runs)
    assert folder.status()["state"] == "finished"
    assert folder.config().seed == 5
    assert "random greedy random" in (folder.results / "matches.parquet").read_bytes().decode(
        errors="ignore"
    )
    line = (folder.path / "command.txt").read_text()
    assert line.endswith(
        f"-m experiments run {file} --runs {runs} seed=5 tournament.lineups=pairs\n"
    )


def test_a_bad_configuration_from_outside(file: Path, tmp_path: Path) -> None:
    done = call("run", str(file), "--runs", str(tmp_path / "runs"), "tournament.bords=7")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"error: {file}: 1 problem",
        "  tournament.bords: unknown key; did you mean 'boards'? Keys: agents, boards, "
        "first_board, movement, lineups, stop, chunk, num_matches",
    ]
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_goes_on_to_the_same_result(
    file: Path, tmp_path: Path, number: signal.Signals
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.experiments.helpers import Interrupted\n"
        "from experiments import players, tournament\n"
        "make = players.make_agent\n"
        "tournament.SLICE = 1\n"
        "players.make_agent = lambda *a: Interrupted(make(*a), 700, wait=True)\n"
        "runpy.run_module('experiments', run_name='__main__', alter_sys=True)\n"
    )
    changes = ["tournament.num_matches=2", "tournament.chunk=2"]
    runs = tmp_path / "runs"
    arguments = ["run", str(file), "--runs", str(runs), *changes]
    process = subprocess.Popen(
        command(*arguments, program=str(program)),
        cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == "waiting\n"
    (folder,) = run_folders(runs)
    assert folder.status()["state"] == "running"
    assert main(["run", "--resume", str(folder.path)]) == 2  # in use
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=30)
    if number == signal.SIGKILL:
        assert process.returncode == -9
    else:
        assert process.returncode == 130
        assert err == (
            "interrupted; this goes on to the same result: "
            f"python -m experiments run --resume {folder.path}\n"
        )
    assert folder.status()["state"] == "interrupted"
    assert list((folder.results / "shards").iterdir())
    assert not (folder.path / "report.md").exists()

    assert main(["run", "--resume", str(folder.path)]) == 0
    assert folder.status()["state"] == "finished"
    assert main(["run", *arguments[1:2], "--runs", str(tmp_path / "other")]) == 0
    (other,) = run_folders(tmp_path / "other")
    for name in ("matches", "agents", "pairs"):
        frames = [pl.read_parquet(f.results / f"{name}.parquet") for f in (folder, other)]
        assert frames[0].equals(frames[1])


def test_list_and_schema(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = str(tmp_path / "runs")
    assert main(["list", "--runs", runs]) == 0
    assert "no runs in" in capsys.readouterr().out
    assert main(["tournament", str(file), "--runs", runs]) == 0
    capsys.readouterr()
    assert main(["list", "--runs", runs]) == 0
    out = capsys.readouterr().out
    assert "test-2" in out
    assert "finished" in out
    assert "agents of loop_boards-v0: random" in out
    assert "configs/quickstart.yaml" in out
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(schema["properties"]) == {
        "name", "game", "seed", "threads", "workers", "output", "train", "tournament",
        "fairness",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "VERB"),
        (["fly"], "invalid choice: 'fly'"),
        (["run"], "run needs a configuration, such as configs/quickstart.yaml"),
        (["bench"], "bench needs a configuration"),
        (["run", "--resume"], "--resume"),
        (["run", "--fast", "x"], "--fast"),
        (["run", "--resume", "runs/x", "seed=2"], "takes its configuration from the folder"),
        (["run", "--resume", "no/such/folder"], "is no run folder"),
        (["list", "x"], "takes no configuration"),
        (["bench", "--resume", "x"], "cannot be resumed"),
        (["run", "no.yaml"], "no such file"),
    ],
)
def test_bad_usage(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*arguments, "--runs", str(tmp_path)] if arguments else []) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert words in err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert "--resume runs/NAME" in capsys.readouterr().out


def test_verbs_need_their_section(
    file: Path, full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = str(tmp_path / "runs")
    assert main(["train", str(file), "--runs", runs]) == 2
    assert "train: missing" in capsys.readouterr().err
    assert main(["tournament", str(full), "--runs", runs]) == 2
    assert "'wide' is a learner of this run, which is not trained yet" in capsys.readouterr().err
    assert not Path(runs).exists()


def test_checkpoints_that_do_not_fit_are_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    (tmp_path / "old.zip").write_text("no checkpoint")
    change = f"tournament.agents.1={{name: old, checkpoint: {tmp_path}/old.zip}}"
    assert main(["run", str(file), change, "--runs", str(tmp_path / "runs")]) == 2
    assert "tournament.agents.1: " in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


class Stages:
    """Stands in for training."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        module: Any = types.ModuleType("experiments.train")
        module.train = self.train
        monkeypatch.setitem(sys.modules, "experiments.train", module)
        monkeypatch.setattr(tournament, "play", lambda *a: self.calls.append("tournament"))
        self.calls: list[str] = []
        self.error: BaseException | None = None

    def train(self, config: Any, game: Any, folder: RunFolder, progress: Any) -> None:
        self.calls.append("train")
        if self.error is not None:
            raise self.error
        for name in config.learner_names:
            folder.checkpoint(name).touch()


def test_train_then_tournament(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stages = Stages(monkeypatch)
    runs = tmp_path / "runs"
    assert main(["run", str(full), "--runs", str(runs)]) == 0
    assert stages.calls == ["train", "tournament"]
    assert main(["train", str(full), "--runs", str(runs)]) == 0
    assert stages.calls == ["train", "tournament", "train"]
    capsys.readouterr()
    folder = run_folders(runs)[-1]
    folder.checkpoint("lean").unlink(missing_ok=True)
    folder.checkpoint("wide").unlink(missing_ok=True)
    assert main(["tournament", "--resume", str(folder.path)]) == 2
    assert "'wide' has no checkpoint" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "state", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted", "python -m experiments run --resume"),
        (ExperimentError("loss is nan at step 3"), 1, "failed", "error: loss is nan at step 3"),
        (RuntimeError("a bug"), 1, "failed", "RuntimeError: a bug (more in"),
    ],
)
def test_what_happens_on_the_way_is_noted(
    full: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    state: str,
    words: str,
) -> None:
    stages = Stages(monkeypatch)
    stages.error = error
    assert main(["run", str(full), "--runs", str(tmp_path)]) == status
    assert words in capsys.readouterr().err
    (folder,) = run_folders(tmp_path)
    assert folder.status()["state"] == state
    assert folder.status()["stage"] == "train"
    # Half-trained learners play no tournament.
    assert main(["tournament", "--resume", str(folder.path)]) == 2
    assert f"not trained yet: use run --resume {folder.path}" in capsys.readouterr().err
    assert (folder.path / "error.txt").exists() == isinstance(error, RuntimeError)
    stages.error = None
    assert main(["run", "--resume", str(folder.path)]) == 0
    assert folder.status()["state"] == "finished"
    assert len((folder.path / "command.txt").read_text().splitlines()) == 2


def test_interrupts_in_a_tournament(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = vars(players)["make_agent"]
    with monkeypatch.context() as patch:
        patch.setattr(players, "make_agent", lambda *a: Interrupted(make(*a), 3))
        assert main(["tournament", str(file), "--runs", str(tmp_path)]) == 130
    (folder,) = run_folders(tmp_path)
    assert f"experiments tournament --resume {folder.path}" in capsys.readouterr().err
    assert main(["tournament", "--resume", str(folder.path)]) == 0
    assert "greedy" in capsys.readouterr().out


def test_bench_gets_configuration_and_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def noted(*arguments: Any) -> int:
        given.extend(arguments)
        return 0

    monkeypatch.setattr(bench, "main", noted)
    assert main(["bench", "configs/bench.yaml", "seconds=1"]) == 0
    assert given == ["configs/bench.yaml", ["seconds=1"]]
