from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from agents.base import Decisions
from experiments.config import parse_config
from experiments.fairness.answers import Answer
from experiments.fairness.boards import FOLDS, over_boards
from experiments.fairness.games.loop_boards.hands import hands
from experiments.fairness.games.loop_boards.manipulation import manipulation
from experiments.fairness.games.loop_boards.movements import information, order_share
from experiments.fairness.games.loop_boards.rule import (
    GROUPS,
    by_group,
    grouped,
    marker_values,
    one_rank_better,
    with_markers,
)
from experiments.fairness.games.loop_boards.single import (
    Scores,
    score_sums,
    single_markers,
    williams_tables,
)
from experiments.fairness.games.loop_boards.slopes import Seatings, slopes
from experiments.fairness.games.loop_boards.travel import travel
from experiments.fairness.study import Study
from experiments.runfolder import RunFolder
from loop_envs.duplicate.movements import circular_orders
from loop_envs.envs.batch import Batch
from tests.experiments.fairness.studies import whole

OPTIONS = {"num_players": 4, "hand_size": 4, "set_aside": 1, "deck": {"colours": 4, "values": 9}}
KEYS = ["board", "lineup", "rotation"]


def make_study(folder: Path, **options: object) -> Study:
    config = parse_config(
        {
            "name": "test",
            "game": {"env": "loop_boards-v0", "options": OPTIONS | options},
            "fairness": {
                "ladder": [
                    "planner",
                    "greedy",
                    {"name": "greedy-40", "noisy": "greedy", "epsilon": 0.4},
                    "random",
                ],
                "identical": 400,
                "boards": 100,
                "variants": 100,
            },
        }
    )
    return Study(config, config.make_game(), RunFolder(folder))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("study"))


def test_columns_are_what_stepping_a_match_shows(study: Study) -> None:
    n, game = 4, study.game
    played = whole(study.ladders())
    first = study.settings.first_board
    rows = played.rounds.filter(pl.col("board") < first + 4).collect()
    agents = {name: player.make(game) for name, player in study.players().items()}
    for _, own in rows.group_by(KEYS, maintain_order=True):
        seats = own["agent"].cast(pl.String).to_list()[:n]
        batch = Batch(game, 1)
        batch.reset(study.config.seed, np.array([own["board"][0]]))
        state = batch.get_states()
        golden = int(state["golden"][0])
        found = []
        ranks: dict[int, int] = {}
        done = 0
        while True:
            seat = game.current_player(state)
            batch.set_states(state)
            decisions = Decisions.of(batch, np.array([0]))
            before = state.copy()
            game.step(state, int(agents[seats[seat]].act(decisions)[0]))
            over = game.is_over(state)
            was, now = before["left"][0].any(axis=1), state["left"][0].any(axis=1)
            new_round = over or int(state["rounds_done"][0]) != done
            if was[seat] and (new_round or not now[seat]):
                ranks[seat] = len(ranks) + 1
            if new_round:
                (last,) = set(range(n)) - set(ranks)
                ranks[last] = n
                for p in range(n):
                    leader = (golden + done) % n
                    found.append((done, p, ranks[p], (p - done) % n, (p - leader) % n))
                done, ranks = done + 1, {}
            if over:
                break
        columns = own.select("round", "seat", "rank", "hand", "turn").rows()
        assert columns == found
        assert (own["result"] == -own["rank"]).all()


def test_markers_add_up_to_the_points_of_the_match(study: Study) -> None:
    played = whole(study.ladders())
    markers = with_markers(played.rounds).group_by(*KEYS, "seat").agg(pl.col("marker").sum())
    both = played.matches.join(markers, on=[*KEYS, "seat"]).collect()
    assert both.height == 4 * played.num_matches
    assert (both["points"] == both["marker"]).all()


@pytest.mark.parametrize("ask", [travel, hands, manipulation])
def test_questions_are_answered(study: Study, ask: Callable[[Study], Answer]) -> None:
    answer = ask(study)
    assert answer.plots
    assert answer.notes
    for one in answer.findings:
        assert math.isfinite(one.estimate), one.name
        assert one.low <= one.estimate <= one.high, one.name
        assert one.boards >= 10
        assert one.sentence.endswith(".")
        assert "nan" not in one.sentence
    assert len({one.name for one in answer.findings}) == len(answer.findings)
    answer.section()


@pytest.mark.parametrize("rounds", [2, 3])
def test_matches_of_fewer_rounds_than_seats(tmp_path: Path, rounds: int) -> None:
    """The ladder's ends hold no hand in common on some boards."""
    answer = hands(make_study(tmp_path, rounds=rounds))
    assert all(one.low <= one.estimate <= one.high for one in answer.findings)


def test_three_players(tmp_path: Path) -> None:
    answer = travel(make_study(tmp_path, num_players=3))
    by_name = {one.name: one for one in answer.findings}
    # With two others, one sits before exactly where the other sits behind.
    before, behind = (by_name[f"strong player {side}"].estimate for side in ("before", "behind"))
    assert before == pytest.approx(-behind)


