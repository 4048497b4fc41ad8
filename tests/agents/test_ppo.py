"""The PPO learner: masks everywhere, exact ratios, honest checkpoints."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.base import Agent, Decisions
from agents.checkpoints import CheckpointError, load_agent, save
from agents.learners.network import choose_by_keys, masked_log_probs
from agents.learners.ppo import PPOLearner, PPOSettings, evaluate
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import Samples
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


def _samples(learner: PPOLearner, plies: int = 60, matches: int = 16) -> Samples:
    batch = Batch(learner.game, matches)
    batch.reset(0)
    play = SelfPlay(batch, [learner])
    for _ in range(plies):
        play.play_ply()
    return play.stores[0].take(0.99, 0.95)


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
    samples = _samples(learner)
    samples.action_mask[:] = 0
    samples.action_mask[np.arange(len(samples)), samples.action] = 1
    log_probs, _, _ = evaluate(learner.policy, samples.observation, samples.action_mask)
    samples.log_prob[:] = log_probs[torch.arange(len(samples)), torch.as_tensor(samples.action)]
    assert (samples.log_prob == 0).all()
    metrics = learner.update(samples, 0.0)
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


def test_choices_are_legal_and_follow_the_probabilities() -> None:
    rng = np.random.default_rng(0)
    k, size = 40_000, 7
    mask = torch.zeros(k, size, dtype=torch.bool)
    mask[:, [1, 2, 5]] = True
    logits = torch.tensor([9.0, 1.0, 0.0, 9.0, 9.0, -1.0, 9.0]).repeat(k, 1)
    log_probs = masked_log_probs(logits, mask)
    keys = rng.integers(0, 2**64, k, dtype=np.uint64)
    chosen = choose_by_keys(log_probs, mask, keys).numpy()
    counts = np.bincount(chosen, minlength=size)
    assert counts[[0, 3, 4, 6]].sum() == 0
    expected = log_probs[0].exp().numpy() * k
    legal = [1, 2, 5]
    chi2 = ((counts[legal] - expected[legal]) ** 2 / expected[legal]).sum()
    assert chi2 < 18.4  # 2 degrees of freedom, p = 1e-4
    extreme = np.array([0, 2**64 - 1], np.uint64)
    assert choose_by_keys(log_probs[:2], mask[:2], extreme).tolist() == [1, 5]


def test_agents_refuse_an_empty_mask(tmp_path: Path) -> None:
    learner = _learner()
    save(tmp_path / "a.zip", "ppo", learner.game, learner.frozen())
    agent = load_agent(tmp_path / "a.zip", learner.game)
    batch = Batch(learner.game, 3)
    batch.reset(0)
    decisions = Decisions.of(batch, np.arange(3))
    decisions.action_mask[1] = 0
    with pytest.raises(ValueError, match="no legal action in row 1"):
        agent.act(decisions)


@pytest.mark.parametrize("sample", [False, True])
def test_a_choice_does_not_depend_on_who_else_is_asked(tmp_path: Path, sample: bool) -> None:
    learner = _learner()
    save(tmp_path / "a.zip", "ppo", learner.game, learner.frozen())
    agent = load_agent(tmp_path / "a.zip", learner.game, sample=sample)
    batch = Batch(learner.game, 600)
    batch.reset(0)
    batch.run(9)
    whole = agent.act(Decisions.of(batch, np.arange(600)))
    assert batch.action_mask[np.arange(600), whole].all()
    order = np.random.default_rng(0).permutation(600)
    for rows in np.array_split(order, 11):
        assert (agent.act(Decisions.of(batch, rows)) == whole[rows]).all()


def test_checkpoints_refuse_what_they_were_not_made_for(tmp_path: Path) -> None:
    learner = _learner()
    path = tmp_path / "a.zip"
    save(path, "ppo", learner.game, learner.frozen(), samples=3)
    other = load_game("loop_boards-v0", **SMALL, run_wrap=True)
    with pytest.raises(CheckpointError, match=r"options: made for .* asked for") as refused:
        load_agent(path, other)
    assert "num_actions: made for" in str(refused.value)
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        load_agent(tmp_path / "b.zip", learner.game)
    (tmp_path / "c.zip").write_bytes(b"not a checkpoint")
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        load_agent(tmp_path / "c.zip", learner.game)
    save(path, "abc", learner.game, learner.frozen())
    with pytest.raises(CheckpointError, match="kind 'abc', known: ppo"):
        load_agent(path, learner.game)


def _hash(agent: Agent) -> str:
    weights: dict[str, torch.Tensor] = agent.network.state_dict()  # type: ignore[attr-defined]
    return hashlib.sha256(b"".join(w.numpy().tobytes() for w in weights.values())).hexdigest()


def test_frozen_players_are_copies(tmp_path: Path) -> None:
    learner = _learner()
    path = tmp_path / "a.zip"
    save(path, "ppo", learner.game, learner.frozen())
    frozen = load_agent(path, learner.game)
    before = _hash(frozen)
    learner.update(_samples(learner), 0.0)
    assert _hash(frozen) == before == _hash(load_agent(path, learner.game))
    save(path, "ppo", learner.game, learner.frozen())
    assert _hash(load_agent(path, learner.game)) != before


def test_state_round_trip_learns_the_same() -> None:
    one, other = _learner(1), _learner(2)
    samples = _samples(one)
    one.update(samples, 0.0)
    other.set_state(one.get_state())
    for learner in (one, other):
        learner.update(samples, 0.5)
    for a, b in zip(one.policy.parameters(), other.policy.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_learner_learns() -> None:
    """A minute game: after some updates the learner beats its first self."""
    game = load_game("loop_boards-v0", **SMALL)
    settings = PPOSettings(network=(64,), learning_rate=1e-3, batch_size=512, epochs=4)
    learner, first = (PPOLearner(name, game, settings, 3) for name in ("new", "old"))
    batch = Batch(game, 64)
    batch.reset(0)
    play = SelfPlay(batch, [learner])
    for _ in range(8):
        while len(play.stores[0]) < 2048:
            play.play_ply()
        learner.update(play.stores[0].take(1.0, 0.95), 0.0)
    batch.reset(1)
    judged = SelfPlay(batch, [learner, first])
    for _ in range(600):
        judged.play_ply()
    margins = np.array(judged.take_margins()[0])
    error = margins.std(ddof=1) / np.sqrt(len(margins))
    assert len(margins) > 300
    assert margins.mean() > 3 * error
