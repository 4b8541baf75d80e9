"""Translation retrieval: how often a sentence's translation is the nearest sentence of the other language.

Artetxe and Schwenk 2019, Massively multilingual sentence embeddings, section 4.4 (LASER's Tatoeba test).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from ...base.errors import InputError
from ...base.paths import FilePath
from ..encoders.chosen_on import chosen_note, pairs_chosen_on
from ..encoders.encodes import Encodes
from .bootstrap import estimate, resampled_accuracy
from .evaluation import Evaluation, Measured
from .ranking import Captioned, both_ranks, unit
from .sentences import SetFile, file_lines, list_files, without_compression
from .table import Column, Row, Table

_MEAN = "mean"
_SIDE = re.compile(r"(?P<set>.*\.(?P<first>[^.-]+)-(?P<second>[^.-]+))\.(?P<side>[^.]+)")
_COLUMNS = (
    Column(name="set", type="text", meaning="the files, without the language at the end of their names"),
    Column(name="direction", type="text", meaning="the languages of the queries and of the answers"),
    Column(name="queries", type="count", meaning="sentences whose translation is looked up"),
    Column(
        name="accuracy",
        type="number",
        meaning="queries whose nearest sentence is their translation, in %",
        maximum=100.0,
    ),
    Column(name="low", type="number", meaning="the lower end of its 95 % interval over the sentences"),
    Column(name="high", type="number", meaning="its upper end"),
)


@dataclass(frozen=True)
class AlignedSentences:
    """Sentences of two languages, of which those of the same place translate each other."""

    name: str
    languages: tuple[str, str]
    sides: tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class TranslationRetrieval(Evaluation):
    """The accuracy of finding a sentence's translation as the nearest sentence, by cosine, both ways.

    docs/evaluation.md has the definitions.
    """

    kind: Literal["translation_retrieval"] = "translation_retrieval"
    data: FilePath
    """The folder with two files for each set: `NAME.ces-eng.ces` and `NAME.ces-eng.eng`, line by line."""

    version: ClassVar[int] = 1

    def evaluate(self, encoder: Encodes) -> Table:
        """A row for each direction of each set, and their mean."""
        return self.measure(encoder).table

    def measure(self, encoder: Encodes) -> Measured:
        """The table with resamples of the accuracies."""
        rows, samples, accuracies = [], [], []
        for aligned in read_aligned(self.data):
            first, second = aligned.languages
            note = chosen_note(pairs_chosen_on(encoder, *aligned.sides), len(aligned.sides[0]))
            vectors = [unit(encoder.encode(side).astype(np.float64)) for side in aligned.sides]
            for queries, direction in ((0, f"{first} to {second}"), (1, f"{second} to {first}")):
                answers = 1 - queries
                right = _is_found(vectors[queries], vectors[answers], aligned.sides[answers])
                samples.append(resampled_accuracy(right))
                accuracies.append(100 * float(right.mean()))
                row = _row(aligned.name, direction, len(right), accuracies[-1], samples[-1])
                rows.append(replace(row, note=note))
        samples.append(np.mean(samples, axis=0))
        average = _row(None, _MEAN, None, float(np.mean(accuracies)), samples[-1])
        table = Table(
            caption="Sentences whose translation is the nearest sentence of the other language, by cosine.",
            columns=_COLUMNS,
            main="accuracy",
            group="set",
            rows=rows,
            averages=[average],
        )
        keys = [table.key(row) for row in (*rows, average)]
        return Measured(table, dict(zip(keys, samples, strict=True)))


def read_aligned(data: str) -> list[AlignedSentences]:
    """The sets of a folder, in the order of their names; files with other names are ignored.

    InputError for a file without its partner, sides of different lengths, a blank line, or no set at all.
    """
    sides: dict[str, dict[str, SetFile]] = {}
    languages: dict[str, tuple[str, str]] = {}
    for file in list_files(data):
        found = _SIDE.fullmatch(without_compression(file.name))
        if found is None or found["first"] == found["second"]:
            continue
        if found["side"] in (found["first"], found["second"]):
            sides.setdefault(found["set"], {})[found["side"]] = file
            languages[found["set"]] = found["first"], found["second"]
    if not sides:
        raise InputError(
            f"{data} has no aligned sentences: expected files such as tatoeba.ces-eng.ces and "
            "tatoeba.ces-eng.eng, a sentence a line"
        )
    return [_aligned(data, name, languages[name], sides[name]) for name in sorted(sides)]


def _aligned(data: str, name: str, languages: tuple[str, str], files: dict[str, SetFile]) -> AlignedSentences:
    missing = [f"{name}.{language}" for language in languages if language not in files]
    if missing:
        raise InputError(f"{data} has no {', '.join(missing)}, but the other side of it")
    first, second = ([line.strip() for line in file_lines(files[side])] for side in languages)
    if not first or len(first) != len(second):
        raise InputError(
            f"{data}: expected the same number of sentences on both sides of {name}, got {len(first):,} of "
            f"{languages[0]} and {len(second):,} of {languages[1]}"
        )
    for language, lines in zip(languages, (first, second), strict=True):
        if "" in lines:
            raise InputError(
                f"{files[language].url}, line {lines.index('') + 1}: expected a sentence; remove the line "
                "from both sides"
            )
    return AlignedSentences(name, languages, (first, second))


def _is_found(queries: np.ndarray, answers: np.ndarray, texts: Sequence[str]) -> np.ndarray:
    """Whether the translation of each query is nearer than every other text of the answers; (n,) booleans.

    queries, answers: (n, dimension), of length 1 or 0. texts: of the answers; equal ones are one answer.
    """
    _, first, owners = np.unique(np.array(texts, object), return_index=True, return_inverse=True)
    _, ranks = both_ranks(Captioned(queries, answers[first], owners))
    return ranks == 1


def _row(name: str | None, direction: str, queries: int | None, accuracy: float, samples: np.ndarray) -> Row:
    interval = estimate(accuracy, samples)
    return Row(
        {
            "set": name,
            "direction": direction,
            "queries": queries,
            "accuracy": interval.value,
            "low": interval.low,
            "high": interval.high,
        }
    )
