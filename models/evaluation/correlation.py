"""Correlation of two lists of numbers."""

import numpy as np


def pearson(left: np.ndarray, right: np.ndarray) -> float | None:
    """Pearson's r in [−1, 1] of two arrays (n,); None if one of them does not vary.

    >>> pearson(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 8.0]))
    1.0
    """
    if len(left) < 2:
        return None
    x, y = (np.asarray(side, dtype=np.float64) for side in (left, right))
    # Checked before subtracting the mean, because rounding then adds small variations.
    if (x == x[0]).all() or (y == y[0]).all():
        return None
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def spearman(left: np.ndarray, right: np.ndarray) -> float | None:
    """Spearman's ρ: Pearson's r of the ranks. Equal values share the mean of their ranks."""
    return pearson(_ranks(left), _ranks(right))


def _ranks(values: np.ndarray) -> np.ndarray:
    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[groups]
