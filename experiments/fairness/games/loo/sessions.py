"""How sessions of loo end: by their last deal, or because somebody is out of chips."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import Floats, triples
from experiments.fairness.games.loo.reading import (
    LOOS,
    Deals,
    loo_options,
    percent,
    read_deals,
    share_of,
    spoken,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.games.loo.options import antes

SHORT = 10
"""By how much the short stack is divided."""


def short_stack(options: dict[str, Any]) -> int:
    """Chips of the short stack: a part of the game's own, but at least two antes."""
    return max(int(options["stack"]) // SHORT, 2 * max(antes(options)))


def sessions(answer: Answer, study: Study) -> None:
    """How often sessions end early, by kind of loo and by stack.

    Args:
        answer: The answer; gets findings, a plot and a table.
        study: The study.
    """
    own = study.game.options
    planned = own["num_deals"]
    few = min(study.settings.variants, study.settings.boards)
    rows = [["loo", "stack", "ends early", "deals played", "one in twenty ends by deal"]]
    names, values = [], []
    for loo in LOOS:
        for stack in dict.fromkeys((own["stack"], short_stack(own))):
            changes = loo_options(study, loo)
            if stack != own["stack"] or own["allow_debt"]:
                changes |= {"stack": stack, "allow_debt": False}
            name = loo if loo != own["loo"] else ""
            if "stack" in changes:
                name = f"{loo}-stack-{stack}"
            deals = read_deals(study, study.ladders(changes, name), few)
            early, length = ends(deals, planned)
            share = share_of(early)
            names.append(f"{loo}, stack {stack}")
            values.append(share)
            played = np.bincount(deals.match)
            quantile = number(float(np.quantile(played, 0.05, method="inverted_cdf")))
            mean = number(float(length.mean()))
            rows.append([loo, f"{stack:,}", percent(share.mean), mean, quantile])
            text = (
                f"With **{loo}** loos and {stack:,} chips each, {shown(share)} of the sessions "
                f"end before their {planned} deals are played, because somebody cannot pay; they "
                f"last {mean} deals on average."
            )
            title = f"sessions that end early, {loo}, stack {stack}"
            answer.findings.append(finding(title, share, "of the sessions", text, deals.boards))
    alt = f"Share of sessions that end early: {spoken(names, values)}"
    svg = plots.intervals("sessions", alt, names, triples(values), "share of sessions")
    answer.plots.append(Plot(svg, "Sessions that end before their last deal."))
    answer.tables.append(Table(rows, "Ends of sessions of the ladder", left=2))


def ends(deals: Deals, planned: int) -> tuple[Floats, Floats]:
    """How sessions end on every board.

    Args:
        deals: Deals of whole sessions.
        planned: Number of deals of a session that is not ended early.

    Returns:
        Share of sessions with fewer deals, and mean number of deals, each float64 [boards].
    """
    last = np.flatnonzero(np.append(deals.match[1:] != deals.match[:-1], True))
    played = deals.number[last] + 1
    board = deals.board[last]
    counts = np.bincount(board, minlength=deals.boards)
    early = np.bincount(board, played < planned, minlength=deals.boards)
    length = np.bincount(board, played, minlength=deals.boards)
    return early / counts, length / counts
