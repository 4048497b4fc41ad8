"""The trained players: what the index says is true, and they can be made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import agents
from agents import zoo
from agents.base import Decisions
from agents.checkpoints import CheckpointError
from experiments import results
from experiments import zoo as making
from experiments.__main__ import main
from experiments.config import load_config
from experiments.progress import Progress
from experiments.zoo import ROOT
from loop_envs import env_ids, load_game
from loop_envs.envs.batch import Batch

SMALL: dict[str, Any] = {
    "num_players": 2,
    "hand_size": 4,
    "deck": {"colours": 2, "values": 4},
    "eight": 3,
}
NAMES = list(zoo.entries())


def test_every_game_and_main_variant_has_a_trained_player() -> None:
    played = {(one.env, one.options.get("variant", "")) for one in zoo.entries().values()}
    assert {env for env, _ in played} == set(env_ids())
    assert {v for env, v in played if env == "loo-v0"} >= {"three_card", "five_card", "irish"}
    size = sum(one.path.stat().st_size for one in zoo.entries().values())
    assert size <= 20e6
    files = {one.path for one in zoo.entries().values()}
    assert files == set(zoo.FOLDER.glob("*.zip")), "files without an entry"


@pytest.mark.parametrize("name", NAMES)
def test_a_trained_player_is_what_the_index_says_and_plays(name: str) -> None:
    one = zoo.entry(name)
    one.verify()
    config = load_config(ROOT / one.config)
    assert one.learner in config.learner_names
    assert config.train is not None
    assert one.decisions >= (config.train.steps or 0)
    assert config.game.env == one.env
    game = load_game(one.env, **one.options)
    assert config.make_game().options == game.options
    agent = agents.load(name)
    batch = Batch(game, 8)
    batch.reset(0)
    for _ in range(5):
        actions = agent.act(Decisions.of(batch, np.arange(8)))
        batch.step(actions)  # refuses illegal ones


def test_players_refuse_other_games_and_changed_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = NAMES[0]
    with pytest.raises(CheckpointError, match="does not fit"):
        agents.load(name, load_game("loop_boards-v0", num_players=6))
    with pytest.raises(zoo.ZooError, match="did you mean"):
        agents.load(name + "x")
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    with pytest.raises(zoo.ZooError, match="is missing"):
        agents.load(name)
    zoo.file_of(name).write_bytes(b"something else")
    with pytest.raises(zoo.ZooError, match="but the index says"):
        agents.load(name)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A zoo of its own, and a configuration that fills it."""
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    monkeypatch.setattr(zoo, "INDEX", tmp_path / "index.json")
    monkeypatch.setattr(making, "ROOT", tmp_path)
    zoo.write_index({})
    config = {
        "name": "small",
        "game": {"env": "loop_boards-v0", "options": SMALL},
        "train": {
            "steps": 2000,
            "num_matches": 16,
            "evaluate": {"every": 2, "boards": 2, "against": ["random"]},
            "learners": [
                {"name": "tiny", "kind": "dmc", "network": [8], "rollout": 256, "batch_size": 64}
            ],
        },
    }
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(config))
    making.make("small/dmc", "small.yaml", "tiny", str(tmp_path / "runs"), ["test"], Progress())
    return tmp_path


def test_a_player_is_made_listed_and_made_again(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = zoo.entry("small/dmc")
    assert first.options == SMALL
    assert first.decisions >= 2000
    assert main(["zoo"]) == 0
    assert "small/dmc" in capsys.readouterr().out
    assert main(["zoo", "--retrain", "small/dmc", "--runs", str(small / "runs")]) == 0
    again = zoo.entry("small/dmc")
    again.verify()
    assert (again.config, again.learner, again.kind) == (first.config, "tiny", "dmc")
    assert main(["zoo", "--retrain", "small/dcm"]) == 2
    assert "did you mean 'small/dmc'" in capsys.readouterr().err
    again.path.write_bytes(b"broken")
    assert main(["zoo"]) == 1
    assert "but the index says" in capsys.readouterr().out


def test_results_are_written_from_tournaments(small: Path) -> None:
    tournament = {
        "name": "cup",
        "game": {"env": "loop_boards-v0", "options": SMALL},
        "tournament": {
            "agents": [{"name": "tiny", "checkpoint": "zoo:small/dmc"}, "random", "greedy"],
            "boards": 6,
            "lineups": "pairs",
        },
    }
    (small / "cup.yaml").write_text(yaml.safe_dump(tournament))
    wanted = {"output": str(small / "results.md"), "tournaments": [str(small / "cup.yaml")]}
    (small / "results.yaml").write_text(yaml.safe_dump(wanted))
    runs = str(small / "runs")
    assert main(["results", str(small / "results.yaml"), "--runs", runs]) == 0
    text = (small / "results.md").read_text()
    assert "| tiny |" in text
    assert "6 boards" in text
    assert main(["results", str(small / "results.yaml"), "tournaments=[small.yaml]"]) == 2
    assert main(["results", str(small / "results.yaml"), "outptu=x"]) == 2


def test_results_take_tournaments_only(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {"output": "x.md", "tournaments": [str(small / "small.yaml")]}
    (small / "results.yaml").write_text(yaml.safe_dump(wanted))
    assert main(["results", str(small / "results.yaml")]) == 2
    assert "must have a section tournament" in capsys.readouterr().err
    assert results.ResultsConfig.model_validate(wanted).output == "x.md"
