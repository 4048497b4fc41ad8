"""What a training run writes about itself: tables, TensorBoard curves, the state to go on from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import polars as pl
import torch
from torch.utils.tensorboard import SummaryWriter

from experiments.runfolder import RunFolder, write_atomically

Row = dict[str, Any]
TABLES = ("metrics", "opponents", "evaluation", "snapshots")


class TrainingLog:
    """Tables that grow, and curves of their numbers.

    Args:
        folder: Gets both.
        learners: Names.

    Attributes:
        tables: Rows by table: `metrics`, an iteration of a learner each; `opponents`, whom it met
            in it; `evaluation`; `snapshots`, those in the pools now.
    """

    def __init__(self, folder: RunFolder, learners: Sequence[str]) -> None:
        self._folder, self._learners = folder, learners
        self.tables: dict[str, list[Row]] = {name: [] for name in TABLES}
        self._writers: dict[str, SummaryWriter] = {}

    @contextmanager
    def curves(self, decisions: int) -> Iterator[None]:
        """Writes TensorBoard curves, too, as long as a ``with`` statement lasts.

        Args:
            decisions: Where they begin; points behind it, of a process that was killed, go.
        """
        self._writers = {
            name: SummaryWriter(str(self._folder.tensorboard / name), purge_step=decisions + 1)
            for name in self._learners
        }
        try:
            yield
        finally:
            for writer in self._writers.values():
                writer.close()
            self._writers = {}

    def metrics(self, row: Row) -> None:
        """Adds an iteration of a learner."""
        self.tables["metrics"].append(row)
        for name, value in row.items():
            if isinstance(value, float):
                self._point(row["learner"], name, value, row["decisions"])

    def evaluation(self, row: Row, several_sizes: bool = False) -> None:
        """Adds a comparison of a learner with an opponent; curves may tell sizes apart."""
        self.tables["evaluation"].append(row)
        name = f"difference_to_{row['opponent']}"
        if several_sizes:
            name += f"_with_{row['num_players']}_players"
        self._point(row["learner"], name, row["difference"], row["decisions"])

    def _point(self, learner: str, name: str, value: float, decisions: int) -> None:
        if learner in self._writers:
            self._writers[learner].add_scalar(name, value, decisions)

    def save(self) -> None:
        """Writes the tables as Parquet."""
        for name, rows in self.tables.items():
            if rows:
                frame = pl.DataFrame(rows, infer_schema_length=None)
                write_atomically(self._folder.results / f"{name}.parquet", frame.write_parquet)


_ARRAY = "<array>"


def to_tensors(value: Any) -> Any:
    """Arrays as tensors, which are all that torch loads without executing anything."""
    if isinstance(value, dict):
        return {key: to_tensors(part) for key, part in value.items()}
    if isinstance(value, list):
        return [to_tensors(part) for part in value]
    if isinstance(value, np.ndarray):
        return {_ARRAY: torch.from_numpy(np.ascontiguousarray(value))}
    return value


def to_arrays(value: Any) -> Any:
    """The arrays that `to_tensors` was given."""
    if isinstance(value, dict):
        if _ARRAY in value:
            return value[_ARRAY].numpy()
        return {key: to_arrays(part) for key, part in value.items()}
    if isinstance(value, list):
        return [to_arrays(part) for part in value]
    return value
