"""The PPO learner: the masks of choosing and learning are the same, and its ratios exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.learners.network import draw_actions
from agents.learners.ppo import PPOLearner, PPOSettings, evaluate
from agents.learners.samples import Samples, samples_of
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import Trajectories
from loop_envs import load_game
from loop_envs.envs.batch import Batch

SMALL: dict[str, Any] = {
    "num_players": 2,
    "hand_size": 4,
    "deck": {"colours": 2, "values": 4},
    "eight": 3,
}
SETTINGS = PPOSettings(network=(16,), batch_size=64, epochs=2)


def _learner(seed: int = 0, **options: Any) -> PPOLearner:
    return PPOLearner("tested", load_game("loop_boards-v0", **(options or SMALL)), SETTINGS, seed)


def _lot(learner: PPOLearner, plies: int = 60, matches: int = 16) -> Trajectories:
    batch = Batch(learner.game, matches)
    batch.reset(0)
    play = SelfPlay(batch, [learner])
    for _ in range(plies):
        play.play_ply()
    lot: Trajectories = play.take(0)
    return lot


def _samples(learner: PPOLearner) -> Samples:
    return samples_of(_lot(learner), learner.scale, 0.99, 0.95)


def test_log_probabilities_are_those_that_the_update_recomputes() -> None:
    """So the ratio of the first gradient step is 1: the same masks when choosing and learning."""
    learner = _learner()
    samples = _samples(learner)
    with torch.no_grad():
        _, log_prob, _ = learner.policy.evaluate_actions(
            torch.as_tensor(samples.observation),
            torch.as_tensor(samples.action),
            action_masks=torch.as_tensor(samples.action_mask),
        )
    np.testing.assert_allclose(log_prob.numpy(), samples.log_prob, atol=1e-5)


def test_with_one_legal_action_ratio_is_one_and_there_is_nothing_to_learn() -> None:
    learner = _learner()
    lot = _lot(learner)
    columns = lot.columns
    columns["action_mask"][:] = 0
    columns["action_mask"][np.arange(len(lot.links)), columns["action"]] = 1
    logits, _ = evaluate(learner.policy, columns["observation"])
    keys = np.zeros(len(lot.links), np.uint64)
    chosen, columns["log_prob"] = draw_actions(logits, columns["action_mask"], keys)
    assert (chosen == columns["action"]).all()
    assert (columns["log_prob"] == 0).all()
    metrics = learner.update(lot, 0.0)
    assert metrics["entropy_loss"] == 0
    assert metrics["approx_kl"] == 0
    assert metrics["clip_fraction"] == 0
    assert abs(metrics["policy_gradient_loss"]) < 1e-6


def test_masks_withheld_from_the_loss_are_detected() -> None:
    """The check above can fail: without masks the recomputed log-probabilities differ."""
    learner = _learner()
    samples = _samples(learner)
    with torch.no_grad():
        _, log_prob, _ = learner.policy.evaluate_actions(
            torch.as_tensor(samples.observation), torch.as_tensor(samples.action)
        )
    assert np.abs(log_prob.numpy() - samples.log_prob).max() > 0.1
