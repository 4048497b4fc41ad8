"""What it is worth to deal, and to be the eldest; and what the bold stand does to it."""

from __future__ import annotations

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import Floats, triples
from experiments.fairness.games.loo.claims import Claim, judged
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
from experiments.fairness.played import Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.games.loo.state import PLAYS

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
    played = study.identical()
    claims = _places(answer, counted(played, places), played.boards)
    claims += _bold_stand(answer, study)
    answer.findings += judged(claims)
    answer.notes.append(
        f"{study.ladder[0]} in all seats, {played.boards:,} boards. A place's advantage is what it "
        "gains in a deal minus the mean of the others; antes are paid within the deal, and a loo "
        "counts against whoever pays it. Means are sums of chips over numbers of deals, "
        "Σ chips / Σ deals, with intervals by the delete-a-group jackknife over boards. Rules of "
        "the bold stand are compared on the same boards, and all comparisons are adjusted together "
        "by Holm's method. A deal with a looed pool is not like another one with a single pool: "
        "what the two differ in is a fact about the game as it is played, not an experiment."
    )
    return answer


def places(deals: Deals) -> Sums:
    """What is counted on every board, by kind of pool and by place after the dealer.

    Returns:
        float64 [boards, 2]: `deals` and chips in the `pool`; float64 [boards, 2, n]: `margin`, how
        many came `in`, were `forced` and `looed`, and `tricks`.
    """
    names = ("margin", "forced", "looed", "tricks")
    return {
        "deals": deals.by_kind(np.ones(len(deals.board))),
        "pool": deals.by_kind(deals.pool),
        "in": deals.by_kind(deals.by_place("declared") >= PLAYS),
        **{name: deals.by_kind(deals.by_place(name)) for name in names},
    }


def advantage(sums: Sums, kind: str, place: int) -> tuple[Floats, Floats]:
    """What a place gains beyond the mean of the others on a kind of pool.

    Args:
        sums: Those of `places`.
        kind: Kind of pool.
        place: Place after the dealer, 0 for the eldest.

    Returns:
        Chips and number of deals, each float64 [rows].
    """
    margins = sums["margin"][:, KINDS.index(kind)]
    n = margins.shape[1]
    return margins[:, place] * (n / (n - 1)), sums["deals"][:, KINDS.index(kind)]


def _places(answer: Answer, sums: Sums, boards: int) -> list[Claim]:
    """Chips by place and kind of pool: plot, table, and what is tested."""
    n = sums["margin"].shape[2]
    labels, values, claims = [], [], []
    for i, kind in enumerate(KINDS):
        one = {name: x[:, i] for name, x in sums.items()}
        means = [ratio(one["margin"][:, k], one["deals"]) for k in range(n)]
        labels += [f"{kind}: {place_label(k, n)}" for k in range(n)]
        values += means
        for place, name in ((n - 1, "dealer"), (0, "eldest")):
            gap = ratio(*advantage(sums, kind, place))
            words = f"On {kind} pools the **{name}** gains {{}} than the others: {{}} chips a deal"
            claims.append(
                Claim(f"{name} − others, {kind} pools", gap, "chips a deal", boards, words)
            )
        answer.tables.append(Table(_place_rows(one), f"Deals with {kind} pools, by place"))
        best = int(np.argmax([mean.mean for mean in means]))
        # It is chosen by what it got, so the interval holds for all places together.
        part = ratio(one["margin"][:, best], one["pool"], 1 - 0.05 / n)
        text = (
            f"On {kind} pools the place that gains most is **{place_label(best, n)}**: "
            f"{shown(part)} of the pool beyond the mean of the table."
        )
        if np.isnan(part.mean):
            text = f"There were no {kind} pools."
        name = f"best place, {kind} pools"
        answer.findings.append(finding(name, part, "of the pool", text, boards))
    alt = f"Mean margin by place and kind of pool: {spoken(labels, values)}"
    svg = plots.intervals("dealer", alt, labels, triples(values), "mean margin, chips a deal")
    answer.plots.append(Plot(svg, "Chips a deal beyond the mean of the table, equal agents."))
    return claims


