"""Measures a corpus: each side's statistics, and a sample of its sentences for correlations."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...filters.diversity import ListStatistics
from ...filters.statistics import Moments, NgramCounts, SentenceMeasures, TextStatistics, word_frequencies
from ...tokens.definition import Tokens
from .sources import MeasuredPairs, PairBatch

SAMPLE = 100_000
"""Correlations are those of so many pairs, as in Wieting et al. 2017, section 5.6.1."""

_SEED = 1


@dataclass
class RowSample:
    """Rows drawn at random from a stream of any length, each with the same probability.

    columns: names; a row has a number for each.
    """

    columns: tuple[str, ...]
    size: int = SAMPLE
    keys: np.ndarray = field(default_factory=lambda: np.empty(0))
    rows: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.rows = np.empty((0, len(self.columns)))

    def add(self, keys: np.ndarray, rows: np.ndarray) -> None:
        """Offer rows, (n, columns), with random keys, (n,): those with the smallest keys are kept."""
        self.keys, self.rows = np.concatenate([self.keys, keys]), np.concatenate([self.rows, rows])
        if len(self.keys) > self.size:
            kept = np.sort(np.argpartition(self.keys, self.size)[: self.size])
            self.keys, self.rows = self.keys[kept], self.rows[kept]

    def column(self, name: str) -> np.ndarray:
        """One column of the rows that were drawn; (n,)."""
        return self.rows[:, self.columns.index(name)]


@dataclass
class CorpusStatistics:
    """The statistics of one corpus, or of several together.

    translations: by the system's name. scores: of the pairs, by name. sample: measures of single sentences,
    in columns named by `sample_column`, and the scores. lists: of the n-best lists, if they are counted.
    """

    references: TextStatistics
    translations: dict[str, TextStatistics]
    scores: dict[str, Moments]
    sample: RowSample
    lists: ListStatistics = field(default_factory=ListStatistics)

    def merge(self, other: "CorpusStatistics") -> None:
        """Add the pairs of another corpus with the same systems and scores."""
        self.references.merge(other.references)
        for system, texts in other.translations.items():
            self.translations[system].merge(texts)
        for name, moments in other.scores.items():
            self.scores[name].merge(moments)
        self.sample.add(other.sample.keys, other.sample.rows)
        self.lists.merge(other.lists)


MEASURES = ("unigram_repetition", "trigram_repetition", "idf", "length")
"""The measures of a sentence, in the order of table 10."""


def sample_column(measure: str, system: str | None) -> str:
    """The sample's column with a measure of the translations of a system, or with None of the references."""
    return f"{measure} of references" if system is None else f"{measure} of translations by {system}"


def own_frequencies(source: MeasuredPairs, tokens: Tokens = "words") -> NgramCounts:
    """How often each lower-cased word occurs in the pairs themselves, both sides with the same weight.

    Frequencies of one side alone would make the other side's words rarer than they are.
    """
    sides = (
        side
        for batch in source.batches()
        for side in [*[batch.references] * len(source.systems), *batch.translations.values()]
    )
    return word_frequencies(sides, tokens)


def measure(
    source: MeasuredPairs, frequencies: NgramCounts, tokens: Tokens = "words"
) -> Mapping[str | None, CorpusStatistics]:
    """The statistics of each corpus, by name, in one pass over the pairs."""
    corpora: dict[str | None, CorpusStatistics] = {}
    random = np.random.default_rng(_SEED)
    for batch in source.batches():
        statistics = corpora.setdefault(batch.corpus, _nothing(source))
        _add(statistics, batch, frequencies, tokens, random.random(len(batch.references)))
    return corpora


def together(
    corpora: Mapping[str | None, CorpusStatistics], source: MeasuredPairs
) -> CorpusStatistics | None:
    """The statistics of all corpora together; None if there is only one."""
    if len(corpora) < 2:
        return None
    everything = _nothing(source)
    for statistics in corpora.values():
        everything.merge(statistics)
    return everything


def _nothing(source: MeasuredPairs) -> CorpusStatistics:
    columns = [
        *(sample_column(name, system) for system in (None, *source.systems) for name in MEASURES),
        *source.scores,
    ]
    return CorpusStatistics(
        TextStatistics(),
        {system: TextStatistics() for system in source.systems},
        {name: Moments() for name in source.scores},
        RowSample(tuple(columns)),
    )


def _add(
    statistics: CorpusStatistics, batch: PairBatch, frequencies: NgramCounts, tokens: Tokens, keys: np.ndarray
) -> None:
    sides = [statistics.references.add(batch.references, frequencies, tokens)]
    for system, texts in statistics.translations.items():
        sides.append(texts.add(batch.translations[system], frequencies, tokens))
    for name, moments in statistics.scores.items():
        moments.add(batch.scores[name])
    if batch.candidates is not None:
        starts = batch.candidates.offsets.to_numpy().astype(np.int64)
        statistics.lists.add(batch.candidates.values, starts, tokens)
    columns = [column for side in sides for column in _columns(side)]
    statistics.sample.add(keys, np.stack([*columns, *batch.scores.values()], axis=1))


def _columns(side: SentenceMeasures) -> list[np.ndarray]:
    return [getattr(side, name) for name in MEASURES]
