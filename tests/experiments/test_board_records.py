from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from experiments.__main__ import main
from experiments.board_records import board_records
from experiments.config_yaml import dump_yaml
from experiments.runfolder import RunFolder
from loop_envs.__main__ import main as loop_envs_main
from loop_envs.records import replay
from tests.experiments.helpers import config_values

BOARD = 2**31 + 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    path = tmp_path_factory.mktemp("records")
    values = config_values(train=False)
    weak = {"name": "weak", "noisy": "planner", "epsilon": 0.3}
    values["tournament"]["agents"] = ["random", weak, "greedy", "planner"]
    (path / "test.yaml").write_text(dump_yaml(values))
    assert main(["tournament", str(path / "test.yaml"), f"output={path / 'run'}"]) == 0
    return RunFolder(path / "run")


def test_a_board_is_recorded_as_it_was_played(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", str(folder.path), str(BOARD)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    records = [json.loads(line) for line in out.splitlines()]
    table = pl.read_parquet(folder.results / "matches.parquet").filter(board=BOARD)
    matches = table.partition_by("lineup", "rotation", maintain_order=True)
    assert len(records) == len(matches) == 12
    for record, match in zip(records, matches, strict=True):
        assert record["board"] == BOARD
        assert record["agents"] == match["agent"].to_list()
        assert record["scores"] == match["points"].to_list()
        moves = sum("move" in event for event in record["events"])
        assert moves == match["decisions"][0]
        replay(record)
    file = tmp_path / "board.jsonl"
    file.write_text(out)
    assert loop_envs_main(["replay", str(file)]) == 0
    assert "12 records replayed" in capsys.readouterr().out


def test_a_board_that_comes_out_otherwise_is_not_recorded(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = RunFolder(tmp_path / "other")
    other.results.mkdir(parents=True)
    text = (folder.path / "config.yaml").read_text()
    (other.path / "config.yaml").write_text(text.replace("epsilon: 0.3", "epsilon: 0.9"))
    table = pl.read_parquet(folder.results / "matches.parquet")
    table.write_parquet(other.results / "matches.parquet")
    assert main(["record", str(other.path), str(BOARD)]) == 2
    assert "agents or rules have changed since" in capsys.readouterr().err
    assert [r["agents"] for r in board_records(folder, BOARD)]


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("5", "board 5 was not played, allowed: 2147483648 to 2147483657"),
        ("x", "record needs a run folder and the number of a board"),
        ("", "record needs a run folder and the number of a board"),
    ],
)
def test_other_boards_are_refused(
    folder: RunFolder, board: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", str(folder.path), *([board] if board else [])]) == 2
    assert words in capsys.readouterr().err


def test_a_run_without_a_tournament_is_refused(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.yaml").write_text((folder.path / "config.yaml").read_text())
    assert main(["record", str(tmp_path), str(BOARD)]) == 2
    assert "has no results of a tournament" in capsys.readouterr().err
