"""Which candidate of an n-best list becomes the translation."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ..hashing import seeded_hash

Order = Literal["best", "random"]


def order_keys(
    pair_ids: Sequence[str], rows: np.ndarray, ranks: np.ndarray, order: Order, seed: int
) -> np.ndarray:
    """The position of each candidate in the order in which its list is searched, lowest first; uint64, (n,).

    rows: the pair of each candidate, (n,). ranks: its place in the n-best list, from 1, (n,). `best` is the
    order of the list. `random` is the seeded hash of pair_id and rank, so that an order depends on nothing
    but the pair.
    """
    if order == "best":
        return ranks.astype(np.uint64)
    return seeded_hash((f"{pair_ids[row]} {rank}" for row, rank in zip(rows, ranks, strict=True)), seed)


def first_allowed(rows: np.ndarray, keys: np.ndarray, allowed: np.ndarray, pairs: int) -> np.ndarray:
    """The index of the allowed candidate with the lowest key for each pair, -1 if there is none; (pairs,).

    rows, keys, allowed: the pair of each candidate, its key, and whether it may be chosen, (n,).

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
