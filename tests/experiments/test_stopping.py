from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from experiments.config import Config, parse_config
from experiments.errors import ConfigError
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.stopping import StoppingRule, reason
from experiments.tournament import play
from loop_envs.duplicate import board_differences, sequential_plan, sequential_test
from tests.experiments.helpers import config_values


def make_config(stop: dict[str, Any] | None, **changes: Any) -> Config:
    values = config_values(train=False)
    agents = ["random", "greedy", {"name": "same", "noisy": "greedy", "epsilon": 0}]
    values["tournament"] |= {"agents": agents, "boards": 200, "stop": stop} | changes
    return parse_config(values)


def run(config: Config, runs: Path) -> tuple[pl.DataFrame, RunFolder]:
    folder = RunFolder.create(runs, config, ["test"])
    progress = Progress(Console(quiet=True))
    return play(config, config.make_game(), folder, progress).collect(), folder


def test_play_stops_when_the_difference_is_decided(tmp_path: Path) -> None:
    stop = {"looks": 10, "pairs": [["random", "greedy"]], "level": 0.99}
    frame, folder = run(make_config(stop), tmp_path)
    boards = frame["board"].n_unique()
    assert boards in range(20, 200, 20)
    table = pl.read_parquet(folder.results / "stop.parquet")
    assert table["decision"].to_list() == ["behind"]
    assert table["boards"].to_list() == [boards]
    # It is what the library says about the boards that a whole tournament plays.
    whole, _ = run(make_config(None), tmp_path)
    differences = board_differences(whole).filter(a="random", b="greedy")["difference"]
    plan = sequential_plan(range(20, 201, 20), 0.99)
    expected = sequential_test(differences.to_numpy(), plan)
    assert (expected.decision, expected.boards) == ("behind", boards)
    assert table["difference"].to_list() == [expected.mean]
    assert frame.equals(whole.filter(pl.col("board") < 2**31 + boards))
    why = f"Play stopped after {boards} of 200 boards, because the pair had been decided."
    for name in ("report.md", "report.html"):
        assert why in (folder.path / name).read_text()
    assert "| random − greedy | greedy is ahead |" in (folder.path / "report.md").read_text()


def test_what_is_not_decided_is_played_to_the_end(tmp_path: Path) -> None:
    # Two names of the same player: no difference is ever decided, unless none matters.
    stop = {"looks": [30, 60], "pairs": [["greedy", "same"], ["random", "same"]]}
    frame, folder = run(make_config(stop, boards=80, chunk=25), tmp_path)
    assert frame["board"].n_unique() == 80
    table = pl.read_parquet(folder.results / "stop.parquet")
    assert table["decision"].to_list() == ["undecided", "behind"]
    assert table["boards"][0] == 80
    report = (folder.path / "report.md").read_text()
    assert "All 80 boards were played, and 1 of 2 pairs were still undecided." in report
    wide, _ = run(make_config(stop | {"margin": 50.0}, boards=80), tmp_path)
    assert wide["board"].n_unique() == 30


def test_the_result_depends_on_neither_workers_nor_interruptions(tmp_path: Path) -> None:
    config = make_config({"looks": 8, "pairs": [["random", "greedy"]]}, chunk=3)
    _, folder = run(config, tmp_path)
    _, other = run(config.model_copy(update={"workers": 2}), tmp_path)
    for shard in sorted((other.results / "shards").iterdir())[::2]:
        shard.unlink()
    play(config, config.make_game(), other, Progress(Console(quiet=True)))
    names = sorted(file.name for file in folder.results.glob("*.parquet"))
    assert "stop.parquet" in names
    for name in names:
        assert (folder.results / name).read_bytes() == (other.results / name).read_bytes(), name
    assert (folder.path / "report.md").read_text() == (other.path / "report.md").read_text()


def test_the_error_is_shared_among_all_pairs() -> None:
    t = make_config({"looks": [50, 200]}).tournament
    assert t is not None
    rule = StoppingRule(t)
    assert rule.pairs == [("random", "greedy"), ("random", "same"), ("greedy", "same")]
    assert (rule.plan.bounds == sequential_plan([50, 200], 0.95, comparisons=3).bounds).all()
    assert t.stop is not None
    assert t.stop.at(200) == [50, 200]
    assert t.stop.at(300) == [50, 200, 300]


def test_reasons_are_sentences() -> None:
    table = pl.DataFrame({"decision": ["ahead", "equal"]})
    assert reason(table, 40, 100) == (
        "Play stopped after 40 of 100 boards, because all 2 pairs had been decided."
    )
    assert reason(table, 100, 100).startswith("Play stopped at 100 boards")
    undecided = pl.DataFrame({"decision": ["undecided"]})
    assert reason(undecided, 9, 9) == "All 9 boards were played, and the pair was still undecided."


@pytest.mark.parametrize(
    ("stop", "path", "words"),
    [
        ({"level": 1}, "level", "got 1, allowed: a number > 0 and < 1"),
        ({"looks": 0}, "looks", "got 0, allowed: an integer ≥ 1, or a list"),
        ({"looks": []}, "looks", "got [], allowed: an integer"),
        ({"looks": [50, 20]}, "looks", "got [50, 20, 200], allowed: 1 to 500 ascending"),
        ({"looks": [50, 300]}, "looks", "got [50, 300], allowed: numbers up to boards = 200"),
        ({"looks": 200}, "looks", "allowed: 1 to 500 ascending integers ≥ 2"),
        ({"pairs": "some"}, "pairs", "got 'some', allowed: \"all\" or a list of pairs"),
        ({"pairs": [["random", "gredy"]]}, "pairs", "did you mean 'greedy'?"),
        ({"pairs": [["random", "random"]]}, "pairs", "two different agents, each pair once"),
        ({"pairs": [["random", "same"], ["same", "random"]]}, "pairs", "each pair once"),
        ({"margin": -1}, "margin", "a number ≥ 0"),
        ({"spending": "x"}, "spending", '"obrien_fleming", "pocock"'),
        ({"look": 3}, "look", "did you mean 'looks'?"),
    ],
)
def test_bad_rules_are_refused(stop: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_config(stop)
    assert [where for where, _ in error.value.problems] == [f"tournament.stop.{path}"]
    assert words in error.value.problems[0][1]


def test_pairs_have_to_meet_on_every_board() -> None:
    with pytest.raises(ConfigError, match="do not meet on every board"):
        make_config({}, movement="whist", agents=["random", "greedy", *(
            {"name": f"g{k}", "noisy": "greedy", "epsilon": 0.1} for k in range(5)
        )])  # fmt: skip
    make_config({}, lineups="pairs")
