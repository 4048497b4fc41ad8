"""The search for weights: every game can be searched, and wrong arguments are refused in words."""

from __future__ import annotations

import importlib

import pytest

from agents.heuristics.evolve import main
from loop_envs import env_ids
from loop_envs.registry import rules_of


@pytest.mark.parametrize("env_id", env_ids())
def test_every_game_can_be_searched(env_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"agents.heuristics.{rules_of(env_id).name}")
    main([env_id, "--minutes", "0.0001", "--pairs", "1", "--boards", "1"])
    shown = capsys.readouterr().out
    assert [line.split(":")[0] for line in shown.splitlines()] == [f"W.{w.name}" for w in module.W]


def test_no_time_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    from agents.heuristics.loopla import WEIGHTS

    main(["loopla-v0", "--minutes", "0"])
    shown = capsys.readouterr().out.splitlines()
    assert [int(line.split(": ")[1].rstrip(",")) for line in shown] == WEIGHTS


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["loop_seat-v0"], "did you mean 'loop_seats-v0'?"),
        (["loopla-v0", "--start", "x"], "allowed: numbers"),
        (["loopla-v0", "--start", "1,2"], "12 finite numbers: ALONE"),
        (["loopla-v0", "--start", ",".join(["nan"] * 12)], "12 finite numbers"),
        (["loopla-v0", "--pairs", "0"], "--pairs: got 0"),
        (["loopla-v0", "--boards", "0"], "--boards: got 0"),
        (["loopla-v0", "--seed", "-1"], "--seed: got -1"),
        (["loopla-v0", "--minutes", "nan"], "--minutes: got nan"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert words in capsys.readouterr().err
