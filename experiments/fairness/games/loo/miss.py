"""The Miss: who takes it, what takers get, and what it is worth to be allowed to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.boards import Floats, triples
from experiments.fairness.games.loo.claims import direction, judged
from experiments.fairness.games.loo.miss_worth import miss_worth
from experiments.fairness.games.loo.reading import (
    Deals,
    Sums,
    counted,
    over,
    percent,
    place_label,
    plus_minus,
    ratio,
    ratio_change,
    spoken,
)
from experiments.fairness.games.loo.without import without_miss
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.games.loo.options import has_miss
from loop_envs.games.loo.state import PASSED, PLAYS

CLASSES = ("first in", "after one", "after more")
WHO = ("the Miss", "own hand", "passed")


def miss(study: Study) -> Answer:
    """How often the Miss is taken, what takers get, and what it is worth."""
    if not has_miss(study.game.options):
        return without_miss(study)
    answer = Answer(
        "miss",
        "The Miss",
        "How often is the Miss taken, and by whom? What do takers get, and what is it worth to be "
        "allowed to take it?",
    )
    played = study.identical()
    sums = counted(played, takers)
    _rates(answer, sums, played.boards)
    answer.findings.append(_observed(answer, sums, played.boards))
    answer.findings += judged(miss_worth(answer, study))
    answer.notes.append(
        f"Rates and what takers got: {study.ladder[0]} in all seats, {played.boards:,} boards. Who "
        "takes the Miss has a poor hand and chooses the moment, so what takers got is no effect of "
        "taking it. What it is worth comes from experiments with the same agent, of which a copy "
        "never takes the Miss unless nothing else is legal (it may still defend with it). Head to "
        "head: copies that may and that may not at one table, in all rotations; the worth is the "
        "difference of their mean margins in a deal, for this agent as it uses the Miss: below 0 "
        "it takes it too readily. All seats: nobody takes it, compared with "
        "all may, on the same boards. "
        "Means are quotients Σ x / Σ y over boards, with intervals by the delete-a-group "
        "jackknife; the experiments' p values are adjusted by Holm's method."
    )
    return answer


def takers(deals: Deals) -> Sums:
    """What is counted on every board.

    Returns:
        `deals`, float64 [boards]; by place after the dealer and class of who was in before, how
        often the Miss was `taken` and could be had, `offered`, float64 [boards, n, classes]; by
        WHO, `players`, their `gain`, `pool` and how many were `looed`, float64 [boards, WHO].
    """
    ahead = np.minimum(deals.by_place("ahead"), len(CLASSES) - 1)
    classes = ahead[:, :, None] == np.arange(len(CLASSES))
    took, offered, declared = (deals.of[name] for name in ("took_miss", "offered", "declared"))
    who = [took, offered & (declared == PLAYS), offered & (declared == PASSED)]

    def of_who(values: npt.NDArray[Any]) -> Floats:
        return np.stack([deals.sums((values * chosen).sum(axis=1)) for chosen in who], axis=1)

    return {
        "deals": deals.sums(np.ones(len(deals.board))),
        "taken": deals.sums(deals.by_place("took_miss")[:, :, None] & classes),
        "offered": deals.sums(deals.by_place("offered")[:, :, None] & classes),
        "players": of_who(np.ones_like(took)),
        **{name: of_who(deals.of[name]) for name in ("gain", "pool", "looed")},
    }


def _rates(answer: Answer, sums: Sums, boards: int) -> None:
    """Shares of those who could take the Miss and did, by place and by who was in before."""
    taken, offered = sums["taken"], sums["offered"]
    n = taken.shape[1]
    each = ratio(taken.sum(axis=(1, 2)), sums["deals"])
    text = f"The Miss is taken in {shown(each)} of all deals."
    answer.findings.append(finding("Miss taken", each, "of the deals", text, boards))
    places = [place_label(k, n) for k in range(n)]
    by_place = [ratio(taken[:, k].sum(axis=1), offered[:, k].sum(axis=1)) for k in range(n)]
    classes = range(len(CLASSES))
    first, *others = [(taken[:, :, c].sum(axis=1), offered[:, :, c].sum(axis=1)) for c in classes]
    by_class = [ratio(*pair) for pair in (first, *others)]
    later = taken[:, :, 1:].sum(axis=(1, 2)), offered[:, :, 1:].sum(axis=(1, 2))
    change = ratio_change(later, first)
    text = (
        f"Who would be the **first to come in** takes it in {shown(by_class[0])} of the "
        f"declarations at which it can be had. Where others are in before, it is taken "
        f"{direction(change)} often: the difference is {shown(change)}."
    )
    if np.isnan(change.mean):
        text = "The Miss could not be had both by the first to come in and by later ones."
    name = "taken after others − by the first in"
    answer.findings.append(finding(name, change, "of declarations", text, boards))
    labels, values = [*places, *CLASSES], [*by_place, *by_class]
    alt = f"Share that takes the Miss where it can be had: {spoken(labels, values)}"
    svg = plots.intervals(
        "miss-rates", alt, labels, triples(values), "share of declarations at which it can be had"
    )
    answer.plots.append(Plot(svg, "How often the Miss is taken by those who could, equal agents."))
    rows = [["place", *CLASSES, "all"]]
    for k in range(n):
        cells = [over(a, b) for a, b in zip(taken[:, k].sum(0), offered[:, k].sum(0), strict=True)]
        rows.append([places[k], *(percent(cell) for cell in cells), plus_minus(by_place[k])])
    caption = "Share that takes the Miss, by place and by how many are in before"
    answer.tables.append(Table(rows, caption))


def _observed(answer: Answer, sums: Sums, boards: int) -> Finding:
    """What takers got, and what those got who could and played their own hands."""
    players, gain, pool = (sums[name] for name in ("players", "gain", "pool"))
    offered = sums["offered"].sum()
    rows = [["declared", "of those who could take it", "chips a deal", "of the pool", "looed"]]
    for i, name in enumerate(WHO):
        rows.append(
            [
                name,
                percent(over(players[:, i].sum(), offered)),
                plus_minus(ratio(gain[:, i], players[:, i])),
                plus_minus(ratio(gain[:, i], pool[:, i])),
                percent(over(sums["looed"][:, i].sum(), players[:, i].sum())),
            ]
        )
    answer.tables.append(Table(rows, "What they got; no effects, for their hands differ"))
    gap = ratio_change((gain[:, 0], pool[:, 0]), (gain[:, 1], pool[:, 1]))
    text = (
        f"Takers of the Miss got {direction(gap)} than those who could have taken it and played "
        f"their own hands: the difference is {shown(gap)} of the pool. That is what was seen, not "
        "what taking it does, for takers held other hands."
    )
    if np.isnan(gap.mean):
        text = "Nobody took the Miss, or nobody who could played the own hand."
    return finding("takers − own hands, as observed", gap, "of the pool", text, boards)
