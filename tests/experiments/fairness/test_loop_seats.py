from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from agents.heuristics.loop_seats import GREEDY, PLANNER
from experiments.fairness.answers import Answer
from experiments.fairness.boards import FOLDS, p_value
from experiments.fairness.games import round_columns
from experiments.fairness.games.loop_seats.catchup import gap_sums, stage_gap
from experiments.fairness.games.loop_seats.changes import (
    BASE,
    CHANGE,
    GAIN,
    Cards,
    card_sums,
    changes,
)
from experiments.fairness.games.loop_seats.choice import other_choice
from experiments.fairness.games.loop_seats.ladder import (
    Ladder,
    exchange,
    neighbours_apart,
    replaced,
    wrong_order,
)
from experiments.fairness.games.loop_seats.movement import (
    movement,
    next_rank,
    next_rank_sums,
    share,
    win_by_first_rank,
)
from experiments.fairness.games.loop_seats.tables import (
    Floats,
    Ints,
    Matches,
    Rounds,
    catch_up_sums,
    mean_of,
    over,
    slope,
)
from experiments.fairness.games.loop_seats.variants import variants
from loop_envs.climbing.tables import PLAYING
from loop_envs.duplicate import mean_interval, reversal_probability
from loop_envs.envs.matches import play_rounds
from loop_envs.game import Game
from loop_envs.policies import Policy
from loop_envs.registry import rules_of
from tests.experiments.fairness.studies import make_study, study_config

ENV = "loop_seats-v0"
SMALL = {"hand_size": 6, "set_aside": 1}
Row = dict[str, list[int]]


def _game(**options: Any) -> Game:
    return Game(ENV, rules_of(ENV), options)


# Columns ------------------------------------------------------------------------------------------


def _stepped(game: Game, board: int) -> tuple[list[Any], list[Row]]:
    """A match of random moves: states at the ends of rounds, and what was seen to happen."""
    n, rng = game.num_players, np.random.default_rng(board)
    state = game.new_state(1, board)
    states, rows = [], []
    cards: dict[int, int] = {}
    ranks_before = [0] * n
    while not game.is_over(state):
        at = [int(s) for s in state["seat_of"][0, :n]]
        first, done = int(state["first"][0]), int(state["rounds_done"][0])
        before = game.points(state)
        out: list[int] = []
        while int(state["rounds_done"][0]) == done and not game.is_over(state):
            player, phase = game.current_player(state), int(state["phase"][0])
            held = int(state["left"][0, at[player]].astype(object).sum())
            game.step(state, int(rng.choice(game.legal_actions(state))))
            over_now = int(state["rounds_done"][0]) > done or game.is_over(state)
            if phase == PLAYING and held and (over_now or not state["left"][0, at[player]].any()):
                out.append(player)
        if len(out) == n - 1:
            out += set(range(n)) - set(out)
        ranks = [out.index(p) + 1 if p in out else 0 for p in range(n)]
        row = {
            "rank": ranks,
            "seat_at": at,
            "turn": [(s - first) % n for s in at],
            "reference": [cards.get(s, 0) for s in at],
            "before": ranks_before,
            "gain": (game.points(state) - before).tolist(),
        }
        states.append(state.copy())
        rows.append(row)
        cards = {s: ranks[p] for p, s in enumerate(at)}
        ranks_before = ranks
        if not game.is_over(state) and n == 4 and game.options["fourth_chooses"]:
            game.step(state, int(rng.choice(game.legal_actions(state))))
    return states, rows


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fourth_chooses": False, "start": "last", "rank_step": 2},
        {"num_players": 3, "reference": "player", "start": "last_seat"},
        {"num_players": 2, "later_rounds": "change_only", "max_rounds": 6, "start": "winner"},
        {"threshold_check": "immediate", "winner_seats": "1to3"},
    ],
)
def test_columns_are_what_happened(options: dict[str, Any]) -> None:
    game = _game(**options, **SMALL)
    states: list[Any] = []
    rows: list[Row] = []
    match: list[int] = []
    for board in range(3):
        own, seen = _stepped(game, board)
        states, rows, match = states + own, rows + seen, match + [board] * len(own)
    found = round_columns(game, np.array(match), np.concatenate(states))
    assert len(rows) > 6
    for name in ("rank", "seat_at", "turn", "reference", "gain"):
        assert found[name].tolist() == [row[name] for row in rows], name
    assert (found["base"] + found["change"] == found["gain"]).all()
    compared = "before" if options.get("reference") == "player" else "reference"
    for row, change in zip(rows, found["change"].tolist(), strict=True):
        for rank, old, value in zip(row["rank"], row[compared], change, strict=True):
            assert value == (game.options["rank_step"] * (old - rank) if rank and old else 0)


@pytest.mark.parametrize("policy", [GREEDY, PLANNER])
def test_scoring_does_not_change_play(policy: Policy) -> None:
    """The note on variants says so: the rounds of both are the same as long as both go on."""
    found = []
    for step in (0, 2):
        game = _game(rank_step=step)
        match, states = play_rounds(game, [policy], np.zeros((6, 4), int), 1, np.arange(6))
        rank = round_columns(game, match, states)["rank"]
        found.append({m: rank[match == m].tolist() for m in range(6)})
    for m in range(6):
        both = min(len(one[m]) for one in found)
        assert both > 1
        assert found[0][m][:both] == found[1][m][:both]


