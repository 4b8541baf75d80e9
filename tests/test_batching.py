import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paranmt.models.batching import length_batches, translate_in_batches
from paranmt.models.translator import Candidate

LENGTHS = st.lists(st.integers(0, 200), max_size=200)


def test_by_hand() -> None:
    assert [batch.tolist() for batch in length_batches([3, 9, 4, 4, 3], 8)] == [[1], [2, 3], [0, 4]]
    assert [batch.tolist() for batch in length_batches([2, 2, 2], 100, max_rows=2)] == [[0, 1], [2]]
    assert length_batches([], 8) == []


@given(LENGTHS, st.integers(1, 500), st.none() | st.integers(1, 20))
def test_every_row_once_and_within_the_budget(lengths: list[int], budget: int, most: int | None) -> None:
    batches = length_batches(lengths, budget, most)
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(lengths)))
    longest_before = max(lengths, default=0)
    for batch in batches:
        longest = max(lengths[row] for row in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget
        assert most is None or len(batch) <= most
        assert longest <= longest_before
        longest_before = min(lengths[row] for row in batch)


@given(LENGTHS, st.integers(1, 500))
def test_no_batch_could_take_the_next_row(lengths: list[int], budget: int) -> None:
    batches = length_batches(lengths, budget)
    for batch in batches[:-1]:
        longest = max(1, max(lengths[row] for row in batch))
        assert (len(batch) + 1) * longest > budget


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(1, 60))
def test_order_comes_back_and_the_untranslatable_stay_out(lengths: list[int], budget: int) -> None:
    rows = [[f"row{number}"] * length for number, length in enumerate(lengths)]
    seen: list[str] = []

    def decode(batch: list[list[str]]) -> list[list[Candidate]]:
        seen.extend(row[0] for row in batch)
        return [[Candidate(row[0], -1.0, len(row), ())] for row in batch]

    found = translate_in_batches(rows, decode, longest=10, batch_tokens=budget, max_rows=7)
    for number, (row, candidates) in enumerate(zip(rows, found, strict=True)):
        translatable = 0 < len(row) < 10
        assert [one.text for one in candidates] == ([f"row{number}"] if translatable else [])
    assert len(seen) == len(set(seen)) == sum(0 < length < 10 for length in lengths)


def test_lengths_may_be_an_array() -> None:
    assert length_batches(np.array([1, 5, 3]), 6)[0].tolist() == [1]
