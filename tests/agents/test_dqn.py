"""The DQN learner: maxima over legal actions only, ε-steps, the same after a resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.base import Decisions
from agents.checkpoints import load_agent, save
from agents.learners.dqn import DQNLearner, DQNSettings
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import ENDED, PENDING, Trajectories
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from tests.agents.dqn_lots import SMALL, make_learner, self_play, take_lot, transitions


def _constant(network: Any, values: dict[int, float]) -> None:
    """Makes a Q-network say the same everywhere: the given values, 0 for other actions."""
    with torch.no_grad():
        network.q_net[-1].weight.zero_()
        network.q_net[-1].bias.zero_()
        for action, value in values.items():
            network.q_net[-1].bias[action] = value


def _masked(learner: DQNLearner, legal: list[int]) -> Trajectories:
    """A decision that earns 0.5, followed by one with few legal actions that ends with 2."""
    lot = transitions(learner, [0.5, 2.0], [1, ENDED])
    lot.columns["action_mask"][1] = 0
    lot.columns["action_mask"][1, legal] = 1
    return lot


def test_targets_ignore_illegal_next_actions() -> None:
    """Action 3 is worth a million next, and not legal; 1 is the best of what is."""
    learner = make_learner(gamma=0.9, reward_scale=1.0)
    for network in (learner.policy.q_net, learner.policy.q_net_target):
        _constant(network, {1: 4.0, 2: -1.0, 3: 1e6})
    learner.buffer.extend(_masked(learner, [1, 2]))
    targets = learner.algorithm.targets(learner.buffer.sample(200)).numpy()
    assert set(np.round(targets, 4).tolist()) == {np.float32(0.5 + 0.9 * 4.0), 2.0}
    # Where all are legal, the million counts: so the check above can fail.
    learner.buffer.reset()
    learner.buffer.extend(_masked(learner, list(range(learner.game.num_actions))))
    assert learner.algorithm.targets(learner.buffer.sample(200)).max() > 1e5


def test_targets_are_double() -> None:
    """The network chooses, among what is legal, and the target network says what it is worth."""
    learner = make_learner(gamma=0.9, reward_scale=2.0)
    _constant(learner.policy.q_net, {1: 4.0, 2: 3.0, 3: 9.0})
    _constant(learner.policy.q_net_target, {1: -5.0, 2: 7.0, 3: 8.0})
    learner.buffer.extend(_masked(learner, [1, 2]))
    learner.buffer.reward_scale = learner.scale.scale
    targets = learner.algorithm.targets(learner.buffer.sample(200)).numpy()
    np.testing.assert_allclose(np.unique(targets), [0.25 + 0.9 * -5.0, 1.0], rtol=1e-6)


def test_with_one_legal_action_everywhere_a_step_stays_finite() -> None:
    learner = make_learner()
    lot = take_lot(self_play(learner))
    lot.columns["action_mask"][:] = 0
    lot.columns["action_mask"][np.arange(len(lot.links)), lot.columns["action"]] = 1
    metrics = learner.update(lot, 0.0)
    assert np.isfinite(list(metrics.values())).all()
    assert all(torch.isfinite(weights).all() for weights in learner.module.parameters())


def test_equal_targets_leave_nothing_to_explain() -> None:
    learner = make_learner()
    metrics = learner.update(transitions(learner, [1.0, 1.0], [ENDED, ENDED]), 0.0)
    assert metrics["explained_variance"] == 0


def test_rewards_are_learned_in_units_of_the_spread_of_returns() -> None:
    """Those from before the spread was known too."""
    learner = make_learner(gamma=1.0)
    learner.update(transitions(learner, [2.0, 2.0], [1, PENDING]), 0.0)
    assert set(learner.buffer.sample(50).rewards.tolist()) == {2.0}
    metrics = learner.update(transitions(learner, [3.0, 5.0], [ENDED, ENDED]), 0.0)
    assert metrics["reward_scale"] == pytest.approx(17**0.5)  # root of the mean of 9 and 25
    rewards = np.unique(learner.buffer.sample(200).rewards.numpy())
    np.testing.assert_allclose(rewards, np.array([2, 3, 5]) / 17**0.5, rtol=1e-6)


def _asked(learner: DQNLearner, legal: list[int], k: int) -> Decisions:
    rng = np.random.default_rng(0)
    mask = np.zeros((k, learner.game.num_actions), np.int8)
    mask[:, legal] = 1
    return Decisions(
        np.ones((k, learner.game.layout.size), np.int8),
        mask,
        np.zeros(k, np.int8),
        np.arange(k),
        np.zeros(k, np.int32),
        rng.integers(0, 2**64, k, dtype=np.uint64),
    )


def test_random_steps_are_legal_and_uniform() -> None:
    """Half way from ε = 1 to 0.2 they are 60 % of all; the others take the best legal action."""
    learner = make_learner(epsilon=1.0, epsilon_end=0.2)
    legal, k = [0, 2, 5, 6], 40_000
    _constant(learner.policy.q_net, {2: 1.0, 3: 1e6})
    for progress, epsilon in ((0.0, 1.0), (0.5, 0.6), (1.0, 0.2)):
        chosen, _ = learner.choose(_asked(learner, legal, k), progress)
        counts = np.bincount(chosen, minlength=learner.game.num_actions)
        assert counts[legal].sum() == k
        expected = np.full(4, epsilon / 4 * k)
        expected[1] += (1 - epsilon) * k
        chi2 = ((counts[legal] - expected) ** 2 / expected).sum()
        assert chi2 < 21.1  # 3 degrees of freedom, p = 1e-4


def test_prediction_without_masks_is_refused() -> None:
    with pytest.raises(TypeError, match="knows no masks"):
        make_learner().algorithm.predict(np.zeros(3))


def test_gradient_steps_follow_the_new_decisions_and_move_the_target() -> None:
    learner = make_learner(replays=2.0, target_update_interval=1000)
    play = self_play(learner)
    before = [w.clone() for w in learner.policy.q_net_target.parameters()]
    lots = [take_lot(play, 40) for _ in range(2)]
    for lot in lots:
        learner.update(lot, 0.0)
    steps = sum(round(2.0 * lot.num_ready / 64) for lot in lots)
    assert learner.algorithm._n_updates == steps > 20
    assert learner.samples == sum(lot.num_ready for lot in lots)
    target = list(learner.policy.q_net_target.parameters())
    assert all(torch.equal(*pair) for pair in zip(before, target, strict=True))
    learner.algorithm.target_update_interval = 1
    learner.update(take_lot(play, 40), 0.0)
    present = list(learner.policy.q_net.parameters())
    assert all(torch.equal(*pair) for pair in zip(present, target, strict=True))


def test_state_round_trip_learns_the_same(tmp_path: Path) -> None:
    """Through a file, with a buffer that has come round once, and on to further lots."""
    one, other = make_learner(1), make_learner(2)
    play = self_play(one)
    for _ in range(3):
        one.update(take_lot(play, 20), 0.0)
    assert one.buffer.full
    assert one.buffer.pos > 0
    torch.save(one.get_state(), tmp_path / "state.pt")
    other.set_state(torch.load(tmp_path / "state.pt", weights_only=True))
    torch.manual_seed(9)
    np.random.seed(9)  # noqa: NPY002 - which nothing may depend on
    for progress in (0.3, 0.6):
        lot = take_lot(play, 10)
        assert one.update(lot, progress) == other.update(lot, progress)
    for a, b in zip(one.module.parameters(), other.module.parameters(), strict=True):
        assert torch.equal(a, b)


def test_states_are_copies() -> None:
    learner = make_learner()
    play = self_play(learner)
    learner.update(take_lot(play), 0.0)
    state = learner.get_state()
    rewards = state["buffer"]["arrays"]["rewards"].clone()
    weights = {name: w.clone() for name, w in state["weights"].items()}
    learner.update(take_lot(play), 0.0)
    assert torch.equal(state["buffer"]["arrays"]["rewards"], rewards)
    assert all(torch.equal(state["weights"][name], w) for name, w in weights.items())


@pytest.mark.parametrize("sample", [False, True])
def test_checkpoints_play_what_was_learned(tmp_path: Path, sample: bool) -> None:
    learner = make_learner(epsilon=0.0, epsilon_end=0.0)
    learner.update(take_lot(self_play(learner)), 0.0)
    frozen = learner.frozen()
    batch = Batch(learner.game, 50)
    batch.reset(3)
    batch.run(7)
    decisions = Decisions.of(batch, np.arange(50))
    best, _ = learner.choose(decisions, 0.5)
    learner.update(take_lot(self_play(learner)), 0.0)  # what was frozen is a copy
    save(tmp_path / "a.pt", "dqn", learner.game, frozen)
    agent = load_agent(tmp_path / "a.pt", learner.game, sample=sample)
    chosen = agent.act(decisions)
    assert decisions.action_mask[np.arange(50), chosen].all()
    assert (chosen == best).all() or sample


def test_a_learner_learns() -> None:
    """A minute game: after some updates the learner beats its first self."""
    game = load_game("loop_boards-v0", **SMALL)
    settings = DQNSettings(
        network=(64,), learning_rate=1e-3, batch_size=256, buffer_size=10_000, replays=4.0,
        target_update_interval=50, epsilon=0.2,
    )  # fmt: skip
    learner, first = (DQNLearner(name, game, settings, 3) for name in ("new", "old"))
    play = self_play(learner, 64)
    for _ in range(8):
        while play.num_ready(0) < 2048:
            play.play_ply()
        metrics = learner.update(play.take(0), 0.0)
    assert metrics["explained_variance"] > 0.2
    play.batch.reset(1)
    judged = SelfPlay(play.batch, [learner, first])
    for _ in range(600):
        judged.play_ply(1.0)
    margins = np.array(judged.take_margins()[0])
    error = margins.std(ddof=1) / np.sqrt(len(margins))
    assert len(margins) > 300
    assert margins.mean() > 3 * error
