"""What references and translations differ in, and what correlates with a classifier's probability."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..filters.statistics import NgramCounts, SentenceMeasures, TextStatistics, word_frequencies
from ..models.sts.correlation import spearman

if TYPE_CHECKING:
    from ..models.training.pairs import PairList

MEASURES_OF_TEXT = {
    "entropy of unigrams": lambda text: text.unigrams.entropy(),
    "entropy of trigrams": lambda text: text.trigrams.entropy(),
    "repetition of unigrams": lambda text: text.unigram_repetition,
    "repetition of trigrams": lambda text: text.trigram_repetition,
}
MEASURES_OF_SENTENCES = {field.name: field.name.replace("_", " ") for field in fields(SentenceMeasures)}


def differences(pairs: "PairList") -> dict[str, float | None]:
    """What each measure of the references exceeds that of the translations by (Wieting et al. 2017, table 9).

    Entropies are in nats, repetition is in percent.
    """
    sides = []
    for texts in (pairs.references, pairs.translations):
        statistics = TextStatistics()
        statistics.add(_texts(texts), NgramCounts())
        sides.append(statistics)
    return {name: measure(sides[0]) - measure(sides[1]) for name, measure in MEASURES_OF_TEXT.items()}


def correlations(
    probabilities: np.ndarray, sentences: Sequence[str], references: Sequence[str]
) -> dict[str, float | None]:
    """Spearman's ρ times 100 of probabilities, (sentences,), with measures of the sentences (table 10).

    The frequencies of words are those in the references. None if one of both is always the same.
    """
    frequencies = word_frequencies([_texts(references)])
    measures = TextStatistics().add(_texts(sentences), frequencies)
    found: dict[str, float | None] = {}
    for field, name in MEASURES_OF_SENTENCES.items():
        values = getattr(measures, field)
        known = ~np.isnan(values)
        rho = spearman(probabilities[known], values[known])
        found[name] = None if rho is None else 100 * rho
    return found


def _texts(texts: Sequence[str]) -> pa.StringArray:
    return pa.array(texts, pa.string())
