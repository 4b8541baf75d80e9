"""Batches of similar lengths under a budget of padded tokens, and the way back to the input's order."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from .translator import Candidate, TranslateOptions

T = TypeVar("T")

# Hypotheses in flight. On a CPU more of them fall out of the caches (128 sentences at beam 12 are as
# fast as it gets); on a GPU the bound only keeps a batch of very short sentences within memory.
_HYPOTHESES = {"cpu": 1536, "cuda": 49_152}


def length_batches(
    lengths: Sequence[int] | np.ndarray, batch_tokens: int, max_rows: int | None = None
) -> list[np.ndarray]:
    """Row numbers of each batch, longest rows first; together every row once.

    lengths: (n,) tokens of each row. A batch's rows times its longest row is at most `batch_tokens`,
    and its rows at most `max_rows`; a row longer than the budget is a batch by itself. Rows of equal
    length keep their order, so the batches depend on nothing but the arguments.

    >>> [batch.tolist() for batch in length_batches([3, 9, 4, 4], 8)]
    [[1], [2, 3], [0]]
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        rows = max(1, batch_tokens // max(1, int(lengths[order[start]])))
        if max_rows is not None:
            rows = min(rows, max_rows)
        batches.append(order[start : start + rows])
        start += rows
    return batches


def translate_in_batches(
    rows: Sequence[list[T]],
    decode: Callable[[list[list[T]]], list[list[Candidate]]],
    *,
    longest: int,
    batch_tokens: int,
    max_rows: int,
) -> list[list[Candidate]]:
    """What `decode` says of each row of source tokens, batch by batch, in the order of the rows.

    Rows without tokens, and rows of more than `longest` tokens with the end symbol counted, have no
    candidates and never reach `decode`.
    """
    candidates: list[list[Candidate]] = [[] for _ in rows]
    todo = [number for number, row in enumerate(rows) if 0 < len(row) < longest]
    lengths = [len(rows[number]) + 1 for number in todo]
    for batch in length_batches(lengths, batch_tokens, max_rows):
        # A GPU that is full shows here: the place to halve the batch and begin it again.
        numbers = [todo[position] for position in batch]
        for number, found in zip(numbers, decode([rows[number] for number in numbers]), strict=True):
            candidates[number] = found
    return candidates


def most_rows(options: TranslateOptions) -> int:
    """Sentences of a batch at the most, whatever their length; `options` are resolved."""
    return max(1, _HYPOTHESES[options.device] // options.beam)
