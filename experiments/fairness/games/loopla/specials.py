"""Loopla: what a neighbour does that differs in one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from agents.base import Agent, CompiledAgent
from agents.heuristics.loopla import W, with_weights
from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, by_board, over_boards
from experiments.fairness.games.loopla.compare import UNIT, adjusted, over_columns, verdict
from experiments.fairness.games.loopla.tables import by_place
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study
from experiments.html_sections import Plot, Table
from experiments.lineups import label, rotations
from experiments.schedule import Table as Seating
from loop_envs.duplicate import Interval
from loop_envs.game import Game

BASE = "card_counter"
ALWAYS = 1_000_000
"""A weight, in thousandths of a point, that outweighs all others together."""


class Special(NamedTuple):
    """A player that differs from the card counter in one thing.

    Attributes:
        changes: Its weights that differ.
        words: What it does.
    """

    changes: dict[W, int]
    words: str


KEEPS, RUSHES = "keeps-rebels", "rushes-rebels"
SPECIALS = {
    KEEPS: Special({W.LOW: ALWAYS}, "plays a 1 only where nothing else is legal"),
    RUSHES: Special({W.LOW: -ALWAYS}, "plays a 1 whenever it may"),
    "attacks": Special({W.FALL: 1000}, "counts what others lose by a fall as a gain of its own"),
    "spares": Special({W.FALL: -1000}, "counts what others lose by a fall as a loss of its own"),
}


def specials(study: Study) -> Played:
    """One special player among card counters, in every seat; nobody, or only such players."""
    n = study.num_players
    weakest = study.ladder[-1]
    players = {BASE: study.player(BASE), weakest: study.players()[weakest]}
    for name, special in SPECIALS.items():
        players[name] = study.made(f"{BASE} with {special.changes}", _maker(name))
    tables = [Seating("none", 0, (BASE,) * n)]
    for name in special_names(study):
        seats = rotations([name] + [BASE] * (n - 1))
        tables += [Seating(name, k, row) for k, row in enumerate(seats)]
    for name in (KEEPS, RUSHES):
        tables.append(Seating(label([name] * n), 0, (name,) * n))
    # Everybody begins equally often, and no target selects rounds.
    options = {"target": None, "rounds": n}
    return study.play(Arm("specials", players, [tables], study.settings.variants, options))


def special_names(study: Study) -> list[str]:
    """The special players, and the ladder's weakest one."""
    return list(dict.fromkeys([*SPECIALS, study.ladder[-1]]))


def _maker(name: str) -> Callable[[Game], Agent]:
    def make(game: Game) -> Agent:
        return CompiledAgent(game, with_weights(name, SPECIALS[name].changes))

    return make


def effects(played: Played, names: list[str], value: str = "gain") -> dict[str, Floats]:
    """What special players change for everybody, by distance to the left of them.

    On the same deals as at a table without it, over all its seats.

    Args:
        played: See `specials`.
        names: The players.
        value: A column of the table of rounds.

    Returns:
        By name, float64 [boards, n]; column 0 is the player, 1 its left neighbour, the last its
        right one.
    """
    n = played.game.num_players
    lineup = pl.col("lineup").cast(pl.String)
    # Who comes first in a line-up sits in seat k in rotation k.
    away = (pl.col("seat") - pl.col("rotation") + n) % n

    def rows(part: Part) -> pl.LazyFrame:
        return part.rounds.filter(lineup.is_in(["none", *names])).with_columns(away=away)

    keys, cells = by_board(played, ["lineup", "away"], value, rows)
    lineups = np.array([key[0] for key in keys])
    usual = cells[:, lineups == "none"].mean(axis=1, keepdims=True)
    return {name: cells[:, lineups == name] - usual for name in names}


