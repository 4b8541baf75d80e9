"""Text columns as the measures read them, and columns of their values."""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from ..tokens import Tokens

if TYPE_CHECKING:
    from ..token_columns import HashedTokens

Texts: TypeAlias = pa.StringArray | pa.ChunkedArray
"""A column of sentences; null where a sentence is missing."""


def hashed_pairs(reference: Texts, translation: Texts, tokens: Tokens) -> "tuple[HashedTokens, HashedTokens]":
    """The hashed tokens of both sides; ValueError if one has more rows."""
    from ..token_columns import hash_tokens  # imports numba, which planning does not need

    if len(reference) != len(translation):
        raise ValueError(
            f"expected as many translations as references ({len(reference)}), got {len(translation)}"
        )
    return hash_tokens(reference, tokens), hash_tokens(translation, tokens)


def with_nulls(values: np.ndarray, dtype: pa.DataType, *columns: Texts) -> pa.Array:
    """The values as an Arrow array of this type, null where any of the columns is null."""
    null = np.zeros(len(values), np.bool_)
    for column in columns:
        if column.null_count:
            null |= np.asarray(column.is_null())
    return pa.array(values, mask=null).cast(dtype)
