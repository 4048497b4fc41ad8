"""What it is worth in loop_boards who sits before and behind, with memory of hands and without."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from agents.base import Agent
from agents.handicapped import handicapped
from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm, Played, Player
from experiments.fairness.boards import MATCH, Floats, by_board, over_boards, triples
from experiments.fairness.study import Study, ordered_tables
from experiments.html_sections import Plot
from loop_envs.duplicate import Interval
from loop_envs.game import Game

Ints = npt.NDArray[np.int64]
MEMORY = ("known",)
"""The field of the observation that remembers hands of earlier rounds."""
SIDES = ("before", "behind")
"""Who hands their cards on to me, on my right; and who gets mine, on my left."""


class Seatings(NamedTuple):
    """Who sat where, in M matches.

    Attributes:
        board: int64 [M].
        lineup: Number of the line-up, int64 [M].
        who: By seat, number of the agent on the ladder, int64 [M, n].
    """

    board: Ints
    lineup: Ints
    who: Ints


def forgetful(study: Study) -> dict[str, Player]:
    """The ladder's players by name, without memory of hands from one round to the next."""

    def of(player: Player) -> Player:
        def make(game: Game) -> Agent:
            inner = player.make(game)
            return handicapped(inner.name, inner, game, hide=MEMORY)

        return Player(f"{player.what} without {MEMORY}", make)

    return {name: of(player) for name, player in study.players().items()}


def forgetful_ladder(study: Study) -> Played:
    """The ladder without memory of hands: the first boards of the ladder's, at the same tables."""
    lineups = list(combinations(study.ladder, study.num_players))
    tables = ordered_tables(lineups)
    boards = min(study.settings.variants, study.settings.boards)
    return study.play(Arm("ladder-forgetful", forgetful(study), tables, boards))


def order_effects(study: Study, answer: Answer) -> Interval:
    """Adds what the strength of the players before and behind is worth, by the ladder's matches.

    Returns:
        What memory adds to the worth of a strong player before, in points a match.
    """
    strength = _strengths(study)
    span = float(np.ptp(strength))
    boards = forgetful_ladder(study).boards
    shared = pl.col("board") < study.settings.first_board + boards
    whole = _effects(study, study.ladders(), strength)
    some = _effects(study, study.ladders(), strength, shared)
    without = _effects(study, forgetful_ladder(study), strength)
    best, worst = study.ladder[int(strength.argmax())], study.ladder[int(strength.argmin())]
    rows: dict[str, Interval] = {}
    for k, side in enumerate(SIDES):
        effect = over_boards(span * whole[:, k])
        rows[f"{side}, as played"] = effect
        verb = "receive every hand from" if side == "before" else "hand every hand on to"
        text = (
            f"To {verb} the strongest of the ladder (**{best}**) rather than the weakest "
            f"(**{worst}**), the same two sitting at the table either way, "
            f"{_worth(effect, 'points a match')}."
        )
        answer.findings.append(finding(f"strong player {side}", effect, "points a match", text))
    due = []
    for k, side in enumerate(SIDES):
        hidden = over_boards(span * without[:, k])
        change = over_boards(span * (some[:, k] - without[:, k]))
        rows[f"{side}, memory hidden"] = hidden
        due.append(change)
        text = (
            f"When nobody remembers hands of earlier rounds, a strong player {side} is worth "
            f"{shown(hidden)} points a match; memory {_adds(change)}, on the same boards."
        )
        answer.findings.append(
            finding(f"strong player {side}: due to memory", change, "points a match", text)
        )
    alt = "Strongest rather than weakest player next to me: " + "; ".join(
        f"{name} {one.mean:+.2f}" for name, one in rows.items()
    )
    svg = plots.intervals("loop-order", alt, list(rows), triples(list(rows.values())), "points")
    answer.plots.append(
        Plot(svg, "What I gain if the ladder's strongest, not its weakest, sits before or behind.")
    )
    _first_round(study, answer, strength, span)
    answer.notes.append(
        "Before and behind: in each line-up an agent's margin, less its mean over all circular "
        "orders, is regressed on the strengths of its two neighbours, each less the mean of the "
        "others at the table, with mean margins on the ladder as strengths. The effect is the "
        "slope times the distance from the weakest to the strongest; boards are the units of its "
        "linearised (sandwich) interval."
    )
    return due[0]


def _worth(effect: Interval, unit: str) -> str:
    if effect.low > 0 or effect.high < 0:
        return f"{'gains' if effect.mean > 0 else 'costs'} {shown(_size(effect))} {unit}"
    return f"makes no difference that is seen: {shown(effect)} {unit}"


def _size(effect: Interval) -> Interval:
    """The effect without its sign."""
    if effect.mean >= 0:
        return effect
    return Interval(-effect.mean, -effect.high, -effect.low, effect.n)


