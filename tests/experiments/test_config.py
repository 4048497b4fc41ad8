from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from experiments import config_checks
from experiments.__main__ import main
from experiments.config import Config, load_config, parse_config
from experiments.config_tournament import TournamentConfig
from experiments.config_train import PPOConfig, TrainConfig
from experiments.config_yaml import (
    CONFIGS,
    apply_overrides,
    dump_yaml,
    known_configs,
    parse_yaml,
    read_yaml,
)
from experiments.errors import ConfigError
from tests.experiments.helpers import OPTIONS, config_values


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "test.yaml"
    path.write_text(dump_yaml(config_values()))
    return path


# override, path in the message, and words that must be there
BAD = [
    ("name=", "name", "got None, allowed: a name of"),
    ("name=a/b", "name", "got 'a/b', allowed: a name of"),
    ("name=on", "name", "got True"),
    ("nam=x", "nam", "did you mean 'name'? Keys: name, game, seed"),
    ("game=5", "game", "got 5, allowed: a mapping with the keys env, options"),
    ("game.env=loop_bords-v0", "game.env", "did you mean 'loop_boards-v0'?"),
    ("game.env=[1]", "game.env", "got [1], allowed: "),
    ("game.options.num_players=9", "game.options.num_players", "got 9, allowed: 4, 5, 6"),
    ("game.options.hand_siz=9", "game.options.hand_siz", "did you mean 'hand_size'?"),
    ("game.options.env_id=9", "game.options.env_id", "Options: num_players"),
    ("game.options=all", "game.options", "got 'all', allowed: a mapping"),
    ("seed=-1", "seed", "got -1, allowed: an integer ≥ 0"),
    ("seed=1.5", "seed", "got 1.5, allowed: an integer ≥ 0"),
    ("seed=true", "seed", "got True, allowed: an integer ≥ 0"),
    ("seed='1'", "seed", "got '1', allowed: an integer ≥ 0"),
    ("seed=9223372036854775808", "seed", "≤ 9223372036854775807"),
    ("threads=0", "threads", "got 0, allowed: an integer ≥ 1"),
    ("train.steps=0", "train.steps", "got 0, allowed: an integer ≥ 1"),
    ("train.steps=20000", "train.steps", "at least 32768, the sum of all rollouts"),
    ("train.rewards=win", "train.rewards", "did you mean 'reward'?"),
    ("train.reward=wins", "train.reward", '"margin", "points", "win", "place"; did you mean \'win'),
    ("train.num_matches=0", "train.num_matches", "got 0, allowed: an integer ≥ 1"),
    ("train.first_board=-1", "train.first_board", "got -1, allowed: an integer ≥ 0"),
    ("train.save_every=0", "train.save_every", "an integer ≥ 1"),
    ("train.learners=[]", "train.learners", "got [], allowed: a list, at least 1, each a mapping"),
    ("train.learners=wide", "train.learners", "got 'wide', allowed: a list"),
    ("train.learners.0.name=lean", "train.learners", "the name 'lean' is taken, allowed: unique"),
    ("train.learners.0.name=LEAN", "train.learners", "the name 'LEAN' is taken, allowed: unique"),
    ("train.learners.0.name=random", "train.learners.0.name", "got 'random', allowed: other"),
    ("train.learners.0.kind=dnq", "train.learners.0.kind", "got 'dnq', allowed: \"ppo\""),
    ("train.learners.0={name: x, kind: dmc, clip_range: 1}", "train.learners.0.clip_range",
     "unknown key. Keys: name, network, rollout"),
    ("train.learners.0={name: self, kind: dmc}", "train.learners.0.name", "other names than self"),
    ("train.learners.0.reward_scale=0", "train.learners.0.reward_scale", '"auto" or a number > 0'),
    ("train.learners.0.opponents=[]", "train.learners.0.opponents", "a list, at least 1"),
    ("train.learners.0.opponents=[{play: gredy}]", "train.learners.0.opponents.0.play",
     "got 'gredy', allowed: self, snapshots, lean, random, greedy, planner, or {name, checkpoint}"
     "; did you mean 'greedy'?"),
    ("train.learners.0.opponents=[{play: wide}]", "train.learners.0.opponents.0.play",
     "got 'wide', allowed: self, snapshots, lean"),
    ("train.learners.0.opponents=[{play: self}, {play: self}]", "train.learners.0.opponents",
     "'self' is there twice"),
    ("train.learners.0.opponents=[{play: {name: x, checkpoint: no.zip}}]",
     "train.learners.0.opponents.0.play.checkpoint", "got 'no.zip', allowed: a file that exists"),
    ("train.learners.0.opponents=[{play: self, weight: 0}]", "train.learners.0.opponents.0.weight",
     "a number > 0"),
    ("train.evaluate={against: [gredy]}", "train.evaluate.against.0", "did you mean 'greedy'?"),
    ("train.evaluate={against: [greedy], first_board: 7}", "train.evaluate.first_board",
     "board 7 is one of those that training plays"),
    ("train.evaluate={against: [greedy], first_board: 2147483650}", "train.evaluate.first_board",
     "board 2147483650 is one of the tournament's"),
    ("train.steps=null", "train", "no end, allowed: steps, minutes, or both"),
    ("train.minutes=0", "train.minutes", "a number > 0"),
    ("train.learners.0={name: x}", "train.learners.0.kind", "missing, allowed: \"ppo\""),
    ("train.learners.0.network=256", "train.learners.0.network", "a list of integers ≥ 1, at l"),
    ("train.learners.0.network=[0]", "train.learners.0.network.0", "got 0, allowed: an integer ≥"),
    ("train.learners.0.learning_rate=0", "train.learners.0.learning_rate", "a number > 0"),
    ("train.learners.0.learning_rate=.nan", "train.learners.0.learning_rate", "got nan, allowed"),
    ("train.learners.0.gamma=1.5", "train.learners.0.gamma", "a number > 0 and ≤ 1"),
    ("train.learners.0.gamma=0", "train.learners.0.gamma", "a number"),
    ("train.learners.1.entropy=-1", "train.learners.1.entropy", "got -1, allowed: a number ≥ 0"),
    ("train.learners.1.entropi=1", "train.learners.1.entropi", "did you mean 'entropy'?"),
    ("train.learners.1.batch_size=99999", "train.learners.1.batch_size", "at most rollout = 16384"),
    ("train.learners.1.seed=x", "train.learners.1.seed", "or null"),
    ("tournament.agents=[random]", "tournament.agents", "got 1, allowed: at least 2 agents"),
    ("tournament.agents.0=wid", "tournament.agents.0", "no agent 'wid' for loop_boards-v0; did you "
     "mean 'wide'? Agents: random"),
    ("tournament.agents.0=lean", "tournament.agents", "'lean' is there twice, allowed: unique"),
    ("tournament.agents.0=3", "tournament.agents.0", "or a mapping with the keys name, checkpoint"),
    ("tournament.agents.0={name: x}", "tournament.agents.0.checkpoint", "missing, allowed: a text"),
    ("tournament.agents.0={name: x, checkpoint: no.zip}", "tournament.agents.0.checkpoint",
     "got 'no.zip', allowed: a file that exists"),
    ("tournament.agents.0={name: x, chekpoint: no.zip}", "tournament.agents.0.chekpoint",
     "did you mean 'checkpoint'? Keys: name, checkpoint"),
    ("tournament.agents.0={name: random, checkpoint: no.zip}", "tournament.agents.0.name",
     "a name that no agent or learner has"),
    ("tournament.boards=1", "tournament.boards", "got 1, allowed: an integer ≥ 2"),
    ("tournament.first_board=5", "tournament.first_board", "board 5 is one of those that training"),
    ("tournament.lineups=some", "tournament.lineups", '"all", "pairs" or a list of lists of texts'),
    ("tournament.lineups=[wide]", "tournament.lineups", '"all", "pairs" or a list of lists'),
    ("tournament.lineups=[[wide, lean]]", "tournament.lineups", "line-up 0: 2 agents, allowed: 3"),
    ("tournament.lineups=[[wide, lean, lea]]", "tournament.lineups", "no agent 'lea' takes part"),
    ("tournament.chunk=0", "tournament.chunk", "got 0, allowed: an integer ≥ 1"),
    ("tournament.num_matches=x", "tournament.num_matches", "got 'x', allowed: an integer ≥ 1"),
    ("train=", "tournament.agents.0", "no learners without 'train'"),
    ("tournament.agents.9=random", "tournament.agents.9", "a list: got '9', allowed: 0..2"),
    ("name.x=1", "name.x", "name is 'test', which has no parts"),
    ("seed", "'seed'", "overrides are written key=value"),
    ("seed..x=1", "seed..x", "overrides are written key=value"),
    ("seed=[1", "seed", "is no valid YAML"),
]  # fmt: skip


