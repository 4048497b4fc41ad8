"""Who plays whom: fair, fixed for a match, a function of the match; snapshots are copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from agents.learners.base import Learner
from agents.learners.kinds import KINDS
from agents.learners.opponents import SELF, SNAPSHOTS, Matchmaker, Opponent
from agents.learners.self_play import SelfPlay
from agents.learners.snapshots import Pool
from agents.named import make_agent
from loop_envs import load_game
from loop_envs.envs.batch import Batch

SMALL: dict[str, Any] = {"num_players": 3, "hand_size": 4, "deck": {"colours": 3, "values": 5}}
BOARDS = np.arange(6000)
SEEDS = np.full(6000, 9, np.uint64)


def _game(n: int = 3) -> Any:
    return load_game("loopla-v0", num_players=n) if n != 3 else load_game(
        "loop_boards-v0", eight=3, **SMALL
    )  # fmt: skip


def _learners(game: Any, names: str = "ab", kind: str = "ppo_all") -> list[Learner]:
    settings = KINDS[kind].settings(network=(8,), batch_size=64)
    return [KINDS[kind].learner(name, game, settings, i) for i, name in enumerate(names)]


def _drawn(matchmaker: Matchmaker, n: int, rows: Any = BOARDS) -> tuple[Any, Any, Any]:
    out = np.full((6000, n), -1, np.int32), np.full(6000, -1, np.int32), np.full(6000, -1, np.int32)
    matchmaker.draw(SEEDS, BOARDS, rows, *out)
    return out


def test_two_learners_share_the_seats_evenly_and_by_the_match_alone() -> None:
    game = _game(4)
    matchmaker = Matchmaker(game, _learners(game))
    seating, lead, opponent = _drawn(matchmaker, 4)
    assert (seating.sum(axis=1) == 2).all()
    assert (lead != opponent).all()
    again = _drawn(matchmaker, 4, BOARDS[::-7].copy())
    assert (again[0][::-7] == seating[::-7]).all()
    # Six arrangements of two and two, all equally likely: each seat is a fair coin.
    assert np.abs(seating.mean(axis=0) - 0.5).max() < 4 * 0.5 / np.sqrt(6000)
    assert len(np.unique(seating, axis=0)) == 6


def test_an_odd_seat_goes_either_way() -> None:
    game = _game()
    seating, lead, _ = _drawn(Matchmaker(game, _learners(game)), 3)
    own = (seating == lead[:, None]).sum(axis=1)
    assert set(own.tolist()) == {1, 2}
    assert abs((own == 2).mean() - 0.5) < 4 * 0.5 / np.sqrt(6000)


def test_mixtures_are_drawn_by_their_weights() -> None:
    game = _game()
    learners = _learners(game)
    fixed = {"greedy": make_agent("greedy", game), "random": make_agent("random", game)}
    mixture = [Opponent(SELF, 1), Opponent("b", 2), Opponent("greedy", 3), Opponent(SNAPSHOTS, 4)]
    matchmaker = Matchmaker(game, learners, [mixture, [Opponent("random")]], fixed)
    _seating, lead, opponent = _drawn(matchmaker, 3)
    assert abs((lead == 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(6000)
    labels = np.array([matchmaker.label(int(x)) for x in opponent])
    mine = labels[lead == 0]
    shares = {name: (mine == name).mean() for name in ("a", "b", "greedy")}
    # As long as there is no snapshot, those matches are against itself.
    for name, share in (("a", 0.5), ("b", 0.2), ("greedy", 0.3)):
        assert abs(shares[name] - share) < 4 * np.sqrt(share * (1 - share) / len(mine))
    assert (labels[lead == 1] == "random").all()


def test_opponents_stay_for_the_length_of_a_match() -> None:
    game = _game()
    learners = _learners(game)
    pool = Pool(size=2, every=1)
    matchmaker = Matchmaker(game, learners, [[Opponent(SNAPSHOTS, pool=pool)], None])
    batch = Batch(game, 64)
    batch.reset(0)
    play = SelfPlay(batch, learners, matchmaker)
    seating = play.seating.copy()
    for ply in range(300):
        before = batch.board.copy()
        play.play_ply()
        if ply % 40 == 39:
            learners[0].updates += 1
            matchmaker.take_snapshots(play.seating)
        same = batch.board == before
        assert (play.seating[same] == seating[same]).all()
        seating = play.seating.copy()
    assert len(matchmaker.pools()) == 2
    assert len(matchmaker.agents) <= 2 + len(np.unique(seating))


def _trained(learner: Learner) -> None:
    with torch.no_grad():
        for weights in learner.module.parameters():
            weights.add_(0.1)
    learner.updates += 1


def test_opponent_weights_that_leak_into_snapshots_are_detected() -> None:
    """Hashes of the pool's members stay as they are and differ pairwise, or saving fails."""
    game = _game()
    learners = _learners(game, "a")
    matchmaker = Matchmaker(game, learners, [[Opponent(SNAPSHOTS, pool=Pool(every=1))]])
    for _ in range(4):
        _trained(learners[0])
        matchmaker.take_snapshots(np.zeros((1, 3), np.int32))
    hashes = [row["hash"] for row in matchmaker.pools()]
    assert len(set(hashes)) == 4
    _trained(learners[0])
    matchmaker.check()
    assert [row["hash"] for row in matchmaker.pools()] == hashes
    leaking = matchmaker.agents[max(matchmaker.agents)].network  # type: ignore[attr-defined]
    leaking.load_state_dict(learners[0].frozen()["weights"])
    with pytest.raises(ValueError, match="the weights of snapshot a@4 have changed"):
        matchmaker.check()


