"""The report of a study: a page that needs nothing but itself, and the same as Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence

from experiments.fairness.answers import Answer, finding_rows
from experiments.fairness.study import Study
from experiments.html_report import page
from experiments.report import markdown


def fact_lines(study: Study) -> list[str]:
    """What was played, a line each."""
    game, settings = study.game, study.settings
    options = ", ".join(f"{key} = {json.dumps(value)}" for key, value in game.options.items())
    return [
        f"game: {game.env_id} ({options})",
        f"seed {study.config.seed}, boards from {settings.first_board} on",
        f"ladder, best first: {', '.join(study.ladder)}",
        f"{study.num_matches:,} matches",
    ]


def study_page(study: Study, answers: Sequence[Answer]) -> str:
    """The report as HTML; it depends on configuration and results alone."""
    title = f"{study.config.name}: fairness study"
    return page(title, fact_lines(study), [answer.section() for answer in answers])


def study_text(study: Study, answers: Sequence[Answer]) -> str:
    """The report in Markdown."""
    lines = [f"# {study.config.name}: fairness study", ""]
    lines += [f"* {line}" for line in fact_lines(study)]
    for answer in answers:
        lines += ["", f"## {answer.title}", "", f"*{answer.question}*", ""]
        lines += [f"* {one.sentence}" for one in answer.findings]
        lines += ["", markdown(finding_rows(answer.findings)), ""]
        lines += [note for note in answer.notes for note in (note, "")]
    return "\n".join(lines)
