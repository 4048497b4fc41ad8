"""Are seats, roles or neighbours worth something, whoever plays?"""

from __future__ import annotations

import numpy as np
import polars as pl

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, number, p_text, shown
from experiments.fairness.boards import MATCH, Floats, RowsOf, by_board, over_boards, p_value
from experiments.fairness.games import Role
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, bias_of_boards, holm

Margins = tuple[list[int], Floats]
"""Values of a role, and float64 [boards, values]: mean margins."""


def seats(study: Study) -> Answer:
    """Seats, roles and neighbours."""
    answer = Answer(
        "seats",
        "Seats and neighbours",
        "With equal agents, is any seat or role worth more than another? And does it matter who "
        "sits to the left of whom?",
    )
    n = study.num_players
    played = study.identical()
    best = study.ladder[0]
    seat = Role("seat", "seat at the table", lambda value, n: f"seat {value}")
    _add(answer, seat, _match_margins(played, "seat"), n, "points a match")
    for role in study.about.roles:
        if role.match:
            margins = _match_margins(played, role.column, in_rounds=True)
            _add(answer, role, margins, n, "points a match", "whole-match")
        margins = _round_margins(played, role.column, study.about.score)
        _add(answer, role, margins, n, f"{study.about.score_unit} a round", "round")
    answer.findings += _neighbours(study, answer)
    answer.notes.append(
        f"Seats and roles: {best} in all seats, {played.boards:,} boards, one match each. A margin "
        "is a score minus the mean score at the table. Roles are compared by Hotelling's T², which "
        "allows for their adding up to zero, and one by one by t tests with Holm's adjustment for "
        "their number; the interval of a difference allows for its being the largest of all pairs. "
        f"Neighbours: the ladder, {study.ladders().boards:,} boards, in changing circular orders."
    )
    return answer


def _match_margins(played: Played, column: str, in_rounds: bool = False) -> Margins:
    """Margins of matches by a column, of the first round if it is one of the table of rounds."""

    def rows(part: Part) -> pl.LazyFrame:
        if not in_rounds:
            return part.matches
        keys = part.rounds.filter(pl.col("round") == 0).select(*MATCH, "seat", column)
        return part.matches.join(keys, on=[*MATCH, "seat"])

    return _margins(played, column, rows)


def _round_margins(played: Played, column: str, score: str) -> Margins:
    """Margins of rounds by a column."""
    margin = pl.col(score) - pl.col(score).mean().over(*MATCH, "round")
    return _margins(played, column, lambda part: part.rounds.with_columns(margin=margin))


def _margins(played: Played, column: str, rows: RowsOf) -> Margins:
    keys, values = by_board(played, [column], "margin", rows)
    return [int(key[0]) for key in keys], values


