"""α-rank: who is left when agents keep replacing each other. Shows cycles that a rating hides.

Source: Omidshafiei et al. (2019), "α-Rank: Multi-agent evaluation by evolution", Scientific
Reports 9, 9937.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_NOISE = 1e-9  # of the limit of large α; keeps the chain irreducible


def alpha_rank(
    differences: npt.ArrayLike, alpha: float | None = None, population: int = 50
) -> npt.NDArray[np.float64]:
    """Long-run share of time in which a population consists of each agent.

    A population of one agent meets a single mutant, uniformly any of the others, which takes
    over with the fixation probability ``(1 - e^-u) / (1 - e^-mu)``, where m is the size of the
    population and ``u = α · m / (m - 1) · difference``; otherwise the population stays. The
    shares are the stationary distribution of this chain. In the limit of large α a mutant takes
    over if its difference is positive, and half the time if it is zero.

    A transitive table puts everything on its best agent; a cycle at the top shares it.

    Args:
        differences: [agents, agents]: how much the row's agent is ahead of the column's; an
            antisymmetric matrix. Set those that are not told from zero to zero.
        alpha: Selection intensity, per unit of the differences. None: the limit of large α, in
            which only signs count.
        population: Size of the population, m, at least 2.

    Returns:
        float64 [agents]: shares, which add up to 1.

    Raises:
        ValueError: If the matrix is not finite and antisymmetric, or a number is out of range.
    """
    d = np.asarray(differences, np.float64)
    if d.ndim != 2 or d.shape[0] != d.shape[1] or not len(d):
        raise ValueError(f"differences: got shape {d.shape}, allowed: a square matrix")
    if not np.isfinite(d).all() or not np.allclose(d, -d.T):
        raise ValueError("differences: got a matrix that is not finite and antisymmetric")
    if alpha is not None and not 0 < alpha < np.inf:
        raise ValueError(f"alpha: got {alpha}, allowed: None or a number above 0")
    if population < 2:
        raise ValueError(f"population: got {population}, allowed: an integer ≥ 2")
    ahead = d.T  # [resident, mutant]: how much the mutant is ahead
    if alpha is None:
        fixation = np.where(ahead > 0, 1 - _NOISE, np.where(ahead < 0, _NOISE, 0.5))
    else:
        fixation = _fixation(alpha * population / (population - 1) * ahead, population)
    return _stationary(fixation / max(len(d) - 1, 1))


def _fixation(u: npt.NDArray[np.float64], m: int) -> npt.NDArray[np.float64]:
    """``(1 - e^-u) / (1 - e^-mu)`` without overflow; 1 / m at zero."""
    size = np.where(u == 0, 1.0, np.abs(u))
    ratio = np.expm1(-size) / np.expm1(-m * size)
    # For negative u both terms are multiplied by e^-size and e^-m·size.
    falling = ratio * np.exp(-(m - 1) * size)
    # The chain must stay irreducible where e^-x underflows.
    risen = np.where(u > 0, ratio, np.maximum(falling, 1e-150))
    return np.asarray(np.where(u == 0, 1 / m, risen), np.float64)


def _stationary(rates: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Stationary distribution, by the elimination of Grassmann, Taksar and Heyman (1985).

    It never subtracts, so rates of very different size do no harm. The diagonal is not used.
    """
    p = rates.copy()
    n = len(p)
    for k in range(n - 1, 0, -1):
        p[:k, k] /= p[k, :k].sum()
        p[:k, :k] += np.outer(p[:k, k], p[k, :k])
    share = np.ones(n)
    for k in range(1, n):
        share[k] = share[:k] @ p[:k, k]
    return np.asarray(share / share.sum(), np.float64)
