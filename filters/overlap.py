"""Overlap: how much of a translation is copied from its reference."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .score import Score
from .text_columns import Texts, hashed_pairs, with_nulls

Counting = Literal["clipped", "legacy"]


def ngram_overlap(
    reference: Texts, translation: Texts, n: int, tokens: Tokens = "words", counting: Counting = "clipped"
) -> pa.FloatArray:
    """Share of the shorter side's n-grams that the other side has too, in [0, 1]; float32.

    >>> ngram_overlap(pa.array(["a b c d"]), pa.array(["a b c e"]), 3).to_pylist()
    [0.5]

    0 where a side has fewer than n tokens, null where a side is null. Wieting et al. 2017, section 5.7.

    `clipped` counts an n-gram as often as both sides have it. `legacy` counts like the authors' code: on the
    side with fewer n-grams (the reference if both have the same number) it counts every n-gram that the
    other side has anywhere, including repeats.

    >>> reference, translation = pa.array(["the the the"]), pa.array(["the cat sat down"])
    >>> ngram_overlap(reference, translation, 1, counting="legacy").to_pylist()
    [1.0]
    """
    # import numba, which planning does not need
    from ..tokens.columns import ngrams
    from .kernels.ngram_kernels import count_matches

    shares = np.empty(len(reference))
    for rows, *sides in hashed_pairs(reference, translation, tokens):
        ours, theirs = (ngrams(side, n) for side in sides)
        matches = np.empty(len(ours.counts()), np.int64)
        count_matches(ours.hashes, ours.starts, theirs.hashes, theirs.starts, counting == "clipped", matches)
        shares[rows] = matches / np.maximum(np.minimum(ours.counts(), theirs.counts()), 1)
    return with_nulls(shares, pa.float32(), reference, translation)


@dataclass(frozen=True)
class NgramOverlap(Score):
    """What the overlaps of all orders have in common."""

    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""
    counting: Counting = "clipped"
    """`clipped` (an n-gram counts as often as both sides have it), or `legacy` (as the authors' code counts:
    all repeats on the shorter side count, which is needed only to reproduce their data)."""

    version = 1
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = False
    n: ClassVar[int]

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `ngram_overlap`."""
        return ngram_overlap(pairs["reference"], pairs["translation"], self.n, self.tokens, self.counting)


@dataclass(frozen=True)
class UnigramOverlap(NgramOverlap):
    """Share of the tokens of the shorter side (reference or translation) that the other side has too, from 0
    (none) to 1 (all). A low value means diverse wording; a copy has 1. 0 where a side is empty.
    Wieting et al. 2017, section 5.7.
    """

    score: Literal["unigram_overlap"] = "unigram_overlap"

    n = 1


@dataclass(frozen=True)
class BigramOverlap(NgramOverlap):
    """Share of the bigrams of the shorter side (reference or translation) that the other side has too, from 0
    (none) to 1 (all). A low value means diverse wording; a copy has 1. 0 where a side has fewer than two
    tokens. Wieting et al. 2017, section 5.7.
    """

    score: Literal["bigram_overlap"] = "bigram_overlap"

    n = 2


@dataclass(frozen=True)
class TrigramOverlap(NgramOverlap):
    """Share of the trigrams of the shorter side (reference or translation) that the other side has too, from
    0 (none) to 1 (all). A low value means diverse wording; a copy has 1. 0 where a side has fewer than three
    tokens. Wieting et al. 2017, section 5.7.
    """

    score: Literal["trigram_overlap"] = "trigram_overlap"

    n = 3