def _add(answer: Answer, role: Role, margins: Margins, n: int, unit: str, kind: str = "") -> None:
    """What the values of a role are worth: a finding, a plot and a table."""
    bias = bias_of_boards(*margins, role.column)
    name = f"{role.column}{'-' if kind else ''}{kind}"
    title = f"{role.title}{', ' if kind else ''}{kind.replace('-', ' ')}"
    labels = [role.label(int(value), n) for value in bias.seats[role.column]]
    values = bias.seats.select("mean", "low", "high").to_numpy()
    order = np.argsort(values[:, 0])
    most, least = int(order[-1]), int(order[0])
    # The two are chosen by what they got, so the interval holds for all pairs together.
    level = 1 - 0.05 / max(1, len(labels) * (len(labels) - 1) // 2)
    apart = over_boards(margins[1][:, most] - margins[1][:, least], level)
    verdict = "makes a difference" if bias.p_value < 0.01 else "makes no difference that is seen"
    if bias.p_value < 0.01:
        text = (
            f"**{title}** {verdict}: **{labels[most]}** gets {shown(apart)} {unit} more than "
            f"**{labels[least]}** ({p_text(bias.p_value)}, {bias.boards:,} boards)."
        )
    else:
        half = float(np.max(values[:, 2] - values[:, 1])) / 2
        text = (
            f"**{title}** {verdict} ({p_text(bias.p_value)}, {bias.boards:,} boards): no value is "
            f"further than {number(float(np.abs(values[:, 0]).max()))} from 0, known to ± "
            f"{number(half)} {unit}."
        )
    text = text.replace("**" + title, "**" + title[0].upper() + title[1:], 1)
    answer.findings.append(
        finding(f"{title}: {labels[most]} − {labels[least]}", apart, unit, text, bias.boards)
    )
    alt = f"{title}: " + "; ".join(
        f"{label} {row[0]:+.3f}" for label, row in zip(labels, values, strict=True)
    )
    svg = plots.intervals(f"seats-{name}", alt, labels, values, f"mean margin, {unit}")
    answer.plots.append(Plot(svg, f"{title[0].upper()}{title[1:]}: mean margin, 95 % intervals."))
    rows = [[role.title, "mean", "from", "to", "p", "p (Holm)"]]
    for label, row in zip(labels, bias.seats.iter_rows(named=True), strict=True):
        numbers = [f"{row[c]:+.3f}" for c in ("mean", "low", "high")]
        rows.append([label, *numbers, *(f"{row[c]:.2g}" for c in ("p_value", "p_holm"))])
    answer.tables.append(Table(rows, f"{title}, {unit}", folded=True))


def _neighbours(study: Study, answer: Answer) -> list[Finding]:
    """What it is worth to sit at a given distance from an agent of the ladder."""
    played = study.ladders()
    n = study.num_players
    away = (pl.col("seat_other") - pl.col("seat") + n) % n
    # What an agent gains anyway says nothing of its neighbour.
    agents, margins = by_board(played, ["agent"], "margin")
    usual = {str(name): float(margins[:, i].mean()) for i, (name,) in enumerate(agents)}
    more = pl.col("margin") - pl.col("agent").cast(pl.String).replace_strict(usual)

    def pairs(part: Part) -> pl.LazyFrame:
        own = part.matches.select(*MATCH, "seat", "agent", "margin")
        both = own.join(own, on=list(MATCH), suffix="_other")
        return both.filter(pl.col("seat") != pl.col("seat_other")).with_columns(away=away)

    keys, cells = by_board(played, ["agent_other", "away"], more, pairs)
    names = study.ladder
    values, half = np.full((2, len(names), n - 1), np.nan)
    p_values, effects = [], []
    for i, name in enumerate(names):
        columns = [c for c, (agent, _) in enumerate(keys) if agent == name]
        mean = np.nanmean(cells[:, columns], axis=1)
        for c in columns:
            interval = over_boards(cells[:, c] - mean)
            k = int(keys[c][1]) - 1
            values[i, k], half[i, k] = interval.mean, (interval.high - interval.low) / 2
        left, right = cells[:, columns[0]], cells[:, columns[-1]]
        effects.append((name, over_boards(left - right)))
        p_values.append(p_value(effects[-1][1]))
    labels = [_place(k, n) for k in range(1, n)]
    alt = "Margins of those who sit at a distance from an agent: " + "; ".join(
        f"with {name} to the left rather than the right {e.mean:+.2f}" for name, e in effects
    )
    svg = plots.heat_map("neighbours", alt, names, labels, values, half, "where it sits", "agent")
    answer.plots.append(
        Plot(svg, "What others gain where this agent sits, compared with its other places.")
    )
    adjusted = holm(p_values)
    return [_left_or_right(e, float(p), study) for e, p in zip(effects, adjusted, strict=True)]


def _left_or_right(effect: tuple[str, Interval], p: float, study: Study) -> Finding:
    name, interval = effect
    if p < 0.05:
        better = "left" if interval.mean > 0 else "right"
        text = (
            f"With **{name}** at the table it is better to have it to the **{better}**: left minus "
            f"right is {shown(interval)} points a match ({p_text(p)} after Holm's adjustment)."
        )
    else:
        text = (
            f"Whether **{name}** sits to the left or to the right makes no difference that is "
            f"seen: {shown(interval)} points a match ({p_text(p)} after Holm's adjustment)."
        )
    return finding(f"{name} to the left − to the right", interval, "points a match", text)


def _place(k: int, n: int) -> str:
    if k == 1:
        return "to the left"
    return "to the right" if k == n - 1 else f"{k} to the left"