@pytest.mark.parametrize(("override", "path", "words"), BAD, ids=[bad[0] for bad in BAD])
def test_bad_values_are_named_and_nothing_is_created(
    file: Path, capsys: pytest.CaptureFixture[str], override: str, path: str, words: str
) -> None:
    runs = file.parent / "runs"
    assert main(["run", str(file), override, "--runs", str(runs)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    lines = [line for line in err.splitlines() if line.startswith(f"  {path}: ")]
    assert any(words in line for line in lines), err
    assert "Traceback" not in err
    assert not runs.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "got None, allowed: a mapping with the keys name, game"),
        ("[1]", "got [1], allowed: a mapping"),
        ("a: [", "is no valid YAML"),
        ("name: a\nname: b", "key 'name' appears twice (line 2, column 1)"),
        ("{[1]: 2}", "unhashable"),
        ("{1: 2, name: x}", "1: unknown key"),
        ("name: a\ngame: {env: loop_boards-v0}", "nothing to do, allowed: sections 'train'"),
        ("a: \x00", "is no valid YAML"),
        ("a: !!python/object:os.system 1", "is no valid YAML"),
    ],
)
def test_bad_files_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    assert main(["run", str(path), "--runs", str(tmp_path / "runs")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_all_problems_are_named_at_once() -> None:
    values = apply_overrides(config_values(), ["seed=-1", "train.steps=x", "tournament.boards=0"])
    with pytest.raises(ConfigError) as error:
        parse_config(values)
    assert [path for path, _ in error.value.problems] == [
        "seed", "train.steps", "tournament.boards",
    ]  # fmt: skip
    assert "3 problems" in str(error.value)


def test_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"did you mean configs/quickstart\.yaml"):
        read_yaml("configs/quickstar.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_yaml(tmp_path)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_yaml(binary)


def test_overrides_set_values_and_make_sections(file: Path) -> None:
    config = load_config(
        file,
        ["train.learners.0.entropy=0.02", "tournament.lineups=pairs", "seed=1e3", "name=other"],
    )
    assert config.train is not None
    learner = config.train.learners[0]
    assert isinstance(learner, PPOConfig)
    assert learner.entropy == 0.02
    assert config.tournament is not None
    assert config.tournament.lineups == "pairs"
    assert (config.seed, config.name) == (1000, "other")
    values: dict[str, Any] = {"name": "x", "game": None}
    changed = apply_overrides(values, ["game.env=loop_boards-v0", "tournament.boards=3"])
    assert changed["game"] == {"env": "loop_boards-v0"}
    assert changed["tournament"] == {"boards": 3}
    assert values == {"name": "x", "game": None}


def test_numbers_are_read_as_people_write_them() -> None:
    text = "[3e-4, 1e6, 1_000, -2E+3, 1.5, 3e, '1e6', 12, 0x10]"
    assert parse_yaml(text) == [3e-4, 1e6, 1000, -2000.0, 1.5, "3e", "1e6", 12, 16]


def test_resolved_configurations_survive_a_round_trip(file: Path) -> None:
    config = load_config(file, ["game.options.eight="])
    assert config.game.options["eight"] is None
    assert config.game.options["tie_break"] == "shared"
    file.write_text(dump_yaml(config.to_dict()))
    assert load_config(file) == config
    assert config.make_game().num_players == OPTIONS["num_players"]
    assert yaml.safe_load(file.read_text())["train"]["learners"][0]["network"] == [256, 256]


def test_checkpoints_are_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.zip").touch()
    monkeypatch.chdir(tmp_path)
    values = config_values()
    values["tournament"]["agents"] = ["random", {"name": "old", "checkpoint": "old.zip"}]
    config = parse_config(values)
    monkeypatch.chdir(tmp_path.parent)
    assert parse_config(config.to_dict()) == config


# The verbs bench, sweep and results have schemas of their own.
OTHERS = ("configs/bench.yaml", "configs/sweep.yaml", "configs/results.yaml")


@pytest.mark.parametrize("path", [p for p in known_configs() if p not in OTHERS])
def test_configurations_of_the_project_are_right(path: str) -> None:
    config = load_config(CONFIGS.parent / path)
    assert config.tournament is None or config.tournament.first_board >= 2**31


def test_shared_boards_are_exactly_those_of_the_definition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stride = 8
    monkeypatch.setattr(config_checks, "BOARD_STRIDE", stride)
    for start in (0, 3, 20):
        for slots in (1, 2, 7, 8, 11):
            train = TrainConfig.model_construct(first_board=start, num_matches=slots)
            played = {start + i + j * stride for i in range(slots) for j in range(20)}
            for first in range(40):
                for boards in (2, 3, 9):
                    tournament = TournamentConfig.model_construct(first_board=first, boards=boards)
                    shared = sorted(played & set(range(first, first + boards)))
                    found = config_checks.shared_board(train, tournament)
                    assert found == (shared[0] if shared else None)


@pytest.mark.parametrize(
    ("train_first", "slots", "first", "boards", "refused"),
    [
        (0, 256, 2**31, 200, False),
        (0, 256, 256, 200, False),
        (0, 256, 255, 200, True),
        (0, 256, 2**32 - 200, 200, False),
        (0, 256, 2**32 - 200, 201, True),
        (0, 256, 2**32 + 255, 2, True),
        (0, 256, 2**32 + 256, 2, False),
        (10**12, 256, 10**12 - 2**32, 200, False),
        (0, 256, 5 * 2**32, 2, True),
        (2**31 - 100, 256, 2**31, 200, True),
    ],
)
def test_boards_of_training_are_refused(
    train_first: int, slots: int, first: int, boards: int, refused: bool
) -> None:
    values = config_values()
    values["train"] |= {"first_board": train_first, "num_matches": slots}
    values["tournament"] |= {"first_board": first, "boards": boards}
    if refused:
        with pytest.raises(ConfigError, match=r"tournament.first_board: .*training plays"):
            parse_config(values)
    else:
        parse_config(values)


def test_the_schema_describes_every_key() -> None:
    schema = Config.model_json_schema()
    objects = [schema, *schema["$defs"].values()]
    for node in objects:
        assert node["additionalProperties"] is False
        for name, value in node["properties"].items():
            assert "description" in value, name
    assert "loop_boards-v0" in schema["$defs"]["GameConfig"]["properties"]["env"]["enum"]
