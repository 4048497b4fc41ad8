"""What came out of a tournament, as a page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2
import polars as pl

from experiments import html_sections as parts
from experiments.config import Config
from experiments.html_cycles import cycles_section
from experiments.report import STOP_NOTES, fact_lines, marked_up, notes
from experiments.stopping import reason
from experiments.summary import Facts, Tables
from loop_envs.duplicate import Transitivity
from loop_envs.game import Game


def html_report(
    config: Config,
    game: Game,
    facts: Facts,
    tables: Tables,
    margins: pl.DataFrame,
    decided: pl.DataFrame | None = None,
    cycles: Transitivity | None = None,
) -> str:
    """The report as HTML; it depends on configuration and results alone.

    Args:
        config: The configuration.
        game: Its game.
        facts: How much was played.
        tables: All tables.
        margins: See `board_margins`.
        decided: From `StoppingRule.table`, if there is a rule.
        cycles: How far the table of pairs is from a ranking, where that is known.
    """
    agent_notes, pair_notes, trained_notes = (marked_up(text) for text in notes(config, game))
    sections = [
        parts.ranking_section(tables, agent_notes),
        parts.ratings_section(tables),
        parts.pairs_section(tables, pair_notes),
        parts.seats_section(tables),
        parts.boards_section(tables, margins),
        parts.convergence_section(tables, margins),
    ]
    if cycles is not None and len(cycles.agents) > 2:
        sections.insert(3, cycles_section(cycles))
    if trained_notes:
        sections[0].texts.append(trained_notes)
    if decided is not None and config.tournament is not None:
        why = reason(decided, facts.boards, config.tournament.boards)
        sections.insert(0, parts.stop_section(decided, why, STOP_NOTES))
    return page(f"{config.name}: tournament", fact_lines(config, game, facts), sections)


def page(title: str, facts: Sequence[str], sections: Sequence[parts.Section]) -> str:
    """A page of sections that needs nothing but itself, as HTML."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    template = environment.get_template("page.html")
    return template.render(title=title, facts=facts, sections=sections)
