from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

from experiments.fairness.answers import Answer
from experiments.fairness.boards import FOLDS
from experiments.fairness.games import round_columns
from experiments.fairness.games.loopla.compare import (
    Telling,
    adjusted,
    gaps,
    separation,
    strength,
    summands,
    verdict,
    worth,
)
from experiments.fairness.games.loopla.fall import endings
from experiments.fairness.games.loopla.specials import BASE, effects
from experiments.fairness.games.loopla.starter import course, helped
from experiments.fairness.games.loopla.study import STUDY
from experiments.fairness.games.loopla.tables import (
    EMPTY,
    HOOP,
    LONG,
    WHOOP,
    Rounds,
    allowed,
    by_place,
    cut,
    edge,
    per_round,
    shared,
    unselected,
)
from experiments.fairness.games.loopla.target import share_ahead
from experiments.fairness.played import Piece, Played
from experiments.lineups import rotations
from loop_envs import load_game
from loop_envs.duplicate import Interval, mean_interval
from loop_envs.envs.matches import play_rounds
from loop_envs.game import Game
from loop_envs.policies import RANDOM
from tests.experiments.fairness.studies import make_study, study_config, whole

ENV = "loopla-v0"
LADDER: list[Any] = [
    "card_counter",
    "greedy",
    {"name": "weak", "noisy": "greedy", "epsilon": 0.3},
    "random",
]
Floats = npt.NDArray[np.float64]
Row = dict[str, Any]


# Columns ------------------------------------------------------------------------------------------


def _stepped(game: Game, board: int) -> list[Row]:
    """Rounds of a match of random moves, told from what is played and what is said to happen.

    All but those that are over as soon as they have been dealt.
    """
    n = game.num_players
    rng = np.random.default_rng(board)
    state = game.undealt(3, board)
    found: list[Row] = []
    row: Row = {}
    moved = False
    while not game.is_over(state):
        before = state.copy()
        if game.deal_is_due(state):
            game.deal(state)
            row = {"fallen": [], "busted": set(), "plays": 0, "played": [0] * n, "way": 1}
            row["start"] = game.rules.deal_event(game, state)["first"]
            moved = False
        else:
            player = game.current_player(state)
            action = int(rng.choice(game.legal_actions(state)))
            text = game.action_names[action]
            collected = len(_values(before, player))
            game.play(state, action)
            moved = True
            if action < game.options["values"]:
                row["plays"] += 1
                row["played"][player] += 1
                inside = n - len(row["fallen"])
                if action == 0 and inside > 2:
                    row["way"] = -row["way"]
            elif text == "take" and len(_values(state, player)) < collected:
                row["busted"].add(player)
        for event in game.rules.events(game, before, state):
            if "fall" in event:
                row["fallen"].append(event["fall"])
            elif moved:
                end = event["round_end"]
                sizes = [len(values) for values in end["collections"]]
                row["ending"] = WHOOP if max(sizes) == 7 else HOOP
                if row["ending"] != WHOOP and game.options["hand_size"] in row["played"]:
                    row["ending"] = EMPTY
                found.append(row | {"gain": end["points"], "bonus": end["bonus"],
                                    "ply": int(state["ply"][0])})  # fmt: skip
    return found


def _values(state: npt.NDArray[Any], player: int) -> list[int]:
    return [v for v in range(13) if int(state["collection"][0][player]) >> v & 1]


class _Replay:
    """Random moves as `_stepped` makes them, kept at the ends of rounds."""

    def __init__(self, game: Game, board: int) -> None:
        rng = np.random.default_rng(board)
        state = game.undealt(3, board)
        kept = []
        while not game.is_over(state):
            done = int(state["rounds_done"][0])
            if game.deal_is_due(state):
                game.deal(state)
                continue
            game.play(state, int(rng.choice(game.legal_actions(state))))
            if int(state["rounds_done"][0]) != done:
                kept.append(state.copy())
        self.states = np.concatenate(kept)


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "target": 60},
        {"target": 60},
        {"num_players": 5, "after_fall": "free", "rounds": 8, "target": None},
        {"num_players": 6, "first_instruction": "random", "rounds": 8, "target": None},
    ],
)
def test_columns_are_what_happened(options: dict[str, Any]) -> None:
    game = load_game(ENV, **options)
    n = game.num_players
    kinds = set()
    for board in range(12):
        states = _Replay(game, board).states
        columns = round_columns(game, np.zeros(len(states), np.int64), states)
        expected = _stepped(game, board)
        assert len(states) == len(expected)
        for k, row in enumerate(expected):
            own = {name: values[k].tolist() for name, values in columns.items()}
            assert own["gain"] == row["gain"]
            assert own["bonus"] == row["bonus"]
            assert own["turn"] == [(p - row["start"]) % n for p in range(n)]
            assert own["fallen"] == [p in row["fallen"] for p in range(n)]
            assert own["busted"] == [p in row["busted"] for p in range(n)]
            assert own["cards"] == [8 - k for k in row["played"]]
            for name, value in (
                ("ending", row["ending"]),
                ("plays", row["plays"]),
                ("ply", row["ply"]),
                ("reversed", row["way"] < 0),
                ("round", k),
            ):
                assert own[name] == [value] * n
            kinds.add(row["ending"])
    if n == 5:
        assert {HOOP, EMPTY} <= kinds


