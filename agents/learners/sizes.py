"""One game in several numbers of players, with observations and actions in common.

A network that shall play all sizes needs inputs and outputs that do not depend on the size:

* Every field of an observation is as long in each direction as the longest of its name; a smaller
  game's values lie at the leading corner, zeros behind them. (Places at the table are counted
  from the observer on, so the leading entries mean the same in every size.) One more field says
  how many play.
* Actions are the same where their features are (`Game.action_features`: cards that leave the hand,
  kind): what is learned about an action in one size helps in all.

Learners and their opponents live in these common spaces; matches are translated at the border.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from agents.base import Agent, Decisions
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game
from loop_envs.layout import Field, Layout


class SizesError(LoopEnvsError, ValueError):
    """Games that have no spaces in common."""


class Sizes:
    """The spaces that some games have in common; networks take it in a game's place.

    Args:
        games: The same game under the same options with different numbers of players.

    Attributes:
        games: As given.
        layout: Fields of an observation.
        num_players: The largest number of players.
        num_actions: Number of different actions.
        action_features: What each is, float32 [A, F].
        views: For each game how it lies in these spaces.

    Raises:
        SizesError: If they are no such games.
    """

    def __init__(self, games: Sequence[Game]) -> None:
        self.games = tuple(games)
        numbers = [game.num_players for game in games]
        if len({game.env_id for game in games}) != 1 or len(set(numbers)) != len(numbers):
            raise SizesError(f"not one game in different numbers of players: {list(games)}")
        self.layout = Layout(_fields(self.games))
        self.num_players = max(numbers)
        self.action_features, actions = _actions(self.games)
        self.num_actions = len(self.action_features)
        self.views = tuple(
            View(self, game, number, _entries(self.layout, game), actions[number])
            for number, game in enumerate(self.games)
        )

    def view(self, game: Game) -> View:
        """How a game of one of the sizes lies in these spaces."""
        return next(view for view in self.views if view.game.num_players == game.num_players)

    def view_of(self, decisions: Decisions) -> View:
        """The game that decisions in these spaces are of; those asked at once are of one game."""
        if len(self.games) == 1:
            return self.views[0]
        first = self.layout.offsets["num_players"]
        return self.views[int(decisions.observation[0, first:].argmax())]


Spaces = Game | Sizes
"""What networks are made for: one game, or several sizes of it."""


@dataclass(frozen=True, eq=False)
class View:
    """How one game lies in the common spaces.

    Attributes:
        sizes: The common spaces.
        game: The game.
        number: Of the game in `sizes.games`.
        entries: Where each entry of its observations lies, int64 [D_g].
        actions: Which action each of its actions is, int64 [A_g].
    """

    sizes: Sizes
    game: Game
    number: int
    entries: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        own = np.full(self.sizes.num_actions, -1, np.int64)
        own[self.actions] = np.arange(len(self.actions))
        object.__setattr__(self, "_own", own)

    def own_actions(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The game's numbers of some actions, int64 [k]; -1 for those that it does not have."""
        own: npt.NDArray[np.int64] = self._own  # type: ignore[attr-defined]
        return own[actions]

    def pad(self, observation: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Observations of the game, int8 [..., D_g], in the common fields, int8 [..., D]."""
        out = np.zeros((*observation.shape[:-1], self.sizes.layout.size), np.int8)
        out[..., self.entries] = observation
        if len(self.sizes.games) > 1:
            out[..., self.sizes.layout.offsets["num_players"] + self.number] = 1
        return out

    def widen(self, decisions: Decisions) -> Decisions:
        """Decisions of the game in the common spaces; players that it lacks see nothing."""
        k = len(decisions)
        mask = np.zeros((k, self.sizes.num_actions), np.int8)
        mask[:, self.actions] = decisions.action_mask
        state = decisions.state
        if state is not None:
            n, most = self.game.num_players, self.sizes.num_players
            seen = self.pad(state.reshape(k, n, -1))
            state = np.pad(seen, ((0, 0), (0, most - n), (0, 0))).reshape(k, -1)
        padded = self.pad(decisions.observation)
        return replace(decisions, observation=padded, action_mask=mask, state=state)

    def narrow(self, decisions: Decisions) -> Decisions:
        """Decisions in the common spaces as the game shows them to its players."""
        observation = np.ascontiguousarray(decisions.observation[:, self.entries])
        mask = np.ascontiguousarray(decisions.action_mask[:, self.actions])
        return replace(decisions, observation=observation, action_mask=mask, state=None)


class EachSize(Agent):
    """A player in the common spaces that is another agent in each size.

    Args:
        sizes: The common spaces.
        agents: For each game its agent.
    """

    def __init__(self, sizes: Sizes, agents: Sequence[Agent]) -> None:
        self.name = agents[0].name
        self._sizes, self._agents = sizes, agents

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        view = self._sizes.view_of(decisions)
        return view.actions[self._agents[view.number].act(view.narrow(decisions))]


class OneSize(Agent):
    """A player in the common spaces at tables of one of the games.

    Args:
        view: Of the game.
        agent: The player.
    """

    def __init__(self, view: View, agent: Agent) -> None:
        self.name = agent.name
        self._view, self._agent = view, agent

    def _act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        return self._view.own_actions(self._agent.act(self._view.widen(decisions)))


def for_each_size(spaces: Spaces, make: Callable[[Game], Agent]) -> Agent:
    """An agent that is made for one game as a player in some spaces."""
    if isinstance(spaces, Sizes):
        return EachSize(spaces, [make(game) for game in spaces.games])
    return make(spaces)


def for_one_size(spaces: Spaces, agent: Agent, game: Game) -> Agent:
    """A player in some spaces as an agent for one game."""
    return OneSize(spaces.view(game), agent) if isinstance(spaces, Sizes) else agent


def _fields(games: Sequence[Game]) -> list[Field]:
    found: dict[str, list[Field]] = {}
    for game in games:
        for field in game.layout:
            found.setdefault(field.name, []).append(field)
    fields = []
    for name, same in found.items():
        shapes = [field.shape for field in same]
        if len({len(shape) for shape in shapes}) > 1:
            raise SizesError(f"{games[0].env_id}: the field {name!r} has the shapes {shapes}")
        fields.append(
            replace(
                same[0],
                shape=tuple(max(lengths) for lengths in zip(*shapes, strict=True)),
                high=max(field.high for field in same),
                low=min(field.low for field in same),
            )
        )
    if len(games) > 1:
        numbers = ", ".join(str(game.num_players) for game in games)
        fields.append(Field("num_players", (len(games),), 1, f"number of players, of {numbers}"))
    return fields


def _entries(layout: Layout, game: Game) -> npt.NDArray[np.int64]:
    """Where each entry of a game's observations lies in the padded fields, int64 [D_g]."""
    parts = []
    for field in game.layout:
        padded = layout[field.name]
        places = layout.offsets[field.name] + np.arange(padded.size).reshape(padded.shape)
        parts.append(places[tuple(slice(length) for length in field.shape)].reshape(-1))
    return np.concatenate(parts)


def _actions(
    games: Sequence[Game],
) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.int64]]]:
    """Features of all different actions, float32 [A, F], and for each game which its are."""
    kinds = [[name for name, *_ in game.rules.action_groups(game)] for game in games]
    columns = list(dict.fromkeys(name for names in kinds for name in names))
    # Before the kinds: the cards, and their number divided by the largest one.
    cards = [game.action_features[:, : -1 - len(k)] for game, k in zip(games, kinds, strict=True)]
    widths = [part.shape[1] for part in cards]
    if len(set(widths)) > 1:
        raise SizesError(f"{games[0].env_id}: actions are described by {widths} card columns")
    most = max(float(part.sum(axis=1).max()) for part in cards)
    numbers: dict[bytes, int] = {}
    features, actions = [], []
    for game, names, part in zip(games, kinds, cards, strict=True):
        rows = np.zeros((game.num_actions, widths[0] + 1 + len(columns)), np.float32)
        rows[:, : widths[0]] = part
        rows[:, widths[0]] = part.sum(axis=1) / np.float32(max(most, 1))
        places = [widths[0] + 1 + columns.index(name) for name in names]
        rows[:, places] = game.action_features[:, -len(names) :]
        before = len(numbers)
        own = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
        if len(set(own)) < len(own):
            raise SizesError(f"{game!r}: features do not tell all actions apart")
        actions.append(np.array(own, np.int64))
        features.append(rows[actions[-1] >= before])
    return np.concatenate(features), actions
