from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from agents.base import Agent
from experiments import summary, tournament
from experiments.config import Config, parse_config
from experiments.lineups import label, lineups, rotations
from experiments.match_runner import play_lineups
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.schedule import schedule
from experiments.shards import Shard
from experiments.shards import shards as all_shards
from loop_envs.game import Game
from tests.experiments.helpers import Asked, Interrupted, config_values, random_agents

NAMES = "abcd"


@pytest.fixture(scope="module", autouse=True)
def _few_resamples() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "RESAMPLES", 20)
        yield


def make_config(**changes: Any) -> Config:
    values = config_values(train=False)
    values["tournament"] |= {"boards": 12, "chunk": 5}
    config = parse_config(values)
    assert config.tournament is not None
    # Names that only the tests' own agents have.
    changed = config.tournament.model_copy(update={"agents": list(NAMES), **changes})
    return config.model_copy(update={"tournament": changed})


def shards(config: Config, game: Game, who: dict[str, str], folder: Path) -> list[Shard]:
    assert config.tournament is not None
    parts = schedule(config.tournament, game.num_players, config.seed)
    return all_shards(config, game, parts, who, folder)


def quiet() -> Progress:
    return Progress(Console(quiet=True))


def play(
    runs: Path, config: Config, asked: str = "", agents: dict[str, Agent] | None = None
) -> tuple[pl.DataFrame, RunFolder]:
    game = config.make_game()
    folder = RunFolder.create(runs, config, ["test"])
    if agents is None:
        made = random_agents(game, NAMES)
        agents = {name: Asked(made[name]) if name in asked else made[name] for name in made}
    return tournament.play(config, game, folder, quiet(), agents).collect(), folder


@pytest.fixture(scope="module")
def game() -> Game:
    return make_config().make_game()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.DataFrame, RunFolder]:
    return play(tmp_path_factory.mktemp("whole"), make_config())


def test_results_are_those_of_the_matches(
    game: Game, whole: tuple[pl.DataFrame, RunFolder]
) -> None:
    frame, _ = whole
    assert dict(frame.schema) == {
        "board": pl.Int64, "lineup": pl.String, "rotation": pl.Int8, "seat": pl.Int8,
        "agent": pl.String, "points": pl.Int32, "margin": pl.Float64, "place": pl.Int8,
        "winner": pl.Boolean, "decisions": pl.Int32,
    }  # fmt: skip
    expected = {
        (2**31 + board, label(lineup), rotation, seat, name)
        for lineup in lineups(list(NAMES), 3)
        for rotation, seats in enumerate(rotations(lineup))
        for seat, name in enumerate(seats)
        for board in range(12)
    }
    keys = frame.select("board", "lineup", "rotation", "seat", "agent").rows()
    assert len(keys) == len(set(keys))
    assert set(keys) == expected
    for (board, _, _), match in frame.group_by("board", "lineup", "rotation"):
        seats = match.sort("seat")
        points, places, plies = play_lineups(
            game, random_agents(game, NAMES), [seats["agent"].to_list()], 1, [board]
        )
        assert seats["points"].to_list() == points[0].tolist()
        assert seats["place"].to_list() == places[0].tolist()
        assert seats["decisions"].to_list() == [plies[0]] * 3
    by_match = frame.group_by("board", "lineup", "rotation")
    assert np.allclose(by_match.agg(pl.col("margin").sum())["margin"], 0)
    assert (frame["winner"] == (frame["place"] == 0)).all()


@pytest.mark.parametrize(
    ("changes", "asked"),
    [({"chunk": 1}, ""), ({"chunk": 100}, "a"), ({"chunk": 3, "num_matches": 2}, "abcd")],
)
def test_results_do_not_depend_on_shards_or_path(
    tmp_path: Path, whole: tuple[pl.DataFrame, RunFolder], changes: dict[str, Any], asked: str
) -> None:
    frame, folder = play(tmp_path, make_config(**changes), asked)
    assert frame.equals(whole[0])
    same_tables(folder, whole[1])


def same_tables(first: RunFolder, second: RunFolder) -> None:
    for name in ("matches", "agents", "pairs"):
        frames = [pl.read_parquet(f.results / f"{name}.parquet") for f in (first, second)]
        assert frames[0].equals(frames[1]), name
    reports = [(f.path / "report.md").read_text() for f in (first, second)]
    assert reports[0] == reports[1]


