"""The movement of players in loop_seats: what a rank leads to, and who catches up."""

from __future__ import annotations

from functools import partial

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, number, p_text, shown
from experiments.fairness.boards import FOLDS, folded, p_value, triples
from experiments.fairness.games.loop_seats.catchup import catch_up
from experiments.fairness.games.loop_seats.choice import choice
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Ints,
    Matches,
    Rounds,
    Rows,
    board_sums,
    mean_of,
    minus,
    over,
    read_matches,
    read_rounds,
    round_sums,
)
from experiments.fairness.games.loop_seats.variants import NOISE, equals, paired_boards, variants
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, holm

SHOWN = (0.0, NOISE)
"""Shares of random decisions for which all is shown."""


def movement(study: Study) -> Answer:
    """What the movement of players does."""
    answer = Answer(
        "movement",
        "Movement of players",
        "What does a rank lead to in the next round and in the match, is the hand that the last "
        "player gets worth what it seems, and does the weaker player catch up?",
    )
    answer.findings += _next_ranks(study, answer)
    answer.findings += _first_ranks(study, answer)
    if study.num_players == 4 and study.game.options["fourth_chooses"]:
        answer.findings += choice(study, answer)
    answer.findings += catch_up(study, answer)
    if study.game.options["max_rounds"] == 1:
        answer.notes.append("Matches have a single round here, after which nobody moves.")
    answer.notes.append(
        f"Next ranks and chances to win: {study.ladder[0]} in all seats, one match a board, with "
        "no noise and with some. Shares are sums over all rounds that were followed by another "
        "one, divided by their number, with the jackknife over boards."
    )
    return answer


# From rank to rank --------------------------------------------------------------------------------


def next_rank_sums(rounds: Rounds) -> Floats:
    """Numbers of players who went from a rank to a rank, by board.

    Returns:
        float64 [B, n, n]: by rank, and by rank in the round after, counted from 0.
    """
    n = rounds.agent.shape[1]
    rank = rounds.ints("rank") - 1
    goes_on = np.flatnonzero(rounds.number[1:] > 0)
    before, after = rank[goes_on], rank[goes_on + 1]
    pair = np.where((before >= 0) & (after >= 0), before * n + after, -1)
    sums = board_sums(rounds.boards, rounds.board[goes_on], pair, n * n, [])
    return sums.reshape(-1, n, n)


def share(sums: Floats, before: int, after: int, rows: Rows) -> float:
    """Probability of a rank after a rank."""
    counts = sums[rows, before].sum(axis=0)
    return float(counts[after] / counts.sum()) if counts.any() else np.nan


def next_rank(sums: Floats, before: int, rows: Rows) -> float:
    """Mean rank, from 1, after a rank."""
    counts = sums[rows, before].sum(axis=0)
    return float(counts @ np.arange(1, len(counts) + 1) / counts.sum()) if counts.any() else np.nan


def _next_ranks(study: Study, answer: Answer) -> list[Finding]:
    found = []
    for noise in SHOWN:
        played = equals(study, noise)
        b = played.boards
        (sums,) = round_sums(played, next_rank_sums)
        n = sums.shape[1]
        last = n - 1
        apart = over(FOLDS, minus(partial(next_rank, sums, last), partial(next_rank, sums, 0)))
        shares = [[over(FOLDS, partial(share, sums, i, j)) for j in range(n)] for i in range(n)]
        every = np.arange(FOLDS)
        text = (
            f"Among equals with {noise:.0%} noise the next rank after coming last is "
            f"{number(next_rank(sums, last, every))} on average, after coming first "
            f"{number(next_rank(sums, 0, every))}: {_turned(apart)} (difference {shown(apart)})."
        )
        name = f"next rank after last − after first, {noise:.0%} noise"
        found.append(finding(name, apart, "ranks", text, b))
        again = shares[0][0]
        text = (
            f"With {noise:.0%} noise who came first is first again with a probability of "
            f"{shown(again)}, and who came last is first with {shown(shares[last][0])}; both would "
            f"be {1 / n:.3f} if ranks were drawn by lot."
        )
        found.append(finding(f"first again, {noise:.0%} noise", again, "probability", text, b))
        _show_ranks(answer, shares, noise)
    return found


def _turned(apart: Interval) -> str:
    if apart.high < 0:
        return "the movement turns the order around, and who was last does better"
    if apart.low > 0:
        return "who came last does worse again, in spite of the movement"
    return "it is not clear which of the two does better"


