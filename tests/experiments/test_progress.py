from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from experiments.progress import Progress, duration


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def progress(terminal: bool, every: float = 10) -> tuple[Progress, io.StringIO]:
    out = io.StringIO()
    return Progress(Console(file=out, force_terminal=terminal, width=120), every), out


def test_nothing_but_a_last_line_where_there_is_no_terminal() -> None:
    shown, out = progress(terminal=False)
    with shown.task("play", 1000, unit="matches") as task:
        for _ in range(10):
            task.advance(100, 5000)
    lines = out.getvalue().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("play: done, 1,000 matches in 0:00 (")
    assert lines[0].endswith("decisions/s)")


def test_a_line_now_and_then_where_there_is_no_terminal() -> None:
    shown, out = progress(terminal=False, every=0)
    with shown.task("train", 1000) as task:
        task.note("[odd] note")
        task.advance(250)
    assert "train: 250/1,000 decisions (25%)" in out.getvalue()
    assert " left, [odd] note" in out.getvalue()
    assert "\x1b" not in out.getvalue()


def test_speed_and_time_left_are_those_of_this_process() -> None:
    shown, _ = progress(terminal=False)
    with shown.task("train", 1000, done=600) as task:
        task.advance(100, 200)
        now = task._start + 10
        assert task.text(now) == "700/1,000 decisions (70%), 20 decisions/s, 0:30 left"


def test_no_last_line_after_an_error() -> None:
    shown, out = progress(terminal=False)
    with pytest.raises(KeyboardInterrupt), shown.task("train", 10):
        raise KeyboardInterrupt
    assert out.getvalue() == ""


def test_a_bar_on_a_terminal() -> None:
    shown, out = progress(terminal=True)
    with shown.task("play [x]", 10) as task:
        task.advance(5)
        time.sleep(0.2)
        shown.print("above")
    assert "5/10 decisions (50%)" in out.getvalue()
    assert "play [x]" in out.getvalue()
    assert "above" in out.getvalue()


def test_empty_work_is_done() -> None:
    shown, out = progress(terminal=False)
    with shown.task("nothing", 0):
        pass
    assert "nothing: done" in out.getvalue()
