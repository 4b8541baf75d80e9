"""Lengths: how many tokens each side of a pair has."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .score import Score
from .text_columns import Texts, blocks, counted, with_nulls


def lengths(texts: Texts, tokens: Tokens = "words") -> pa.Int32Array:
    """The number of tokens of each sentence; int32. The empty sentence has 0, null gives null.

    >>> lengths(pa.array(["It didn't rain.", "", None])).to_pylist()
    [6, 0, None]
    """
    counts = np.empty(len(texts), np.int64)
    for rows in blocks(len(texts)):
        counts[rows] = counted(texts, rows, tokens)
    return with_nulls(counts, pa.int32(), texts)


def length_ratio(reference: Texts, translation: Texts, tokens: Tokens = "words") -> pa.FloatArray:
    """The translation's number of tokens over the reference's; float32.

    An empty reference counts as one token, so that no ratio is infinite. An empty translation has 0, and a
    null on either side gives null.

    >>> length_ratio(pa.array(["a b c d", ""]), pa.array(["a b", "a b"])).to_pylist()
    [0.5, 2.0]
    """
    references, translations = (
        lengths(side, tokens).fill_null(0).to_numpy() for side in (reference, translation)
    )
    return with_nulls(translations / np.maximum(references, 1), pa.float32(), reference, translation)


@dataclass(frozen=True)
class Length(Score):
    """What the lengths of both sides have in common."""

    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    dtype = pa.int32()
    unit = "tokens"
    # Short sentences were better training data (Wieting et al. 2017, table 5).
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `lengths`."""
        (side,) = self.reads
        return lengths(pairs[side], self.tokens)


@dataclass(frozen=True)
class SourceLength(Length):
    """The number of tokens of the source; 0 if it is empty, null if there is none. In a language that is
    written without spaces, nearly every character is a token. Not from a paper.
    """

    score: Literal["source_length"] = "source_length"

    reads = ("source",)


@dataclass(frozen=True)
class ReferenceLength(Length):
    """The number of tokens of the reference; 0 if it is empty. Short references are safer: ParaNMT uses pairs
    with at most 30 tokens a side. Wieting and Gimpel 2018, section 6.3.
    """

    score: Literal["reference_length"] = "reference_length"

    reads = ("reference",)


@dataclass(frozen=True)
class TranslationLength(Length):
    """The number of tokens of the translation; 0 if it is empty. Short sentences are translated better:
    ParaNMT uses pairs with at most 30 tokens a side. Wieting et al. 2017, section 5.5; Wieting and Gimpel
    2018, section 6.3.
    """

    score: Literal["translation_length"] = "translation_length"

    reads = ("translation",)


@dataclass(frozen=True)
class LengthRatio(Score):
    """The number of tokens of the translation divided by that of the reference. Near 1 is good: a low value
    means that something was left out, a high one that something was added or repeated. An empty reference
    counts as one token; an empty translation has 0. Not from a paper.
    """

    score: Literal["length_ratio"] = "length_ratio"
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "tokens per token"
    higher_is_better = None

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `length_ratio`."""
        return length_ratio(pairs["reference"], pairs["translation"], self.tokens)