def test_a_full_collection_ends_a_round_before_the_empty_hand() -> None:
    game = load_game(ENV, whoop_size=3, hand_size=4, rounds=40, target=None)
    match, states = play_rounds(game, [RANDOM], np.zeros((30, 4), int), 1, np.arange(30))
    columns = STUDY.columns(game, match, states)
    bonus = columns["bonus"].max(axis=1)
    ending = columns["ending"][:, 0]
    assert (ending[bonus >= 15] == WHOOP).all()
    assert (ending[bonus == 5] == EMPTY).all()
    assert (ending[bonus == 0] == HOOP).all()
    assert set(bonus.tolist()) == {0, 5, 15, 20}


# Arrays -------------------------------------------------------------------------------------------


def _given(
    folder: Path, game: Game, gains: list[Floats], starter: int = 0, **columns: Any
) -> Played:
    """Matches with given points of rounds, float64 [rounds, n] each, a part for every match."""
    n = game.num_players
    rows, ends = [], []
    for board, match in enumerate(gains):
        for k, gain in enumerate(match):
            for seat in range(n):
                rows.append(
                    {
                        "board": board, "lineup": "x", "rotation": 0, "seat": seat, "agent": "x",
                        "round": k, "gain": int(gain[seat]), "turn": (seat - starter - k) % n,
                        "ply": 10 * (k + 1),
                    }
                )  # fmt: skip
        for seat, points in enumerate(np.sum(match, axis=0)):
            ends.append({"board": board, "lineup": "x", "rotation": 0, "seat": seat, "agent": "x",
                         "points": int(points)})  # fmt: skip
    rounds = pl.DataFrame(rows).with_columns(
        pl.col("round").cast(pl.Int16), pl.col("turn").cast(pl.Int8)
    )
    rounds = rounds.with_columns(pl.Series(name, values) for name, values in columns.items())
    boards = range(len(gains))
    pieces = [Piece(folder / f"{board}.parquet", range(board, board + 1)) for board in boards]
    for board, piece in enumerate(pieces):
        rounds.filter(board=board).write_parquet(piece.rounds)
        pl.DataFrame(ends).filter(board=board).write_parquet(piece.path)
    return Played(game, boards, 1, pieces)


def test_matches_are_cut_where_the_target_is_reached(tmp_path: Path) -> None:
    game = load_game(ENV, num_players=2, target=400)
    gains = [np.array([[30, 0], [0, 20], [25, 30], [0, 60]]), np.array([[0, 50], [0, 60]])]
    played = _given(tmp_path, game, gains, starter=1)
    part = whole(played)
    rounds = Rounds(part)
    assert rounds.total.tolist() == [[30, 0], [30, 20], [55, 50], [55, 110], [0, 50], [0, 110]]
    short = cut(part, 50, rounds)
    assert short["points"].to_list() == [55, 50, 0, 50]
    assert short["share"].to_list() == [1, 0, 0, 1]
    assert short["length"].to_list() == [3, 3, 1, 1]
    assert short["decisions"].to_list() == [30, 30, 10, 10]
    assert short["turn"].to_list() == [1, 0, 1, 0]
    assert cut(part, 1000)["points"].to_list() == [55, 110, 0, 110]
    kept = part.rounds.filter(unselected(played))
    assert kept.select(pl.col("round").max()).collect().item() == 1
    assert shared(np.array([[3, 3, 1], [0, 0, 0]])).tolist() == [[0.5, 0.5, 0], [1 / 3] * 3]
    assert edge(np.array([[3.0, 1.0, 2.0]])).tolist() == [1.5]


def test_short_matches_are_beginnings_of_long_ones(tmp_path: Path) -> None:
    study = make_study(tmp_path, study_config(ENV, ladder=LADDER))
    long = whole(study.identical(LONG, "long"))
    for target in (50, 200):
        short = whole(study.identical({"target": target}, f"to-{target}"))
        both = cut(long, target).join(short.matches.collect(), on=["board", "seat"], suffix="_own")
        assert (both["points"] == both["points_own"]).all()
        assert (both["decisions"] == both["decisions_own"]).all()
        assert ((both["share"] > 0) == both["winner"]).all()


