"""The pairs to count: those of a release, or of text files with the translations of several systems."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import CANDIDATES
from ...base.errors import InputError
from ...base.streams import COMPRESSIONS, LineReader
from ...transforms.bitexts.cleaning import clean_column
from ..release.release_pairs import ReleasePairs

_ROWS = 10_000
_MAX_CHARACTERS = 100_000
_MAX_BYTES = 4 * _MAX_CHARACTERS
_CORPUS = "corpus"


@dataclass(frozen=True)
class PairBatch:
    """Some pairs of one corpus, row by row.

    corpus: its name; None for text files. translations: a column per system, by name. scores: those of the
    pairs, by name; each (rows,) float64, NaN where a pair has no score. candidates: the texts of the n-best
    lists, if they are counted; pairs without a list may be missing.
    """

    corpus: str | None
    references: pa.ChunkedArray | pa.Array
    translations: Mapping[str, pa.ChunkedArray | pa.Array]
    scores: Mapping[str, np.ndarray]
    candidates: pa.ListArray | None = None


class MeasuredPairs(Protocol):
    """Pairs that can be read several times. systems, scores: the names in every batch."""

    @property
    def systems(self) -> Sequence[str]:
        """The names of the translations."""
        ...

    @property
    def scores(self) -> Sequence[str]:
        """The names of the scores."""
        ...

    def batches(self) -> Iterator[PairBatch]:
        """All pairs, always in the same order."""
        ...


@dataclass(frozen=True)
class ReleaseSource:
    """The pairs of a release, each corpus by itself, with all scores that are not whole numbers.

    with_candidates: whether the n-best lists are read too. InputError if the release has none.
    """

    pairs: ReleasePairs
    with_candidates: bool = False

    systems = ("translations",)

    def __post_init__(self) -> None:
        if self.with_candidates and CANDIDATES.name not in self.pairs.schema.names:
            raise InputError(
                "the release has no n-best lists: expected a column candidates, which a run with "
                "translate.keep_candidates writes"
            )

    @property
    def scores(self) -> Sequence[str]:
        """The columns of real numbers: lengths and deciles are whole numbers."""
        return [field.name for field in self.pairs.schema if pa.types.is_floating(field.type)]

    def batches(self) -> Iterator[PairBatch]:
        """See `MeasuredPairs`. Pairs without a translation are left out."""
        has_corpus = _CORPUS in self.pairs.schema.names
        added = [*([_CORPUS] if has_corpus else []), *([CANDIDATES.name] if self.with_candidates else [])]
        for table in self.pairs.tables([*added, *self.scores]):
            corpora = pc.fill_null(table[_CORPUS].cast(pa.string()), "") if has_corpus else None
            for corpus in [None] if corpora is None else pc.unique(corpora).to_pylist():
                rows = table if corpora is None else table.filter(pc.equal(corpora, corpus))
                scores = {name: rows[name].cast(pa.float64()).to_numpy() for name in self.scores}
                translations = {self.systems[0]: rows["translation"]}
                lists = _texts_of(rows[CANDIDATES.name]) if self.with_candidates else None
                yield PairBatch(corpus, rows["reference"], translations, scores, lists)


@dataclass(frozen=True)
class TextSource:
    """Text files whose lines belong together by number. The systems have the files' names.

    A line that is empty or not UTF-8 in any of the files is left out of all.
    """

    references: str
    translations: Sequence[str]

    scores = ()

    @property
    def systems(self) -> Sequence[str]:
        """The files' names without their endings, or the paths if two files have the same name."""
        names = [_name(path) for path in self.translations]
        return names if len(set(names)) == len(names) else self.translations

    def batches(self) -> Iterator[PairBatch]:
        """See `MeasuredPairs`. InputError if the files have different numbers of lines."""
        with ExitStack() as stack:
            paths = (self.references, *self.translations)
            readers = [stack.enter_context(LineReader(path, _MAX_BYTES)) for path in paths]
            while True:
                blocks = [reader.read(_ROWS) for reader in readers]
                if len({len(block) for block in blocks}) > 1:
                    raise _uneven(readers)
                if not blocks[0]:
                    return
                columns = [_texts(block) for block in blocks]
                full = np.all([np.array([bool(text) for text in column]) for column in columns], axis=0)
                kept = [pa.array(column, pa.string()).filter(pa.array(full)) for column in columns]
                yield PairBatch(None, kept[0], dict(zip(self.systems, kept[1:], strict=True)), {})


def _texts_of(lists: pa.ChunkedArray) -> pa.ListArray:
    """The texts of n-best lists, of which nulls are left out."""
    found = lists.drop_null().combine_chunks()
    starts = np.concatenate([[0], np.cumsum(pc.list_value_length(found))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(starts), pc.struct_field(pc.list_flatten(found), "text"))


def _texts(lines: list[bytes]) -> list[str]:
    return clean_column(lines, _MAX_CHARACTERS, _MAX_BYTES).texts


def _name(path: str) -> str:
    name = PurePosixPath(path).name
    for ending in (*COMPRESSIONS, ".txt", ".en"):
        name = name.removesuffix(ending)
    return name or path


def _uneven(readers: Sequence[LineReader]) -> InputError:
    short = min(readers, key=lambda reader: reader.lines_read)
    long = max(readers, key=lambda reader: reader.lines_read)
    return InputError(
        f"the files have different numbers of lines: {short.url} ends after line {short.lines_read:,}, "
        f"{long.url} has more; line n of each must be the same sentence"
    )
