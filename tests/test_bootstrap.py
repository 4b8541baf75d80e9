"""The uncertainty of correlations: bootstrap draws and Student's margins, computed in other ways."""

import math

import numpy as np
import pytest
from scipy import stats

from paranmt.models.evaluation.bootstrap import bootstrap_means, interval, seed_margin


def test_a_draw_is_the_correlation_of_the_drawn_items() -> None:
    random = np.random.default_rng(5)
    gold = [random.normal(size=30), random.normal(size=50)]
    predictions = [
        np.stack([true + random.normal(size=len(true)) + shift for shift in (0, 1e6)]) for true in gold
    ]
    found = bootstrap_means(predictions, gold, seed=3, draws=4)
    weights = np.random.default_rng(3)
    expected = np.zeros((4, 2))
    for values, true in zip(predictions, gold, strict=True):
        n = len(true)
        for draw, counts in enumerate(weights.multinomial(n, np.full(n, 1 / n), size=4)):
            rows = np.repeat(np.arange(n), counts)
            assert len(rows) == n
            expected[draw] += [np.corrcoef(system[rows], true[rows])[0, 1] / 2 for system in values]
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_perfect_system_is_perfect_in_every_draw_and_a_copy_differs_in_none() -> None:
    gold = np.array([0.0, 1.0, 2.0, 3.5, 5.0] * 8)
    noisy = gold + np.sin(np.arange(40))
    draws = bootstrap_means([np.stack([gold, 1 - 3 * gold, noisy, noisy])], [gold], seed=1)
    assert draws.shape == (2_000, 4)
    assert draws[:, 0] == pytest.approx(1) and draws[:, 1] == pytest.approx(-1)
    assert (draws[:, 2] == draws[:, 3]).all() and np.ptp(draws[:, 2]) > 0


def test_the_interval_has_the_width_that_fisher_gives() -> None:
    """For normal values, atanh(r) has the standard deviation 1 / sqrt(n - 3)."""
    random = np.random.default_rng(8)
    gold = random.normal(size=750)
    system = gold + random.normal(size=750)
    draws = bootstrap_means([system[None]], [gold], seed=2)[:, 0]
    low, high = interval(draws)
    r = np.corrcoef(system, gold)[0, 1]
    expected = [math.tanh(math.atanh(r) + sign * 1.96 / math.sqrt(747)) for sign in (-1, 1)]
    assert [low, high] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("n", [2, 3, 5, 10, 100])
def test_the_margin_over_seeds_is_students(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    expected = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / math.sqrt(n)
    assert seed_margin(values.tolist()) == pytest.approx(expected, rel=1e-5)


def test_one_seed_has_no_margin() -> None:
    assert seed_margin([1.0]) == math.inf


def test_draws_that_do_not_vary_are_left_out_of_the_interval() -> None:
    """Of three items, one draw in nine is of a single item, which has no correlation."""
    gold = np.array([0.0, 1.0, 3.0])
    draws = bootstrap_means([gold[None]], [gold], seed=1)[:, 0]
    assert 0.05 < np.isnan(draws).mean() < 0.2
    assert interval(draws) == pytest.approx((1, 1))
