"""What people's ratings say: shares with intervals, and how far the judges agree."""

import math
from statistics import NormalDist

import numpy as np

from .bootstrap import LEVEL, RESAMPLES, Estimate, estimate


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """The interval at `LEVEL` of a share, both ends in [0, 1] (Wilson 1927); (0, 1) of nothing.

    >>> low, high = wilson_interval(0, 20)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.1611)
    """
    if not whole:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    share = part / whole
    centre = share + z * z / (2 * whole)
    margin = z * math.sqrt(share * (1 - share) / whole + (z / (2 * whole)) ** 2)
    scale = 1 + z * z / whole
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)


def ordinal_alpha(ratings: np.ndarray) -> float | None:
    """Krippendorff's α of ratings on an ordinal scale: 1 for full agreement, 0 for that of chance.

    ratings: (judges, items) float, NaN where a judge gave none; items with one rating are left out. None if
    no item has two ratings, or all ratings are equal. Krippendorff 2011, Computing Krippendorff's
    alpha-reliability, example C with the ordinal metric.
    """
    counts = _pairable(ratings)
    value = float(_alpha(_coincidences(counts).sum(axis=0)))
    return None if math.isnan(value) else value


def alpha_estimate(ratings: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 1) -> Estimate:
    """`ordinal_alpha` with its interval at `LEVEL`, from resamples of the items with two ratings or more.

    Resamples whose ratings are all equal have no α and are left out.
    """
    patterns, times = np.unique(_pairable(ratings), axis=0, return_counts=True)
    if not len(patterns):
        return Estimate(None, None, None)
    # Items with the same ratings are alike, so how often each pattern is drawn is all that matters.
    drawn = np.random.default_rng(seed).multinomial(times.sum(), times / times.sum(), size=resamples)
    return estimate(ordinal_alpha(ratings), _alpha(np.tensordot(drawn, _coincidences(patterns), 1)))


def _pairable(ratings: np.ndarray) -> np.ndarray:
    """How often each item got each value, of the items with two ratings or more; (items, values)."""
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == values).sum(axis=0).astype(np.float64)
    return counts[counts.sum(axis=1) > 1]


def _coincidences(counts: np.ndarray) -> np.ndarray:
    """How often two ratings of an item are a pair of values; (items, values, values)."""
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    return pairs / (counts.sum(axis=1) - 1)[:, None, None]


def _alpha(coincidences: np.ndarray) -> np.ndarray:
    """α of sums of coincidences, (…, values, values); NaN without two values."""
    totals = coincidences.sum(axis=-1)
    middles = np.cumsum(totals, axis=-1) - totals / 2  # their differences are the ordinal metric
    distances = (middles[..., :, None] - middles[..., None, :]) ** 2
    expected = (totals[..., :, None] * totals[..., None, :] * distances).sum(axis=(-2, -1))
    observed = (totals.sum(axis=-1) - 1) * (coincidences * distances).sum(axis=(-2, -1))
    return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), np.nan)
