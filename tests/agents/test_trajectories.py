"""Every decision meets the rewards of its own player, and nobody else's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents.base import Decisions
from agents.learners.base import Learner
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import ENDED, PENDING, SeatStore, Trajectories
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.envs.matches import play_matches
from loop_envs.policies import RANDOM, choose_many

SMALL = {"num_players": 3, "hand_size": 4, "deck": {"colours": 3, "values": 5}, "eight": 3}


class RandomLearner(Learner):
    """Plays like `RANDOM`, so that matches can be compared with the compiled loop."""

    kind = "random"

    def __init__(self, name: str, whole_matches: bool = False) -> None:
        super().__init__(name, load_game("loop_boards-v0", **SMALL), 0)
        self.whole_matches = whole_matches  # type: ignore[misc]

    def choose(self, decisions: Decisions, progress: float) -> tuple[Any, Any]:
        keys = decisions.keys(RANDOM.seed)
        actions = choose_many(self.game, RANDOM, decisions.observation, decisions.action_mask, keys)
        return actions, {"value": np.zeros(len(actions), np.float32)}

    def update(self, trajectories: Trajectories, progress: float) -> dict[str, float]:
        return {}

    module = get_state = set_state = frozen = None  # type: ignore[assignment]


def _earned(play: SelfPlay) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What the decisions of every seat earned in the first match of every slot, and what the
    environment gave that seat."""
    batch = play.batch
    matches, n = play.seating.shape
    expected = np.zeros((matches, n))
    first = np.ones(matches, bool)
    seating = play.seating.copy()
    # The decisions of the first match of each slot, by learner and number in its store.
    owner: list[list[tuple[int, int]]] = [[] for _ in play.stores]
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
    return total, expected


@pytest.mark.parametrize("reward", ["margin", "points", "win", "place"])
@pytest.mark.parametrize("learners", [1, 2, 3])
def test_rewards_of_each_seat_sum_to_its_return(reward: str, learners: int) -> None:
    """Over 1,000 matches, what a seat's decisions earned is what the match gave that seat."""
    game = load_game("loop_boards-v0", **SMALL)
    n, matches = game.num_players, 1000
    batch = Batch(game, matches, reward)
    batch.reset(5)
    play = SelfPlay(batch, [RandomLearner(str(i)) for i in range(learners)])
    total, expected = _earned(play)
    np.testing.assert_allclose(total, expected, atol=1e-4)
    points, _, _ = play_matches(game, [RANDOM], np.zeros((matches, n), int), 5, np.arange(matches))
    if reward == "points":
        np.testing.assert_allclose(expected, points, atol=1e-4)


