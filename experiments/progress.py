"""Progress with speed and time left: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars


def duration(seconds: float) -> str:
    """Seconds as m:ss or h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Progress:
    """Shows how far work is.

    Args:
        console: Where; standard output by default.
        every: Seconds between lines where there is no terminal.
    """

    def __init__(self, console: Console | None = None, every: float = 10.0) -> None:
        self.console = console or Console()
        if console is None and not self.console.is_terminal:
            self.console.width = 160  # files and pipes have no width; tables should not be cut
        self.every = every

    def task(self, title: str, total: int, done: int = 0, unit: str = "decisions") -> Task:
        """A piece of work, used in a ``with`` statement.

        Args:
            title: What is being done.
            total: Amount of work.
            done: Amount that an earlier process has done.
            unit: What the amount counts.
        """
        return Task(self, title, total, done, unit)

    def print(self, *objects: Any) -> None:
        """Prints texts or rich tables, above the bars if there are any."""
        self.console.print(*objects, markup=False, highlight=False, soft_wrap=True)


class Task:
    """One piece of work; see `Progress.task`.

    Attributes:
        title: What is being done.
        total: Amount of work.
        done: Amount that is done.
        decisions: Decisions made by this process so far.
    """

    def __init__(self, progress: Progress, title: str, total: int, done: int, unit: str) -> None:
        self.title, self.total, self.done = title, total, done
        self.decisions = 0
        self._progress, self._unit = progress, unit
        self._note = ""
        self._begun_at = done
        self._start = self._last_line = time.monotonic()
        self._bars: Bars | None = None
        self._bar = TaskID(0)

    def __enter__(self) -> Task:
        self._start = self._last_line = time.monotonic()
        if self._progress.console.is_terminal:
            self._bars = Bars(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[text]}"),
                console=self._progress.console,
                transient=True,
            )
            self._bar = self._bars.add_task(
                escape(self.title), total=self.total, completed=self.done, text=""
            )
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()
        if kind is None:
            self._progress.print(f"{self.title}: done, {self._summary(time.monotonic())}")

    def advance(self, amount: int, decisions: int | None = None) -> None:
        """Notes that work was done.

        Args:
            amount: Amount of work.
            decisions: Decisions made for it; as many as the amount if None.
        """
        self.done += amount
        self.decisions += amount if decisions is None else decisions
        self._show()

    def note(self, text: str) -> None:
        """Shows a short text beside the numbers from now on."""
        self._note = text
        self._show()

    def _show(self) -> None:
        now = time.monotonic()
        if self._bars is not None:
            self._bars.update(self._bar, completed=self.done, text=escape(self.text(now)))
        elif now - self._last_line >= self._progress.every:
            self._last_line = now
            self._progress.print(f"{self.title}: {self.text(now)}")

    def text(self, now: float) -> str:
        """Amount, speed and time left as one line."""
        seconds = max(now - self._start, 1e-9)
        share = self.done / self.total if self.total else 1.0
        parts = [
            f"{self.done:,}/{self.total:,} {self._unit} ({share:.0%})",
            f"{self.decisions / seconds:,.0f} decisions/s",
        ]
        fresh = self.done - self._begun_at
        if fresh > 0 and self.done < self.total:
            parts.append(f"{duration(seconds * (self.total - self.done) / fresh)} left")
        if self._note:
            parts.append(self._note)
        return ", ".join(parts)

    def _summary(self, now: float) -> str:
        seconds = max(now - self._start, 1e-9)
        return (
            f"{self.done:,} {self._unit} in {duration(seconds)} "
            f"({self.decisions / seconds:,.0f} decisions/s)"
        )
