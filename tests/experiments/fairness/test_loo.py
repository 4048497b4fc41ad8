"""Loo in fairness studies: the columns of its deals, its questions, and planted effects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.fairness.answers import Answer
from experiments.fairness.boards import Floats, p_value
from experiments.fairness.games import round_columns
from experiments.fairness.games.loo.ahead import ahead, half
from experiments.fairness.games.loo.claims import Claim, judged
from experiments.fairness.games.loo.dealer import advantage, dealer, places
from experiments.fairness.games.loo.leads import shares_ahead
from experiments.fairness.games.loo.miss import miss
from experiments.fairness.games.loo.miss_worth import head_to_head
from experiments.fairness.games.loo.pools import (
    Form,
    class_sums,
    growth,
    pools_by_number,
    signal_to_noise,
)
from experiments.fairness.games.loo.reading import (
    Deals,
    exponential,
    powers,
    ratio,
    ratio_change,
    read_deals,
    share_of,
)
from experiments.fairness.games.loo.sessions import ends
from experiments.fairness.games.loo.skill import (
    Measure,
    differences,
    repetitions,
    sizes_of,
    spread,
    sums_of,
    tail_share,
)
from experiments.fairness.games.loo.stakes import stake_forms, stakes
from experiments.fairness.games.loo.without import measures, other_form
from experiments.fairness.study import Study
from loop_envs.duplicate import Interval, mean_interval
from loop_envs.game import Game
from loop_envs.registry import rules_of
from tests.experiments.fairness.studies import make_study, study_config, whole

ENV = "loo-v0"
LADDER: list[Any] = ["cautious"] + [
    {"name": f"cautious-{k}", "noisy": "cautious", "epsilon": k / 100} for k in (20, 50, 80)
]


def _game(**options: Any) -> Game:
    return Game(ENV, rules_of(ENV), options)


# Columns ------------------------------------------------------------------------------------------


def _declaration(game: Game, state: Any, legal: list[int], row: dict[str, Any]) -> int | None:
    """Notes what the player to move may declare; the number of `pass` if a declaration is due."""
    names = {game.action_text(state, a): a for a in legal}
    if "in" not in names:
        return None
    player = game.current_player(state)
    row["offered"][player] = "miss" in names
    row["forced"][player] = not {"pass", "defend"} & set(names)
    row["ahead"][player] = sum(d >= 2 for d in row["declared"])
    return names["in"] - 1


def _trick_winner(cards: list[tuple[int, int]], trump: int) -> int:
    """Who wins a trick of (player, card), without Pam."""
    led = cards[0][1] // 13

    def worth(play: tuple[int, int]) -> int:
        suit, rank = divmod(play[1], 13)
        return rank + (200 if suit == trump else 100 if suit == led else 0)

    return max(cards, key=worth)[0]


def _stepped(game: Game, board: int) -> tuple[list[Any], list[dict[str, Any]]]:
    """A match of random moves: states at the ends of deals, and what was seen to happen."""
    n, rng = game.num_players, np.random.default_rng(board)
    state = game.undealt(1, board)
    states, rows = [], []
    while not game.is_over(state):
        game.deal(state)
        while game.deal_is_due(state):
            game.deal(state)
        pool = -int(game.points(state).sum())
        row: dict[str, Any] = {
            "pool": [pool] * n,
            "declared": [0] * n,
            "offered": [False] * n,
            "forced": [False] * n,
            "ahead": [0] * n,
            "tricks": [0] * n,
            "dealer": int(state["dealer"][0]),
        }
        deal, trick = int(state["deals_done"][0]), list[tuple[int, int]]()
        while int(state["deals_done"][0]) == deal and not game.is_over(state):
            player, legal = game.current_player(state), game.legal_actions(state)
            first = _declaration(game, state, legal, row)
            action = int(rng.choice(legal))
            if first is not None:
                row["declared"][player] = action - first + 1
            elif action < 52:
                trick.append((player, action))
                trump = int(state["trump"][0]) if state["trump"][0] >= 0 else trick[0][1] // 13
                if len(trick) == sum(d >= 2 for d in row["declared"]):
                    row["tricks"][_trick_winner(trick, trump)] += 1
                    trick = []
            game.play(state, action)
            while game.deal_is_due(state) and int(state["deals_done"][0]) == deal:
                game.deal(state)  # a new stock
        played = sum(row["tricks"]) > 0
        row["looed"] = [
            played and row["declared"][p] in (2, 3) and row["tricks"][p] == 0 for p in range(n)
        ]
        row["over"] = game.is_over(state)
        row["carry"] = [-int(game.points(state).sum())] * n
        states.append(state.copy())
        rows.append(row)
    return states, rows


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bold_stand": "all", "num_players": 4},
        {"bold_stand": "off", "club_law": True, "num_players": 3},
        {"ante_mode": "dealer", "dealer_defends": False, "num_players": 4},
        {"ante_mode": "all_dealer_double", "loo": "capped", "num_players": 7},
        {"variant": "irish", "odd_chips": "stay", "num_players": 4},
        {"variant": "five_card", "pam": "none", "num_players": 3},
        {"variant": "five_card", "num_players": 6},
    ],
)
def test_columns_are_what_was_seen_to_happen(options: dict[str, Any]) -> None:
    game = _game(num_deals=12, allow_debt=True, **options)
    n = game.num_players
    states, rows, match = [], [], []
    for board in range(4):
        some, seen = _stepped(game, board)
        states += some
        rows += seen
        match += [board] * len(some)
    found = round_columns(game, np.array(match), np.concatenate(states))
    seats = np.arange(n)
    plain = game.options["variant"] != "five_card"
    for i, row in enumerate(rows):
        assert found["after"][i].tolist() == ((seats - row["dealer"] - 1) % n).tolist()
        for name in ("declared", "offered", "forced", "ahead", "pool"):
            where = seats if name != "ahead" else np.flatnonzero(row["declared"])
            assert found[name][i][where].tolist() == np.array(row[name])[where].tolist(), name
        assert found["took_miss"][i].tolist() == [d == 3 for d in row["declared"]]
        if plain:
            assert found["tricks"][i].tolist() == row["tricks"]
            assert found["looed"][i].tolist() == row["looed"]
        if not row["over"]:
            assert found["carry"][i].tolist() == row["carry"]
    first = found["round"][:, 0] == 0
    assert found["single"][first].all()
    before = np.append(0, found["carry"][:-1, 0])
    assert (found["single"][~first, 0] == (before[~first] == 0)).all()
    # No chip is lost: what players gain comes out of the pool, and what they lose goes into it.
    running = ~np.array([row["over"] for row in rows])
    change = found["carry"][:, 0] - np.where(first, 0, before)
    assert (found["gain"].sum(axis=1)[running] == -change[running]).all()


# Questions ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("loo") / "study"
    # Four agents for three seats: not everybody sits in every line-up.
    options = {"num_players": 3, "num_deals": 8}
    return make_study(folder, study_config(ENV, ladder=LADDER, options=options))


def _complete(answer: Answer) -> None:
    assert answer.findings
    assert answer.plots
    assert answer.notes
    for one in answer.findings:
        assert one.boards >= 48, one.name
        assert "nan" not in one.sentence, one.sentence
        if math.isfinite(one.estimate) and "half of the time" not in one.name:
            assert one.low <= one.estimate <= one.high, one.name
    answer.section()


@pytest.mark.parametrize("question", [dealer, miss, stakes, ahead])
def test_questions_on_a_tiny_study(question: Callable[[Study], Answer], study: Study) -> None:
    answer = question(study)
    _complete(answer)
    clear = [one for one in answer.findings if math.isfinite(one.low)]
    assert len(clear) > len(answer.findings) / 2


def test_stakes_are_compared_on_the_same_boards(tmp_path: Path) -> None:
    options = {"num_players": 3, "num_deals": 4}
    settings = {"boards": 100, "variants": 130, "ladder": LADDER, "options": options}
    answer = stakes(make_study(tmp_path, study_config(ENV, **settings)))
    assert {one.boards for one in answer.findings} == {100}


def test_a_variant_without_a_miss(tmp_path: Path) -> None:
    options = {"num_players": 3, "num_deals": 5, "variant": "five_card", "bold_stand": "all"}
    other = make_study(tmp_path / "study", study_config(ENV, ladder=LADDER, options=options))
    answer = miss(other)
    _complete(answer)
    assert all(math.isfinite(one.low) for one in answer.findings)
    assert "Pam" in answer.title
    _complete(dealer(other))
    # Nobody may pass on a single pool.
    deals = read_deals(whole(other.identical()))
    assert deals.of["forced"][deals.single].all()


def test_other_forms_of_games_without_a_miss() -> None:
    forms = [
        other_form(dict(_game(**options).options))[0]
        for options in (
            {"variant": "five_card"},
            {"variant": "five_card", "pam": "none"},
            {"variant": "irish"},
            {"variant": "irish", "irish_turnup": True},
        )
    ]
    assert forms == [
        {"pam": "none"},
        {"pam": "jack_of_clubs"},
        {"irish_turnup": True},
        {"irish_turnup": False},
    ]


def test_stakes_are_those_of_the_rules(study: Study) -> None:
    forms = stake_forms(study)
    assert forms["loo unlimited"] == {}
    game = _game(**study.game.options | forms["loo capped"])
    assert game.options["loo_amount"] == 10 * game.options["ante"]
    assert set(forms) > {"loo limited", "ante dealer", "ante all_dealer_double"}


# Planted effects ----------------------------------------------------------------------------------

RNG_BOARDS = 200


def _deals(gain: Floats, board: Any, number: Any, **columns: Any) -> Deals:
    """Deals with given gains [K, n]; agent i at seat i, the last one deals, unless said."""
    k, n = gain.shape
    board, number = np.asarray(board), np.asarray(number)
    of = {
        "gain": gain,
        "margin": gain - gain.mean(axis=1, keepdims=True),
        "agent": np.tile(np.arange(n), (k, 1)),
        "after": np.tile(np.arange(n), (k, 1)),
        "single": np.ones((k, n), bool),
        "pool": np.full((k, n), 15.0),
        **{name: np.zeros((k, n), int) for name in ("declared", "forced", "looed", "tricks")},
        **columns,
    }
    return Deals(range(int(board.max()) + 1), board, np.cumsum(number == 0) - 1, number, of)


def _random(n: int, deals: int, boards: int = RNG_BOARDS, seed: int = 0) -> tuple[Any, Any, Any]:
    """Noise [K, n], and boards and numbers of deals of one session on each board."""
    noise = np.random.default_rng(seed).normal(size=(boards * deals, n))
    return noise, np.repeat(np.arange(boards), deals), np.tile(np.arange(deals), boards)


def test_a_planted_advantage_of_the_dealer() -> None:
    noise, board, number = _random(4, 6)
    noise[:, 3] += 0.5
    # Everything is turned by some seats: only the place after the dealer tells.
    turn = np.arange(len(noise)) % 4
    seats = (np.arange(4) + turn[:, None]) % 4
    gain, after = np.empty_like(noise), np.empty(noise.shape, int)
    np.put_along_axis(gain, seats, noise, axis=1)
    np.put_along_axis(after, seats, np.tile(np.arange(4), (len(noise), 1)), axis=1)
    sums = places(_deals(gain, board, number, after=after))
    found = ratio(*advantage(sums, "single", 3))
    assert found.low < 0.5 < found.high
    assert found.low > 0
    nothing = ratio(*advantage(sums, "single", 0))
    assert nothing.low < -0.5 / 3 < nothing.high
    none = ratio(*advantage(sums, "looed", 3))
    assert math.isnan(none.mean)


def test_a_planted_change_is_found_on_the_same_boards() -> None:
    noise, board, number = _random(3, 5)
    base = places(_deals(noise, board, number))
    more = places(_deals(noise + np.array([0, 0, 0.3]), board, number))
    change = ratio_change(advantage(more, "single", 2), advantage(base, "single", 2))
    assert change.mean == pytest.approx(0.3)
    assert change.high - change.low < 1e-9  # the noise is the same


def _repetitions(deals: Deals, side: int) -> Measure:
    return repetitions(sums_of(deals, differences(deals, deals.n)[:, side]))


def test_skill_against_luck() -> None:
    noise, board, number = _random(4, 50)
    noise[:, 0] += 0.25
    deals = _deals(noise, board, number)
    # The difference has variance 1 + 1/3 and mean 1/4.
    needed = exponential(_repetitions(deals, 0).interval())
    assert needed.low < (4 / 3) / 0.25**2 < needed.high
    two = exponential(_repetitions(deals, 1).interval())
    assert two.low < 2 / 0.25**2 < two.high
    # Twice the stakes change nothing, twice the noise needs four times as many.
    double = _deals(2 * noise, board, number)
    assert _repetitions(double, 0).minus(_repetitions(deals, 0)).mean == pytest.approx(0)
    wide = noise + np.random.default_rng(1).normal(size=noise.shape) * np.sqrt(3)
    apart = exponential(_repetitions(_deals(wide, board, number), 0).minus(_repetitions(deals, 0)))
    assert apart.low < 4 < apart.high
    narrow, twice = (spread(sizes_of([one])) for one in (deals, double))
    assert exponential(twice.minus(narrow)).mean == pytest.approx(2)


def test_unequal_pools_are_seen_to_add_luck() -> None:
    noise, board, number = _random(4, 50)
    noise[:, 0] += 0.25
    pool = np.where(number % 10 == 9, 10.0, 1.0)[:, None] * np.ones((1, 4))
    deals = _deals(noise * pool, board, number, pool=pool)
    even = repetitions(sums_of(deals, differences(deals, 4)[:, 0] / deals.pool))
    assert even.minus(_repetitions(deals, 0)).high < 0
    # E(p²) / E(p)² with pools of 1 and 10.
    change = exponential(_repetitions(deals, 0).minus(even))
    assert change.low < 10.9 / 1.9**2 < change.high


def test_tail_share() -> None:
    gain = np.ones((1000, 3)) * np.array([1, 0, -1])
    pool = np.full((1000, 3), 10.0)
    board = np.repeat(np.arange(100), 10)
    number = np.tile(np.arange(10), 100)
    same = tail_share(sizes_of([_deals(gain, board, number, pool=pool)]))
    assert same.mean == pytest.approx(0.01)  # of equal pools a hundredth counts
    pool[::100] = 100
    gain[::100] *= 10
    sizes = sizes_of([_deals(gain, board, number, pool=pool)])
    assert tail_share(sizes).mean == pytest.approx(1000 / (1000 + 990))
    assert tail_share(sizes, 0.005).mean == pytest.approx(500 / 1990)


def test_sizes_of_parts_add_up() -> None:
    noise, board, number = _random(3, 4, boards=30)
    pool = np.random.default_rng(1).integers(5, 50, len(noise))[:, None] * np.ones((1, 3))
    whole = sizes_of([_deals(noise, board, number, pool=pool)])
    parts = []
    for numbers in (range(13), range(13, 14), range(14, 30)):
        some = (board >= numbers.start) & (board < numbers.stop)
        part = _deals(noise[some], board[some] - numbers.start, number[some], pool=pool[some])
        parts.append(replace(part, numbers=numbers))
    found = sizes_of(parts)
    assert found.pools.tolist() == whole.pools.tolist()
    assert found.cells == pytest.approx(whole.cells)
    # Folds are the groups of the jackknife, so its interval is that of leaving out boards.
    by_board = (noise - noise.mean(axis=1, keepdims=True)) ** 2
    squares = by_board.mean(axis=1).reshape(30, 4).sum(axis=1)
    expected = Measure(np.stack([np.full(30, 4), squares], axis=1), spread(whole).statistic)
    assert spread(found).interval() == pytest.approx(expected.interval())


def test_classes_of_pools_and_growth() -> None:
    noise, board, number = _random(3, 10)
    pool = np.where(number == 0, 10.0, 90.0)[:, None] * np.ones((1, 3))
    noise[:, 0] += np.where(number == 0, 0.0, 0.5)
    deals = _deals(noise, board, number, pool=pool)
    cells = class_sums(deals, differences(deals, 3)[:, 0], ante=10)
    assert cells[:, :, 2].sum(axis=0).tolist() == [200, 0, 0, 0, 1800]
    single, large = signal_to_noise(cells, 0), signal_to_noise(cells, 4)
    assert single.low < 0 < single.high
    assert large.low < 0.5 / math.sqrt(1.5) < large.high
    assert math.isnan(signal_to_noise(cells, 1).mean)
    answer = Answer("x", "x", "x")
    sums = {"number": pools_by_number(deals, 12)}
    growth(answer, {"unlimited": Form(deals.boards, sums, sizes_of([deals]))})
    assert answer.findings[0].estimate == pytest.approx(9)


def test_head_to_head() -> None:
    noise, board, number = _random(5, 10)
    agent = np.tile(np.array([0, 1, 0, 1, 0]), (len(noise), 1))
    noise[agent == 0] += 0.2
    sums = head_to_head(_deals(noise, board, number, agent=agent))
    found = ratio(sums["ahead"].sum(axis=1), sums["deals"].sum(axis=1))
    assert found.low < 0.2 < found.high
    assert found.low > 0


def _tables(effect: Floats, skill: float, boards: int, long: int) -> Deals:
    """A line-up of three in all rotations: seats gain by their cards, agent 0 by skill too."""
    gains, agents, board, number = [], [], [], []
    for b in range(boards):
        for k in range(3):
            agent = (np.arange(3) + k) % 3
            gains.append(effect[b] + skill * (agent == 0))
            agents.append(np.tile(agent, (long, 1)))
            board += [b] * long
            number += list(range(long))
    return _deals(np.concatenate(gains), board, number, agent=np.concatenate(agents))


def test_who_is_ahead() -> None:
    boards, long = 60, 12
    cards = np.random.default_rng(0).normal(size=(boards, long, 3))
    found = shares_ahead(_tables(cards, 1e-6, boards, long), 3, long)
    # By cards alone everybody is ahead in one rotation out of three; in duplicate they cancel.
    assert found.single == pytest.approx(1 / 3)
    assert (found.duplicate == 1).all()
    assert found.fresh.shape == (20, long)
    assert 0.1 < found.fresh.mean() < 0.6
    level = shares_ahead(_tables(0 * cards, 0.0, boards, long), 3, long)
    assert level.single == pytest.approx(1 / 3)
    assert level.fresh == pytest.approx(1 / 3)
    better = shares_ahead(_tables(cards, 1.0, boards, long), 3, long)
    share = better.single.mean(axis=0)
    assert share[0] < share[-1]
    # The difference of two sums of cards against that of the skill, for either opponent.
    draws = np.random.default_rng(1).normal(size=(100_000, 3)) * np.sqrt(long)
    chance = float((draws[:, 0] + long > draws[:, 1:].max(axis=1)).mean())
    last = _share(better.single[:, -1])
    assert last.low < chance < last.high


def test_half_of_the_time() -> None:
    rng = np.random.default_rng(0)
    chance = np.linspace(0.3, 0.7, 21)
    single = (rng.random((2000, 21)) < chance).astype(float)
    found = half(powers(single).sum(axis=1))
    assert found.low <= 11 <= found.high
    assert found.high - found.low <= 6
    assert math.isnan(half(powers(0.1 * single).sum(axis=1)).mean)


def test_ends_of_sessions() -> None:
    # Board 0: sessions of 3 and 2 deals; board 1: of 3 and 3.
    number = np.array([0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 2])
    board = np.array([0] * 5 + [1] * 6)
    found = ends(_deals(np.zeros((11, 3)), board, number), 3)
    assert found["early"].tolist() == [[1, 0.5, 0.25], [1, 0, 0]]
    assert found["lengths"].tolist() == [[0, 0, 1, 1], [0, 0, 0, 2]]


def _share(values: Floats) -> Interval:
    return share_of(powers(values).sum(axis=1))


def test_shares_are_means_with_intervals() -> None:
    values = np.random.default_rng(0).random(50)
    assert _share(values) == pytest.approx(mean_interval(values))


def test_shares_without_spread_have_exact_intervals() -> None:
    none = _share(np.zeros(100))
    assert none.low == none.mean == 0
    assert (1 - none.high) ** 100 == pytest.approx(0.025)
    every = _share(np.ones(100))
    assert every.high == every.mean == 1
    assert every.low == pytest.approx(1 - none.high)
    assert _share(np.array([0.0] * 99 + [1.0])).low == 0


def test_sentences_say_what_was_found() -> None:
    def sentence(mean: float, half_width: float) -> str:
        interval = Interval(mean, mean - half_width, mean + half_width, 20)
        return judged([Claim("it", interval, "chips", 100, "It is {}: {}")])[0].sentence

    assert "It is more" in sentence(1, 0.1)
    assert "It is less" in sentence(-1, 0.1)
    assert "neither clearly more nor less" in sentence(1, 2)
    assert "It is neither more nor less" in sentence(0, 0)
    assert "no such deals" in sentence(math.nan, math.nan)
    assert p_value(Interval(1, 0, 2, 20)) == pytest.approx(0.05)


def test_measures_of_deals() -> None:
    declared = np.array([[2, 2, 1], [2, 1, 2]])
    deals = _deals(
        np.array([[3.0, -3.0, 0.0], [1.0, 1.0, -2.0]]),
        [0, 1],
        [0, 0],
        declared=declared,
        looed=np.array([[0, 1, 0], [0, 0, 0]], bool),
        tricks=np.array([[3, 0, 0], [0, 0, 0]]),
    )
    found = {key: sums.tolist() for key, sums in measures(deals).items()}
    assert found["players in"] == [2, 2]
    assert found["loos"] == [1, 0]
    assert found["flushes"] == [0, 1]
    assert found["spread"] == [6, 2]
    assert found["deals"] == [1, 1]
