"""The replay buffer: rewards of the right seat, masks of the right decision, bounded memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from agents.base import Decisions
from agents.learners.dqn import DQNLearner
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import ENDED, Columns
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from tests.agents.dqn_lots import SETTINGS, SMALL, make_learner, self_play, take_lot, transitions


class NotingLearner(DQNLearner):
    """Keeps with every decision whose it was."""

    def choose(
        self, decisions: Decisions, progress: float
    ) -> tuple[npt.NDArray[np.int64], Columns]:
        actions, columns = super().choose(decisions, progress)
        return actions, {**columns, "board": decisions.board, "seat": decisions.seat}


@pytest.mark.parametrize("env", ["loop_boards-v0", "loo-v0"])
@pytest.mark.parametrize("learners", [1, 2])
def test_rewards_in_the_buffer_sum_to_the_matches_returns(env: str, learners: int) -> None:
    """For every seat that decided anything, over many lots that end in the middle of matches."""
    game = load_game(env, **(SMALL if env == "loop_boards-v0" else {"num_deals": 2}))
    matches = 200
    settings = replace(SETTINGS, buffer_size=100_000)
    players = [NotingLearner(str(i), game, settings, i) for i in range(learners)]
    batch = Batch(game, matches)
    batch.reset(5)
    play = SelfPlay(batch, players)
    returns = np.zeros((matches, game.num_players))
    running = np.ones(matches, bool)
    noted: list[list[Columns]] = [[] for _ in players]
    while running.any():
        for _ in range(9):
            play.play_ply()
            returns[running] += batch.reward[running]
            running &= ~(batch.terminated | batch.truncated)
        for number, learner in enumerate(players):
            lot = play.take(number)
            noted[number].append(lot.learnable())
            learner.buffer.extend(lot)
    earned, decided = np.zeros_like(returns), np.zeros(returns.shape, bool)
    for learner, lots in zip(players, noted, strict=True):
        board, seat = (np.concatenate([lot[name] for lot in lots]) for name in ("board", "seat"))
        assert learner.buffer.size() == len(board) < settings.buffer_size
        first = board < matches
        place = (board[first], seat[first])
        np.add.at(earned, place, learner.buffer.rewards[: len(board), 0][first])
        decided[place] = True
        # Every stream that is over has one end, and what it links to is the seat's next decision.
        ends = np.zeros(returns.shape, int)
        np.add.at(ends, place, learner.buffer.dones[: len(board), 0][first].astype(int))
        mine = np.zeros(returns.shape, bool)
        mine[place] = True
        assert (ends[mine] == 1).all()
    assert decided.mean() > 0.9
    np.testing.assert_allclose(earned[decided], returns[decided], atol=1e-3)


def test_transitions_lead_to_the_seats_own_next_decision() -> None:
    learner = make_learner(buffer_size=10_000)
    lot = take_lot(self_play(learner))
    learner.buffer.extend(lot)
    buffer, new = learner.buffer, np.flatnonzero(lot.ready)
    assert buffer.observations.dtype == buffer.next_observations.dtype == np.int8
    masks = buffer._get_samples(np.arange(len(new))).next_action_masks.numpy()
    for i, decision in enumerate(new.tolist()):
        following = lot.links[decision]
        assert (buffer.observations[i, 0] == lot.columns["observation"][decision]).all()
        assert buffer.dones[i, 0] == (following == ENDED)
        if following == ENDED:
            assert not masks[i].any()
        else:
            assert (buffer.next_observations[i, 0] == lot.columns["observation"][following]).all()
            assert (masks[i] == lot.columns["action_mask"][following]).all()


def test_the_buffer_keeps_the_newest_and_no_more() -> None:
    learner = make_learner(buffer_size=10)
    buffer = learner.buffer
    size = buffer.observations.nbytes
    kept: list[float] = []
    for lot in ([1, 2, 3, 4], [5, 6, 7, 8, 9, 10, 11, 12], list(range(13, 40)), [40], []):
        rewards = [float(x) for x in lot]
        buffer.extend(transitions(learner, rewards, [ENDED] * len(lot)))
        kept = [*kept, *rewards][-10:]
        assert sorted(buffer.rewards[: buffer.size(), 0].tolist()) == kept
    assert buffer.full
    assert buffer.observations.nbytes == size
    with pytest.raises(TypeError, match="needs a mask"):
        buffer.add()
