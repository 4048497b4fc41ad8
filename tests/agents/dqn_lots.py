"""What the tests of DQN share: small learners, and lots of decisions to learn from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from agents.learners.dqn import DQNLearner, DQNSettings
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import PENDING, Columns, Trajectories
from loop_envs import load_game
from loop_envs.envs.batch import Batch

SMALL: dict[str, Any] = {
    "num_players": 2,
    "hand_size": 4,
    "deck": {"colours": 2, "values": 4},
    "eight": 3,
}
SETTINGS = DQNSettings(network=(16,), batch_size=64, buffer_size=500, target_update_interval=7)


def make_learner(seed: int = 0, **changes: Any) -> DQNLearner:
    game = load_game("loop_boards-v0", **SMALL)
    return DQNLearner("tested", game, replace(SETTINGS, **changes), seed)


def self_play(learner: DQNLearner, matches: int = 16) -> SelfPlay:
    batch = Batch(learner.game, matches)
    batch.reset(0)
    return SelfPlay(batch, [learner])


def take_lot(play: SelfPlay, plies: int = 60) -> Trajectories:
    for _ in range(plies):
        play.play_ply()
    lot: Trajectories = play.take(0)
    return lot


def transitions(learner: DQNLearner, rewards: list[float], links: list[int]) -> Trajectories:
    """One stream of decisions, in each of which action 0 is taken and all are legal."""
    n, size = len(rewards), learner.game.num_actions
    columns: Columns = {
        "observation": np.ones((n, learner.game.layout.size), np.int8),
        "action_mask": np.ones((n, size), np.int8),
        "action": np.zeros(n, np.int64),
    }
    known = np.array(links)
    return Trajectories(columns, np.array(rewards, np.float32), known, known != PENDING)
