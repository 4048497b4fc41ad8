"""Learners and their opponents, made as a configuration describes them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from agents.base import Agent
from agents.checkpoints import load_agent
from agents.learners.base import Learner
from agents.learners.kinds import KINDS
from agents.learners.opponents import SNAPSHOTS, Matchmaker, Opponent, Pool
from agents.named import agent_names, make_agent
from experiments.config import Config
from experiments.config_train import LearnerConfig, OpponentConfig
from experiments.config_values import CheckpointAgent
from loop_envs.deals import combine
from loop_envs.game import Game


def make_learner(config: LearnerConfig, game: Game, run_seed: int, number: int) -> Learner:
    """Makes the learner that a configuration describes.

    Args:
        config: Of the learner.
        game: The game to be played.
        run_seed: Gives the learner its seed where it has none of its own.
        number: Of the learner in its run.
    """
    kind = KINDS[config.kind]
    given = config.model_dump()
    values: dict[str, Any] = {f.name: given[f.name] for f in fields(kind.settings)}
    settings = kind.settings(**{**values, "network": tuple(values["network"])})
    seed = config.seed
    if seed is None:
        seed = int(combine(run_seed, number))
    return kind.learner(config.name, game, settings, seed % 2**31)


def make_matchmaker(config: Config, game: Game, learners: list[Learner]) -> Matchmaker:
    """Makes who plays whom.

    Raises:
        CheckpointError: If an opponent's checkpoint is one of another game.
    """
    assert config.train is not None
    fixed: dict[str, Agent] = {}
    for learner in config.train.learners:
        for one in learner.opponents or []:
            if isinstance(one.play, CheckpointAgent):
                path = one.play.path
                fixed[one.name] = load_agent(path, game, one.name, config.seed, sample=True)
            elif one.play in agent_names(game.rules.name):
                fixed[one.play] = make_agent(one.play, game, config.seed)
    mixtures = [
        [_opponent(one) for one in learner.opponents] if learner.opponents else None
        for learner in config.train.learners
    ]
    return Matchmaker(game, learners, mixtures, fixed)


def _opponent(one: OpponentConfig) -> Opponent:
    pool = Pool(**one.pool.model_dump()) if one.name == SNAPSHOTS else Pool()
    return Opponent(one.name, one.weight, pool)
