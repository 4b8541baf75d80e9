"""How much the choice of items, and the choice of seeds, moves a mean correlation.

The items of each set are drawn again with replacement, set by set (a stratified bootstrap). That shows the
chance in the items alone. The chance in training is another, so `over_seeds` reports it apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash

from ..sts.correlation import Scored

RESAMPLES = 2_000
LEVEL = 0.95

_BLOCK = 1 << 22  # numbers in the largest temporary array
_CONSTANT = 1e-12  # a smaller share of the variance than this is rounding


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
    coefficients = [
        _weighted_pearson(np.ones((1, len(gold))), cosines[None], gold)[0, 0] for cosines, gold in sets
    ]
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
    """Pearson's r of each resample of the items, float64; NaN where one side does not vary.

    cosines: (n,) of one system, for (resamples,), or (systems, n), for (resamples, systems). Which items are
    drawn depends only on the gold scores and the seed. So encoders meet the same resamples, and the
    difference of their arrays is a paired comparison.
    """
    n = len(gold)
    random = np.random.default_rng((seed, xxhash.xxh3_64_intdigest(np.asarray(gold, np.float64).tobytes())))
    block = max(1, _BLOCK // n)
    blocks = []
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = random.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        blocks.append(_weighted_pearson(counts, np.atleast_2d(cosines), gold))
    values = np.concatenate(blocks)
    return values if np.ndim(cosines) > 1 else values[:, 0]


def resampled_accuracy(right: np.ndarray) -> np.ndarray:
    """The accuracy in % of resamples of the items, (resamples,): the same ones for every encoder.

    right: (n,) booleans.
    """
    random, n = np.random.default_rng(1), len(right)
    step = max(1, _BLOCK // n)
    sizes = [min(step, RESAMPLES - start) for start in range(0, RESAMPLES, step)]
    return 100 * np.concatenate([right[random.integers(n, size=(size, n))].mean(axis=1) for size in sizes])


def interval(samples: np.ndarray) -> tuple[float, float]:
    """The percentile interval at `LEVEL` of resamples, (resamples,), without those that are NaN."""
    low, high = np.nanquantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def estimate(value: float | None, samples: np.ndarray) -> Estimate:
    """A value with the interval of its resamples; NaN samples are left out."""
    if value is None or np.isnan(samples).all():
        return Estimate(value, None, None)
    return Estimate(value, *interval(samples))


def difference(
    values: tuple[float | None, float | None], samples: tuple[np.ndarray, np.ndarray]
) -> Difference:
    """The difference of two values whose resamples are paired."""
    gaps = samples[0] - samples[1]
    gaps = gaps[~np.isnan(gaps)]
    if values[0] is None or values[1] is None or not len(gaps):
        return Difference(None, None, None)
    rarer = min(np.count_nonzero(gaps <= 0), np.count_nonzero(gaps >= 0))
    return Difference(values[0] - values[1], *interval(gaps), min(1.0, 2 * (rarer + 1) / (len(gaps) + 1)))


def over_seeds(values: Sequence[float]) -> SeedSpread:
    """The mean and the standard deviation of one value over seeds.

    >>> over_seeds([60.0, 62.0, 64.0])
    SeedSpread(seeds=3, mean=62.0, deviation=2.0)
    """
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return SeedSpread(len(values), float(np.mean(values)), deviation)


def seed_margin(values: Sequence[float]) -> float:
    """Half the width of Student's interval at `LEVEL` for the mean of values of several seeds.

    Infinite for fewer than two values.
    """
    n = len(values)
    return math.inf if n < 2 else _student(n - 1) * float(np.std(values, ddof=1)) / math.sqrt(n)


def _weighted_pearson(counts: np.ndarray, cosines: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Pearson's r of each system where item i occurs counts[k, i] times, (k, systems); NaN without variance.

    counts: (k, n); cosines: (systems, n); gold: (n,).
    """
    x, y = np.asarray(cosines, np.float64), np.asarray(gold, np.float64)
    # Centred first, because differences of large sums lose digits.
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean()
    weights = counts / counts.sum(axis=1, keepdims=True)
    x_mean, y_mean = weights @ x.T, (weights @ y)[:, None]
    x_variance = weights @ (x * x).T - x_mean**2
    y_variance = (weights @ (y * y))[:, None] - y_mean**2
    varies = (x_variance > _CONSTANT * (x * x).sum(axis=1)) & (y_variance > _CONSTANT * (y @ y))
    product = np.sqrt(np.where(varies, x_variance * y_variance, 1.0))
    covariance = weights @ (x * y).T - x_mean * y_mean
    return np.where(varies, np.clip(covariance / product, -1.0, 1.0), np.nan)


def _student(freedom: int) -> float:
    """The quantile of Student's t that `LEVEL` of its mass lies within, by bisection of the density's sum."""

    def within(t: float) -> float:
        # The substitution x = sqrt(freedom) tan(a) makes the integral finite and its integrand smooth.
        angles = np.linspace(0.0, math.atan(t / math.sqrt(freedom)), 2_001)
        log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(math.pi)
        return 2 * math.exp(log_scale) * float(np.trapezoid(np.cos(angles) ** (freedom - 1), angles))

    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < LEVEL else (low, middle)
    return low
