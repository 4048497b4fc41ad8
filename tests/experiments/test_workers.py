from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiments import summary, workers
from experiments.__main__ import main
from experiments.config import Config, parse_config
from experiments.config_yaml import dump_yaml
from experiments.players import identities
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.schedule import schedule
from experiments.shards import groups, shards
from experiments.tournament import play
from experiments.workers import WorkerError, Workers
from tests.experiments.helpers import config_values

TABLES = ["agent_seats", "agents", "boards", "matches", "pairs", "ratings", "seats"]


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "RESAMPLES", 20)


def values(**changes: Any) -> dict[str, Any]:
    result = config_values(train=False)
    result["tournament"] |= {"agents": ["random", "greedy", "planner"], "boards": 60, "chunk": 7}
    result["tournament"] |= changes
    return result


def play_in(folder: Path, config: Config) -> RunFolder:
    made = RunFolder.create(folder.parent, config.model_copy(update={"output": str(folder)}), [])
    play(config, config.make_game(), made, Progress(Console(quiet=True)))
    return made


def contents(folder: RunFolder) -> dict[str, bytes]:
    files = [*folder.results.glob("*.parquet"), *folder.path.glob("report.*")]
    return {file.name: file.read_bytes() for file in files}


def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path) -> None:
    changes = {"num_matches": 4, "movement": "latin"}
    config = parse_config(values(**changes))
    found = []
    for count in (1, 2, 5):
        changed = config.model_copy(update={"workers": count})
        found.append(contents(play_in(tmp_path / f"of-{count}", changed)))
    assert set(found[0]) == {f"{name}.parquet" for name in TABLES} | {"report.md", "report.html"}
    assert found[0] == found[1] == found[2]


def test_a_worker_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = parse_config(values())
    folder = RunFolder.create(tmp_path, config, [])
    game, t = config.make_game(), config.tournament
    assert t is not None
    who = identities(config, folder)
    work = shards(config, game, schedule(t, 3, 1), who, tmp_path / "nowhere")
    with Workers(config, folder.path, 1) as some, pytest.raises(WorkerError, match="nowhere"):
        some.play(list(groups(work, 30)), lambda *n: None)
    monkeypatch.setattr(workers, "_work", os.abort)
    with Workers(config, folder.path, 1) as some, pytest.raises(WorkerError, match=r"status -?\d"):
        some.play(list(groups(work, 30)), lambda *n: None)


def test_the_folder_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "test.yaml"
    file.write_text(dump_yaml(values(boards=4)))
    wanted = tmp_path / "a" / "b"
    wanted.mkdir(parents=True)
    assert main(["tournament", str(file), f"output={wanted}"]) == 0
    assert "output: " not in (wanted / "config.yaml").read_text()
    moved = wanted.rename(tmp_path / "moved")
    assert main(["tournament", "--resume", str(moved)]) == 0
    capsys.readouterr()
    assert main(["tournament", str(file), f"output={moved}"]) == 2
    assert (
        f"output: {moved} is not empty, allowed: a new or empty folder" in capsys.readouterr().err
    )
    assert main(["tournament", str(file), f"output={file}/x"]) == 2
    assert f"cannot make a run folder at {file}/x" in capsys.readouterr().err
