"""Ids, versions, both registries; and that no registered game lacks anything."""

from __future__ import annotations

import copy
import importlib
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import loop_envs
from loop_envs import env_ids, load_game, records
from loop_envs.__main__ import info_text
from loop_envs.envs.aec import LoopAECEnv
from loop_envs.envs.batch import Batch
from loop_envs.envs.seat import SeatEnv
from loop_envs.errors import LoopEnvsError, UnknownEnvError
from loop_envs.registry import GAMES, rules_of
from loop_envs.testing import CHECKS

TESTS = Path(__file__).parent
IDS = env_ids()

PLAYER_COUNTS: dict[str, tuple[int, ...]] = {
    "loo-v0": (3, 4, 5, 6, 7, 8),
    "loop_boards-v0": (4, 5, 6),
    "loop_seats-v0": (2, 3, 4),
    "loopla-v0": (2, 3, 4, 5, 6),
}
"""Player counts of the full game; each has a golden record and runs the battery."""


def folder_of(env_id: str) -> Path:
    """The folder of a game's package."""
    file = importlib.import_module(GAMES[env_id]).__file__
    assert file is not None
    return Path(file).parent


# Ids ----------------------------------------------------------------------------------------------


def test_ids_are_sorted_and_versioned() -> None:
    assert sorted(GAMES) == IDS == loop_envs.env_ids()
    assert all(re.fullmatch(r"[a-z][a-z_]*-v\d+", env_id) for env_id in IDS)


