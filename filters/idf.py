"""Average IDF: how rare the words of a sentence are."""

import sys
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ..base.paths import FilePath
from ..tokens.definition import Tokens
from .score import Score
from .statistics import NgramCounts, average_idf, lower_cased
from .text_columns import Texts, blocks


def idf(texts: Texts, frequencies: NgramCounts, tokens: Tokens = "words") -> pa.FloatArray:
    """The mean of −ln p over the tokens of each sentence, in lower case; float32.

    See `statistics.average_idf`. Null for null and for a sentence without tokens.

    >>> frequencies = NgramCounts()
    >>> frequencies.add(lower_cased(pa.array(["a a b c"]), "words").hashes)
    >>> values = idf(pa.array(["A", "a b", ""]), frequencies)
    >>> [value and round(value, 3) for value in values.to_pylist()]
    [0.693, 1.04, None]
    """
    values = np.empty(len(texts))
    for rows in blocks(len(texts)):
        values[rows] = average_idf(lower_cased(texts[rows], tokens), frequencies)
    # A null has no tokens either.
    return pa.array(values, mask=np.isnan(values)).cast(pa.float32())


@dataclass(frozen=True)
class AverageIdf(Score):
    """What the average IDFs of both sides have in common."""

    frequencies: FilePath | None = None
    """A text whose words are counted, or a table with a word and its count on each line; by default the
    references of the corpus are counted."""
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 2
    dtype = pa.float32()
    unit = "nats"
    higher_is_better = None
    model_kind: ClassVar[str | None] = "word_frequencies"

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `idf`; `model` is an `NgramCounts`."""
        if not isinstance(model, NgramCounts):
            raise TypeError(f"{self.score} needs frequencies of words, got {model!r}")
        (side,) = self.reads
        return idf(pairs[side], model, self.tokens)

    def files(self) -> tuple[str, ...]:
        """The text or the table, if one is given."""
        return () if self.frequencies is None else (self.frequencies,)

    def trained_on(self) -> int | None:
        """All references, unless a file is given."""
        return None if self.frequencies is not None else sys.maxsize


@dataclass(frozen=True)
class ReferenceIdf(AverageIdf):
    """How rare the words of the reference are: the mean of −ln p over its tokens in lower case, where p is a
    token's share of all tokens of the corpus's references, or of a text of yours. A high value means rare
    words. A token that was not counted has the p of one that occurs once; a sentence without tokens has no
    value. Wieting et al. 2017, section 5.6.1.
    """

    score: Literal["reference_idf"] = "reference_idf"

    reads = ("reference",)


@dataclass(frozen=True)
class TranslationIdf(AverageIdf):
    """How rare the words of the translation are: the mean of −ln p over its tokens in lower case, where p is
    a token's share of all tokens of the corpus's references, or of a text of yours. A high value means rare
    words, of which references have more than translations. A token that was not counted has the p of one that
    occurs once; a sentence without tokens has no value. Wieting et al. 2017, section 5.6.1.
    """

    score: Literal["translation_idf"] = "translation_idf"

    reads = ("translation",)
