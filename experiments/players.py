"""The agents of a tournament, made from their names or loaded from checkpoints."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.base import Agent
from agents.named import make_agent
from agents.noisy import noisy
from experiments.config import Config
from experiments.config_tournament import TournamentAgent
from experiments.config_values import CheckpointAgent, NoisyPlayer
from experiments.errors import ConfigError
from experiments.runfolder import RunFolder
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game


def checkpoints(config: Config, folder: RunFolder | None) -> dict[str, Path]:
    """Checkpoint files of the tournament's agents that have one, by name; with noise or without.

    Args:
        config: The configuration.
        folder: Where the learners of this run are; None leaves them out.
    """
    found: dict[str, Path] = {}
    t = config.tournament
    for name, player in zip(t.agent_names, t.players, strict=True) if t else []:
        if isinstance(player, CheckpointAgent):
            found[name] = player.path
        elif folder is not None and player in config.learner_names:
            found[name] = folder.checkpoint(player)
    return found


def load_agents(config: Config, game: Game, folder: RunFolder | None) -> dict[str, Agent]:
    """Makes the tournament's agents.

    All get the run's seed: of the players of a match only one decides at any ply, so their
    choices are drawn independently all the same.

    Args:
        config: The configuration.
        game: Its game.
        folder: Where the learners of this run are; None leaves them out.

    Raises:
        ConfigError: If a checkpoint is missing or is one of another game.
    """
    t = config.tournament
    files = checkpoints(config, folder)
    return make_players(config, t.agents if t else [], game, "tournament.agents", files)


def make_players(
    config: Config,
    given: Sequence[TournamentAgent],
    game: Game,
    where: str,
    files: Mapping[str, Path] | None = None,
) -> dict[str, Agent]:
    """Makes agents by name; learners of this run that have no checkpoint yet are left out.

    Args:
        config: Gives the seed, and the names of learners.
        given: The agents.
        game: The game they are to play.
        where: Their path in the configuration, for error messages.
        files: Checkpoint files by name; None: those that the agents name.

    Raises:
        ConfigError: If a checkpoint is missing or is one of another game.
    """
    agents: dict[str, Agent] = {}
    for i, agent in enumerate(given):
        name = agent if isinstance(agent, str) else agent.name
        player = agent.noisy if isinstance(agent, NoisyPlayer) else agent
        file = None if files is None else files.get(name)
        if files is None and isinstance(player, CheckpointAgent):
            file = player.path
        if file is not None:
            agents[name] = _load(file, game, name, config, f"{where}.{i}")
        elif isinstance(player, str) and player not in config.learner_names:
            agents[name] = make_agent(player, game, config.seed)
        if isinstance(agent, NoisyPlayer) and name in agents:
            agents[name] = noisy(name, agents[name], agent.epsilon, game, config.seed)
    if "torch" in sys.modules:
        # Forward passes are small: two threads beside a busy neighbour are far slower than one.
        sys.modules["torch"].set_num_threads(1)
    return agents


def _load(file: Path, game: Game, name: str, config: Config, path: str) -> Agent:
    if not file.is_file():
        text = f"{name!r} has no checkpoint {file}; it must be trained first"
        raise ConfigError(config.name, [(path, text)])
    from agents.checkpoints import load_agent  # imports torch

    try:
        agent: Agent = load_agent(file, game, name, config.seed)
    except (LoopEnvsError, ValueError) as error:
        raise ConfigError(config.name, [(path, str(error))]) from None
    return agent


def identities(config: Config, folder: RunFolder) -> dict[str, str]:
    """What each agent of the tournament is: its name, or the hash of its checkpoint; its noise."""
    files = checkpoints(config, folder)
    found: dict[str, str] = {}
    for agent in config.tournament.agents if config.tournament else []:
        name = agent if isinstance(agent, str) else agent.name
        player = agent.noisy if isinstance(agent, NoisyPlayer) else agent
        found[name] = str(player)
        if name in files:
            found[name] = hashlib.sha256(files[name].read_bytes()).hexdigest()
        if isinstance(agent, NoisyPlayer):
            found[name] += f" with noise {agent.epsilon!r}"
    return found
