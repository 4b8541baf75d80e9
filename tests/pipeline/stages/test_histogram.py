import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranmt.pipeline.stages.histogram import collect_histogram, nice_step


def floats(values: object) -> pa.Array:
    return pa.array(values, pa.float32())


def test_moments_and_counts_by_hand() -> None:
    found = collect_histogram(floats([0.0, 0.25, 0.5, 0.75, 1.0, None, math.nan]), bins=4)
    assert (found.n, found.nulls) == (5, 2)
    assert (found.mean, found.minimum, found.maximum) == (0.5, 0.0, 1.0)
    assert found.sd == pytest.approx(math.sqrt(0.125))
    assert found.edges == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert found.counts == (1, 1, 1, 2)  # the last bin holds both its edges


def test_fractions_that_many_pairs_share_fall_into_their_bin() -> None:
    tenths = [k / 10 for k in range(11)]
    found = collect_histogram(floats(tenths * 7), bins=10)
    assert found.counts == (7,) * 9 + (14,)


def test_whole_numbers_have_whole_bins() -> None:
    found = collect_histogram(pa.array([1, 2, 2, 3, 5], pa.int32()), bins=10)
    assert found.edges[:3] == (0.5, 1.5, 2.5)
    assert found.counts == (1, 2, 1, 0, 1)
    wide = collect_histogram(pa.array(range(1, 101), pa.int32()), bins=10)
    assert set(wide.counts) == {10}


def test_a_heavy_tail_gets_a_logarithmic_axis() -> None:
    values = np.exp(np.random.default_rng(0).normal(4, 1.5, 20_000))
    found = collect_histogram(floats(values), bins=30)
    assert found.scale == "log"
    assert len(found.counts) == 30
    assert sum(found.counts) + found.below + found.above == 20_000
    assert collect_histogram(floats(np.random.default_rng(0).random(1_000))).scale == "linear"


def test_a_far_tail_is_cut_off_and_counted() -> None:
    found = collect_histogram(pa.array([*range(1, 41)] * 500 + [5_000], pa.int32()))
    assert found.edges[-1] < 50
    assert found.above == 1
    assert found.maximum == 5_000


@pytest.mark.parametrize(
    ("values", "counts"),
    [([], ()), ([None, None], ()), ([0.5], (1,)), ([-3.0] * 4, (4,)), ([-0.0, 0.0], (2,))],
)
def test_few_values(values: list[float | None], counts: tuple[int, ...]) -> None:
    found = collect_histogram(floats(values), bins=1)
    assert tuple(count for count in found.counts if count) == counts
    assert found.n == sum(counts)


def test_infinite_values_are_outside() -> None:
    found = collect_histogram(floats([1.0, 2.0, math.inf, -math.inf]))
    assert (found.n, found.below, found.above, found.mean) == (4, 1, 1, 1.5)


@given(
    st.lists(st.lists(st.none() | st.floats(-1e6, 1e6, width=32), max_size=50), max_size=6),
    st.integers(1, 80),
)
@settings(deadline=None, max_examples=60)
def test_pieces_do_not_matter_and_nothing_is_lost(pieces: list[list[float | None]], bins: int) -> None:
    whole = collect_histogram(floats([value for piece in pieces for value in piece]), bins)
    cut = collect_histogram(map(floats, pieces), bins)
    assert whole.counts == cut.counts and whole.edges == cut.edges
    values = [value for piece in pieces for value in piece if value is not None]
    assert sum(whole.counts) + whole.below + whole.above == whole.n == len(values)
    if values:
        assert whole.mean == pytest.approx(np.mean(values), rel=1e-6, abs=1e-6)
        assert whole.sd == pytest.approx(np.std(np.array(values, np.float64)), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("at_least", "step"), [(1, 1), (1.1, 2), (2.2, 2.5), (0.03, 0.05), (70, 100), (0.01, 0.01)]
)
def test_nice_step(at_least: float, step: float) -> None:
    assert nice_step(at_least) == pytest.approx(step)
