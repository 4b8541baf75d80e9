"""Correlation of two lists of numbers, and the cosines that are correlated with people's scores."""

from collections.abc import Sequence

import numpy as np

from ..encoders.encodes import Encodes
from .sts_data import StsDataset

Scored = tuple[np.ndarray, np.ndarray]
"""The cosines and the gold scores of one set's items, both (n,)."""


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


def comparable(r: float | None) -> float:
    """A correlation for comparisons: one that is None is less than any other."""
    return -2.0 if r is None else r


def spearman(left: np.ndarray, right: np.ndarray) -> float | None:
    """Spearman's ρ: Pearson's r of the ranks. Equal values share the mean of their ranks."""
    return pearson(_ranks(left), _ranks(right))


def pair_cosines(encoder: Encodes, dataset: StsDataset) -> np.ndarray:
    """The cosine of the vectors of each pair's sentences in float64, (pairs,)."""
    return cosines(*np.split(encoder.encode([*dataset.left, *dataset.right]), 2))


def scored_sets(encoder: Encodes, datasets: Sequence[StsDataset]) -> list[Scored]:
    """The cosines of each set beside the scores that people gave."""
    return [(pair_cosines(encoder, dataset), np.array(dataset.gold)) for dataset in datasets]


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The cosine of each row with the same row of the other array in float64, (n,); 0 for a zero vector."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.divide((left * right).sum(axis=1), norms, out=np.zeros(len(left)), where=norms > 0)


def _ranks(values: np.ndarray) -> np.ndarray:
    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[groups]
