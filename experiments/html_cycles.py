"""The part of the page about a tournament that says how far it is from a ranking."""

from __future__ import annotations

import math

import numpy as np

from experiments import plots
from experiments.html_sections import Plot, Section, Table
from experiments.report import marked_up
from loop_envs.duplicate import Transitivity, alpha_rank


def cycles_section(cycles: Transitivity) -> Section:
    """How far the table of pairs is from a ranking."""
    names, k = cycles.agents, len(cycles.agents)
    met = ~np.isnan(cycles.differences)
    shares = alpha_rank(np.where(met, cycles.differences, 0.0))
    if math.isnan(cycles.p_value):
        verdict = "Where all agents sit at the same tables, nothing can be cyclic."
    elif cycles.p_value < 0.05:
        verdict = f"There are cycles that a ranking hides (p = {cycles.p_value:.2g})."
    else:
        verdict = f"No cycle is told from chance (p = {cycles.p_value:.2g})."
    text = (
        f"A ranking gives every pair the difference of two numbers; {cycles.share:.1%} of the sum "
        f"of squares of the table of pairs is beyond that, {cycles.triads} triads go round in a "
        f"circle. **{verdict}** α-rank is the share of time in which each agent holds out where "
        "agents keep replacing each other: all on the best one, unless there is a cycle at the top."
    )
    alt = f"Heat map of what a ranking leaves of the differences between {k} agents"
    half = np.full((k, k), np.nan)
    plot = plots.heat_map("cycles", alt, names, names, cycles.cyclic, half, "against", "agent")
    rows = [["agent", "rating", "α-rank"]]
    for i in np.argsort(-cycles.rating):
        rows.append([names[i], f"{cycles.rating[i]:+.2f}", f"{shares[i]:.3f}"])
    return Section(
        "cycles",
        "Cycles",
        [marked_up(text)],
        [Plot(plot, "Difference minus that of the ratings, in points a match.")],
        [Table(rows, "Ratings closest to the table of pairs, and α-rank")],
    )
