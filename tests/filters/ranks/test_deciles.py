import doctest
import json
import math
import pickle
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranmt.base.hashing import seeded_hash
from paranmt.filters.ranks import decile_ranks, draws
from paranmt.filters.ranks.decile_ranks import (
    assign,
    cuts_from_json,
    cuts_to_json,
    decile_starts,
    exact_deciles,
    score_keys,
)
from paranmt.filters.ranks.radix import CutSearch, Keys, find_cuts, merge, tally

FLOATS = st.one_of(
    st.none(),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan, 1e-45, -1e-45]),
    st.floats(width=32),
)
# Hashes of few values force ties in the upper bits, so that every pass is needed.
HASHES = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 2**18), st.integers(2**63, 2**63 + 5))


def ranked(values, hashes):
    """The deciles by their definition: sort, take each rank, floor(10 * rank / n) + 1."""
    rows = [row for row, value in enumerate(values) if value is not None and not math.isnan(value)]
    result = [None] * len(values)
    for rank, row in enumerate(sorted(rows, key=lambda row: (values[row], hashes[row]))):
        result[row] = 10 * rank // len(rows) + 1
    return result


def searched(parts, few, goal=None, chance=None):
    """The cuts as a cluster finds them: tallies merged in any order and grouping, states pickled."""
    chance = chance or random.Random(0)
    search = CutSearch(goal or decile_starts, few=few)
    passes = 0
    while search.cuts is None:
        tallies = [tally(part, search) for part in parts]
        chance.shuffle(tallies)
        while len(tallies) > 1:
            grouped = [tallies.pop() for _ in range(chance.randint(2, len(tallies)))]
            tallies.insert(chance.randint(0, len(tallies)), merge(grouped))
        search = pickle.loads(pickle.dumps(search)).advance(merge(tallies))
        passes += 1
    return search.cuts, passes


def split(keys, chance):
    borders = sorted(chance.choices(range(len(keys) + 1), k=chance.randint(0, 5)))
    parts = [slice(start, end) for start, end in zip([0, *borders], [*borders, len(keys)], strict=True)]
    chance.shuffle(parts)
    return [Keys(keys.lead[part], keys.rest[part], keys.valid[part]) for part in parts]


def test_examples_in_docstrings():
    assert doctest.testmod(decile_ranks).failed == 0
    assert doctest.testmod(draws).failed == 0


def test_by_hand():
    # Four values, ranks 0 to 3: 0, 2.5, 5, 7.5 tenths. The null has no rank.
    values = pa.array([0.3, None, 0.1, 0.2, 0.9], pa.float32())
    assert exact_deciles(values, "abcde", 1).to_pylist() == [6, None, 1, 3, 8]
    assert exact_deciles(pa.array([], pa.float32()), [], 1).to_pylist() == []
    assert exact_deciles(pa.array([None, math.nan], pa.float32()), "ab", 1).to_pylist() == [None, None]
    assert exact_deciles(np.array([7], np.int32), "a", 1).to_pylist() == [1]
    assert exact_deciles(np.arange(20, dtype=np.float32)[::-1], map(str, range(20)), 1).to_pylist() == [
        10 - i // 2 for i in range(20)
    ]


def test_equal_values_are_ordered_by_hash_and_not_by_position():
    ids = [f"corpus/file:{record}" for record in range(1, 1001)]
    found = exact_deciles(np.zeros(1000, np.float32), ids, seed=5)
    hashes = seeded_hash(ids, 5)
    assert found.to_pylist() == ranked([0.0] * 1000, hashes.tolist())
    assert found != exact_deciles(np.zeros(1000, np.float32), ids, seed=6)
    assert np.bincount(found.to_numpy()).tolist() == [0] + [100] * 10


@given(st.lists(st.tuples(FLOATS, HASHES), max_size=200), st.sampled_from([0, 1, 20, 100_000]), st.randoms())
def test_any_parts_in_any_order_give_the_ranking(rows, few, chance):
    unique = list({hash_: (value, hash_) for value, hash_ in rows}.values())
    values = [value for value, _ in unique]
    hashes = np.array([hash_ for _, hash_ in unique], np.uint64)
    keys = score_keys(pa.array(values, pa.float32()), hashes)
    cuts, _ = searched(split(keys, chance), few, chance=chance)
    assert assign(keys, cuts).to_pylist() == ranked(values, hashes.tolist())
    read = cuts_from_json(json.loads(json.dumps(cuts_to_json(cuts), allow_nan=False)))
    assert assign(keys, read) == assign(keys, cuts)
    assert (read.n, read.nulls, read.keys) == (cuts.n, cuts.nulls, cuts.keys)
    assert cuts == find_cuts(keys, decile_starts)


