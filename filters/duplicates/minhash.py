"""Near duplicates: pairs whose texts share most of their character trigrams (MinHash and LSH, Broder 1997).

The similarity of two texts is the Jaccard index of the sets of their trigrams: how many both have over how
many either has. A text has 256 minima of hashed trigrams; the probability that a minimum of two texts is
equal is their similarity. Texts are compared if all minima in one of `BANDS` bands are equal. They are
similar if enough bits of their sketches are equal (one bit of each minimum, Li and König 2010), which
estimates the similarity with a standard error of 0.04 at 0.8.

The libraries for this (datasketch, rensa) keep the whole index in the memory of one process. Here the bands
are records like any other, sorted on disk.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..text_columns import Texts
from .exact import Groups, Records, compared_texts, id_hashes, is_missing, members_by_preference

BANDS = 12
SKETCH_WORDS = 4

_MINIMA = 64 * SKETCH_WORDS
_RECALL = 0.95
_LEADERS = 64
"""How many texts of one band are compared with each further one. More than this are one common phrase's."""
_SEED = 20181


@dataclass(frozen=True)
class Links:
    """Pairs with similar texts, which are not necessarily different links.

    ids, others: (m,) uint64. orders, other_orders: (m,) uint32, how much they are preferred.
    """

    ids: np.ndarray
    orders: np.ndarray
    others: np.ndarray
    other_orders: np.ndarray


def band_rows(similarity: float) -> int:
    """How many minima a band has, so that 95 % of texts with exactly this similarity share a band.

    >>> band_rows(0.5), band_rows(0.8), band_rows(0.9)
    (2, 6, 14)
    """
    share = 1 - (1 - _RECALL) ** (1 / BANDS)
    return max(1, min(_MINIMA // BANDS, int(math.log(share) / math.log(similarity))))


def signatures(
    pair_ids: pa.ChunkedArray, texts: Sequence[Texts], similarity: float
) -> tuple[np.ndarray, np.ndarray]:
    """The hash of each band (n, BANDS) and the sketch (n, 4) of the pairs' normalised texts, uint64.

    similarity: from which texts are near duplicates. A pair that has no text in one of the columns shares no
    band with any other.
    """
    from ...tokens.columns import hash_trigrams  # imports numba, which planning does not need
    from ..kernels import minhash_kernels

    random = np.random.default_rng(_SEED)
    multipliers = random.integers(0, 2**32, _MINIMA, np.uint32) | np.uint32(1)
    addends = random.integers(0, 2**32, _MINIMA, np.uint32)
    shingles = hash_trigrams(compared_texts(texts))
    bands = np.empty((len(pair_ids), BANDS), np.uint64)
    sketches = np.zeros((len(pair_ids), SKETCH_WORDS), np.uint64)
    minhash_kernels.signatures(
        shingles.hashes, shingles.starts, multipliers, addends, bands, band_rows(similarity), sketches
    )
    missing = is_missing(texts)
    bands[missing] = id_hashes(pair_ids, missing)[:, None] ^ np.arange(BANDS, dtype=np.uint64)
    return bands, sketches


def find_links(records: Records, sketches: np.ndarray, similarity: float) -> Links:
    """Links between the pairs that share a band and are similar.

    The records' hashes are those of bands, and all records with any of these hashes must be among them; then
    their order does not matter. Of the texts in a band, each is compared with the preferred ones that are not
    similar to one another, not with all.
    """
    from ..kernels import minhash_kernels

    members, sizes = members_by_preference(records)
    linked = np.empty(len(members), np.int64)
    # Two bits of equal minima are equal, and half of the others.
    differing = int(_MINIMA * (1 - similarity) / 2)
    minhash_kernels.link(sizes, sketches[members], differing, _LEADERS, linked)
    ids, orders = records.ids[members], records.orders[members]
    rows = np.flatnonzero(linked >= 0)
    others = linked[rows]
    return Links(ids[rows], orders[rows], ids[others], orders[others])


def join_links(buckets: Callable[[], Iterable[Links]]) -> Groups:
    """The groups of pairs that links connect, directly or through others. buckets: reads all links again."""
    from ..kernels import minhash_kernels

    ids, orders = np.empty(0, np.uint64), np.empty(0, np.uint32)
    for links in buckets():
        ids, first = np.unique(np.concatenate([ids, links.ids, links.others]), return_index=True)
        orders = np.concatenate([orders, links.orders, links.other_orders])[first]
    ranks = np.empty(len(ids), np.int64)
    ranks[np.lexsort((ids, orders))] = np.arange(len(ids))
    parents = np.arange(len(ids))
    for links in buckets():
        nodes, others = np.searchsorted(ids, links.ids), np.searchsorted(ids, links.others)
        minhash_kernels.join(nodes, others, parents, ranks)
    minhash_kernels.find_roots(parents)
    sizes = np.bincount(parents, minlength=len(ids))
    return Groups(ids, ids[parents], sizes[parents].astype(np.int32))
