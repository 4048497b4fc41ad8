"""Training in several numbers of players at once: what is allowed, resuming, checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch

from agents.checkpoints import CheckpointError, load_agent
from agents.learners.kinds import make_frozen
from agents.learners.sizes import Sizes
from experiments import train as training
from experiments.__main__ import main
from experiments.config import Config, parse_config
from experiments.config_yaml import dump_yaml
from experiments.errors import ConfigError
from experiments.evaluation import play_pair
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from loop_envs import load_game

OPTIONS: dict[str, Any] = {"hand_size": 4, "deck": {"colours": 3, "values": 5}, "eight": 3}
CONFIG: dict[str, Any] = {
    "name": "sizes",
    "game": {"env": "loop_boards-v0", "options": {"num_players": [3, 2], **OPTIONS}},
    "train": {
        "steps": 6000,
        "num_matches": 15,
        "save_every": 2,
        "evaluate": {"every": 3, "boards": 4, "against": ["random", "greedy"]},
        "learners": [
            {
                "name": "one",
                "kind": "dmc",
                "network": [16],
                "rollout": 256,
                "batch_size": 64,
                "opponents": [
                    {"play": "self"},
                    {"play": "two"},
                    {"play": "greedy"},
                    {"play": "snapshots", "pool": {"size": 2, "every": 2}},
                ],
            },
            {
                "name": "two",
                "kind": "ppo_all",
                "network": [8],
                "rollout": 256,
                "batch_size": 64,
                "critic": "state",
                "teacher": "greedy",
                "lessons": 600,
            },
        ],
    },
}


def _config(sizes: Any = (3, 2), tournament: Any = None, **changes: Any) -> dict[str, Any]:
    game = {"env": "loop_boards-v0", "options": {**OPTIONS, "num_players": sizes}}
    if sizes == (3, 2):
        game = CONFIG["game"]
    values = {**CONFIG, "game": game, "train": {**CONFIG["train"], **changes}}
    return values if tournament is None else {**values, "tournament": tournament}


def _run(config: Config, folder: RunFolder) -> None:
    training.train(config, config.make_game(), folder, Progress())


def _weights(folder: RunFolder) -> list[bytes]:
    found = []
    for name in ("one", "two"):
        content = torch.load(folder.checkpoint(name), weights_only=True)
        found.append(b"".join(w.numpy().tobytes() for w in content["frozen"]["weights"].values()))
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    config = parse_config(CONFIG)
    folder = RunFolder.create(tmp_path_factory.mktemp("runs"), config, ["whole"])
    _run(config, folder)
    return folder


def test_a_stopped_run_goes_on_to_the_same_weights(
    whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = parse_config(CONFIG)
    broken = RunFolder.create(tmp_path, config, ["broken"])
    iterate = training.Trainer.iterate

    def stop_at_five(self: training.Trainer) -> None:
        if self._iteration == 5:
            raise KeyboardInterrupt
        iterate(self)

    monkeypatch.setattr(training.Trainer, "iterate", stop_at_five)
    with pytest.raises(KeyboardInterrupt):
        _run(config, broken)
    monkeypatch.setattr(training.Trainer, "iterate", iterate)
    _run(broken.config(), broken)
    assert _weights(broken) == _weights(whole)
    for name in ("metrics", "opponents", "snapshots", "evaluation"):
        tables = [pl.read_parquet(f.results / f"{name}.parquet") for f in (whole, broken)]
        times = [c for c in tables[0].columns if c.startswith(("seconds", "share_", "samples_per"))]
        assert tables[0].drop(times).equals(tables[1].drop(times)), name


def test_matches_are_shared_out_and_learned_from_together(whole: RunFolder, tmp_path: Path) -> None:
    config = whole.config()
    assert config.train is not None
    folder = RunFolder.create(tmp_path, config, ["shares"])
    trainer = training.Trainer(config, config.train, config.make_game(), folder)
    plays = trainer._play.plays  # type: ignore[union-attr]
    assert [(p.batch.game.num_players, p.batch.num_matches) for p in plays] == [(3, 8), (2, 7)]
    boards = np.concatenate([play.batch.board for play in plays])
    assert sorted(boards.tolist()) == list(range(15))
    for _ in range(60):
        trainer._play.play_ply()
    lot = trainer._play.take(1)
    spaces = trainer.learners[1].spaces
    assert isinstance(spaces, Sizes)
    seen = spaces.layout.split(lot.learnable()["observation"])["num_players"].sum(axis=0)
    assert (seen > 100).all()


def test_evaluations_are_kept_apart_by_size_and_the_best_has_the_largest_mean(
    whole: RunFolder,
) -> None:
    judged = pl.read_parquet(whole.results / "evaluation.parquet")
    one = judged.filter(
        pl.col("learner") == "one", pl.col("decisions") == pl.col("decisions").max()
    )
    pairs = [(3, "random"), (3, "greedy"), (2, "random"), (2, "greedy")]
    assert one.select("num_players", "opponent").rows() == pairs
    mean = judged.group_by("learner", "decisions").agg(pl.col("difference").mean())
    best = mean.sort("difference", "decisions", descending=[True, False])
    for learner, decisions, _ in best.group_by("learner").first().iter_rows():
        content = torch.load(whole.checkpoint(learner, best=True), weights_only=True)
        assert content["about"]["decisions"] == decisions
    opponents = pl.read_parquet(whole.results / "opponents.parquet")
    assert set(opponents["num_players"]) == {2, 3}


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_checkpoint_plays_each_size_and_no_other(name: str, whole: RunFolder) -> None:
    path = whole.checkpoint(name)
    content = torch.load(path, weights_only=True)
    sizes = Sizes([load_game("loop_boards-v0", **OPTIONS, num_players=n) for n in (3, 2)])
    for game in sizes.games:
        agent = load_agent(path, game)
        same = make_frozen(content["kind"], name, sizes, content["frozen"])
        assert not play_pair(game, agent, load_agent(path, game, "b"), [1, 2], 0).is_empty()
        assert same.network.state_dict().keys() == content["frozen"]["weights"].keys()
    with pytest.raises(CheckpointError, match="num_players: made for 3, 2, asked for 4"):
        load_agent(path, load_game("loop_boards-v0", **{**OPTIONS, "hand_size": 3}, num_players=4))
    with pytest.raises(CheckpointError, match=r"options: made for .* asked for"):
        load_agent(path, load_game("loop_boards-v0", **{**OPTIONS, "eight": 4}, num_players=2))
    with pytest.raises(CheckpointError, match="env: made for 'loop_boards-v0', asked for 'loopla"):
        load_agent(path, load_game("loopla-v0", num_players=2))


@pytest.mark.parametrize("size", [2, 3])
def test_a_checkpoint_plays_tournaments_of_each_size(
    size: int, whole: RunFolder, tmp_path: Path
) -> None:
    values = {
        "name": "judged",
        "game": {"env": "loop_boards-v0", "options": {**OPTIONS, "num_players": size}},
        "tournament": {
            "agents": [{"name": "one", "checkpoint": str(whole.checkpoint("one"))}, "greedy"],
            "boards": 6,
        },
    }
    file = tmp_path / "judged.yaml"
    file.write_text(dump_yaml(values))
    assert main(["tournament", str(file), "--runs", str(tmp_path)]) == 0
    found = list(tmp_path.glob("judged-*/results/agents.parquet"))
    assert set(pl.read_parquet(found[0])["agent"]) == {"one", "greedy"}


def test_checkpoints_of_several_sizes_are_opponents_in_them(
    whole: RunFolder, tmp_path: Path
) -> None:
    earlier = {"play": {"name": "earlier", "checkpoint": str(whole.checkpoint("two"))}}
    learner = {**CONFIG["train"]["learners"][0], "opponents": [earlier]}
    config = parse_config(_config(learners=[learner], steps=600, evaluate=None))
    folder = RunFolder.create(tmp_path, config, ["against"])
    _run(config, folder)
    opponents = pl.read_parquet(folder.results / "opponents.parquet")
    assert set(opponents["opponent"]) == {"earlier"}


PPO = {"name": "p", "kind": "ppo", "batch_size": 64, "rollout": 64}
DQN = {"name": "q", "kind": "dqn", "batch_size": 64, "rollout": 64}
TOURNAMENT = {"agents": ["random", "greedy"]}
REFUSED = [
    (_config([3, 3]), "game.options.num_players: got [3, 3], allowed: different numbers"),
    (_config([]), "game.options.num_players: got [], allowed: a number, or a list of different"),
    (_config([3, 9, 8]), "game.options.num_players: got 9, allowed: 4, 5, 6; 2 and 3 only"),
    (_config([3, "x"]), "game.options.num_players: got 'x', allowed: 4, 5, 6; 2 and 3 only"),
    (_config([3, 5]), "(with num_players = 5)"),
    (_config(num_matches=1), "train.num_matches: got 1, allowed: at least 2, one of each size"),
    (
        _config(learners=[CONFIG["train"]["learners"][0] | {"opponents": None}, PPO, DQN]),
        "train.learners.1.kind: got 'ppo', which learns one number of players, but num_players is "
        "[3, 2], allowed: dmc, ppo_all",
    ),
    (_config(learners=[DQN]), "train.learners.0.kind: got 'dqn', which learns one number"),
    (
        _config(tournament=TOURNAMENT),
        "game.options.num_players: got [3, 2], allowed with a section 'tournament': one number",
    ),
    (
        {"name": "x", "game": CONFIG["game"], "tournament": TOURNAMENT},
        "game.options.num_players: got [3, 2], allowed without a section 'train': one number",
    ),
]


@pytest.mark.parametrize(("values", "text"), REFUSED)
def test_what_does_not_go_together_is_refused(values: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_config(values)
    assert text in str(refused.value)


def test_options_that_follow_from_the_size_are_left_to_it() -> None:
    config = parse_config(CONFIG)
    assert config.game.options["num_players"] == [3, 2]
    assert config.game.options["count_self"] is True
    assert [game.options["rounds"] for game in config.make_games()] == [3, 2]
    assert parse_config(config.to_dict()) == config


def test_a_list_of_one_is_that_number() -> None:
    config = parse_config(_config([3], tournament=TOURNAMENT, learners=[PPO]))
    assert config.game.options["num_players"] == 3
    assert config == parse_config(_config(3, tournament=TOURNAMENT, learners=[PPO]))