def _show_ranks(answer: Answer, shares: list[list[Interval]], noise: float) -> None:
    n = len(shares)
    values = np.array([[one.mean - 1 / n for one in row] for row in shares])
    half = np.array([[(one.high - one.low) / 2 for one in row] for row in shares])
    names = [f"rank {k + 1}" for k in range(n)]
    alt = f"Probability of the next rank less 1/n, {noise:.0%} noise: " + "; ".join(
        f"{name} to first {row[0]:+.3f}, to last {row[-1]:+.3f}"
        for name, row in zip(names, values, strict=True)
    )
    name = f"movement-ranks-{noise:.0%}".removesuffix("%")
    svg = plots.heat_map(name, alt, names, names, values, half, "rank in the next round", "rank")
    caption = f"Probability of the next rank, less 1/{n}; equals with {noise:.0%} noise."
    answer.plots.append(Plot(svg, caption))
    rows = [["rank", *(f"then {name}" for name in names)]]
    rows += [[name, *(shown(x) for x in row)] for name, row in zip(names, shares, strict=True)]
    answer.tables.append(Table(rows, f"Probability of the next rank, {noise:.0%} noise"))


# From the first round to the match ----------------------------------------------------------------


def win_by_first_rank(matches: Matches, rounds: Rounds) -> Floats:
    """Chance to win by rank in the first round: float64 [B, n, 2], sums and numbers."""
    first: Ints = rounds.ints("rank")[rounds.number == 0] - 1
    n = first.shape[1]
    return board_sums(matches.boards, matches.board, first, n, [matches.wins])


def _chances(played: Played) -> Floats:
    """The same by fold."""

    def sums(part: Part) -> dict[str, Floats]:
        return {"wins": win_by_first_rank(read_matches(part), read_rounds(part))}

    return folded(played, sums)["wins"]


def _ahead(sums: Floats, rows: Rows) -> float:
    return mean_of(sums, rows, 0) - mean_of(sums, rows, sums.shape[1] - 1)


def _first_ranks(study: Study, answer: Answer) -> list[Finding]:
    found, labels, lines = [], [], []
    for noise in SHOWN:
        played = equals(study, noise)
        own = _chances(played)
        n = own.shape[1]
        chances = [over(FOLDS, partial(mean_of, own, group=k)) for k in range(n)]
        ahead = over(FOLDS, partial(_ahead, own))
        text = (
            f"Among equals with {noise:.0%} noise, who comes first in the first round wins the "
            f"match with a probability of {shown(chances[0])}, who comes last with "
            f"{shown(chances[-1])}, where 1/n = {1 / n:.3f}: {_lasts(ahead)}."
        )
        name = f"chance to win, first − last in round 1, {noise:.0%} noise"
        found.append(finding(name, ahead, "probability", text, played.boards))
        labels += [f"rank {k + 1}, {noise:.0%} noise" for k in range(n)]
        lines += chances
    values = triples(lines)
    alt = "Chance to win the match by rank in the first round: " + "; ".join(
        f"{name} {row[0]:.3f}" for name, row in zip(labels, values, strict=True)
    )
    level = 1 / study.num_players
    svg = plots.intervals("movement-first", alt, labels, values, "chance to win the match", level)
    answer.plots.append(Plot(svg, "Chance to win by rank in the first round, equal agents."))
    return found + _head_start(study)


def _lasts(ahead: Interval) -> str:
    if ahead.low > 0:
        return "the head start lasts"
    if ahead.high < 0:
        return "it is even better to begin badly"
    return "the head start is gone by the end, as far as is seen"


def _head_start(study: Study) -> list[Finding]:
    """The head start of the first round by variant."""
    tried, b = variants(study), paired_boards(study)
    now, *own = (_chances(equals(study, variant=one).some(b)) for one in (None, *tried))
    changed = [over(FOLDS, minus(partial(_ahead, sums), partial(_ahead, now))) for sums in own]
    adjusted = holm([p_value(one) for one in changed])
    found = []
    for variant, sums, change, p in zip(tried, own, changed, adjusted, strict=True):
        word = "not clearly another"
        if p < 0.05:
            word = "**more**" if change.mean > 0 else "**less**"
        text = (
            f"With **{variant.rules}** the head start of the first of round 1 over the last is "
            f"{shown(over(FOLDS, partial(_ahead, sums)))}, {word} than by the rules as they are "
            f"(difference {shown(change)}, {p_text(p)} after Holm's adjustment, {NOISE:.0%} noise)."
        )
        name = f"{variant.rules}: chance to win, first − last in round 1"
        found.append(finding(name, change, "probability", text, b))
    return found
