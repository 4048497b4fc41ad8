"""What a tournament comes to, from its results a range of boards at a time.

What is kept of a board is a few numbers for every agent, pair and seat; the matches themselves
pass through, so the memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from experiments.runfolder import write_atomically
from loop_envs.duplicate import (
    Rankings,
    Transitivity,
    agent_summary,
    board_differences,
    board_margins,
    mean_interval,
    merge_rankings,
    pair_summary,
    rank_matches,
    rate,
    split_pairs,
)
from loop_envs.duplicate.tables import MATCH

RESAMPLES = 400
"""Bootstrap samples of the boards, for intervals of ratings."""
ROWS = 2**18
"""Rows of a group in the file of all matches."""


@dataclass(frozen=True)
class Facts:
    """How much was played.

    Attributes:
        first_board: Number of the first board.
        last_board: Number of the last board.
        boards: Number of boards.
        lineups: Number of line-ups: who met, in circular order.
        matches: Number of matches.
        decisions: Number of decisions.
    """

    first_board: int
    last_board: int
    boards: int
    lineups: int
    matches: int
    decisions: int


@dataclass(frozen=True)
class Tables:
    """All tables of a tournament; each becomes a Parquet file of its name.

    Attributes:
        agents: See `agent_table`.
        pairs: See `pair_table`.
        ratings: See `rate`; empty where some agents are not linked by matches.
        seats: seat; boards; margin, margin_low, margin_high.
        agent_seats: The same for every agent and seat.
        boards: board; matches; decisions; points (mean of a seat); seat_spread and agent_spread:
            standard deviations of the mean margins of the seats, and of the agents.
    """

    agents: pl.DataFrame
    pairs: pl.DataFrame
    ratings: pl.DataFrame
    seats: pl.DataFrame
    agent_seats: pl.DataFrame
    boards: pl.DataFrame

    def write(self, folder: Path) -> None:
        """Writes all files."""
        for name, frame in vars(self).items():
            write_atomically(folder / f"{name}.parquet", frame.write_parquet)


class Summary:
    """Collects results.

    Attributes:
        margins: See `board_margins`.
    """

    def __init__(self) -> None:
        self._margins: list[pl.DataFrame] = []
        self._differences: list[pl.DataFrame] = []
        self._seats: list[pl.DataFrame] = []
        self._boards: list[pl.DataFrame] = []
        self._rankings: list[Rankings] = []
        self._lineups: set[str] = set()

    def add(self, results: pl.DataFrame) -> None:
        """Takes the results of some whole boards."""
        margins = board_margins(results)
        seats = _seat_margins(results)
        self._margins.append(margins)
        self._differences.append(board_differences(results))
        self._seats.append(seats)
        self._boards.append(_board_rows(results, margins, seats))
        self._rankings.append(rank_matches(results))
        if len(self._rankings) > 50:  # many small ones say much the same again and again
            self._rankings = [merge_rankings(self._rankings)]
        self._lineups.update(results["lineup"].unique().to_list())

    @property
    def margins(self) -> pl.DataFrame:
        """See `board_margins`."""
        return pl.concat(self._margins)

    def cycles(self) -> Transitivity | None:
        """How far the table of pairs is from a ranking; None if no board has all pairs."""
        both = pl.concat(self._differences).filter(pl.col("a") < pl.col("b"))
        by_pair = both.pivot(["a", "b"], index="board", values="difference", sort_columns=True)
        pairs = both.select("a", "b").unique().sort("a", "b").rows()
        try:
            return split_pairs(pairs, by_pair.drop("board").to_numpy())
        except ValueError:
            return None

    def facts(self) -> Facts:
        """How much was played."""
        boards = pl.concat(self._boards)
        first, last, matches, decisions = boards.select(
            pl.col("board").min().alias("first"),
            pl.col("board").max().alias("last"),
            pl.col("matches").sum(),
            (pl.col("decisions") * pl.col("matches")).sum().round().cast(pl.Int64),
        ).row(0)
        return Facts(first, last, boards.height, len(self._lineups), matches, decisions)

    def tables(self, seed: int, num_seats: int) -> Tables:
        """All tables.

        Args:
            seed: Of the bootstrap.
            num_seats: Seats of a match.
        """
        try:
            ratings = rate(merge_rankings(self._rankings), resamples=RESAMPLES, seed=seed)
        except ValueError:  # groups of agents that never met, even through others
            ratings = pl.DataFrame(schema=_RATINGS)
        seats = pl.concat(self._seats).sort("agent", "seat", "board")
        # Agents with more matches count more: a seat's margin is the mean over all of them.
        everybody = (
            seats.group_by("seat", "board")
            .agg(pl.col("margin").sum(), pl.col("matches").sum())
            .sort("seat", "board")
        )
        return Tables(
            agent_summary(self.margins),
            pair_summary(pl.concat(self._differences)),
            ratings,
            _means(everybody, ["seat"], num_seats),
            _means(seats, ["agent", "seat"], num_seats),
            pl.concat(self._boards).sort("board"),
        )


_RATINGS = {"agent": pl.String} | {
    f"{name}{end}": pl.Float64 for name in ("rating", "elo") for end in ("", "_low", "_high")
}


def _seat_margins(results: pl.DataFrame) -> pl.DataFrame:
    """agent, seat, board; margin: their sum, in units of 1 / seats; matches. All are integers."""
    points = pl.col("points").cast(pl.Int64)
    margin = points * pl.len().over(MATCH).cast(pl.Int64) - points.sum().over(MATCH)
    return (
        results.with_columns(margin=margin)
        .group_by("agent", "seat", "board")
        .agg(pl.col("margin").sum(), matches=pl.len().cast(pl.Int64))
        .sort("agent", "seat", "board")
    )


def _board_rows(results: pl.DataFrame, margins: pl.DataFrame, seats: pl.DataFrame) -> pl.DataFrame:
    """A row for every board, see `Tables.boards`."""
    n = results["seat"].n_unique()
    by_seat = (
        seats.group_by("board", "seat")
        .agg(margin=pl.col("margin").sum() / (pl.col("matches").sum() * n))
        .sort("board", "seat")
        .group_by("board", maintain_order=True)
        .agg(seat_spread=pl.col("margin").std())
    )
    by_agent = margins.group_by("board", maintain_order=True).agg(
        agent_spread=pl.col("margin").std()
    )
    return (
        results.group_by("board")
        .agg(
            matches=(pl.len() // n).cast(pl.Int64),
            decisions=pl.col("decisions").cast(pl.Int64).sum() / pl.len(),
            points=pl.col("points").cast(pl.Int64).sum() / pl.len(),
        )
        .join(by_seat, on="board")
        .join(by_agent, on="board")
        .sort("board")
    )


def _means(seats: pl.DataFrame, keys: list[str], num_seats: int) -> pl.DataFrame:
    """Mean margin with its interval over boards, for every combination of the keys."""
    margin = pl.col("margin") / (pl.col("matches") * num_seats)
    rows = []
    for own in seats.with_columns(margin=margin).partition_by(keys, maintain_order=True):
        mean, low, high, boards = mean_interval(own["margin"].to_numpy())
        named = {key: own[key][0] for key in keys}
        ends = {"margin": mean, "margin_low": low, "margin_high": high}
        rows.append({**named, "boards": boards, **ends})
    return pl.DataFrame(rows).sort(keys)


def summarise(tables: Iterable[pl.DataFrame], file: Path) -> Summary:
    """Collects all results and, on the way, writes them into one file.

    Args:
        tables: The results, a range of boards at a time, in order.
        file: The Parquet file.
    """
    summary = Summary()
    with TemporaryDirectory(dir=file.parent) as folder:
        # A Parquet file cannot be added to: sorted parts first, which are then copied in order.
        parts = []
        for i, table in enumerate(tables):
            summary.add(table)
            parts.append(Path(folder) / f"{i:08}.parquet")
            table.write_parquet(parts[-1])
        stream = pl.scan_parquet(parts)
        write_atomically(file, lambda path: stream.sink_parquet(path, row_group_size=ROWS))
    return summary


def convergence(margins: pl.DataFrame, points: int = 100) -> pl.DataFrame:
    """Means and intervals after some of the boards, as many as there were to see.

    Args:
        margins: See `board_margins`.
        points: About how many numbers of boards.

    Returns:
        agent; boards; margin, margin_low, margin_high; sorted by agent and boards.
    """
    rows = []
    for own in margins.sort("agent", "board").partition_by("agent", maintain_order=True):
        values = own["margin"].to_numpy()
        counts = sorted({round(len(values) * (k + 1) / points) for k in range(points)})
        for n in (n for n in counts if n >= min(10, len(values))):
            mean, low, high, _ = mean_interval(values[:n])
            rows.append((own["agent"][0], n, mean, low, high))
    columns = ["agent", "boards", "margin", "margin_low", "margin_high"]
    return pl.DataFrame(rows, columns, orient="row")
