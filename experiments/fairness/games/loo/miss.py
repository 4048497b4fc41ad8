"""The Miss: who takes it, what takers get, and what it is worth to be allowed to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.boards import triples
from experiments.fairness.games.loo.claims import direction, judged
from experiments.fairness.games.loo.miss_worth import miss_worth
from experiments.fairness.games.loo.reading import (
    Deals,
    estimate,
    over,
    percent,
    place_label,
    plus_minus,
    ratio,
    read_deals,
    spoken,
)
from experiments.fairness.games.loo.without import without_miss
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval
from loop_envs.games.loo.options import has_miss
from loop_envs.games.loo.state import PASSED, PLAYS

CLASSES = ("first in", "after one", "after more")


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
    deals = read_deals(study, study.identical())
    _rates(answer, deals)
    answer.findings.append(_observed(answer, deals))
    answer.findings += judged(miss_worth(answer, study))
    answer.notes.append(
        f"Rates and what takers got: {study.ladder[0]} in all seats, {deals.boards:,} boards. Who "
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


def _rates(answer: Answer, deals: Deals) -> None:
    """Shares of those who could take the Miss and did, by place and by who was in before."""
    n = deals.n
    taken, offered = (deals.by_place(name) for name in ("took_miss", "offered"))
    ahead = deals.by_place("ahead")
    each = ratio(deals.sums(taken.sum(axis=1)), deals.sums(np.ones(len(taken))))
    text = f"The Miss is taken in {shown(each)} of all deals."
    answer.findings.append(finding("Miss taken", each, "of the deals", text, deals.boards))
    places = [place_label(k, n) for k in range(n)]
    by_place = [ratio(deals.sums(taken[:, k]), deals.sums(offered[:, k])) for k in range(n)]
    classes = [ahead == 0, ahead == 1, ahead >= 2]
    columns = [
        (deals.sums((taken * c).sum(axis=1)), deals.sums((offered * c).sum(axis=1)))
        for c in classes
    ]
    by_class = [ratio(*pair) for pair in columns]
    later = [one + two for one, two in zip(columns[1], columns[2], strict=True)]
    change = estimate([*later, *columns[0]], lambda a, b, c, d: over(a, b) - over(c, d))
    text = (
        f"Who would be the **first to come in** takes it in {shown(by_class[0])} of the "
        f"declarations at which it can be had. Where others are in before, it is taken "
        f"{direction(change)} often: the difference is {shown(change)}."
    )
    if np.isnan(change.mean):
        text = "The Miss could not be had both by the first to come in and by later ones."
    name = "taken after others − by the first in"
    answer.findings.append(finding(name, change, "of declarations", text, deals.boards))
    labels, values = [*places, *CLASSES], [*by_place, *by_class]
    alt = f"Share that takes the Miss where it can be had: {spoken(labels, values)}"
    svg = plots.intervals(
        "miss-rates", alt, labels, triples(values), "share of declarations at which it can be had"
    )
    answer.plots.append(Plot(svg, "How often the Miss is taken by those who could, equal agents."))
    rows = [["place", *CLASSES, "all"]]
    for k in range(n):
        cells = [over((taken * c)[:, k].sum(), (offered * c)[:, k].sum()) for c in classes]
        rows.append([places[k], *(percent(cell) for cell in cells), plus_minus(by_place[k])])
    caption = "Share that takes the Miss, by place and by how many are in before"
    answer.tables.append(Table(rows, caption))


def _observed(answer: Answer, deals: Deals) -> Finding:
    """What takers got, and what those got who could and played their own hands."""
    took, offered, declared = (deals.of[name] for name in ("took_miss", "offered", "declared"))
    own, passed = offered & (declared == PLAYS), offered & (declared == PASSED)
    rows = [["declared", "of those who could take it", "chips a deal", "of the pool", "looed"]]
    for name, who in (("the Miss", took), ("own hand", own), ("passed", passed)):
        rows.append(
            [
                name,
                percent(over(who.sum(), offered.sum())),
                plus_minus(_gain(deals, who, by_pool=False)),
                plus_minus(_gain(deals, who, by_pool=True)),
                percent(over((who & deals.of["looed"]).sum(), who.sum())),
            ]
        )
    answer.tables.append(Table(rows, "What they got; no effects, for their hands differ"))
    columns = []
    for who in (took, own):
        columns += [deals.sums((deals.of[name] * who).sum(axis=1)) for name in ("gain", "pool")]
    gap = estimate(columns, lambda a, b, c, d: over(a, b) - over(c, d))
    text = (
        f"Takers of the Miss got {direction(gap)} than those who could have taken it and played "
        f"their own hands: the difference is {shown(gap)} of the pool. That is what was seen, not "
        "what taking it does, for takers held other hands."
    )
    if np.isnan(gap.mean):
        text = "Nobody took the Miss, or nobody who could played the own hand."
    return finding("takers − own hands, as observed", gap, "of the pool", text, deals.boards)


def _gain(deals: Deals, who: npt.NDArray[np.bool_], by_pool: bool) -> Interval:
    """Mean gain of some players, in chips or in pools."""
    parts = deals.of["pool"] * who if by_pool else who
    gains = (deals.of["gain"] * who).sum(axis=1)
    return ratio(deals.sums(gains), deals.sums(parts.sum(axis=1)))
