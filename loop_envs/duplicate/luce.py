"""Batch Plackett–Luce ratings, with ties.

A set S of agents takes the next place, among those who are left, with probability proportional
to ``δ(|S|) · (∏ strength of the members) ** (1 / |S|)``, where δ(1) = 1 and δ(2), δ(3), … are
estimated for the sizes of ties that occur; sizes that do not occur have δ = 0. Without ties this
is the model of Plackett (1975) and Luce (1959); of two agents with ties, that of Davidson
(1970). Source: Turner, van Etten, Firth and Kosmidis (2020), "Modelling rankings in R: the
PlackettLuce package", Computational Statistics 35, 1027–1057.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse
from scipy.sparse import csgraph

from loop_envs.duplicate.rankings import Rankings

PSEUDO = 0.5  # the default of Turner et al. (2020)


@dataclass(frozen=True)
class PlackettLuce:
    """A fit.

    Attributes:
        agents: Names.
        rating: float64 [agents]: logarithms of the strengths, with mean zero.
        ties: δ of every size of tie that occurs.
        log_likelihood: Of all rankings, without the pseudo-rankings.
        pseudo: Pseudo-wins and pseudo-losses that each agent got.
    """

    agents: list[str]
    rating: npt.NDArray[np.float64]
    ties: dict[int, float]
    log_likelihood: float
    pseudo: float

    def win_probability(self, a: str, b: str) -> float:
        """Probability that `a` comes before `b`, given that they do not tie with each other."""
        i, j = self.agents.index(a), self.agents.index(b)
        return float(1 / (1 + np.exp(self.rating[j] - self.rating[i])))


def plackett_luce(
    rankings: Rankings,
    pseudo: float | None = None,
    weights: npt.ArrayLike | None = None,
) -> PlackettLuce:
    """Fits strengths and tie parameters by maximum likelihood, to all rankings at once.

    The order of the matches is not used, so shuffling them changes nothing. The likelihood has
    a maximum if no group of agents always came before all others (Ford 1957, Hunter 2004).
    Otherwise, and always if `pseudo` is positive, every agent gets that many wins and losses
    against a pseudo-agent (without ties), which keeps ratings finite and draws them together.

    Args:
        rankings: The rankings.
        pseudo: Pseudo-wins and pseudo-losses of every agent. None: 0 if the likelihood has a
            maximum, else 0.5.
        weights: [patterns]: the weight of each pattern, at least 0, if not the number of matches.

    Raises:
        ValueError: If `pseudo` is negative, or 0 where the likelihood has no maximum; if groups
            of agents never met, even through others; if `weights` has the wrong shape or sign.
    """
    if pseudo is not None and not 0 <= pseudo < math.inf:
        raise ValueError(f"pseudo: got {pseudo}, allowed: None or a number ≥ 0")
    if weights is None:
        _require_meetings(rankings)
    w = rankings.weights() if weights is None else np.asarray(weights, np.float64)
    if w.shape != (len(rankings.patterns),) or not (w >= 0).all() or not w.any():
        raise ValueError(
            f"weights: got shape {w.shape}, allowed: one number ≥ 0 for each of "
            f"{len(rankings.patterns)} patterns, not all zero"
        )
    count, parts = _groups(rankings, w, "strong")
    if pseudo == 0 and count > 1:
        raise ValueError(
            f"pseudo: got 0, but the likelihood has no maximum: {_named(rankings, parts)} are "
            "not linked by wins both ways; allowed: a number above 0"
        )
    if pseudo is None:
        pseudo = 0.0 if count == 1 else PSEUDO
    rating, ties, log_likelihood = _fit(rankings, w, pseudo)
    return PlackettLuce(
        rankings.agents,
        rating,
        dict(zip(rankings.tie_sizes, ties.tolist(), strict=True)),
        log_likelihood,
        pseudo,
    )


def _groups(
    rankings: Rankings, weights: npt.NDArray[np.float64], connection: str
) -> tuple[int, npt.NDArray[np.int32]]:
    """Groups of agents that are linked by having come before each other."""
    n = len(rankings.agents)
    above = (weights @ rankings.choices.above).reshape(n, n)
    count, parts = csgraph.connected_components(
        sparse.csr_array(above), directed=True, connection=connection
    )
    return int(count), parts


def _named(rankings: Rankings, parts: npt.NDArray[np.int32]) -> str:
    groups = [
        [rankings.agents[i] for i in np.flatnonzero(parts == part)] for part in np.unique(parts)
    ]
    return " and ".join(map(str, sorted(groups)))


def _require_meetings(rankings: Rankings) -> None:
    count, parts = _groups(rankings, rankings.weights(), "weak")
    if count > 1:
        raise ValueError(
            f"rankings: {_named(rankings, parts)} never met, allowed: agents that are linked by "
            "matches, if only through others"
        )


class _Likelihood:
    """Log-likelihood of weighted patterns, divided by the number of choices; negative.

    The pseudo-agent has strength 1, so that one pseudo-win and one pseudo-loss of an agent with
    log-strength x add ``-2 log(2 cosh(x / 2))``.
    """

    def __init__(self, rankings: Rankings, weights: npt.NDArray[np.float64], pseudo: float):
        choices = rankings.choices
        self.agents = len(rankings.agents)
        self.options, self.starts = choices.options, choices.starts
        self.chosen = weights @ choices.chosen
        self.visits = np.asarray(weights @ choices.visits)
        self.sizes = np.diff([*self.starts, len(self.options)])
        self.pseudo = pseudo
        self.total = self.visits.sum() + 2 * pseudo * self.agents
        # Without a pseudo-agent only differences count, and the first agent is held at 0.
        self.free = slice(0 if pseudo else 1, None)

    def beta(self, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """All parameters, from the free ones."""
        return x if self.pseudo else np.concatenate([[0.0], x])

    def log_likelihood(self, beta: npt.NDArray[np.float64]) -> float:
        """Of the rankings alone."""
        return float(self.chosen @ beta - self.visits @ self._log_sums(beta)[0])

    def value(self, x: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        """The function and its gradient."""
        beta = self.beta(x)
        log_sums, probability = self._log_sums(beta)
        half = beta[: self.agents] / 2
        loss = self.visits @ log_sums - self.chosen @ beta
        loss += 2 * self.pseudo * np.logaddexp(half, -half).sum()
        slope = (np.repeat(self.visits, self.sizes) * probability) @ self.options - self.chosen
        slope[: self.agents] += self.pseudo * np.tanh(half)
        return float(loss / self.total), slope[self.free] / self.total

    def hessian(self, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Second derivatives: the covariance of the features within each pool, summed."""
        beta = self.beta(x)
        _, probability = self._log_sums(beta)
        weighted = probability[:, None] * self.options
        means = np.add.reduceat(weighted, self.starts)
        result = self.options.T @ (np.repeat(self.visits, self.sizes)[:, None] * weighted)
        result -= means.T @ (self.visits[:, None] * means)
        diagonal = np.arange(self.agents)
        result[diagonal, diagonal] += self.pseudo / 2 / np.cosh(beta[: self.agents] / 2) ** 2
        return np.asarray(result[self.free, self.free] / self.total)

    def _log_sums(
        self, beta: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Each pool's log-sum of weights, and the probability of every option in its pool."""
        log_weight = self.options @ beta
        highest = np.maximum.reduceat(log_weight, self.starts)
        scaled = np.exp(log_weight - np.repeat(highest, self.sizes))
        sums = np.add.reduceat(scaled, self.starts)
        return np.log(sums) + highest, scaled / np.repeat(sums, self.sizes)


def _fit(
    rankings: Rankings, weights: npt.NDArray[np.float64], pseudo: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]:
    """Ratings with mean zero, tie parameters, log-likelihood."""
    n = len(rankings.agents)
    if not len(rankings.choices.starts):  # nobody met anybody
        return np.zeros(n), np.zeros(0), 0.0
    likelihood = _Likelihood(rankings, weights, pseudo)
    start = np.zeros(likelihood.chosen[likelihood.free].shape)
    if not len(start):  # one agent, who never tied with itself
        return np.zeros(n), np.zeros(0), likelihood.log_likelihood(np.zeros(1))
    solution = optimize.minimize(
        likelihood.value,
        start,
        jac=True,
        hess=likelihood.hessian,
        method="trust-exact",
        options={"gtol": 1e-10, "initial_trust_radius": 2.0},
    )
    beta = likelihood.beta(solution.x)
    return beta[:n] - beta[:n].mean(), np.exp(beta[n:]), likelihood.log_likelihood(beta)
