"""Checks across a configuration: what is right by itself but impossible together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from agents.named import agent_names
from experiments.config import CheckpointAgent, Config, TournamentConfig, TrainConfig
from experiments.config_errors import near
from experiments.errors import ConfigError
from experiments.lineups import lineups
from loop_envs.deals import BOARD_STRIDE
from loop_envs.errors import OptionError
from loop_envs.game import Game

Problem = tuple[str, str]


def check(config: Config, source: str) -> Config:
    """Checks combinations of values.

    Args:
        config: A configuration whose values are right one by one.
        source: Where it comes from, for error messages.

    Returns:
        The configuration with the game's options resolved and checkpoint paths made absolute.

    Raises:
        ConfigError: If anything is wrong with it; all problems are named.
    """
    problems: list[Problem] = []
    if config.train is None and config.tournament is None:
        problems.append(("", "nothing to do, allowed: a section 'train', 'tournament', or both"))
    game = _game(config, problems)
    if game is not None:
        known = agent_names(game.rules.name)
        if config.train is not None:
            problems += _train(config.train, known)
        if config.tournament is not None:
            problems += _agents(config, config.tournament, known, game.env_id)
            problems += _lineups(config.tournament, game)
    if config.train is not None and config.tournament is not None:
        problems += _overlap(config.train, config.tournament)
    if problems or game is None:
        raise ConfigError(source, problems)
    options = config.game.model_copy(update={"options": dict(game.options)})
    return config.model_copy(update={"game": options, "tournament": _absolute(config.tournament)})


def shared_board(train: TrainConfig, tournament: TournamentConfig) -> int | None:
    """The first board that both training and the tournament would play, or None.

    A batch slot i starts on ``train.first_board + i`` and goes on in steps of 2^32, without end.
    The differences between a tournament's board and a slot's first board are all the integers of
    an interval, so some board is shared exactly if a multiple of 2^32 lies in it.
    """
    least = tournament.first_board - train.first_board - train.num_matches + 1
    most = tournament.first_board + tournament.boards - 1 - train.first_board
    step = -(-max(least, 0) // BOARD_STRIDE) * BOARD_STRIDE
    return max(tournament.first_board, train.first_board + step) if step <= most else None


def _game(config: Config, problems: list[Problem]) -> Game | None:
    try:
        return config.make_game()
    except OptionError as error:
        text = str(error)
        named = re.match(r"option '(\w+)': ", text) or re.search(r"has no option '(.*?)'", text)
        path = f"game.options.{named[1]}" if named else "game.options"
        problems.append((path, re.sub(r"^option '\w+': ", "", text)))
        return None


def _twice(names: Iterable[str]) -> list[str]:
    """Names that appear more than once; file systems may not tell upper from lower case."""
    names = list(names)
    counts = Counter(name.casefold() for name in names)
    return [name for name in dict.fromkeys(names) if counts[name.casefold()] > 1]


def _train(train: TrainConfig, known: list[str]) -> list[Problem]:
    problems: list[Problem] = []
    for name in _twice(learner.name for learner in train.learners):
        problems.append(("train.learners", f"the name {name!r} is taken, allowed: unique names"))
    for i, learner in enumerate(train.learners):
        path = f"train.learners.{i}"
        if learner.name in known:
            text = f"got {learner.name!r}, allowed: other names than those of agents"
            problems.append((f"{path}.name", f"{text} ({', '.join(known)})"))
        if learner.batch_size > learner.rollout:
            text = f"got {learner.batch_size}, allowed: at most rollout = {learner.rollout}"
            problems.append((f"{path}.batch_size", text))
    needed = sum(learner.rollout for learner in train.learners)
    if train.steps < needed:
        problems.append(
            (
                "train.steps",
                f"got {train.steps}, allowed: at least {needed}, the sum of all rollouts; with "
                "fewer decisions some learner would never be updated",
            )
        )
    return problems


def _agents(
    config: Config, tournament: TournamentConfig, known: list[str], env_id: str
) -> list[Problem]:
    problems: list[Problem] = []
    learners = config.learner_names
    for i, agent in enumerate(tournament.agents):
        path = f"tournament.agents.{i}"
        if isinstance(agent, CheckpointAgent):
            if agent.name in known or agent.name in learners:
                text = f"got {agent.name!r}, allowed: a name that no agent or learner has"
                problems.append((f"{path}.name", text))
            if not Path(agent.checkpoint).is_file():
                text = f"got {agent.checkpoint!r}, allowed: a file that exists"
                problems.append((f"{path}.checkpoint", text))
        elif agent not in known and agent not in learners:
            own = f"learners: {', '.join(learners)}" if learners else "no learners without 'train'"
            hint = near(agent, [*known, *learners]) or "."
            text = f"no agent {agent!r} for {env_id}{hint}"
            problems.append((path, f"{text} Agents: {', '.join(known)}; {own}"))
    for name in _twice(tournament.agent_names):
        problems.append(("tournament.agents", f"{name!r} is there twice, allowed: unique names"))
    if len(tournament.agents) < 2:
        text = f"got {len(tournament.agents)}, allowed: at least 2 agents"
        problems.append(("tournament.agents", text))
    return problems


def _lineups(tournament: TournamentConfig, game: Game) -> list[Problem]:
    names = tournament.agent_names
    if len(names) < 2 or len(set(names)) < len(names):
        return []
    try:
        lineups(names, game.num_players, tournament.lineups)
    except ValueError as error:
        return [("tournament.lineups", str(error))]
    return []


def _overlap(train: TrainConfig, tournament: TournamentConfig) -> list[Problem]:
    board = shared_board(train, tournament)
    if board is None:
        return []
    text = (
        f"got {tournament.first_board}, but board {board} is one of those that training plays "
        f"({train.first_board} to {train.first_board + train.num_matches - 1}, and on from each "
        f"in steps of 2^32), allowed: boards that were not trained on, such as the default 2^31"
    )
    return [("tournament.first_board", text)]


def _absolute(tournament: TournamentConfig | None) -> TournamentConfig | None:
    """Paths that still hold when the run is resumed from elsewhere."""
    if tournament is None:
        return None
    agents = [
        agent.model_copy(update={"checkpoint": str(Path(agent.checkpoint).resolve())})
        if isinstance(agent, CheckpointAgent)
        else agent
        for agent in tournament.agents
    ]
    return tournament.model_copy(update={"agents": agents})
