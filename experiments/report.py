"""What came out of a tournament, as Markdown and on the terminal."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

import markupsafe
import polars as pl
from rich.table import Table

from experiments.config import Config
from experiments.progress import Progress
from experiments.stopping import reason, stop_rows
from experiments.summary import Facts, Tables
from loop_envs.game import Game

_NOTES = """\
*margin*: points minus the mean points of the match. All margins of an agent on one board are
averaged first, over line-ups, seatings and seats; ± is the half-width of Student's 95 % interval
over the boards. *first*: share of first places, one that k seats share counting 1/k for each;
an average agent has {average}.
"""
_PAIR_NOTES = """\
Row minus column: mean over boards of the difference between the two agents' margins in matches
with both, with its 95 % interval; **bold** where the interval excludes 0. The intervals are those
of single comparisons: among twenty pairs of equal agents, one is expected to be bold by chance.
"""
_TRAINED_NOTES = """\
Trained agents are those of single training runs: the intervals tell how sure the ranking of these
players is, not what the same settings would reach under another training seed.
"""
RATING_NOTES = """\
Ratings of the model of Plackett and Luce, fitted to all matches at once: of those who are still to
be placed, each takes the next place with a probability in proportion to its strength. The rating
is the logarithm of the strength, with mean 0; 400 points of *Elo* are odds of 10 to 1 of coming
before another one. It counts places alone, not by how many points they were won.
"""
STOP_NOTES = """\
The intervals are repeated confidence intervals: those of all pairs and looks together hold with the
level of the rule, whatever made play stop. Those of the other tables are for a number of boards
that was fixed beforehand; after an early stop they are a little too optimistic.
"""


def plus_minus(mean: float, low: float, high: float, sign: str = "+", digits: int = 2) -> str:
    """A mean with the half-width of its interval, which a single board does not have."""
    half = "–" if math.isnan(low) else f"{(high - low) / 2:.{digits}f}"
    return f"{mean:{sign}.{digits}f} ± {half}"


def agent_rows(agents: pl.DataFrame) -> list[list[str]]:
    """Header and rows of the table of agents."""
    rows = [["agent", "margin", "first", "boards", "matches"]]
    for row in agents.iter_rows(named=True):
        margin = plus_minus(row["margin"], row["margin_low"], row["margin_high"])
        first = plus_minus(row["first"], row["first_low"], row["first_high"], "", 3)
        rows.append([row["agent"], margin, first, f"{row['boards']:,}", f"{row['matches']:,}"])
    return rows


def pair_rows(agents: pl.DataFrame, pairs: pl.DataFrame, bold: str = "") -> list[list[str]]:
    """Header and rows of the matrix of pairs; `bold` is put around clear differences."""
    names = agents["agent"].to_list()
    cells = {}
    for row in pairs.iter_rows(named=True):
        mean, low, high = (row[f"difference{end}"] for end in ("", "_low", "_high"))
        mark = bold if low > 0 or high < 0 else ""
        cells[row["a"], row["b"]] = f"{mark}{plus_minus(mean, low, high)}{mark}"
    rows = [["", *names]]
    return rows + [[a, *(cells.get((a, b), "") for b in names)] for a in names]


def markdown(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table in Markdown.

    Args:
        rows: Its header and its lines.
        left: Number of columns of text; those behind are numbers.
    """
    header, *body = rows
    lines = [header, ["---"] * left + ["--:"] * (len(header) - left), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def fact_lines(config: Config, game: Game, facts: Facts) -> list[str]:
    """What was played, a line each."""
    n = game.num_players
    options = ", ".join(f"{key} = {json.dumps(value)}" for key, value in game.options.items())
    lines = [
        f"game: {game.env_id} ({options})",
        f"seed {config.seed}, boards {facts.first_board} to {facts.last_board} ({facts.boards:,})",
        f"{facts.lineups:,} line-ups, every board in all their cyclic seatings: "
        f"{facts.matches:,} matches",
        f"{facts.decisions:,} decisions",
    ]
    t = config.tournament
    if t is not None and t.movement != "lineups":
        lines[2] = (
            f"movement {t.movement} of {len(t.agents)} agents in {n} seats, "
            f"{facts.matches / facts.boards:,.4g} tables on a board: {facts.matches:,} matches"
        )
    return lines


def notes(config: Config, game: Game) -> tuple[str, str, str]:
    """Explanations of the table of agents, of that of pairs, and of trained agents if there are."""
    n, t = game.num_players, config.tournament
    players = t.players if t else []
    trained = set(config.learner_names) & {p for p in players if isinstance(p, str)} or any(
        not isinstance(player, str) for player in players
    )
    average = f"1/{n} = {1 / n:.3f}"
    return _NOTES.format(average=average), _PAIR_NOTES, _TRAINED_NOTES if trained else ""


def marked_up(text: str) -> markupsafe.Markup:
    """A text with the marks of Markdown for emphasis, as HTML."""
    escaped = str(markupsafe.escape(text.strip()))
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped, flags=re.DOTALL)
    return markupsafe.Markup(re.sub(r"\*(.+?)\*", r"<em>\1</em>", escaped, flags=re.DOTALL))


def report_text(
    config: Config,
    game: Game,
    facts: Facts,
    tables: Tables,
    decided: pl.DataFrame | None = None,
) -> str:
    """The report in Markdown; it depends on configuration and results alone.

    Args:
        config: The configuration.
        game: Its game.
        facts: How much was played.
        tables: All tables.
        decided: From `StoppingRule.table`, if there is a rule.
    """
    agent_notes, pair_notes, trained_notes = notes(config, game)
    stopping: list[str] = []
    if decided is not None and config.tournament is not None:
        why = reason(decided, facts.boards, config.tournament.boards)
        stopping = ["", "## Stopping", "", why, "", markdown(stop_rows(decided), 2), "", STOP_NOTES]
    return "\n".join(
        [
            f"# {config.name}: tournament",
            "",
            *(f"* {line}" for line in fact_lines(config, game, facts)),
            "",
            "## Agents",
            "",
            markdown(agent_rows(tables.agents)),
            "",
            agent_notes,
            "## Pairs",
            "",
            markdown(pair_rows(tables.agents, tables.pairs, "**")),
            "",
            pair_notes,
            *([trained_notes] if trained_notes else []),
            *stopping,
        ]
    )


def text_table(title: str, rows: list[list[str]], left: int = 1) -> Table:
    """A table for the terminal, from the same as `markdown`."""
    table = Table(title=title, title_justify="left")
    for i, name in enumerate(rows[0]):
        table.add_column(name, justify="left" if i < left else "right", no_wrap=True)
    for row in rows[1:]:
        table.add_row(*row)
    return table


def print_report(progress: Progress, agents: pl.DataFrame, pairs: pl.DataFrame) -> None:
    """Prints both tables."""
    progress.print(text_table("margin per board, 95 % interval over boards", agent_rows(agents)))
    progress.print(text_table("row minus column, 95 % interval", pair_rows(agents, pairs)))
