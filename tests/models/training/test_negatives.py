import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import paranmt.models.training.negatives as negatives_module
from paranmt.models.training import nearest_kernels
from paranmt.models.training.loss import unit_vectors
from paranmt.models.training.negatives import NegativePool, choose_negatives, hardest_negatives
from paranmt.models.training.same_texts import Exclusions
from paranmt.models.training.train_options import NegativeMode, NegativesExclude

_PRODUCTS = [nearest_kernels.IS_AVAILABLE, False]  # of whole numbers, or torch's
# Small whole numbers: cosines tie often, and equal vectors have exactly equal products.
_VECTORS = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=2 * n, max_size=2 * n)
)


def _papers_rule(n: int) -> Exclusions:
    """For n pairs of different texts."""
    return Exclusions(np.arange(2 * n), "own_pair")


def _allowed(texts: list[int], pool: str, rule: NegativesExclude) -> np.ndarray:
    """Which sentence (column) may be a negative of which (row), by the definitions in words."""
    n = len(texts) // 2
    pairs = [{texts[i], texts[n + i]} for i in range(n)]
    table = np.zeros((2 * n, 2 * n), bool)
    for i in range(2 * n):
        for j in range(2 * n):
            own = pairs[i % n]
            excluded = {
                "own_pair": i % n == j % n,
                "equal_texts": texts[j] in own,
            }[rule]
            table[i, j] = not excluded and (pool == "all" or (i < n) != (j < n))
    return table


def _brute_force(vectors: np.ndarray, texts: list[int], pool: str, rule: NegativesExclude) -> np.ndarray:
    """Cosine of each sentence with each of its pool; −inf where it is no negative."""
    norms = np.maximum(np.linalg.norm(vectors, axis=1), 1e-5)
    n = len(vectors) // 2
    cosines = (vectors @ vectors.T) / np.outer(norms, norms)
    cosines[~_allowed(texts, pool, rule)] = -np.inf
    if rule == "own_pair":
        here = np.arange(2 * n)
        for other in (here, (here + n) % (2 * n)):
            inside = (pool == "all") | ((other < n) != (here < n))
            cosines[here[inside], other[inside]] = 0.0
    return cosines


@settings(deadline=None, max_examples=300)
@given(
    vectors=_VECTORS,
    pool=st.sampled_from(get_args(NegativePool)),
    rule=st.sampled_from(get_args(NegativesExclude)),
    different=st.integers(1, 14),
    block=st.sampled_from([1, 10, 1000]),
    many=st.sampled_from([0, 1, 100]),
    products=st.sampled_from(_PRODUCTS),
    seed=st.integers(0, 2**32),
)
def test_hardest_against_brute_force(
    vectors: list[list[int]],
    pool: NegativePool,
    rule: NegativesExclude,
    different: int,
    block: int,
    many: int,
    products: bool,
    seed: int,
) -> None:
    """Texts recur, with other vectors, as where a copy is scrambled."""
    array = np.array(vectors, dtype=np.float32)
    texts = np.random.default_rng(seed).integers(0, different, len(array))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negatives_module, "_BLOCK_CELLS", block)
        patch.setattr(negatives_module, "_MANY", many)
        patch.setattr(nearest_kernels, "IS_AVAILABLE", products)
        chosen = hardest_negatives(torch.from_numpy(array), pool, Exclusions(texts, rule))
    for cosines, choice in zip(_brute_force(array, texts.tolist(), pool, rule), chosen, strict=True):
        if np.isinf(cosines.max()):
            assert choice == -1
        else:
            assert cosines[choice] == pytest.approx(cosines.max(), abs=1e-6)


@pytest.mark.parametrize("mode", get_args(NegativeMode))
@pytest.mark.parametrize("pool", get_args(NegativePool))
def test_an_equal_text_is_never_a_negative(mode: NegativeMode, pool: NegativePool) -> None:
    """Three systems translate five references; two of them, and two references, agree."""
    references = [0, 1, 2, 3, 3] * 3
    translations = [5, 6, 7, 8, 9, 5, 10, 11, 3, 12, 0, 13, 14, 15, 16]
    texts = references + translations
    vectors = torch.eye(17)[texts] + 0.5  # equal texts have cosine 1, all others the same lower one
    allowed = _allowed(texts, pool, "equal_texts")
    exclusions, generator = Exclusions(np.array(texts), "equal_texts"), np.random.default_rng(1)
    drawn = np.array([choose_negatives(vectors, mode, pool, exclusions, generator) for _ in range(400)])
    for sentence, choices in enumerate(drawn.T):
        assert allowed[sentence, choices].all()
        if mode == "rand":
            assert set(choices) == set(np.flatnonzero(allowed[sentence]))
    # By the papers' rule the nearest is a copy.
    papers = hardest_negatives(vectors, "all", Exclusions(np.array(texts), "own_pair"))
    assert texts[papers[0]] == texts[0]


