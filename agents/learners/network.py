"""What the learners' networks share: inputs, bodies, outputs by action, choices, device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from agents.learners.sizes import Sizes, Spaces
from loop_envs.game import Game
from loop_envs.jit import compiled


class ScaledInput(BaseFeaturesExtractor):
    """Divides every entry of an observation by its largest value, so that none passes 1."""

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, int(observation_space.shape[0]))
        high = torch.as_tensor(observation_space.high, dtype=torch.float32)
        self.register_buffer("scale", 1.0 / high.clamp(min=1.0))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32 [k, D] to float32 [k, D]."""
        scale: torch.Tensor = self.scale  # type: ignore[assignment]
        return observations * scale


def observation_space(game: Game) -> spaces.Box:
    """Bounds of a game's observations."""
    return spaces.Box(game.layout.low, game.layout.high, (game.layout.size,), np.int8)


def sb3_spaces(game: Game) -> tuple[spaces.Box, spaces.Discrete]:
    """Observation and action space of a game, as Stable-Baselines3's algorithms take them."""
    return observation_space(game), spaces.Discrete(game.num_actions)


class Combinations(nn.Module):
    """Which combinations of several cards lie in the hand.

    That all cards of a combination are held is a conjunction that a layer has to learn for each
    one by itself, and each is rare. A combination is the set of cards that an action takes out of
    the hand (`Game.action_features`); games whose actions take one card at most have none.

    Args:
        spaces: Whose observations and actions they are.

    Attributes:
        number: Of combinations, C.
    """

    def __init__(self, spaces: Spaces) -> None:
        super().__init__()
        hand = spaces.layout["hand"]
        first = spaces.layout.offsets["hand"]
        game = spaces.games[0] if isinstance(spaces, Sizes) else spaces
        # Behind the cards lie other columns, of what is no card of the observation's.
        columns = min(hand.size, game.rules.action_cards(game).shape[1])
        cards = np.unique(spaces.action_features[:, :columns], axis=0)
        cards = cards[cards.sum(axis=1) > 1]
        self._hand = slice(first, first + columns)
        self.number = len(cards)
        self.register_buffer("cards", torch.tensor(cards.T), persistent=False)
        self.register_buffer("sizes", torch.tensor(cards.sum(axis=1)), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """int8 or float32 [k, D] to float32 [k, C], 1 for those held."""
        cards: torch.Tensor = self.cards  # type: ignore[assignment]
        sizes: torch.Tensor = self.sizes  # type: ignore[assignment]
        held = observations[:, self._hand].float() @ cards
        return (held >= sizes).float()


class Body(nn.Module):
    """Scaled input and hidden layers.

    Args:
        spaces: Whose observations it reads.
        widths: Of the hidden layers.
        views: Number of observations side by side in the input.
        combinations: Whether the input also says which `Combinations` lie in the hand, of every
            observation in its own.
        extra: Length of a further input.
    """

    def __init__(
        self,
        spaces: Spaces,
        widths: Sequence[int],
        views: int = 1,
        combinations: bool = False,
        extra: int = 0,
    ) -> None:
        super().__init__()
        high = torch.as_tensor(spaces.layout.high, dtype=torch.float32)
        self.register_buffer("scale", (1.0 / high.clamp(min=1.0)).repeat(views), persistent=False)
        self.combinations = Combinations(spaces) if combinations else None
        self._length = spaces.layout.size
        layers: list[nn.Module] = []
        size = views * spaces.layout.size + extra
        if self.combinations is not None:
            size += views * self.combinations.number
        for width in widths:
            layer = nn.Linear(size, width)
            nn.init.orthogonal_(layer.weight, math.sqrt(2))
            nn.init.zeros_(layer.bias)
            layers += [layer, nn.ReLU()]
            size = width
        self.layers = nn.Sequential(*layers)
        self.size = size

    def forward(
        self, observations: torch.Tensor, extra: torch.Tensor | None = None
    ) -> torch.Tensor:
        """int8 or float32 [k, views · D], and float32 [k, extra], to float32 [k, size]."""
        scale: torch.Tensor = self.scale  # type: ignore[assignment]
        inputs = [observations * scale]
        if self.combinations is not None:
            held = self.combinations(observations.reshape(-1, self._length))
            inputs.append(held.reshape(len(observations), -1))
        if extra is not None:
            inputs.append(extra)
        hidden: torch.Tensor = self.layers(torch.cat(inputs, dim=1))
        return hidden


class ActionHead(nn.Module):
    """A number for every action: the product of the situation with what the action is.

    The vector of an action is a linear map of its features (`Game.action_features`: which cards
    leave the hand, what kind of action it is), so what is learned about a card helps every
    action with it, plus a vector of its own for all that the features do not say.

    Args:
        spaces: Whose actions they are.
        size: Length of the situation's vector.
        gain: Size of the first outputs.
    """

    def __init__(self, spaces: Spaces, size: int, gain: float = 0.01) -> None:
        super().__init__()
        features = torch.tensor(spaces.action_features)
        self.register_buffer("features", features, persistent=False)
        # A linear layer of orthogonal rows has outputs of about `gain`; so have these.
        spread = gain / math.sqrt(size)
        self.of_features = nn.Parameter(torch.randn(features.shape[1], size) * spread)
        self.own = nn.Parameter(torch.randn(spaces.num_actions, size) * spread)
        self.bias = nn.Parameter(torch.zeros(spaces.num_actions))

    def vectors(self) -> torch.Tensor:
        """The actions' vectors, float32 [A, size]."""
        features: torch.Tensor = self.features  # type: ignore[assignment]
        return features @ self.of_features + self.own

    def forward(self, situation: torch.Tensor) -> torch.Tensor:
        """float32 [k, size] to float32 [k, A]."""
        return torch.addmm(self.bias, situation, self.vectors().T)

    def at(self, situation: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """The numbers of one action each: float32 [k, size] and int64 [k] to float32 [k]."""
        return (situation * self.vectors()[actions]).sum(dim=1) + self.bias[actions]


def pick_device(name: str = "auto") -> torch.device:
    """The named device; "auto" is a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(name)


def masked_log_probs(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Log-probabilities over the legal actions; about -1e8 elsewhere.

    The same arithmetic as sb3-contrib's masked distribution, so that recomputed
    log-probabilities agree with those of the choice.

    Args:
        logits: float32 [k, A].
        mask: bool [k, A], at least one True in every row.
    """
    return torch.log_softmax(torch.where(mask, logits, torch.full_like(logits, -1e8)), dim=-1)


@compiled
def _draw(logits: Any, mask: Any, keys: Any, actions: Any, log_probs: Any) -> None:
    for i in range(logits.shape[0]):
        top = np.float32(-np.inf)
        for a in range(logits.shape[1]):
            if mask[i, a] != 0:
                top = max(top, logits[i, a])
        total = 0.0
        for a in range(logits.shape[1]):
            if mask[i, a] != 0:
                total += math.exp(logits[i, a] - top)
        left = np.float64(keys[i] >> np.uint64(11)) / 2.0**53 * total
        chosen = -1
        for a in range(logits.shape[1]):
            if mask[i, a] != 0:
                chosen = a  # rounding can leave a rest: then it is the last legal one
                left -= math.exp(logits[i, a] - top)
                if left < 0:
                    break
        actions[i] = chosen
        log_probs[i] = logits[i, chosen] - top - math.log(total)


def draw_actions(
    logits: torch.Tensor, mask: npt.NDArray[np.int8], keys: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Draws legal actions, by inverting the distribution function at a number made of each key.

    Args:
        logits: float32 [k, A].
        mask: int8 [k, A], at least one 1 in every row.
        keys: uint64 [k].

    Returns:
        Actions int64 [k] and their log-probabilities float32 [k].
    """
    actions = np.empty(len(mask), np.int64)
    log_probs = np.empty(len(mask), np.float32)
    _draw(logits.detach().cpu().numpy(), mask, keys, actions, log_probs)
    return actions, log_probs


@compiled
def _best(values: Any, mask: Any, keys: Any, epsilon: Any, actions: Any) -> None:
    for i in range(values.shape[0]):
        chosen, best, legal = -1, np.float32(0), 0
        for a in range(values.shape[1]):
            if mask[i, a] != 0:
                legal += 1
                if chosen < 0 or values[i, a] > best:
                    chosen, best = a, values[i, a]
        # The upper half of the key decides whether to explore, the lower half where.
        upper = np.float64(keys[i] >> np.uint64(32)) / 2.0**32
        if upper < epsilon:
            nth = ((keys[i] & np.uint64(0xFFFFFFFF)) * np.uint64(legal)) >> np.uint64(32)
            for a in range(values.shape[1]):
                if mask[i, a] != 0:
                    if nth == 0:
                        chosen = a
                        break
                    nth -= np.uint64(1)
        actions[i] = chosen


def best_actions(
    values: torch.Tensor,
    mask: npt.NDArray[np.int8],
    keys: npt.NDArray[np.uint64] | None = None,
    epsilon: float = 0.0,
) -> npt.NDArray[np.int64]:
    """The legal actions of the highest values, or now and then any legal one.

    Args:
        values: float32 [k, A].
        mask: int8 [k, A], at least one 1 in every row.
        keys: uint64 [k], needed where `epsilon` is not 0.
        epsilon: Share of decisions in which every legal action is as likely as the others.

    Returns:
        int64 [k].
    """
    actions = np.empty(len(mask), np.int64)
    if keys is None:
        keys = np.zeros(len(mask), np.uint64)
    _best(values.detach().cpu().numpy(), mask, keys, float(epsilon), actions)
    return actions
