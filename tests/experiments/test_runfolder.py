from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import runfolder
from experiments.config import Config, parse_config
from experiments.errors import ConfigError, RunFolderError
from experiments.runfolder import RunFolder, run_folders, write_atomically, write_text
from experiments.versions import differences, versions
from tests.experiments.helpers import config_values


@pytest.fixture(scope="module")
def config() -> Config:
    return parse_config(config_values())


def test_a_folder_has_everything(tmp_path: Path, config: Config) -> None:
    folder = RunFolder.create(tmp_path / "a" / "runs", config, ["python", "-m", "x", "a b"])
    assert folder.name.startswith("test-2")
    files = {path.name for path in folder.path.iterdir()}
    assert files == {
        "config.yaml", "command.txt", "versions.json", "status.json",
        "checkpoints", "results", "tensorboard",
    }  # fmt: skip
    assert (folder.path / "command.txt").read_text() == "python -m x 'a b'\n"
    again = RunFolder.open(folder.path)
    assert again.config() == config
    assert again.checkpoint("wide") == folder.path / "checkpoints" / "wide.zip"
    found = json.loads((folder.path / "versions.json").read_text())
    assert found["packages"]["numpy"]


def test_folders_of_one_second_have_different_names(tmp_path: Path, config: Config) -> None:
    names = {RunFolder.create(tmp_path, config, []).name for _ in range(5)}
    assert len(names) == 5
    assert any(name.endswith("-2") for name in names)
    assert {folder.name for folder in run_folders(tmp_path)} == names
    assert run_folders(tmp_path / "none") == []


def test_folders_that_cannot_be_made_are_errors(tmp_path: Path, config: Config) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunFolderError, match="cannot make a run folder"):
        RunFolder.create(tmp_path / "file", config, [])
    with pytest.raises(RunFolderError, match="is no run folder"):
        RunFolder.open(tmp_path)


def test_a_configuration_that_was_broken_is_an_error(tmp_path: Path, config: Config) -> None:
    folder = RunFolder.create(tmp_path, config, [])
    text = (folder.path / "config.yaml").read_text()
    (folder.path / "config.yaml").write_text(text.replace("boards: 10", "boards: -10"))
    with pytest.raises(ConfigError, match=r"tournament\.boards: got -10"):
        folder.config()


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")

    def half(temporary: Path) -> None:
        temporary.write_text("ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, half)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_status_keeps_the_start(
    tmp_path: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder.create(tmp_path, config, [])
    started = folder.status()["started"]
    monkeypatch.setattr(runfolder, "_now", lambda: "later")
    folder.set_status("failed", "train")
    assert folder.status() == {
        "state": "failed", "stage": "train", "started": started, "updated": "later",
    }  # fmt: skip


def test_a_killed_run_is_shown_as_interrupted(tmp_path: Path, config: Config) -> None:
    folder = RunFolder.create(tmp_path, config, [])
    with folder.lock():
        folder.set_status("running", "train")
        assert folder.status()["state"] == "running"
        assert folder.in_use()
    assert folder.status()["state"] == "interrupted"
    (folder.path / "status.json").write_text("{")
    assert folder.status()["state"] == "unknown"
    folder.set_status("running", "train")


def test_two_processes_cannot_have_one_folder(tmp_path: Path, config: Config) -> None:
    folder = RunFolder.create(tmp_path, config, [])
    program = (
        "import sys; from experiments.runfolder import RunFolder\n"
        "try:\n"
        "    with RunFolder.open(sys.argv[1]).lock(): print('got it')\n"
        "except Exception as error: print(error)"
    )

    def other() -> str:
        command = [sys.executable, "-c", program, str(folder.path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    with folder.lock():
        assert "is in use by another process" in other()
        with pytest.raises(RunFolderError), folder.lock():
            pass
    assert "got it" in other()


def test_resuming_is_noted(tmp_path: Path, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder.create(tmp_path, config, ["first"])
    assert folder.note_resumed(["second"]) == []
    assert (folder.path / "command.txt").read_text() == "first\nsecond\n"
    now = versions()
    now["packages"] = now["packages"] | {"numpy": "99"}
    monkeypatch.setattr(runfolder, "versions", lambda: now)
    (difference,) = folder.note_resumed(["third"])
    assert difference.endswith("→ 99")


def test_differences_name_what_changed() -> None:
    before = {"python": "3.11", "packages": {"numpy": "1"}}
    now = {"python": "3.12", "packages": {"numpy": "1", "torch": "2"}}
    assert differences(before, now) == ["python 3.11 → 3.12", "torch None → 2"]