def test_rewards_delivered_one_move_late_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check above can fail: what comes a move late reaches the next match, or nobody."""
    earn = SeatStore.earn
    late: dict[int, Any] = {}

    def delayed(store: SeatStore, mine: Any, reward: Any, *ends: Any) -> None:
        earn(store, mine, late.get(id(store), np.zeros_like(reward)), *ends)
        late[id(store)] = reward.copy()

    monkeypatch.setattr(SeatStore, "earn", delayed)
    batch = Batch(load_game("loop_boards-v0", **SMALL), 50)
    batch.reset(5)
    total, expected = _earned(SelfPlay(batch, [RandomLearner("a")]))
    assert np.abs(total - expected).max() > 0.5


@pytest.mark.parametrize("whole", [False, True])
def test_take_uses_every_decision_once(whole: bool) -> None:
    game = load_game("loop_boards-v0", **SMALL)
    batch = Batch(game, 16)
    batch.reset(1)
    play = SelfPlay(batch, [RandomLearner("a", whole), RandomLearner("b", whole)])
    made = taken = 0
    for _ in range(20):
        for _ in range(7):
            play.play_ply()
            made += 16
        for number in range(2):
            wanted = play.num_ready(number)
            lot = play.take(number)
            if whole:
                assert lot.num_ready == wanted
                assert (lot.complete() == lot.ready).all()
            taken += lot.num_ready
            columns = lot.learnable()
            assert columns["action_mask"][np.arange(lot.num_ready), columns["action"]].all()
    assert taken > 0
    assert taken + sum(len(store) for store in play.stores) == made
    if not whole:
        assert all(len(store) <= 16 * game.num_players for store in play.stores)


def test_returns_of_whole_matches_are_those_of_the_seats() -> None:
    """However the decisions are taken, undiscounted returns are the final margins."""
    game = load_game("loop_boards-v0", **SMALL)
    batch = Batch(game, 32)
    batch.reset(4)
    play = SelfPlay(batch, [RandomLearner("a", True)])
    firsts: list[float] = []
    for _ in range(40):
        for _ in range(9):
            play.play_ply()
        lot = play.take(0)
        is_first = lot.ready.copy()
        is_first[lot.links[lot.links >= 0]] = False
        firsts += lot.returns(1.0)[is_first].tolist()
    margins = play.take_margins()[0]
    assert len(margins) == len(firsts)
    np.testing.assert_allclose(np.sort(margins), np.sort(firsts), atol=1e-4)


def test_state_round_trip_continues_the_same() -> None:
    game = load_game("loop_boards-v0", **SMALL)
    plays = []
    for _ in range(2):
        batch = Batch(game, 9)
        batch.reset(3)
        plays.append(SelfPlay(batch, [RandomLearner("a"), RandomLearner("b")]))
    for _ in range(60):
        plays[0].play_ply()
    for number in range(2):
        plays[0].take(number)
    plays[1].set_state(plays[0].get_state())
    for play in plays:
        for _ in range(60):
            play.play_ply()
    for number in range(2):
        a, b = plays[0].take(number), plays[1].take(number)
        assert (a.columns["observation"] == b.columns["observation"]).all()
        assert (a.returns(0.9) == b.returns(0.9)).all()
        assert (a.links == b.links).all()


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
    lot = Trajectories({"value": values}, rewards, links, links != PENDING)
    expected = _slow_advantages(rewards, values, links, 0.95, 0.9)
    np.testing.assert_allclose(lot.advantages(0.95, 0.9), expected, atol=1e-4)
    # With values of zero and lambda 1 it is the plain discounted sum, where the end is known.
    done = lot.complete()
    zero = Trajectories({"value": np.zeros_like(values)}, rewards, links, done)
    np.testing.assert_allclose(
        zero.returns(0.95)[done], zero.advantages(0.95, 1.0)[done], atol=1e-4
    )


def test_rewards_before_the_first_decision_are_kept() -> None:
    store = SeatStore(1, 2)
    mine = np.array([[True, True]])
    no, yes = np.array([False]), np.array([True])
    store.earn(mine, np.array([[0.5, -0.5]], np.float32), no, no)
    store.add(np.array([0]), np.array([1], np.int8), {"action": np.array([0])})
    store.earn(mine, np.array([[1.0, 2.0]], np.float32), yes, no)
    assert store.take().rewards.tolist() == [1.5]


def _two_decisions(
    terminated: bool, truncated: bool, whole: bool
) -> tuple[Trajectories, SeatStore]:
    """A seat's two decisions, worth 3 and 5, earning 1 and 2, and then the match is over."""
    store = SeatStore(1, 1)
    mine, no = np.array([[True]]), np.array([False])
    for value, reward, over in ((3.0, 1.0, False), (5.0, 2.0, True)):
        columns = {"value": np.array([value], np.float32)}
        store.add(np.array([0]), np.array([0], np.int8), columns)
        ends = (np.array([terminated]), np.array([truncated])) if over else (no, no)
        store.earn(mine, np.array([[reward]], np.float32), *ends)
    return store.take(whole), store


def test_values_bootstrap_through_truncation_and_not_through_an_end() -> None:
    lot, store = _two_decisions(terminated=True, truncated=False, whole=False)
    assert lot.ready.all()
    assert lot.advantages(1.0, 1.0).tolist() == [1 + 2 - 3, 2 - 5]
    lot, store = _two_decisions(terminated=False, truncated=True, whole=False)
    # The last decision stands for what would have come, and is not learned from itself.
    assert lot.ready.tolist() == [True, False]
    assert lot.advantages(1.0, 1.0)[0] == 1 + 5 - 3
    assert len(store) == 0
    assert store.latest.tolist() == [[-1]]
    # What a truncated match came to is not known: Monte-Carlo returns are of whole ones only.
    assert _two_decisions(terminated=True, truncated=False, whole=True)[0].ready.all()
    lot, store = _two_decisions(terminated=False, truncated=True, whole=True)
    assert not lot.ready.any()
    assert len(store) == 0
