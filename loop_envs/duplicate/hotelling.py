"""Hotelling's test of several means at once."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import special


def hotelling(values: npt.ArrayLike) -> float:
    """P value of the hypothesis that all means are zero, in the space that the rows span.

    One-sample T² of Hotelling (1931): ``T² = n m' S⁻¹ m`` with n rows, mean m and covariance S;
    ``T² (n - d) / (d (n - 1))`` has the F distribution with d and n - d degrees of freedom, d
    being the dimension of the space. Columns that are linear functions of others, such as the
    last of margins that add up to zero, do no harm.

    Args:
        values: [rows, columns]; rows are independent of each other.

    Returns:
        The p value; 1 if all values are zero, 0 if some direction has a mean but no spread, nan
        if there are no more rows than dimensions.

    Raises:
        ValueError: If `values` is no finite matrix.
    """
    x = np.asarray(values, np.float64)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ValueError(f"values: got shape {x.shape}, allowed: finite [rows, columns]")
    if not x.any():
        return 1.0
    n = len(x)
    _, size, basis = np.linalg.svd(x, full_matrices=False)
    d = int((size > 1e-9 * size[0]).sum())
    if n <= d:
        return math.nan
    y = x @ basis[:d].T
    covariance = np.atleast_2d(np.cov(y, rowvar=False))
    if np.linalg.matrix_rank(covariance) < d:
        return 0.0
    mean = y.mean(axis=0)
    t2 = n * float(mean @ np.linalg.solve(covariance, mean))
    return float(special.fdtrc(d, n - d, t2 * (n - d) / (d * (n - 1))))
