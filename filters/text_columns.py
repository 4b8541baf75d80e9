"""Text columns as the measures read them, and columns of their values."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens

if TYPE_CHECKING:
    from ..tokens.columns import HashedTokens

Texts: TypeAlias = pa.StringArray | pa.ChunkedArray
"""A column of sentences; null where a sentence is missing."""

_BLOCK = 4_096


def hashed_pairs(
    reference: Texts, translation: Texts, tokens: Tokens
) -> "Iterator[tuple[slice, HashedTokens, HashedTokens]]":
    """The rows of a block of pairs and the hashed tokens of both sides, block by block.

    ValueError if one side has more rows.
    """
    for rows in paired_blocks(reference, translation):
        yield rows, hashed(reference, rows, tokens), hashed(translation, rows, tokens)


@contextmanager
def remember_tokens(memory: dict[object, Any]) -> Iterator[None]:
    """Inside the block, `hashed` keeps its results in `memory`, so that several scores share them."""
    before = _memory.set(memory)
    try:
        yield
    finally:
        _memory.reset(before)


_memory: ContextVar[dict[object, Any] | None] = ContextVar("_memory", default=None)


def hashed(texts: Texts, rows: slice, tokens: Tokens) -> "HashedTokens":
    """The hashed tokens of some rows of a column."""
    from ..tokens.columns import hash_tokens  # imports numba, which planning does not need

    memory = _memory.get()
    if memory is None:
        return hash_tokens(texts[rows], tokens)
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    buffers = [(chunk.buffers(), chunk.offset, len(chunk)) for chunk in chunks]
    places = tuple((of[2].address if of[2] else 0, offset, size) for of, offset, size in buffers)
    key = (places, rows.start, tokens)
    if key not in memory:
        # The column is kept too, or another one might get its addresses.
        memory[key] = texts, hash_tokens(texts[rows], tokens)
    tokens_of_rows: HashedTokens = memory[key][1]
    return tokens_of_rows


def counted(texts: Texts, rows: slice, tokens: Tokens) -> np.ndarray:
    """The number of tokens of some rows of a column, 0 for a null; (rows,) int64."""
    from ..tokens.columns import count_tokens  # imports numba, which planning does not need

    if _memory.get() is None:
        return count_tokens(texts[rows], tokens)
    return hashed(texts, rows, tokens).counts()


def paired_blocks(reference: Texts, translation: Texts) -> Iterator[slice]:
    """The `blocks` of two sides; ValueError if one has more rows."""
    if len(reference) != len(translation):
        raise ValueError(
            f"expected as many translations as references ({len(reference)}), got {len(translation)}"
        )
    return blocks(len(reference))


def blocks(rows: int) -> Iterator[slice]:
    """A few thousand rows at a time, so that what is made of them stays in the processor's cache."""
    for start in range(0, rows, _BLOCK):
        yield slice(start, min(start + _BLOCK, rows))


def with_nulls(values: np.ndarray, dtype: pa.DataType, *columns: Texts) -> pa.Array:
    """The values as an Arrow array of this type, null where any of the columns is null."""
    null = np.zeros(len(values), np.bool_)
    for column in columns:
        if column.null_count:
            null |= np.asarray(column.is_null())
    return pa.array(values, mask=null).cast(dtype)
