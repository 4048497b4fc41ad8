"""How stakes turn skill into luck: what a looed player pays, who antes, and the pool's growth."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import triples
from experiments.fairness.games.loo.claims import direction
from experiments.fairness.games.loo.pools import (
    Form,
    class_sums,
    growth,
    pool_classes,
    pools_by_number,
    table_antes,
)
from experiments.fairness.games.loo.reading import (
    LOOS,
    Deals,
    Sums,
    counted,
    exponential,
    loo_options,
    percent,
    plus_minus,
    read_deals,
    spoken,
)
from experiments.fairness.games.loo.sessions import sessions
from experiments.fairness.games.loo.skill import (
    TOP,
    differences,
    repetitions,
    signal,
    sizes_of,
    spread,
    sums_of,
    tail_share,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval
from loop_envs.games.loo.options import antes

ANTES = ("all", "dealer", "all_dealer_double")


def stakes(study: Study) -> Answer:
    """Stakes on the same boards: spread, tails, growth, skill against luck, ends of sessions."""
    answer = Answer(
        "stakes",
        "Stakes: how pools turn skill into luck",
        "What do limited, capped and unlimited loos do to the pool, to the spread of chips, and "
        "to the number of deals it takes until skill outweighs luck?",
    )
    forms = stake_forms(study)
    arms = {name: _read(study, options) for name, options in forms.items()}
    loos = {name: arms[f"loo {name}"] for name in LOOS}
    _spreads(answer, loos)
    growth(answer, loos)
    _skill(answer, study, arms, loos)
    pool_classes(answer, study, loos)
    sessions(answer, study)
    answer.notes.append(
        f"The ladder on the same {loos['limited'].boards:,} boards under every form of the stakes, "
        "in all rotations; a limited loo and a cap are the rules' own amounts. The spread is the "
        "root of the mean squared margin of a player in a deal. The tail is the part of all "
        f"squared margins that the {TOP:.0%} of deals with the largest pools have (of equal pools "
        "the part that is needed). Skill is the mean difference d of two players' chips in a "
        "deal, luck its standard deviation s. Skill outweighs luck from n = (s / d)² deals on "
        "(critical repetition frequency): after so many independent deals a lead of one standard "
        "deviation is expected. Intervals by the delete-a-group jackknife over boards, of "
        "logarithms where numbers are positive; forms are compared on the same boards. Under "
        "unlimited loos a few deals can make up much of a spread; intervals are then rather too "
        "narrow than too wide. Pools hang together from deal to deal, so the numbers of deals are "
        "a measure of deals, while the next question plays whole sessions."
    )
    return answer


def stake_forms(study: Study) -> Mapping[str, dict[str, Any]]:
    """Forms of the stakes by name, and what differs from the study's game."""
    own = study.game.options
    forms = {f"loo {name}": loo_options(study, name) for name in LOOS}
    for mode in ANTES:
        fits = max(antes(own | {"ante_mode": mode})) <= own["stack"] or own["allow_debt"]
        if mode != own["ante_mode"] and fits:
            forms[f"ante {mode}"] = {"ante_mode": mode}
    return forms


def _read(study: Study, options: Mapping[str, Any]) -> Form:
    name = "-".join(str(value) for value in options.values() if value is not None)
    boards = min(study.settings.variants, study.settings.boards)
    played = study.ladders(options, name).some(boards)

    def sums(deals: Deals) -> Sums:
        d = differences(deals, len(study.ladder))
        return {
            "single": deals.sums(deals.single),
            "looed": deals.sums(deals.of["looed"].sum(axis=1)),
            "number": pools_by_number(deals, study.game.options["num_deals"]),
            "against": sums_of(deals, d),
            "in pools": sums_of(deals, d[:, 0] / deals.pool),
            "classes": class_sums(deals, d[:, 0], table_antes(study)),
        }

    sizes = sizes_of(read_deals(part) for part in played.parts())
    return Form(played.boards, counted(played, sums), sizes)


def _spreads(answer: Answer, loos: Mapping[str, Form]) -> None:
    """Spread of a deal's chips, and its tail."""
    spreads, tails = [], []
    for name, form in loos.items():
        log = spread(form.sizes)
        spreads.append(exponential(log.interval()))
        text = f"With **{name}** loos a player's chips of a deal spread by {shown(spreads[-1])}"
        change = exponential(log.minus(spread(loos["limited"].sizes)))
        text += (
            "." if name == "limited" else f", {shown(change)} times as far as with limited ones."
        )
        answer.findings.append(
            finding(f"spread, {name}", spreads[-1], "chips a deal", text, form.boards)
        )
        tails.append(tail_share(form.sizes))
        text = f"With **{name}** loos the {TOP:.0%} of deals with the largest pools make up "
        text += f"{shown(tails[-1])} of the variance of chips."
        answer.findings.append(
            finding(f"tail, {name}", tails[-1], "of the variance", text, form.boards)
        )
    alt = f"Spread of chips in a deal: {spoken(list(loos), spreads)}"
    svg = plots.intervals("spread", alt, list(loos), triples(spreads), "chips a deal")
    answer.plots.append(Plot(svg, "How far a player's chips of a deal spread."))


