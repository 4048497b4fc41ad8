"""The table of the bench, and what its rows come to."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from experiments.measure import machine

LEDUC = "PettingZoo leduc_holdem_v4"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: What was measured.
        path: How.
        unit: Of the values.
        values: One for each run.
    """

    what: str
    path: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the runs."""
        return statistics.median(self.values)

    def cells(self) -> list[str]:
        """What, how, median and spread as texts."""
        lowest, highest = min(self.values), max(self.values)
        spread = f"{_number(lowest)} – {_number(highest)}"
        return [self.what, self.path, f"{_number(self.median)} {self.unit}", spread]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def ratio_line(rows: list[Row]) -> str | None:
    """How much faster AEC is than PettingZoo's Leduc, pair by pair of runs; None without it."""
    ours = next((row for row in rows if row.path.startswith("AEC make()")), None)
    theirs = next((row for row in rows if row.what.startswith(LEDUC)), None)
    if ours is None or theirs is None:
        return None
    ratios = [a / b for a, b in zip(ours.values, theirs.values, strict=True)]
    return (
        f"AEC of {ours.what} against {LEDUC} env(): {statistics.median(ratios):.1f} times as fast "
        f"({min(ratios):.1f} – {max(ratios):.1f})."
    )


def training_lines(rows: list[Row]) -> list[str]:
    """What the rows of training come to, pair by pair of runs."""
    by_name: dict[tuple[str, str], Row] = {(row.what, row.path): row for row in rows}
    lines = []
    for (what, path), row in by_name.items():
        if not path.endswith(", 1 thread") or not path.startswith("training "):
            continue
        kind = path.removeprefix("training ").removesuffix(", 1 thread")
        idle = by_name[what, f"training {kind}, do-nothing environment"]
        lines.append(f"{kind} on {what}: {_ratio(row, idle, 100):} of its speed on a do-nothing "
                     "environment, in %.")  # fmt: skip
        ppo = by_name.get((what, "training ppo, 1 thread"))
        if ppo is not None and ppo is not row:
            lines.append(f"{kind} on {what} learns from {_ratio(row, ppo)} times as many decisions "
                         "a second as ppo.")  # fmt: skip
    return lines


def _ratio(one: Row, other: Row, unit: float = 1.0) -> str:
    ratios = [unit * a / b for a, b in zip(one.values, other.values, strict=True)]
    return f"{statistics.median(ratios):.3g} ({min(ratios):.3g} – {max(ratios):.3g})"


def markdown(rows: list[Row], repeats: int, seconds: float, command: str) -> str:
    """The table as a Markdown document."""
    about = ", ".join(f"{key} {value}" for key, value in machine().items())
    lines = [
        "# Speed",
        "",
        f"Made by `{command}` in one run: median of {repeats} runs of {seconds:g} s "
        "each, in turn, and their spread (first use: 2 runs). Play is random and legal; every "
        "decision has its mask and observation written. Threads share a batch; the default is one.",
        "",
        f"Machine: {about}.",
        "",
        "| what | path | median | min – max |",
        "|---|---|---|---|",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
    ]
    for line in summary(rows):
        lines += ["", line]
    return "\n".join(lines) + "\n"


def summary(rows: list[Row]) -> list[str]:
    """Ratios between rows, in words."""
    ratio = ratio_line(rows)
    return ([ratio] if ratio else []) + training_lines(rows)
