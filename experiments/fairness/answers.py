"""Answers of a study: estimates with their intervals, in words, with plots and tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import markupsafe
import polars as pl

from experiments.html_sections import Plot, Section, Table
from experiments.report import marked_up
from loop_envs.duplicate import Interval


@dataclass(frozen=True)
class Finding:
    """One number that answers a question, or part of one.

    Attributes:
        name: What it is.
        estimate: The number.
        low: Lower bound of its 95 % interval.
        high: Upper bound.
        unit: Its unit.
        boards: Number of boards behind it.
        sentence: What it means, in plain words.
    """

    name: str
    estimate: float
    low: float
    high: float
    unit: str
    boards: int
    sentence: str


def finding(name: str, interval: Interval, unit: str, sentence: str, boards: int = 0) -> Finding:
    """A finding from an interval over boards.

    Args:
        name: What it is.
        interval: Estimate and bounds.
        unit: Its unit.
        sentence: What it means.
        boards: Number of boards, where it is not the interval's number of units.
    """
    mean, low, high, n = interval
    return Finding(name, mean, low, high, unit, boards or n, sentence)


@dataclass
class Answer:
    """A question and what was found.

    Attributes:
        id: Short name, for links and tables.
        title: Heading.
        question: The question, in a sentence.
        findings: Numbers, at least one.
        plots: Plots, at least one.
        tables: Tables.
        notes: How it was done.
    """

    id: str
    title: str
    question: str
    findings: list[Finding] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def section(self) -> Section:
        """The answer as a part of the page."""
        texts = [markupsafe.Markup("<em>{}</em>").format(self.question)]
        texts += [marked_up(one.sentence) for one in self.findings]
        texts += [marked_up(note) for note in self.notes]
        table = Table(finding_rows(self.findings), "Estimates with 95 % intervals over boards")
        return Section(self.id, self.title, texts, list(self.plots), [table, *self.tables])


def number(value: float) -> str:
    """A number with as many digits as make sense to read."""
    if math.isnan(value):
        return "–"
    size = abs(value)
    whole = size >= 1 and value == round(value)
    digits = 0 if whole or size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def p_text(p: float) -> str:
    """A p value, for sentences."""
    return "p < 1e-9" if p < 1e-9 else f"p = {p:.2g}"


def shown(one: Finding | Interval) -> str:
    """An estimate with its interval, for sentences."""
    mean = one.estimate if isinstance(one, Finding) else one.mean
    return f"{number(mean)} ({number(one.low)} to {number(one.high)})"


def finding_rows(findings: list[Finding]) -> list[list[str]]:
    """Header and rows of a table of findings."""
    rows = [["what", "estimate", "from", "to", "unit", "boards"]]
    for one in findings:
        ends = [number(x) for x in (one.estimate, one.low, one.high)]
        rows.append([one.name, *ends, one.unit, f"{one.boards:,}"])
    return rows


def findings_frame(answers: list[Answer]) -> pl.DataFrame:
    """All findings: question, name, estimate, low, high, unit, boards, sentence."""
    rows = [
        (a.id, f.name, f.estimate, f.low, f.high, f.unit, f.boards, f.sentence)
        for a in answers
        for f in a.findings
    ]
    numbers = dict.fromkeys(("estimate", "low", "high"), pl.Float64)
    texts = {"question": pl.String, "name": pl.String}
    schema = {**texts, **numbers, "unit": pl.String, "boards": pl.Int64, "sentence": pl.String}
    return pl.DataFrame(rows, schema, orient="row")
