"""When a tournament stops before all its boards are played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import polars as pl

from experiments.config_tournament import StopConfig, TournamentConfig
from loop_envs.duplicate import (
    SequentialPlan,
    SequentialResult,
    board_differences,
    sequential_plan,
    sequential_test,
)

Pair = tuple[str, str]


def compared_pairs(t: TournamentConfig, stop: StopConfig) -> list[Pair]:
    """The pairs whose differences have to be decided."""
    if stop.pairs == "all":
        return list(combinations(t.agent_names, 2))
    return [(a, b) for a, b in stop.pairs]


class StoppingRule:
    """A group-sequential test of several differences, looked at as boards are played.

    The level holds for all pairs together (Bonferroni). A pair is decided at the first look at
    which it could be; play stops when all are. What has been decided does not depend on which
    processes played, only on the results of the boards up to each look.

    Args:
        t: A tournament that has a rule.

    Raises:
        ValueError: If the looks are refused, see `sequential_plan`.
    """

    def __init__(self, t: TournamentConfig) -> None:
        assert t.stop is not None
        self._margin = t.stop.margin
        self.pairs = compared_pairs(t, t.stop)
        self.plan: SequentialPlan = sequential_plan(
            t.stop.at(t.boards), t.stop.level, t.stop.spending, len(self.pairs)
        )
        self._differences: list[pl.DataFrame] = []
        self.results: dict[Pair, SequentialResult] = {}

    def look(self, results: Iterable[pl.DataFrame]) -> bool:
        """Takes the results of the boards since the last look.

        Args:
            results: Tables of results with whole boards, in the order of the boards.

        Returns:
            Whether everything is decided.
        """
        wanted = pl.DataFrame(self.pairs, ["a", "b"], orient="row")
        for table in results:
            met = board_differences(table).join(wanted, on=["a", "b"])
            self._differences.append(met.select("a", "b", "board", "difference"))
        all_boards = pl.concat(self._differences).sort("a", "b", "board")
        for pair in self.pairs:
            own = all_boards.filter(a=pair[0], b=pair[1])["difference"].to_numpy()
            self.results[pair] = sequential_test(own, self.plan, self._margin)
        return all(result.decision != "open" for result in self.results.values())

    def table(self) -> pl.DataFrame:
        """What each difference has come to: a, b, decision, boards, difference with its bounds."""
        rows = [
            (a, b, r.decision, r.boards, r.mean, r.low, r.high)
            for (a, b), r in self.results.items()
        ]
        columns = {
            "a": pl.String, "b": pl.String, "decision": pl.String, "boards": pl.Int64,
            "difference": pl.Float64, "difference_low": pl.Float64, "difference_high": pl.Float64,
        }  # fmt: skip
        return pl.DataFrame(rows, columns, orient="row")


def reason(table: pl.DataFrame, boards: int, most: int) -> str:
    """Why play stopped, in one sentence.

    Args:
        table: From `StoppingRule.table`.
        boards: Boards that were played.
        most: Boards that could have been played.
    """
    open_pairs = table.filter(pl.col("decision") == "undecided").height
    what = "the pair" if table.height == 1 else f"all {table.height} pairs"
    if not open_pairs:
        early = f"after {boards:,} of {most:,} boards" if boards < most else f"at {most:,} boards"
        return f"Play stopped {early}, because {what} had been decided."
    count = f"{open_pairs} of {table.height} pairs were" if table.height > 1 else "the pair was"
    return f"All {most:,} boards were played, and {count} still undecided."


def decision_text(decision: str, a: str, b: str) -> str:
    """A decision in words."""
    texts: dict[str, str] = {
        "ahead": f"{a} is ahead",
        "behind": f"{b} is ahead",
        "equal": "equal within the margin",
        "undecided": "undecided",
        "open": "undecided",
    }
    return texts[decision]


def stop_rows(table: pl.DataFrame) -> list[Sequence[str]]:
    """Header and rows of the table of decisions."""
    rows: list[Sequence[str]] = [["pair", "decision", "boards", "difference", "from", "to"]]
    for row in table.iter_rows(named=True):
        a, b = row["a"], row["b"]
        ends = [f"{row[f'difference{end}']:+.2f}" for end in ("", "_low", "_high")]
        decision = decision_text(row["decision"], a, b)
        rows.append([f"{a} − {b}", decision, f"{row['boards']:,}", *ends])
    return rows