def test_nothing_changes_where_no_text_recurs() -> None:
    generator = np.random.default_rng(0)
    vectors = torch.from_numpy(generator.normal(size=(400, 12)).astype(np.float32))
    for mode in get_args(NegativeMode):
        for pool in get_args(NegativePool):
            chosen = [
                choose_negatives(
                    vectors, mode, pool, Exclusions(np.arange(400), rule), np.random.default_rng(3)
                ).tolist()
                for rule in get_args(NegativesExclude)
            ]
            assert chosen[0] == chosen[1]


@pytest.mark.parametrize("pool", get_args(NegativePool))
@pytest.mark.parametrize("mode", get_args(NegativeMode))
def test_no_negative_where_all_texts_are_excluded(mode: NegativeMode, pool: NegativePool) -> None:
    generator = np.random.default_rng(0)
    for texts in ([0, 1], [0, 0, 1, 1], [4] * 8):
        chosen = choose_negatives(
            torch.ones(len(texts), 3), mode, pool, Exclusions(np.array(texts), "equal_texts"), generator
        )
        assert set(chosen) == {-1}


def test_the_share_of_pairs_with_a_text_that_recurs() -> None:
    # Pairs (0, 1), (0, 2), (3, 3), (4, 5), (6, 2): the first two and the last.
    assert Exclusions(np.array([0, 0, 3, 4, 6, 1, 2, 3, 5, 2]), "equal_texts").recurring == 0.6


