"""Entropy, repetition and rare words: values worked by hand, and the kernels against their definitions."""

import math
from collections import Counter

import definitions
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranmt.filters.repetition import LONG_WORD
from paranmt.filters.statistics import (
    Moments,
    NgramCounts,
    TextStatistics,
    average_idf,
    lower_cased,
    word_frequencies,
)
from paranmt.pipeline.statistics.measuring import RowSample
from paranmt.tokens.definition import Tokens, tokenize

LN2 = math.log(2)
# Table 11 of Wieting et al. 2017.
REPETITIVE = "The staff were very nice and the room was very nice and the staff were very nice."
CONCISE = "Room was comfortable and the staff at the front desk were very helpful."


def measured(*texts: str, of: str = "a a b c", tokens: Tokens = "words") -> TextStatistics:
    statistics = TextStatistics()
    statistics.add(pa.array(texts), word_frequencies([pa.array([of])], tokens), tokens)
    return statistics


@pytest.mark.parametrize(
    ("texts", "unigrams", "trigrams"),
    [
        ([], 0.0, 0.0),
        ([""], 0.0, 0.0),
        (["a"], 0.0, 0.0),
        (["a a b c"], 1.5 * LN2, LN2),  # shares 1/2, 1/4, 1/4; two trigrams
        (["a a", "b c"], 1.5 * LN2, 0.0),  # no trigram goes from one sentence to the next
        # b and c thrice, a twice, the others once; of the four trigrams one twice
        (["a b c", "a b c", "d e f", "A b c"], math.log(12) - (6 * math.log(3) + 2 * LN2) / 12, 1.5 * LN2),
    ],
)
def test_entropy(texts: list[str], unigrams: float, trigrams: float) -> None:
    statistics = measured(*texts)
    assert statistics.unigrams.entropy() == pytest.approx(unigrams)
    assert statistics.trigrams.entropy() == pytest.approx(trigrams)


@pytest.mark.parametrize(
    ("text", "words", "trigrams"),
    [
        ("", 0.0, 0.0),
        ("a b a b a b", 0.0, 50.0),  # words of fewer than three characters do not count
        ("the the the", 200 / 3, 0.0),
        ("éé ééé ééé", 50.0, 0.0),  # characters, not bytes
        # 8 of 17 words: very nice and the staff were very nice; 4 of 16 trigrams
        (REPETITIVE, 800 / 17, 25.0),
        (CONCISE, 100 / 12, 0.0),  # "the", of 12 words: "at" is too short
    ],
)
def test_repetition(text: str, words: float, trigrams: float) -> None:
    statistics = measured(text)
    assert statistics.unigram_repetition == pytest.approx(words)
    assert statistics.trigram_repetition == pytest.approx(trigrams)


def test_repetition_counts_all_words_of_all_sentences_once() -> None:
    """A percentage of words, not a mean over sentences; nothing is repeated from another sentence."""
    assert measured("one one", "two six ten one").unigram_repetition == pytest.approx(100 / 6)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", LN2),
        ("b", 2 * LN2),
        ("A b", 1.5 * LN2),  # in lower case
        ("z", 2 * LN2),  # as if seen once
        ("a a b .", 1.5 * LN2),
        ("", math.nan),
    ],
)
def test_average_idf(text: str, value: float) -> None:
    frequencies = word_frequencies([pa.array(["a A", "b c"])])
    (idf,) = average_idf(lower_cased(pa.array([text]), "words"), frequencies)
    assert idf == pytest.approx(value, nan_ok=True)


def test_means_and_deviations() -> None:
    statistics = measured("a", "a b c", "")
    assert (statistics.sentences, statistics.length.mean) == (3, pytest.approx(4 / 3))
    assert statistics.length.deviation == pytest.approx(math.sqrt(14) / 3)
    # LN2 and 5/3 LN2; the empty sentence has none
    assert statistics.idf.mean == pytest.approx(4 / 3 * LN2)
    assert statistics.idf.deviation == pytest.approx(1 / 3 * LN2)
    assert Moments().mean is Moments().deviation is None


def test_corpora_together_are_as_one() -> None:
    first, second, both = measured("a b c", CONCISE), measured(REPETITIVE), TextStatistics()
    both.merge(first)
    both.merge(second)
    whole = measured("a b c", CONCISE, REPETITIVE)
    for name in ("sentences", "unigram_repetition", "trigram_repetition"):
        assert getattr(both, name) == getattr(whole, name)
    assert both.unigrams.entropy() == pytest.approx(whole.unigrams.entropy())
    assert both.trigrams.entropy() == pytest.approx(whole.trigrams.entropy())
    assert both.length.deviation == pytest.approx(whole.length.deviation)
    assert first.unigrams.total == 17  # as before


@given(st.lists(st.lists(st.integers(0, 30), max_size=40), max_size=8))
@settings(deadline=None)  # the first call compiles
def test_counts(batches: list[list[int]]) -> None:
    counts = NgramCounts()
    for batch in batches:
        counts.add(np.array(batch, np.uint64))
    expected = Counter(key for batch in batches for key in batch)
    assert (counts.total, counts.distinct) == (expected.total(), len(expected))
    assert counts.counts_of(np.arange(32, dtype=np.uint64)).tolist() == [expected[key] for key in range(32)]
    if expected:
        assert counts.entropy() == pytest.approx(definitions.entropy(list(expected.elements())))


_texts = st.lists(st.text("aab cé .,", max_size=40), max_size=5)


@pytest.mark.parametrize("tokens", ["words", "whitespace"])
@given(_texts)
@settings(deadline=None)
def test_the_kernels_follow_the_definitions(tokens: Tokens, texts: list[str]) -> None:
    statistics = TextStatistics()
    each = statistics.add(pa.array(texts, pa.string()), word_frequencies([], tokens), tokens)
    words = [definitions.repeated(text, 1, LONG_WORD, tokens) for text in texts]
    trigrams = [definitions.repeated(text, 3, 0, tokens) for text in texts]
    assert each.unigram_repetition.tolist() == [part / max(all_, 1) for part, all_ in words]
    assert each.trigram_repetition.tolist() == [part / max(all_, 1) for part, all_ in trigrams]
    split = [tokenize(text, tokens) for text in texts]
    assert each.length.tolist() == [len(sentence) for sentence in split]
    grams = [gram for sentence in split for gram in definitions.ngrams(sentence, 3)]
    assert statistics.trigrams.distinct == len(set(grams))
    if grams:
        assert statistics.trigrams.entropy() == pytest.approx(definitions.entropy(grams))


def test_a_sample_has_the_rows_with_the_smallest_keys() -> None:
    sample = RowSample(("number",), size=3)
    for keys in ([0.5, 0.1], [0.9, 0.2, 0.8], [0.3]):
        sample.add(np.array(keys), np.array(keys)[:, None])
    assert sorted(sample.column("number")) == [0.1, 0.2, 0.3]
