"""The `against` stage: hashes of texts that exist already, with which pairs are compared.

A record is like that of a pair (`duplicate_groups`), without a preference: an existing text is always kept.
A task hashes every nth block of a path's texts, so that its records fit into memory, however many there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

from ...base.errors import InputError
from ...base.pair_ids import MOST_PAIRS
from ...base.streams import file_system, numbered_lines
from ...filters.duplicates.exact import DuplicatesOf, sides
from ...models.evaluation.sentences import SetFile, decoded, ending
from ..beam.task_work import PartWork, Task
from ..bitexts.readers.parquet import read_columns, text_columns
from ..model_kinds.evaluation_sets import pair_files
from ..storage.file_hashes import as_planned
from ..storage.workspace import Workspace
from .duplicate_groups import fingerprints

_BLOCK = 10_000
_ROW_GROUP = 20_000
# Of files. A record has 16 bytes; a near duplicate has twelve of 48.
_CHUNK_BYTES = 256 << 20
_NEAR_CHUNK_BYTES = _CHUNK_BYTES // 16
_OTHER_FORMATS = (".csv", ".json", ".jsonl", ".tmx", ".xml", ".zip", ".tar")


@dataclass(frozen=True)
class Chunk:
    """Some blocks of the texts of a path: those whose number has the remainder `number` divided by `chunks`.

    hash: of the path's files when the plan was made.
    """

    path: str
    hash: str
    number: int
    chunks: int


def count_chunks(path: str, similarity: float | None) -> int:
    """How many chunks the texts of a path are divided into. InputError if there are none that can be read."""
    size = 0
    for file in pair_files(path):
        if (found := ending(file.name)) in _OTHER_FORMATS:
            raise InputError(
                f"{file.url}: expected a text file with a text per line, Parquet or a release, got {found}"
            )
        filesystem, inner = file_system(file.url)
        size += filesystem.size(inner) or 0
    return max(1, -(-size // (_CHUNK_BYTES if similarity is None else _NEAR_CHUNK_BYTES)))


@dataclass(frozen=True)
class HashExisting(PartWork):
    """Makes the records of one chunk's texts, sorted by hash. chunks: by the number of the task."""

    stage: str
    of: DuplicatesOf
    similarity: float | None
    chunks: tuple[Chunk, ...]

    row_group_rows = _ROW_GROUP

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "numba")

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        chunk = self.chunks[int(task.part)]
        tables = []
        with as_planned([chunk.path], chunk.hash):
            for number, (records, texts) in enumerate(read_texts(chunk.path, sides(self.of))):
                if number % chunk.chunks == chunk.number:
                    ids = pa.chunked_array([pa.array(records).cast(pa.string())])
                    columns = {"record": records * np.uint64(MOST_PAIRS)}  # as `split_ids` numbers them
                    tables.append(fingerprints(ids, texts, self.similarity, columns))
        if not tables:
            tables.append(fingerprints(*_empty(self.of), self.similarity, {"record": np.empty(0, np.uint64)}))
        table = pa.concat_tables(tables)
        del tables
        return table.take(np.argsort(table["hash"].to_numpy(), kind="stable")), {}


def read_texts(path: str, columns: Sequence[str]) -> Iterator[tuple[np.ndarray, list[pa.Array]]]:
    """Blocks of a path's texts: the number of each, (n,) uint64 from 1, and the columns.

    Texts are numbered over all files of the path, in order, by line or row. Rows without a text are left out.
    """
    before = 0
    for file in pair_files(path):
        rows = _parquet_rows if file.name.lower().endswith(".parquet") else _lines
        last = 0
        for records, texts in rows(file, columns):
            last = int(records[-1])
            has_text = np.logical_and.reduce([np.array([bool(text) for text in side]) for side in texts])
            sides_ = [pa.array(side, pa.large_string()).filter(pa.array(has_text)) for side in texts]
            yield (records + np.uint64(before))[has_text], sides_
        before += last


def _lines(file: SetFile, columns: Sequence[str]) -> Iterator[tuple[np.ndarray, list[list[str]]]]:
    """The columns of a text file, which are separated by tabs: the reference first, then the translation."""
    places = [("reference", "translation").index(column) for column in columns]
    lines = numbered_lines(file.url)
    while block := list(islice(lines, _BLOCK)):
        texts: list[list[str]] = [[] for _ in columns]
        for number, line in block:
            fields = decoded(line).split("\t")
            if len(columns) > len(fields) and any(fields):
                raise InputError(
                    f"{file.url}: line {number:,} has one column, expected a reference and a translation, "
                    "separated by a tab"
                )
            for side, place in zip(texts, places, strict=True):
                side.append(fields[min(place, len(fields) - 1)].strip())
        yield np.array([number for number, _ in block], np.uint64), texts


def _parquet_rows(file: SetFile, columns: Sequence[str]) -> Iterator[tuple[np.ndarray, list[list[str]]]]:
    """The columns of a Parquet file; its only column of text has any name."""
    names = text_columns(file.url)
    if len(names) == len(columns) == 1:
        columns = names
    for column in columns:
        if column not in names:
            raise InputError(
                f"{file.url}: no column of text {column!r}; there are: {', '.join(names) or 'none'}"
            )
    for block in read_columns(file.url, columns):
        texts = [[decoded(cell).strip() for cell in side] for side in block.sides]
        yield np.array(block.records, np.uint64), texts


def _empty(of: DuplicatesOf) -> tuple[pa.ChunkedArray, list[pa.Array]]:
    return pa.chunked_array([pa.array([], pa.string())]), [pa.array([], pa.large_string()) for _ in sides(of)]
