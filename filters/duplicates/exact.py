"""Duplicates: pairs with the same text, and which one of them to keep.

Texts are the same if their normalised forms are (`tokens.normalise`: lower-cased words without punctuation
and spacing). They are compared by 64-bit hashes: among 100 million different texts, the probability that any
two share a hash is 1 in 3,700.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from ...base.hashing import seeded_hash
from ..ranks.decile_ranks import score_keys
from ..text_columns import Texts

DuplicatesOf = Literal["reference", "translation", "pair"]

NO_SCORE = np.uint32(2**32 - 1)

_SIDES: dict[DuplicatesOf, tuple[str, ...]] = {
    "reference": ("reference",),
    "translation": ("translation",),
    "pair": ("reference", "translation"),
}


@dataclass(frozen=True)
class Records:
    """What is compared of some pairs: one record for each.

    hashes: (n,) uint64, of the normalised texts. orders: (n,) uint32, smaller for pairs to be preferred.
    ids: (n,) uint64, all different; the smaller one is preferred if the orders are equal.
    """

    hashes: np.ndarray
    orders: np.ndarray
    ids: np.ndarray

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True)
class Groups:
    """The pairs that have duplicates, in the order of their ids.

    ids: (m,) uint64. kept: (m,) uint64, the id of the one pair of the group that is kept. sizes: (m,) int32,
    the number of pairs in the group, which is at least 2.
    """

    ids: np.ndarray
    kept: np.ndarray
    sizes: np.ndarray


def sides(of: DuplicatesOf) -> tuple[str, ...]:
    """The columns whose texts must be the same."""
    return _SIDES[of]


def compared_texts(texts: Sequence[Texts]) -> pa.LargeStringArray:
    """The normalised text of each pair, of one column or more; empty where it is null.

    >>> compared_texts([pa.array(["Two  dogs!", "?"]), pa.array(["a", "B b"])]).to_pylist()
    ['two dogs\\na', '?\\nb b']
    """
    import pyarrow.compute as pc  # takes a tenth of a second, which reading a recipe does not have

    from ...tokens.columns import normalised  # imports numba, which planning does not need

    # Ingest replaces control characters, so that no text contains a line feed.
    columns = [normalised(column) for column in texts]
    return pc.binary_join_element_wise(*columns, pa.scalar("\n", pa.large_string()))


def text_hashes(pair_ids: pa.ChunkedArray, texts: Sequence[Texts]) -> np.ndarray:
    """The hash of the normalised texts of each pair, (n,) uint64.

    A pair that has no text in one of the columns gets the hash of its pair_id, so that it is no duplicate of
    any other.

    >>> ids, texts = pa.chunked_array([["a:1", "a:2"]]), pa.array(["Two  dogs!", "two dogs"])
    >>> hashes = text_hashes(ids, [texts])
    >>> bool(hashes[0] == hashes[1])
    True
    """
    from ...tokens.columns import hash_texts

    hashes, missing = hash_texts(compared_texts(texts)), is_missing(texts)
    hashes[missing] = id_hashes(pair_ids, missing)
    return hashes


def is_missing(texts: Sequence[Texts]) -> np.ndarray:
    """Which pairs have a null in one of the columns, (n,) bool."""
    return np.logical_or.reduce([np.asarray(column.is_null()) for column in texts])


def id_hashes(pair_ids: pa.ChunkedArray, rows: np.ndarray) -> np.ndarray:
    """The hashes of some rows' pair_ids. rows: (n,) bool."""
    return seeded_hash(pair_ids.filter(pa.array(rows)).to_pylist(), 0)


def preference(scores: pa.ChunkedArray, higher_is_better: bool) -> np.ndarray:
    """The order in which pairs with these scores are preferred, (n,) uint32; null and NaN come last.

    >>> preference(pa.chunked_array([pa.array([0.5, 2.0, None], pa.float32())]), True).argsort().tolist()
    [1, 0, 2]
    """
    keys = score_keys(scores, np.zeros(len(scores), np.uint64))
    orders = (keys.lead >> np.uint64(32)).astype(np.uint32)
    return np.where(keys.valid, ~orders if higher_is_better else orders, NO_SCORE)


def find_groups(records: Records) -> Groups:
    """The groups of pairs with the same hash.

    All pairs with any of these hashes must be among the records; then their order does not matter.
    """
    members, sizes = members_by_preference(records)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    best = np.cumsum(sizes) - sizes
    ids = records.ids[members]
    by_id = np.argsort(ids)
    return Groups(ids[by_id], ids[best][groups][by_id], sizes[groups][by_id].astype(np.int32))


def members_by_preference(records: Records) -> tuple[np.ndarray, np.ndarray]:
    """The places of the records that share their hash with others, group by group, and the groups' sizes.

    In a group the preferred records come first.
    """
    order = np.argsort(records.hashes)
    hashes = records.hashes[order]
    starts = np.flatnonzero(np.r_[len(hashes) > 0, hashes[1:] != hashes[:-1]])
    sizes = np.diff(np.r_[starts, len(hashes)])
    members = order[np.repeat(sizes > 1, sizes)]  # most pairs have no duplicate: sort only those that have
    sizes = sizes[sizes > 1]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return members[np.lexsort((records.ids[members], records.orders[members], groups))], sizes
