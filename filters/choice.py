"""Which candidates of an n-best list become translations."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from ..base.hashing import seeded_hash


def random_keys(pair_ids: Sequence[str], rows: np.ndarray, ranks: np.ndarray, seed: int) -> np.ndarray:
    """Keys that put the candidates of each list into a random order; uint64, (n,).

    rows: the pair of each candidate, (n,). ranks: its place in the n-best list, (n,). A key is the seeded
    hash of pair_id and rank, so that the order depends on nothing but the pair.
    """
    return seeded_hash((f"{pair_ids[row]} {rank}" for row, rank in zip(rows, ranks, strict=True)), seed)


def score_keys(values: pa.ChunkedArray, higher_is_better: bool) -> np.ndarray:
    """Keys that put the best value first and null last; float64, (n,).

    >>> score_keys(pa.chunked_array([[0.25, None, 0.5]]), True).tolist()
    [-0.25, inf, -0.5]
    """
    keys = values.cast(pa.float64()).to_numpy() * (-1.0 if higher_is_better else 1.0)
    return np.where(np.isnan(keys), np.inf, keys)


def first_allowed(rows: np.ndarray, keys: np.ndarray, allowed: np.ndarray, pairs: int) -> np.ndarray:
    """The index of the allowed candidate with the lowest key for each pair, -1 if there is none; (pairs,).

    rows, keys, allowed: the pair of each candidate, its key, and whether it may be chosen, (n,). Of equal
    keys the first one counts.

    >>> rows, keys = np.array([0, 0, 1, 1]), np.array([5, 3, 2, 8])
    >>> first_allowed(rows, keys, np.array([True, True, False, True]), 3).tolist()
    [1, 3, -1]
    """
    candidates = np.flatnonzero(allowed)
    searched = candidates[np.lexsort((keys[candidates], rows[candidates]))]
    found, first = np.unique(rows[searched], return_index=True)
    chosen = np.full(pairs, -1, np.int64)
    chosen[found] = searched[first]
    return chosen


Unlike = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Whether each of some candidates is unlike the one beside it: two lists of indices, (m,), give (m,) bool."""


def kept_candidates(
    rows: np.ndarray, keys: np.ndarray, allowed: np.ndarray, pairs: int, keep: int, unlike: Unlike
) -> np.ndarray:
    """The indices of the candidates that are kept of each pair, at most `keep`, in order; (pairs, keep).

    The first one is that of `first_allowed`. Each further one is the next allowed candidate that is unlike
    all that are kept already. -1 where there is no such candidate.

    >>> rows, keys, texts = np.array([0, 0, 0]), np.array([1, 2, 3]), np.array(["a", "a", "b"])
    >>> unlike = lambda some, kept: texts[some] != texts[kept]
    >>> kept_candidates(rows, keys, np.array([True] * 3), 1, 3, unlike).tolist()
    [[0, 2, -1]]
    """
    kept = np.full((pairs, keep), -1, np.int64)
    allowed = allowed.copy()
    for place in range(keep):
        kept[:, place] = first_allowed(rows, keys, allowed, pairs)
        allowed[kept[:, place][kept[:, place] >= 0]] = False
        left = np.flatnonzero(allowed)
        if place + 1 == keep or not len(left):
            break
        allowed[left] = unlike(left, kept[rows[left], place])
    return kept
