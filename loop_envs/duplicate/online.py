"""Online ratings: one match after another. They depend on the order of the matches.

They show how a rating moved; the comparison of agents is the batch fit (`rating_table`). Matches
are taken by board, line-up and rotation, so the order of the rows makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from loop_envs.duplicate.rankings import MATCH, require_scores


def elo_change(
    ratings: npt.ArrayLike, scores: npt.ArrayLike, k: float = 32.0
) -> npt.NDArray[np.float64]:
    """How the Elo ratings of one match's seats change.

    Every two seats count as a game of two (Elo 1978), with k split over the opponents:
    ``k / (n - 1) · Σ (result - expected)``, where a result is 1, 1/2 or 0 and
    ``expected = 1 / (1 + 10 ** ((opponent - own) / 400))``. The changes add up to zero.

    Args:
        ratings: [n]: ratings before the match.
        scores: [n]: the seats' scores; more is better.
        k: Greatest change.

    Returns:
        float64 [n].

    Raises:
        ValueError: If there are fewer than two seats, or the two lengths differ.
    """
    own, score = np.asarray(ratings, np.float64), np.asarray(scores)
    if own.ndim != 1 or own.shape != score.shape or len(own) < 2:
        raise ValueError(
            f"ratings, scores: got shapes {own.shape} and {score.shape}, "
            "allowed: vectors of one length ≥ 2"
        )
    expected = 1 / (1 + 10 ** ((own[None, :] - own[:, None]) / 400))
    result = (1 + np.sign(np.subtract.outer(score, score))) / 2
    return np.asarray(k / (len(own) - 1) * (result - expected).sum(axis=1))


def elo_table(
    results: pl.DataFrame, k: float = 32.0, start: float = 1500.0, score: str = "points"
) -> pl.DataFrame:
    """Elo ratings after all matches, updated one match after another.

    An agent in several seats of a match gets the sum of its seats' changes.

    Args:
        results: A table of results.
        k: See `elo_change`.
        start: Everybody's rating before the first match.
        score: Name of a numeric column in which more is better.

    Returns:
        A row per agent, best first: agent, matches, elo.

    Raises:
        ValueError: If a match has fewer than two seats, or a score is missing.
    """
    names = results["agent"].unique().sort().to_list()
    ratings = dict.fromkeys(names, start)
    matches = dict.fromkeys(names, 0)
    for agents, scores in _matches(results, score):
        for agent in set(agents):
            matches[agent] += 1
        change = elo_change([ratings[agent] for agent in agents], scores, k)
        for agent, value in zip(agents, change.tolist(), strict=True):
            ratings[agent] += value
    table = pl.DataFrame(
        {"agent": names, "matches": matches.values(), "elo": ratings.values()}, strict=False
    )
    return table.sort(["elo", "agent"], descending=[True, False])


def openskill_table(results: pl.DataFrame, score: str = "points") -> pl.DataFrame:
    """OpenSkill's Plackett–Luce ratings after all matches, updated one match after another.

    Source: Joshy (2024), "OpenSkill: A faster asymmetric multi-team, multiplayer rating system",
    Journal of Open Source Software 9(93), and Weng and Lin (2011); the library `openskill` with
    its default parameters, which takes about 0.1 ms a match. Every seat is a team of one. An
    agent in several seats of a match enters each with its rating before the match and leaves
    with the mean of what they got.

    Args:
        results: A table of results.
        score: Name of a numeric column in which more is better.

    Returns:
        A row per agent, best first: agent; matches; mu; sigma; ordinal, which is
        ``mu - 3 · sigma``, by which rows are sorted.

    Raises:
        ValueError: If a score is missing.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    names = results["agent"].unique().sort().to_list()
    initial = model.rating()
    ratings = dict.fromkeys(names, (initial.mu, initial.sigma))
    matches = dict.fromkeys(names, 0)
    for agents, scores in _matches(results, score):
        teams = [[model.rating(*ratings[agent])] for agent in agents]
        after: dict[str, list[tuple[float, float]]] = {}
        for agent, team in zip(agents, model.rate(teams, scores=scores), strict=True):
            after.setdefault(agent, []).append((team[0].mu, team[0].sigma))
        for agent, seats in after.items():
            matches[agent] += 1
            ratings[agent] = tuple(sum(values) / len(seats) for values in zip(*seats, strict=True))
    mu, sigma = zip(*ratings.values(), strict=True)
    return (
        pl.DataFrame({"agent": names, "matches": list(matches.values()), "mu": mu, "sigma": sigma})
        .with_columns(ordinal=pl.col("mu") - 3 * pl.col("sigma"))
        .sort(["ordinal", "agent"], descending=[True, False])
    )


def _matches(results: pl.DataFrame, score: str) -> Iterator[tuple[list[str], list[float]]]:
    """Agents and scores of the seats of every match."""
    require_scores(results, score)
    matches = (
        results.select(*MATCH, "seat", "agent", pl.col(score).cast(pl.Float64).alias("score"))
        .sort(*MATCH, "seat")
        .group_by(MATCH, maintain_order=True)
        .agg("agent", "score")
    )
    yield from zip(matches["agent"].to_list(), matches["score"].to_list(), strict=True)
