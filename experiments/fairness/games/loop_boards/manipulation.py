"""Can an agent gain in loop_boards by hurting others?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from agents.base import Agent
from agents.handicapped import handicapped
from agents.named import make_agent
from agents.rollout import OBJECTIVES, RolloutAgent
from experiments import plots
from experiments.fairness.answers import Answer, Finding, finding, number, p_text, shown
from experiments.fairness.arms import Arm, Player
from experiments.fairness.boards import MATCH, Floats, by_board, over_boards, p_value
from experiments.fairness.games.loop_boards.memory import RESULTS
from experiments.fairness.games.loop_boards.state import rebuild
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from experiments.html_sections import Table as HtmlTable
from experiments.lineups import label, rotations
from experiments.schedule import Table
from loop_envs.duplicate import holm
from loop_envs.game import Game

USUAL, STRONG = "greedy", "planner"
"""Who the others are; the first also plays the moves out."""
SAMPLES, MOVES = 4, 6
"""States and moves that a decision looks at."""
BLIND = "points-blind"
WANTS = {
    "points": "its own points",
    "margin": "its own margin",
    "place": "its own place",
    "neighbour": "the left neighbour's loss",
    BLIND: "its own points, results on the boards hidden",
}
BOARDS, FEW_BOARDS = 60, 20
"""Deciding takes some milliseconds, so the boards are few and the intervals wide. The few are for
what shows clearly."""


class Outcome(NamedTuple):
    """What came of an attacker among others who are all alike, by board.

    Attributes:
        points: Its own points, float64 [boards].
        win: Its share of the win, float64 [boards].
        margins: Margins by place from the attacker on clockwise, float64 [boards, n].
    """

    points: Floats
    win: Floats
    margins: Floats


def manipulation(study: Study) -> Answer:
    """Agents that want different things, among others who are alike."""
    answer = Answer(
        "manipulation",
        "Hurting others",
        "Does an agent that wants a good place, or another player's loss, get more than one that "
        "wants points?",
    )
    often = ("points", "margin", "place")
    found = {
        want: _outcome(study, want, USUAL, BOARDS if want in often else FEW_BOARDS)
        for want in WANTS
    }
    answer.findings += _rivals(found)
    answer.findings += _spite(found, study.num_players)
    strong = {want: _outcome(study, want, STRONG, FEW_BOARDS) for want in ("points", "margin")}
    answer.findings.append(_against_strong(strong))
    answer.findings.append(_knowledge(found))
    _show(answer, found, study.num_players)
    boards = [len(found[want].win) for want in ("points", BLIND)]
    answer.notes.append(
        f"The agents look ahead: for every move they consider, at most {MOVES}, they play the "
        f"match out in {SAMPLES} states that fit what they see, with {USUAL} in all seats, and "
        "take what is best on average for what they want. They differ in nothing else, sit in "
        f"every seat of the same boards ({boards[0]}, or the first {boards[1]} of them), and the "
        f"others are {USUAL} unless it is said otherwise. So their model of the others is exact, "
        "and others who do not vary and do not remember would draw with each other: this is close "
        "to the best case for manipulation. Differences are "
        "paired by board. A margin is points less the mean of all players, the share of a win is "
        "divided among equals."
    )
    return answer


def attacker(study: Study, want: str) -> Player:
    """An agent that looks ahead and wants something, see `WANTS`."""
    objective = OBJECTIVES["points" if want == BLIND else want]

    def make(game: Game) -> Agent:
        policy = make_agent(USUAL, game, study.config.seed).policy
        assert policy is not None
        agent = RolloutAgent(
            want, game, rebuild, policy, objective, SAMPLES, MOVES, study.config.seed,
            study.config.threads,
        )  # fmt: skip
        return agent if want != BLIND else handicapped(want, agent, game, hide=RESULTS)

    what = f"rollouts of {USUAL} for {want}, {SAMPLES} samples of {MOVES} moves"
    return study.made(what, make)


def _outcome(study: Study, want: str, others: str, most: int) -> Outcome:
    n = study.num_players
    lineup = (want, *[others] * (n - 1))
    tables = [Table(label(lineup), k, seats) for k, seats in enumerate(rotations(lineup))]

    def make(game: Game) -> Agent:
        return make_agent(others, game, study.config.seed)

    players = {want: attacker(study, want), others: study.made(others, make)}
    boards = max(10, min(most, study.settings.variants // 10))
    arm = Arm(f"wants-{want}-{others}", players, [tables], boards, rounds=False)
    # Rotation k has the attacker in seat k.
    away = (pl.col("seat").cast(pl.Int64) - pl.col("rotation").cast(pl.Int64) + n) % n
    win = pl.col("winner") / pl.col("winner").sum().over(MATCH)
    new = (away.alias("away"), win.alias("win"))
    points, wins, margins = (
        by_board(study.play(arm), ["away"], column, lambda part: part.matches.with_columns(new))[1]
        for column in ("points", "win", "margin")
    )
    return Outcome(points[:, 0], wins[:, 0], margins)


def _rivals(found: dict[str, Outcome]) -> list[Finding]:
    """What those get who want to be better than others, compared with wanting points."""
    base = found["points"]
    tests: dict[tuple[str, str], Floats] = {}
    for want in ("margin", "place"):
        one = found[want]
        tests[want, "points"] = one.points - base.points
        tests[want, "margin"] = one.margins[:, 0] - base.margins[:, 0]
        tests[want, "share of wins"] = one.win - base.win
    p_values = holm([p_value(over_boards(x)) for x in tests.values()]).tolist()
    adjusted: dict[tuple[str, str], float] = dict(zip(tests, p_values, strict=True))
    result = []
    for (want, what), x in tests.items():
        change, p = over_boards(x), adjusted[want, what]
        word = "neither more nor less"
        if p < 0.05:
            word = "more" if change.mean > 0 else "less"
        unit = "share" if what == "share of wins" else "points a match"
        text = (
            f"An agent that wants **{WANTS[want]}** gets {word} {what} than one that wants "
            f"{WANTS['points']}: {shown(change)} ({p_text(p)} after Holm's adjustment)."
        )
        result.append(finding(f"wants {want} − wants points: {what}", change, unit, text))
    margin = over_boards(tests["margin", "margin"])
    own = over_boards(tests["margin", "points"])
    if adjusted["margin", "margin"] < 0.05 and margin.mean > 0:
        share = f"{min(1.0, max(0.0, 1 - own.mean / margin.mean)):.0%}"
        text = (
            f"So **hurting others pays in margin**: of what is gained by wanting it, {share} is "
            f"what the others lose on average (margin {shown(margin)}, own points {shown(own)})."
        )
    else:
        text = (
            "That hurting others pays is not seen: wanting margin instead of points changes the "
            f"margin by {shown(margin)} and the own points by {shown(own)}."
        )
    others = over_boards(tests["margin", "points"] - tests["margin", "margin"])
    result.append(finding("wants margin: others' mean points", others, "points a match", text))
    return result


def _spite(found: dict[str, Outcome], n: int) -> list[Finding]:
    """What it costs to hurt the left neighbour, and whom."""
    spite = found["neighbour"].margins
    change = spite - found["points"].margins[: len(spite)]
    victim, own = over_boards(change[:, 1]), over_boards(change[:, 0])
    text = (
        f"An agent that wants only **{WANTS['neighbour']}** rather than its own points changes "
        f"that neighbour's margin by {shown(victim)} and its own by {shown(own)} points a match"
    )
    if victim.high < 0 and own.high < 0:
        text += f": it pays {number(own.mean / victim.mean)} points for each that the victim loses."
    elif victim.high < 0:
        text += ": the victim is hurt, and that it costs the attacker anything is not seen."
    else:
        text += ": that the victim is hurt is not seen."
    result = [finding("spite: the victim's margin", victim, "points a match", text)]
    if own.low > 0 or own.high < 0:
        word = "never pays by itself here" if own.high < 0 else "even pays here"
    else:
        word = "neither pays nor costs, as far as is seen"
    text = f"To hurt one player only {word}: the attacker's margin changes by {shown(own)} points."
    result.append(finding("spite: the attacker's margin", own, "points a match", text))
    if n > 2:
        rest = over_boards(change[:, 2:].mean(axis=1))
        who = "gain" if rest.low > 0 else "lose" if rest.high < 0 else "neither gain nor lose"
        text = f"The players who are not concerned {who} by it: {shown(rest)} points each."
        result.append(finding("spite: the others' margins", rest, "points a match", text))
    return result


def _against_strong(strong: dict[str, Outcome]) -> Finding:
    change = over_boards(strong["margin"].margins[:, 0] - strong["points"].margins[:, 0])
    word = "more" if change.low > 0 else "less" if change.high < 0 else "neither more nor less"
    text = (
        f"Among **{STRONG}**, whom its look-ahead takes for {USUAL}, an agent that wants its own "
        f"margin gets {word} of it than one that wants points: {shown(change)} points a match."
    )
    name = f"among {STRONG}: wants margin − wants points"
    return finding(name, change, "points a match", text)


def _knowledge(found: dict[str, Outcome]) -> Finding:
    """What it is worth to see the results on the boards, to one who wants points."""
    blind = found[BLIND].points
    change = over_boards(found["points"].points[: len(blind)] - blind)
    word = "neither more nor fewer"
    if change.low > 0 or change.high < 0:
        word = "more" if change.mean > 0 else "fewer"
    text = (
        f"An agent that looks ahead and wants its own points gets {word} of them when it sees the "
        f"results that are already on the boards than when it does not: {shown(change)} points a "
        "match."
    )
    return finding("results on the boards, by look-ahead", change, "points a match", text)


def _show(answer: Answer, found: dict[str, Outcome], n: int) -> None:
    places = ["attacker", "left neighbour", *(f"{k} to the left" for k in range(2, n))]
    wants = [want for want in found if want != BLIND]
    cells = [[over_boards(found[want].margins[:, k]) for k in range(n)] for want in wants]
    values = np.array([[one.mean for one in row] for row in cells])
    half = np.array([[(one.high - one.low) / 2 for one in row] for row in cells])
    alt = "Mean margins by what the attacker wants: " + "; ".join(
        f"{want}: {row[0]:+.2f}, left neighbour {row[1]:+.2f}"
        for want, row in zip(wants, values, strict=True)
    )
    labels: Sequence[str] = [WANTS[want] for want in wants]
    svg = plots.heat_map(
        "loop-manipulation", alt, labels, places, values, half, "who", "attacker wants"
    )
    answer.plots.append(Plot(svg, "Mean margins, points a match, with half-widths of intervals."))
    rows = [["attacker wants", "points", "margin", "share of wins", "left neighbour's margin"]]
    for want, one in found.items():
        columns = (one.points, one.margins[:, 0], one.win, one.margins[:, 1])
        rows.append([WANTS[want], *(shown(over_boards(x)) for x in columns)])
    answer.tables.append(HtmlTable(rows, f"Among {USUAL}"))
