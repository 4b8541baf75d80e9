"""Evaluation sets, which a process reads once and keeps as hashes of their sentences."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...base.errors import InputError
from ...filters.contamination import Contamination, EvaluationSets, SetSentences
from ...filters.score import Score
from ...models.evaluation.sentences import list_files, read_sentences
from .model_kind import ModelKind

_BATCH = 50_000


def read_set(name: str, path: str) -> Iterator[SetSentences]:
    """The sentences of a set, in the order of its files; InputError if it has none."""
    is_empty = True
    for file in list_files(path):
        texts: list[str] = []
        lines: list[int] = []
        for line, text in read_sentences(file) if file.is_read else ():
            texts.append(text)
            lines.append(line)
            if len(texts) == _BATCH:
                yield SetSentences(name, file.name, texts, np.array(lines, np.int32))
                texts, lines = [], []
                is_empty = False
        if texts:
            yield SetSentences(name, file.name, texts, np.array(lines, np.int32))
            is_empty = False
    if is_empty:
        raise InputError(
            f"the evaluation set {path} has no sentences: expected text files, plain or compressed, with "
            "sentences of at least three words (one per line, TSV, CSV or JSON lines)"
        )


def count_sentences(path: str) -> dict[str, int | None]:
    """How many sentences each file of a set has; None if the file is not read because of its name."""
    return {
        file.name: sum(1 for _ in read_sentences(file)) if file.is_read else None for file in list_files(path)
    }


def _load(paths: Sequence[Path], score: Score) -> object:
    if not isinstance(score, Contamination):
        raise TypeError(f"no evaluation sets are known for {score!r}")
    sentences = (
        part
        for given, path in zip(score.sets, paths, strict=True)
        for part in read_set(given.name, str(path))
    )
    return EvaluationSets(sentences, score.n, score.share)


EVALUATION_SETS = ModelKind(description="evaluation sets", packages=(), load=_load)
