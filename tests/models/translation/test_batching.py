from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranmt.base.errors import ModelError
from paranmt.models.translation.batching import (
    Budget,
    in_batches,
    length_batches,
    pairs_in_batches,
    within_memory,
)

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
def test_results_have_the_input_order_without_untranslatable_rows(lengths: list[int], tokens: int) -> None:
    rows = [[f"row{number}"] * length for number, length in enumerate(lengths)]
    seen: list[str] = []

    def decode(batch: list[list[str]]) -> list[str]:
        seen.extend(row[0] for row in batch)
        return [row[0] for row in batch]

    found = in_batches(rows, decode, Budget(tokens, 7), 10)  # type: ignore[arg-type]
    assert found == [f"row{n}" if 0 < length < 10 else None for n, length in enumerate(lengths)]
    assert len(seen) == len(set(seen)) == sum(0 < length < 10 for length in lengths)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60), st.integers(1, 60))
def test_pairs_come_back_in_order(lengths: list[tuple[int, int]], tokens: int) -> None:
    sources = [[number] * length for number, (length, _) in enumerate(lengths)]
    targets = [[number] * length for number, (_, length) in enumerate(lengths)]

    def score(some: list[list[int]], given: list[list[int]]) -> list[tuple[int, int]]:
        assert len(some) == 1 or len(some) * (max(map(len, some + given)) + 1) <= max(1, tokens // 4)
        return [(source[0], len(target)) for source, target in zip(some, given, strict=True)]

    found = pairs_in_batches(sources, targets, score, Budget(tokens, 7), (10, 8))  # type: ignore[arg-type]
    assert found == [(n, b) if 0 < a < 10 and b < 8 else None for n, (a, b) in enumerate(lengths)]


def full_above(
    rows: int, message: str = "CUDA out of memory. Tried to allocate 2 GiB"
) -> Callable[[Budget], int]:
    """Work that a GPU has room for at so many rows; its result is the budget it was done with."""

    def work(budget: Budget) -> int:
        if budget.rows > rows:
            raise RuntimeError(message)
        return budget.tokens

    return work


@pytest.mark.parametrize(("room", "halvings"), [(100, 0), (64, 0), (63, 1), (16, 2), (1, 6)])
def test_the_budget_is_halved_until_the_work_fits(room: int, halvings: int) -> None:
    assert within_memory(Budget(4096, 64), full_above(room)) == (4096 >> halvings, halvings)


def test_a_gpu_too_small_for_one_sentence() -> None:
    with pytest.raises(ModelError, match="too small for a single sentence .CUDA out of memory"):
        within_memory(Budget(4096, 64), full_above(0))


def test_other_errors_are_not_taken_for_a_full_gpu() -> None:
    with pytest.raises(RuntimeError, match="shapes"):
        within_memory(Budget(4096, 64), full_above(0, "shapes cannot be multiplied"))


def test_lengths_may_be_an_array() -> None:
    assert length_batches(np.array([1, 5, 3]), 6)[0].tolist() == [1]


def test_rows_join_a_batch_by_hand() -> None:
    def admitted(tokens: int, rows: int, waiting: list[int], staying: list[int], nodes: int = 1) -> int:
        return Budget(tokens, rows).admitted(
            np.array(waiting, dtype=np.int64), np.array(staying, dtype=np.int64), nodes
        )

    assert admitted(20, 9, [6, 5, 5, 5], []) == 3, "16 tokens; with the fourth row 21"
    assert admitted(20, 3, [2] * 9, [2]) == 2, "at most 3 rows"
    assert admitted(20, 9, [2] * 9, [12]) == 2, "tokens for 4, but with padding 3 rows have 36 and 4 have 48"
    assert admitted(20, 9, [2] * 9, [2], nodes=100) == 2, "at most 16 * 20 nodes: 3 rows"
    assert admitted(20, 9, [2], [2], nodes=1000) == 0
    assert admitted(20, 9, [50, 3], []) == 1, "a row longer than the budget is alone"
    assert admitted(20, 9, [50, 3], [2]) == 0
    assert admitted(20, 9, [], [2]) == admitted(20, 9, [], []) == 0


@given(LENGTHS, LENGTHS, st.integers(1, 500), st.integers(1, 20))
def test_an_empty_batch_takes_what_a_first_batch_does(
    lengths: list[int], staying: list[int], budget: int, most: int
) -> None:
    waiting = np.sort(np.array(lengths, dtype=np.int64))[::-1]
    first = length_batches(waiting, budget, most)[:1]
    none = np.zeros(0, np.int64)
    assert Budget(budget, most).admitted(waiting, none) >= sum(map(len, first))
    stay = np.array(staying, dtype=np.int64)
    count = Budget(budget, most).admitted(waiting, stay)
    if count and len(stay):
        assert waiting[:count].sum() + stay.sum() <= budget and len(stay) + count <= most
