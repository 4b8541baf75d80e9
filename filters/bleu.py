"""Sentence BLEU: how much of a translation's wording, up to four words in a row, is also in its reference."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .kernels.exponentials import exp
from .score import Score
from .text_columns import Texts, hashed_pairs, with_nulls

Brevity = Literal["paper", "shorter_only"]


def sentence_bleu(
    reference: Texts, translation: Texts, tokens: Tokens = "words", brevity: Brevity = "paper"
) -> pa.FloatArray:
    """BLEU of each translation, in [0, 1]; float32. All orders and the brevity penalty are smoothed.

    It is the geometric mean over n = 1 to 4 of (clipped matches + 1) / (n-grams of the translation + 1),
    times min(1, exp(1 - (r + 1) / c)), where r and c are the numbers of tokens of reference and
    translation. So a copy has exp(-1 / c), not 1. With `shorter_only` only translations shorter than their
    reference get the penalty, and a copy has 1. An empty translation has 0; null where a side is null.
    Wieting et al. 2017, section 5.7, after Nakov et al. 2012.

    >>> value = sentence_bleu(pa.array(["the cat sat on the mat"]), pa.array(["the cat sat on mat"]))[0]
    >>> round(value.as_py(), 4)
    0.5331
    """
    # import numba, which planning does not need
    from ..tokens.columns import ngrams
    from .kernels.ngram_kernels import count_matches

    values = np.empty(len(reference))
    for rows, *sides in hashed_pairs(reference, translation, tokens):
        r, c = (side.counts() for side in sides)
        precision, matches = np.ones(len(c)), np.empty(len(c), np.int64)
        for n in range(1, 5):
            ours, theirs = (ngrams(side, n) for side in sides)
            count_matches(ours.hashes, ours.starts, theirs.hashes, theirs.starts, True, matches)
            precision *= (matches + 1) / (theirs.counts() + 1)
        penalty = exp(np.minimum(0, 1 - (r + 1) / np.maximum(c, 1)))
        if brevity == "shorter_only":
            penalty[c >= r] = 1
        values[rows] = np.where(c > 0, penalty * np.sqrt(np.sqrt(precision)), 0)
    return with_nulls(values, pa.float32(), reference, translation)


@dataclass(frozen=True)
class SentenceBleu(Score):
    """Smoothed sentence BLEU of the translation against the reference, from 0 (nothing in common) to 1. A low
    value means diverse wording; a copy of c tokens has exp(-1 / c), an empty translation 0. Wieting et al.
    2017, section 5.7, after Nakov et al. 2012.
    """

    score: Literal["sentence_bleu"] = "sentence_bleu"
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""
    brevity: Brevity = "paper"
    """`paper` (the smoothed penalty, which translations as long as their reference get too), or
    `shorter_only` (the same penalty, but only for translations shorter than their reference)."""

    version = 2
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "BLEU, 0 to 1"
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `sentence_bleu`."""
        return sentence_bleu(pairs["reference"], pairs["translation"], self.tokens, self.brevity)