@pytest.mark.parametrize("calls", [0, 1, 200, 500])
def test_a_resumed_tournament_has_the_same_results(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: tuple[pl.DataFrame, RunFolder],
    calls: int,
) -> None:
    monkeypatch.setattr(tournament, "SLICE", 1)
    config = make_config(num_matches=3)
    game = config.make_game()
    agents = random_agents(game, NAMES)
    folder = RunFolder.create(tmp_path, config, ["test"])
    stopped = agents | {"c": Interrupted(agents["c"], calls)}
    with pytest.raises(KeyboardInterrupt):
        tournament.play(config, game, folder, quiet(), stopped)
    shards = list((folder.results / "shards").iterdir())
    assert len(shards) < 12
    assert shards or calls < 200
    assert not (folder.results / "matches.parquet").exists()
    before = {shard: shard.stat().st_mtime_ns for shard in shards}
    tournament.play(config, game, folder, quiet(), agents)
    assert {shard: shard.stat().st_mtime_ns for shard in shards} == before
    same_tables(folder, whole[1])
    # Once more: nothing is left to play.
    never = {name: Interrupted(agent, 0) for name, agent in agents.items()}
    tournament.play(config, game, folder, quiet(), never)
    same_tables(folder, whole[1])


def test_shards_of_other_agents_are_not_used(tmp_path: Path, game: Game) -> None:
    config = make_config()
    names = {name: name for name in NAMES}
    ours = {shard.file for shard in shards(config, game, names, tmp_path)}
    retrained = names | {"a": "another checkpoint"}
    theirs = {shard.file for shard in shards(config, game, retrained, tmp_path)}
    other_seed = config.model_copy(update={"seed": 2})
    assert len(ours) == 4 * 3
    # Only the line-up without a stays the same.
    assert len(ours & theirs) == 3
    assert not ours & {s.file for s in shards(other_seed, game, names, tmp_path)}


def test_more_boards_keep_the_shards_that_are_there(tmp_path: Path, game: Game) -> None:
    names = {name: name for name in NAMES}
    few, many = (
        {s.file for s in shards(make_config(boards=n), game, names, tmp_path)} for n in (10, 20)
    )
    assert few < many


def test_tables_and_report(whole: tuple[pl.DataFrame, RunFolder]) -> None:
    frame, folder = whole
    agents = pl.read_parquet(folder.results / "agents.parquet")
    pairs = pl.read_parquet(folder.results / "pairs.parquet")
    assert sorted(agents["agent"]) == list(NAMES)
    assert agents["boards"].to_list() == [12] * 4
    assert agents["matches"].to_list() == [12 * 9] * 4
    assert agents["first"].mean() == pytest.approx(1 / 3)
    assert pairs.height == 12
    assert (pairs["difference_low"] < pairs["difference"]).all()
    # The mean margin by another way.
    boards = frame.filter(pl.col("agent") == "a").group_by("board").agg(pl.col("margin").mean())
    own = agents.filter(pl.col("agent") == "a").row(0, named=True)
    assert own["margin"] == pytest.approx(boards["margin"].mean())
    text = (folder.path / "report.md").read_text()
    assert "boards 2147483648 to 2147483659 (12)" in text
    assert f"{12 * 4 * 3} matches" in text
    assert f"| a | {own['margin']:+.2f} ± " in text


@pytest.mark.parametrize("mode", ["pairs", [["a", "b", "c"], ["d", "d", "a"]]])
def test_other_lineups(tmp_path: Path, mode: Any) -> None:
    frame, folder = play(tmp_path, make_config(lineups=mode))
    expected = [label(lineup) for lineup in lineups(list(NAMES), 3, mode)]
    assert set(frame["lineup"]) == set(expected)
    report = (folder.path / "report.md").read_text()
    assert "nan" not in report
    # b never meets d in the given line-ups.
    assert ("|  |" in report) == (mode != "pairs") or mode == "pairs"


def test_the_folder_names_the_resolved_configuration(
    whole: tuple[pl.DataFrame, RunFolder],
) -> None:
    _, folder = whole
    versions = json.loads((folder.path / "versions.json").read_text())
    assert set(versions) == {"python", "platform", "packages", "commit"}
    assert "hand_size: 4" in (folder.path / "config.yaml").read_text()
