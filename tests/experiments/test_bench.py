"""The bench's own arithmetic, and that its training jobs run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.learners.kinds import KINDS
from experiments import bench, measure_training
from experiments.bench_report import Row, markdown, summary
from experiments.measure_training import IdleBatch, Training
from loop_envs import load_game
from loop_envs.envs.batch import Batch

SMALL: dict[str, Any] = {
    "num_players": 2,
    "hand_size": 4,
    "deck": {"colours": 2, "values": 4},
    "eight": 3,
}


def test_ratios_are_of_runs_in_pairs() -> None:
    rows = [
        Row("g", "AEC make(): last() + step()", "decisions/s", (10.0, 40.0, 90.0)),
        Row("PettingZoo leduc_holdem_v4 1", "x", "decisions/s", (1.0, 2.0, 3.0)),
        Row("g", "training ppo, 1 thread", "samples/s", (90.0, 90.0, 90.0)),
        Row("g", "training ppo, do-nothing environment", "samples/s", (100.0, 90.0, 100.0)),
        Row("g", "training dmc, 1 thread", "samples/s", (270.0, 360.0, 450.0)),
        Row("g", "training dmc, do-nothing environment", "samples/s", (270.0, 360.0, 500.0)),
    ]
    lines = summary(rows)
    assert "20.0 times as fast (10.0 – 30.0)" in lines[0]
    assert lines[1].startswith("ppo on g: 90 (90 – 100) of its speed")
    assert "dmc on g learns from 4 (3 – 5) times as many decisions a second as ppo" in lines[3]
    text = markdown(rows, 3, 1.0, "command")
    assert all(line in text for line in lines)


def test_titles_tell_variants_apart() -> None:
    titles = {
        bench.title(load_game("loo-v0", variant=variant, num_players=5))
        for variant in ("three_card", "five_card", "irish")
    }
    assert len(titles) == 3


@pytest.mark.parametrize("idle", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_training_is_timed(kind: str, idle: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_training, "NETWORK", (8,))
    monkeypatch.setattr(measure_training, "ROLLOUT", 256)
    monkeypatch.setattr(measure_training, "MATCHES", 16)
    timed = Training(load_game("loop_boards-v0", **SMALL), kind, idle)
    assert timed.samples_per_second(0.01) > 0
    assert 0 < timed.environment_share() < 100


def test_the_idle_environment_has_the_same_sizes() -> None:
    batch = Batch(load_game("loopla-v0"), 5)
    batch.reset(0)
    idle: Any = IdleBatch(batch)
    for name in ("observation", "action_mask", "player", "board", "seed", "ply", "reward"):
        real, fake = getattr(batch, name), getattr(idle, name)
        assert (real.shape, real.dtype) == (fake.shape, fake.dtype), name
    ends = np.zeros(5, int)
    for _ in range(128):
        idle.step(np.zeros(5, np.int64))
        ends += idle.terminated
    assert (ends == 2).all()
