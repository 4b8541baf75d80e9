"""What is counted in the pairs of releases, by hand."""

import numpy as np
import pyarrow as pa

from paranmt.base.hashing import seeded_hash
from paranmt.pipeline.release.pair_counts import hashed_ids, repeated


def test_hashes_that_are_there_again() -> None:
    hashes = [np.array(some, np.uint64) for some in ([3, 1, 2], [], [3, 9, 1], [3])]
    assert repeated(hashes).tolist() == [1, 3, 3]
    assert repeated(hashes[:2]).tolist() == repeated([]).tolist() == []


def test_a_pair_without_an_id_has_a_hash() -> None:
    table = pa.table({"pair_id": pa.chunked_array([["a"], [None, "b"]], pa.string())})
    assert hashed_ids(table, 7).tolist() == seeded_hash(["a", "", "b"], 7).tolist()
