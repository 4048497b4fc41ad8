from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from agents.named import policies_of
from experiments.fairness import playing
from experiments.fairness.arms import Arm
from experiments.fairness.study import Study, ordered_tables
from experiments.match_runner import play_lineups
from experiments.players import make_players
from loop_envs import load_game
from loop_envs.deals import draw
from loop_envs.envs.matches import play_matches, play_rounds
from loop_envs.errors import OptionError
from loop_envs.game import Game, State
from loop_envs.policies import decision_keys, nth_legal
from tests.experiments.fairness.studies import LADDER, make_study, study_config, whole

GAMES: dict[str, dict[str, Any]] = {
    "loop_boards-v0": {"num_players": 5},
    "loop_seats-v0": {},
    # Many rounds are over as soon as they are dealt.
    "loopla-v0": {"rounds": 9, "target": None, "first_instruction": "random", "hand_size": 2},
    "loo-v0": {"num_deals": 6},
}


def _states_by_stepping(game: Game, board: int) -> list[bytes]:
    """The states at the ends of the rounds of a match of the random policy, one step at a time."""
    counter = game.rules.round_counter
    state = game.undealt(3, board)
    found: list[bytes] = []
    _deal(game, state, found)
    while not game.is_over(state):
        mask = game.action_mask(state)
        seed, at = np.array([3], np.uint64), np.array([board], np.int64)
        key = decision_keys(0, seed, at, state["ply"].copy())[0]
        action = nth_legal(mask, draw(key, np.int64(0), int(mask.sum())))
        before = int(state[counter][0])
        game.play(state, int(action))
        if int(state[counter][0]) != before or int(state["status"][0]) != 0:
            found.append(state.tobytes())
        _deal(game, state, found)
    return found


def _deal(game: Game, state: State, found: list[bytes]) -> None:
    """Makes the deals that are due, each of which can end a round."""
    while game.deal_is_due(state):
        before = int(state[game.rules.round_counter][0])
        game.deal(state)
        if int(state[game.rules.round_counter][0]) != before:
            found.append(state.tobytes())


@pytest.mark.parametrize("env", GAMES)
def test_states_are_those_at_the_ends_of_rounds(env: str) -> None:
    game = load_game(env, **GAMES[env])
    policy = policies_of(game.rules.name)["random"]
    boards = np.arange(10)
    seating = np.zeros((10, game.num_players), int)
    match, states = play_rounds(game, [policy], seating, 3, boards)
    points, _, plies = play_matches(game, [policy], seating, 3, boards)
    assert (np.diff(match) >= 0).all()
    for board in boards:
        own = states[match == board]
        assert [state.tobytes() for state in own] == _states_by_stepping(game, int(board))
        assert own["points"][-1][: game.num_players].tolist() == points[board].tolist()
        assert own["ply"][-1] == plies[board]


def test_long_matches_and_many_of_them_fit() -> None:
    game = load_game("loo-v0", num_deals=5000, allow_debt=True, loo="limited")
    policy = policies_of("loo")["random"]
    match, states = play_rounds(game, [policy], np.zeros((3, 5), int), 1, [0, 1, 2])
    assert np.bincount(match).tolist() == [5000] * 3
    assert states["deals_done"].tolist() == list(range(1, 5001)) * 3
    empty, none = play_rounds(game, [policy], np.zeros((0, 5), int), 1, [])
    assert len(empty) == len(none) == 0
    with pytest.raises(OptionError, match="policies: got 0"):
        play_rounds(game, [], np.zeros((1, 5), int), 1, [0])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("study"))


def test_every_match_is_the_one_that_the_agents_play(study: Study) -> None:
    played = whole(study.ladders())
    frame = played.matches.collect()
    game = study.game
    assert frame.height == 4 * played.num_matches == 4 * 100 * 4
    tables = frame["agent"].cast(pl.String).to_numpy().reshape(-1, 4)
    boards = frame["board"].to_numpy()[::4]
    agents = make_players(study.config, study.settings.ladder, game, "x")
    points, places, plies = play_lineups(game, agents, tables, study.config.seed, boards)
    assert frame["points"].to_list() == points.reshape(-1).tolist()
    assert frame["place"].to_list() == places.reshape(-1).tolist()
    assert frame["decisions"].to_list() == np.repeat(plies, 4).tolist()
    assert (frame["winner"] == (frame["place"] == 0)).all()


def test_rounds_add_up_to_matches(study: Study) -> None:
    played = whole(study.ladders())
    keys = ["board", "lineup", "rotation", "seat", "agent"]
    total = played.rounds.group_by(keys).agg(pl.col("gain").sum(), pl.len()).collect()
    both = played.matches.collect().join(total, on=keys)
    assert both.height == 4 * played.num_matches
    assert (both["points"] == both["gain"]).all()
    assert both["len"].unique().to_list() == [4]


def test_everybody_sits_everywhere_and_after_everybody(study: Study) -> None:
    tables = ordered_tables([tuple(study.ladder)])
    assert len(tables) == 6
    for at in tables:
        for seat in range(4):
            assert sorted(table.seats[seat] for table in at) == sorted(study.ladder)
    after = {(t.seats[0], t.seats[1]) for at in tables for t in at}
    assert len(after) == 12


def test_threads_and_interruptions_change_nothing(tmp_path: Path) -> None:
    config = study_config(boards=100, threads=3)
    first = make_study(tmp_path / "a", config)
    second = make_study(tmp_path / "b", config.model_copy(update={"threads": 1}))
    lineups = [tuple(first.ladder)]
    arm = Arm("many", first.players(), ordered_tables(lineups), 1500)
    a, b = first.play(arm), second.play(arm)
    assert len(a.pieces) == 2
    for one, other in zip(a.pieces, b.pieces, strict=True):
        assert one.path.name == other.path.name
        assert one.path.read_bytes() == other.path.read_bytes()
        assert one.rounds.read_bytes() == other.rounds.read_bytes()
    last = a.pieces[1].path
    whole, kept = last.read_bytes(), a.pieces[0].path.stat().st_mtime_ns
    last.unlink()
    again = Study(config, first.game, first._folder).play(arm)
    assert again.pieces[1].path.read_bytes() == whole
    assert again.pieces[0].path.stat().st_mtime_ns == kept


def test_what_may_compile_is_played_before_there_are_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "SLICE", 8)
    monkeypatch.setattr(playing, "PIECE", 80)
    events: list[tuple[str, str]] = []

    def spy(*arguments: Any) -> Any:
        who = threading.current_thread().name
        events.append(("begins", who))
        time.sleep(0.02)
        found = play_rounds(*arguments)
        events.append(("ends", who))
        return found

    monkeypatch.setattr(playing, "play_rounds", spy)
    study = make_study(tmp_path, study_config(threads=2))
    study.play(Arm("spied", study.players(), ordered_tables([tuple(study.ladder)]), 40))
    main = threading.current_thread().name
    assert events[:2] == [("begins", main), ("ends", main)]
    assert len(events) == 2 * 20
    # Others play all that follows, also in later pieces.
    assert main not in {who for _, who in events[2:]}
    assert len({who for _, who in events[2:]}) <= 2


def test_other_players_and_options_are_other_results(study: Study) -> None:
    table = ordered_tables([("random",) * 4])[:1]
    random = study.player("random")
    arms = [
        Arm("x", {"random": random}, table, 2),
        Arm("y", {"random": study.player("random", seed=1)}, table, 2),
        Arm("z", {"random": random}, table, 2, {"golden": 0}),
    ]
    names = {study.play(arm).pieces[0].path.name for arm in arms}
    assert len(names) == 3
    assert LADDER[0] == "greedy"