@pytest.mark.parametrize("pool", get_args(NegativePool))
@pytest.mark.parametrize("spread", [1.0, 0.1, 1e-3])
def test_either_product_gives_the_nearest_in_float64(
    pool: NegativePool, spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a small spread all cosines are near 1, which neither whole numbers nor float32 can tell apart."""
    torch.manual_seed(3)
    n = 150
    vectors = torch.randn(2 * n, 40) * spread + torch.randn(40)
    vectors[7] = vectors[100] = vectors[n + 30]  # equal vectors: the first is chosen
    monkeypatch.setattr(negatives_module, "_BLOCK_CELLS", 2**13)
    units = unit_vectors(vectors).double().numpy()
    cosines = (units[:, None] * units).sum(axis=2)
    here = np.arange(2 * n)
    cosines[here, here] = cosines[here, (here + n) % (2 * n)] = 0
    if pool == "other_side":
        cosines[:n, :n] = cosines[n:, n:] = -2
    expected = (cosines >= cosines.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1)
    rule = _papers_rule(n)
    for products in _PRODUCTS:
        monkeypatch.setattr(nearest_kernels, "IS_AVAILABLE", products)
        assert hardest_negatives(vectors, pool, rule).tolist() == expected.tolist()


@pytest.mark.parametrize("pool", get_args(NegativePool))
@pytest.mark.parametrize("rule", get_args(NegativesExclude))
@pytest.mark.parametrize("pairs, dimension", [(1, 1), (17, 9), (1100, 30)])
def test_the_nearest_of_difficult_vectors(
    pool: NegativePool, rule: NegativesExclude, pairs: int, dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Repeated, zero, tiny and opposite vectors, in one thread and in three, with equal cosines and texts."""
    generator = np.random.default_rng(7)
    vectors = generator.normal(size=(2 * pairs, dimension)).astype(np.float32)
    kinds = generator.integers(0, 8, 2 * pairs)
    vectors[kinds == 0] = 0
    vectors[kinds == 1] *= 1e-25
    vectors[kinds == 2] = vectors[0]
    vectors[kinds == 3] = -vectors[-1]
    vectors[kinds == 4, 1:] = 0
    texts = generator.integers(0, pairs, 2 * pairs)
    units = unit_vectors(torch.from_numpy(vectors)).double().numpy()
    cosines = units @ units.T
    here = np.arange(2 * pairs)
    partners = (here + pairs) % (2 * pairs)
    if rule == "own_pair":
        cosines[here, here] = cosines[here, partners] = 0
    else:
        cosines[(texts[:, None] == texts) | (texts[partners, None] == texts)] = -np.inf
    if pool == "other_side":
        cosines[:pairs, :pairs] = cosines[pairs:, pairs:] = -np.inf
    highest = cosines.max(axis=1, keepdims=True)
    expected = np.where(highest[:, 0] > -np.inf, (cosines >= highest - 1e-12).argmax(axis=1), -1)
    threads = torch.get_num_threads()
    try:
        for products in _PRODUCTS:
            monkeypatch.setattr(nearest_kernels, "IS_AVAILABLE", products)
            for count in (1, 3):
                torch.set_num_threads(count)
                chosen = hardest_negatives(torch.from_numpy(vectors), pool, Exclusions(texts, rule))
                assert chosen.tolist() == expected.tolist()
    finally:
        torch.set_num_threads(threads)


def test_the_similarities_of_all_pairs_are_never_held_at_once() -> None:
    program = Path(__file__).resolve().parents[3] / "benchmarks" / "training.py"
    if not (program.is_file() and Path("/proc/self/clear_refs").exists()):
        pytest.skip("needs the checkout's benchmarks and Linux")
    command = [sys.executable, str(program), "-", "--memory"]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert peak < 4 * 8000**2 / 3  # a third of the float32 matrix of 8,000 sentences


def test_the_first_of_equals_is_chosen() -> None:
    vectors = torch.tensor([[1.0, 0.0]] * 3 + [[1.0, 0.0]] * 3)
    # Sentence 0 and its partner 3 stand back for 1; sentences 1 and 2 for 0; likewise the translations.
    for rule in get_args(NegativesExclude):
        exclusions = Exclusions(np.arange(6), rule)
        assert hardest_negatives(vectors, "all", exclusions).tolist() == [1, 0, 0, 1, 0, 0]
        assert hardest_negatives(vectors, "other_side", exclusions).tolist() == [4, 3, 3, 1, 0, 0]


def test_by_the_papers_rule_itself_or_its_partner_if_all_others_point_away() -> None:
    vectors = torch.tensor([[1.0, 0.0], [-1.0, 0.1], [1.0, 0.1], [-1.0, 0.0]])
    assert hardest_negatives(vectors, "all", _papers_rule(2)).tolist() == [0, 1, 0, 1]
    assert hardest_negatives(vectors, "other_side", _papers_rule(2)).tolist() == [2, 3, 0, 1]
    linked = Exclusions(np.arange(4), "equal_texts")
    assert hardest_negatives(vectors, "all", linked).tolist() == [1, 2, 1, 2]
    assert hardest_negatives(vectors, "other_side", linked).tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("products", _PRODUCTS)
@pytest.mark.parametrize("value", [float("nan"), -float("nan"), float("inf")])
def test_vectors_that_are_not_finite_have_some_negatives(
    value: float, products: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest_kernels, "IS_AVAILABLE", products)
    some, every = torch.ones(8, 3), torch.full((8, 3), value)
    some[5] = value
    for vectors in (some, every):
        for pool in get_args(NegativePool):
            for rule in get_args(NegativesExclude):
                exclusions = Exclusions(np.array([0, 1, 0, 3, 4, 1, 5, 6]), rule)
                assert set(hardest_negatives(vectors, pool, exclusions)) <= set(range(8))


def test_by_the_papers_rule_a_single_pair_has_only_itself() -> None:
    vectors = torch.ones(2, 3)
    assert hardest_negatives(vectors, "all", _papers_rule(1)).tolist() == [0, 0]
    for pool in get_args(NegativePool):
        drawn = choose_negatives(vectors, "rand", pool, _papers_rule(1), np.random.default_rng(0))
        assert set(drawn) <= {0, 1}


@pytest.mark.parametrize("pool", get_args(NegativePool))
def test_random_negatives_reach_all_other_pairs_alike(pool: NegativePool) -> None:
    n, generator = 4, np.random.default_rng(3)
    vectors, exclusions = torch.zeros(2 * n, 2), Exclusions(np.arange(2 * n), "equal_texts")
    draws = np.array([choose_negatives(vectors, "rand", pool, exclusions, generator) for _ in range(3000)])
    for sentence in range(2 * n):
        counts = np.bincount(draws[:, sentence], minlength=2 * n)
        allowed = [
            j for j in range(2 * n) if j % n != sentence % n and (pool == "all" or (j < n) != (sentence < n))
        ]
        assert counts.sum() == counts[allowed].sum() == 3000
        assert counts[allowed].min() > 0.8 * 3000 / len(allowed)


def test_mix_takes_about_half_from_each() -> None:
    torch.manual_seed(0)
    vectors, exclusions = torch.randn(1000, 8), Exclusions(np.arange(1000), "equal_texts")
    hardest = hardest_negatives(vectors, "all", exclusions)
    mixed, most = (
        choose_negatives(vectors, mode, "all", exclusions, np.random.default_rng(0))
        for mode in ("mix", "max")
    )
    assert 0.42 < (mixed == hardest).mean() < 0.58
    assert (most == hardest).all()


@settings(deadline=None, max_examples=150)
@given(
    vectors=_VECTORS,
    pool=st.sampled_from(get_args(NegativePool)),
    gap=st.sampled_from([0.0, 0.1, 0.5, 2.0]),
)
def test_negatives_must_be_farther_than_the_partner(
    vectors: list[list[int]], pool: NegativePool, gap: float
) -> None:
    array = np.array(vectors, np.float32)
    count = len(array)
    texts = list(range(count))
    cosines = _brute_force(array.astype(np.float64), texts, pool, "equal_texts")
    units = array / np.maximum(np.linalg.norm(array.astype(np.float64), axis=1, keepdims=True), 1e-5)
    partner = (np.arange(count) + count // 2) % count
    limits = (units * units[partner]).sum(axis=1) - gap
    chosen = hardest_negatives(torch.from_numpy(array), pool, Exclusions(np.array(texts), "equal_texts"), gap)
    for row, negative in enumerate(chosen.tolist()):
        there = np.isfinite(cosines[row])
        surely = cosines[row][there & (cosines[row] < limits[row] - 1e-6)]
        if negative == -1:
            assert not len(surely)
        else:
            assert there[negative] and cosines[row][negative] <= limits[row] + 1e-6
            assert cosines[row][negative] >= surely.max(initial=-1.0) - 1e-5
