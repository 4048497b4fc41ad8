"""Does the weaker player catch up in loop_seats, by the rules or at all?"""

from __future__ import annotations

from functools import partial

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, p_text, shown
from experiments.fairness.boards import p_value, triples
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Ints,
    Rows,
    board_sums,
    catch_up_sums,
    mean_of,
    minus,
    over,
    slope,
)
from experiments.fairness.games.loop_seats.variants import (
    NOISE,
    NOISES,
    Ladder,
    equal_rounds,
    ladder,
    paired_boards,
    variants,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, holm

UNIT = "points a round, per point of lead"
NAMES = ("gain", "base", "change")
WORDS = {"gain": "all points", "base": "base points", "change": "points for the change"}


def catch_up(study: Study, answer: Answer) -> list[Finding]:
    """Slopes of gains on leads, and what the strong gain on the weak as the match goes on."""
    one = ladder(study)
    found = _equal_slopes(study)
    found += _ladder_slopes(study, one)
    found += _first_and_later(study, one, answer)
    found += _by_variant(study, one, answer)
    answer.notes.append(
        "Catching up: the slope is Σ lead·gain / Σ lead² over all rounds but the first, with the "
        "lead before a round and the gain in it both counted from the table's mean. The gain comes "
        "after the lead and shares no luck with it, so among equals without hands that stay and "
        "players that move the slope would be 0: there is no regression to the mean in it. Among "
        "unequal agents the strong are ahead and gain more. Within agents, leads and gains are "
        "counted from the means of the same agent in the same line-up and number of round, over "
        "all boards, so that this part is left out."
    )
    return found


# Slopes -------------------------------------------------------------------------------------------


def _equal_slopes(study: Study) -> list[Finding]:
    found = []
    for noise in NOISES:
        equal = equal_rounds(study, noise)
        b, every = equal.boards, np.arange(equal.boards)
        sums = {name: catch_up_sums(equal, name) for name in NAMES}
        gain = over(b, partial(slope, sums["gain"], within=False))
        parts = ", ".join(
            f"{slope(sums[name], every, False):+.3f} of them {WORDS[name]}" for name in NAMES[1:]
        )
        text = (
            f"Among equals with {noise:.0%} noise each point of lead is followed by {shown(gain)} "
            f"points in the next round ({parts}): {_side(gain)}."
        )
        found.append(finding(f"slope of equals, {noise:.0%} noise", gain, UNIT, text, b))
        if noise == NOISE:
            for name in NAMES[1:]:
                one = over(b, partial(slope, sums[name], within=False))
                text = f"In {WORDS[name]} alone the slope is {shown(one)}: {_side(one)}."
                label = f"slope of equals, {noise:.0%} noise, {WORDS[name]}"
                found.append(finding(label, one, UNIT, text, b))
    return found


def _side(gain: Interval) -> str:
    if gain.high < 0:
        return "this **favours who is behind**"
    if gain.low > 0:
        return "this **favours who is ahead**"
    return "this favours neither who is ahead nor who is behind, as far as is seen"


def _ladder_slopes(study: Study, one: Ladder) -> list[Finding]:
    sums, b = catch_up_sums(one.rounds), one.boards
    whole = over(b, partial(slope, sums, within=False))
    within = over(b, partial(slope, sums, within=True))
    skill = over(b, minus(partial(slope, sums, within=False), partial(slope, sums, within=True)))
    text = f"Among the agents of the ladder the slope is {shown(whole)}: "
    if whole.low > 0:
        text += "who is ahead, on average the stronger, gets **further** ahead."
    elif whole.high < 0:
        text += "who is behind, on average the weaker, **catches up**."
    else:
        text += "skill and the rules cancel out, as far as is seen."
    found = [finding("slope of the ladder", whole, UNIT, text, b)]
    equal = equal_rounds(study)
    equals = over(equal.boards, partial(slope, catch_up_sums(equal), within=False))
    text = (
        f"Within agents, so without what the strong gain anyway, it is {shown(within)}; among "
        f"equals with {NOISE:.0%} noise it is {shown(equals)}."
    )
    found.append(finding("slope within agents of the ladder", within, UNIT, text, b))
    text = f"That the strong are ahead and gain more adds {shown(skill)} to the slope."
    found.append(finding("slope by skill", skill, UNIT, text, b))
    return found


# The strongest and the weakest, round by round ----------------------------------------------------


def gap_sums(one: Ladder, agents: int, stages: Ints, count: int) -> Floats:
    """Sums of what agents gain above the table's mean, by stage of the match.

    Args:
        one: The ladder.
        agents: Number of agents, A.
        stages: Stage of every round, int64 [K]; negative ones are left out.
        count: Number of stages.

    Returns:
        float64 [B, stages, A, 4]: gain, base, change, number.
    """
    rounds = one.rounds
    group = np.where(stages[:, None] >= 0, stages[:, None] * agents + rounds.agent, -1)
    more = [rounds.more(name) for name in NAMES]
    sums = board_sums(one.boards, rounds.board, group, count * agents, more)
    return sums.reshape(one.boards, count, agents, -1)


def stage_gap(sums: Floats, stage: int, value: int, rows: Rows) -> float:
    """What the strongest gains a round above the weakest in a stage."""
    part = sums[:, stage]
    return mean_of(part, rows, 0, value) - mean_of(part, rows, part.shape[1] - 1, value)


def _first_and_later(study: Study, one: Ladder, answer: Answer) -> list[Finding]:
    agents, b = len(study.ladder), one.boards
    number = one.rounds.number
    sums = gap_sums(one, agents, np.minimum(number, 1), 2)

    def gap(stage: int, value: int) -> Interval:
        return over(b, partial(stage_gap, sums, stage, value))

    def rise(value: int) -> Interval:
        later, first = (partial(stage_gap, sums, stage, value) for stage in (1, 0))
        return over(b, minus(later, first))

    strong, weak = study.ladder[0], study.ladder[-1]
    later, more, base = gap(1, 0), rise(0), rise(1)
    text = (
        f"**{strong}** gains {shown(gap(0, 0))} points more than **{weak}** in the first round and "
        f"{shown(later)} in each later one: the difference "
    )
    if more.low > 0:
        text += "**grows** once ranks are compared and players move"
    elif more.high < 0:
        text += "**shrinks** once ranks are compared and players move"
        text += (
            ", and the weaker even catches up"
            if later.high < 0
            else (", but the weaker goes on falling behind" if later.low > 0 else "")
        )
    else:
        text += "does not clearly change"
    text += f" (later − first {shown(more)})."
    unit = "points a round"
    found = [finding(f"{strong} − {weak}, later − first round", more, unit, text, b)]
    text = (
        f"In base points alone it changes by {shown(base)}, which is what hands that are known and "
        f"exchanged do; the points for changes add {shown(gap(1, 2))}."
    )
    name = f"{strong} − {weak}, later − first round, base points"
    found.append(finding(name, base, unit, text, b))
    # Only as long as most matches go on: what comes later is of a choice of matches.
    matches = int((number == 0).sum())
    shown_rounds = int((np.bincount(number) >= matches / 2).sum())
    stages = np.where(number < shown_rounds, number, -1)
    by_round = gap_sums(one, agents, stages, shown_rounds)
    curves = {}
    for value, part in enumerate(NAMES):
        line = [over(b, partial(stage_gap, by_round, k, value)) for k in range(shown_rounds)]
        curves[WORDS[part]] = np.column_stack([np.arange(1, shown_rounds + 1), triples(line)])
    alt = f"What {strong} gains on {weak} in a round: " + "; ".join(
        f"round {int(row[0])} {row[1]:+.2f}" for row in curves[WORDS["gain"]]
    )
    svg = plots.curve_plot("movement-gap", alt, curves, "round", unit, zero=True)
    caption = f"What {strong} gains on {weak} by round, as long as half of the matches go on."
    answer.plots.append(Plot(svg, caption))
    return found


# Variants -----------------------------------------------------------------------------------------


def _by_variant(study: Study, one: Ladder, answer: Answer) -> list[Finding]:
    tried, b = variants(study), paired_boards(study)
    usual = partial(slope, catch_up_sums(equal_rounds(study)), within=False)
    names, lines = ["as it is"], [over(b, usual)]
    whole = [over(b, partial(slope, catch_up_sums(one.rounds), within=False))]
    changed = []
    for variant in tried:
        own = catch_up_sums(equal_rounds(study, NOISE, variant))
        names.append(variant.rules)
        lines.append(over(b, partial(slope, own, within=False)))
        changed.append(over(b, minus(partial(slope, own, within=False), usual)))
        of_ladder = catch_up_sums(ladder(study, variant).rounds)
        whole.append(over(b, partial(slope, of_ladder, within=False)))
    found = []
    adjusted = holm([p_value(change) for change in changed])
    for name, line, change, p in zip(names[1:], lines[1:], changed, adjusted, strict=True):
        word = "not clearly another"
        if p < 0.05:
            word = "**more in favour of who is " + ("ahead**" if change.mean > 0 else "behind**")
        text = (
            f"With **{name}** the slope of equals is {shown(line)}, {word} than by the rules as "
            f"they are (difference {shown(change)}, {p_text(p)} after Holm's adjustment, "
            f"{NOISE:.0%} noise)."
        )
        found.append(finding(f"{name}: slope of equals", change, UNIT, text, b))
    values = triples(lines)
    alt = "Slope of a round's gain on the lead before it, equal agents: " + "; ".join(
        f"{name} {row[0]:+.3f}" for name, row in zip(names, values, strict=True)
    )
    svg = plots.intervals("movement-slopes", alt, names, values, UNIT)
    answer.plots.append(
        Plot(svg, f"What a point of lead is followed by, equals with {NOISE:.0%} noise.")
    )
    rows = [["rules", "equal agents", "ladder"]]
    rows += [[name, shown(a), shown(c)] for name, a, c in zip(names, lines, whole, strict=True)]
    answer.tables.append(Table(rows, f"Slopes by variant, {UNIT}"))
    return found
