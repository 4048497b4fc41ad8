from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments import summary
from experiments.__main__ import main
from experiments.config_yaml import CONFIGS, dump_yaml
from experiments.runfolder import RunFolder
from tests.experiments.test_workers import contents, values


@pytest.fixture(scope="module", autouse=True)
def _few_resamples() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "RESAMPLES", 20)
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "test.yaml"
    path.write_text(dump_yaml(values(boards=600, chunk=1, lineups="pairs")))
    return path


@pytest.fixture(scope="module")
def whole(file: Path) -> RunFolder:
    path = file.parent / "whole"
    assert main(["tournament", str(file), f"output={path}"]) == 0
    return RunFolder(path)


def children(pid: int) -> list[int]:
    """Workers of a process; none where they cannot be listed."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def is_running(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_tournament_that_is_stopped_goes_on_to_the_same_result(
    tmp_path: Path, file: Path, whole: RunFolder, number: signal.Signals
) -> None:
    folder = RunFolder(tmp_path / "stopped")
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments", "tournament", str(file), "workers=2",
         f"output={folder.path}"],
        cwd=CONFIGS.parent, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not list(folder.results.glob("shards/0*")) and time.monotonic() < end:
        time.sleep(0.01)
    begun = children(process.pid)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does, to all processes
    else:
        os.kill(process.pid, number)
    _, err = process.communicate(timeout=30)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert err == (
            "interrupted; this goes on to the same result: "
            f"python -m experiments tournament --resume {folder.path}\n"
        )
    while any(map(is_running, begun)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(map(is_running, begun))
    left = len(list(folder.results.glob("shards/0*")))
    assert 0 < left < 1800
    assert folder.status()["state"] == "interrupted"
    (folder.results / "shards" / ".0001-x.parquet.1.tmp").touch()
    assert main(["tournament", "--resume", str(folder.path)]) == 0
    assert not list(folder.results.glob("shards/.*"))
    assert contents(folder) == contents(whole)
