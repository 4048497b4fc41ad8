from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest
from rich.console import Console

from experiments import summary, tournament
from experiments.config import Config, parse_config
from experiments.config_tournament import Movement
from experiments.errors import ConfigError
from experiments.lineups import label, rotations
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.schedule import LATIN_BOARDS, Table, pairs_on_every_board, schedule
from experiments.shards import shards
from loop_envs.duplicate.movements import MOVEMENTS, howell_movement
from tests.experiments.helpers import config_values

AGENTS = ["random", "greedy", *({"name": f"g{k}", "noisy": "greedy", "epsilon": k / 10}
          for k in range(1, 9))]  # fmt: skip


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "RESAMPLES", 20)


def make_config(movement: str, agents: int, seats: int = 3, **changes: Any) -> Config:
    values = config_values(train=False)
    if seats == 2:
        values["game"] = {"env": "loop_seats-v0", "options": {"num_players": 2}}
    else:
        values["game"]["options"]["num_players"] = seats
    values["tournament"] |= {"agents": AGENTS[:agents], "movement": movement, "boards": 30}
    values["tournament"] |= changes
    return parse_config(values)


def play(config: Config, runs: Path) -> tuple[pl.DataFrame, RunFolder]:
    folder = RunFolder.create(runs, config, ["test"])
    quiet = Progress(Console(quiet=True))
    return tournament.play(config, config.make_game(), folder, quiet).collect(), folder


def test_the_names_are_those_of_the_library() -> None:
    assert get_args(Movement) == ("lineups", *MOVEMENTS)


@pytest.mark.parametrize(
    ("movement", "agents", "seats"),
    [
        ("permutations", 4, 3), ("circular", 3, 3), ("williams", 2, 3), ("cyclic", 4, 3),
        ("travelling", 3, 3), ("latin", 5, 3), ("latin", 2, 3), ("mitchell", 10, 2),
        ("howell", 5, 2), ("whist", 7, 3), ("whist", 2, 3),
    ],
)  # fmt: skip
def test_every_board_is_played_by_the_tables_of_the_movement(
    tmp_path: Path, movement: str, agents: int, seats: int
) -> None:
    config = make_config(movement, agents, seats, chunk=7)
    assert config.tournament is not None
    frame, folder = play(config, tmp_path)
    keys = ["board", "lineup", "rotation", "seat"]
    assert frame.select(keys).is_duplicated().sum() == 0
    assert frame.equals(frame.sort(keys))
    assert set(frame["agent"]) == set(config.tournament.agent_names)
    (part,) = schedule(config.tournament, seats, config.seed)
    for (board,), own in frame.group_by("board"):
        assert isinstance(board, int)
        played = [tuple(match["agent"]) for _, match in own.group_by("lineup", "rotation")]
        assert Counter(played) == Counter(table.seats for table in part.on(board))
        for (lineup, _), match in own.group_by("lineup", "rotation"):
            assert lineup == label(min(rotations(match["agent"].to_list())))
    text = (folder.path / "report.md").read_text()
    assert f"movement {movement} of {agents} agents in {seats} seats" in text
    assert "nan" not in text
    assert (folder.path / "report.html").exists()


def test_movements_go_on_with_the_number_of_the_board(tmp_path: Path) -> None:
    config = make_config("howell", 6, 2)
    assert config.tournament is not None
    (part,) = schedule(config.tournament, 2, 1)
    made = howell_movement(config.tournament.agent_names)
    for board in (0, 6, 2**31 + 17):
        assert [table.seats for table in part.on(board)] == made.seatings(board)
    # Cut up anyhow, and begun elsewhere, a board has the same tables.
    who = {name: name for name in config.tournament.agent_names}
    found: dict[int, list[Table]] = {}
    for chunk, first in ((1, 2**31), (4, 2**31), (50, 2**31), (3, 2**31 + 2)):
        t = config.tournament.model_copy(update={"chunk": chunk, "first_board": first})
        changed = config.model_copy(update={"tournament": t})
        game = config.make_game()
        for shard in shards(changed, game, [part], who, tmp_path):
            boards, tables = shard.matches()
            assert shard.num_matches == len(tables)
            for board in shard.boards:
                own = [table for b, table in zip(boards, tables, strict=True) if b == board]
                assert found.setdefault(board, own) == own


def test_latin_squares_differ_from_board_to_board() -> None:
    config = make_config("latin", 5)
    assert config.tournament is not None
    (part,) = schedule(config.tournament, 3, 1)
    assert len(part.tables) == LATIN_BOARDS
    assert part.on(0) != part.on(1)
    assert schedule(config.tournament, 3, 1) == [part] != schedule(config.tournament, 3, 2)


def test_pairs_that_meet_on_every_board() -> None:
    def meeting(movement: str, agents: int, seats: int, **changes: Any) -> int:
        t = make_config(movement, agents, seats, **changes).tournament
        assert t is not None
        return len(pairs_on_every_board(schedule(t, seats, 1)))

    assert meeting("lineups", 4, 3) == 6
    assert meeting("lineups", 3, 3, lineups=[["random", "greedy", "g1"]]) == 3
    assert meeting("permutations", 4, 3) == 6
    assert meeting("howell", 6, 2) == 0
    rows = [["random", "greedy", "random"], ["g1", "greedy", "g1"]]
    assert meeting("lineups", 3, 3, lineups=rows) == 2


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"movement": "howell", "agents": 4}, "tournament.movement",
         "got 'howell': seats: got 3, allowed: 2; allowed with 4 agents in 3 seats: lineups, perm"),
        ({"movement": "mitchell", "agents": 7}, "tournament.movement", "a number of tables that"),
        ({"movement": "whist", "agents": 7, "boards": 5}, "tournament.boards",
         "got 5, allowed: at least 7, the boards of a whole whist movement of 7 agents"),
        ({"movement": "whist", "agents": 4, "lineups": "pairs"}, "tournament.lineups",
         'got \'pairs\', allowed: "all", since movement whist seats all agents'),
        ({"movement": "hovell", "agents": 4}, "tournament.movement", "did you mean 'howell'?"),
    ],
)  # fmt: skip
def test_impossible_movements_are_refused(changes: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_config(**changes)
    assert [where for where, _ in error.value.problems] == [path]
    assert words in error.value.problems[0][1]


def test_howell_is_allowed_where_it_is_possible() -> None:
    with pytest.raises(ConfigError, match=r"allowed with 4 agents in 3 seats: .*, latin, whist$"):
        make_config("howell", 4)
    make_config("howell", 4, 2)