# Estimates ----------------------------------------------------------------------------------------


def _rounds(gain: Floats, agent: Ints | None = None, **values: Floats) -> Rounds:
    """One match a board of gains [boards, rounds, n]."""
    boards, count, n = gain.shape
    number = np.tile(np.arange(count), boards)
    who = np.zeros((boards * count, n), np.int64) if agent is None else agent
    flat = {"gain": gain, "base": gain, "change": np.zeros_like(gain)} | values
    cell = who * 11 + np.minimum(number, 10)[:, None]
    board = np.repeat(np.arange(boards), count)
    values = {name: x.reshape(-1, n) for name, x in flat.items()}
    return Rounds(boards, int(cell.max()) + 1, board, number, who, cell, values)


def _matches(points: Floats, agent: Ints, lineup: Sequence[str], per_board: int) -> Matches:
    wins = (points == points.max(axis=1, keepdims=True)).astype(np.float64)
    board = np.repeat(np.arange(len(points) // per_board), per_board)
    decisions = np.ones(len(points))
    return Matches(
        int(board[-1]) + 1, board, agent, np.array(lineup, np.str_), points, wins, decisions
    )


def _folded(sums: Floats) -> Floats:
    """Sums over boards, by fold."""
    return np.stack([sums[fold::FOLDS].sum(axis=0) for fold in range(FOLDS)])


def _holds(found: tuple[float, float, float, int], true: float) -> bool:
    return found[1] < true < found[2]


@pytest.mark.parametrize("effect", [-0.3, 0.0, 0.2])
def test_slopes_find_the_planted_one(effect: float) -> None:
    """Who is a point ahead gains so much more; strong agents gain another point a round."""
    rng = np.random.default_rng(3)
    boards, count, n = 1500, 5, 4
    skill = np.array([1.0, 0.0, 0.0, -1.0])
    gains = np.zeros((boards, count, n))
    lead = np.zeros((boards, n))
    usual = np.zeros(n)
    for k in range(count):
        noise = 2 * rng.standard_normal((boards, n))
        # A lead counts as far as it is luck.
        gains[:, k] = skill + effect * (lead - usual) + noise - noise.mean(axis=1, keepdims=True)
        lead, usual = lead + gains[:, k], usual + skill
    agent = np.tile(np.arange(n), (boards * count, 1))
    rounds = _rounds(gains, agent)
    assert np.allclose(rounds.lead.reshape(boards, count, n)[:, -1] + gains[:, -1], lead)
    sums = catch_up_sums(rounds)
    assert _holds(over(boards, partial(slope, sums, within=True)), effect)
    # With what the strong gain anyway it is more.
    assert over(boards, partial(slope, sums, within=False)).low > effect
    equals = catch_up_sums(_rounds(gains - skill))
    assert _holds(over(boards, partial(slope, equals, within=False)), effect)


def test_cards_and_their_fair_step() -> None:
    """Base points fall by 1 with every card, card − rank rises by 2: half a point balances."""
    rng = np.random.default_rng(4)
    boards, count = 400, 4
    card = np.array([rng.permutation(4) + 1 for _ in range(boards * count)], np.float64)
    card = card.reshape(boards, count, 4)
    noise = rng.standard_normal(card.shape)
    base, rank = 4 - card + noise, card - 2 * card + 0.1 * noise
    change = card - rank
    first = np.arange(count)[None, :, None] == 0
    reference = np.where(first, 0, card)
    rounds = _rounds(base + change, base=base, change=change, reference=reference, rank=rank)
    cards = Cards(boards, _folded(card_sums(rounds)))
    for value, true in ((GAIN, 3.0), (BASE, -3.0), (CHANGE, 6.0)):
        assert _holds(over(FOLDS, partial(cards.gap, value=value)), true)
    assert _holds(over(FOLDS, cards.fair_step), 0.5)
    assert _holds(cards.mean(3, BASE), 0.0)


def test_next_ranks_of_a_turning_order() -> None:
    rank = np.tile(np.array([[1.0, 2, 3], [3, 2, 1]]), (50, 2, 1))
    sums = next_rank_sums(_rounds(np.zeros_like(rank), rank=rank))
    assert sums.sum() == 50 * 3 * 3
    rows = np.arange(50)
    assert share(sums, 0, 2, rows) == share(sums, 2, 0, rows) == share(sums, 1, 1, rows) == 1
    assert next_rank(sums, 2, rows) - next_rank(sums, 0, rows) == -2


def test_chance_to_win_by_first_rank() -> None:
    rank = np.tile(np.array([[2.0, 1, 3], [3, 2, 1]]), (30, 1, 1))
    points = np.tile(np.array([[0.0, 5, 1], [7, 0, 0], [0, 9, 0]]), (10, 1))
    matches = _matches(points, np.zeros((30, 3), np.int64), ["x"] * 30, 1)
    sums = win_by_first_rank(matches, _rounds(np.zeros_like(rank), rank=rank))
    means = [mean_of(sums, np.arange(30), k) for k in range(3)]
    assert means == pytest.approx([2 / 3, 1 / 3, 0])


def test_exchange_of_a_replaced_agent() -> None:
    """The stronger one makes 2 points more, and the other two lose 3 in all."""
    rng = np.random.default_rng(5)
    boards = 200
    points, agents, lineups = [], [], []
    for _ in range(boards):
        luck = rng.standard_normal(3)
        points += [luck + np.array([6, 2, -2]), luck + np.array([4, 3, 0])]
        agents += [[0, 2, 3], [1, 2, 3]]
        lineups += ["strong", "weak"]
    matches = _matches(np.array(points), np.array(agents), lineups, 2)
    values = replaced(matches, [(0, "strong", "weak")])
    assert values.shape == (boards, 1, 2)
    assert np.allclose(values, [2, 3])
    assert over(boards, partial(exchange, values)).mean == pytest.approx(1.5)
    noisy = values + rng.standard_normal(values.shape)
    assert _holds(over(boards, partial(exchange, noisy)), 1.5)


def test_wrong_order_is_that_of_normal_means() -> None:
    rng = np.random.default_rng(6)
    boards = 500
    values = np.array([1.0, 0.5]) + rng.standard_normal((boards, 2))
    margins = np.stack([values, np.ones_like(values)], axis=2)
    cost = np.tile([40.0, 1, 1, 1], (boards, 1))

    def ladder(margins: Floats) -> Ladder:
        sums = (margins, neighbours_apart(margins), margins, margins, cost, margins[:, :0])
        return Ladder(*map(_folded, sums))

    every = np.arange(FOLDS)
    apart = values[:, 0] - values[:, 1]
    expected = reversal_probability(float(apart.mean()), float(apart.std(ddof=1)), 10)
    assert wrong_order(ladder(margins), 400.0, every) == pytest.approx(expected)
    assert wrong_order(ladder(margins[:, ::-1]), 400.0, every) == pytest.approx(1 - expected)


def test_gap_of_strongest_and_weakest_by_stage() -> None:
    gain = np.zeros((60, 3, 3))
    gain[:, 0], gain[:, 1:] = [1, 0, -1], [4, 0, -1]
    agent = np.tile(np.arange(3), (180, 1))
    sums = gap_sums(_rounds(gain, agent), 3, 1)
    assert [stage_gap(sums, k, 0, np.arange(60)) for k in (0, 1)] == [2, 5]


def test_the_odd_one_out() -> None:
    points = np.tile(np.array([[5.0, 1, 2, 3], [0, 4, 0, 2]]), (5, 1))
    agent = np.tile(np.array([[1, 0, 0, 0], [0, 1, 0, 0]]), (5, 1))
    more = other_choice(_matches(points, agent, ["x"] * 10, 2), points)
    assert np.allclose(more, (3 + (4 - 2 / 3)) / 2)


def test_p_values_are_those_of_t_tests() -> None:
    x = np.random.default_rng(7).standard_normal(30) + 0.3
    assert p_value(mean_interval(x)) == pytest.approx(stats.ttest_1samp(x, 0).pvalue)
    assert p_value(mean_interval(np.zeros(5))) == 1
    assert p_value(mean_interval([1.0])) == 1


# Whole answers ------------------------------------------------------------------------------------


def _checked(answer: Answer) -> dict[str, npt.NDArray[np.float64]]:
    assert answer.plots
    assert answer.notes
    found = {one.name: np.array([one.estimate, one.low, one.high]) for one in answer.findings}
    assert len(found) == len(answer.findings)
    for one in answer.findings:
        assert math.isfinite(one.estimate), one.name
        assert one.low <= one.estimate <= one.high, one.name
        assert one.boards >= 100
        assert one.sentence.endswith(".")
    return found


def test_four_players(tmp_path: Path) -> None:
    study = make_study(tmp_path, study_config(ENV, options=SMALL))
    found = _checked(changes(study))
    # The rules say so: all points of a later round are those of the ranks.
    assert found["points of all in a round"].tolist() == [7, 7, 7]
    # A ladder of four has nobody to replace anyone with.
    assert "y/x" not in found
    assert len(variants(study)) == 6
    found = _checked(movement(study))
    assert "second's seat − first's seat, 0% noise: points a match" in found
    # Greedy players that decide alike get the same ranks from the same hands.
    assert found["first again, 0% noise"][0] < found["first again, 15% noise"][0]


@pytest.mark.parametrize("players", [2, 3])
def test_fewer_players(tmp_path: Path, players: int) -> None:
    options = {"num_players": players, "max_rounds": 12, "reference": "player", **SMALL}
    study = make_study(tmp_path, study_config(ENV, options=options))
    found = _checked(changes(study))
    assert "y/x" in found
    assert [one.rules for one in variants(study)] == [
        "rank_step 0",
        "rank_step 2",
        "later_rounds change_only",
        "reference seat",
    ]
    _checked(movement(study))
