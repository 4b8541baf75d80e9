import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from paranmt.models.sts.correlation import pearson, spearman

_VALUES = st.lists(st.tuples(st.integers(-4, 4), st.floats(-9, 9, width=16)), min_size=2, max_size=20)


@given(_VALUES)
def test_against_scipy(values: list[tuple[int, float]]) -> None:
    left, right = (np.array(side, dtype=np.float64) for side in zip(*values, strict=True))
    assume(np.ptp(left) > 0 and np.ptp(right) > 1e-2)
    assert pearson(left, right) == pytest.approx(scipy.stats.pearsonr(left, right).statistic, abs=1e-9)
    assert spearman(left, right) == pytest.approx(scipy.stats.spearmanr(left, right).statistic, abs=1e-9)


def test_by_hand() -> None:
    # Deviations (-1, 0, 1) and (-1, 1, 0): 1 / √(2 · 2).
    assert pearson(np.array([1, 2, 3]), np.array([1, 3, 2])) == pytest.approx(0.5)
    # Ranks 1.5, 1.5, 3 and 1, 2, 3: 1.5 / √(1.5 · 2).
    assert spearman(np.array([7, 7, 9]), np.array([1, 2, 30])) == pytest.approx(1.5 / np.sqrt(3))


@pytest.mark.parametrize("constant", [[0.1, 0.1, 0.1], [3, 3, 3]])
def test_constants_have_none(constant: list[float]) -> None:
    assert pearson(np.array(constant), np.array([1, 2, 3])) is None
    assert spearman(np.array([1, 2, 3]), np.array(constant)) is None
    assert pearson(np.array([1.0]), np.array([2.0])) is None
