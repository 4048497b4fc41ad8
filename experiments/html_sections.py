"""The parts of the page about a tournament: texts, plots, and tables beside the plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import markupsafe
import numpy as np
import numpy.typing as npt
import polars as pl

from experiments import plots
from experiments.report import RATING_NOTES, agent_rows, marked_up, pair_rows, plus_minus
from experiments.stopping import stop_rows
from experiments.summary import Tables, convergence

Floats = npt.NDArray[np.float64]
Rows = Sequence[Sequence[str]]
MOST_BOARDS = 10
"""Boards in the list of those that separate the agents most."""


class Plot(NamedTuple):
    """A plot and what it shows."""

    svg: str
    caption: str


class Table(NamedTuple):
    """A table of texts; the first row is its header."""

    rows: Rows
    caption: str
    folded: bool = False
    left: int = 1


@dataclass
class Section:
    """A part of the page."""

    id: str
    title: str
    texts: list[markupsafe.Markup] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def stop_section(decided: pl.DataFrame, why: str, notes: str) -> Section:
    """Why play stopped."""
    section = Section("stopping", "Stopping", [marked_up(why), marked_up(notes)])
    section.tables.append(Table(stop_rows(decided), "What each pair has come to", left=2))
    return section


def _triples(frame: pl.DataFrame, name: str) -> Floats:
    return frame.select(name, f"{name}_low", f"{name}_high").cast(pl.Float64).to_numpy()


def ranking_section(tables: Tables, text: markupsafe.Markup) -> Section:
    """Who is ahead, and how sure that is."""
    agents = tables.agents
    best, second = agents.row(0, named=True), agents.row(1, named=True)
    pair = tables.pairs.filter(a=best["agent"], b=second["agent"])
    if pair.height and pair["difference_low"][0] > 0:
        verdict = f"**{best['agent']}** is ahead of **{second['agent']}**, the next one, clearly:"
    else:
        verdict = f"**{best['agent']}** leads, but not clearly ahead of **{second['agent']}**:"
    difference = (
        plus_minus(*_triples(pair, "difference")[0].tolist()) + " points a match"
        if pair.height
        else "they did not meet"
    )
    values = _triples(agents, "margin")
    alt = "Mean margins with intervals: " + _spoken(agents["agent"].to_list(), values)
    plot = plots.intervals("ranking", alt, agents["agent"].to_list(), values, "mean margin")
    return Section(
        "ranking",
        "Ranking",
        [marked_up(f"{verdict} {difference}."), text],
        [Plot(plot, "Mean margin and 95 % interval over boards.")],
        [Table(agent_rows(agents), "Agents, best margin first")],
    )


def ratings_section(tables: Tables) -> Section:
    """Ratings from places alone."""
    ratings = tables.ratings
    section = Section("ratings", "Plackett–Luce ratings", [marked_up(RATING_NOTES)])
    if ratings.is_empty():
        text = "Not all agents are linked by matches, so there is no rating of all of them."
        section.texts = [marked_up(text)]
        return section
    names, values = ratings["agent"].to_list(), _triples(ratings, "elo")
    alt = "Ratings as Elo with intervals: " + _spoken(names, values, 0)
    plot = plots.intervals("ratings", alt, names, values, "rating as Elo, mean 1500", 1500.0)
    section.plots.append(Plot(plot, "Rating and 95 % bootstrap interval over boards."))
    rows = [["agent", "rating", "from", "to", "Elo", "from", "to"]]
    for row in ratings.iter_rows():
        name, *numbers = row
        rows.append([name, *(f"{x:+.3f}" for x in numbers[:3]), *(f"{x:.0f}" for x in numbers[3:])])
    section.tables.append(Table(rows, "Ratings, best first"))
    return section


def pairs_section(tables: Tables, text: markupsafe.Markup) -> Section:
    """Every agent against every other one."""
    names = tables.agents["agent"].to_list()
    values, half = np.full((2, len(names), len(names)), np.nan)
    for row in tables.pairs.iter_rows(named=True):
        i, j = names.index(row["a"]), names.index(row["b"])
        values[i, j] = row["difference"]
        half[i, j] = (row["difference_high"] - row["difference_low"]) / 2
    alt = f"Heat map of differences between {len(names)} agents; the table below has its numbers"
    plot = plots.heat_map("pairs", alt, names, names, values, half, "against", "agent")
    caption = "Row minus column with its 95 % interval; framed where it excludes 0."
    marked = pair_rows(tables.agents, tables.pairs, "**")
    rows = [[marked_up(cell) for cell in row] for row in marked]
    return Section(
        "pairs",
        "Cross-play",
        [text],
        [Plot(plot, caption)],
        [Table(rows, "Row minus column")],
    )


def seats_section(tables: Tables) -> Section:
    """What the seats are worth."""
    seats, names = tables.seats, tables.agents["agent"].to_list()
    numbers = seats["seat"].to_list()
    labels = [f"seat {seat}" for seat in numbers]
    values, half = np.full((2, len(names), len(numbers)), np.nan)
    for row in tables.agent_seats.iter_rows(named=True):
        i, j = names.index(row["agent"]), numbers.index(row["seat"])
        values[i, j] = row["margin"]
        half[i, j] = (row["margin_high"] - row["margin_low"]) / 2
    by_seat = _triples(seats, "margin")
    alt = "Mean margins of the seats with intervals: " + _spoken(labels, by_seat)
    left = plots.intervals("seats", alt, labels, by_seat, "mean margin of all agents")
    alt = f"Heat map of margins of {len(names)} agents by seat; the table below has its numbers"
    right = plots.heat_map("agent-seats", alt, names, labels, values, half, "", "")
    cells = np.where(np.isnan(values), "", "x")
    rows = [["", *labels], ["all", *(plus_minus(*v) for v in by_seat.tolist())]]
    for i, name in enumerate(names):
        ends = [(v, v - h, v + h) for v, h in zip(values[i], half[i], strict=True)]
        rows.append(
            [name, *(plus_minus(*e) if c else "" for e, c in zip(ends, cells[i], strict=True))]
        )
    text = (
        "What a seat is worth, whoever sits there, and how each agent fares in it. Where all "
        "agents sit in all seats equally often, a seat that differs from 0 favours or hurts those "
        "who get it."
    )
    return Section(
        "seats",
        "Seats",
        [marked_up(text)],
        [
            Plot(left, "All agents together, with 95 % intervals over boards."),
            Plot(right, "Each agent by seat; framed where it excludes 0."),
        ],
        [Table(rows, "Mean margin by seat ± half of its 95 % interval")],
    )


def boards_section(tables: Tables, margins: pl.DataFrame) -> Section:
    """How boards differ."""
    boards, names = tables.boards, tables.agents["agent"].to_list()
    shown = []
    for i, (column, label, words) in enumerate(
        (
            ("points", "mean points of a seat", "How many points a board gives"),
            ("seat_spread", "spread of the seats' margins", "How unevenly its cards are dealt"),
            ("agent_spread", "spread of the agents' margins", "How far it separates the agents"),
        )
    ):
        values = boards[column].drop_nulls().to_numpy()
        if not len(values):
            continue
        low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
        alt = f"{words}: median {middle:.2f}, 90 % of boards between {low:.2f} and {high:.2f}"
        shown.append(Plot(plots.histogram(f"boards-{i}", alt, values, label), f"{alt}."))
    alt = "Distribution of every agent's margins over boards: " + "; ".join(
        f"{name} median {np.median(margins.filter(agent=name)['margin'].to_numpy()):+.2f}"
        for name in names
    )
    caption = "Margins on single boards: median, quartiles, and the range of 90 % of the boards."
    shown.append(Plot(plots.spreads("board-margins", alt, names, margins), caption))
    most = boards.sort(["agent_spread", "board"], descending=[True, False]).head(MOST_BOARDS)
    rows = [["board", "points", "seats' spread", "agents' spread", "best", "worst"]]
    for row in most.iter_rows(named=True):
        own = margins.filter(board=row["board"]).sort(["margin", "agent"], descending=True)
        ends = [f"{own['agent'][k]} {own['margin'][k]:+.2f}" for k in (0, -1)]
        numbers = [f"{row[name]:.2f}" for name in ("points", "seat_spread", "agent_spread")]
        rows.append([str(row["board"]), *numbers, *ends])
    text = (
        "Boards differ in how many points there are to be had, in how unevenly their cards are "
        "dealt (the spread of the margins of their seats, over all tables), and in how far they "
        "separate the agents, who all play the same cards."
    )
    return Section(
        "boards",
        "Boards",
        [marked_up(text)],
        shown,
        [Table(rows, "Boards that separate the agents most", folded=True)],
    )


def convergence_section(tables: Tables, margins: pl.DataFrame) -> Section:
    """How the means settled."""
    names = tables.agents["agent"].to_list()
    curves = convergence(margins)
    alt = "Mean margins with intervals against the number of boards; they end at " + _spoken(
        names, _triples(tables.agents, "margin")
    )
    rows = [["boards", *names]]
    short = convergence(margins, 10)
    for n in short["boards"].unique().sort().to_list():
        at = {row["agent"]: row for row in short.filter(boards=n).iter_rows(named=True)}
        ends = ("margin", "margin_low", "margin_high")
        cells = [plus_minus(*(at[name][e] for e in ends)) if name in at else "" for name in names]
        rows.append([f"{n:,}", *cells])
    text = (
        "The mean margin after the first boards, and its interval there. Boards were played in "
        "the order of their numbers."
    )
    return Section(
        "convergence",
        "Convergence over boards",
        [marked_up(text)],
        [Plot(plots.lines("convergence", alt, names, curves), "Mean margin and 95 % interval.")],
        [Table(rows, "Mean margin by number of boards", folded=True)],
    )


def _spoken(names: Sequence[str], values: Floats, digits: int = 2) -> str:
    """Names with numbers, for those who cannot see the plot."""
    sign = "" if digits == 0 else "+"
    return "; ".join(
        f"{name} {plus_minus(mean, low, high, sign, digits)}"
        for name, (mean, low, high) in zip(names, values.tolist(), strict=True)
        if not math.isnan(mean)
    )
