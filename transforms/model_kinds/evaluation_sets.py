"""Evaluation sets, which a process reads once and keeps as hashes of their sentences."""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from ...base.errors import InputError
from ...filters.contamination import Contamination, EvaluationSets, SetSentences
from ...filters.score import Score
from ...models.evaluation.sentences import SetFile, decoded, is_sentence, list_files, read_sentences
from ..bitexts.readers.parquet import read_columns, text_columns
from .model_kind import ModelKind

_BATCH = 50_000


def read_set(name: str, path: str) -> Iterator[SetSentences]:
    """The sentences of a set, in the order of its files; InputError if it has none."""
    is_empty = True
    for file, sentences in _sentences(path):
        texts: list[str] = []
        lines: list[int] = []
        for line, text in sentences or ():
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
            "sentences of at least three words (one per line, TSV, CSV or JSON lines), Parquet, or a release"
        )


def count_sentences(path: str) -> dict[str, int | None]:
    """How many sentences each file of a set has; None if the file is not read because of its name."""
    return {
        file.name: None if sentences is None else sum(1 for _ in sentences)
        for file, sentences in _sentences(path)
    }


def pair_files(path: str) -> list[SetFile]:
    """The files of a path that are read; of a release, those with its pairs."""
    files = list_files(path)
    is_release = {"manifest.json", "data"} <= {PurePosixPath(file.name).parts[0] for file in files}
    return [file for file in files if file.is_read and (not is_release or file.name.startswith("data/"))]


def _sentences(path: str) -> Iterator[tuple[SetFile, Iterator[tuple[int, str]] | None]]:
    """The files of a set, each with its sentences and their lines (rows of Parquet); None if it is not read.

    Of a release, only the pairs are read.
    """
    files, read = list_files(path), set(pair_files(path))
    for file in files:
        if file not in read:
            yield file, None
        else:
            yield file, _rows(file) if file.name.lower().endswith(".parquet") else read_sentences(file)


def _rows(file: SetFile) -> Iterator[tuple[int, str]]:
    """The sentences in the columns of text of a Parquet file; if it has pairs, those of its pairs."""
    columns = text_columns(file.url)
    pairs = [column for column in ("reference", "translation") if column in columns]
    names = pairs if len(pairs) == 2 else columns
    for block in read_columns(file.url, names):
        for row, cells in zip(block.records, zip(*block.sides, strict=True), strict=True):
            for text in map(decoded, cells):
                if is_sentence(text):
                    yield row, text.strip()


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
