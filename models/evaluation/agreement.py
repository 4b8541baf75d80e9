"""What people's ratings say: shares with intervals, and how far the judges agree."""

import math
from statistics import NormalDist

import numpy as np

from .bootstrap import LEVEL


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
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == values).sum(axis=0).astype(np.float64)
    given = counts.sum(axis=1)
    counts, given = counts[given > 1], given[given > 1]
    weights = 1 / (given - 1)
    coincidences = (counts * weights[:, None]).T @ counts - np.diag(weights @ counts)
    totals = coincidences.sum(axis=1)
    middles = np.cumsum(totals) - totals / 2  # their differences are the ordinal metric
    distances = (middles[:, None] - middles) ** 2
    expected = float(totals @ distances @ totals)
    if not expected:
        return None
    return 1 - float((totals.sum() - 1) * (coincidences * distances).sum()) / expected