@pytest.mark.parametrize(
    ("env_id", "hint"),
    [
        ("loop_boards", "loop_boards-v0"),
        ("loop_boards-v1", "loop_boards-v0"),
        ("loop_boards-v99", "loop_boards-v0"),
        ("loop_board-v0", "loop_boards-v0"),
        ("Loop_Boards-v0", "loop_boards-v0"),
        ("loop-boards", "loop_boards-v0"),
        ("zzzzzz", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_unknown_ids_are_refused_with_a_hint(env_id: Any, hint: str | None) -> None:
    for make in (
        load_game,
        loop_envs.make,
        lambda name: loop_envs.make_batch(name, 2),
        rules_of,
        SeatEnv,
        info_text,
    ):
        with pytest.raises(UnknownEnvError) as caught:
            make(env_id)
        message = str(caught.value)
        assert repr(env_id) in message
        assert all(known in message for known in IDS)
        assert ("did you mean" in message) == (hint is not None)
        assert hint is None or repr(hint) in message
        assert message[0] != '"', "KeyError would show the repr of the sentence"


def test_an_unknown_id_is_a_key_error_of_the_library() -> None:
    assert issubclass(UnknownEnvError, KeyError)
    assert issubclass(UnknownEnvError, LoopEnvsError)


def test_errors_are_sentences() -> None:
    with pytest.raises(UnknownEnvError, match=r"^no environment 'zzz'[.;,:]"):
        load_game("zzz")
    with pytest.raises(LoopEnvsError, match=r"no option 'zzz'[.;,:]"):
        load_game("loop_boards-v0", zzz=1)


@pytest.mark.parametrize("env_id", IDS)
def test_every_id_is_in_both_registries(env_id: str) -> None:
    env = gymnasium.make(f"loop_envs/{env_id}")
    assert isinstance(env.unwrapped, SeatEnv)
    assert env.unwrapped.game.env_id == env_id
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    inner = pettingzoo.make("aec", f"loop_envs/{env_id}").unwrapped
    assert isinstance(inner, LoopAECEnv)
    assert inner.game.env_id == env_id
    assert isinstance(loop_envs.make(env_id), LoopAECEnv)
    assert isinstance(loop_envs.make_batch(env_id, 3), Batch)


def test_gymnasium_make_takes_all_arguments() -> None:
    env = gymnasium.make(
        "loop_envs/loop_boards-v0", seat=2, opponents="random", reward="place", num_players=5,
        reveal="off", render_mode="ansi",
    )  # fmt: skip
    inner = env.unwrapped
    assert isinstance(inner, SeatEnv)
    assert inner.seat == 2
    assert inner.game.options["reveal"] == "off"
    env.reset(seed=1)
    assert "Round 1 of 5" in str(env.render())


def test_gymnasium_knows_no_other_version() -> None:
    with pytest.raises(gymnasium.error.Error):
        gymnasium.make("loop_envs/loop_boards-v7")
    with pytest.raises(gymnasium.error.Error):
        gymnasium.make("loop_envs/loop_board-v0")


def test_gymnasium_vectors_in_processes() -> None:
    script = """
import gymnasium
import loop_envs

if __name__ == "__main__":
    envs = gymnasium.make_vec("loop_envs/loop_boards-v0", num_envs=2, vectorization_mode="async",
                              vector_kwargs={"context": "spawn"})
    observations, infos = envs.reset(seed=3)
    print(observations.shape, infos["action_mask"].sum(axis=1).tolist())
    envs.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    size = load_game("loop_boards-v0").layout.size
    assert done.stdout == f"(2, {size}) [12, 12]\n", done.stderr[-1000:]


def test_importing_twice_registers_once() -> None:
    before = len(gymnasium.registry)
    loop_envs.registry.register_everywhere()
    assert len(gymnasium.registry) == before


def test_the_public_names_are_there() -> None:
    for name in loop_envs.__all__:
        assert hasattr(loop_envs, name)
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", loop_envs.__version__)


# Games as objects ---------------------------------------------------------------------------------


def test_games_survive_pickling_and_say_what_they_are() -> None:
    game = load_game("loop_boards-v0", num_players=5, eight=None, deck={"colours": 5, "values": 14})
    again = pickle.loads(pickle.dumps(game))
    assert again.env_id == game.env_id
    assert again.options == game.options
    assert (again.tables == game.tables).all()
    assert copy.deepcopy(game) is game
    assert "num_players" in repr(game)
    assert "reveal" not in repr(game)


def test_a_players_number_out_of_range_is_refused() -> None:
    game = load_game("loop_boards-v0")
    state = game.new_state(0)
    for player in (-1, 4, 100):
        with pytest.raises(ValueError, match="player"):
            game.observe(state, player)
        with pytest.raises(ValueError, match="player"):
            game.resample(state, player, np.random.default_rng(0))
        with pytest.raises(ValueError, match="player"):
            game.state_text(state, player)


def test_states_of_another_variant_are_refused() -> None:
    # They have the same dtype, but compiled code would misread them.
    game, other = load_game("loop_boards-v0"), load_game("loop_boards-v0", num_players=6)
    state = game.new_state(0)
    before = state.tobytes()
    rng = np.random.default_rng(0)
    uses: list[Any] = [
        lambda: other.action_mask(state),
        lambda: other.legal_actions(state),
        lambda: other.step(state, 0),
        lambda: other.observe(state, 0),
        lambda: other.resample(state, 0, rng),
        lambda: other.state_text(state, 0),
        lambda: game.action_mask(game.empty_states(1)),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="variant"):
            use()
    assert state.tobytes() == before
    again = load_game("loop_boards-v0", num_players=4)
    assert again.legal_actions(state) == game.legal_actions(state)


def test_action_texts_and_numbers_are_inverse() -> None:
    game = load_game("loop_boards-v0")
    state = game.new_state(0)
    for action in range(game.num_actions):
        assert game.parse_action(state, game.action_text(state, action)) == action
    for text in (
        "",
        "pass ",
        "PASS",
        "play",
        "play 7G 7R",
        "play 8R 7R",
        "play 14R",
        "aside 1R 2R",
    ):
        with pytest.raises(LoopEnvsError, match="no move"):
            game.parse_action(state, text)


# Completeness -------------------------------------------------------------------------------------


def test_every_game_is_listed_with_its_player_counts() -> None:
    assert set(PLAYER_COUNTS) == set(IDS)


@pytest.mark.parametrize("env_id", IDS)
def test_every_game_has_golden_records(env_id: str) -> None:
    for n in PLAYER_COUNTS[env_id]:
        file = TESTS / "golden" / f"{env_id}-{n}.jsonl"
        with open(file, encoding="utf-8") as lines:
            (record,) = records.read(lines)
        assert record["env"] == env_id
        assert record["options"] == load_game(env_id, num_players=n).options


@pytest.mark.parametrize("file", sorted((TESTS / "golden").iterdir()), ids=lambda file: file.stem)
def test_golden_records_are_reproduced(file: Path) -> None:
    """If this fails the same seed and board no longer give the same match: the version rises."""
    with open(file, encoding="utf-8") as lines:
        (record,) = records.read(lines)
    game = records.game_of(record)
    assert file.stem.startswith(f"{game.env_id}-{game.num_players}")
    assert records.record_match(game, 2026, 0) == record
    assert game.points(records.replay(record)).tolist() == record["scores"]


@pytest.mark.parametrize("env_id", IDS)
def test_every_game_has_tests_of_its_rules(env_id: str) -> None:
    name = rules_of(env_id).name
    for kind in ("rules", "options", "reference", "knowledge"):
        text = (TESTS / "games" / f"test_{name}_{kind}.py").read_text(encoding="utf-8")
        assert text.count("\ndef test_") >= 2
    assert "run_battery(" in (TESTS / "games" / f"test_{name}_options.py").read_text()


@pytest.mark.parametrize("env_id", IDS)
def test_every_game_has_the_same_files(env_id: str) -> None:
    files = {file.name for file in folder_of(env_id).iterdir()}
    expected = {"options.py", "state.py", "actions.py", "rules.py", "observation.py", "text.py"}
    assert expected | {"__init__.py", "README.md"} <= files


@pytest.mark.parametrize("env_id", IDS)
def test_the_tables_of_every_readme_are_those_of_the_code(env_id: str) -> None:
    text = (folder_of(env_id) / "README.md").read_text(encoding="utf-8")
    assert text.count("<!-- info:begin -->") == text.count("<!-- info:end -->") == 1
    inside = text.split("<!-- info:begin -->")[1].split("<!-- info:end -->")[0]
    assert inside.strip("\n") == info_text(env_id), f"run `python -m loop_envs info {env_id}`"


@pytest.mark.parametrize("env_id", IDS)
def test_every_option_is_explained_in_the_readme(env_id: str) -> None:
    text = (folder_of(env_id) / "README.md").read_text(encoding="utf-8")
    rules = text.split("<!-- info:begin -->")[0]
    unexplained = {"num_players", "hand_size", "set_aside", "eight"}  # research: the table will do
    for option in rules_of(env_id).options:
        assert f"`{option.name}`" in rules or option.name in unexplained, option.name


@pytest.mark.parametrize("env_id", IDS)
def test_every_game_passes_the_battery(env_id: str) -> None:
    # All player counts and options are in the games' own tests; here nothing may be forgotten.
    game = load_game(env_id)
    for check in CHECKS:
        check(game, 5)
