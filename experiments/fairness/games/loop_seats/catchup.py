"""Does the weaker player catch up in loop_seats, by the rules or at all?"""

from __future__ import annotations

from functools import partial

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, p_text, shown
from experiments.fairness.boards import FOLDS, p_value, triples
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Rounds,
    Rows,
    Statistic,
    board_sums,
    catch_up_sums,
    mean_of,
    minus,
    over,
    round_sums,
    slope,
)
from experiments.fairness.games.loop_seats.variants import (
    NOISE,
    NOISES,
    equals,
    ladders,
    paired_boards,
    usual_rounds,
    variants,
)
from experiments.fairness.played import Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, holm

UNIT = "points a round, per point of lead"
NAMES = ("gain", "base", "change")
WORDS = {"gain": "all points", "base": "base points", "change": "points for the change"}


def catch_up(study: Study, answer: Answer) -> list[Finding]:
    """Slopes of gains on leads, and what the strong gain on the weak as the match goes on."""
    found = _equal_slopes(study)
    found += _ladder_slopes(study)
    found += _first_and_later(study, answer)
    found += _by_variant(study, answer)
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
        played = equals(study, noise)
        b, every = played.boards, np.arange(FOLDS)
        of = round_sums(played, *(partial(catch_up_sums, name=name) for name in NAMES))
        slopes = {
            name: partial(slope, sums, within=False) for name, sums in zip(NAMES, of, strict=True)
        }
        gain = over(FOLDS, slopes["gain"])
        parts = ", ".join(f"{slopes[name](every):+.3f} of them {WORDS[name]}" for name in NAMES[1:])
        text = (
            f"Among equals with {noise:.0%} noise each point of lead is followed by {shown(gain)} "
            f"points in the next round ({parts}): {_side(gain)}."
        )
        found.append(finding(f"slope of equals, {noise:.0%} noise", gain, UNIT, text, b))
        if noise == NOISE:
            for name in NAMES[1:]:
                one = over(FOLDS, slopes[name])
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


def _whole_slope(played: Played) -> Statistic:
    """The slope of all who played on some boards."""
    (sums,) = round_sums(played, catch_up_sums)
    return partial(slope, sums, within=False)


def _ladder_slopes(study: Study) -> list[Finding]:
    played = study.ladders()
    b = played.boards
    (sums,) = round_sums(played, catch_up_sums)
    both, inner = (partial(slope, sums, within=within) for within in (False, True))
    whole, within, skill = (over(FOLDS, one) for one in (both, inner, minus(both, inner)))
    text = f"Among the agents of the ladder the slope is {shown(whole)}: "
    if whole.low > 0:
        text += "who is ahead, on average the stronger, gets **further** ahead."
    elif whole.high < 0:
        text += "who is behind, on average the weaker, **catches up**."
    else:
        text += "skill and the rules cancel out, as far as is seen."
    found = [finding("slope of the ladder", whole, UNIT, text, b)]
    equal = over(FOLDS, _whole_slope(equals(study)))
    text = (
        f"Within agents, so without what the strong gain anyway, it is {shown(within)}; among "
        f"equals with {NOISE:.0%} noise it is {shown(equal)}."
    )
    found.append(finding("slope within agents of the ladder", within, UNIT, text, b))
    text = f"That the strong are ahead and gain more adds {shown(skill)} to the slope."
    found.append(finding("slope by skill", skill, UNIT, text, b))
    return found


# The strongest and the weakest, round by round ----------------------------------------------------


def gap_sums(rounds: Rounds, agents: int, last: int) -> Floats:
    """Sums of what agents gain above the table's mean, by stage of the match.

    Args:
        rounds: Rounds of the ladder.
        agents: Number of agents, A.
        last: Number of the last stage: every round before it is a stage of its own.

    Returns:
        float64 [B, last + 1, A, 4]: gain, base, change, number.
    """
    group = np.minimum(rounds.number, last)[:, None] * agents + rounds.agent
    more = [rounds.more(name) for name in NAMES]
    sums = board_sums(rounds.boards, rounds.board, group, (last + 1) * agents, more)
    return sums.reshape(rounds.boards, last + 1, agents, -1)


def stage_gap(sums: Floats, stage: int, value: int, rows: Rows) -> float:
    """What the strongest gains a round above the weakest in a stage."""
    part = sums[:, stage]
    return mean_of(part, rows, 0, value) - mean_of(part, rows, part.shape[1] - 1, value)


def _first_and_later(study: Study, answer: Answer) -> list[Finding]:
    played = study.ladders()
    b = played.boards
    # Only as long as most matches go on: what comes later is of a choice of matches.
    shown_rounds = usual_rounds(played)
    of_round = partial(gap_sums, agents=len(study.ladder), last=shown_rounds)
    (by_round,) = round_sums(played, of_round)
    sums = np.stack([by_round[:, 0], by_round[:, 1:].sum(axis=1)], axis=1)

    def gap(stage: int, value: int) -> Interval:
        return over(FOLDS, partial(stage_gap, sums, stage, value))

    def rise(value: int) -> Interval:
        later, first = (partial(stage_gap, sums, stage, value) for stage in (1, 0))
        return over(FOLDS, minus(later, first))

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
    curves = {}
    for value, part in enumerate(NAMES):
        line = [over(FOLDS, partial(stage_gap, by_round, k, value)) for k in range(shown_rounds)]
        curves[WORDS[part]] = np.column_stack([np.arange(1, shown_rounds + 1), triples(line)])
    alt = f"What {strong} gains on {weak} in a round: " + "; ".join(
        f"round {int(row[0])} {row[1]:+.2f}" for row in curves[WORDS["gain"]]
    )
    svg = plots.curve_plot("movement-gap", alt, curves, "round", unit, zero=True)
    caption = f"What {strong} gains on {weak} by round, as long as half of the matches go on."
    answer.plots.append(Plot(svg, caption))
    return found


# Variants -----------------------------------------------------------------------------------------


def _by_variant(study: Study, answer: Answer) -> list[Finding]:
    tried, b = variants(study), paired_boards(study)
    names = ["as it is", *(variant.rules for variant in tried)]
    usual, *others = (
        _whole_slope(equals(study, variant=variant).some(b)) for variant in (None, *tried)
    )
    lines = [over(FOLDS, one) for one in (usual, *others)]
    changed = [over(FOLDS, minus(one, usual)) for one in others]
    whole = [
        over(FOLDS, _whole_slope(ladders(study, variant).some(b))) for variant in (None, *tried)
    ]
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
