from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from agents import make_agent
from agents.noisy import NoisyAgent
from experiments import players
from experiments.config import Config, parse_config
from experiments.errors import ConfigError
from experiments.players import identities, load_agents
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.stages import stages_of
from experiments.tournament import play
from loop_envs.game import Game
from tests.experiments.helpers import Asked, config_values


def noisy(name: str, inner: Any, epsilon: float) -> dict[str, Any]:
    return {"name": name, "noisy": inner, "epsilon": epsilon}


def make_config(*agents: Any, train: bool = False, **changes: Any) -> Config:
    values = config_values(train=train)
    values["tournament"] |= {"agents": list(agents), "boards": 40} | changes
    return parse_config(values)


def test_noise_costs_points_and_none_changes_nothing(tmp_path: Path) -> None:
    agents = ["greedy", "random", noisy("a", "greedy", 0), noisy("b", "greedy", 0.4)]
    lineups = [["greedy", "random", "b"], ["a", "random", "b"], ["a", "b", "c"]]
    config = make_config(*agents, noisy("c", "greedy", 1.0), lineups=lineups)
    folder = RunFolder.create(tmp_path, config, ["test"])
    frame = play(config, config.make_game(), folder, Progress(Console(quiet=True))).collect()
    # With the same others at the table, the agent and the one without noise play the same match.
    first, second = (
        frame.filter(lineup=" ".join(lineup)).sort("board", "rotation", "seat")["points"].to_list()
        for lineup in lineups[:2]
    )
    assert first == second
    table = pl.read_parquet(folder.results / "agents.parquet")
    margins = dict(table.select("agent", "margin").rows())
    assert margins["a"] > margins["b"] > margins["c"]


def test_agents_that_are_asked_get_the_same_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = make_config("random", noisy("x", "greedy", 0.3))
    game = config.make_game()
    progress = Progress(Console(quiet=True))
    compiled = load_agents(config, game, None)["x"]
    assert compiled.policy is not None
    expected = play(config, game, RunFolder.create(tmp_path, config, []), progress).collect()
    make = vars(players)["make_agent"]
    monkeypatch.setattr(players, "make_agent", lambda *a: Asked(make(*a)))
    asked = load_agents(config, game, None)["x"]
    assert isinstance(asked, NoisyAgent)
    found = play(config, game, RunFolder.create(tmp_path, config, []), progress).collect()
    assert found.equals(expected)


def test_noise_is_part_of_who_somebody_is(tmp_path: Path) -> None:
    file = tmp_path / "old.zip"
    file.write_bytes(b"weights")
    inner = {"name": "old", "checkpoint": str(file)}
    config = make_config("greedy", noisy("x", "greedy", 0.3), inner, noisy("y", inner, 0.5))
    found = identities(config, RunFolder(tmp_path))
    assert found["greedy"] == "greedy"
    assert found["x"] == "greedy with noise 0.3"
    assert found["y"] == f"{found['old']} with noise 0.5"
    assert len(found["old"]) == 64


def test_learners_with_noise_have_to_be_trained(tmp_path: Path) -> None:
    config = make_config("random", noisy("x", "wide", 0.5), train=True)
    assert stages_of(config, "run", None) == ["train", "tournament"]
    with pytest.raises(ConfigError, match="'wide' is a learner of this run, which is not trained"):
        stages_of(config, "tournament", None)
    game = config.make_game()
    assert list(load_agents(config, game, None)) == ["random"]
    folder = RunFolder(tmp_path)
    with pytest.raises(ConfigError, match=r"'x' has no checkpoint .*wide.zip"):
        load_agents(config, game, folder)


def test_checkpoints_with_noise_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "old.zip"
    file.write_bytes(b"weights")

    def load(path: Path, game: Game, name: str, config: Config, where: str) -> Asked:
        return Asked(make_agent("greedy", game, config.seed))

    monkeypatch.setattr(players, "_load", load)
    monkeypatch.chdir(tmp_path)
    config = make_config("random", noisy("x", {"name": "old", "checkpoint": "old.zip"}, 0.5))
    assert parse_config(config.to_dict()) == config
    inner = config.to_dict()["tournament"]["agents"][1]["noisy"]
    assert inner == {"name": "old", "checkpoint": str(file)}
    agent = load_agents(config, config.make_game(), None)["x"]
    assert isinstance(agent, NoisyAgent)
    assert (agent.name, agent.epsilon, agent.seed) == ("x", 0.5, config.seed)


@pytest.mark.parametrize(
    ("agent", "path", "words"),
    [
        (noisy("x", "gredy", 0.1), ".noisy", "no agent 'gredy' for loop_boards-v0; did you mean"),
        (noisy("greedy", "greedy", 0.1), ".name", "a name that no agent or learner has"),
        (noisy("random", "greedy", 0.1), ".name", "a name that no agent or learner has"),
        (noisy("x", "greedy", 1.5), ".epsilon", "got 1.5, allowed: a number ≥ 0 and ≤ 1"),
        ({"name": "x", "noisy": "greedy"}, ".epsilon", "missing, allowed: a number"),
        (noisy("x", 3, 0.5), ".noisy", "got 3, allowed: a name of"),
        (noisy("x", {"name": "y"}, 0.5), ".noisy.checkpoint", "missing, allowed: a text"),
        (noisy("x", {"name": "y", "checkpoint": "no.zip"}, 0.5), ".noisy.checkpoint",
         "got 'no.zip', allowed: a file that exists"),
        ({"name": "x", "noisy": "greedy", "epsilom": 1}, ".epsilom", "did you mean 'epsilon'?"),
    ],
)  # fmt: skip
def test_bad_noise_is_refused(agent: Any, path: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_config("random", agent)
    found = dict(error.value.problems)
    assert words in found[f"tournament.agents.1{path}"]
