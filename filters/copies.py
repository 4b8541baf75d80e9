"""Copies: whether a translation is its reference again, or nearly."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .score import Score
from .text_columns import Texts, hashed_pairs, paired_blocks, with_nulls

if TYPE_CHECKING:
    from ..tokens.columns import HashedTokens


def copy_grade(reference: Texts, translation: Texts) -> pa.Int32Array:
    """2 for an exact copy, 1 for a copy after `tokens.normalise`, otherwise 0; int32.

    Two empty sentences are an exact copy. Null where a side is null.

    >>> copy_grade(pa.array(["Two dogs."] * 3), pa.array(["Two dogs.", "two dogs", "two cats"])).to_pylist()
    [2, 1, 0]
    """
    # take a tenth of a second, or import numba, which planning does not need
    import pyarrow.compute as pc

    from ..tokens.columns import normalised

    grades = np.zeros(len(reference), np.int64)
    for rows in paired_blocks(reference, translation):
        one, other = reference[rows], translation[rows]
        for same in (pc.equal(one, other), pc.equal(normalised(one), normalised(other))):
            grades[rows] += pc.fill_null(same, False).to_numpy(zero_copy_only=False)
    return with_nulls(grades, pa.int32(), reference, translation)


def longest_common_subsequence(
    reference: Texts, translation: Texts, tokens: Tokens = "words"
) -> pa.FloatArray:
    """Tokens of the longest common subsequence over those of the shorter side, in [0, 1]; float32.

    These are the tokens that both sides have in the same order, with anything between them. 0 where a side
    is empty, null where a side is null.

    >>> longest_common_subsequence(pa.array(["a b c d"]), pa.array(["d a x c"])).to_pylist()
    [0.5]
    """
    shares = np.zeros(len(reference))
    for rows, ours, theirs in hashed_pairs(reference, translation, tokens):
        shorter = np.minimum(ours.counts(), theirs.counts())
        np.divide(_common(ours, theirs), shorter, out=shares[rows], where=shorter > 0)
    return with_nulls(shares, pa.float32(), reference, translation)


def character_similarity(reference: Texts, translation: Texts) -> pa.FloatArray:
    """2 * c / (m + n) for c common characters in order, of m and n; in [0, 1]; float32.

    This is the normalised indel similarity: 1 less the least number of insertions and deletions that turn
    one side into the other, over the characters of both. 1 where both sides are empty, null where a side is
    null.

    >>> character_similarity(pa.array(["cats"]), pa.array(["cat!"])).to_pylist()
    [0.75]
    """
    from ..tokens.columns import hash_characters  # imports numba, which planning does not need

    shares = np.ones(len(reference))
    for rows in paired_blocks(reference, translation):
        ours, theirs = hash_characters(reference[rows]), hash_characters(translation[rows])
        both = ours.counts() + theirs.counts()
        np.divide(2 * _common(ours, theirs), both, out=shares[rows], where=both > 0)
    return with_nulls(shares, pa.float32(), reference, translation)


@dataclass(frozen=True)
class Copy(Score):
    """What the grades of two sides have in common."""

    version = 1
    dtype = pa.int32()
    unit = "grade, 0 to 2"
    higher_is_better = False
    has_deciles = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `copy_grade`."""
        one, other = self.reads
        return copy_grade(pairs[one], pairs[other])


@dataclass(frozen=True)
class CopyGrade(Copy):
    """Whether the translation is a copy of the reference: 2 if both are exactly the same, 1 if they are the
    same apart from case, punctuation and spacing, 0 if they differ. A low value means diverse wording; two
    empty sentences are a copy. Copies are a known fault of such corpora. Not from a paper.
    """

    score: Literal["copy_grade"] = "copy_grade"

    reads = ("reference", "translation")


@dataclass(frozen=True)
class SourceCopyGrade(Copy):
    """Whether the source is a copy of the reference, and so not in another language: 2 if both are exactly
    the same, 1 if they are the same apart from case, punctuation and spacing, 0 if they differ. Names and
    numbers may rightly be copies. Null where there is no source. Not from a paper.
    """

    score: Literal["source_copy_grade"] = "source_copy_grade"

    reads = ("source", "reference")


@dataclass(frozen=True)
class CharacterSimilarity(Score):
    """Similarity of the characters of both sides, from 0 (none in common) to 1 (a copy): 1 less the least
    number of insertions and deletions that turn one side into the other, divided by the number of characters
    of both. A low value means diverse wording. 0 where one side is empty, 1 where both are. Not from a
    paper.
    """

    score: Literal["character_similarity"] = "character_similarity"

    version = 1
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `character_similarity`."""
        return character_similarity(pairs["reference"], pairs["translation"])


@dataclass(frozen=True)
class LongestCommonSubsequence(Score):
    """Number of tokens that both sides have in the same order, divided by the number of tokens of the shorter
    side, from 0 (none) to 1 (all). A low value means diverse wording or word order; a copy has 1. 0 where a
    side is empty. Not from a paper.
    """

    score: Literal["longest_common_subsequence"] = "longest_common_subsequence"
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `longest_common_subsequence`."""
        return longest_common_subsequence(pairs["reference"], pairs["translation"], self.tokens)


def _common(ours: "HashedTokens", theirs: "HashedTokens") -> np.ndarray:
    """The length of each pair's longest common subsequence; (n,) int64."""
    from .kernels.subsequence_kernels import longest_subsequences

    lengths = np.empty(len(ours.starts) - 1, np.int64)
    longest_subsequences(ours.hashes, ours.starts, theirs.hashes, theirs.starts, lengths)
    return lengths
