"""Checks across a configuration: what is right by itself but impossible together."""

from __future__ import annotations

from agents.named import agent_names
from experiments import config_fairness_checks as fairness_checks
from experiments.config import Config
from experiments.config_errors import near
from experiments.config_sizes import Problem, check_sizes, games_of, resolved_options
from experiments.config_tournament import TournamentConfig
from experiments.config_tournament_checks import (
    absolute,
    checkpoint_problems,
    tournament_problems,
    twice,
    with_absolute_path,
)
from experiments.config_train import EvaluateConfig, LearnerConfig, TrainConfig
from experiments.config_values import CheckpointAgent
from experiments.errors import ConfigError
from loop_envs.deals import BOARD_STRIDE

RESERVED = ("self", "snapshots")
"""Opponents that are no player's name."""


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
    if config.train is None and config.tournament is None and config.fairness is None:
        text = "nothing to do, allowed: sections 'train', 'tournament', 'fairness'"
        problems.append(("", text))
    games = games_of(config, problems)
    if games:
        game = games[0]
        known = agent_names(game.rules.name)
        problems += check_sizes(config, games)
        if config.train is not None:
            problems += _train(config.train, known)
            problems += _opponents(config.train, known)
        problems += tournament_problems(config, known, games)
        problems += fairness_checks.fairness_problems(config.fairness, known, games)
    problems += _overlaps(config.train, config.tournament)
    if problems:
        raise ConfigError(source, problems)
    options = config.game.model_copy(update={"options": resolved_options(config, games)})
    paths = {
        "tournament": absolute(config.tournament),
        "train": _absolute_train(config.train),
        "fairness": fairness_checks.absolute(config.fairness),
    }
    return config.model_copy(update={"game": options, **paths})


def shared_board(train: TrainConfig, boards: TournamentConfig | EvaluateConfig) -> int | None:
    """The first board that both training and a tournament or evaluation would play, or None.

    A batch slot i starts on ``train.first_board + i`` and goes on in steps of 2^32, without end.
    The differences between a tournament's board and a slot's first board are all the integers of
    an interval, so some board is shared exactly if a multiple of 2^32 lies in it.
    """
    least = boards.first_board - train.first_board - train.num_matches + 1
    most = boards.first_board + boards.boards - 1 - train.first_board
    step = -(-max(least, 0) // BOARD_STRIDE) * BOARD_STRIDE
    return max(boards.first_board, train.first_board + step) if step <= most else None


def _train(train: TrainConfig, known: list[str]) -> list[Problem]:
    problems: list[Problem] = []
    for name in twice(learner.name for learner in train.learners):
        problems.append(("train.learners", f"the name {name!r} is taken, allowed: unique names"))
    for i, learner in enumerate(train.learners):
        path = f"train.learners.{i}"
        if learner.name in known:
            text = f"got {learner.name!r}, allowed: other names than those of agents"
            problems.append((f"{path}.name", f"{text} ({', '.join(known)})"))
        if learner.name in RESERVED:
            text = f"got {learner.name!r}, allowed: other names than {', '.join(RESERVED)}"
            problems.append((f"{path}.name", text))
        if learner.batch_size > learner.rollout:
            text = f"got {learner.batch_size}, allowed: at most rollout = {learner.rollout}"
            problems.append((f"{path}.batch_size", text))
        teacher = getattr(learner, "teacher", None)
        if teacher is not None and teacher not in known:
            text = f"no agent {teacher!r}{near(teacher, known) or '.'} Agents: {', '.join(known)}"
            problems.append((f"{path}.teacher", text))
    needed = sum(learner.rollout for learner in train.learners)
    if train.steps is None and train.minutes is None:
        problems.append(("train", "no end, allowed: steps, minutes, or both"))
    elif train.steps is not None and train.steps < needed:
        problems.append(
            (
                "train.steps",
                f"got {train.steps}, allowed: at least {needed}, the sum of all rollouts; with "
                "fewer decisions some learner would never be updated",
            )
        )
    for i, name in enumerate(train.evaluate.against if train.evaluate else []):
        if name not in known:
            text = f"no agent {name!r}{near(name, known) or '.'} Agents: {', '.join(known)}"
            problems.append((f"train.evaluate.against.{i}", text))
    return problems


def _opponents(train: TrainConfig, known: list[str]) -> list[Problem]:
    problems: list[Problem] = []
    for i, learner in enumerate(train.learners):
        for k, one in enumerate(learner.opponents or []):
            path = f"train.learners.{i}.opponents.{k}.play"
            others = [x.name for x in train.learners if x.name != learner.name]
            if isinstance(one.play, CheckpointAgent):
                if one.name in [*known, *others, *RESERVED]:
                    text = f"got {one.name!r}, allowed: a name that nobody else has"
                    problems.append((f"{path}.name", text))
                problems += checkpoint_problems(one.play, path)
            elif one.play not in [*RESERVED, *others, *known]:
                allowed = [*RESERVED, *others, *known]
                text = f"got {one.play!r}, allowed: {', '.join(allowed)}, or {{name, checkpoint}}"
                problems.append((path, text + near(one.play, allowed)))
        problems += _one_pool(learner, i)
    return problems


def _one_pool(learner: LearnerConfig, number: int) -> list[Problem]:
    names = [one.name for one in learner.opponents or []]
    path = f"train.learners.{number}.opponents"
    return [
        (path, f"{name!r} is there twice, allowed: each opponent once") for name in twice(names)
    ]


def _overlaps(train: TrainConfig | None, tournament: TournamentConfig | None) -> list[Problem]:
    """Boards for training, for choosing the best checkpoint, and for judging must differ."""
    if train is None:
        return []
    problems: list[Problem] = []
    for path, other, default in (
        ("tournament.first_board", tournament, "2^31"),
        ("train.evaluate.first_board", train.evaluate, "2^30"),
    ):
        board = None if other is None else shared_board(train, other)
        if other is not None and board is not None:
            text = (
                f"got {other.first_board}, but board {board} is one of those that training plays "
                f"({train.first_board} to {train.first_board + train.num_matches - 1}, and on "
                f"from each in steps of 2^32), allowed: boards that were not trained on, such as "
                f"the default {default}"
            )
            problems.append((path, text))
    chosen = train.evaluate
    if chosen is not None and tournament is not None:
        first = max(chosen.first_board, tournament.first_board)
        ends = (chosen.first_board + chosen.boards, tournament.first_board + tournament.boards)
        if first < min(ends):
            text = (
                f"got {chosen.first_board}, but board {first} is one of the tournament's, "
                f"allowed: boards that the tournament does not play, such as the default 2^30"
            )
            problems.append(("train.evaluate.first_board", text))
    return problems


def _absolute_train(train: TrainConfig | None) -> TrainConfig | None:
    if train is None:
        return None
    learners = []
    for learner in train.learners:
        opponents = learner.opponents and [
            one
            if isinstance(one.play, str)
            else one.model_copy(update={"play": with_absolute_path(one.play)})
            for one in learner.opponents
        ]
        learners.append(learner.model_copy(update={"opponents": opponents}))
    return train.model_copy(update={"learners": learners})
