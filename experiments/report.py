"""What came out of a tournament, as Markdown and on the terminal."""

from __future__ import annotations

import json

import polars as pl
from rich.table import Table

from experiments.config import Config
from experiments.progress import Progress
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


def plus_minus(mean: float, low: float, high: float, sign: str = "+", digits: int = 2) -> str:
    """A mean with the half-width of its interval."""
    return f"{mean:{sign}.{digits}f} ± {(high - low) / 2:.{digits}f}"


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


def markdown(rows: list[list[str]], left: int = 1) -> str:
    """A table in Markdown.

    Args:
        rows: Its header and its lines.
        left: Number of columns of text; those behind are numbers.
    """
    header, *body = rows
    lines = [header, ["---"] * left + ["--:"] * (len(header) - left), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def report_text(
    config: Config, game: Game, results: pl.DataFrame, agents: pl.DataFrame, pairs: pl.DataFrame
) -> str:
    """The report in Markdown; it depends on configuration and results alone.

    Args:
        config: The configuration.
        game: Its game.
        results: The table of results.
        agents: From `agent_table`.
        pairs: From `pair_table`.
    """
    boards, n = results["board"].unique().sort().to_list(), game.num_players
    options = ", ".join(f"{key} = {json.dumps(value)}" for key, value in game.options.items())
    matches = results.height // n
    lineups = results["lineup"].n_unique()
    facts = [
        f"* game: {game.env_id} ({options})",
        f"* seed {config.seed}, boards {boards[0]} to {boards[-1]} ({len(boards):,})",
        f"* {lineups:,} line-ups, every board in all their cyclic seatings: {matches:,} matches",
        f"* {results['decisions'].sum() // n:,} decisions",
    ]
    trained = set(config.learner_names) & set(agents["agent"].to_list()) or (
        config.tournament and any(not isinstance(a, str) for a in config.tournament.agents)
    )
    return "\n".join(
        [
            f"# {config.name}: tournament",
            "",
            *facts,
            "",
            "## Agents",
            "",
            markdown(agent_rows(agents)),
            "",
            _NOTES.format(average=f"1/{n} = {1 / n:.3f}"),
            "## Pairs",
            "",
            markdown(pair_rows(agents, pairs, "**")),
            "",
            _PAIR_NOTES,
            *([_TRAINED_NOTES] if trained else []),
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
