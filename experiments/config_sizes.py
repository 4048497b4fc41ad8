"""Checks of a configuration's game: its options, and what goes together with several sizes."""

from __future__ import annotations

import re
from typing import Any

from agents.learners.sizes import Sizes, SizesError
from experiments.config import Config
from loop_envs.errors import OptionError
from loop_envs.game import Game

Problem = tuple[str, str]
PATH = "game.options.num_players"


def games_of(config: Config, problems: list[Problem]) -> list[Game]:
    """The game in each of its sizes; empty if one is refused, which is added to the problems."""
    games, refused = [], []
    for number, size in enumerate(config.sizes):
        try:
            games.append(config.make_game(number))
        except OptionError as error:
            path, text = _refused(str(error))
            if len(config.sizes) > 1:
                text = f"{text} (with num_players = {size})" if path != PATH else text
            refused.append((path, text))
    problems += dict.fromkeys(refused)
    if not config.sizes:
        problems.append((PATH, "got [], allowed: a number, or a list of different numbers"))
    return [] if refused else games


def _refused(text: str) -> Problem:
    named = re.match(r"option '(\w+)': ", text) or re.search(r"has no option '(.*?)'", text)
    path = f"game.options.{named[1]}" if named else "game.options"
    return path, re.sub(r"^option '\w+': ", "", text)


def check_sizes(config: Config, games: list[Game]) -> list[Problem]:
    """What several sizes do not go together with."""
    sizes = [game.num_players for game in games]
    if len(sizes) < 2:
        return []
    if len(set(sizes)) < len(sizes):
        return [(PATH, f"got {sizes}, allowed: different numbers")]
    problems: list[Problem] = []
    if config.tournament is not None:
        text = f"got {sizes}, allowed with a section 'tournament': one number, its matches' size"
        problems.append((PATH, f"{text}; checkpoints of such a run play tournaments of each"))
    if config.train is None:
        problems.append((PATH, f"got {sizes}, allowed without a section 'train': one number"))
        return problems
    for i, learner in enumerate(config.train.learners):
        if not learner.several_sizes:
            text = f"got {learner.kind!r}, which learns one number of players, but num_players is"
            path = f"train.learners.{i}.kind"
            problems.append((path, f"{text} {sizes}, allowed: dmc, ppo_all"))
    if config.train.num_matches < len(sizes):
        text = f"got {config.train.num_matches}, allowed: at least {len(sizes)}, one of each size"
        problems.append(("train.num_matches", text))
    try:
        Sizes(games)
    except SizesError as error:
        problems.append((PATH, f"got {sizes}, which cannot be learned together: {error}"))
    return problems


def resolved_options(config: Config, games: list[Game]) -> dict[str, Any]:
    """The game's options, resolved; those that follow from the number of players are left as given
    where there are several."""
    if len(games) == 1:
        return dict(games[0].options)
    first, given = games[0].options, config.game.options
    same = {
        name: value
        for name, value in first.items()
        if all(game.options[name] == value for game in games)
    }
    return {
        name: same[name] if name in same else given[name]
        for name in first
        if name in same or name in given
    }
