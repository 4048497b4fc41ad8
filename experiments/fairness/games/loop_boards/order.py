"""What it is worth in loop_boards who sits before and behind, with memory of hands and without."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from agents.base import Agent
from agents.handicapped import handicapped
from experiments import plots
from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.arms import Arm, Player
from experiments.fairness.boards import MATCH, Floats, by_board, over_boards, triples
from experiments.fairness.games.loop_boards.slopes import Seatings, slopes
from experiments.fairness.played import Part, Played
from experiments.fairness.study import Study, ordered_tables
from experiments.html_sections import Plot
from loop_envs.duplicate import Interval
from loop_envs.game import Game

MEMORY = ("known",)
"""The field of the observation that remembers hands of earlier rounds."""
SIDES = ("before", "behind")
"""Who hands their cards on to me, on my right; and who gets mine, on my left."""


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
    forgetting = forgetful_ladder(study)
    whole = _effects(study, study.ladders(), strength)
    some = _effects(study, study.ladders().some(forgetting.boards), strength)
    without = _effects(study, forgetting, strength)
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
    names, margins = by_board(study.ladders(), ["agent"], "margin")
    of = {str(name): float(margins[:, i].mean()) for i, (name,) in enumerate(names)}
    return np.array([of[name] for name in study.ladder])


def _effects(study: Study, played: Played, strength: Floats) -> Floats:
    """Slopes of margins, see `slopes`."""

    def rows(part: Part) -> Seatings:
        keep = part.matches.select(*MATCH, "seat", "agent", "margin").collect()
        return _seatings(study, keep, "margin")

    return slopes(lambda: map(rows, played.parts()), strength)


def _rank_effects(study: Study, strength: Floats, when: pl.Expr) -> Floats:
    """Slopes of the ranks of some rounds, better ones positive."""

    def rows(part: Part) -> Seatings:
        mean = pl.col("result").cast(pl.Float64).mean()
        keys = (*MATCH, "seat", "agent")
        keep = part.rounds.filter(when).group_by(keys).agg(mean).sort(keys[:-1]).collect()
        return _seatings(study, keep, "result")

    return slopes(lambda: map(rows, study.ladders().parts()), strength)


def _seatings(study: Study, frame: pl.DataFrame, value: str) -> Seatings:
    """Seatings with the values of a column; the rows are sorted by match and seat."""
    n = study.num_players
    number: Mapping[str, int] = {name: i for i, name in enumerate(study.ladder)}
    agent = frame["agent"].cast(pl.String).replace_strict(number, return_dtype=pl.Int64)
    lineup = frame["lineup"].to_physical().cast(pl.Int64).to_numpy()[::n]
    values = frame[value].to_numpy().reshape(-1, n).astype(np.float64)
    return Seatings(frame["board"].to_numpy()[::n], lineup, agent.to_numpy().reshape(-1, n), values)
