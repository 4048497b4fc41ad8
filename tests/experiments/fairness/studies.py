"""Small studies for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from rich.console import Console

from experiments.config import Config, parse_config
from experiments.fairness.played import Part, Piece, Played
from experiments.fairness.study import Study
from experiments.progress import Progress
from experiments.runfolder import RunFolder

QUIET = Progress(Console(quiet=True))
LADDER: list[Any] = [
    "greedy",
    {"name": "weak", "noisy": "greedy", "epsilon": 0.3},
    {"name": "weaker", "noisy": "greedy", "epsilon": 0.6},
    "random",
]


def study_config(env: str = "loop_boards-v0", **changes: Any) -> Config:
    """The smallest study that is allowed; `changes` go to its section, `options` to the game."""
    options = changes.pop("options", {})
    threads = changes.pop("threads", 1)
    fairness = {"ladder": LADDER, "identical": 400, "boards": 100, "variants": 100, **changes}
    game = {"env": env, "options": options}
    return parse_config({"name": "study", "game": game, "threads": threads, "fairness": fairness})


def make_study(folder: Path, config: Config | None = None) -> Study:
    """A study in a new run folder."""
    config = config or study_config()
    made = RunFolder.create(folder, config, ["test"])
    return Study(config, config.make_game(), made, QUIET)


class FakeStudy(Study):
    """A study whose ladder's results are given.

    Args:
        folder: For its run folder.
        points: By board, line-up, rotation and seat, whatever makes a table of results.
    """

    def __init__(self, folder: Path, points: pl.DataFrame) -> None:
        config = study_config()
        super().__init__(config, config.make_game(), RunFolder.create(folder, config, []), QUIET)
        file = folder / "given.parquet"
        margin = pl.col("points") - pl.col("points").mean().over("board", "lineup", "rotation")
        place = pl.col("points").rank("min", descending=True).over("board", "lineup", "rotation")
        frame = points.with_columns(
            margin=margin, place=place.cast(pl.Int8) - 1, decisions=pl.lit(1, pl.Int32)
        ).with_columns(winner=pl.col("place") == 0)
        frame.write_parquet(file)
        frame.with_columns(
            round=pl.lit(0, pl.Int16), gain=pl.col("points"), result=pl.col("points")
        ).write_parquet(file.with_suffix(".rounds"))
        boards = range(frame["board"].n_unique())
        tables = frame.height // self.num_players // len(boards)
        self._given = Played(self.game, boards, tables, [Piece(file, boards)])

    def ladders(self, options: Mapping[str, Any] | None = None, name: str = "") -> Played:
        return self._given


def results(
    study_ladder: Sequence[str],
    tables: Sequence[Sequence[Any]],
    boards: int,
    points: npt.NDArray[np.float64],
) -> pl.DataFrame:
    """A table of results of the tables of every board.

    Args:
        study_ladder: Names of all agents.
        tables: By board modulo their length, tables as the schedule makes them.
        boards: Number of boards.
        points: float64 [boards, tables, seats].
    """
    names = pl.Enum(list(study_ladder))
    rows: list[tuple[Any, ...]] = []
    for board in range(boards):
        for k, table in enumerate(tables[board % len(tables)]):
            for seat, agent in enumerate(table.seats):
                key = (board, table.lineup, table.rotation, seat, agent)
                rows.append((*key, float(points[board, k, seat])))
    columns = ["board", "lineup", "rotation", "seat", "agent", "points"]
    frame = pl.DataFrame(rows, columns, orient="row")
    return frame.with_columns(pl.col("agent").cast(names), pl.col("rotation").cast(pl.Int16))


def whole(played: Played) -> Part:
    """All boards as one part, for arms that are small."""
    return Part(played.game, played.numbers, played.tables, played.pieces)
