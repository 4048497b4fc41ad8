"""What holds for every kind of learner and its frozen players."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.base import Agent, Decisions
from agents.checkpoints import CheckpointError, load_agent, save
from agents.learners.base import Learner, ReturnScale
from agents.learners.kinds import KINDS, make_frozen
from agents.learners.network import (
    ActionHead,
    Body,
    Combinations,
    best_actions,
    draw_actions,
    masked_log_probs,
)
from agents.learners.self_play import SelfPlay
from agents.learners.sizes import Sizes
from agents.learners.trajectories import Trajectories
from loop_envs import load_game
from loop_envs.envs.batch import Batch

SMALL: dict[str, Any] = {
    "num_players": 2,
    "hand_size": 4,
    "deck": {"colours": 2, "values": 4},
    "eight": 3,
}
VARIANTS: list[tuple[str, dict[str, Any]]] = [(kind, {}) for kind in KINDS] + [
    ("ppo_all", {"critic": "state"}),
    ("ppo_all", {"combinations": True, "legal": True, "forced": False}),
    ("ppo_all", {"combinations": True, "critic": "state"}),
    ("dmc", {"combinations": True}),
]
every_kind = pytest.mark.parametrize("kind", KINDS)
every_variant = pytest.mark.parametrize(("kind", "changes"), VARIANTS)


def _learner(kind: str, seed: int = 0, **changes: Any) -> Learner:
    # Every kind has its own settings; those that it lacks are left out.
    names = {field.name for field in fields(KINDS[kind].settings)}
    given = {"network": (16,), "batch_size": 64} | changes
    made = KINDS[kind].settings(**{name: given[name] for name in given.keys() & names})
    return KINDS[kind].learner("tested", load_game("loop_boards-v0", **SMALL), made, seed)


def _lots(learner: Learner, number: int = 1) -> list[Trajectories]:
    batch = Batch(learner.game, 16)
    batch.reset(0)
    play = SelfPlay(batch, [learner])
    lots = []
    for _ in range(number):
        while play.num_ready(0) < 500:
            play.play_ply()
        lots.append(play.take(0))
    return lots


def _load(learner: Learner, path: Path, sample: bool = False) -> Agent:
    save(path / "a.zip", learner.kind, learner.game, learner.frozen())
    return load_agent(path / "a.zip", learner.game, sample=sample)


def _hash(agent: Agent) -> str:
    weights: dict[str, torch.Tensor] = agent.network.state_dict()  # type: ignore[attr-defined]
    return hashlib.sha256(b"".join(w.numpy().tobytes() for w in weights.values())).hexdigest()


@every_variant
def test_state_round_trip_learns_the_same(kind: str, changes: dict[str, Any]) -> None:
    one, other = _learner(kind, 1, **changes), _learner(kind, 2, **changes)
    lots = _lots(one, 2)
    one.update(lots[0], 0.0)
    other.set_state(one.get_state())
    for learner in (one, other):
        columns = {name: values.copy() for name, values in lots[1].columns.items()}
        lot = Trajectories(columns, lots[1].rewards.copy(), lots[1].links, lots[1].ready)
        learner.update(lot, 0.5)
    for a, b in zip(one.module.parameters(), other.module.parameters(), strict=True):
        assert torch.equal(a, b)
    assert one.samples == other.samples == sum(lot.num_ready for lot in lots)


@every_variant
def test_a_learner_learns(kind: str, changes: dict[str, Any]) -> None:
    """A minute game: after some updates the frozen learner beats random play."""
    more = {"network": (64,), "learning_rate": 2e-3, "batch_size": 256, "epochs": 4} | changes
    learner = _learner(kind, 3, **more)
    batch = Batch(learner.game, 64)
    batch.reset(0)
    play = SelfPlay(batch, [learner])
    for i in range(10):
        while play.num_ready(0) < 2048:
            play.play_ply(i / 10)
        learner.update(play.take(0), i / 10)
    agent = KINDS[kind].agent("judged", learner.game, learner.frozen())
    judged = Batch(learner.game, 256)
    judged.reset(1)
    margins: list[float] = []
    mine = np.arange(256) % 2
    while len(margins) < 1000:
        actions = judged.sample_actions(len(margins))
        rows = np.flatnonzero(judged.player == mine)
        actions[rows] = agent.act(Decisions.of(judged, rows))
        judged.step(actions)
        over = np.flatnonzero(judged.terminated)
        points = judged.points[over]
        margins += (points[np.arange(len(over)), mine[over]] - points.mean(axis=1)).tolist()
    error = np.std(margins, ddof=1) / np.sqrt(len(margins))
    assert np.mean(margins) > 5 * error


@every_kind
def test_agents_refuse_an_empty_mask(kind: str, tmp_path: Path) -> None:
    learner = _learner(kind)
    agent = _load(learner, tmp_path)
    batch = Batch(learner.game, 3)
    batch.reset(0)
    decisions = Decisions.of(batch, np.arange(3))
    decisions.action_mask[1] = 0
    with pytest.raises(ValueError, match="no legal action in row 1"):
        agent.act(decisions)


@pytest.mark.parametrize("sample", [False, True])
@every_kind
def test_a_choice_does_not_depend_on_who_else_is_asked(
    kind: str, sample: bool, tmp_path: Path
) -> None:
    learner = _learner(kind)
    agent = _load(learner, tmp_path, sample)
    batch = Batch(learner.game, 600)
    batch.reset(0)
    batch.run(9)
    whole = agent.act(Decisions.of(batch, np.arange(600)))
    assert batch.action_mask[np.arange(600), whole].all()
    order = np.random.default_rng(0).permutation(600)
    for rows in np.array_split(order, 11):
        assert (agent.act(Decisions.of(batch, rows)) == whole[rows]).all()


@every_kind
def test_frozen_players_are_copies(kind: str, tmp_path: Path) -> None:
    learner = _learner(kind)
    frozen = _load(learner, tmp_path)
    before = _hash(frozen)
    learner.update(_lots(learner)[0], 0.0)
    assert _hash(frozen) == before == _hash(load_agent(tmp_path / "a.zip", learner.game))
    assert _hash(_load(learner, tmp_path)) != before


def test_checkpoints_refuse_what_they_were_not_made_for(tmp_path: Path) -> None:
    learner = _learner("ppo")
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


def test_choices_are_legal_and_follow_the_probabilities() -> None:
    rng = np.random.default_rng(0)
    k, size = 40_000, 7
    mask = np.zeros((k, size), np.int8)
    mask[:, [1, 2, 5]] = 1
    logits = torch.tensor([9.0, 1.0, 0.0, 9.0, 9.0, -1.0, 9.0]).repeat(k, 1)
    keys = rng.integers(0, 2**64, k, dtype=np.uint64)
    chosen, log_prob = draw_actions(logits, mask, keys)
    counts = np.bincount(chosen, minlength=size)
    assert counts[[0, 3, 4, 6]].sum() == 0
    wanted = masked_log_probs(logits, torch.from_numpy(mask).bool()).numpy()
    np.testing.assert_allclose(log_prob, wanted[np.arange(k), chosen], atol=1e-6)
    legal = [1, 2, 5]
    expected = np.exp(wanted[0, legal]) * k
    chi2 = ((counts[legal] - expected) ** 2 / expected).sum()
    assert chi2 < 18.4  # 2 degrees of freedom, p = 1e-4
    extreme = np.array([0, 2**64 - 1], np.uint64)
    assert draw_actions(logits[:2], mask[:2], extreme)[0].tolist() == [1, 5]


def test_the_best_action_is_legal_and_exploring_is_uniform() -> None:
    rng = np.random.default_rng(0)
    k = 30_000
    mask = np.zeros((k, 6), np.int8)
    mask[:, [1, 3, 4]] = 1
    values = torch.tensor([99.0, -3.0, 99.0, -1.0, -2.0, 99.0]).repeat(k, 1)
    assert (best_actions(values, mask) == 3).all()
    keys = rng.integers(0, 2**64, k, dtype=np.uint64)
    counts = np.bincount(best_actions(values, mask, keys, 0.3), minlength=6)
    expected = np.array([0.1, 0.8, 0.1]) * k
    assert counts[[1, 3, 4]].sum() == k
    assert (((counts[[1, 3, 4]] - expected) ** 2) / expected).sum() < 18.4  # p = 1e-4


def test_actions_share_what_is_learned_about_their_cards() -> None:
    """The head's numbers of single actions are those of all, and features tell actions apart."""
    for env in ("loop_boards-v0", "loop_seats-v0", "loopla-v0", "loo-v0"):
        game = load_game(env)
        assert game.action_features.shape[0] == game.num_actions
        assert len(np.unique(game.action_features, axis=0)) == game.num_actions
        head = ActionHead(game, 8, gain=1.0)
        situation = torch.randn(5, 8)
        actions = torch.arange(5) * (game.num_actions - 1) // 4
        whole = head(situation)[torch.arange(5), actions]
        torch.testing.assert_close(head.at(situation, actions), whole)


