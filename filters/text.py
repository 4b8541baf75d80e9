"""Text columns as the measures read them, and columns of their values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from ..tokens import Tokens

if TYPE_CHECKING:
    from ..token_columns import HashedTokens

Texts: TypeAlias = pa.StringArray | pa.ChunkedArray
"""A column of sentences; null where a sentence is missing."""

_BLOCK = 4_096


def hashed_pairs(
    reference: Texts, translation: Texts, tokens: Tokens
) -> "Iterator[tuple[slice, HashedTokens, HashedTokens]]":
    """The rows of a block of pairs and the hashed tokens of both sides, block by block.

    ValueError if one side has more rows.
    """
    from ..token_columns import hash_tokens  # imports numba, which planning does not need

    for rows in paired_blocks(reference, translation):
        yield rows, hash_tokens(reference[rows], tokens), hash_tokens(translation[rows], tokens)


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