def test_rounds_that_are_over_at_once_count(tmp_path: Path) -> None:
    game = load_game(ENV, num_players=3, target=None, rounds=4)
    gains = [np.ones((4, 3)), np.ones((2, 3))]  # two rounds of the second match are missing
    kinds = np.repeat([HOOP, WHOOP, EMPTY, EMPTY, WHOOP, HOOP], 3).astype(np.int8)
    played = _given(tmp_path, game, gains, ending=kinds, plays=np.repeat(8, 18))
    assert endings(whole(played)).tolist() == [[0.25, 0.25, 0.5], [0.75, 0.25, 0]]
    assert per_round(whole(played), "plays").tolist() == [8, 4]


def test_who_is_helped(tmp_path: Path) -> None:
    game = load_game(ENV, num_players=2)
    level = [[1, 1]] * 3
    gains = [np.array([[9, 0], *level]), np.array([[0, 9], *level]), np.array([[2, 2], *level])]
    played = _given(tmp_path, game, gains)
    # Seat 0 begins rounds 0 and 2, seat 1 the others; nobody is ahead before round 0.
    went = course(played, 10)
    assert went["leader"].tolist() == [[1, 2], [2, 1], [1.5, 1.5]]
    assert went["last"].tolist() == [[2, 1], [1, 2], [1.5, 1.5]]
    assert went["spread"].tolist() == [9, 9, 0]
    assert went["half"].tolist() == [1, 1, 0.5]
    # What is planted: three rounds more as the starter, worth 0.7, and three less as the other.
    rng = np.random.default_rng(0)
    values = np.array([0.7, -0.7]) + rng.normal(0, 1, (900, 2))
    usual = np.full((900, 2), 5.0)
    more = usual + np.array([3, -3]) + rng.normal(0, 1, (900, 2))
    found = helped(more, usual, values)
    assert found.low < 4.2 < found.high
    assert found.high - found.low < 1.5
    none = helped(usual, usual, values)
    assert none.mean == none.low == none.high == 0


# Comparisons --------------------------------------------------------------------------------------


def test_what_a_decision_tells() -> None:
    rng = np.random.default_rng(1)

    def told(d: float, cost: float) -> Telling:
        ahead = 5 * rng.normal(d, 1, (1000, 3, 8))
        sums = summands(ahead, cost * rng.uniform(0.5, 1.5, 1000))
        folds = {name: [x[k::FOLDS].sum(axis=0) for k in range(FOLDS)] for name, x in sums.items()}
        found = Telling(**{name: np.array(x) for name, x in folds.items()})
        spread = np.sqrt(ahead.var(axis=0, ddof=1).mean(axis=1))
        assert separation(found) == pytest.approx((ahead.mean(axis=(0, 2)) / spread).mean())
        return found

    assert separation(told(0.2, 1)) == pytest.approx(0.2, abs=0.03)
    # Twice as far ahead is worth four times as much, at three times the cost a third of that.
    for one, other, ratio in (
        (told(0.4, 100), told(0.2, 100), 4),
        (told(0.4, 300), told(0.2, 100), 4 / 3),
        (told(0.2, 100), told(0.2, 100), 1),
    ):
        found = worth(one, other)
        assert found.low < ratio < found.high
        assert found.high / found.low < 2
    behind = worth(told(-0.2, 1), told(0.2, 1))
    assert math.isnan(behind.mean)
    d = strength(told(0.3, 1))
    assert d.low < 0.3 < d.high


def test_gaps_of_neighbours() -> None:
    frame = pl.DataFrame(
        {
            "board": [0] * 4 + [1] * 4,
            "lineup": ["a b", "a b", "b c", "b c"] * 2,
            "rotation": 0,
            "agent": ["a", "b", "c", "b"] * 2,
            "points": [5, 3, 1, 4, 2, 2, 7, 0],
        }
    )
    ahead = gaps(frame.lazy(), ["a", "b", "c"])
    assert ahead.tolist() == [[[2], [3]], [[0], [-7]]]
    assert share_ahead(ahead).tolist() == [1, 0.25]


def test_p_values_are_adjusted() -> None:
    x = np.random.default_rng(2).normal(0.25, 1, 100)
    nothing, sure = Interval(0, 0, 0, 9), Interval(2, 2, 2, 9)
    unknown = Interval(1, math.nan, math.nan, 1)
    p = adjusted([mean_interval(x), nothing, sure, unknown])
    assert p[0] == pytest.approx(3 * float(stats.ttest_1samp(x, 0).pvalue))
    assert p[1:] == [1, 0, 1]
    words = ("more", "less", "unclear")
    assert verdict(mean_interval(x), 0.01, *words).startswith("more (0.")
    assert verdict(mean_interval(-x), 0.01, *words, "cards").startswith("less (-0.")
    assert "cards, p = 0.5, but" in verdict(mean_interval(x), 0.5, *words, "cards", ", but")
    assert verdict(mean_interval(x), 0.5, *words).startswith("unclear")


