"""The uncertainty of mean correlations: of the items, by a bootstrap, and of the seeds, by Student's t."""

import math
from collections.abc import Sequence

import numpy as np

DRAWS = 2_000
LEVEL = 0.95


def bootstrap_means(
    predictions: Sequence[np.ndarray], gold: Sequence[np.ndarray], seed: int, draws: int = DRAWS
) -> np.ndarray:
    """The mean over datasets of Pearson's r, in each of `draws` bootstrap samples; (draws, systems) float64.

    predictions: for each dataset (systems, items). gold: for each dataset (items,). Items are drawn with
    replacement within each dataset (a stratified bootstrap, Efron 1979), the same items for all systems, so
    that systems can be compared draw by draw. NaN where a draw does not vary.
    """
    random = np.random.default_rng(seed)
    total = np.zeros((draws, len(predictions[0])))
    for system_values, true in zip(predictions, gold, strict=True):
        items = len(true)
        weights = random.multinomial(items, np.full(items, 1 / items), size=draws) / items
        total += _weighted_pearson(system_values, np.asarray(true, np.float64), weights)
    return total / len(predictions)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The percentile interval at `LEVEL` of bootstrap draws, (draws,), without those that are NaN."""
    low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def seed_margin(values: Sequence[float]) -> float:
    """Half the width of Student's interval at `LEVEL` for the mean of values of several seeds.

    Infinite for fewer than two values.
    """
    n = len(values)
    return math.inf if n < 2 else _student(n - 1) * float(np.std(values, ddof=1)) / math.sqrt(n)


def _weighted_pearson(predictions: np.ndarray, gold: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Pearson's r of each row of `predictions` (systems, n) with `gold` (n,) under each row of `weights`."""
    # Centred first, because differences of large sums lose digits.
    x = predictions - predictions.mean(axis=1, keepdims=True)
    y = gold - gold.mean()
    x_mean, y_mean = weights @ x.T, (weights @ y)[:, None]
    covariance = weights @ (x * y).T - x_mean * y_mean
    variances = (weights @ (x * x).T - x_mean**2) * ((weights @ (y * y))[:, None] - y_mean**2)
    varies = variances > 1e-12 * (x * x).mean(axis=1) * (y * y).mean()  # what is less is rounding
    return np.where(varies, covariance / np.sqrt(np.where(varies, variances, 1.0)), np.nan)


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
