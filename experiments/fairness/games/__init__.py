"""What a study knows of single games: what their rounds tell, and questions of their own.

A game that has no module here is studied all the same, by its seats and points alone. A module
has the name of the game and an instance of `GameStudy`, `STUDY`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from loop_envs.game import Game

if TYPE_CHECKING:
    from experiments.fairness.answers import Answer
    from experiments.fairness.study import Study

Columns = Mapping[str, npt.NDArray[Any]]
States = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Role:
    """Something that seats differ in, by luck or by the rules, in a round.

    Attributes:
        column: Column of the table of rounds.
        title: What it is, such as "place after the first to lead".
        label: Names a value, given the number of players.
        match: Whether its value in the first round counts for the whole match too.
    """

    column: str
    title: str
    label: Callable[[int, int], str]
    match: bool = True


@dataclass(frozen=True)
class GameStudy:
    """What a study knows of a game.

    Attributes:
        columns: ``(game, match, states) -> columns``: further columns of the table of rounds, each
            [K, n] by player, from the states at the ends of rounds and the match of each.
        roles: What seats differ in.
        questions: The game's own questions, each answered from the study.
        score: The column of the table of rounds in which a round's result is measured; more is
            better.
        score_unit: Its unit, in words.
    """

    columns: Callable[[Game, Ints, States], Columns]
    roles: tuple[Role, ...] = ()
    questions: tuple[Callable[[Study], Answer], ...] = ()
    score: str = "gain"
    score_unit: str = "points"


def game_study(game: Game) -> GameStudy:
    """What is known of a game."""
    name = f"{__name__}.{game.rules.name}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return GameStudy(lambda game, match, states: {})
    study: GameStudy = module.STUDY
    return study


def round_columns(game: Game, match: Ints, states: States) -> dict[str, npt.NDArray[Any]]:
    """The columns of the table of rounds, each [K, n] by player.

    `round` counts from 0; `gain` is what the points rose by since the round before ended.

    Args:
        game: The game.
        match: The match of each state, int64 [K], ascending.
        states: States at the ends of rounds, [K].
    """
    n = game.num_players
    points = states["points"][:, :n].astype(np.int32)
    first = np.append(True, match[1:] != match[:-1])
    starts = np.flatnonzero(first)
    number = np.arange(len(match)) - np.repeat(starts, np.diff(starts, append=len(match)))
    before = np.where(first[:, None], 0, np.roll(points, 1, axis=0))
    own = game_study(game).columns(game, match, states)
    taken = {"round", "gain", "points", "margin", "place", "winner", "decisions"} & set(own)
    if taken:
        raise ValueError(f"columns of rounds: got {sorted(taken)}, which are those of matches")
    return {
        "round": np.repeat(number.astype(np.int16), n).reshape(-1, n),
        "gain": points - before,
        **own,
    }
