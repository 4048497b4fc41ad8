"""Checks of a fairness study: what is right by itself but impossible together."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.config_errors import near
from experiments.config_fairness import FairnessConfig, name_of
from experiments.config_sizes import Problem
from experiments.config_tournament import TournamentAgent
from experiments.config_tournament_checks import checkpoint_problems, twice, with_absolute_paths
from experiments.config_values import CheckpointAgent, NoisyPlayer
from loop_envs.game import Game


def fairness_problems(
    fairness: FairnessConfig | None, known: Sequence[str], games: Sequence[Game]
) -> list[Problem]:
    """Everything that is wrong with a study.

    Args:
        fairness: The study, if there is one.
        known: Names of the game's agents.
        games: The game; several sizes are refused elsewhere.
    """
    if fairness is None or len(games) != 1:
        return []
    problems: list[Problem] = []
    for part, agents in (("ladder", fairness.ladder), ("others", fairness.others)):
        for i, agent in enumerate(agents):
            problems += _agent(agent, f"fairness.{part}.{i}", part, known)
    for name in twice(name_of(agent) for agent in fairness.all_agents):
        problems.append(("fairness", f"{name!r} is there twice, allowed: unique names"))
    needed = max(3, games[0].num_players)
    if len(fairness.ladder) < needed:
        text = f"got {len(fairness.ladder)} agents, allowed: at least {needed}, one for each seat"
        problems.append(("fairness.ladder", text))
    return problems


def _agent(agent: TournamentAgent, path: str, part: str, known: Sequence[str]) -> list[Problem]:
    noisy = isinstance(agent, NoisyPlayer)
    player = agent.noisy if isinstance(agent, NoisyPlayer) else agent
    where = f"{path}.noisy" if noisy else path
    if isinstance(player, CheckpointAgent):
        if part == "ladder":  # it is played far too often for networks
            return [(where, "got a checkpoint, allowed: named agents; 'others' takes checkpoints")]
        return checkpoint_problems(player, where)
    if player not in known:
        text = f"no agent {player!r}{near(player, known) or '.'} Agents: {', '.join(known)}"
        return [(where, text)]
    if noisy and name_of(agent) in known:
        text = f"got {name_of(agent)!r}, allowed: a name that no agent has"
        return [(f"{path}.name", text)]
    return []


def absolute(fairness: FairnessConfig | None) -> FairnessConfig | None:
    """The study with paths that still hold when the run is resumed from elsewhere."""
    return fairness and fairness.model_copy(update={"others": with_absolute_paths(fairness.others)})
