import itertools
import math

import numpy as np
import pytest
import scipy.stats

from paranmt.models.evaluation.bootstrap import (
    Estimate,
    compare,
    mean_pearson,
    over_seeds,
    resampled_pearson,
    seed_margin,
)


def correlated(n: int, rho: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    gold = random.standard_normal(n)
    return rho * gold + (1 - rho**2) ** 0.5 * random.standard_normal(n), gold


def test_all_resamples_of_three_items() -> None:
    """27 resamples are equally likely; those of one item alone (3 of them) have no correlation."""
    cosines, gold = np.array([0.1, 0.5, 0.4]), np.array([0.0, 1.0, 4.0])
    expected: dict[float, float] = {}
    for drawn in itertools.product(range(3), repeat=3):
        rows = list(drawn)
        r = scipy.stats.pearsonr(cosines[rows], gold[rows]).statistic if len(set(drawn)) > 1 else np.nan
        expected[round(float(r), 6)] = expected.get(round(float(r), 6), 0) + 1 / 27
    found = resampled_pearson(cosines, gold, resamples=40_000)
    assert np.isnan(found).mean() == pytest.approx(3 / 27, abs=0.01)
    values, counts = np.unique(found[~np.isnan(found)].round(6), return_counts=True)
    shares = dict(zip(values.tolist(), (counts / len(found)).tolist(), strict=True))
    exact = {r: share for r, share in expected.items() if not np.isnan(r)}
    assert shares.keys() == exact.keys()
    assert all(shares[r] == pytest.approx(share, abs=0.01) for r, share in exact.items())


def test_the_spread_is_that_of_theory() -> None:
    """The standard error of r is (1 − ρ²) / √n for normal data."""
    cosines, gold = correlated(2_000, 0.7, np.random.default_rng(3))
    r = scipy.stats.pearsonr(cosines, gold).statistic
    assert resampled_pearson(cosines, gold).std() == pytest.approx((1 - r**2) / 2_000**0.5, rel=0.1)


def test_intervals_contain_the_truth_19_times_of_20() -> None:
    random = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        sets = [correlated(150, rho, random) for rho in (0.5, 0.8)]
        interval = mean_pearson(sets, resamples=400)
        assert interval.low is not None and interval.high is not None
        inside += interval.low <= 0.65 <= interval.high
    assert 180 <= inside <= 198


def test_the_mean_of_sets_varies_less_than_one_set() -> None:
    random = np.random.default_rng(7)
    sets = [correlated(300, 0.6, random) for _ in range(4)]
    widths = [
        interval.high - interval.low
        for interval in (mean_pearson(sets[:1]), mean_pearson(sets))
        if interval.high is not None and interval.low is not None
    ]
    assert widths[1] == pytest.approx(widths[0] / 2, rel=0.25)
    assert mean_pearson(sets).value == pytest.approx(
        np.mean([scipy.stats.pearsonr(cosines, gold).statistic for cosines, gold in sets])
    )


def test_a_paired_comparison_sees_what_two_intervals_do_not() -> None:
    random = np.random.default_rng(11)
    weak, gold = correlated(400, 0.6, random)
    strong = weak + 0.1 * gold  # makes the same mistakes, but fewer
    left, right = mean_pearson([(strong, gold)]), mean_pearson([(weak, gold)])
    assert left.low is not None and right.high is not None and left.low < right.high
    gap = compare([(strong, gold)], [(weak, gold)])
    assert gap.is_significant and gap.low is not None and gap.low > 0 and gap.p < 0.01
    back = compare([(weak, gold)], [(strong, gold)])
    assert back.value == pytest.approx(-gap.value if gap.value is not None else None)
    assert back.is_significant and back.p == gap.p


def test_equal_and_unrelated_encoders_do_not_differ() -> None:
    random = np.random.default_rng(13)
    cosines, gold = correlated(200, 0.6, random)
    same = compare([(cosines, gold)], [(2 * cosines + 1, gold)])
    assert (same.value, same.p, same.is_significant) == (pytest.approx(0, abs=1e-12), 1.0, False)
    other = 0.6 * gold + 0.8 * random.standard_normal(200)
    assert not compare([(cosines, gold)], [(other, gold)]).is_significant


def test_false_alarms_are_one_in_twenty() -> None:
    random = np.random.default_rng(17)
    alarms = 0
    for _ in range(200):
        gold = random.standard_normal(150)
        left, right = (0.6 * gold + 0.8 * random.standard_normal(150) for _ in range(2))
        alarms += compare([(left, gold)], [(right, gold)], resamples=400).is_significant
    assert 2 <= alarms <= 22


def test_the_seed_decides() -> None:
    cosines, gold = correlated(100, 0.6, np.random.default_rng(19))
    assert np.array_equal(resampled_pearson(cosines, gold), resampled_pearson(cosines, gold))
    assert not np.array_equal(resampled_pearson(cosines, gold), resampled_pearson(cosines, gold, seed=2))
    blocks = resampled_pearson(np.tile(cosines, 50), np.tile(gold, 50), resamples=1_000)
    assert blocks.shape == (1_000,) and len(np.unique(blocks)) == 1_000


def test_what_has_no_correlation() -> None:
    gold = np.array([1.0, 2.0, 3.0])
    assert mean_pearson([(np.full(3, 0.3), gold)]) == Estimate(None, None, None)
    gap = compare([(np.full(3, 0.3), gold)], [(gold, gold)])
    assert (gap.value, gap.is_significant) == (None, False)
    with pytest.raises(ValueError, match="the same gold scores"):
        compare([(gold, gold)], [(gold, gold + 1)])


def test_seeds() -> None:
    assert over_seeds([3.0]).deviation is None


def test_a_perfect_system_is_perfect_in_every_draw_and_a_copy_differs_in_none() -> None:
    gold = np.array([0.0, 1.0, 2.0, 3.5, 5.0] * 8)
    noisy = gold + np.sin(np.arange(40))
    draws = resampled_pearson(np.stack([gold, 1 - 3 * gold, noisy, noisy]), gold)
    assert draws.shape == (2_000, 4)
    assert draws[:, 0] == pytest.approx(1) and draws[:, 1] == pytest.approx(-1)
    assert (draws[:, 2] == draws[:, 3]).all() and np.ptp(draws[:, 2]) > 0


@pytest.mark.parametrize("n", [2, 3, 5, 10, 100])
def test_the_margin_over_seeds_is_students(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    expected = scipy.stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / math.sqrt(n)
    assert seed_margin(values.tolist()) == pytest.approx(expected, rel=1e-5)


def test_one_seed_has_no_margin() -> None:
    assert seed_margin([1.0]) == math.inf
