"""Statistics of texts: entropy, repetition, rare words and length, the measures of both papers' tables.

Wieting et al. 2017, section 5.6.1 and tables 9 and 10; Wieting and Gimpel 2018, table 2.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..tokens.definition import Tokens
from .kernels.exponentials import log
from .repetition import long_words, repeats
from .text_columns import Texts, blocks

if TYPE_CHECKING:
    from ..tokens.columns import HashedTokens


class NgramCounts:
    """How often each n-gram occurs in a corpus of any size.

    N-grams are 64-bit hashes. A distinct n-gram takes 16 bytes, and up to 32 while lists are merged; equal
    hashes of different n-grams would be counted as one.
    """

    def __init__(self) -> None:
        self.total = 0
        """How many n-grams were counted."""
        self._runs: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, keys: np.ndarray, times: np.ndarray | None = None) -> None:
        """Count the n-grams of some sentences.

        keys: (n,) uint64. times: (n,) int64, how often each of them occurs; by default once.
        """
        if not len(keys):
            return
        if times is None:
            distinct, counts = np.unique(keys, return_counts=True)
        else:
            distinct, places = np.unique(keys, return_inverse=True)
            counts = np.zeros(len(distinct), np.int64)
            np.add.at(counts, places, times)
        self.total += int(counts.sum())
        self._append(distinct, counts.astype(np.int64))

    def merge(self, other: "NgramCounts") -> None:
        """Add the counts of another corpus."""
        self.total += other.total
        for run in other._runs:
            self._append(*run)

    @property
    def distinct(self) -> int:
        """How many of them differ."""
        return len(self.items()[0])

    def entropy(self) -> float:
        """The entropy of the n-grams' relative frequencies, in nats; 0.0 if there are none.

        >>> counts = NgramCounts()
        >>> counts.add(np.array([7, 8, 9, 7], np.uint64))
        >>> round(counts.entropy() / math.log(2), 12)
        1.5
        """
        counts = self.items()[1]
        if not len(counts):
            return 0.0
        return max(0.0, float(math.log(self.total) - counts @ np.log(counts) / self.total))

    def counts_of(self, keys: np.ndarray) -> np.ndarray:
        """How often each of these n-grams was counted; (n,) int64."""
        known, counts = self.items()
        if not len(known):
            return np.zeros(len(keys), np.int64)
        places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[places] == keys, counts[places], 0)

    def items(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct n-grams in ascending order, (n,) uint64, and how often each occurs, (n,) int64."""
        while len(self._runs) > 1:
            self._merge_last()
        return self._runs[0] if self._runs else (np.empty(0, np.uint64), np.empty(0, np.int64))

    def _append(self, keys: np.ndarray, counts: np.ndarray) -> None:
        # A run is merged only with one of about its size, so each count is copied a few times at most.
        self._runs.append((keys, counts))
        while len(self._runs) > 1 and len(self._runs[-2][0]) <= 2 * len(self._runs[-1][0]):
            self._merge_last()

    def _merge_last(self) -> None:
        from .kernels import counting_kernels  # imports numba, which planning does not need

        one, other = self._runs.pop(), self._runs.pop()
        size = len(one[0]) + len(other[0])
        keys, counts = np.empty(size, np.uint64), np.empty(size, np.int64)
        used = counting_kernels.merge(*one, *other, keys, counts)
        # In place, because a copy would need as much memory again.
        keys.resize(used, refcheck=False)
        counts.resize(used, refcheck=False)
        self._runs.append((keys, counts))


