"""Variants of loo without a Miss: what Pam does, or else a card turned for trumps."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, number
from experiments.fairness.boards import triples
from experiments.fairness.games.loo.claims import Claim, judged
from experiments.fairness.games.loo.reading import (
    Deals,
    Sums,
    counted,
    estimate,
    over,
    spoken,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.games.loo.options import has_pam
from loop_envs.games.loo.state import PLAYS

MEASURES = {
    "spread": ("the spread of a deal's chips is {}", "chips"),
    "pool": ("the mean pool holds {}", "chips"),
    "players in": ("players come in {} often", "of them a deal"),
    "loos": ("players are looed {} often", "of them a deal"),
    "flushes": ("the pool goes {} often without a trick", "of the deals"),
}
"""What is compared: what is said of it, and its unit."""


def other_form(options: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
    """The form that a game without a Miss is compared with.

    Args:
        options: The game's options.

    Returns:
        What differs in it; what this game has and what the other has, in words.
    """
    if has_pam(options):
        return {"pam": "none"}, "with Pam", "without Pam"
    if options["variant"] == "five_card":
        return {"pam": "jack_of_clubs"}, "without Pam", "with Pam"
    turned = options["irish_turnup"]
    own, other = "a card turned for trumps", "the first lead for trumps"
    return {"irish_turnup": not turned}, *((own, other) if turned else (other, own))


def without_miss(study: Study) -> Answer:
    """There is no Miss; what the game's other peculiarity does, on the same boards."""
    options, own, other = other_form(dict(study.game.options))
    answer = Answer(
        "miss",
        f"No Miss: {own}",
        f"This variant has no Miss. What does it do that it is played {own} and not {other}?",
    )
    few = min(study.settings.variants, study.settings.identical)
    changed = study.identical(options, "-".join(f"{k}-{v}" for k, v in options.items()))
    arms = {own: study.identical(), other: changed}
    sums = {name: counted(played.some(few), measures) for name, played in arms.items()}
    claims = []
    rows = [["", *(f"{name}, {unit}" for name, (_, unit) in MEASURES.items())]]
    for name, one in sums.items():
        totals = {key: float(x.sum()) for key, x in one.items()}
        rows.append(
            [name, *(number(_value(key, totals[key], totals["deals"])) for key in MEASURES)]
        )
    columns = {
        key: [one[x] for one in (sums[own], sums[other]) for x in (key, "deals")]
        for key in MEASURES
    }
    for key, (what, unit) in MEASURES.items():
        change = estimate(
            columns[key],
            lambda a, b, c, d, key=key: _value(key, a, b) - _value(key, c, d),
        )
        words = f"Played **{own}**, {what} than {other}: {{}} {unit}"
        claims.append(Claim(f"{key}: {own} − {other}", change, unit, few, words))
    answer.findings += judged(claims)
    names = list(MEASURES)
    times = [
        estimate(
            columns[key],
            lambda a, b, c, d, key=key: over(_value(key, a, b), _value(key, c, d)),
        )
        for key in names
    ]
    alt = f"Played {own}, as a multiple of {other}: {spoken(names, times)}"
    svg = plots.intervals("without-miss", alt, names, triples(times), f"times that {other}", 1.0)
    answer.plots.append(Plot(svg, f"Played {own}, as a multiple of {other}."))
    answer.tables.append(Table(rows, f"Deals of equal agents, {few:,} boards each"))
    answer.notes.append(
        f"{study.ladder[0]} in all seats, the same boards in both forms; it plays as well as it "
        "can by the rules it is given. The spread is the root of the mean squared margin of a "
        "player in a deal, √(Σ m² / Σ players). Intervals by the delete-a-group jackknife over "
        "boards; p values are adjusted together by Holm's method."
    )
    return answer


def measures(deals: Deals) -> Sums:
    """Totals of what is compared, and number of `deals`, on every board."""
    entered = (deals.of["declared"] >= PLAYS).sum(axis=1)
    no_trick = (deals.of["tricks"].sum(axis=1) == 0) & (entered > 1)
    values = {
        "spread": deals.squares,
        "pool": deals.pool,
        "players in": entered,
        "loos": deals.of["looed"].sum(axis=1),
        "flushes": no_trick,
        "deals": np.ones(len(entered)),
    }
    return {key: deals.sums(value) for key, value in values.items()}


def _value(key: str, total: float, parts: float) -> float:
    mean = over(total, parts)
    return mean**0.5 if key == "spread" else mean
