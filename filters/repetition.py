"""Repetition: how often a sentence says the same words again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .score import Score
from .text_columns import Texts, blocks, with_nulls

if TYPE_CHECKING:
    from ..tokens.columns import HashedTokens

LONG_WORD = 3
"""The repetition of unigrams counts only words of at least so many characters (section 5.6.1)."""


def repetition(texts: Texts, n: int, tokens: Tokens = "words") -> pa.FloatArray:
    """Share of each sentence's n-grams that have already appeared in it, in [0, 1]; float32.

    Unigrams count only if they have at least three characters. 0 where there is nothing to count; null gives
    null. Wieting et al. 2017, section 5.6.1.

    >>> repetition(pa.array(["the dog sees the", "a b c a b c"]), 1).to_pylist()
    [0.25, 0.0]
    >>> repetition(pa.array(["a b c a b c"]), 3).to_pylist()
    [0.25]
    """
    from ..tokens.columns import hash_tokens, ngrams  # import numba, which planning does not need

    shares = np.empty(len(texts))
    for rows in blocks(len(texts)):
        hashed = hash_tokens(texts[rows], tokens)
        grams = long_words(texts[rows], hashed, tokens) if n == 1 else ngrams(hashed, n)
        shares[rows] = repeats(grams).shares()
    return with_nulls(shares, pa.float32(), texts)


@dataclass
class Repeats:
    """How many n-grams occurred earlier in their sentence.

    repeated, of: (sentences,) int64: those of each sentence, and all its n-grams.
    """

    repeated: np.ndarray
    of: np.ndarray

    def shares(self) -> np.ndarray:
        """(sentences,) float64: the share of a sentence's n-grams that are repeated; 0 if it has none."""
        return self.repeated / np.maximum(self.of, 1)


def repeats(grams: "HashedTokens") -> Repeats:
    """The n-grams of each sentence that occurred earlier in it."""
    from .kernels.counting_kernels import count_distinct  # imports numba, which planning does not need

    counts = grams.counts()
    distinct = np.empty(len(counts), np.int64)
    count_distinct(grams.hashes, grams.starts, distinct)
    return Repeats(counts - distinct, counts)


def long_words(texts: Texts, all_tokens: "HashedTokens", tokens: Tokens) -> "HashedTokens":
    """Of the tokens of each sentence, those whose repetition counts; all_tokens: of `texts`."""
    from ..tokens.columns import HashedTokens, count_characters  # import numba, which planning does not need

    long = count_characters(texts, tokens) >= LONG_WORD
    starts = np.concatenate(([0], np.cumsum(long)))[all_tokens.starts]
    return HashedTokens(all_tokens.hashes[long], starts)


@dataclass(frozen=True)
class Repetition(Score):
    """What the repetitions of both sides have in common."""

    n: Literal[1, 3] = 1
    """1 (words of at least three characters), or 3 (trigrams)."""
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `repetition`."""
        (side,) = self.reads
        return repetition(pairs[side], self.n, self.tokens)


@dataclass(frozen=True)
class ReferenceRepetition(Repetition):
    """Share of the words of the reference that have already appeared in it, from 0 (no repetition) up; with
    `n: 3`, of its trigrams. Only words of at least three characters count. 0 where there are none, so for the
    empty sentence too. Wieting et al. 2017, section 5.6.1.
    """

    score: Literal["reference_repetition"] = "reference_repetition"

    reads = ("reference",)


@dataclass(frozen=True)
class TranslationRepetition(Repetition):
    """Share of the words of the translation that have already appeared in it, from 0 (no repetition) up; with
    `n: 3`, of its trigrams. Only words of at least three characters count. 0 where there are none, so for the
    empty sentence too. A high value means poor output: translations repeat more than references. Wieting et
    al. 2017, section 5.6.1.
    """

    score: Literal["translation_repetition"] = "translation_repetition"

    reads = ("translation",)
