"""Points for changes of rank in loop_seats: who profits, and what they do to skill."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, number, shown
from experiments.fairness.boards import FOLDS, triples
from experiments.fairness.games.loop_seats.compared import variant_findings
from experiments.fairness.games.loop_seats.exchange import exchange_findings
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Rounds,
    Rows,
    board_sums,
    mean_of,
    over,
    round_sums,
)
from experiments.fairness.games.loop_seats.variants import NOISE, NOISES, equals
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval

GAIN, BASE, CHANGE, RISE = range(4)
NAMES = ("all points", "base points", "points for the change")


def changes(study: Study) -> Answer:
    """What the points for better and worse ranks do."""
    answer = Answer(
        "changes",
        "Points for changes of rank",
        "Who profits from points for doing better than the hand did before, what do they do to the "
        "advantage of the stronger, and how far is a match from zero-sum in skill terms?",
    )
    answer.findings += _by_card(study, answer)
    answer.findings += exchange_findings(study, answer)
    answer.findings += variant_findings(study, answer)
    settings = study.settings
    answer.notes.append(
        f"By rank card: {study.ladder[0]} in all seats, one match a board, with shares of random "
        "decisions that make its play less predictable; a mean over rounds is the sum over all "
        "rounds divided by their number, with the jackknife over boards. A rank card is the rank "
        "that was taken with the same hand in the round before, so the points for changes add up "
        "to zero at the table in every round, and over a match to a hand's first rank minus its "
        "last. Who holds which hand follows from how the players finished, so a difference between "
        "cards is what comes with a card in play of equals, not the effect of the card alone; the "
        "test of rank cards among the seats is one of equals without noise. The "
        "points for a rank that balance the cards are −Δbase / Δ(card − rank), last minus first. "
        "Intervals of single shares of noise are not adjusted for their number."
    )
    answer.notes.append(
        "Replaced agents: x is by how much the points of one seat rise in a match when the next "
        "stronger agent of the ladder plays it, on the same boards against the same others in all "
        "rotations; y is by how much the points of all others fall together. In a zero-sum game "
        "y/x = 1. Ratios are Σy / Σx over boards and pairs of neighbours."
    )
    answer.notes.append(
        f"Variants: {settings.variants:,} boards, the same for all; differences to the rules as "
        "they are board by board, p values by Student's t with Holm's adjustment for the number of "
        "variants and measures. The agents play by rules of their own, which do not look at the "
        "score: differences come from the scoring, the length of matches and the movement, not "
        "from play that adapts to them. The probability of a wrong order is Φ(−d √b / s) with mean "
        "d and standard deviation s of the difference of two neighbours' mean margins on a board, "
        f"for the b boards that the decisions of {settings.matches:,} matches by the rules as they "
        "are pay for."
    )
    return answer


class Cards(NamedTuple):
    """What comes with the rank cards.

    Attributes:
        boards: Number of boards.
        sums: See `card_sums`, by fold.
    """

    boards: int
    sums: Floats

    def mean(self, card: int, value: int) -> Interval:
        """Mean of a round for who gets a card, counted from 0."""
        return over(FOLDS, lambda rows: mean_of(self.sums, rows, card, value))

    def gap(self, rows: Rows, value: int) -> float:
        """Mean of who gets the card of the last minus that of who gets the card of the first."""
        last = self.sums.shape[1] - 1
        return mean_of(self.sums, rows, last, value) - mean_of(self.sums, rows, 0, value)

    def fair_step(self, rows: Rows) -> float:
        """Points for a rank with which the first card and the last would be worth the same."""
        rise = self.gap(rows, RISE)
        return -self.gap(rows, BASE) / rise if rise else math.nan


def card_sums(rounds: Rounds) -> Floats:
    """Sums by rank card, of all rounds but the first.

    Returns:
        float64 [B, n, 5]: gain, base, change, card minus rank, and 1.
    """
    n = rounds.agent.shape[1]
    values = [rounds.values[name] for name in ("gain", "base", "change")]
    values.append(rounds.values["reference"] - rounds.values["rank"])
    card = rounds.ints("reference") - 1
    return board_sums(rounds.boards, rounds.board, card, n, values)


def repeats(rounds: Rounds) -> Floats:
    """How often a hand takes the rank that it took before: float64 [B, 1, 2], sums and numbers."""
    again = (rounds.values["rank"] == rounds.values["reference"]).astype(np.float64)
    later = np.where(rounds.ints("reference") > 0, 0, -1)
    return board_sums(rounds.boards, rounds.board, later, 1, [again])


def _by_card(study: Study, answer: Answer) -> list[Finding]:
    every, same = {}, {}
    for noise in NOISES:
        played = equals(study, noise)
        by_card, again = round_sums(played, card_sums, repeats)
        every[noise] = Cards(played.boards, by_card)
        same[noise] = over(FOLDS, partial(mean_of, again))
    found = [_repeat(same, every[NOISES[0]].boards)]
    gaps = {noise: _gaps(cards) for noise, cards in every.items()}
    n, unit = study.num_players, "points a round"
    for noise, cards in every.items():
        name = f"last card − first card, {noise:.0%} noise: "
        text = _profit(gaps[noise], n, noise)
        found.append(finding(f"{name}all points", gaps[noise][GAIN], unit, text, cards.boards))
    cards, (_, base, change) = every[NOISE], gaps[NOISE]
    name = f"last card − first card, {NOISE:.0%} noise: "
    found.append(finding(f"{name}base points", base, unit, _hand(base), cards.boards))
    text = f"In points for the change the difference is {shown(change)}."
    found.append(finding(f"{name}change points", change, unit, text, cards.boards))
    if study.game.options["reference"] == "seat":
        for noise, cards in every.items():
            found += _step(study, noise, cards)
    cards = every[NOISE]
    _show_cards(answer, cards, unit)
    curves = {
        name: np.column_stack(
            [[100 * noise for noise in NOISES], triples([gaps[noise][value] for noise in NOISES])]
        )
        for value, name in enumerate(NAMES)
    }
    alt = "Points of a round with the last card minus those with the first, by noise: " + "; ".join(
        f"{noise:.0%} noise {gaps[noise][GAIN].mean:+.2f}" for noise in NOISES
    )
    axis = "random decisions, %"
    svg = plots.curve_plot("changes-noise", alt, curves, axis, f"last − first, {unit}", zero=True)
    caption = "What the last rank card brings beside the first, by how predictable equals play."
    answer.plots.append(Plot(svg, caption))
    rows = [["noise", "hand takes its rank again", *NAMES]]
    rows += [
        [f"{noise:.0%}", shown(same[noise]), *(shown(gap) for gap in gaps[noise])]
        for noise in NOISES
    ]
    answer.tables.append(Table(rows, "Last rank card minus first, points a round, equal agents"))
    return found


def _gaps(cards: Cards) -> list[Interval]:
    values = (GAIN, BASE, CHANGE)
    return [over(FOLDS, partial(cards.gap, value=value)) for value in values]


def _repeat(same: dict[float, Interval], boards: int) -> Finding:
    first, last = same[NOISES[0]], same[NOISES[-1]]
    text = (
        f"A hand takes the same rank as in the round before in {shown(first)} of cases where "
        "equals always decide alike in like situations: players change, but the round is much the "
        f"same. With {NOISES[-1]:.0%} of random decisions it is {shown(last)}. What a rank card is "
        "worth depends on this."
    )
    return finding("hand takes its rank again", first, "share", text, boards)


def _step(study: Study, noise: float, cards: Cards) -> list[Finding]:
    step = over(FOLDS, cards.fair_step)
    if math.isnan(step.low):  # hands repeat their ranks, and no step balances them
        return []
    text = (
        f"At {noise:.0%} noise the first rank card and the last would be worth the same with "
        f"{shown(step)} points for a rank; there are {study.game.options['rank_step']}."
    )
    if step.low <= 0:
        text = f"At {noise:.0%} noise it is not clear that any points for a rank are needed to "
        text += f"balance the cards: {shown(step)}."
    name = f"points for a rank that balance the cards, {noise:.0%} noise"
    return [finding(name, step, "points a rank", text, cards.boards)]


def _show_cards(answer: Answer, cards: Cards, unit: str) -> None:
    n = cards.sums.shape[1]
    means = [[cards.mean(card, value) for value in range(4)] for card in range(n)]
    curves = {
        name: np.column_stack([np.arange(1, n + 1), triples([of[value] for of in means])])
        for value, name in enumerate(NAMES)
    }
    alt = "Points of a round by rank card: " + "; ".join(
        f"card {card + 1}: base {number(of[BASE].mean)}, change {number(of[CHANGE].mean)}"
        for card, of in enumerate(means)
    )
    svg = plots.curve_plot("changes-cards", alt, curves, "rank card", unit, zero=True)
    caption = f"What a round brings by the rank card of the hand, equals with {NOISE:.0%} noise."
    answer.plots.append(Plot(svg, caption))
    rows = [["rank card", *NAMES, "card − rank"]]
    rows += [[str(card + 1), *(shown(one) for one in of)] for card, of in enumerate(means)]
    answer.tables.append(Table(rows, f"Points of a round by rank card, {NOISE:.0%} noise"))


def _profit(gaps: list[Interval], n: int, noise: float) -> str:
    gap, base, change = gaps
    text = (
        f"Among equals with {noise:.0%} noise, to inherit the hand that came last (rank card {n}) "
        f"rather than the one that came first is worth {shown(gap)} points a round"
    )
    if gap.low > 0:
        verdict = "it **pays to inherit the bad hand**"
        if base.high < 0 < change.low:
            verdict = "the points for the change **more than make up** for the worse hand"
    elif gap.high < 0:
        verdict = "it **pays to inherit the good hand**"
        if base.high < 0 < change.low:
            verdict = "the points for the change **do not make up** for the worse hand"
    else:
        verdict = "the two are **worth about the same**, as far as is seen"
    return f"{text}: {verdict}."


def _hand(gap: Interval) -> str:
    verdict = "a hand that did badly goes on to do worse"
    if gap.low > 0:
        verdict = "a hand that did badly even goes on to do better"
    elif not gap.high < 0:
        verdict = "it is not clear that a hand that did badly goes on to do worse"
    return f"At {NOISE:.0%} noise the difference in base points is {shown(gap)}: {verdict}."
