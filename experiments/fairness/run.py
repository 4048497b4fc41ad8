"""Runs a study: answers its questions, writes tables and a report."""

from __future__ import annotations

from experiments.config import Config
from experiments.errors import ExperimentError
from experiments.fairness.answers import Answer, findings_frame
from experiments.fairness.boards import by_board
from experiments.fairness.controls import controls
from experiments.fairness.luck import luck
from experiments.fairness.report import study_page, study_text
from experiments.fairness.scoring import scoring
from experiments.fairness.seats import seats
from experiments.fairness.standing import standing
from experiments.fairness.study import Study
from experiments.progress import Progress
from experiments.runfolder import RunFolder, write_atomically, write_text
from loop_envs.game import Game


def run_study(config: Config, game: Game, folder: RunFolder, progress: Progress) -> None:
    """Plays what is left of a study and writes tables and report.

    Args:
        config: A configuration with a study.
        game: Its game.
        folder: The run's folder.
        progress: Shows how far it is.
    """
    study = Study(config, game, folder, progress)
    answers = answer_all(study)
    frame = findings_frame(answers)
    write_atomically(folder.results / "findings.parquet", frame.write_parquet)
    write_text(folder.path / "report.md", study_text(study, answers))
    write_text(folder.path / "report.html", study_page(study, answers))
    for answer in answers:
        progress.print(f"\n{answer.title}")
        for one in answer.findings:
            progress.print(
                f"  {one.sentence}",
            )


def answer_all(study: Study) -> list[Answer]:
    """All questions of a study, in order.

    Raises:
        ExperimentError: If every match of the ladder gives the same points to all.
    """
    _, margins = by_board(study.ladders(), ["agent"], "margin")
    if not margins.any():
        raise ExperimentError(
            f"nothing to study: all agents of the ladder have the same points in all of "
            f"{study.ladders().num_matches:,} matches of {study.game.env_id}; allowed: options "
            "under which points differ"
        )
    common = (standing, seats, luck, scoring)
    return [ask(study) for ask in (*common, *study.about.questions, controls)]