def test_effects_of_special_players(tmp_path: Path) -> None:
    """A player costs itself 1, gives 3 to its left neighbour and takes 2 from its right one."""
    n, boards = 4, 30
    rng = np.random.default_rng(3)
    tables = [("none", 0, (BASE,) * n)]
    tables += [("odd", k, row) for k, row in enumerate(rotations(["odd"] + [BASE] * 3))]
    rows = []
    for board in range(boards):
        cards = rng.integers(0, 50, (2, n))
        for lineup, rotation, seats in tables:
            for k in range(2):
                for seat, agent in enumerate(seats):
                    more = 0
                    if lineup == "odd":
                        more = {0: -1, 1: 3, 2: 0, 3: -2}[(seat - seats.index("odd")) % n]
                    rows.append((board, lineup, rotation, seat, agent, k, cards[k, seat] + more))
    columns = ["board", "lineup", "rotation", "seat", "agent", "round", "gain"]
    frame = pl.DataFrame(rows, columns, orient="row")
    frame = frame.with_columns(pl.col("rotation").cast(pl.Int16), pl.col("seat").cast(pl.Int8))
    file = tmp_path / "given.parquet"
    frame.write_parquet(file.with_suffix(".rounds"))
    played = Played(load_game(ENV), range(boards), 5, [Piece(file, range(boards))])
    assert np.allclose(effects(played, ["odd"])["odd"], [-1, 3, 0, -2])


def test_places_of_a_planted_starter(tmp_path: Path) -> None:
    game = load_game(ENV, num_players=3)
    gains = [np.array([[5, 1, 0], [0, 5, 1], [1, 0, 5]])] * 2
    played = _given(tmp_path, game, gains)
    places = by_place(played, unselected(played))
    assert places.tolist() == [[5, 1, 0]] * 2
    assert edge(places).tolist() == [4.5, 4.5]


# Questions ----------------------------------------------------------------------------------------


def _checked(answer: Answer) -> dict[str, str]:
    """Sentences by name of findings, after a look at all parts of an answer."""
    names = [one.name for one in answer.findings]
    assert len(set(names)) == len(names)
    assert answer.plots
    assert answer.notes
    assert all(plot.svg.startswith("<svg") and "aria-label" in plot.svg for plot in answer.plots)
    for one in answer.findings:
        assert one.boards >= 100
        assert one.low <= one.estimate <= one.high or "too few to say" in one.sentence
        assert one.sentence.endswith(".")
    assert answer.section().texts
    return {one.name: one.sentence for one in answer.findings}


def test_questions_of_four_players(tmp_path: Path) -> None:
    study = make_study(tmp_path, study_config(ENV, ladder=LADDER))
    answers = {answer.id: answer for answer in (ask(study) for ask in STUDY.questions)}
    assert list(answers) == ["first", "direction", "target", "fall"]
    said = {name: _checked(answer) for name, answer in answers.items()}
    assert not any("too few to say" in text for of in said.values() for text in of.values())
    assert {f"starter of a round, {n} players" for n in range(2, 7)} <= set(said["first"])
    assert "left − right of the starter, all rounds" in said["direction"]
    assert "100.00%" in answers["target"].notes[0]
    lengths = [one.estimate for one in answers["target"].findings if "rounds of" in one.name]
    assert lengths == sorted(lengths)
    found = {one.name: one for one in answers["fall"].findings}
    assert found["6 players, rounds that end with one left: free − persist"].high < 0
    assert found["6 players, the number of cards played in a round: free − persist"].low > 0


def test_questions_of_two_players(tmp_path: Path) -> None:
    options = {"num_players": 2, "target": 40, "first_instruction": "random"}
    config = study_config(ENV, ladder=["greedy", *LADDER[2:]], options=options)
    study = make_study(tmp_path, config)
    said: dict[str, str] = {}
    for ask in STUDY.questions:
        said |= _checked(ask(study))
    assert not any("left − right" in name for name in said)
    assert "only neighbour: 1s played early − kept" in said


def test_numbers_of_players_that_the_cards_allow(tmp_path: Path) -> None:
    options = {"values": 7, "copies": 4, "num_players": 2}
    study = make_study(tmp_path, study_config(ENV, options=options))
    assert allowed(study, (2, 3, 4, 5, 6)) == [2, 3]
