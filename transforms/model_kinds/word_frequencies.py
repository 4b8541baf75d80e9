"""Frequencies of words, counted in all references or read from a file of the user."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ...base.errors import ModelError
from ...base.streams import LineReader
from ...filters.idf import AverageIdf
from ...filters.score import Score
from ...filters.statistics import NgramCounts, lower_cased, word_frequencies
from ...tokens.definition import Tokens
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..bitexts.cleaning import clean_column
from ..storage.dataset import read_columns
from ..storage.workspace import Workspace
from .model_kind import ModelKind, ModelTraining, TrainingData

_FILE = "word_frequencies.npy"
_ROWS = 10_000
_MAX_CHARACTERS = 100_000
_MAX_BYTES = 4 * _MAX_CHARACTERS
_COUNTED = re.compile(r"(\S+)\s+([0-9]{1,15})")

T = TypeVar("T")


@dataclass(frozen=True)
class CountWords(SingleJob):
    """Counts the words of all references.

    Its file has a row of two uint64 for each distinct word: the hash, and how often it occurs.
    """

    stage: str
    parts: tuple[str, ...]  # files of the ingest dataset
    tokens: Tokens

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        pairs = 0

        def references() -> Iterator[pa.ChunkedArray]:
            nonlocal pairs
            for file in self.parts:
                column = read_columns(workspace, file, ["reference"])["reference"]
                pairs += len(column)
                yield column

        keys, counts = word_frequencies(references(), self.tokens).items()
        np.save(folder / _FILE, np.stack([keys, counts.astype(np.uint64)], axis=1))
        return {"pairs": pairs}


def read_frequencies(path: str, tokens: Tokens = "words") -> NgramCounts:
    """How often each lower-cased word occurs in a file, which may be compressed.

    If the first line with text is a word and a whole number, the file is a table of words and counts, and
    counts like a text in which each word occurs so often; otherwise it is a text. Lines that are not UTF-8
    or have more than 100,000 characters are left out. ModelError if a table has another line, or if there is
    no word.
    """
    with LineReader(path, _MAX_BYTES) as reader:
        lines = _lines(reader)
        first = next(lines, None)
        if first is None:
            raise ModelError(f"{path}: expected a text in UTF-8, or a word and its count on each line")
        lines = chain([first], lines)
        if _COUNTED.fullmatch(first[1]):
            return _read_table(path, lines, tokens)
        return word_frequencies((pa.array(texts) for texts in _blocks(text for _, text in lines)), tokens)


def _lines(reader: LineReader) -> Iterator[tuple[int, str]]:
    """The number and the text of each line that has any."""
    while lines := reader.read(_ROWS):
        texts = clean_column(lines, _MAX_CHARACTERS, _MAX_BYTES).texts
        start = reader.lines_read - len(lines) + 1
        yield from ((number, text) for number, text in enumerate(texts, start) if text)


def _read_table(path: str, lines: Iterator[tuple[int, str]], tokens: Tokens) -> NgramCounts:
    def entries() -> Iterator[tuple[str, int]]:
        for number, text in lines:
            entry = _COUNTED.fullmatch(text)
            if entry is None:
                raise ModelError(
                    f"{path}: expected a word and its count on line {number}, as on the first line, got "
                    f"{text[:80]!r}; a text, whose words are counted, must not begin with such a line"
                )
            yield entry[1], int(entry[2])

    frequencies = NgramCounts()
    for block in _blocks(entries()):
        words, counts = zip(*block, strict=True)
        hashed = lower_cased(pa.array(words), tokens)
        frequencies.add(hashed.hashes, np.repeat(np.array(counts, np.int64), hashed.counts()))
    return frequencies


def _blocks(items: Iterator[T]) -> Iterator[list[T]]:
    while block := list(islice(items, _ROWS)):
        yield block


def _load(paths: Sequence[Path], score: Score) -> object:
    (path,) = paths
    if path.name != _FILE:
        return read_frequencies(str(path), _average_idf(score).tokens)
    rows = np.load(path, allow_pickle=False)
    frequencies = NgramCounts()
    frequencies.add(rows[:, 0], rows[:, 1].astype(np.int64))
    return frequencies


def _training(data: TrainingData, score: Score) -> ModelTraining:
    tokens = _average_idf(score).tokens
    return ModelTraining(
        CountWords(data.folder, data.files("ingest"), tokens), {"tokens": tokens}, ("ingest",)
    )


def _average_idf(score: Score) -> AverageIdf:
    if not isinstance(score, AverageIdf):
        raise TypeError(f"no frequencies of words are known for {score!r}")
    return score


WORD_FREQUENCIES = ModelKind(
    description="frequencies of words", packages=(), load=_load, training=_training, file=_FILE
)
