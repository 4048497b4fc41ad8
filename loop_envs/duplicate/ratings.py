"""A table of batch ratings with intervals over boards, and their reading as Elo."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.luce import plackett_luce
from loop_envs.duplicate.rankings import Rankings, rank_matches

ELO_SCALE = 400 / math.log(10)  # Elo (1978): 400 points are odds of 10 to 1


def elo(rating: npt.ArrayLike, mean: float = 1500.0) -> npt.NDArray[np.float64]:
    """Plackett–Luce ratings as Elo: ``mean + 400 / ln 10 · rating``.

    A difference of 400 means odds of 10 to 1 of coming before the other (Elo 1978).

    Args:
        rating: Logarithms of strengths, of any shape.
        mean: Elo of the rating 0.
    """
    return mean + ELO_SCALE * np.asarray(rating, np.float64)


def rating_table(
    results: pl.DataFrame,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    score: str = "points",
    pseudo: float | None = None,
) -> pl.DataFrame:
    """Every agent's batch Plackett–Luce rating, with bootstrap intervals over boards.

    Boards are drawn with replacement, all matches of a board together, and the fit is repeated;
    the interval is between the quantiles of order ``(1 ± level) / 2`` (Efron 1979: percentile
    intervals). It is nan with fewer than two boards. The order of the rows makes no difference.

    Args:
        results: A table of results.
        level: Confidence level, between 0 and 1.
        resamples: Number of repeated fits, at least 1.
        seed: Of the draws.
        score: Name of a numeric column in which more is better; seats are ranked by it.
        pseudo: See `plackett_luce`. Draws for which 0 would not do are fitted as with None.

    Returns:
        A row per agent, best first: agent; boards and matches in which it played; rating,
        rating_low, rating_high (logarithm of the strength, mean zero over the agents); elo,
        elo_low, elo_high (mean 1500).

    Raises:
        ValueError: If `level` or `resamples` is out of range, or as in `rankings` and
            `plackett_luce`.
    """
    rated = rate(rank_matches(results, score), level, resamples, seed, pseudo)
    played = results.group_by(pl.col("agent").cast(pl.String)).agg(
        boards=pl.col("board").n_unique(),
        matches=pl.struct("board", "lineup", "rotation").n_unique(),
    )
    return (
        rated.join(played, on="agent")
        .sort(["rating", "agent"], descending=[True, False])
        .select("agent", "boards", "matches", pl.exclude("agent", "boards", "matches"))
    )


def rate(
    ranked: Rankings,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    pseudo: float | None = None,
) -> pl.DataFrame:
    """`rating_table` from rankings, without the columns boards and matches."""
    if not 0 < level < 1:
        raise ValueError(f"level: got {level!r}, allowed: a number between 0 and 1")
    if resamples < 1:
        raise ValueError(f"resamples: got {resamples}, allowed: an integer ≥ 1")
    fit = plackett_luce(ranked, pseudo)
    bounds = np.full((2, len(fit.agents)), math.nan)
    boards = len(ranked.boards)
    if boards > 1:
        rng = np.random.default_rng(seed)
        even = np.full(boards, 1 / boards)
        draws = [
            plackett_luce(ranked, pseudo or None, rng.multinomial(boards, even) @ ranked.counts)
            for _ in range(resamples)
        ]
        bounds = np.quantile(
            [draw.rating for draw in draws], [(1 - level) / 2, (1 + level) / 2], axis=0
        )
    table = {
        "agent": fit.agents,
        **_columns("rating", fit.rating, bounds),
        **_columns("elo", elo(fit.rating), elo(bounds)),
    }
    return pl.DataFrame(table).sort(["rating", "agent"], descending=[True, False])


def _columns(
    name: str, values: npt.NDArray[np.float64], bounds: npt.NDArray[np.float64]
) -> dict[str, npt.NDArray[np.float64]]:
    return {name: values, f"{name}_low": bounds[0], f"{name}_high": bounds[1]}