@pytest.mark.parametrize("sampling", ["uniform", "latest", "prioritised"])
def test_snapshots_are_drawn_by_the_rule(sampling: Any) -> None:
    game = _game()
    learners = _learners(game, "a")
    pool = Pool(size=4, every=1, sampling=sampling, latest=2)
    matchmaker = Matchmaker(game, learners, [[Opponent(SNAPSHOTS, pool=pool)]])
    for _ in range(6):
        _trained(learners[0])
        matchmaker.take_snapshots(np.zeros((1, 3), np.int32))
    _, _, before = _drawn(matchmaker, 3)
    names = [row["snapshot"] for row in matchmaker.pools()]
    assert names == ["a@3", "a@4", "a@5", "a@6"]
    # The oldest wins always, the next never.
    numbers = {matchmaker.label(int(x)): int(x) for x in np.unique(before)}
    if sampling == "prioritised":
        matchmaker.note_result(0, numbers["a@3"], 99, 99.0)
        matchmaker.note_result(0, numbers["a@4"], 99, 0.0)
    of_rule: dict[str, list[float]] = {
        "uniform": [0.25] * 4,
        "latest": [0, 0, 0.5, 0.5],
        "prioritised": [x / 1.49005 for x in (0.995**2, 0.005**2, 0.25, 0.25)],
    }
    shares = of_rule[sampling]
    _, _, opponent = _drawn(matchmaker, 3)
    labels = np.array([matchmaker.label(int(x)) for x in opponent])
    for name, share in zip(names, shares, strict=True):
        spread = np.sqrt(share * (1 - share) / 6000)
        assert abs((labels == name).mean() - share) <= 4 * spread + 1e-9


def test_state_round_trip_draws_the_same() -> None:
    game = _game()
    pairs = []
    for _ in range(2):
        learners = _learners(game)
        mixture = [Opponent(SNAPSHOTS, pool=Pool(every=1, sampling="prioritised"))]
        pairs.append((learners, Matchmaker(game, learners, [mixture, None])))
    learners, matchmaker = pairs[0]
    for _ in range(3):
        _trained(learners[0])
        matchmaker.take_snapshots(np.zeros((1, 3), np.int32))
    matchmaker.note_result(0, 3, 7, 5.0)
    pairs[1][1].set_state(matchmaker.get_state())
    for one, other in zip(_drawn(matchmaker, 3), _drawn(pairs[1][1], 3), strict=True):
        assert (one == other).all()
    assert matchmaker.pools() == pairs[1][1].pools()
