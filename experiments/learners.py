"""Learners and their opponents, made as a configuration describes them."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from agents.base import Agent
from agents.checkpoints import load_agent
from agents.learners.base import Learner
from agents.learners.kinds import KINDS
from agents.learners.opponents import SNAPSHOTS, Matchmaker, Opponent
from agents.learners.self_play import SelfPlay
from agents.learners.sizes import Sizes, Spaces, for_each_size
from agents.learners.sizes_play import SizesPlay
from agents.learners.snapshots import Pool
from agents.named import agent_names, make_agent
from experiments.config import Config
from experiments.config_train import LearnerConfig, OpponentConfig
from experiments.config_values import CheckpointAgent
from loop_envs.deals import combine
from loop_envs.envs.batch import Batch
from loop_envs.game import Game
from loop_envs.registry import rules_of


def make_learner(config: LearnerConfig, spaces: Spaces, run_seed: int, number: int) -> Learner:
    """Makes the learner that a configuration describes.

    Args:
        config: Of the learner.
        spaces: The game to be played, or several sizes of it.
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
    return kind.learner(config.name, spaces, settings, seed % 2**31)


def make_matchmaker(config: Config, spaces: Spaces, learners: list[Learner]) -> Matchmaker:
    """Makes who plays whom.

    Raises:
        CheckpointError: If an opponent's checkpoint is one of another game.
    """
    assert config.train is not None
    fixed: dict[str, Agent] = {}
    for learner in config.train.learners:
        for one in learner.opponents or []:
            if isinstance(one.play, CheckpointAgent):
                make = partial(_loaded, one.play, config.seed)
                fixed[one.name] = for_each_size(spaces, make)
            elif one.play in agent_names(rules_of(config.game.env).name):
                make = partial(make_agent, one.play, seed=config.seed)
                fixed[one.play] = for_each_size(spaces, make)
    mixtures = [
        [_opponent(one) for one in learner.opponents] if learner.opponents else None
        for learner in config.train.learners
    ]
    return Matchmaker(spaces, learners, mixtures, fixed)


def make_play(config: Config, spaces: Spaces, learners: list[Learner]) -> SelfPlay | SizesPlay:
    """Makes the matches, shared out over the sizes as evenly as possible.

    Raises:
        CheckpointError: If an opponent's checkpoint is one of another game.
    """
    train = config.train
    assert train is not None
    games = spaces.games if isinstance(spaces, Sizes) else (spaces,)
    boards = np.array_split(train.first_board + np.arange(train.num_matches), len(games))
    batches = [Batch(g, len(b), train.reward) for g, b in zip(games, boards, strict=True)]
    for batch, part in zip(batches, boards, strict=True):
        batch.reset(config.seed, part)
    matchmaker = make_matchmaker(config, spaces, learners)
    if isinstance(spaces, Sizes):
        return SizesPlay(batches, learners, matchmaker, spaces)
    return SelfPlay(batches[0], learners, matchmaker)


def _loaded(agent: CheckpointAgent, seed: int, game: Game) -> Agent:
    return load_agent(agent.path, game, agent.name, seed, sample=True)


def _opponent(one: OpponentConfig) -> Opponent:
    pool = Pool(**one.pool.model_dump()) if one.name == SNAPSHOTS else Pool()
    return Opponent(one.name, one.weight, pool)
