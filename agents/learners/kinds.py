"""The kinds of learners: what makes them, and what plays their checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agents.learners.base import Learner
from agents.learners.dmc import DMCAgent, DMCLearner, DMCSettings
from agents.learners.dqn import DQNAgent, DQNLearner, DQNSettings
from agents.learners.frozen import NetworkAgent
from agents.learners.ppo import PPOAgent, PPOLearner, PPOSettings
from agents.learners.ppo_all import PPOAllAgent, PPOAllLearner, PPOAllSettings
from agents.learners.sizes import Spaces


class Kind(NamedTuple):
    """What belongs to a kind of learner.

    Attributes:
        learner: ``(name, game or sizes, settings, seed, device)``.
        settings: Dataclass of its hyper-parameters.
        agent: The frozen player.
    """

    learner: Callable[..., Learner]
    settings: type[Any]
    agent: type[NetworkAgent]


KINDS = {
    "ppo": Kind(PPOLearner, PPOSettings, PPOAgent),
    "ppo_all": Kind(PPOAllLearner, PPOAllSettings, PPOAllAgent),
    "dmc": Kind(DMCLearner, DMCSettings, DMCAgent),
    "dqn": Kind(DQNLearner, DQNSettings, DQNAgent),
}


def make_frozen(
    kind: str,
    name: str,
    spaces: Spaces,
    frozen: dict[str, Any],
    seed: int = 0,
    sample: bool = False,
) -> NetworkAgent:
    """A frozen player of a kind, see `NetworkAgent`."""
    return KINDS[kind].agent(name, spaces, frozen, seed, sample)
