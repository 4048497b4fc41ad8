"""Checks of a tournament: what is right by itself but impossible together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from agents import zoo
from experiments.config import Config
from experiments.config_errors import near
from experiments.config_sizes import Problem
from experiments.config_tournament import (
    Movement,
    StopConfig,
    TournamentAgent,
    TournamentConfig,
)
from experiments.config_values import ZOO, CheckpointAgent, NoisyPlayer
from experiments.schedule import make_movement, pairs_on_every_board, schedule
from experiments.stopping import StoppingRule, compared_pairs
from loop_envs.game import Game


def tournament_problems(config: Config, known: list[str], games: list[Game]) -> list[Problem]:
    """Everything that is wrong with a tournament.

    Args:
        config: A configuration whose values are right one by one.
        known: Names of the game's agents.
        games: The game, or the game in several sizes, which is refused elsewhere.
    """
    t = config.tournament
    if t is None:
        return []
    problems = _agents(config, t, known, games[0].env_id)
    return problems + (_tables(config, t, games[0]) if len(games) == 1 else [])


def twice(names: Iterable[str]) -> list[str]:
    """Names that appear more than once; file systems may not tell upper from lower case."""
    names = list(names)
    counts = Counter(name.casefold() for name in names)
    return [name for name in dict.fromkeys(names) if counts[name.casefold()] > 1]


def checkpoint_problems(agent: CheckpointAgent, path: str) -> list[Problem]:
    """What is wrong with a checkpoint's path."""
    given = agent.checkpoint
    if given.startswith(ZOO):
        try:
            zoo.entry(given.removeprefix(ZOO)).verify()
        except zoo.ZooError as error:
            return [(f"{path}.checkpoint", str(error))]
    elif not Path(given).is_file():
        text = f"got {given!r}, allowed: a file that exists, or {ZOO}NAME of a trained player"
        return [(f"{path}.checkpoint", text)]
    return []


def with_absolute_path(agent: CheckpointAgent) -> CheckpointAgent:
    """The same checkpoint, by a path that still holds elsewhere."""
    if agent.checkpoint.startswith(ZOO):
        return agent  # says who it is, wherever the repository lies
    return agent.model_copy(update={"checkpoint": str(Path(agent.checkpoint).resolve())})


def with_absolute_paths(agents: Iterable[TournamentAgent]) -> list[TournamentAgent]:
    """Agents with paths that still hold when the run is resumed from elsewhere."""
    found: list[TournamentAgent] = []
    for agent in agents:
        if isinstance(agent, NoisyPlayer) and isinstance(agent.noisy, CheckpointAgent):
            agent = agent.model_copy(update={"noisy": with_absolute_path(agent.noisy)})
        found.append(with_absolute_path(agent) if isinstance(agent, CheckpointAgent) else agent)
    return found


def absolute(t: TournamentConfig | None) -> TournamentConfig | None:
    """The tournament with absolute paths."""
    return t and t.model_copy(update={"agents": with_absolute_paths(t.agents)})


def _agents(config: Config, t: TournamentConfig, known: list[str], env_id: str) -> list[Problem]:
    problems: list[Problem] = []
    learners = config.learner_names
    for i, (agent, player) in enumerate(zip(t.agents, t.players, strict=True)):
        path = f"tournament.agents.{i}"
        if not isinstance(agent, str) and agent.name in [*known, *learners]:
            text = f"got {agent.name!r}, allowed: a name that no agent or learner has"
            problems.append((f"{path}.name", text))
        inner = f"{path}.noisy" if isinstance(agent, NoisyPlayer) else path
        if isinstance(player, CheckpointAgent):
            problems += checkpoint_problems(player, inner)
        elif player not in known and player not in learners:
            own = f"learners: {', '.join(learners)}" if learners else "no learners without 'train'"
            hint = near(player, [*known, *learners]) or "."
            text = f"no agent {player!r} for {env_id}{hint}"
            problems.append((inner, f"{text} Agents: {', '.join(known)}; {own}"))
    for name in twice(t.agent_names):
        problems.append(("tournament.agents", f"{name!r} is there twice, allowed: unique names"))
    if len(t.agents) < 2:
        text = f"got {len(t.agents)}, allowed: at least 2 agents"
        problems.append(("tournament.agents", text))
    return problems


def _tables(config: Config, t: TournamentConfig, game: Game) -> list[Problem]:
    """Movement, line-ups, and what depends on who meets whom."""
    names, n = t.agent_names, game.num_players
    if len(names) < 2 or len(set(names)) < len(names):
        return []
    if t.movement != "lineups" and t.lineups != "all":
        text = f'got {t.lineups!r}, allowed: "all", since movement {t.movement} seats all agents'
        return [("tournament.lineups", text)]
    try:
        parts = schedule(t, n, config.seed)
    except ValueError as error:
        if t.movement == "lineups":
            return [("tournament.lineups", str(error))]
        text = f"got {t.movement!r}: {error}; allowed with {len(names)} agents in {n} seats: "
        return [("tournament.movement", text + ", ".join(_possible(names, n, config.seed)))]
    problems: list[Problem] = []
    needed = len(parts[0].tables)
    if t.boards < needed and t.movement != "latin":
        text = f"got {t.boards}, allowed: at least {needed}, the boards of a whole {t.movement}"
        problems.append(("tournament.boards", f"{text} movement of {len(names)} agents"))
    if t.stop is not None:
        problems += _stop(t, t.stop, pairs_on_every_board(parts))
    return problems


def _possible(names: list[str], n: int, seed: int) -> list[str]:
    found = ["lineups"]
    for movement in get_args(Movement)[1:]:
        try:
            make_movement(movement, names, n, seed)
        except ValueError:
            continue
        found.append(movement)
    return found


def _stop(t: TournamentConfig, stop: StopConfig, meeting: set[frozenset[str]]) -> list[Problem]:
    problems: list[Problem] = []
    names = t.agent_names
    pairs = compared_pairs(t, stop)
    unknown = [name for pair in pairs for name in pair if name not in names]
    if unknown:
        text = f"no agent {unknown[0]!r} takes part{near(unknown[0], names) or '.'}"
        problems.append(("tournament.stop.pairs", f"{text} Agents: {', '.join(names)}"))
    elif any(a == b for a, b in pairs) or len({frozenset(pair) for pair in pairs}) < len(pairs):
        text = f"got {stop.pairs}, allowed: pairs of two different agents, each pair once"
        problems.append(("tournament.stop.pairs", text))
    else:
        apart = [pair for pair in pairs if frozenset(pair) not in meeting]
        if apart:
            text = (
                f"{apart[0][0]!r} and {apart[0][1]!r} do not meet on every board, allowed: pairs "
                "that do; line-ups or movements with all agents on every board make them"
            )
            problems.append(("tournament.stop.pairs", text))
    given = stop.looks if isinstance(stop.looks, list) else []
    if given and given[-1] > t.boards:
        text = f"got {given}, allowed: numbers up to boards = {t.boards}"
        return [*problems, ("tournament.stop.looks", text)]
    try:
        StoppingRule(t)
    except ValueError as error:
        problems.append(("tournament.stop.looks", str(error).removeprefix("looks: ")))
    return problems