def _place_rows(sums: Sums) -> list[list[str]]:
    """How deals go by place, from the sums of one kind of pool."""
    rows = [["place", "margin, chips", "of the pool", "comes in", "forced", "looed", "tricks"]]
    n = sums["margin"].shape[1]
    for k in range(n):
        chips = sums["margin"][:, k]
        shares = [
            over(sums[name][:, k].sum(), sums["deals"].sum())
            for name in ("in", "forced", "looed", "tricks")
        ]
        rows.append(
            [
                place_label(k, n),
                plus_minus(ratio(chips, sums["deals"])),
                plus_minus(ratio(chips, sums["pool"])),
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
    rules = (own, *(rule for rule in RULES if rule != own))
    arms = {rule: counted(_played(study, rule).some(few), places) for rule in rules}
    n = arms[own]["margin"].shape[2]
    cells = [(place, kind) for kind in KINDS for place in (0, n - 1)]
    values, half = np.full((2, len(arms), len(cells)), np.nan)
    rows = [["bold stand", "single pools", "mean pool", "in", "looed"]]
    rows[0] += [f"{place_label(place, n)}, {kind}" for place, kind in cells]
    claims = []
    for i, (rule, sums) in enumerate(arms.items()):
        found = []
        for j, (place, kind) in enumerate(cells):
            mean = ratio(*advantage(sums, kind, place))
            values[i, j], half[i, j] = mean.mean, (mean.high - mean.low) / 2
            found.append(plus_minus(mean))
        rows.append([rule, *_flow(sums), *found])
        if rule != own:
            claims += _changes(rule, own, sums, arms[own], few)
    names = [f"{place_label(place, n)}, {kind}" for place, kind in cells]
    alt = "Advantages of eldest and dealer by bold stand: " + "; ".join(
        f"{rule} {', '.join(f'{name} {v:+.2f}' for name, v in zip(names, row, strict=True))}"
        for rule, row in zip(arms, values, strict=True)
    )
    svg = plots.heat_map(
        "bold-stand", alt, list(arms), names, values, half, "chips a deal beyond the others", ""
    )
    answer.plots.append(Plot(svg, "Advantage by rule of the bold stand; framed where clear."))
    answer.tables.append(Table(rows, f"The bold stand, {few:,} boards each"))
    answer.notes.append(
        "The bold stand holds on single pools only. "
        + " ".join(f"{rule}: {text}." for rule, text in RULES.items())
    )
    return claims


def _played(study: Study, rule: str) -> Played:
    """Boards of equal agents under a rule of the bold stand."""
    if rule == study.game.options["bold_stand"]:
        return study.identical()
    return study.identical({"bold_stand": rule}, f"bold-{rule}")


def _flow(sums: Sums) -> list[str]:
    """How many pools are single, and means per deal: pool, players in, loos."""
    deals = sums["deals"].sum()
    means = (number(float(sums[name].sum() / deals)) for name in ("pool", "in", "looed"))
    return [percent(float(sums["deals"][:, 0].sum() / deals)), *means]


def _changes(rule: str, own: str, new: Sums, old: Sums, boards: int) -> list[Claim]:
    """How a rule changes what a place is worth on single pools, and the mean pool."""
    n = new["margin"].shape[2]
    claims = []
    for place, name in ((0, "eldest"), (n - 1, "dealer")):
        change = ratio_change(advantage(new, "single", place), advantage(old, "single", place))
        words = (
            f"With bold_stand = {rule} the **{name}** gains {{}} on a single pool than with {own}, "
            "measured against the others: {} chips a deal"
        )
        title = f"{name} under {rule} − {own}, single pools"
        claims.append(Claim(title, change, "chips a deal", boards, words))
    pools = [(one["pool"].sum(axis=1), one["deals"].sum(axis=1)) for one in (new, old)]
    change = ratio_change(*pools)
    words = f"With bold_stand = {rule} the mean pool holds {{}} than with {own}: {{}} chips"
    claims.append(Claim(f"mean pool under {rule} − {own}", change, "chips", boards, words))
    return claims
