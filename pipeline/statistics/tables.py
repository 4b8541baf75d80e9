"""The papers' tables from a corpus's statistics."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from ...filters.repetition import LONG_WORD
from ...filters.statistics import TextStatistics
from ...models.evaluation.table import Column, Row, Table, Value
from ...models.sts.correlation import spearman
from .measuring import MEASURES, CorpusStatistics, sample_column

ALL = "all"
"""The name of the rows for all corpora together."""

Corpora: TypeAlias = Mapping[str | None, CorpusStatistics]
"""The statistics of each corpus by name; the name of text files is None."""

_RowsOf: TypeAlias = Callable[[str | None, CorpusStatistics], list[Row]]

_CORPUS = Column(name="corpus", type="text", meaning="the corpus of the release")
_TRANSLATIONS = Column(name="translations", type="text", meaning="the system whose translations these are")
_PAIRS = Column(name="pairs", type="count", meaning="pairs of a reference and a translation")
_IS_REFERENCE = "is a reference"
_SIMILARITY = "paraphrase_similarity"


def texts_table(corpora: Corpora, everything: CorpusStatistics | None) -> Table:
    """Table 2 of ParaNMT, for each side, and the values whose differences `differences_table` shows."""

    def rows(corpus: str | None, statistics: CorpusStatistics) -> list[Row]:
        sides = {"references": statistics.references, **statistics.translations}
        return [_text_row(corpus, name, side, statistics) for name, side in sides.items()]

    numbers = (
        ("length", "length", "mean number of tokens of a sentence", 1),
        ("length_deviation", "±", "standard deviation of the lengths", 1),
        ("idf", "IDF", "mean of the sentences' average IDF, in nats", 2),
        ("idf_deviation", "±", "standard deviation of the sentences' average IDF", 2),
        ("unigram_entropy", "ent. (uni)", "entropy of the vocabulary, in nats", 2),
        ("trigram_entropy", "ent. (tri)", "entropy of the trigrams, in nats", 2),
        (
            "unigram_repetition",
            "rep. (uni)",
            f"words of {LONG_WORD} characters or more that occurred earlier in their sentence, in %",
            2,
        ),
        ("trigram_repetition", "rep. (tri)", "trigrams that occurred earlier in their sentence, in %", 2),
        ("para_score", "para. score", "mean paraphrase similarity of the pairs", 2),
        ("para_score_deviation", "±", "standard deviation of the paraphrase similarity", 2),
    )
    return Table(
        caption="Each side of the pairs: length, rare words, entropy and repetition.",
        columns=(
            _CORPUS,
            Column(name="text", type="text", meaning="the references, or whose translations"),
            Column(name="sentences", type="count", meaning="sentences"),
            Column(name="vocabulary", type="count", meaning="different tokens"),
            *(
                Column(name=name, title=title, type="number", meaning=meaning, digits=digits)
                for name, title, meaning, digits in numbers
            ),
        ),
        main="unigram_entropy",
        rows=_rows(corpora, rows),
        averages=rows(ALL, everything) if everything else (),
    )


def _text_row(corpus: str | None, name: str, side: TextStatistics, statistics: CorpusStatistics) -> Row:
    score = statistics.scores.get(_SIMILARITY)
    values: dict[str, Value] = {
        "corpus": corpus,
        "text": name,
        "sentences": side.sentences,
        "vocabulary": side.unigrams.distinct,
        "length": side.length.mean,
        "length_deviation": side.length.deviation,
        "idf": side.idf.mean,
        "idf_deviation": side.idf.deviation,
        "unigram_entropy": side.unigrams.entropy(),
        "trigram_entropy": side.trigrams.entropy(),
        "unigram_repetition": side.unigram_repetition,
        "trigram_repetition": side.trigram_repetition,
        "para_score": score.mean if score and name != "references" else None,
        "para_score_deviation": score.deviation if score and name != "references" else None,
    }
    return Row(values)


def differences_table(corpora: Corpora, everything: CorpusStatistics | None) -> Table:
    """Table 9 of Wieting et al. 2017: the values of the references less those of the translations."""

    def rows(corpus: str | None, statistics: CorpusStatistics) -> list[Row]:
        ours = statistics.references
        return [
            Row(
                {
                    "corpus": corpus,
                    "translations": system,
                    "pairs": ours.sentences,
                    "unigram_entropy": ours.unigrams.entropy() - side.unigrams.entropy(),
                    "trigram_entropy": ours.trigrams.entropy() - side.trigrams.entropy(),
                    "unigram_repetition": ours.unigram_repetition - side.unigram_repetition,
                    "trigram_repetition": ours.trigram_repetition - side.trigram_repetition,
                }
            )
            for system, side in statistics.translations.items()
        ]

    numbers = (
        ("unigram_entropy", "Ent. (uni)", "", "entropy of the unigrams, in nats"),
        ("trigram_entropy", "Ent. (tri)", "", "entropy of the trigrams, in nats"),
        ("unigram_repetition", "Rep. (uni)", "%", "repeated words, in percentage points"),
        ("trigram_repetition", "Rep. (tri)", "%", "repeated trigrams, in percentage points"),
    )
    return Table(
        caption="References less translations: entropy in nats, and percentage of repetitions.",
        columns=(
            _CORPUS,
            _TRANSLATIONS,
            _PAIRS,
            *(
                Column(name=name, title=title, type="number", unit=unit, digits=2, meaning=meaning)
                for name, title, unit, meaning in numbers
            ),
        ),
        main="unigram_entropy",
        rows=_rows(corpora, rows),
        averages=rows(ALL, everything) if everything else (),
    )


def correlations_table(corpora: Corpora, everything: CorpusStatistics | None) -> Table:
    """Table 10 of Wieting et al. 2017 for each score, and for a perfect classifier."""

    def rows(corpus: str | None, statistics: CorpusStatistics) -> list[Row]:
        return [
            _correlation_row(corpus, system, score, statistics)
            for system in statistics.translations
            for score in (_IS_REFERENCE, *statistics.scores)
        ]

    numbers = (
        ("unigram_repetition", "Unigram repetition rate"),
        ("trigram_repetition", "Trigram repetition rate"),
        ("idf", "Average IDF"),
        ("length", "Length"),
    )
    return Table(
        caption="Spearman's ρ between scores and measures of a sentence, times 100.",
        columns=(
            _CORPUS,
            _TRANSLATIONS,
            Column(
                name="score",
                type="text",
                meaning="a score of the pairs, with the measures of the translations; or "
                f"{_IS_REFERENCE!r}, 1 for references and 0 for translations, with the measures of both",
            ),
            Column(name="pairs", type="count", meaning="pairs, drawn at random if there are more"),
            *(
                Column(name=name, title=title, type="number", meaning=f"ρ with {title.lower()}, times 100")
                for name, title in numbers
            ),
        ),
        main="unigram_repetition",
        rows=_rows(corpora, rows),
        averages=rows(ALL, everything) if everything else (),
    )


def lists_table(corpora: Corpora, everything: CorpusStatistics | None) -> Table:
    """How different the candidates of the n-best lists are (`filters.diversity`)."""

    def rows(corpus: str | None, statistics: CorpusStatistics) -> list[Row]:
        lists = statistics.lists
        values: dict[str, Value] = {
            "corpus": corpus,
            "lists": lists.size.count,
            "single": lists.single,
            "candidates": lists.size.mean,
            "self_bleu": lists.self_bleu.mean,
            "self_bleu_deviation": lists.self_bleu.deviation,
            "distinct_1": lists.distinct_1.mean,
            "distinct_2": lists.distinct_2.mean,
        }
        return [Row(values)]

    numbers = (
        ("candidates", "candidates", "mean number of candidates of a list", 1),
        ("self_bleu", "self-BLEU", "mean BLEU of a candidate against the others of its list, 0 to 100", 2),
        ("self_bleu_deviation", "±", "standard deviation of the lists' self-BLEU", 2),
        ("distinct_1", "distinct-1", "different words of a list over all its words", 3),
        ("distinct_2", "distinct-2", "different bigrams of a list over all its bigrams", 3),
    )
    return Table(
        caption="How different the candidates of an n-best list are. Lists of one candidate are counted "
        "(single), and left out of all other columns.",
        columns=(
            _CORPUS,
            Column(name="lists", type="count", meaning="lists of two candidates or more"),
            Column(name="single", type="count", meaning="lists of one candidate, which are left out"),
            *(
                Column(name=name, title=title, type="number", meaning=meaning, digits=digits)
                for name, title, meaning, digits in numbers
            ),
        ),
        main="self_bleu",
        rows=_rows(corpora, rows),
        averages=rows(ALL, everything) if everything else (),
    )


def _correlation_row(corpus: str | None, system: str, score: str, statistics: CorpusStatistics) -> Row:
    sample = statistics.sample
    values: dict[str, Value] = {"corpus": corpus, "translations": system, "score": score}
    for name in MEASURES:
        theirs = sample.column(sample_column(name, system))
        if score == _IS_REFERENCE:
            ours = sample.column(sample_column(name, None))
            measured = np.concatenate([ours, theirs])
            scores = np.repeat([1.0, 0.0], [len(ours), len(theirs)])
        else:
            measured, scores = theirs, sample.column(score)
        both = ~(np.isnan(measured) | np.isnan(scores))
        rho = spearman(scores[both], measured[both])
        values[name] = None if rho is None else 100 * rho
    return Row({**values, "pairs": len(sample.keys)})


def _rows(corpora: Corpora, rows_of: _RowsOf) -> list[Row]:
    return [row for corpus, statistics in corpora.items() for row in rows_of(corpus, statistics)]
