"""How often the best player is ahead after a number of deals, by stakes, and in duplicate."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, over_boards
from experiments.fairness.games.loo.claims import Claim, judged
from experiments.fairness.games.loo.reading import (
    LOOS,
    Deals,
    loo_options,
    plus_minus,
    read_deals,
    share_of,
)
from experiments.fairness.study import Study, ordered_tables
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval

LONG = 60
"""Deals of a session."""
SHOWN = (1, 2, 5, 10, 20, 40, 60)
FEWER = 2
"""Of so many boards of a variant one is played: sessions are long."""


class Ahead(NamedTuple):
    """How often the best player is ahead after 1 to LONG deals; ties are shared.

    Attributes:
        single: In one session, float64 [boards, LONG].
        duplicate: All rotations of a board added up, float64 [boards, LONG].
        fresh: As many sessions on different boards added up, float64 [groups of boards, LONG].
    """

    single: Floats
    duplicate: Floats
    fresh: Floats


def ahead(study: Study) -> Answer:
    """Share of sessions in which the best player is ahead, as curves, by kind of loo."""
    best, n = study.ladder[0], study.num_players
    answer = Answer(
        "deals",
        "Ahead after n deals",
        f"How often is {best}, the best player of the ladder, ahead after n deals? And how often "
        "when the same deals are played again in all rotations?",
    )
    found = {loo: _play(study, loo) for loo in LOOS}
    boards = len(found["limited"].single)
    usual = min(LONG, study.game.options["num_deals"])
    for loo, one in found.items():
        for deals in sorted({1, usual, LONG}):
            share = share_of(one.single[:, deals - 1])
            text = (
                f"With **{loo}** loos {best} is ahead after {deals} deal{'s' * (deals > 1)} in "
                f"{shown(share)} of the sessions; by chance it would be {1 / n:.3f}."
            )
            name = f"ahead after {deals}, {loo}"
            answer.findings.append(finding(name, share, "of the sessions", text, boards))
        needed = half(one.single)
        text = f"With **{loo}** loos {best} is ahead at least half of the time after "
        text += f"{shown(needed)} deals."
        if np.isnan(needed.high):
            text = text.removesuffix(" to –) deals.") + f" to more than {LONG}) deals."
        if np.isnan(needed.mean):
            text = f"With **{loo}** loos {best} is not ahead half of the time within {LONG} deals."
        answer.findings.append(finding(f"ahead half of the time, {loo}", needed, "deals", text))
    answer.findings += judged(_claims(found, usual, best, n))
    _show(answer, found, best, n)
    answer.notes.append(
        f"Sessions of {LONG} deals of the ladder on the same {boards:,} boards. Players may run "
        "into debt (allow_debt), so that no session ends early and the stacks play no part. Who "
        "has gained most chips so far is ahead, whatever lies in the pool; k players who are level "
        "count 1/k each. The share is a mean over the tables of a board, its interval over "
        f"boards. In duplicate a line-up plays a board in its {n} "
        "rotations and each player's chips are added up: the cards of each seat come to everybody, "
        f"but pools grow as they will at each table. It takes {n} times the deals, so it stands at "
        f"that number, and beside it sessions on {n} different boards, one rotation each, added "
        f"up (units: groups of {n} boards)."
    )
    return answer


def _play(study: Study, loo: str) -> Ahead:
    """Long sessions of the ladder with one kind of loo."""
    lineups = list(combinations(study.ladder, study.num_players))
    options = {**loo_options(study, loo), "num_deals": LONG, "allow_debt": True}
    boards = -(-study.settings.variants // FEWER)
    arm = Arm(f"long-{loo}", study.players(), ordered_tables(lineups), boards, options)
    return shares_ahead(read_deals(study, study.play(arm)), len(study.ladder))


def shares_ahead(deals: Deals, agents: int, long: int = LONG) -> Ahead:
    """How often the first agent is ahead.

    Args:
        deals: Deals of line-ups of different agents, each in all rotations on every board, of
            which `n` follow one another.
        agents: Number of agents.
        long: Number of deals of a session.
    """
    n = deals.n
    by_agent = deals.by_agent("gain", agents)
    gains = np.zeros((int(deals.match[-1]) + 1, long, agents))
    # A session that was cut off stays as it is then.
    gains[deals.match, deals.number] = np.nan_to_num(by_agent)
    starts = np.flatnonzero(deals.number == 0)
    sits = ~np.isnan(by_agent[starts])
    chips = gains.cumsum(axis=1).reshape(deals.boards, -1, n, long, agents)
    sits = sits.reshape(deals.boards, -1, n, agents)[:, :, 0]
    # The line-ups are the same on all boards.
    with_best = sits[0, :, 0]
    chips, sits = chips[:, with_best], sits[0, with_best]
    single = _lead(chips, sits[None, :, None, None]).mean(axis=(1, 2))
    duplicate = _lead(chips.sum(axis=2), sits[None, :, None]).mean(axis=1)
    groups = deals.boards // n
    together = chips[: groups * n].reshape(groups, n, *chips.shape[1:])
    mixed = []
    for shift in range(n):
        # One rotation of each board, every rotation once.
        one = [together[:, j, :, (j + shift) % n] for j in range(n)]
        mixed.append(_lead(np.sum(one, axis=0), sits[None, :, None]).mean(axis=1))
    return Ahead(single, duplicate, np.mean(mixed, axis=0))


def _lead(chips: Floats, sits: npt.NDArray[np.bool_]) -> Floats:
    """Share of the lead that the first agent has, by chips [..., agents]."""
    chips = np.where(sits, chips, -np.inf)
    leads = chips == chips.max(axis=-1, keepdims=True)
    share: Floats = leads[..., 0] / leads.sum(axis=-1)
    return share


def half(single: Floats) -> Interval:
    """Deals after which the share reaches one half, nan if it never does.

    Args:
        single: Shares by board and number of deals, float64 [boards, deals].

    Returns:
        The first number of deals with a share of at least 1/2, and those at which the upper and
        the lower end of its interval reach that.
    """
    ends = np.array([over_boards(column)[:3] for column in single.T])
    first = [
        float(np.argmax(reached) + 1) if reached.any() else np.nan for reached in (ends >= 0.5).T
    ]
    return Interval(first[0], first[2], first[1], len(single))


def _claims(found: Mapping[str, Ahead], usual: int, best: str, n: int) -> list[Claim]:
    """Kinds of loo against limited ones; duplicate against one session and fresh boards."""
    claims = []
    unit = "of the sessions"
    limited = found["limited"].single[:, usual - 1]
    for loo in ("capped", "unlimited"):
        change = over_boards(found[loo].single[:, usual - 1] - limited)
        words = (
            f"After {usual} deals {best} is ahead {{}} often with **{loo}** loos than with "
            "limited ones: {} of the sessions"
        )
        name = f"ahead after {usual}, {loo} − limited"
        claims.append(Claim(name, change, unit, change.n, words))
    each = max(1, LONG // n)
    for loo, one in found.items():
        change = over_boards(one.duplicate[:, each - 1] - one.single[:, each * n - 1])
        words = (
            f"With **{loo}** loos {best} is ahead {{}} often after {each} deals **in duplicate** "
            f"at {n} tables than after {each * n} deals of one session: {{}} of the "
            "cases"
        )
        name = f"duplicate − one session, {loo}"
        claims.append(Claim(name, change, "of the cases", change.n, words))
        groups = len(one.fresh)
        same = one.duplicate[: groups * n].reshape(groups, n, -1).mean(axis=1)
        change = over_boards(same[:, each - 1] - one.fresh[:, each - 1])
        words = (
            f"With **{loo}** loos {best} is ahead {{}} often after {each} deals **in duplicate** "
            f"than after {n} sessions of {each} deals on fresh boards: {{}} of the cases"
        )
        name = f"duplicate − fresh boards, {loo}"
        claims.append(Claim(name, change, "of the cases", groups * n, words))
    return claims


def _show(answer: Answer, found: Mapping[str, Ahead], best: str, n: int) -> None:
    """Curves by kind of loo, in one session and at the same cost in duplicate; a table."""
    single = {loo: _curve(one.single, 1) for loo, one in found.items()}
    several = {}
    for loo, one in found.items():
        several[f"{loo}, duplicate"] = _curve(one.duplicate, n)
        several[f"{loo}, fresh"] = _curve(one.fresh, n)
    for name, curves, caption in (
        ("ahead", single, f"How often {best} is ahead in one session, with 95 % intervals."),
        ("ahead-duplicate", several, f"The same where {n} sessions are added up."),
    ):
        alt = f"Share of cases in which {best} is ahead: " + "; ".join(
            f"{label} from {number(curve[0, 1])} to {number(curve[-1, 1])}"
            for label, curve in curves.items()
        )
        svg = plots.curve_plot(
            name, alt, curves, "deals played, all tables together", f"{best} is ahead", log=True
        )
        answer.plots.append(Plot(svg, caption))
    rows = [["loo", "how", *(f"{deals} deal{'s' * (deals > 1)}" for deals in SHOWN)]]
    for loo, one in found.items():
        for how, values in (
            ("one session", one.single),
            (f"{n} tables, duplicate", one.duplicate),
            (f"{n} tables, fresh boards", one.fresh),
        ):
            cells = [plus_minus(share_of(values[:, deals - 1])) for deals in SHOWN]
            rows.append([loo, how, *cells])
    caption = f"Share of cases in which {best} is ahead, by deals at each table"
    answer.tables.append(Table(rows, caption, left=2))


def _curve(values: Floats, tables: int) -> Floats:
    """Points of a plot: deals of all tables, share and bounds."""
    points = np.unique(np.geomspace(1, values.shape[1], 24).round()).astype(int)
    rows = [(k * tables, *share_of(values[:, k - 1])[:3]) for k in points.tolist()]
    return np.array(rows)