def _skill(
    answer: Answer, study: Study, arms: Mapping[str, Form], loos: Mapping[str, Form]
) -> None:
    """Skill against luck in a deal, for the best against the rest and for neighbours."""
    names = study.ladder
    against = [f"{names[0]} − the rest", *(f"{a} − {b}" for a, b in pairwise(names))]
    rows = [["stakes", "players", "d, chips a deal", "s", "d / s", "deals until d outweighs s"]]
    shape = [["stakes", "single pools", "mean pool", "largest", "loos a deal", "spread", "tail"]]
    level: list[Interval] = []
    for name, form in arms.items():
        shape.append(_shape(name, form))
        for i, words in enumerate(against):
            found = signal(form.sums["against"][:, i])
            needed = exponential(repetitions(form.sums["against"][:, i]).interval())
            rows.append(
                [
                    name,
                    words,
                    plus_minus(found.mean),
                    number(found.deviation),
                    plus_minus(found.ratio),
                    "not told" if found.mean.low <= 0 <= found.mean.high else shown(needed),
                ]
            )
        best = signal(form.sums["against"][:, 0])
        needed = exponential(repetitions(form.sums["against"][:, 0]).interval())
        level.append(needed)
        clear = direction(best.mean)
        text = f"With stakes **{name}** {names[0]} gains {clear} than the rest: "
        text += f"{shown(best.mean)} chips a deal, with a standard deviation of "
        text += f"{number(best.deviation)}. "
        text += (
            f"Skill outweighs luck from {shown(needed)} deals on."
            if best.mean.low > 0
            else "So there is no number of deals from which on that skill outweighs luck."
            if best.mean.high < 0
            else "Whether skill ever outweighs luck cannot be told."
        )
        answer.findings.append(
            finding(f"deals until skill outweighs luck, {name}", needed, "deals", text, form.boards)
        )
    rest = {name: repetitions(form.sums["against"][:, 0]) for name, form in loos.items()}
    for name in ("capped", "unlimited"):
        change = exponential(rest[name].minus(rest["limited"]))
        word = "more" if change.low > 1 else "fewer" if change.high < 1 else "not clearly other"
        text = (
            f"Until {names[0]}'s skill outweighs luck, **{name}** loos take {word} deals than "
            f"limited ones: {shown(change)} times as many."
        )
        one = finding(f"deals, {name} / limited", change, "times", text, loos[name].boards)
        answer.findings.append(one)
    for name, form in loos.items():
        change = exponential(repetitions(form.sums["in pools"]).minus(rest[name]))
        word = "more" if change.low > 1 else "fewer" if change.high < 1 else "not clearly other"
        text = (
            f"If every deal with **{name}** loos counted alike, each player's chips divided by the "
            f"pool, the same play would take {word} deals: {shown(change)} times as many. "
        )
        text += (
            "So unequal pools add luck."
            if change.high < 1
            else "So unequal pools take luck away."
            if change.low > 1
            else "So unequal pools by themselves do not clearly add luck."
        )
        one = finding(f"deals, in pools / in chips, {name}", change, "times", text, form.boards)
        answer.findings.append(one)
    alt = f"Deals until skill outweighs luck: {spoken(list(arms), level)}"
    svg = plots.intervals("level", alt, list(arms), triples(level), "deals until level")
    answer.plots.append(Plot(svg, f"Deals from which on {names[0]}'s skill outweighs luck."))
    answer.tables.append(Table(shape, "Deals by stakes"))
    answer.tables.append(Table(rows, "Skill and luck in a deal", left=2))


def _shape(name: str, form: Form) -> list[str]:
    """What deals under a form of the stakes are like, as a row of a table."""
    pools, cells = form.sizes
    deals = cells[:, :, 0].sum(axis=0)
    single, looed = (float(form.sums[key].sum() / deals.sum()) for key in ("single", "looed"))
    means = [number(x) for x in (float(pools @ deals / deals.sum()), float(pools[-1]), looed)]
    width, tail = exponential(spread(form.sizes).interval()), tail_share(form.sizes)
    return [name, percent(single), *means, plus_minus(width), plus_minus(tail)]
