"""How often the best player is ahead after a number of deals, by stakes, and in duplicate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import Floats, over_boards
from experiments.fairness.games.loo.claims import Claim, judged
from experiments.fairness.games.loo.leads import LONG, Sessions, play_long, usual_deals
from experiments.fairness.games.loo.reading import LOOS, plus_minus, share_of
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval

SHOWN = (1, 2, 5, 10, 20, 40, 60)


def ahead(study: Study) -> Answer:
    """Share of sessions in which the best player is ahead, as curves, by kind of loo."""
    best, n = study.ladder[0], study.num_players
    answer = Answer(
        "deals",
        "Ahead after n deals",
        f"How often is {best}, the best player of the ladder, ahead after n deals? And how often "
        "when the same deals are played again in all rotations?",
    )
    found = {loo: play_long(study, loo) for loo in LOOS}
    boards = len(found["limited"].usual)
    usual = usual_deals(study)
    for loo, one in found.items():
        for deals in sorted({1, usual, LONG}):
            share = share_of(one.curves["single"][:, deals - 1])
            text = (
                f"With **{loo}** loos {best} is ahead after {deals} deal{'s' * (deals > 1)} in "
                f"{shown(share)} of the sessions; by chance it would be {1 / n:.3f}."
            )
            name = f"ahead after {deals}, {loo}"
            answer.findings.append(finding(name, share, "of the sessions", text, boards))
        needed = half(one.curves["single"])
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


def half(single: Floats) -> Interval:
    """Deals after which the share reaches one half, nan if it never does.

    Args:
        single: Sums of the shares' `powers` by number of deals, float64 [3, deals].

    Returns:
        The first number of deals with a share of at least 1/2, and those at which the upper and
        the lower end of its interval reach that.
    """
    ends = np.array([share_of(sums)[:3] for sums in single.T])
    first = [
        float(np.argmax(reached) + 1) if reached.any() else np.nan for reached in (ends >= 0.5).T
    ]
    return Interval(first[0], first[2], first[1], int(single[0, 0]))


def _claims(found: Mapping[str, Sessions], usual: int, best: str, n: int) -> list[Claim]:
    """Kinds of loo against limited ones; duplicate against one session and fresh boards."""
    claims = []
    unit = "of the sessions"
    for loo in ("capped", "unlimited"):
        change = over_boards(found[loo].usual - found["limited"].usual)
        words = (
            f"After {usual} deals {best} is ahead {{}} often with **{loo}** loos than with "
            "limited ones: {} of the sessions"
        )
        name = f"ahead after {usual}, {loo} − limited"
        claims.append(Claim(name, change, unit, change.n, words))
    each = max(1, LONG // n)
    for loo, one in found.items():
        change = over_boards(one.to_single)
        words = (
            f"With **{loo}** loos {best} is ahead {{}} often after {each} deals **in duplicate** "
            f"at {n} tables than after {each * n} deals of one session: {{}} of the "
            "cases"
        )
        name = f"duplicate − one session, {loo}"
        claims.append(Claim(name, change, "of the cases", change.n, words))
        change = over_boards(one.to_fresh)
        words = (
            f"With **{loo}** loos {best} is ahead {{}} often after {each} deals **in duplicate** "
            f"than after {n} sessions of {each} deals on fresh boards: {{}} of the cases"
        )
        name = f"duplicate − fresh boards, {loo}"
        claims.append(Claim(name, change, "of the cases", change.n * n, words))
    return claims


def _show(answer: Answer, found: Mapping[str, Sessions], best: str, n: int) -> None:
    """Curves by kind of loo, in one session and at the same cost in duplicate; a table."""
    single = {loo: _curve(one.curves["single"], 1) for loo, one in found.items()}
    several = {}
    for loo, one in found.items():
        several[f"{loo}, duplicate"] = _curve(one.curves["duplicate"], n)
        several[f"{loo}, fresh"] = _curve(one.curves["fresh"], n)
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
        for how, name in (
            ("one session", "single"),
            (f"{n} tables, duplicate", "duplicate"),
            (f"{n} tables, fresh boards", "fresh"),
        ):
            cells = [plus_minus(share_of(one.curves[name][:, deals - 1])) for deals in SHOWN]
            rows.append([loo, how, *cells])
    caption = f"Share of cases in which {best} is ahead, by deals at each table"
    answer.tables.append(Table(rows, caption, left=2))


def _curve(sums: Floats, tables: int) -> Floats:
    """Points of a plot: deals of all tables, share and bounds."""
    points = np.unique(np.geomspace(1, sums.shape[1], 24).round()).astype(int)
    rows = [(k * tables, *share_of(sums[:, k - 1])[:3]) for k in points.tolist()]
    return np.array(rows)
