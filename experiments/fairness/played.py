"""What came out of an arm: tables of matches and rounds, a part at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from loop_envs.game import Game


class Piece(NamedTuple):
    """Whole boards of an arm.

    Attributes:
        path: Parquet file of matches; that of rounds lies beside it.
        boards: Numbers of the boards in it.
    """

    path: Path
    boards: range

    @property
    def rounds(self) -> Path:
        """Parquet file of rounds."""
        return self.path.with_suffix(".rounds")


@dataclass(frozen=True)
class _Boards:
    """Boards that were played.

    Attributes:
        game: The rules they were played by.
        numbers: Their numbers.
        tables: Number of matches on each board.
        pieces: Files with these boards, in order; they may hold others, too.
    """

    game: Game
    numbers: range
    tables: int
    pieces: Sequence[Piece]

    @property
    def boards(self) -> int:
        """Number of boards."""
        return len(self.numbers)

    @property
    def num_matches(self) -> int:
        """Number of matches."""
        return self.boards * self.tables


class Part(_Boards):
    """Few enough boards to have all their matches and rounds in memory."""

    @property
    def matches(self) -> pl.LazyFrame:
        """A row for every seat of every match.

        Columns: board, lineup, rotation, seat, agent, points, margin, place (0 best), winner,
        decisions; sorted by match and seat.
        """
        return self._scan([piece.path for piece in self.pieces])

    @property
    def rounds(self) -> pl.LazyFrame:
        """A row for every seat of every round.

        Columns: board, lineup, rotation, seat, agent, round, gain (points), and what the game's
        module adds; sorted by match, round and seat.
        """
        return self._scan([piece.rounds for piece in self.pieces])

    def _scan(self, files: list[Path]) -> pl.LazyFrame:
        frame = pl.scan_parquet(files)
        if sum(len(piece.boards) for piece in self.pieces) == self.boards:
            return frame
        return frame.filter(
            pl.col("board").is_between(self.numbers.start, self.numbers.stop, closed="left")
        )


class Played(_Boards):
    """All boards of an arm, or the first of them.

    There may be any number of them, so their matches cannot be had but in parts.
    """

    def some(self, boards: int) -> Played:
        """The first boards, or all if there are no more."""
        return Played(self.game, self.numbers[:boards], self.tables, self.pieces)

    def parts(self, group: int = 1) -> Iterator[Part]:
        """The same in parts, about a file each, in order.

        Args:
            group: Boards that are not to be parted: all parts but the last one have a multiple.
        """
        start, end = self.numbers.start, self.numbers.stop
        own: list[Piece] = []
        for piece in self.pieces:
            own.append(piece)
            stop = min(piece.boards.stop, end)
            if stop < end:
                stop -= (stop - self.numbers.start) % group
            if stop > start:
                yield Part(self.game, range(start, stop), self.tables, own)
                start, own = stop, [piece] if stop < piece.boards.stop else []
