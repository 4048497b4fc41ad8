"""Loopla: left and right of the starter, the Rebel's turn of play, and who instructs whom."""

from __future__ import annotations

import polars as pl

from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.boards import over_boards
from experiments.fairness.games.loopla.compare import UNIT, adjusted, verdict
from experiments.fairness.games.loopla.specials import neighbours
from experiments.fairness.games.loopla.tables import (
    EVERY,
    HOOP,
    allowed,
    by_place,
    edge,
    overall,
    unselected,
)
from experiments.fairness.study import Study

TWO_ROUNDS = 8
"""Rounds of a match of two that shows what a Rebel does there."""


def direction(study: Study) -> Answer:
    """Left and right, Rebels, and neighbours that are special."""
    answer = Answer(
        "direction",
        "Direction and neighbours",
        "Who profits when a Rebel turns the direction of play, and what is it worth to sit after "
        "or before somebody who attacks, spares, or is weak: who gives the instruction to whom?",
    )
    if study.num_players > 2:
        _left_and_right(study, answer)
    neighbours(study, answer)
    if allowed(study, [2]):
        _two(study, answer)
    return answer


def _left_and_right(study: Study, answer: Answer) -> None:
    """The starter's neighbours, in all rounds and by the direction in which rounds ended."""
    played = study.identical()
    had_by_all, turned = unselected(played), pl.col("reversed")
    ends = {
        "all rounds": EVERY,
        "rounds that ended clockwise": ~turned,
        "rounds that ended anticlockwise": turned,
    }
    found = []
    for when in ends.values():
        places = by_place(played, had_by_all & when)
        found.append(over_boards(places[:, 1] - places[:, -1]))
    for name, one, p in zip(ends, found, adjusted(found), strict=True):
        words = verdict(
            one,
            p,
            "more than the one to the right",
            "less than the one to the right",
            "neither clearly more nor clearly less than the one to the right",
            but="" if name == "all rounds" else "; as observed, not an effect of the turn",
        )
        text = f"In **{name}**, the neighbour to the left of the starter gets {words}."
        answer.findings.append(finding(f"left − right of the starter, {name}", one, UNIT, text))
    share = over_boards(overall(played, turned, had_by_all))
    answer.notes.append(
        f"Left and right of the starter: {study.ladder[0]} in all seats, {played.boards:,} "
        f"boards, the rounds that every match has; {shown(share)} of them ended anticlockwise. "
        "A round has time to be turned only if nobody falls early, and who turns it chooses to, "
        "so what is seen in such rounds is no effect of the turn alone."
    )


def _two(study: Study, answer: Answer) -> None:
    """With two players a Rebel turns nothing; an option gives another turn instead."""
    values = {}
    for rule in ("none", "again"):
        options = {
            "num_players": 2, "reverse_with_two": rule, "target": None, "rounds": TWO_ROUNDS
        }  # fmt: skip
        played = study.identical(options, f"two-{rule}")
        hoops = overall(played, pl.col("ending") == HOOP)
        values[rule] = {
            "what the starter has more than the other": edge(by_place(played)),
            "the number of cards played": overall(played, "plays"),
            "the share of rounds that end with one player left": hoops,
        }
    units = (UNIT, "cards a round", "share of rounds")
    changes = [over_boards(values["again"][key] - x) for key, x in values["none"].items()]
    rows = zip(values["none"].items(), units, changes, adjusted(changes), strict=True)
    for (key, before), unit, change, p in rows:
        words = verdict(change, p, "rises", "falls", "does not change clearly", unit)
        text = (
            f"With **two players**, where a 1 gives another turn instead of nothing, {key}, "
            f"{shown(over_boards(before))} without, {words}."
        )
        answer.findings.append(finding(f"two players, another turn: {key}", change, unit, text))
    answer.notes.append(
        f"Two players: equal agents on the same {study.settings.variants:,} boards with and "
        f"without another turn, {TWO_ROUNDS} rounds each, compared by board."
    )
