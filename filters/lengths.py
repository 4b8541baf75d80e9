"""Lengths: how many tokens each side of a pair has."""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from ..tokens import Tokens
from .score import Score
from .text import Texts, tokenised


def lengths(texts: Texts, tokens: Tokens = "words") -> pa.Int32Array:
    """Tokens of each sentence; int32, 0 for the empty one, null for null.

    >>> lengths(pa.array(["It didn't rain.", "", None])).to_pylist()
    [6, 0, None]
    """
    return pa.array([None if each is None else len(each) for each in tokenised(texts, tokens)], pa.int32())


@dataclass(frozen=True)
class Length(Score):
    """What the lengths of both sides have in common."""

    tokens: Tokens = "words"
    """`words` (words and signs of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    dtype = pa.int32()
    unit = "tokens"
    # Short sentences made the better training data (Wieting et al. 2017, table 5).
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `lengths`."""
        (side,) = self.reads
        return lengths(pairs[side], self.tokens)


@dataclass(frozen=True)
class ReferenceLength(Length):
    """Tokens of the reference; 0 if it is empty. Short ones are the safer: ParaNMT takes pairs of at most 30
    a side. Wieting and Gimpel 2018, section 6.3.
    """

    score: Literal["reference_length"] = "reference_length"

    reads = ("reference",)


@dataclass(frozen=True)
class TranslationLength(Length):
    """Tokens of the translation; 0 if it is empty. Short ones are the better translated: ParaNMT takes pairs
    of at most 30 a side. Wieting et al. 2017, section 5.5; Wieting and Gimpel 2018, section 6.3.
    """

    score: Literal["translation_length"] = "translation_length"

    reads = ("translation",)
