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
from paranmt.models.training.loss import unit_vectors
from paranmt.models.training.negatives import NegativePool, choose_negatives, hardest_negatives

_PRECISIONS = [torch.bfloat16, torch.float32]
# Small whole numbers: cosines tie often, and equal vectors have exactly equal products.
_VECTORS = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=2 * n, max_size=2 * n)
)


def _brute_force(vectors: np.ndarray, pool: str) -> list[list[float]]:
    """Cosine of each sentence with each of its pool; nan outside it."""
    norms = np.maximum(np.linalg.norm(vectors, axis=1), 1e-5)
    n = len(vectors) // 2
    table = np.full((2 * n, 2 * n), np.nan)
    for i in range(2 * n):
        for j in range(2 * n):
            if pool == "all" or (i < n) != (j < n):
                table[i, j] = vectors[i] @ vectors[j] / (norms[i] * norms[j]) if i % n != j % n else 0.0
    return table.tolist()


@settings(deadline=None, max_examples=300)
@given(
    vectors=_VECTORS,
    pool=st.sampled_from(get_args(NegativePool)),
    block=st.sampled_from([1, 10, 1000]),
    many=st.sampled_from([0, 1, 100]),
    precision=st.sampled_from(_PRECISIONS),
)
def test_hardest_against_brute_force(
    vectors: list[list[int]], pool: NegativePool, block: int, many: int, precision: torch.dtype
) -> None:
    array = np.array(vectors, dtype=np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negatives_module, "_BLOCK_CELLS", block)
        patch.setattr(negatives_module, "_MANY", many)
        patch.setattr(negatives_module, "_fastest_precision", lambda: precision)
        chosen = hardest_negatives(torch.from_numpy(array), pool)
    for cosines, choice in zip(_brute_force(array, pool), chosen, strict=True):
        assert cosines[choice] == pytest.approx(np.nanmax(cosines), abs=1e-6)


@pytest.mark.parametrize("pool", get_args(NegativePool))
@pytest.mark.parametrize("spread", [1.0, 0.1, 1e-3])
def test_either_precision_gives_the_nearest_in_float64(
    pool: NegativePool, spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a small spread all cosines are near 1, which bfloat16 and then float32 cannot tell apart."""
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
    for precision in _PRECISIONS:
        monkeypatch.setattr(negatives_module, "_fastest_precision", lambda precision=precision: precision)
        assert hardest_negatives(vectors, pool).tolist() == expected.tolist()


def test_the_similarities_of_all_pairs_are_never_held_at_once() -> None:
    program = Path(__file__).resolve().parents[1] / "benchmarks" / "training.py"
    if not (program.is_file() and Path("/proc/self/clear_refs").exists()):
        pytest.skip("needs the checkout's benchmarks and Linux")
    command = [sys.executable, str(program), "-", "--memory"]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert peak < 4 * 8000**2 / 3  # a third of the float32 matrix of 8,000 sentences


def test_the_first_of_equals_is_chosen() -> None:
    vectors = torch.tensor([[1.0, 0.0]] * 3 + [[1.0, 0.0]] * 3)
    # Sentence 0 and its partner 3 stand back for 1; sentences 1 and 2 for 0; likewise the translations.
    assert hardest_negatives(vectors, "all").tolist() == [1, 0, 0, 1, 0, 0]
    assert hardest_negatives(vectors, "other_side").tolist() == [4, 3, 3, 1, 0, 0]


def test_itself_or_its_partner_if_all_other_sentences_point_away() -> None:
    vectors = torch.tensor([[1.0, 0.0], [-1.0, 0.1], [1.0, 0.1], [-1.0, 0.0]])
    assert hardest_negatives(vectors, "all").tolist() == [0, 1, 0, 1]
    assert hardest_negatives(vectors, "other_side").tolist() == [2, 3, 0, 1]


@pytest.mark.parametrize("precision", _PRECISIONS)
@pytest.mark.parametrize("value", [float("nan"), -float("nan"), float("inf")])
def test_vectors_that_are_not_finite_have_some_negatives(
    value: float, precision: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negatives_module, "_fastest_precision", lambda: precision)
    some, every = torch.ones(8, 3), torch.full((8, 3), value)
    some[5] = value
    for vectors in (some, every):
        for pool in get_args(NegativePool):
            assert set(hardest_negatives(vectors, pool)) <= set(range(8))


def test_a_single_pair_has_only_itself() -> None:
    vectors = torch.ones(2, 3)
    assert hardest_negatives(vectors, "all").tolist() == [0, 0]
    for pool in get_args(NegativePool):
        assert set(choose_negatives(vectors, "rand", pool, np.random.default_rng(0))) <= {0, 1}


@pytest.mark.parametrize("pool", get_args(NegativePool))
def test_random_negatives_reach_all_other_pairs_alike(pool: NegativePool) -> None:
    n, generator = 4, np.random.default_rng(3)
    draws = np.array([choose_negatives(torch.zeros(2 * n, 2), "rand", pool, generator) for _ in range(3000)])
    for sentence in range(2 * n):
        counts = np.bincount(draws[:, sentence], minlength=2 * n)
        allowed = [
            j for j in range(2 * n) if j % n != sentence % n and (pool == "all" or (j < n) != (sentence < n))
        ]
        assert counts.sum() == counts[allowed].sum() == 3000
        assert counts[allowed].min() > 0.8 * 3000 / len(allowed)


def test_mix_takes_about_half_from_each() -> None:
    torch.manual_seed(0)
    vectors = torch.randn(1000, 8)
    hardest = hardest_negatives(vectors, "all")
    mixed = choose_negatives(vectors, "mix", "all", np.random.default_rng(0))
    assert 0.42 < (mixed == hardest).mean() < 0.58
    assert (choose_negatives(vectors, "max", "all", np.random.default_rng(0)) == hardest).all()
