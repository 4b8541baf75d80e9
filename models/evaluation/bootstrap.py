"""How much the choice of items, and the choice of seeds, moves a mean correlation.

The items of each set are drawn again with replacement, set by set (a stratified bootstrap). That shows the
chance in the items alone. The chance in training is another, so `over_seeds` reports it apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash

RESAMPLES = 2_000
LEVEL = 0.95

_BLOCK = 1 << 22  # numbers in the largest temporary array
_CONSTANT = 1e-12  # a smaller share of the variance than this is rounding

Scored = tuple[np.ndarray, np.ndarray]
"""The cosines and the gold scores of one set's items, both (n,)."""


@dataclass(frozen=True)
class Estimate:
    """A value with the interval in which 95 % of the resampled values lie; None without any."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Difference(Estimate):
    """By how much the left value exceeds the right one.

    p: the two-sided probability of such a sign by chance, from 1 / (resamples + 1) to 1.
    """

    p: float = 1.0

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class SeedSpread:
    """A value over trainings that differ only in their seed. deviation: None for a single seed."""

    seeds: int
    mean: float
    deviation: float | None


def mean_pearson(sets: Sequence[Scored], *, resamples: int = RESAMPLES, seed: int = 1) -> Estimate:
    """The unweighted mean of Pearson's r over one or more sets, and its interval.

    >>> x = np.arange(9.0)
    >>> mean_pearson([(x, x), (x, -x)])
    Estimate(value=0.0, low=0.0, high=0.0)
    """
    return estimate(mean_value(sets), mean_resampled(sets, resamples=resamples, seed=seed))


def compare(
    left: Sequence[Scored], right: Sequence[Scored], *, resamples: int = RESAMPLES, seed: int = 1
) -> Difference:
    """The difference of the mean Pearson's r of two encoders on the same sets, resampled in pairs.

    ValueError unless both have the same gold scores.
    """
    if len(left) != len(right) or any(
        not np.array_equal(a, b) for (_, a), (_, b) in zip(left, right, strict=True)
    ):
        raise ValueError("expected two encoders with the same gold scores in the same order")
    values = mean_value(left), mean_value(right)
    samples = [mean_resampled(sets, resamples=resamples, seed=seed) for sets in (left, right)]
    return difference(values, (samples[0], samples[1]))


def mean_value(sets: Sequence[Scored]) -> float | None:
    """The mean of Pearson's r over the sets; None if one of them has no correlation."""
    coefficients = [_weighted_pearson(np.ones((1, len(gold))), cosines, gold)[0] for cosines, gold in sets]
    mean = float(np.mean(coefficients))
    return None if np.isnan(mean) else mean


def mean_resampled(sets: Sequence[Scored], *, resamples: int = RESAMPLES, seed: int = 1) -> np.ndarray:
    """The mean over the sets of `resampled_pearson`, (resamples,)."""
    means: np.ndarray = np.mean(
        [resampled_pearson(cosines, gold, resamples=resamples, seed=seed) for cosines, gold in sets], axis=0
    )
    return means


def resampled_pearson(
    cosines: np.ndarray, gold: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 1
) -> np.ndarray:
    """Pearson's r of each resample of the items, (resamples,) float64; NaN where one side does not vary.

    Which items are drawn depends only on the gold scores and the seed. So encoders meet the same resamples,
    and the difference of their arrays is a paired comparison.
    """
    n = len(gold)
    random = np.random.default_rng((seed, xxhash.xxh3_64_intdigest(np.asarray(gold, np.float64).tobytes())))
    block = max(1, _BLOCK // n)
    blocks = []
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = random.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        blocks.append(_weighted_pearson(counts, cosines, gold))
    return np.concatenate(blocks)


def estimate(value: float | None, samples: np.ndarray) -> Estimate:
    """A value with the interval of its resamples; NaN samples are left out."""
    samples = samples[~np.isnan(samples)]
    if value is None or not len(samples):
        return Estimate(value, None, None)
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Estimate(value, low, high)


def difference(
    values: tuple[float | None, float | None], samples: tuple[np.ndarray, np.ndarray]
) -> Difference:
    """The difference of two values whose resamples are paired."""
    gaps = samples[0] - samples[1]
    gaps = gaps[~np.isnan(gaps)]
    if values[0] is None or values[1] is None or not len(gaps):
        return Difference(None, None, None)
    interval = estimate(values[0] - values[1], gaps)
    rarer = min(np.count_nonzero(gaps <= 0), np.count_nonzero(gaps >= 0))
    return Difference(
        interval.value, interval.low, interval.high, min(1.0, 2 * (rarer + 1) / (len(gaps) + 1))
    )


def over_seeds(values: Sequence[float]) -> SeedSpread:
    """The mean and the standard deviation of one value over seeds.

    >>> over_seeds([60.0, 62.0, 64.0])
    SeedSpread(seeds=3, mean=62.0, deviation=2.0)
    """
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return SeedSpread(len(values), float(np.mean(values)), deviation)


def _weighted_pearson(counts: np.ndarray, cosines: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Pearson's r where item i occurs counts[k, i] times, for each k; NaN where one side does not vary."""
    x, y = (np.asarray(side, np.float64) for side in (cosines, gold))
    x, y = x - x.mean(), y - y.mean()  # so that the sums of squares below do not cancel
    moments = np.stack([x, y, x * x, y * y, x * y], axis=1)
    mean_x, mean_y, xx, yy, xy = (counts @ moments / counts.sum(axis=1)[:, None]).T
    variance_x, variance_y = xx - mean_x**2, yy - mean_y**2
    varies = (variance_x > _CONSTANT * (x @ x)) & (variance_y > _CONSTANT * (y @ y))
    product = np.sqrt(np.where(varies, variance_x * variance_y, 1.0))
    return np.where(varies, np.clip((xy - mean_x * mean_y) / product, -1.0, 1.0), np.nan)
