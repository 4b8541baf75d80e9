"""Text columns as the measures read them."""

from typing import TypeAlias

import pyarrow as pa

from ..tokens import Tokens, tokenize

Texts: TypeAlias = pa.StringArray | pa.ChunkedArray
"""A column of sentences; null where a sentence is missing."""


def tokenised(texts: Texts, tokens: Tokens = "words") -> list[list[str] | None]:
    """The tokens of each sentence of a column; None where it is null.

    >>> tokenised(pa.array(["It rained.", "", None]))
    [['It', 'rained', '.'], [], None]
    """
    return [None if text is None else tokenize(text, tokens) for text in texts.to_pylist()]