def neighbours(study: Study, answer: Answer) -> None:
    """What special players change for themselves and for those beside them."""
    n, played, names = study.num_players, specials(study), special_names(study)
    gain = effects(played, names)
    tests: list[tuple[str, Interval, _Words]] = []
    for name in names:
        who = f"**{name}**" + (f" ({SPECIALS[name].words})" if name in SPECIALS else "")
        tests.append((f"{name}: itself", over_boards(gain[name][:, 0]), _own(who)))
        if n > 2:
            apart = over_boards(gain[name][:, 1] - gain[name][:, -1])
            tests.append((f"left − right of {name}", apart, _beside(who)))
    for k, side in ((1, "only"),) if n == 2 else ((1, "left"), (n - 1, "right")):
        apart = over_boards(gain[RUSHES][:, k] - gain[KEEPS][:, k])
        tests.append((f"{side} neighbour: 1s played early − kept", apart, _early(side)))
    if n > 2:
        tests.append(
            (
                "left − right of the starter: all play 1s early − all keep them",
                over_boards(_sides(played, RUSHES) - _sides(played, KEEPS)),
                EVERYBODY,
            )
        )
    p_values = adjusted([one for _, one, _ in tests])
    for (name, one, words), p in zip(tests, p_values, strict=True):
        text = f"{words.before} {verdict(one, p, words.more, words.less, words.unclear)}."
        answer.findings.append(finding(name, one, UNIT, text))
    fallen = effects(played, names, "fallen")
    _show(answer, *({name: over_columns(of[name]) for name in names} for of in (gain, fallen)))
    answer.notes.append(
        f"Special players: one of them in every seat in turn among {BASE}s, against {BASE}s alone "
        f"on the same {played.boards:,} boards, {n} rounds each, so that the difference is caused "
        "by it; the mean over seats and rounds, by board. While play goes clockwise a player "
        "instructs the neighbour to the left and is instructed by the one to the right; a 1 "
        "hands the next turn back to the one it came from. P values with Holm's adjustment for "
        f"all {len(tests)} comparisons."
    )


def _sides(played: Played, name: str) -> Floats:
    """Left minus right of the starter where all are special, float64 [boards]."""
    lineup = label([name] * played.game.num_players)
    places = by_place(played, pl.col("lineup").cast(pl.String) == lineup)
    return places[:, 1] - places[:, -1]


class _Words(NamedTuple):
    """What is said of a comparison: what comes before, and the words of `verdict`."""

    before: str
    more: str
    less: str
    unclear: str


def _own(who: str) -> _Words:
    place = f"than {BASE} in its place"
    return _Words(
        f"{who} gets", f"more {place}", f"less {place}", f"neither clearly more nor less {place}"
    )


def _beside(who: str) -> _Words:
    return _Words(
        f"With {who} it",
        "is better to sit to its left, where its instructions go",
        "is better to sit to its right, from where it is instructed",
        "makes no difference that is seen whether one sits to its left or to its right",
    )


def _early(side: str) -> _Words:
    early = "where its 1s are played early rather than kept"
    return _Words(
        f"The {side} neighbour of a player".replace(side, f"**{side}**"),
        f"gets more {early}",
        f"gets less {early}",
        f"gets neither clearly more nor clearly less {early}",
    )


EVERYBODY = _Words(
    "Where **everybody** plays 1s early rather than keeps them, what the starter's left neighbour "
    "has more than the right one",
    "rises",
    "falls",
    "does not change clearly",
)


def _show(
    answer: Answer, gain: dict[str, list[Interval]], fallen: dict[str, list[Interval]]
) -> None:
    """What special players change, by name and by distance to the left of them."""
    names = list(gain)
    n = len(gain[KEEPS])
    columns = ["itself", *(["the other"] if n == 2 else ["to its left"])]
    columns += [f"{k} to its left" for k in range(2, n - 1)] + (["to its right"] if n > 2 else [])
    values, half = np.full((2, len(names), n), np.nan)
    rows = [["player", "what", *columns]]
    for i, name in enumerate(names):
        for what, found in (("points a round", gain[name]), ("share of falls", fallen[name])):
            rows.append([name, what, *(shown(one) for one in found)])
            if what == "points a round":
                values[i] = [one.mean for one in found]
                half[i] = [(one.high - one.low) / 2 for one in found]
    alt = "What a special player changes, points a round: " + "; ".join(
        f"{name}: " + ", ".join(f"{c} {x:+.2f}" for c, x in zip(columns, row, strict=True))
        for name, row in zip(names, values, strict=True)
    )
    svg = plots.heat_map("specials", alt, names, columns, values, half, "who", "special player")
    caption = f"What changes where one {BASE} is replaced, points a round; framed: clear by itself."
    answer.plots.append(Plot(svg, caption))
    answer.tables.append(Table(rows, f"Changes where one {BASE} is replaced", left=2))
