"""Plots as SVG that stands in a page: text stays text, and takes the page's colour.

Nothing is referred to outside of a plot, and the same numbers give the same bytes.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullFormatter

COLOURS = (
    "#3987c9", "#d0741c", "#2c9a6c", "#b35fc9", "#a98a14", "#d4536a", "#2f9aa0", "#8f7468",
)  # fmt: skip
"""Dark enough on white and light enough on black."""
MARKERS = "osD^vPX*"
UP, DOWN = COLOURS[0], COLOURS[1]

_INK = "#010203"  # stands for the colour of the page's text
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "loop_envs",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "text.parse_math": False,  # names may contain what would begin a formula
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
}


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Figure, name: str, alt: str) -> str:
    """A figure as an ``<svg>`` element; `name` keeps its ids apart from those of other plots."""
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", metadata=nothing)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)  # a page knows what an svg is
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r'xlink:href="#', f'href="#{name}-', text)
    text = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", text)
    text = text.replace(_INK, "currentColor")
    text = re.sub(r' (width|height)="[\d.]+pt"', "", text, count=2)
    width = figure.get_figwidth() * 96  # pixels of style sheets in an inch
    label = html.escape(alt, quote=True)
    opening = f'<svg role="img" aria-label="{label}" style="width: {width:.0f}px"'
    return text.replace("<svg", opening, 1)


def _zero_line(axes: Axes, vertical: bool = True) -> None:
    line = axes.axvline if vertical else axes.axhline
    line(0, color=_INK, alpha=0.4, linewidth=0.8, zorder=0)


def intervals(
    name: str, alt: str, names: Sequence[str], values: npt.NDArray[np.float64], label: str,
    zero: float = 0.0,
) -> str:  # fmt: skip
    """A point and its interval for every name, one below the other.

    Args:
        name: Of the plot.
        alt: What is to be seen, in words.
        names: The names, from above.
        values: float64 [names, 3]: value, lower and upper bound.
        label: Of the axis.
        zero: Where a line is drawn.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _figure(7, 0.9 + 0.32 * len(names))
        for row, (mean, low, high) in enumerate(values):
            colour = COLOURS[row % len(COLOURS)]
            axes.plot([low, high], [row, row], color=colour, linewidth=2)
            axes.plot(mean, row, MARKERS[row % len(MARKERS)], color=colour)
        axes.axvline(zero, color=_INK, alpha=0.4, linewidth=0.8, zorder=0)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.grid(axis="x", color=_INK, alpha=0.12)
        return _svg(figure, name, alt)


def heat_map(
    name: str, alt: str, rows: Sequence[str], columns: Sequence[str],
    values: npt.NDArray[np.float64], half: npt.NDArray[np.float64], x_label: str, y_label: str,
) -> str:  # fmt: skip
    """Values as colours and numbers, with the half-widths of their intervals.

    Args:
        name: Of the plot.
        alt: What is to be seen, in words.
        rows: Names of the rows.
        columns: Names of the columns.
        values: float64 [rows, columns]; nan is left empty.
        half: The half-widths; values that are further from 0 than that get a frame.
        x_label: What the columns are.
        y_label: What the rows are.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _figure(1.8 + 0.95 * len(columns), 1.3 + 0.6 * len(rows))
        most = max(float(np.nanmax(np.abs(values), initial=0)), 1e-12)
        for (i, j), value in np.ndenumerate(values):
            if np.isnan(value):
                continue
            clear = abs(value) > half[i, j]
            colour, alpha = (UP if value > 0 else DOWN), 0.6 * abs(float(value)) / most
            axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, color=colour, alpha=alpha, lw=0))
            if clear:
                frame = Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, ec=_INK, lw=0.9)
                axes.add_patch(frame)
            width = "" if np.isnan(half[i, j]) else f"\n±{half[i, j]:.2f}"
            axes.text(j, i, f"{value:+.2f}{width}", ha="center", va="center", size=8)
        axes.set_xticks(range(len(columns)), columns, rotation=30 if len(columns) > 4 else 0)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        return _svg(figure, name, alt)


def histogram(name: str, alt: str, values: npt.NDArray[np.float64], label: str) -> str:
    """How often values occur among boards, with their median."""
    with mpl.rc_context(_STYLE):
        figure, axes = _figure(4.6, 2.6)
        axes.hist(values, bins=min(40, max(5, round(2 * len(values) ** (1 / 3)))), color=COLOURS[2])
        axes.axvline(float(np.median(values)), color=_INK, linestyle="--", linewidth=1)
        axes.set_xlabel(label)
        axes.set_ylabel("boards")
        return _svg(figure, name, alt)


def spreads(name: str, alt: str, agents: Sequence[str], margins: pl.DataFrame) -> str:
    """The distribution of every agent's margins over boards: quartiles, and 5 to 95 %."""
    with mpl.rc_context(_STYLE):
        figure, axes = _figure(7, 0.9 + 0.36 * len(agents))
        for row, agent in enumerate(agents):
            own = margins.filter(agent=agent)["margin"].to_numpy()
            low, first, middle, third, high = np.quantile(own, [0.05, 0.25, 0.5, 0.75, 0.95])
            colour = COLOURS[row % len(COLOURS)]
            axes.plot([low, high], [row, row], color=colour, linewidth=1.5)
            axes.barh(row, third - first, 0.5, left=first, color=colour, alpha=0.45)
            axes.plot([middle, middle], [row - 0.25, row + 0.25], color=_INK, linewidth=1.5)
        _zero_line(axes)
        axes.set_yticks(range(len(agents)), agents)
        axes.set_ylim(len(agents) - 0.5, -0.5)
        axes.set_xlabel("margin on a board")
        return _svg(figure, name, alt)


def lines(name: str, alt: str, agents: Sequence[str], curves: pl.DataFrame) -> str:
    """Means with intervals against the number of boards, see `summary.convergence`."""
    columns = ("boards", "margin", "margin_low", "margin_high")
    of = {agent: curves.filter(agent=agent).select(columns).to_numpy() for agent in agents}
    return curve_plot(name, alt, of, "boards", "mean margin", zero=True)


def curve_plot(
    name: str, alt: str, curves: Mapping[str, npt.NDArray[np.float64]], x_label: str, y_label: str,
    zero: bool = False, log: bool = False,
) -> str:  # fmt: skip
    """Lines with bands around them.

    Args:
        name: Of the plot.
        alt: What is to be seen, in words.
        curves: By label, float64 [points, 4]: x, value, lower and upper bound.
        x_label: What x is.
        y_label: What the values are.
        zero: Whether there is a line at 0.
        log: Whether x is drawn by its logarithm.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _figure(7, 3.4)
        styles = ("-", "--", "-.", ":")
        for i, (label, curve) in enumerate(curves.items()):
            colour = COLOURS[i % len(COLOURS)]
            x, mean, low, high = np.asarray(curve, np.float64).reshape(-1, 4).T
            axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
            style = styles[i // len(COLOURS) % 4 if len(curves) > 8 else i % 4]
            axes.plot(x, mean, style, color=colour, label=label)
        if zero:
            _zero_line(axes, vertical=False)
        if log:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,.0f}")  # powers would need formulas
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.margins(x=0)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        return _svg(figure, name, alt)