@given(st.integers(0, 120), st.integers(1, 4))
def test_heavy_ties(n, distinct):
    values = [float(i % distinct) for i in range(n)]
    ids = [str(i) for i in range(n)]
    found = exact_deciles(np.array(values, np.float32), ids, 3)
    assert found.to_pylist() == ranked(values, seeded_hash(ids, 3).tolist())


def test_passes_are_few():
    chance = np.random.default_rng(1)
    hashes = chance.integers(0, 2**64, 300_000, np.uint64)
    continuous = chance.random(300_000, np.float32)
    _, passes = searched([score_keys(continuous[:10_000], hashes[:10_000])], few=100_000)
    assert passes == 2  # one histogram, one gathering
    cuts, passes = searched([score_keys(continuous, hashes)], few=1_000)
    assert passes == 3
    tied = np.where(chance.random(300_000) < 0.25, np.float32(0), continuous)
    keys = score_keys(tied, hashes)
    cuts, passes = searched(list(keys.chunks(7_000)), few=1_000)
    assert passes == 4
    order = np.lexsort((hashes, tied))
    expected = np.empty(300_000, np.int8)
    expected[order] = 10 * np.arange(300_000) // 300_000 + 1
    assert np.array_equal(assign(keys, cuts).to_numpy(), expected)


def test_identical_keys_do_not_pile_up():
    keys = score_keys(np.zeros(1000, np.float32), np.full(1000, 7, np.uint64))
    cuts, passes = searched(list(keys.chunks(100)), few=10)
    assert passes == 5
    assert assign(keys, cuts).to_pylist() == [10] * 1000  # no order is left to tell them apart


def test_order_of_all_kinds_of_float32():
    values = np.array([-np.inf, -3e38, -1, -1e-45, 0, 1e-45, 1, 3e38, np.inf], np.float32)
    leads = score_keys(values, np.zeros(9, np.uint64)).lead
    assert np.all(leads[1:] > leads[:-1])
    zeros = score_keys(np.array([0.0, -0.0], np.float32), np.zeros(2, np.uint64)).lead
    assert zeros[0] == zeros[1]


def test_whole_numbers():
    counts = pa.chunked_array([pa.array([30, None, 2], pa.int32()), pa.array([7], pa.int32())])
    assert exact_deciles(counts, "abcd", 1).to_pylist() == [7, None, 1, 4]
    with pytest.raises(ValueError, match="16777216"):
        score_keys(np.array([2**24 + 1]), np.zeros(1, np.uint64))


@pytest.mark.parametrize("values", [np.zeros(1), pa.array([0.5]), pa.array(["a"]), pa.array([True])])
def test_other_types_are_refused(values):
    with pytest.raises(TypeError, match="float32"):
        score_keys(values, np.zeros(1, np.uint64))


def test_cuts_json_by_hand():
    hashes = np.array([0x0123456789ABCDEF, 1], np.uint64)
    keys = score_keys(pa.array([0.7, -math.inf], pa.float32()), hashes)
    said = cuts_to_json(find_cuts(keys, decile_starts))
    # Two rows, ranks 0 and 1: deciles 1 and 6. Deciles 7 to 10 would begin after the last row.
    at_the_second = {"value": 0.7, "hash": "0123456789abcdef"}
    assert said == {
        "rows": 2,
        "nulls": 0,
        "minimum": "-inf",
        "maximum": 0.7,
        "cuts": [{"decile": decile, **at_the_second} for decile in (2, 3, 4, 5, 6)],
    }


def test_rows_that_change_between_passes_are_noticed():
    keys = score_keys(np.arange(1000, dtype=np.float32), np.arange(1000, dtype=np.uint64))
    search = CutSearch(decile_starts, few=10).advance(tally(keys, CutSearch(decile_starts, few=10)))
    with pytest.raises(ValueError, match="the rows changed"):
        search.advance(merge([tally(keys, search), tally(keys, search)]))
    with pytest.raises(ValueError, match="this pass counts"):
        search.advance(tally(keys, CutSearch(decile_starts)))
    with pytest.raises(ValueError, match="different passes"):
        merge([tally(keys, search), tally(keys, CutSearch(decile_starts))])
