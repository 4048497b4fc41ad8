"""Pools of loo: how they grow within a session, and what their size does to skill and luck."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments import plots
from experiments.fairness.answers import Answer, finding, number, shown
from experiments.fairness.boards import Floats
from experiments.fairness.games.loo.claims import direction
from experiments.fairness.games.loo.reading import (
    Deals,
    Sums,
    exponential,
    over,
    percent,
    plus_minus,
    ratio,
)
from experiments.fairness.games.loo.skill import Sizes, moments, sums_of
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from loop_envs.duplicate import Interval, jackknife_interval
from loop_envs.games.loo.options import antes

MOST_POINTS = 24
BOUNDS = (1.0, 2.0, 4.0, 8.0)
"""Upper bounds of the classes of pools, in antes of the whole table; the last has none."""

RARE = 0.01
"""Classes with a smaller share of the deals are left out of plot and findings."""


class Form(NamedTuple):
    """What is counted of the deals under a form of the stakes.

    Attributes:
        boards: Number of boards.
        sums: Sums by fold, see `counted`.
        sizes: Deals by the size of the pool.
    """

    boards: int
    sums: Sums
    sizes: Sizes


def table_antes(study: Study) -> int:
    """Antes of the whole table before a deal, in chips."""
    dealer, other = antes(study.game.options)
    return dealer + (study.num_players - 1) * other


def pools_by_number(deals: Deals, planned: int) -> Floats:
    """Sums of pools and numbers of deals, by number of the deal: float64 [boards, planned, 2]."""
    found = np.zeros((deals.boards, planned, 2))
    np.add.at(found[:, :, 0], (deals.board, deals.number), deals.pool)
    np.add.at(found[:, :, 1], (deals.board, deals.number), 1)
    return found


def growth(answer: Answer, loos: Mapping[str, Form]) -> None:
    """Mean pools by the number of the deal, with a plot.

    Args:
        answer: The answer.
        loos: What is counted by the kind of loo, `number` as of `pools_by_number`.
    """
    curves = {}
    for name, form in loos.items():
        chips, deals = np.moveaxis(form.sums["number"], 2, 0)
        last = int(np.flatnonzero(deals.sum(axis=0))[-1]) + 1
        points = np.unique(np.geomspace(1, last, MOST_POINTS).round()).astype(int) - 1
        curves[name] = np.array([(k + 1, *ratio(chips[:, k], deals[:, k])[:3]) for k in points])
        late = slice(last // 2, None)
        first = float(curves[name][0, 1])
        mean = ratio(chips[:, late].sum(axis=1), deals[:, late].sum(axis=1))
        grown = Interval(mean.mean / first, mean.low / first, mean.high / first, mean.n)
        text = (
            f"With **{name}** loos the pool of a deal in the second half of a session is "
            f"{shown(grown)} times that of the first deal; the largest one held "
            f"{number(float(form.sizes.pools[-1]))} chips."
        )
        name = f"growth of pools, {name}"
        answer.findings.append(finding(name, grown, "times", text, form.boards))
    alt = "Mean pool by the number of the deal: " + "; ".join(
        f"{name} from {number(curve[0, 1])} to {number(curve[-1, 1])}"
        for name, curve in curves.items()
    )
    svg = plots.curve_plot("growth", alt, curves, "deal of the session", "mean pool, chips")
    answer.plots.append(Plot(svg, "How pools grow, with 95 % intervals."))


def class_names() -> list[str]:
    """Names of the classes of pools, in antes of the whole table."""
    names = [f"up to {BOUNDS[0]:g}"]
    names += [f"over {a:g}, to {b:g}" for a, b in pairwise(BOUNDS)]
    return [*names, f"over {BOUNDS[-1]:g}"]


def pool_classes(answer: Answer, study: Study, loos: Mapping[str, Form]) -> None:
    """Skill and luck of the best against the rest, by the size of the pool.

    Args:
        answer: The answer; gets findings, a plot and tables.
        study: The study.
        loos: What is counted by the kind of loo, `classes` as of `class_sums`.
    """
    ante = table_antes(study)
    best = study.ladder[0]
    curves = {}
    for name, form in loos.items():
        cells = form.sums["classes"]
        mean_pools = _mean_pools(form.sizes, ante)
        rows = [["pool in antes of the table", "of the deals", "d, chips", "s", "d / s"]]
        curve = []
        for c, label in enumerate(class_names()):
            mean = jackknife_interval(cells[:, c], lambda x: moments(x)[0])
            quotient = signal_to_noise(cells, c)
            share = float(cells[:, c, 2].sum() / cells[:, :, 2].sum())
            deviation = number(moments(cells[:, c])[1])
            rows.append([label, percent(share), plus_minus(mean), deviation, plus_minus(quotient)])
            if _common(cells)[c] and not np.isnan(quotient.low):
                curve.append((mean_pools[c], *quotient[:3]))
        curves[name] = np.array(curve).reshape(-1, 4)
        caption = f"{best} against the rest by size of the pool, {name} loos"
        answer.tables.append(Table(rows, caption, folded=True))
        _largest(answer, name, best, cells, form.boards)
    alt = f"Signal to noise of {best} against the rest by size of the pool: " + "; ".join(
        f"{name} {', '.join(number(v) for v in curve[:, 1])}" for name, curve in curves.items()
    )
    svg = plots.curve_plot(
        "pool-size", alt, curves, "pool, in antes of the whole table", "d / s of a deal",
        zero=True, log=True,
    )  # fmt: skip
    answer.plots.append(Plot(svg, f"How clearly {best} is better in a deal, by size of the pool."))


def _largest(answer: Answer, name: str, best: str, cells: Floats, boards: int) -> None:
    """The largest class of pools that is not rare against single pools."""
    last = int(np.flatnonzero(_common(cells))[-1])
    label = f"{class_names()[last]} antes of the table"

    def change(x: Floats) -> float:
        (a, s), (b, t) = moments(x[:, last]), moments(x[:, 0])
        return a / s - b / t if s > 0 and t > 0 else np.nan

    gap = jackknife_interval(cells, change)
    luck = jackknife_interval(cells, lambda x: _log(moments(x[:, last])[1], moments(x[:, 0])[1]))
    times = exponential(luck)
    text = (
        f"With **{name}** loos, a deal with a pool of {label} spreads {shown(times)} times as far "
        f"as one with the antes alone, and tells {direction(gap)} of who is better: its d / s "
        f"differs by {shown(gap)}."
    )
    if last == 0:
        text = f"With **{name}** loos hardly any pool is larger than the antes."
    name = f"d / s, pools {label} − single, {name}"
    answer.findings.append(finding(name, gap, "a deal", text, boards))


def _common(cells: Floats) -> npt.NDArray[np.bool_]:
    """Which classes have enough deals to say something, bool [classes]."""
    counts = cells[:, :, 2].sum(axis=0)
    return np.asarray(counts >= RARE * counts.sum(), np.bool_)


def _log(a: float, b: float) -> float:
    return float(np.log(a / b)) if a > 0 and b > 0 else np.nan


def _classes(pools: Floats, ante: int) -> npt.NDArray[np.int64]:
    """Class of each pool."""
    return np.searchsorted(np.array(BOUNDS), pools / ante, side="left")


def _mean_pools(sizes: Sizes, ante: int) -> list[float]:
    """Mean pools of the classes in antes of the table; nan where there are none."""
    deals = sizes.cells[:, :, 0].sum(axis=0)
    classes = _classes(sizes.pools, ante)
    return [
        over((sizes.pools * deals)[classes == c].sum(), deals[classes == c].sum()) / ante
        for c in range(len(BOUNDS) + 1)
    ]


def class_sums(deals: Deals, d: Floats, ante: int) -> Floats:
    """Sums of a difference by class of pools.

    Args:
        deals: The deals.
        d: What one side gains more than another, float64 [K].
        ante: Antes of the whole table, in chips.

    Returns:
        float64 [boards, classes, 3], as of `sums_of`.
    """
    chosen = _classes(deals.pool, ante)[:, None] == np.arange(len(BOUNDS) + 1)
    return sums_of(deals, np.where(chosen, d[:, None], np.nan))


def signal_to_noise(cells: Floats, c: int) -> Interval:
    """Mean over standard deviation of a class, with its interval over boards."""

    def quotient(x: Floats) -> float:
        mean, deviation = moments(x)
        return mean / deviation if deviation > 0 else np.nan

    return jackknife_interval(cells[:, c], quotient)
