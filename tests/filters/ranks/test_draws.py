import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranmt.base.hashing import seeded_hash
from paranmt.filters.ranks.draws import Smallest, copy_keys, drawn, sample_keys
from paranmt.filters.ranks.radix import CutSearch, Keys, find_cuts, merge, tally


@given(st.integers(0, 300), st.integers(0, 320), st.sampled_from([0, 7, 100_000]), st.integers(1, 7))
def test_a_sample_is_exactly_the_smallest_hashes(n, count, few, parts):
    ids = [f"corpus/file:{record}" for record in range(n)]
    keys = sample_keys(ids, seed=9)
    search = CutSearch(Smallest(count), few=few)
    while search.cuts is None:
        some = [Keys(keys.lead[i::parts], keys.rest[i::parts], keys.valid[i::parts]) for i in range(parts)]
        search = search.advance(merge(tally(part, search) for part in reversed(some)))
    chosen = drawn(keys, search.cuts)
    assert chosen.sum() == min(n, count)
    hashes = seeded_hash(ids, 9)
    assert set(hashes[chosen]) == set(np.sort(hashes)[:count])


def test_a_sample_of_selected_pairs_only():
    ids = [str(i) for i in range(1000)]
    selected = np.arange(1000) % 3 == 0
    keys = sample_keys(ids, seed=1)
    keys = Keys(keys.lead, keys.rest, selected)
    chosen = drawn(keys, find_cuts(keys, Smallest(50)))
    assert chosen.sum() == 50
    assert not np.any(chosen & ~selected)
    assert np.array_equal(drawn(keys, find_cuts(keys, Smallest(400))), selected)


def test_ties_between_equal_hashes_are_broken():
    keys = Keys(np.full(100, 5, np.uint64), np.arange(100, dtype=np.uint32)[::-1].copy(), np.ones(100, bool))
    assert drawn(keys, find_cuts(keys, Smallest(30))).tolist() == [False] * 70 + [True] * 30


def test_copies_are_drawn_together_and_never_too_many():
    # 40 pairs: "A dog." 5 times in other spellings, the others once.
    copies = ["A dog.", "a dog", "A  DOG!", "a dog...", "A dog"]
    references = copies + [f"sentence number {i}" for i in range(35)]
    keys = copy_keys(pa.array(references), seed=4)
    alone = seeded_hash(["a dog"], 4)[0]
    for count in range(45):
        chosen = drawn(keys, find_cuts(keys, Smallest(count)))
        hashes = np.sort(keys.lead)
        whole = [k for k in range(1, 41) if k == 40 or hashes[k - 1] != hashes[k]]
        expected = max([0, *(k for k in whole if k <= count)])
        assert chosen.sum() == expected <= count
        assert chosen[:5].tolist() in ([True] * 5, [False] * 5)
        assert not chosen.any() or keys.lead[chosen].max() < keys.lead[~chosen].min(initial=2**64 - 1)
    assert np.all(keys.lead[:5] == alone)


def test_draws_nest():
    references = [f"sentence {i % 700}" for i in range(1000)]
    keys = copy_keys(pa.array(references), seed=4)
    small, large = (drawn(keys, find_cuts(keys, Smallest(count, share=0.1))) for count in (20, 90))
    assert 0 < small.sum() <= 20 < large.sum() <= 90
    assert not np.any(small & ~large)


@pytest.mark.parametrize(
    ("n", "count", "most"), [(1000, 10_000, 100), (1000, 30, 30), (9, 5, 0), (0, 5, 0), (10, 5, 1)]
)
def test_at_most_a_tenth(n, count, most):
    keys = copy_keys(pa.array([f"sentence {i}" for i in range(n)], pa.string()), seed=2)
    assert drawn(keys, find_cuts(keys, Smallest(count, share=0.1))).sum() == most


def test_one_huge_group_is_left_out_whole():
    keys = copy_keys(pa.array(["Yes."] * 10_000 + [f"sentence {i}" for i in range(100)]), seed=3)
    search = CutSearch(Smallest(2_000, share=0.1), few=10)
    while search.cuts is None:
        one = merge(tally(part, search) for part in keys.chunks(1_000))
        assert len(one.counts) <= 101
        search = search.advance(one)
    chosen = drawn(keys, search.cuts)
    assert chosen.sum() <= 100
    assert not chosen[:10_000].any()