@dataclass
class Moments:
    """The mean and the standard deviation of numbers that come in parts. NaN is no number."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, values: np.ndarray) -> None:
        """Count some numbers; (n,)."""
        numbers = values[~np.isnan(values)].astype(np.float64)
        self.merge(Moments(len(numbers), float(numbers.sum()), float(numbers @ numbers)))

    def merge(self, other: "Moments") -> None:
        """Add the numbers of another corpus."""
        self.count += other.count
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float | None:
        """Their mean; None if there are none."""
        return self.total / self.count if self.count else None

    @property
    def deviation(self) -> float | None:
        """Their standard deviation; None if there are none."""
        if not self.count:
            return None
        return math.sqrt(max(0.0, self.squares / self.count - (self.total / self.count) ** 2))


def lower_cased(texts: Texts, tokens: Tokens) -> "HashedTokens":
    """The tokens of each sentence in lower case, as hashes: frequencies of words are counted of these."""
    from ..tokens.columns import hash_tokens, lower_tokens  # imports numba, which planning does not need

    return hash_tokens(lower_tokens(texts, tokens), "whitespace")


def word_frequencies(texts: Iterable[Texts], tokens: Tokens = "words") -> NgramCounts:
    """How often each lower-cased word occurs in some texts."""
    frequencies = NgramCounts()
    for block in texts:
        frequencies.add(lower_cased(block, tokens).hashes)
    return frequencies


def average_idf(words: "HashedTokens", frequencies: NgramCounts) -> np.ndarray:
    """The mean of −ln p over the tokens of each sentence; (sentences,) float64, NaN without tokens.

    words: from `lower_cased`. p: a token's share of all tokens in `frequencies`. A token that is not there
    counts as if it had been seen once. The papers average "IDF" and name Wikipedia as its source; their
    values, 7 to 8, fit this logarithm of a word's frequency and not that of the share of documents.
    """
    idf = log(np.array(max(frequencies.total, 1))) - log(np.maximum(frequencies.counts_of(words.hashes), 1))
    lengths = words.counts()
    sums = np.bincount(np.repeat(np.arange(len(lengths)), lengths), weights=idf, minlength=len(lengths))
    return np.where(lengths > 0, sums / np.maximum(lengths, 1), np.nan)


@dataclass
class SentenceMeasures:
    """The measures of table 10 for each sentence; each (sentences,) float64.

    Repetition rates are shares in [0, 1]; idf is in nats, NaN for a sentence without tokens; length is in
    tokens.
    """

    unigram_repetition: np.ndarray
    trigram_repetition: np.ndarray
    idf: np.ndarray
    length: np.ndarray


@dataclass
class TextStatistics:
    """What is counted of one side of a corpus, part by part."""

    sentences: int = 0
    unigrams: NgramCounts = field(default_factory=NgramCounts)
    trigrams: NgramCounts = field(default_factory=NgramCounts)
    repeated_words: int = 0
    words: int = 0
    repeated_trigrams: int = 0
    length: Moments = field(default_factory=Moments)
    idf: Moments = field(default_factory=Moments)

    def add(self, texts: Texts, frequencies: NgramCounts, tokens: Tokens = "words") -> SentenceMeasures:
        """Count some sentences, and return the measures of each."""
        from ..tokens.columns import hash_tokens, ngrams  # import numba, which planning does not need

        measured = []
        for rows in blocks(len(texts)):
            block = texts[rows]
            hashed = hash_tokens(block, tokens)
            trigrams = ngrams(hashed, 3)
            words = repeats(long_words(block, hashed, tokens))
            phrases = repeats(trigrams)
            idf = average_idf(lower_cased(block, tokens), frequencies)
            lengths = hashed.counts().astype(np.float64)
            self.sentences += len(block)
            self.unigrams.add(hashed.hashes)
            self.trigrams.add(trigrams.hashes)
            self.words += int(words.of.sum())
            self.repeated_words += int(words.repeated.sum())
            self.repeated_trigrams += int(phrases.repeated.sum())
            self.length.add(lengths)
            self.idf.add(idf)
            measured.append((words.shares(), phrases.shares(), idf, lengths))
        columns = zip(*measured, strict=True) if measured else [[np.empty(0)]] * 4
        return SentenceMeasures(*(np.concatenate(column) for column in columns))

    def merge(self, other: "TextStatistics") -> None:
        """Add the sentences of another corpus."""
        self.sentences += other.sentences
        self.words += other.words
        self.repeated_words += other.repeated_words
        self.repeated_trigrams += other.repeated_trigrams
        for name in ("unigrams", "trigrams", "length", "idf"):
            getattr(self, name).merge(getattr(other, name))

    @property
    def unigram_repetition(self) -> float:
        """Percentage of the words, of `LONG_WORD` characters or more, that are repetitions."""
        return 100 * self.repeated_words / max(self.words, 1)

    @property
    def trigram_repetition(self) -> float:
        """Percentage of the trigrams that are repetitions."""
        return 100 * self.repeated_trigrams / max(self.trigrams.total, 1)
