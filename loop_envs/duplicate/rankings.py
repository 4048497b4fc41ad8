"""Rankings of the agents of every match, reduced to what a fit needs.

A ranking is read from the top as a series of choices (Luce 1959, Plackett 1975): whoever comes
first is chosen from all, the next from those who are left, and so on. With ties, a choice is a
set of agents who share a place. Matches with the same line-up and the same result are one
*pattern*; a table of a million rows has few of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

MATCH = ("board", "lineup", "rotation")
MAX_SEATS = 12  # a choice with ties sums over up to 2 ** seats sets

Pattern = tuple[tuple[int, ...], ...]  # the agents of each place, the best place first


@dataclass(frozen=True)
class Rankings:
    """Rankings by pattern and board.

    The features of a set of agents are its shares of every agent (1 / size for each member),
    followed by one indicator per size of tie; their product with the logarithms of strengths
    and of tie parameters is the logarithm of the set's weight in a choice.

    Attributes:
        agents: Names, sorted; an agent's number is its place here.
        boards: Sorted numbers of the boards.
        tie_sizes: The sizes of ties that occur, from 2 up.
        patterns: The patterns, sorted; each a tuple of places of agents' numbers.
        counts: int64 [boards, patterns], sparse: how often each pattern occurred.
    """

    agents: list[str]
    boards: npt.NDArray[np.int64]
    tie_sizes: list[int]
    patterns: list[Pattern]
    counts: sparse.csr_array

    @cached_property
    def choices(self) -> Choices:
        """The patterns as choices."""
        return _choices(self.patterns, len(self.agents), self.tie_sizes)

    def weights(self) -> npt.NDArray[np.float64]:
        """float64 [patterns]: number of matches with each pattern."""
        return np.asarray(self.counts.sum(axis=0), np.float64)


@dataclass(frozen=True)
class Choices:
    """What patterns chose, and from what.

    Attributes:
        chosen: float64 [patterns, features]: sum of the features of all chosen sets.
        visits: float64 [patterns, pools], sparse: how often each pool was chosen from.
        options: float64 [options, features]: the sets that could be chosen, pool by pool.
        starts: int64 [pools]: each pool's first option.
        above: float64 [patterns, agents²], sparse: 1 where agent i came before j or tied with it,
            at i · agents + j.
    """

    chosen: npt.NDArray[np.float64]
    visits: sparse.csr_array
    options: npt.NDArray[np.float64]
    starts: npt.NDArray[np.int64]
    above: sparse.csr_array


def rank_matches(
    results: pl.DataFrame, score: str = "points", match: Sequence[str] = MATCH
) -> Rankings:
    """Ranks the seats of every match by their score, the highest first.

    Equal scores are ties. An agent may hold several seats of a match; each is ranked.

    Args:
        results: A table with the columns `board` and `agent`, those of `match`, and the score.
        score: Name of a numeric column in which more is better.
        match: Names of the columns that together name a match, or whatever else is to be ranked.

    Raises:
        ValueError: If the table is empty, a score is missing, or a match has more than
            12 seats.
    """
    require_scores(results, score)
    agents = results["agent"].cast(pl.String).unique().sort().to_list()
    codes = pl.DataFrame({"agent": agents, "code": range(len(agents))})
    groups = list(dict.fromkeys(["board", *match]))
    matches = (
        results.select(
            *groups, pl.col("agent").cast(pl.String), score=pl.col(score).cast(pl.Float64)
        )
        .join(codes, on="agent")
        .with_columns(place=pl.col("score").rank("dense", descending=True).over(groups))
        .sort("place", "code")
        .group_by(groups, maintain_order=True)
        .agg(
            pattern=pl.concat_str("place", "code", separator=":").str.join(" "),
            seats=pl.len(),
        )
    )
    most = matches.select(pl.col("seats").max()).item()
    if most > MAX_SEATS:
        raise ValueError(f"results: a match has {most} seats, allowed: up to {MAX_SEATS}")
    table = matches.group_by("board", "pattern").len()
    parsed = sorted((_parse(text), text) for text in table["pattern"].unique().to_list())
    patterns = [pattern for pattern, _ in parsed]
    texts = pl.DataFrame({"pattern": [text for _, text in parsed]}).with_row_index("column")
    table = table.join(texts, on="pattern")
    boards = np.unique(table["board"].to_numpy())
    counts = sparse.csr_array(
        (
            table["len"].cast(pl.Int64).to_numpy(),
            (np.searchsorted(boards, table["board"].to_numpy()), table["column"].to_numpy()),
        ),
        shape=(len(boards), len(patterns)),
    )
    ties = sorted({len(place) for pattern in patterns for place in pattern} - {1})
    return Rankings(agents, boards, ties, patterns, counts)


def merge_rankings(parts: Sequence[Rankings]) -> Rankings:
    """Rankings of a table that was taken in parts, each of which held whole boards.

    Args:
        parts: What `rank_matches` made of each part; at least one.

    Returns:
        What it would have made of the whole table.
    """
    agents = sorted({name for part in parts for name in part.agents})
    code = {name: i for i, name in enumerate(agents)}
    # Codes keep the order of names, so places and patterns stay sorted.
    renamed = [
        [
            tuple(tuple(code[part.agents[i]] for i in place) for place in pattern)
            for pattern in part.patterns
        ]
        for part in parts
    ]
    patterns = sorted({pattern for some in renamed for pattern in some})
    column = {pattern: i for i, pattern in enumerate(patterns)}
    boards = np.unique(np.concatenate([part.boards for part in parts]))
    cells: list[sparse.coo_array] = [part.counts.tocoo() for part in parts]
    rows = [
        np.searchsorted(boards, part.boards[c.row]) for part, c in zip(parts, cells, strict=True)
    ]
    columns = [
        np.array([column[pattern] for pattern in some], np.int64)[c.col]
        for some, c in zip(renamed, cells, strict=True)
    ]
    counts = sparse.csr_array(
        (
            np.concatenate([c.data for c in cells]),
            (np.concatenate(rows), np.concatenate(columns)),
        ),
        shape=(len(boards), len(patterns)),
    )
    ties = sorted({size for part in parts for size in part.tie_sizes})
    return Rankings(agents, boards, ties, patterns, counts)


def require_scores(results: pl.DataFrame, score: str) -> None:
    """Raises ValueError if there are no rows, or a score is null or nan."""
    if results.is_empty():
        raise ValueError("results: got no rows, allowed: at least one match")
    unusable = pl.col(score).is_null() | pl.col(score).cast(pl.Float64).is_nan()
    if results.select(unusable.any()).item():
        raise ValueError(f"results: a value of {score!r} is missing, allowed: numbers")


def _parse(text: str) -> Pattern:
    places: dict[str, list[int]] = {}
    for item in text.split(" "):
        place, code = item.split(":")
        places.setdefault(place, []).append(int(code))
    return tuple(tuple(codes) for codes in places.values())


def _choices(patterns: list[Pattern], num_agents: int, tie_sizes: list[int]) -> Choices:
    """Everything that the likelihood of the patterns needs."""
    pools: dict[tuple[int, ...], int] = {}
    tie_feature = {size: num_agents + i for i, size in enumerate(tie_sizes)}
    width = num_agents + len(tie_sizes)
    chosen = np.zeros((len(patterns), width))
    visits: list[tuple[int, int]] = []
    above: set[tuple[int, int]] = set()
    for p, pattern in enumerate(patterns):
        left = [agent for place in pattern for agent in place]
        for place in pattern:
            pool = tuple(sorted(left))
            if len(pool) > 1:  # the last one left is no choice
                visits.append((p, pools.setdefault(pool, len(pools))))
                chosen[p] += _features([place], tie_feature, width)[0]
            above.update((p, i * num_agents + j) for i in set(place) for j in set(pool))
            left = left[len(place) :]
    options = [[c for d in (1, *tie_sizes) for c in combinations(pool, d)] for pool in pools]
    return Choices(
        chosen,
        _indicators(visits, (len(patterns), len(pools))),
        _features([option for pool in options for option in pool], tie_feature, width),
        np.cumsum([0, *map(len, options)])[:-1],
        _indicators(sorted(above), (len(patterns), num_agents**2)),
    )


def _features(
    places: Sequence[tuple[int, ...]], tie_feature: Mapping[int, int], width: int
) -> npt.NDArray[np.float64]:
    """float64 [places, width]: the features of sets of seats."""
    result = np.zeros((len(places), width))
    for row, place in enumerate(places):
        for agent in place:
            result[row, agent] += 1 / len(place)
        if len(place) > 1:
            result[row, tie_feature[len(place)]] = 1.0
    return result


def _indicators(cells: list[tuple[int, int]], shape: tuple[int, int]) -> sparse.csr_array:
    """A sparse matrix with a one added for every (row, column)."""
    at = np.array(cells, np.int64).reshape(-1, 2)
    return sparse.csr_array((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=shape)
