"""Negation: whether both sides of a pair deny equally often."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .phrases import Phrases
from .score import Score
from .text_columns import Texts, paired_blocks, with_nulls

NEGATIONS = (
    *("no", "not", "cannot", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without"),
    *("'t", "\u2019t", "n't", "n\u2019t"),  # the ends of "didn't" in raw text, and of "did n't"
)
"""The English negations that are counted, in any case."""


def negation_consistency(reference: Texts, translation: Texts, tokens: Tokens = "words") -> pa.FloatArray:
    """The negations of the side with fewer over those of the side with more, in [0, 1]; float32.

    1 where neither side has one of `NEGATIONS`, 0 where only one side has; null where a side is null.

    >>> references = pa.array(["He didn't go.", "He didn't go."])
    >>> negation_consistency(references, pa.array(["He never went.", "He went."])).to_pylist()
    [1.0, 0.0]
    """
    negations = Phrases.of(NEGATIONS, tokens)
    shares = np.empty(len(reference))
    for rows in paired_blocks(reference, translation):
        ours, theirs = (negations.count(side[rows]) for side in (reference, translation))
        more = np.maximum(ours, theirs)
        shares[rows] = np.where(more > 0, np.minimum(ours, theirs) / np.maximum(more, 1), 1)
    return with_nulls(shares, pa.float32(), reference, translation)


@dataclass(frozen=True)
class NegationConsistency(Score):
    """Number of negations on the side with fewer, divided by that of the side with more, from 0 (only one
    side denies) to 1 (both do equally often, or neither does, as in the empty sentence). A low value means
    that the sides may contradict each other. Negations are no, not, n't, cannot, never, none, nobody,
    nothing, nowhere, neither, nor and without. Not from a paper.
    """

    score: Literal["negation_consistency"] = "negation_consistency"
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = True

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `negation_consistency`."""
        return negation_consistency(pairs["reference"], pairs["translation"], self.tokens)
