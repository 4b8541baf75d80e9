"""Shares and agreement of people's ratings, against examples that others have worked."""

from itertools import product

import numpy as np
import pytest

from paranmt.models.evaluation.agreement import alpha_estimate, ordinal_alpha, wilson_interval
from paranmt.models.evaluation.bootstrap import Estimate

NONE = np.nan

# Krippendorff 2011, Computing Krippendorff's alpha-reliability, example C: four observers, twelve units.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)


def test_alpha_of_krippendorffs_example() -> None:
    alpha = ordinal_alpha(KRIPPENDORFF)
    assert alpha == pytest.approx(0.815, abs=5e-4)
    assert ordinal_alpha(KRIPPENDORFF[::-1] * 10) == pytest.approx(alpha)  # only the order of values counts


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([[1, 2, 3], [1, 2, 3]], 1.0),
        # Coincidences: (1, 1) and (2, 2) twice each, (1, 2) and (2, 1) once each; totals 3 and 3, δ² = 9.
        # Observed 2 · 9 / 6 = 3, expected 2 · 3 · 3 · 9 / (6 · 5) = 5.4.
        ([[1, 1, 2], [1, 2, 2]], 1 - 3 / 5.4),
        ([[1, 2], [2, 1]], -0.5),  # observed 4; expected 2 · 2 · 2 · 4 / (4 · 3) = 8 / 3
        ([[2, 2], [2, 2]], None),
        ([[1, 2, 3]], None),
        ([[1, NONE], [NONE, 2]], None),
        ([[], []], None),
    ],
)
def test_alpha_by_hand(ratings: list[list[float]], expected: float | None) -> None:
    alpha = ordinal_alpha(np.array(ratings, np.float64))
    assert alpha == (expected if expected is None else pytest.approx(expected))


def test_the_interval_of_alpha_by_all_resamples() -> None:
    """Of the items (1, 1), (1, 2) and (2, 2) there are 27 resamples.

    Two of them have a single value and no α. Of the other 25, one is the second item three times: observed
    3 · 2 · 9 / 6 = 9, expected 5.4. Six are without it, so that all agree.
    """
    ratings = np.array([[1, 1, 2], [1, 2, 2]], np.float64)
    every = [ordinal_alpha(ratings[:, list(items)]) for items in product(range(3), repeat=3)]
    known = np.array([alpha for alpha in every if alpha is not None])
    assert len(known) == 25 and (known == 1).sum() == 6 and min(known) == pytest.approx(1 - 9 / 5.4)
    found = alpha_estimate(ratings)
    assert found == alpha_estimate(ratings) != alpha_estimate(ratings, resamples=10, seed=2)
    assert found.value == pytest.approx(4 / 9)
    assert (found.low, found.high) == (pytest.approx(-2 / 3), pytest.approx(1))


def test_the_interval_of_alpha_is_that_of_resampled_items() -> None:
    """Also with missing ratings: items with one rating are not drawn."""
    random = np.random.default_rng(1)
    ratings = random.integers(1, 4, (3, 60)) * 0.5 + random.integers(1, 4, 60)
    ratings[random.random(ratings.shape) < 0.2] = NONE
    usable = ratings[:, (~np.isnan(ratings)).sum(axis=0) > 1]
    n = usable.shape[1]
    assert n < 60
    one_by_one = [ordinal_alpha(usable[:, random.integers(n, size=n)]) for _ in range(2_000)]
    low, high = np.quantile(np.array(one_by_one, np.float64), [0.025, 0.975])
    found = alpha_estimate(ratings)
    assert found.value == ordinal_alpha(ratings)
    assert found.low == pytest.approx(low, abs=0.02) and found.high == pytest.approx(high, abs=0.02)


@pytest.mark.parametrize("ratings", [[[1, 2, 3]], [[2, 2], [2, 2]], [[], []]])
def test_no_alpha_has_no_interval(ratings: list[list[float]]) -> None:
    assert alpha_estimate(np.array(ratings, np.float64)) == Estimate(None, None, None)


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [  # Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 1 - 0.1611, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilsons_interval(part: int, whole: int, low: float, high: float) -> None:
    assert wilson_interval(part, whole) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
