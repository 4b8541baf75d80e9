"""Paraphrases of sentences: candidates of a model, those that fail dropped, the others ranked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...filters.copies import copy_grade
from ...filters.lengths import length_ratio
from ...filters.negation import negation_consistency
from ...filters.numbers import number_consistency
from ...filters.overlap import ngram_overlap
from ...filters.similarity import paraphrase_similarity
from ...models.encoders.encodes import Encodes
from ...models.paraphrasing.control import check_control, tagged
from ...models.translation.translator import Translator
from ...tokens.definition import normalise
from .paraphrase_options import ParaphraseOptions


@dataclass(frozen=True)
class Paraphrase:
    """A kept candidate. similarity: the cosine by the encoder; None without one. log_prob, n_tokens: as of a
    `Candidate`."""

    text: str
    overlap: float
    length_ratio: float
    similarity: float | None
    log_prob: float
    n_tokens: int


class Paraphraser:
    """A loaded paraphraser. control: the scores that it was trained to be controlled by. encoder: ranks."""

    def __init__(
        self, translator: Translator, control: Sequence[str] = (), encoder: Encodes | None = None
    ) -> None:
        self._translator = translator
        self.control = tuple(control)
        self._encoder = encoder

    def paraphrase(
        self, sentences: Sequence[str], count: int = 5, options: ParaphraseOptions | None = None
    ) -> list[list[Paraphrase]]:
        """At most `count` paraphrases of each sentence, best first, in the order of the input.

        A candidate is dropped if it copies the sentence or an earlier candidate (in lower case, without
        punctuation), changes a number, negates what the sentence does not, or is out of the ranges of
        `options`, whose `count` replaces this one. The others are ranked by their cosine with the sentence
        or, without an encoder, by their log-probability per token. RecipeError for a control that the model
        does not know.
        """
        wanted = options or ParaphraseOptions(count=count)
        check_control(wanted.control, self.control)
        tags = {column: wanted.control.get(column) for column in self.control}
        lists = self._translator.translate([tagged(text, tags) for text in sentences], wanted.candidates)
        rows = [row for row, candidates in enumerate(lists) for _ in candidates]
        candidates = [candidate for each in lists for candidate in each]
        pairs = pa.table(
            {
                "reference": pa.array([sentences[row] for row in rows], pa.string()),
                "translation": pa.array([candidate.text for candidate in candidates], pa.string()),
            }
        )
        scored = self._scored(pairs, wanted)
        found: list[list[Paraphrase]] = [[] for _ in sentences]
        seen: list[set[str]] = [set() for _ in sentences]
        for row, candidate, values in zip(rows, candidates, scored, strict=True):
            text = normalise(candidate.text)
            if values is not None and text not in seen[row]:
                seen[row].add(text)
                found[row].append(Paraphrase(candidate.text, *values, candidate.log_prob, candidate.n_tokens))
        return [sorted(each, key=_rank, reverse=True)[: wanted.count] for each in found]

    def _scored(
        self, pairs: pa.Table, wanted: ParaphraseOptions
    ) -> list[tuple[float, float, float | None] | None]:
        """Overlap, length ratio and similarity of each candidate; None for those that are dropped."""
        ours, theirs = pairs["reference"].combine_chunks(), pairs["translation"].combine_chunks()
        overlaps = np.asarray(ngram_overlap(ours, theirs, 1))
        ratios = np.asarray(length_ratio(ours, theirs))
        is_kept = np.asarray(copy_grade(ours, theirs)) == 0
        is_kept &= np.asarray(number_consistency(ours, theirs)) == 1
        is_kept &= np.asarray(negation_consistency(ours, theirs)) == 1
        for values, (low, high) in ((overlaps, wanted.overlap), (ratios, wanted.length_ratio)):
            is_kept &= (values >= np.float32(low)) & (values <= np.float32(high))
        is_kept &= np.array([bool(text.strip()) for text in theirs.to_pylist()], bool)
        cosines: list[float | None] = [None] * len(is_kept)
        if self._encoder is not None and is_kept.any():
            kept = pa.array(is_kept)
            values = paraphrase_similarity(ours.filter(kept), theirs.filter(kept), self._encoder).to_pylist()
            for row, value in zip(np.flatnonzero(is_kept), values, strict=True):
                cosines[row] = value
        return [
            (float(overlaps[row]), float(ratios[row]), cosines[row]) if is_kept[row] else None
            for row in range(len(is_kept))
        ]


def _rank(paraphrase: Paraphrase) -> tuple[float, float]:
    mean = paraphrase.log_prob / max(paraphrase.n_tokens, 1)
    return (mean if paraphrase.similarity is None else paraphrase.similarity, mean)