@pytest.mark.parametrize("env", ["loop_boards-v0", "loop_seats-v0"])
def test_combinations_are_those_whose_cards_are_all_in_hand(env: str) -> None:
    game = load_game(env)
    batch = Batch(game, 64)
    batch.reset(3)
    batch.run(20)
    observations = batch.observe_all(np.arange(64))
    field, first = game.layout["hand"], game.layout.offsets["hand"]
    cards = game.rules.action_cards(game)[:, : field.size]
    wanted = {frozenset(np.flatnonzero(row)) for row in cards if row.sum() > 1}
    for observation in observations[:, 0]:
        hand = set(np.flatnonzero(observation[first : first + field.size]))
        held = Combinations(game)(torch.from_numpy(observation[None]))
        assert held.shape == (1, len(wanted))
        assert held.sum() == sum(combination <= hand for combination in wanted)
    # A body that sees several players takes each one's combinations from that player's hand.
    body = Body(game, (4,), views=2, combinations=True)
    seen: list[torch.Tensor] = []
    body.layers.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    body(torch.from_numpy(observations[:, :2].reshape(64, -1)))
    for view in range(2):
        held = Combinations(game)(torch.from_numpy(observations[:, view]))
        behind = 2 * game.layout.size + view * len(wanted)
        assert torch.equal(seen[0][:, behind : behind + len(wanted)], held)


