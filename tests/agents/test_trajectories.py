"""Every decision meets the rewards of its own player, and nobody else's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents.base import Decisions
from agents.learners.self_play import SelfPlay, seat_learners
from agents.learners.trajectories import ENDED, PENDING, SeatStore, advantages_of
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.policies import RANDOM, choose_many

SMALL = {"num_players": 3, "hand_size": 4, "deck": {"colours": 3, "values": 5}, "eight": 3}


class RandomLearner:
    """Plays like `RANDOM`, so that matches can be compared with the compiled loop."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, decisions: Decisions) -> tuple[Any, Any, Any]:
        game = load_game("loop_boards-v0", **SMALL)
        keys = decisions.keys(RANDOM.seed)
        actions = choose_many(game, RANDOM, decisions.observation, decisions.action_mask, keys)
        zeros = np.zeros(len(actions), np.float32)
        return actions, zeros, zeros

    def update(self, samples: Any, progress: float) -> dict[str, float]:
        return {}


@pytest.mark.parametrize("reward", ["margin", "points", "win", "place"])
@pytest.mark.parametrize("learners", [1, 2, 3])
def test_rewards_of_each_seat_sum_to_its_return(reward: str, learners: int) -> None:
    """Over 1,000 matches, what a seat's decisions earned is what the match gave that seat."""
    game = load_game("loop_boards-v0", **SMALL)
    n, matches = game.num_players, 1000
    batch = Batch(game, matches, reward)
    batch.reset(5)
    play = SelfPlay(batch, [RandomLearner(str(i)) for i in range(learners)])
    expected = np.zeros((matches, n))
    first = np.ones(matches, bool)
    seating = play.seating.copy()
    # The decisions of the first match of each slot, by learner and number in its store.
    owner: list[list[tuple[int, int]]] = [[] for _ in range(learners)]
    while first.any():
        movers = batch.player.copy()
        for i in range(matches):
            owner[play.seating[i, movers[i]]].append((i if first[i] else -1, int(movers[i])))
        assert (play.seating[first] == seating[first]).all(), "a seat changed hands in mid-match"
        play.play_ply()
        expected[first] += batch.reward[first]
        first &= ~(batch.terminated | batch.truncated)
    total = np.zeros((matches, n))
    for store, decided in zip(play.stores, owner, strict=True):
        for number, (match, seat) in enumerate(decided):
            if match >= 0:
                total[match, seat] += store.rewards[number]
    np.testing.assert_allclose(total, expected, atol=1e-4)
    points, _, _ = play_matches(game, [RANDOM], np.zeros((matches, n), int), 5, np.arange(matches))
    if reward == "points":
        np.testing.assert_allclose(expected, points, atol=1e-4)


def test_take_uses_every_decision_once() -> None:
    game = load_game("loop_boards-v0", **SMALL)
    batch = Batch(game, 16)
    batch.reset(1)
    play = SelfPlay(batch, [RandomLearner("a"), RandomLearner("b")])
    made = taken = 0
    for _ in range(20):
        for _ in range(7):
            play.play_ply()
            made += 16
        for store in play.stores:
            samples = store.take(0.9, 0.8)
            taken += len(samples)
            assert samples.action_mask[np.arange(len(samples)), samples.action].all()
    assert taken + sum(len(store) for store in play.stores) == made
    assert all(len(store) <= 16 * game.num_players for store in play.stores)


def test_state_round_trip_continues_the_same() -> None:
    game = load_game("loop_boards-v0", **SMALL)
    plays = []
    for _ in range(2):
        batch = Batch(game, 9)
        batch.reset(3)
        plays.append(SelfPlay(batch, [RandomLearner("a"), RandomLearner("b")]))
    for _ in range(60):
        plays[0].play_ply()
    for store in plays[0].stores:
        store.take(1.0, 1.0)
    plays[1].set_state(plays[0].get_state())
    for play in plays:
        for _ in range(60):
            play.play_ply()
    for one, other in zip(plays[0].stores, plays[1].stores, strict=True):
        a, b = one.take(0.9, 0.9), other.take(0.9, 0.9)
        assert (a.observation == b.observation).all()
        assert (a.advantage == b.advantage).all()


def _slow_advantages(
    rewards: Any, values: Any, links: Any, gamma: float, lam: float
) -> npt.NDArray[np.float64]:
    """The definition: a discounted sum of one-step errors, stream by stream."""
    out = np.zeros(len(rewards))
    for start in range(len(rewards)):
        at, weight = start, 1.0
        while links[at] != PENDING:
            following = links[at]
            after = 0.0 if following == ENDED else values[following]
            out[start] += weight * (rewards[at] + gamma * after - values[at])
            if following == ENDED:
                break
            weight *= gamma * lam
            at = following
    return out


def test_advantages_equal_their_definition() -> None:
    rng = np.random.default_rng(0)
    size = 200
    links = np.full(size, PENDING)
    latest = np.full(7, -1)
    for i in range(size):
        stream = rng.integers(7)
        if latest[stream] >= 0:
            links[latest[stream]] = i
        latest[stream] = i
        if rng.random() < 0.2:
            links[i], latest[stream] = ENDED, -1
    rewards = rng.normal(size=size).astype(np.float32)
    values = rng.normal(size=size).astype(np.float32)
    out = np.zeros(size, np.float32)
    advantages_of(rewards, values, links, np.float32(0.95), np.float32(0.9), out)
    expected = _slow_advantages(rewards, values, links, 0.95, 0.9)
    np.testing.assert_allclose(out, expected, atol=1e-4)


def test_rewards_before_the_first_decision_are_kept() -> None:
    store = SeatStore(1, 2)
    mine = np.array([[True, True]])
    store.earn(mine, np.array([[0.5, -0.5]], np.float32), np.array([False]))
    row, one = np.array([0]), np.ones((1, 1), np.int8)
    zero = np.zeros(1, np.float32)
    store.add(row, np.array([1], np.int8), one, one, np.array([0]), zero, zero)
    store.earn(mine, np.array([[1.0, 2.0]], np.float32), np.array([True]))
    assert store.take(1.0, 1.0).reward.tolist() == [1.5]


def test_seats_are_shared_evenly_and_by_the_match_alone() -> None:
    boards = np.arange(6000)
    seeds = np.full(6000, 9, np.uint64)
    out = np.zeros((6000, 4), np.int8)
    seat_learners(seeds, boards, boards, 2, out)
    assert (out.sum(axis=1) == 2).all()
    again = np.zeros((6000, 4), np.int8)
    seat_learners(seeds, boards, boards[::-7].copy(), 2, again)
    assert (again[::-7] == out[::-7]).all()
    # Six arrangements of two and two, all equally likely: each seat is a fair coin.
    assert np.abs(out.mean(axis=0) - 0.5).max() < 4 * 0.5 / np.sqrt(6000)
    assert len(np.unique(out, axis=0)) == 6