def test_slopes_find_a_planted_effect() -> None:
    rng = np.random.default_rng(1)
    strength = np.array([2.0, 1.0, -0.5, -2.5])
    orders = circular_orders(4)
    board = np.repeat(np.arange(600), 4)
    turns = (np.arange(4)[None, :] - np.arange(4)[:, None]) % 4
    who = np.concatenate([orders[b % len(orders)][turns] for b in range(600)])
    of = strength[who]
    values = of + 0.3 * np.roll(of, 1, axis=1) - 0.1 * np.roll(of, -1, axis=1)
    values = values + rng.normal(size=values.shape)
    lineup = np.zeros(2400, np.int64)
    rows = [slice(0, 4 * 250), slice(4 * 250, None)]
    parts = [Seatings(board[some], lineup[some], who[some], values[some]) for some in rows]
    found = slopes(lambda: parts, strength)
    assert found.shape == (600, 2)
    for k, planted in enumerate((0.3, -0.1)):
        interval = over_boards(found[:, k])
        assert interval.low < planted < interval.high
        assert interval.high - interval.low < 0.1


def test_the_marker_rule() -> None:
    # Worked examples of the rules.
    for ranks, values in (
        ([1, 1, 3, 3], [4, 4, 2, 2]),
        ([4, 4, 4, 4], [4, 4, 4, 4]),
        ([1, 4, 4, 4], [4, 3, 3, 3]),
    ):
        assert marker_values(np.array(ranks)).tolist() == values
    rng = np.random.default_rng(2)
    for ranks in rng.integers(1, 5, (50, 4)):
        gain = one_rank_better(ranks, 4)
        for r in range(4):
            if ranks[r] == 1:
                assert np.isnan(gain[r])
                continue
            moved = ranks.copy()
            moved[r] -= 1
            change = marker_values(moved) - marker_values(ranks)
            assert gain[r] == pytest.approx(change[r] - change.sum() / 4)


def test_groups_of_hands() -> None:
    rng = np.random.default_rng(3)
    difficulty = rng.uniform(1, 4, (400, 4))
    group = grouped(difficulty)
    assert np.bincount(group.reshape(-1)).tolist() == [400] * 4
    assert (difficulty[group == 0].max() < difficulty[group == 1].min()) & (len(GROUPS) == 4)
    values = 1.0 + 0.5 * group[..., None] + rng.normal(size=(400, 4, 3))
    values[rng.random(values.shape) < 0.1] = np.nan
    found = by_group(values, group)
    for g in range(4):
        assert found[:, g].mean() == pytest.approx(np.nanmean(values[group == g]))
    planted = over_boards(found[:, 3] - found[:, 0])
    assert planted.low < 1.5 < planted.high
    assert planted.high - planted.low < 0.3
    assert np.isnan(by_group(values, np.zeros_like(group))[:, 1]).all()


def test_single_rounds_are_compared_over_the_tables_of_a_hand(study: Study) -> None:
    travel(study)
    played = whole(study._played["single-cyclic"])
    rows = single_markers(played)
    assert rows.height == 4 * played.num_matches
    for _, own in rows.group_by("board", "lineup", "seat"):
        ranks = own["rank"].to_numpy().astype(np.int64)
        assert len(ranks) == 4
        assert (own["marker"].to_numpy() == marker_values(ranks)).all()
        assert own["agent"].n_unique() == 4


def test_williams_tables_are_balanced() -> None:
    for tables in williams_tables([("a", "b", "c", "d")]):
        steps = [(t.seats[s], t.seats[s + 1]) for t in tables for s in range(3)]
        assert len(set(steps)) == len(steps) == 12


def scores(rng: np.random.Generator, spread: float, order: float) -> Scores:
    boards, number = 600, np.arange(600) % 6
    skill = np.array([1.0, 0.3, -0.3, -1.0])
    moved = np.zeros((6, 4))
    moved[:, 0] = order * np.array([1, -1, 1, -1, 1, -1])
    x = skill + moved[number] + spread * rng.normal(size=(boards, 4))
    sums = score_sums(x[:, None, None, :], range(boards), 6)
    folds = np.arange(boards) % FOLDS
    totals = {k: np.zeros((FOLDS, *v.shape[1:])) for k, v in sums.items()}
    for k, values in sums.items():
        np.add.at(totals[k], folds, values)
    return Scores(x[:, None, :], **totals)


def test_scores_of_ways_to_play() -> None:
    rng = np.random.default_rng(4)
    calm, wild, ordered = (scores(rng, *x) for x in ((1.0, 0.0), (2.0, 0.0), (1.0, 1.0)))
    worth = information(wild.apart, calm.apart)
    assert worth.low < 0.25 < worth.high
    assert worth.high - worth.low < 0.3
    assert abs(order_share(calm.orders)) < 0.02
    # A quarter of the variance in all is that of the first agent's order: 1.2 / (1.2 + 4).
    assert order_share(ordered.orders) == pytest.approx(1.2 / (1.2 + 4), abs=0.04)
