"""Training runs: resuming after a kill, stopping on nonsense, learning at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch

from agents.learners.dmc import DMCLearner
from agents.learners.trajectories import Trajectories
from experiments import train as training
from experiments.config import Config, parse_config
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.train import TrainingError, train

ROOT = Path(__file__).resolve().parents[2]
CONFIG: dict[str, Any] = {
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
        "steps": 9000,
        "num_matches": 16,
        "save_every": 2,
        "evaluate": {"every": 3, "boards": 4, "against": ["random", "greedy"]},
        "learners": [
            {
                "name": "one",
                "kind": "ppo",
                "network": [16],
                "rollout": 256,
                "batch_size": 64,
                "opponents": [
                    {"play": "self"},
                    {"play": "two"},
                    {"play": "greedy"},
                    {"play": "snapshots", "pool": {"size": 2, "every": 2}},
                ],
            },
            {"name": "two", "kind": "dmc", "network": [8, 8], "rollout": 256, "batch_size": 64},
            {
                "name": "three",
                "kind": "ppo_all",
                "network": [8],
                "rollout": 256,
                "batch_size": 64,
                "critic": "state",
                "opponents": [
                    {"play": "snapshots", "pool": {"sampling": "prioritised", "every": 1}}
                ],
            },
        ],
    },
}


def _config(**changes: Any) -> Config:
    return parse_config({**CONFIG, "train": {**CONFIG["train"], **changes}})


def _run(config: Config, folder: RunFolder) -> None:
    train(config, config.make_game(), folder, Progress())


def _weights(folder: RunFolder) -> dict[str, bytes]:
    found = {}
    for name in ("one", "two", "three"):
        content = torch.load(folder.checkpoint(name), weights_only=True)
        found[name] = b"".join(w.numpy().tobytes() for w in content["frozen"]["weights"].values())
    return found


def test_a_stopped_run_goes_on_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = _config()
    whole = RunFolder.create(tmp_path, config, ["whole"])
    _run(config, whole)
    broken = RunFolder.create(tmp_path, config, ["broken"])
    iterate = training.Trainer.iterate

    def stop_at_seven(self: training.Trainer) -> None:
        if self._iteration == 7:
            raise KeyboardInterrupt
        iterate(self)

    monkeypatch.setattr(training.Trainer, "iterate", stop_at_seven)
    with pytest.raises(KeyboardInterrupt):
        _run(config, broken)
    monkeypatch.setattr(training.Trainer, "iterate", iterate)
    _run(config, broken)
    assert _weights(broken) == _weights(whole)
    for name in ("metrics", "opponents", "snapshots", "evaluation"):
        tables = [pl.read_parquet(f.results / f"{name}.parquet") for f in (whole, broken)]
        times = [c for c in tables[0].columns if c.startswith(("seconds", "share_", "samples_per"))]
        assert tables[0].drop(times).equals(tables[1].drop(times)), name
    _run(config, broken)  # nothing is left to do
    assert _weights(broken) == _weights(whole)


def test_a_killed_process_is_resumed_to_the_same_weights(tmp_path: Path) -> None:
    config = _config(steps=20_000, save_every=1)
    whole = RunFolder.create(tmp_path, config, ["whole"])
    _run(config, whole)
    killed = RunFolder.create(tmp_path, config, ["killed"])
    command = [sys.executable, "-m", "experiments", "train", "--resume", str(killed.path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (killed.checkpoints / "training.pt").exists():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert _weights(killed) == _weights(whole)


def test_a_run_without_an_update_fails(tmp_path: Path) -> None:
    config = _config(steps=800)
    folder = RunFolder.create(tmp_path, config, ["short"])
    assert config.train is not None
    trainer = training.Trainer(config, config.train, config.make_game(), folder)
    trainer.decisions = 800  # all used up, by whatever mistake, without an update
    trainer.save()
    with pytest.raises(TrainingError, match="before every learner had made an update"):
        _run(config, folder)


def test_not_a_number_stops_the_run_and_keeps_the_last_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = _config()
    folder = RunFolder.create(tmp_path, config, ["nan"])
    update = DMCLearner.update

    def spoil(self: Any, lot: Trajectories, progress: float) -> dict[str, float]:
        if self.name == "two" and self.updates == 4:
            lot.rewards[lot.ready.argmax()] = np.nan
        return update(self, lot, progress)

    monkeypatch.setattr(DMCLearner, "update", spoil)
    with pytest.raises(TrainingError, match=r"learner two, update [45], step \d+: "):
        _run(config, folder)
    state = torch.load(folder.checkpoints / "training.pt", weights_only=True)
    assert state["iteration"] == 4
    for learner in state["learners"]:
        assert all(torch.isfinite(w).all() for w in learner["weights"].values())


def test_training_is_the_same_with_one_worker_and_two(tmp_path: Path) -> None:
    folders = []
    for threads in (1, 2):
        config = parse_config({**CONFIG, "threads": threads})
        folders.append(RunFolder.create(tmp_path, config, ["threads"]))
        _run(config, folders[-1])
    assert _weights(folders[0]) == _weights(folders[1])


def test_metrics_and_curves_are_written(tmp_path: Path) -> None:
    config = _config(steps=2000)
    folder = RunFolder.create(tmp_path, config, ["metrics"])
    _run(config, folder)
    frame = pl.read_parquet(folder.results / "metrics.parquet")
    shares = frame.select(pl.sum_horizontal("^share_.*$").alias("sum"))["sum"]
    assert (shares - 1).abs().max() < 1e-6  # type: ignore[operator]
    assert {"one", "two", "three"} == set(frame["learner"])
    assert list((folder.tensorboard / "one").glob("events.*"))


def test_the_log_says_who_was_met_and_what_evaluations_found(tmp_path: Path) -> None:
    config = _config()
    folder = RunFolder.create(tmp_path, config, ["league"])
    _run(config, folder)
    opponents = pl.read_parquet(folder.results / "opponents.parquet")
    met = {name: set(own["opponent"]) for (name,), own in opponents.group_by("learner")}
    assert {"one", "two", "greedy"} < met["one"]
    assert {name.partition("@")[0] for name in met["one"]} == {"one", "two", "greedy"}
    assert met["two"] == {"one", "three"}
    snapshots = pl.read_parquet(folder.results / "snapshots.parquet")
    assert snapshots.filter(pl.col("learner") == "one").height == 2
    assert snapshots["hash"].n_unique() == snapshots.height
    judged = pl.read_parquet(folder.results / "evaluation.parquet")
    assert judged["decisions"].max() == opponents["decisions"].max()
    assert (judged["boards"] == 4).all()
    mean = judged.group_by("learner", "decisions").agg(pl.col("difference").mean())
    best = (
        mean.sort("difference", "decisions", descending=[True, False]).group_by("learner").first()
    )
    for learner, decisions, _ in best.iter_rows():
        content = torch.load(folder.checkpoint(learner, best=True), weights_only=True)
        assert content["about"]["decisions"] == decisions


def test_a_length_in_minutes_ends_the_run(tmp_path: Path) -> None:
    config = _config(steps=None, minutes=0.02)
    folder = RunFolder.create(tmp_path, config, ["minutes"])
    start = time.monotonic()
    _run(config, folder)
    assert time.monotonic() - start < 60
    state = torch.load(folder.checkpoints / "training.pt", weights_only=True)
    assert state["seconds"] >= 1.2
