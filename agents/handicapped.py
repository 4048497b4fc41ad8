"""Agents that are kept from knowing something, or from doing something."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from agents.base import Agent, CompiledAgent, Decisions
from loop_envs.game import Game
from loop_envs.handicap import handicap_rows, handicap_spans, with_handicap


class HandicappedAgent(Agent):
    """An agent that sees some fields as zeros, or keeps from some actions. Made with
    `handicapped`.

    What critics may know, `Decisions.state`, is kept from the inner agent altogether where a
    field is hidden.

    Args:
        name: Name in tables.
        inner: The inner agent.
        game: The game to be played.
        hide: See `handicapped`.
        never: See `handicapped`.
    """

    def __init__(
        self,
        name: str,
        inner: Agent,
        game: Game,
        hide: Collection[str] = (),
        never: Collection[str] = (),
    ) -> None:
        self.name = name
        self.inner = inner
        self._spans = handicap_spans(game, hide, never)
        self._hides = len(hide) > 0

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        seen, allowed = handicap_rows(self._spans, decisions.observation, decisions.action_mask)
        state = None if self._hides else decisions.state
        return self.inner.act(
            replace(decisions, observation=seen, action_mask=allowed, state=state)
        )


def handicapped(
    name: str,
    inner: Agent,
    game: Game,
    hide: Collection[str] = (),
    never: Collection[str] = (),
) -> Agent:
    """An agent that lacks some knowledge, or some actions, and else plays as another agent.

    Args:
        name: Name in tables.
        inner: The other agent; where it has a compiled policy, the handicapped one has one too.
        game: The game to be played.
        hide: Names of fields of the observation, see `game.layout`, that it sees as zeros.
        never: Names of groups of actions, see `Rules.action_groups`, that it takes only where
            nothing else is legal.

    Raises:
        ValueError: If the game has no such field or group.
    """
    if inner.policy is None:
        return HandicappedAgent(name, inner, game, hide, never)
    handicap_spans(game, hide, never)  # refuses unknown names
    return CompiledAgent(game, with_handicap(inner.policy, hide, never, name))