def _adds(change: Interval) -> str:
    if change.low > 0 or change.high < 0:
        return f"{'adds' if change.mean > 0 else 'takes away'} {shown(_size(change))} points"
    return f"changes that by {shown(change)} points, which may be nothing"


def _first_round(study: Study, answer: Answer, strength: Floats, span: float) -> None:
    """The same for ranks: in the first round nothing has been inherited yet."""
    later = pl.col("round") > 0
    effects = [_rank_effects(study, strength, when) for when in (~later, later)]
    for k, side in enumerate(SIDES):
        first, rest = (over_boards(span * one[:, k]) for one in effects)
        change = over_boards(span * (effects[1][:, k] - effects[0][:, k]))
        differ = "clearly" if change.low * change.high > 0 else "not clearly"
        text = (
            f"In ranks of a round, the strong player {side} is worth {shown(first)} in the first "
            f"round, when nobody has inherited anything, and {shown(rest)} in the later ones, "
            f"{differ} different (by {shown(change)})."
        )
        if (first.low > 0 or first.high < 0) and not change.low * change.high > 0:
            text += (
                " So playing next to each other is enough for it; nothing is seen of inheriting."
            )
        name = f"strong player {side}: later rounds − first"
        answer.findings.append(finding(name, change, "ranks a round", text))


def _strengths(study: Study) -> Floats:
    """Mean margin of every agent of the ladder, float64 [agents]."""
    names, margins = by_board(study.ladders().matches, ["agent"], "margin")
    of = {str(name): float(margins[:, i].mean()) for i, (name,) in enumerate(names)}
    return np.array([of[name] for name in study.ladder])


def _effects(study: Study, played: Played, strength: Floats, some: pl.Expr | None = None) -> Floats:
    """Slopes of margins, see `slopes`; of some boards only."""
    frame = played.matches if some is None else played.matches.filter(some)
    keep = frame.select(*MATCH, "seat", "agent", "margin").collect()
    seatings, margins = _matrices(study, keep, "margin")
    return slopes(seatings, margins, strength)


def _rank_effects(study: Study, strength: Floats, when: pl.Expr) -> Floats:
    """Slopes of the ranks of some rounds, better ones positive."""
    frame = (
        study.ladders()
        .rounds.filter(when)
        .group_by(*MATCH, "seat", "agent")
        .agg(pl.col("result").cast(pl.Float64).mean())
        .sort(*MATCH, "seat")
        .collect(engine="streaming")
    )
    seatings, results = _matrices(study, frame, "result")
    return slopes(seatings, results, strength)


def _matrices(study: Study, frame: pl.DataFrame, value: str) -> tuple[Seatings, Floats]:
    """Seatings, and a value by match and seat; the rows are sorted by match and seat."""
    n = study.num_players
    number: Mapping[str, int] = {name: i for i, name in enumerate(study.ladder)}
    agent = frame["agent"].cast(pl.String).replace_strict(number, return_dtype=pl.Int64)
    who = agent.to_numpy().reshape(-1, n)
    lineup = frame["lineup"].to_physical().cast(pl.Int64).to_numpy()[::n]
    board = frame["board"].to_numpy()[::n]
    return Seatings(board, lineup, who), frame[value].to_numpy().reshape(-1, n).astype(np.float64)


def slopes(seatings: Seatings, values: Floats, strength: Floats) -> Floats:
    """How much a value changes with the strengths of the players before and behind.

    Least squares of ``value = a(line-up, agent) + b · before + c · behind``. Row x of the result
    is ``(b, c) + A⁻¹ X'e`` with the residuals e and regressors X of board x and A the mean of X'X
    over boards, so its mean is the estimate and its spread gives the interval over boards.

    Args:
        seatings: Who sat where.
        values: float64 [M, n].
        strength: By agent, float64 [agents].

    Returns:
        float64 [boards, 2]; the slopes b and c.
    """
    n = seatings.who.shape[1]
    cell = (seatings.lineup[:, None] * len(strength) + seatings.who).reshape(-1)
    of = strength[seatings.who]
    before, behind = np.roll(of, 1, axis=1), np.roll(of, -1, axis=1)
    columns = [values.reshape(-1), before.reshape(-1), behind.reshape(-1)]
    count = np.maximum(np.bincount(cell), 1)
    y, *x = (column - (np.bincount(cell, column) / count)[cell] for column in columns)
    _, board = np.unique(np.repeat(seatings.board, n), return_inverse=True)
    boards = int(board.max()) + 1
    # With three players the two regressors are the same but for the sign; the least solution.
    inverse = np.linalg.pinv(np.array([[a @ b for b in x] for a in x]) / boards, rcond=1e-9)
    slope = inverse @ np.array([a @ y for a in x]) / boards
    rest = y - slope[0] * x[0] - slope[1] * x[1]
    moved = np.stack([np.bincount(board, a * rest, boards) for a in x], axis=1)
    found: Floats = slope + moved @ inverse
    return found
