"""The ids of pairs.

The id of a pair is that of its record in the input: <corpus>/<file name>:<record>. If several translations of
a record are kept, each is a pair: the first one has the record's id, the others have #2, #3, … behind it.

Recipes import this module, so it imports `pyarrow.compute`, and makes arrays of lists (which imports pandas),
inside the functions that need it.
"""

import numpy as np
import pyarrow as pa

MOST_PAIRS = 64
"""The most pairs that a record can become."""


def numbered_ids(records: pa.ChunkedArray | pa.Array, places: np.ndarray) -> pa.ChunkedArray | pa.Array:
    """The ids of pairs.

    records: the id of each pair's record. places: which of the record's pairs it is, from 0.

    >>> numbered_ids(pa.array(["a/b.en:7", "a/b.en:7"]), np.array([0, 1])).to_pylist()
    ['a/b.en:7', 'a/b.en:7#2']
    """
    import pyarrow.compute as pc

    suffixes = pa.array(["", *(f"#{place}" for place in range(2, MOST_PAIRS + 1))])
    return pc.binary_join_element_wise(records, suffixes.take(pa.array(places)), "")


def record_ids(pair_ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """The id of each pair's record.

    >>> record_ids(pa.chunked_array([["a/b#1:7", "a/b#1:7#2"]])).to_pylist()
    ['a/b#1:7', 'a/b#1:7']
    """
    import pyarrow.compute as pc

    return pc.replace_substring_regex(pair_ids, r"#\d+$", "")
