"""What is played to study loop_seats: equal agents, the ladder, and variants on the same boards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from agents.base import Agent
from agents.noisy import noisy
from experiments.fairness.arms import Arm
from experiments.fairness.played import Played
from experiments.fairness.study import Study
from experiments.lineups import label
from experiments.schedule import Table as Seating
from loop_envs.game import Game

NOISES = (0.0, 0.05, 0.15, 0.4)
"""Shares of random decisions of equal agents."""
NOISE = 0.15
"""The one that variants are compared at: a round is hardly ever played twice in the same way."""
STEPS = (0, 1, 2)
OTHERS: Mapping[str, tuple[Any, Any]] = {
    "later_rounds": ("base_and_change", "change_only"),
    "reference": ("seat", "player"),
    "fourth_chooses": (True, False),
    "winner_seats": ("1to4", "1to3"),
}
"""Options of two values of which the other one is tried."""
FOUR = ("fourth_chooses", "winner_seats")
"""Options that matter with four players only."""


class Variant(NamedTuple):
    """Rules that differ from the study's in one point.

    Attributes:
        rules: The changed option, for people.
        name: The same, with what else is changed for the ladder.
        folder: Name of its arms.
        equal: Options for equal agents.
        ladder: Options for the ladder.
    """

    rules: str
    name: str
    folder: str
    equal: dict[str, Any]
    ladder: dict[str, Any]


def variants(study: Study) -> list[Variant]:
    """The variants: another step, and each of the other options turned around.

    With change points alone nothing drives totals upwards, and matches go on until they are cut.
    The ladder's are cut after as many rounds as matches have by the rules as they are, so that
    they are compared at their length.
    """
    options = study.game.options
    changed: list[tuple[str, Any]]
    changed = [("rank_step", step) for step in STEPS if step != options["rank_step"]]
    for name, (one, other) in OTHERS.items():
        if study.num_players == 4 or name not in FOUR:
            changed.append((name, other if options[name] == one else one))
    found = []
    for name, value in changed:
        own: dict[str, Any] = {name: value}
        text = f"{name} {str(value).lower()}"
        folder = text.replace(" ", "-").replace("_", "-")
        if value == "change_only":
            cut = math.ceil(_length(study))
            cut = min(cut, options["max_rounds"])
            found.append(Variant(text, f"{text}, cut", folder, own, own | {"max_rounds": cut}))
        else:
            found.append(Variant(text, text, folder, own, own))
    return found


def _length(study: Study) -> float:
    """Mean number of rounds of a match of the ladder."""
    played = study.ladders().some(study.settings.variants)
    seats = sum(part.rounds.select(pl.len()).collect().item() for part in played.parts())
    return float(seats / (played.num_matches * study.num_players))


def usual_rounds(played: Played) -> int:
    """Number of the rounds that at least half of the matches have."""
    most = played.game.options["max_rounds"]
    seats = np.zeros(most)
    for part in played.parts():
        seats += np.bincount(part.rounds.select("round").collect()["round"], minlength=most)
    return int((seats >= played.num_matches * played.game.num_players / 2).sum())


def equals(study: Study, noise: float = NOISE, variant: Variant | None = None) -> Played:
    """Boards played by the ladder's best agent in all seats, one match each, with some noise.

    Hands stay at their seats for the whole match, so equals who decide alike in like situations
    play much the same round again and again, whoever holds which hand. With noise, a share of
    random decisions, they are still equals, but a hand is not played the same way twice.

    Args:
        study: The study.
        noise: The share, one of `NOISES`.
        variant: Rules, if not those as they are.
    """
    if noise == 0 and variant is None:
        return study.identical()
    best = study.settings.ladder[0]
    name = f"{study.ladder[0]}-noise-{round(100 * noise)}"

    def make(game: Game) -> Agent:
        return noisy(name, study.player(best).make(game), noise, game, study.config.seed)

    lineup = (name,) * study.num_players
    player = study.made(f"{best!r} with noise {noise!r}", make)
    seats = Seating(label(lineup), 0, lineup)
    boards = study.settings.variants if variant else study.settings.boards
    arm = f"equals-{round(100 * noise)}" + (f"-{variant.folder}" if variant else "")
    options = variant.equal if variant else {}
    return study.play(Arm(arm, {name: player}, [[seats]], boards, options))


def paired_boards(study: Study) -> int:
    """Boards that are the same for the rules as they are and for all variants."""
    return min(study.settings.variants, study.settings.boards)


def ladders(study: Study, variant: Variant | None = None) -> Played:
    """The ladder by the rules as they are, or by a variant's."""
    return study.ladders(variant.ladder, variant.folder) if variant else study.ladders()
