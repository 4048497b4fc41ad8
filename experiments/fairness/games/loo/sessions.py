"""How sessions of loo end: by their last deal, or because somebody is out of chips."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import triples
from experiments.fairness.games.loo.reading import (
    LOOS,
    Deals,
    Sums,
    counted,
    loo_options,
    over,
    percent,
    powers,
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
    boards = min(study.settings.variants, study.settings.boards)
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
            played = study.ladders(changes, name).some(boards)
            sums = counted(played, lambda deals: ends(deals, planned))
            share = share_of(sums["early"].sum(axis=0))
            names.append(f"{loo}, stack {stack}")
            values.append(share)
            counts = sums["lengths"].sum(axis=0)
            quantile = number(int(np.searchsorted(counts.cumsum(), 0.05 * counts.sum())))
            mean = number(over(counts @ np.arange(planned + 1), counts.sum()))
            rows.append([loo, f"{stack:,}", percent(share.mean), mean, quantile])
            text = (
                f"With **{loo}** loos and {stack:,} chips each, {shown(share)} of the sessions "
                f"end before their {planned} deals are played, because somebody cannot pay; they "
                f"last {mean} deals on average."
            )
            title = f"sessions that end early, {loo}, stack {stack}"
            answer.findings.append(finding(title, share, "of the sessions", text, played.boards))
    alt = f"Share of sessions that end early: {spoken(names, values)}"
    svg = plots.intervals("sessions", alt, names, triples(values), "share of sessions")
    answer.plots.append(Plot(svg, "Sessions that end before their last deal."))
    answer.tables.append(Table(rows, "Ends of sessions of the ladder", left=2))


def ends(deals: Deals, planned: int) -> Sums:
    """How sessions end on every board.

    Args:
        deals: Deals of whole sessions.
        planned: Number of deals of a session that is not ended early.

    Returns:
        `lengths`, float64 [boards, planned + 1]: numbers of sessions by number of deals; `early`,
        float64 [boards, 3]: `powers` of the share with fewer deals than planned.
    """
    last = np.flatnonzero(np.append(deals.match[1:] != deals.match[:-1], True))
    lengths = np.zeros((deals.boards, planned + 1))
    np.add.at(lengths, (deals.board[last], deals.number[last] + 1), 1)
    return {"lengths": lengths, "early": powers(1 - lengths[:, -1] / lengths.sum(axis=1)).T}
