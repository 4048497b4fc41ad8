"""Are the methods to be trusted? Equal agents must look equal, and a planted effect be found."""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

from experiments import plots
from experiments.config_fairness import name_of
from experiments.config_values import NoisyPlayer
from experiments.fairness.answers import Answer, Finding, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, by_board
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from experiments.lineups import label, rotations
from experiments.schedule import Table
from loop_envs.duplicate import Interval, mean_interval, power

REPEATS = 200
"""Small tournaments of equal agents."""
BOARDS = 40
"""Boards of each."""
EQUAL_BOARDS = 50
POWER = 0.8
"""Probability with which the planted effect should be found."""


def controls(study: Study) -> Answer:
    """Null controls and a planted effect."""
    answer = Answer(
        "controls",
        "Controls",
        "Do equal agents come out equal, do intervals hold as often as they say, and is an effect "
        "that was planted found as often as it should be?",
    )
    answer.findings.append(_exact_zero(study))
    differences = _twins(study)
    intervals = [mean_interval(row) for row in differences]
    holds = sum(one.low <= 0 <= one.high for one in intervals)
    answer.findings.append(
        _share(
            "95 % intervals that hold",
            holds,
            0.95,
            f"In {REPEATS} small tournaments of {BOARDS} boards between equal agents, {holds} of "
            "the 95 % intervals of the difference of two of them contain 0",
        )
    )
    spread = float(differences.std(ddof=1))
    planted = _effect(spread)
    found = sum(mean_interval(row + planted).low > 0 for row in differences)
    answer.findings.append(
        _share(
            "planted effect found",
            found,
            power(planted, spread, BOARDS),
            f"When one of the two gets {planted:.3f} points a board more, which the power "
            f"calculation says is found with a probability of {POWER:.0%}, it is found in {found} "
            f"of {REPEATS} tournaments",
        )
    )
    alt = (
        f"Intervals of {REPEATS} tournaments of equal agents, sorted by their means; {holds} of "
        "them contain 0"
    )
    ordered = sorted(intervals, key=lambda one: one.mean)
    curve = np.array([[i + 1, one.mean, one.low, one.high] for i, one in enumerate(ordered)])
    shifted = curve + np.array([0, planted, planted, planted])
    svg = plots.curve_plot(
        "controls",
        alt,
        {"equal agents": curve, "with the planted effect": shifted},
        "tournament, sorted",
        "difference, points a board",
        zero=True,
    )
    answer.plots.append(Plot(svg, "Means and 95 % intervals of all tournaments."))
    answer.notes.append(
        "The equal agents of the small tournaments make random choices of their own, so their "
        "results differ by chance. Shares have Clopper–Pearson intervals over tournaments, and "
        "should contain the nominal value."
    )
    return answer


def _exact_zero(study: Study) -> Finding:
    """The best agent under several names, all with the same randomness: duplicate must give 0."""
    n = study.num_players
    names = [f"equal-{i}" for i in range(n)]
    best = study.player(study.settings.ladder[0])
    tables = [Table(label(names), k, seats) for k, seats in enumerate(rotations(names))]
    arm = Arm("equal", dict.fromkeys(names, best), [tables], EQUAL_BOARDS, rounds=False)
    _, margins = by_board(study.play(arm), ["agent"], "margin")
    most = float(np.abs(margins).max())
    # Sums of a board are of a handful of numbers that are whole multiples of 1/n.
    zero = most < 1e-9
    text = (
        f"**{study.ladder[0]}** under {n} names scores exactly the same in duplicate on each of "
        f"{EQUAL_BOARDS} boards."
        if zero
        else f"**{study.ladder[0]}** under {n} names differs by {most:.3g} points on some board, "
        "which must not be."
    )
    if zero:
        most = 0.0
    return Finding("equal agents in duplicate", most, most, most, "points", EQUAL_BOARDS, text)


def _twins(study: Study) -> Floats:
    """Differences of two equal agents by board, float64 [REPEATS, BOARDS]."""
    n = study.num_players
    names = [f"twin-{i}" for i in range(n)]
    last = study.settings.ladder[-1]
    if not isinstance(last, NoisyPlayer):  # else they could all play the same
        last = NoisyPlayer(name="twin", noisy=name_of(last), epsilon=0.2)
    players = {name: study.player(last, seed=1 + i) for i, name in enumerate(names)}
    tables = [Table(label(names), k, seats) for k, seats in enumerate(rotations(names))]
    arm = Arm("twins", players, [tables], REPEATS * BOARDS, rounds=False)
    _, margins = by_board(study.play(arm), ["agent"], "margin")
    return (margins[:, 0] - margins[:, 1]).reshape(REPEATS, BOARDS)


def _effect(spread: float) -> float:
    """The difference of a board that is found with the wanted power."""

    def lacks(effect: float) -> float:
        return power(effect, spread, BOARDS) - POWER

    return float(optimize.brentq(lacks, 1e-6 * spread, 10 * spread))


def _share(name: str, hits: int, nominal: float, text: str) -> Finding:
    """A share of the tournaments, with its interval, and what it should be."""
    test = stats.binomtest(hits, REPEATS).proportion_ci(0.95, "exact")
    interval = Interval(hits / REPEATS, float(test.low), float(test.high), REPEATS)
    fits = interval.low <= nominal <= interval.high
    verdict = "as it should be" if fits else "**not as it should be**"
    sentence = f"{text}: {shown(interval)}, where {nominal:.3f} is expected; {verdict}."
    return Finding(
        name, interval.mean, interval.low, interval.high, "share", REPEATS * BOARDS, sentence
    )
