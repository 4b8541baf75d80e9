"""Shares and agreement of people's ratings, against examples that others have worked."""

import numpy as np
import pytest

from paranmt.models.evaluation.agreement import ordinal_alpha, wilson_interval

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
