"""What it is worth to deal, and to be the eldest; and what the bold stand does to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import Floats, triples
from experiments.fairness.games.loo.claims import Claim, judged
from experiments.fairness.games.loo.reading import (
    Deals,
    estimate,
    over,
    percent,
    place_label,
    plus_minus,
    ratio,
    ratio_change,
    read_deals,
    spoken,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table

KINDS = ("single", "looed")
RULES = {
    "last_two": "the last two must play when all before them pass",
    "all": "everybody must play",
    "off": "anybody may pass",
}
"""Values of the option bold_stand, and what holds on a single pool."""


def dealer(study: Study) -> Answer:
    """Places after the dealer on single and looed pools, and the bold stand."""
    answer = Answer(
        "dealer",
        "Dealer, eldest, and the bold stand",
        "What is a place after the dealer worth in a deal, where the pool is single and where it "
        "holds loos? And how does the bold stand change it?",
    )
    deals = read_deals(study, study.identical())
    claims = _places(answer, deals)
    claims += _bold_stand(answer, study)
    answer.findings += judged(claims)
    answer.notes.append(
        f"{study.ladder[0]} in all seats, {deals.boards:,} boards. A place's advantage is what it "
        "gains in a deal minus the mean of the others; antes are paid within the deal, and a loo "
        "counts against whoever pays it. Means are sums of chips over numbers of deals, "
        "Σ chips / Σ deals, with intervals by the delete-a-group jackknife over boards. Rules of "
        "the bold stand are compared on the same boards, and all comparisons are adjusted together "
        "by Holm's method. A deal with a looed pool is not like another one with a single pool: "
        "what the two differ in is a fact about the game as it is played, not an experiment."
    )
    return answer


def advantage(deals: Deals, chosen: npt.NDArray[np.bool_], place: int) -> tuple[Floats, Floats]:
    """What a place gains beyond the mean of the others in some deals.

    Args:
        deals: The deals.
        chosen: Which of them, bool [K].
        place: Place after the dealer, 0 for the eldest.

    Returns:
        Chips and number of deals, each float64 [boards].
    """
    n = deals.n
    more = deals.by_place("margin")[:, place] * (n / (n - 1))
    return deals.sums(more * chosen), deals.sums(chosen.astype(np.float64))


def _places(answer: Answer, deals: Deals) -> list[Claim]:
    """Chips by place and kind of pool: plot, table, and what is tested."""
    n = deals.n
    margins = deals.by_place("margin")
    labels, values, claims = [], [], []
    for kind in KINDS:
        chosen = deals.single if kind == "single" else ~deals.single
        number_of = deals.sums(chosen.astype(np.float64))
        means = [ratio(deals.sums(margins[:, k] * chosen), number_of) for k in range(n)]
        labels += [f"{kind}: {place_label(k, n)}" for k in range(n)]
        values += means
        for place, name in ((n - 1, "dealer"), (0, "eldest")):
            gap = ratio(*advantage(deals, chosen, place))
            words = f"On {kind} pools the **{name}** gains {{}} than the others: {{}} chips a deal"
            claims.append(
                Claim(f"{name} − others, {kind} pools", gap, "chips a deal", deals.boards, words)
            )
        answer.tables.append(
            Table(_place_rows(deals, chosen), f"Deals with {kind} pools, by place")
        )
        best = int(np.argmax([mean.mean for mean in means]))
        pool = deals.pool * chosen
        # It is chosen by what it got, so the interval holds for all places together.
        part = ratio(deals.sums(margins[:, best] * chosen), deals.sums(pool), 1 - 0.05 / n)
        text = (
            f"On {kind} pools the place that gains most is **{place_label(best, n)}**: "
            f"{shown(part)} of the pool beyond the mean of the table."
        )
        if np.isnan(part.mean):
            text = f"There were no {kind} pools."
        name = f"best place, {kind} pools"
        answer.findings.append(finding(name, part, "of the pool", text, deals.boards))
    alt = f"Mean margin by place and kind of pool: {spoken(labels, values)}"
    svg = plots.intervals("dealer", alt, labels, triples(values), "mean margin, chips a deal")
    answer.plots.append(Plot(svg, "Chips a deal beyond the mean of the table, equal agents."))
    return claims


def _place_rows(deals: Deals, chosen: npt.NDArray[np.bool_]) -> list[list[str]]:
    """How deals go by place."""
    n = deals.n
    rows = [["place", "margin, chips", "of the pool", "comes in", "forced", "looed", "tricks"]]
    deals_of = deals.sums(chosen.astype(np.float64))
    pools = deals.sums(deals.pool * chosen)
    margin = deals.by_place("margin")
    entered = deals.by_place("declared") >= 2
    forced, looed, tricks = (deals.by_place(name) for name in ("forced", "looed", "tricks"))
    for k in range(n):
        chips = deals.sums(margin[:, k] * chosen)
        shares = [
            over((x[:, k] * chosen).sum(), deals_of.sum()) for x in (entered, forced, looed, tricks)
        ]
        rows.append(
            [
                place_label(k, n),
                plus_minus(ratio(chips, deals_of)),
                plus_minus(ratio(chips, pools)),
                *(percent(share) for share in shares[:3]),
                number(shares[3]),
            ]
        )
    return rows


# The bold stand ---------------------------------------------------------------------------------


def _bold_stand(answer: Answer, study: Study) -> list[Claim]:
    """The three rules on the same boards: plot, table, and what is tested."""
    own = study.game.options["bold_stand"]
    few = min(study.settings.variants, study.settings.identical)
    arms: Mapping[str, Deals] = {
        rule: read_deals(
            study,
            study.identical({"bold_stand": rule}, f"bold-{rule}")
            if rule != own
            else study.identical(),
            few,
        )
        for rule in (own, *(rule for rule in RULES if rule != own))
    }
    base = arms[own]
    boards = min(one.boards for one in arms.values())
    n = base.n
    cells = [(place, kind) for kind in KINDS for place in (0, n - 1)]
    values, half = np.full((2, len(arms), len(cells)), np.nan)
    rows = [["bold stand", "single pools", "mean pool", "in", "looed"]]
    rows[0] += [f"{place_label(place, n)}, {kind}" for place, kind in cells]
    claims = []
    for i, (rule, deals) in enumerate(arms.items()):
        found = []
        for j, (place, kind) in enumerate(cells):
            chosen = deals.single if kind == "single" else ~deals.single
            mean = ratio(*advantage(deals, chosen, place))
            values[i, j], half[i, j] = mean.mean, (mean.high - mean.low) / 2
            found.append(plus_minus(mean))
            if rule != own and kind == "single":
                claims.append(_changed(rule, own, place, base, deals, boards))
        rows.append([rule, *_flow(deals), *found])
        if rule != own:
            claims.append(_pool_change(rule, own, base, deals, boards))
    names = [f"{place_label(place, n)}, {kind}" for place, kind in cells]
    alt = "Advantages of eldest and dealer by bold stand: " + "; ".join(
        f"{rule} {', '.join(f'{name} {v:+.2f}' for name, v in zip(names, row, strict=True))}"
        for rule, row in zip(arms, values, strict=True)
    )
    svg = plots.heat_map(
        "bold-stand", alt, list(arms), names, values, half, "chips a deal beyond the others", ""
    )
    answer.plots.append(Plot(svg, "Advantage by rule of the bold stand; framed where clear."))
    answer.tables.append(Table(rows, f"The bold stand, {boards:,} boards each"))
    answer.notes.append(
        "The bold stand holds on single pools only. "
        + " ".join(f"{rule}: {text}." for rule, text in RULES.items())
    )
    return claims


def _flow(deals: Deals) -> list[str]:
    """How many pools are single, and means per deal: pool, players in, loos."""
    entered = (deals.of["declared"] >= 2).sum(axis=1).mean()
    looed = deals.of["looed"].sum(axis=1).mean()
    means = (number(float(x)) for x in (deals.pool.mean(), entered, looed))
    return [percent(float(deals.single.mean())), *means]


def _cut(sums: tuple[Floats, Floats], boards: int) -> tuple[Floats, Floats]:
    return sums[0][:boards], sums[1][:boards]


def _changed(
    rule: str, own: str, place: int, base: Deals, deals: Deals, boards: int
) -> Claim:  # fmt: skip
    """How a rule changes what a place is worth on single pools."""
    name = "dealer" if place == deals.n - 1 else "eldest"
    change = ratio_change(
        _cut(advantage(deals, deals.single, place), boards),
        _cut(advantage(base, base.single, place), boards),
    )
    words = (
        f"With bold_stand = {rule} the **{name}** gains {{}} on a single pool than with {own}, "
        "measured against the others: {} chips a deal"
    )
    return Claim(
        f"{name} under {rule} − {own}, single pools", change, "chips a deal", boards, words
    )


def _pool_change(rule: str, own: str, base: Deals, deals: Deals, boards: int) -> Claim:
    """How a rule changes the mean pool."""
    columns = []
    for one in (deals, base):
        columns += [one.sums(one.pool)[:boards], one.sums(np.ones(len(one.pool)))[:boards]]
    change = estimate(columns, lambda a, b, c, d: over(a, b) - over(c, d))
    words = f"With bold_stand = {rule} the mean pool holds {{}} than with {own}: {{}} chips"
    return Claim(f"mean pool under {rule} − {own}", change, "chips", boards, words)