def test_games_of_single_cards_have_no_combinations() -> None:
    for env, options in (("loopla-v0", {}), ("loo-v0", {}), ("loo-v0", {"variant": "five_card"})):
        game = load_game(env, **options)
        combinations = Combinations(game)
        assert combinations.number == 0
        assert combinations(torch.zeros(3, game.layout.size)).shape == (3, 0)


def test_several_sizes_share_the_combinations_of_the_largest() -> None:
    games = [load_game("loop_boards-v0", num_players=number) for number in (4, 6)]
    assert Combinations(Sizes(games)).number == Combinations(games[1]).number


def test_a_player_may_be_told_what_is_legal() -> None:
    for legal in (False, True):
        learner: Any = _learner("ppo_all", legal=legal)
        columns = _lots(learner)[0].columns
        observations = torch.from_numpy(columns["observation"])
        masks = torch.from_numpy(columns["action_mask"])
        with torch.no_grad():
            told = learner.network(observations, masks)
            other = learner.network(observations, torch.zeros_like(masks))
        assert torch.equal(told, other) != legal


def test_decisions_without_a_choice_may_be_left_out() -> None:
    """Whatever they are, the others are learned from in the same way."""
    changed = []
    for noise in (0, 1):
        learner = _learner("ppo_all", forced=False)
        lot = _lots(learner)[0]
        forced = lot.columns["action_mask"].sum(axis=1) == 1
        assert 0 < forced.sum() < len(forced)
        lot.columns["observation"][forced] ^= noise
        learner.update(lot, 0.0)
        assert learner.samples == lot.num_ready
        changed.append([weights.detach().clone() for weights in learner.module.parameters()])
    for one, other in zip(*changed, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("kind", ["ppo_all", "dmc"])
def test_checkpoints_may_be_older_than_a_setting(kind: str) -> None:
    learner = _learner(kind)
    batch = Batch(learner.game, 64)
    batch.reset(0)
    decisions = Decisions.of(batch, np.arange(64))
    frozen = learner.frozen()
    new = make_frozen(kind, "new", learner.spaces, frozen)
    for name in ("combinations", "legal", "forced"):
        frozen["settings"].pop(name, None)
    old = make_frozen(kind, "old", learner.spaces, frozen)
    assert (new.act(decisions) == old.act(decisions)).all()


def test_the_reward_scale_is_the_spread_of_returns() -> None:
    scale = ReturnScale("auto")
    assert scale.scale == 1
    scale.note(np.array([3.0, -3.0], np.float32))
    scale.note(np.array([6.0, -6.0], np.float32))
    assert scale.scale == pytest.approx(np.sqrt((9 + 9 + 36 + 36) / 4))
    again = ReturnScale("auto")
    again.set_state(scale.get_state())
    assert again.scale == scale.scale
    assert ReturnScale(5).scale == 5
