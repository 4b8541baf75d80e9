"""The vectors of a file of sentences, block by block: text or Parquet in, NumPy or Parquet out."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...base.arrow_types import is_text
from ...base.errors import InputError, ModelError, RecipeError
from ...base.outputs import check_absent, new_file
from ...base.streams import open_raw, reading
from ...models.encoders.loading import load_vectors_of
from ...tokens.definition import EncoderTokens
from ...transforms.storage.sealed_parquet import open_input
from ..manifest.whole_release import check_inputs
from .translate_text import read_sentences

SENTENCE, VECTOR = "sentence", "vector"

_BLOCK = 4_096  # sentences that are encoded together, before any vector is written
_BUFFER = 1 << 20


@dataclass(frozen=True)
class SentenceFile:
    """A file as record batches, one of whose columns is the sentences; `schema` is that of the batches."""

    column: str
    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Embedded:
    """How many sentences were embedded, in how many seconds without loading the encoder.

    tokens: how an encoder of ours or an average of word vectors cut them; empty for other encoders.
    """

    sentences: int
    dimension: int
    seconds: float
    tokens: str = ""


class VectorWriter(Protocol):
    """Writes a file of vectors, block by block."""

    def write(self, batch: pa.RecordBatch, vectors: np.ndarray) -> None:
        """Write (rows, dimension) float32 vectors; batch: the rows of the input that they belong to."""

    def close(self) -> None:
        """Complete the file."""


def embed_file(
    encoder: str,
    source: str,
    output: Path,
    *,
    column: str | None = None,
    keep: bool = False,
    device: str = "auto",
    tokens: EncoderTokens = "words",
    show: Callable[[Embedded], None] = lambda so_far: None,
) -> Embedded:
    """Write the vector of every sentence of a file, in order.

    source: a text file with a sentence in each line, or Parquet with the sentences in `column`, where a null
    counts as an empty sentence. output: `.npy` or `.parquet`; it appears once it is complete. keep: also
    write the columns of the input, of which a text file has one, `sentence`.
    tokens: how the words of a file of vectors were cut. show: is called after each block.
    """
    kind = _writer(output, keep)
    check_absent(output)
    check_inputs([source])
    with contextlib.closing(open_raw(source)) if _is_parquet(source) else contextlib.nullcontext() as raw:
        sentences = _read_text(source, column) if raw is None else _read_parquet(source, raw, column, keep)
        if keep and VECTOR in sentences.schema.names:
            raise InputError(f"{source} has a column {VECTOR!r} already: rename it, or leave out --keep")
        model = load_vectors_of(encoder, device, tokens)
        cut = ", ".join({vocabulary.tokens for vocabulary in getattr(model, "vocabularies", {}).values()})
        dimension = model.encode([""]).shape[1]
        embedded, started = Embedded(0, dimension, 0.0, cut), time.monotonic()
        kept = sentences.schema if keep else pa.schema([])
        with new_file(output) as file, contextlib.closing(kind(file, dimension, kept)) as writer:
            for batch in sentences.batches:
                vectors = model.encode(_texts(source, batch[sentences.column], embedded.sentences))
                if not np.isfinite(vectors).all():
                    raise ModelError(f"{encoder}: some of the numbers in its vectors are not finite")
                writer.write(batch, vectors)
                count = embedded.sentences + len(vectors)
                embedded = Embedded(count, dimension, time.monotonic() - started, cut)
                show(embedded)
    return embedded


def _is_parquet(path: str | Path) -> bool:
    return str(path).lower().endswith(".parquet")


def _read_text(path: str, column: str | None) -> SentenceFile:
    if column is not None:
        raise RecipeError(
            f"--column is for Parquet files, whose names end in .parquet; {path} is read as text"
        )
    schema = pa.schema([(SENTENCE, pa.string())])
    lines = read_sentences(path)
    blocks = iter(lambda: list(islice(lines, _BLOCK)), [])
    return SentenceFile(SENTENCE, schema, (pa.record_batch([block], schema=schema) for block in blocks))


def _read_parquet(path: str, raw: IO[bytes], column: str | None, keep: bool) -> SentenceFile:
    with reading(path):
        # Read one page of each column at a time; by default, whole row groups are read ahead.
        parquet = open_input(raw, _BUFFER)
        # What other programs note in the metadata, such as the types of all columns, would be wrong.
        schema = parquet.schema_arrow.remove_metadata()
    try:
        names = schema.names
    except UnicodeDecodeError:
        raise InputError(f"{path}: a column's name is not UTF-8; write the file again") from None
    if column in names and names.count(column) > 1 or (keep and len(set(names)) < len(names)):
        raise InputError(f"{path} has several columns of one name; rename all but one")
    texts = [field.name for field in schema if is_text(field.type)]
    if column is None or column not in texts:
        problem = "--column is missing" if column is None else f"there is no column {column!r} of text"
        choices = ", ".join(texts)[:500] or "none"
        raise InputError(f"{path}: {problem}; expected the column of sentences, one of: {choices}")
    rows = parquet.iter_batches(_BLOCK, columns=None if keep else [column], use_threads=False)
    return SentenceFile(column, schema, _batches(path, rows))


def _batches(path: str, rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    count = 0
    while True:
        with reading(path, partial("after row {:,}".format, count)):
            batch = next(rows, None)
        if batch is None:
            return
        count += batch.num_rows
        yield batch


def _texts(path: str, cells: pa.Array, before: int) -> list[str]:
    """Sentences as strings. before: how many rows precede them, for the message."""
    try:
        return [cell or "" for cell in cells.to_pylist()]
    except UnicodeDecodeError:
        rows = f"rows {before + 1:,} to {before + len(cells):,}"
        raise InputError(f"{path}: one of the {rows} is not UTF-8; write the file again as UTF-8") from None


def _writer(output: Path, keep: bool) -> "Callable[[IO[bytes], int, pa.Schema], VectorWriter]":
    if _is_parquet(output):
        return ParquetVectors
    if output.suffix.lower() != ".npy":
        raise RecipeError(f"{output}: expected a name that ends in .npy or .parquet")
    if keep:
        raise RecipeError("--keep needs an output that has columns: let its name end in .parquet")
    return NumpyVectors


class NumpyVectors:
    """One array of (sentences, dimension) float32."""

    def __init__(self, file: IO[bytes], dimension: int, kept: pa.Schema) -> None:
        self._file, self._dimension, self._count = file, dimension, 0
        self._write_header()

    def write(self, batch: pa.RecordBatch, vectors: np.ndarray) -> None:
        """See `VectorWriter`."""
        self._count += len(vectors)
        self._file.write(np.ascontiguousarray(vectors, "<f4").data)

    def close(self) -> None:
        """Write the header once more, with the number of sentences; NumPy leaves it room to grow."""
        self._file.seek(0)
        self._write_header()

    def _write_header(self) -> None:
        shape = (self._count, self._dimension)
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, header)


class ParquetVectors:
    """A column `vector` of lists with a fixed size, behind the columns of the input that are kept."""

    def __init__(self, file: IO[bytes], dimension: int, kept: pa.Schema) -> None:
        self._kept, self._type = kept.names, pa.list_(pa.float32(), dimension)
        schema = kept.append(pa.field(VECTOR, self._type, nullable=False))
        # Vectors do not repeat, so a dictionary of them would be built in vain.
        self._writer = pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=self._kept)

    def write(self, batch: pa.RecordBatch, vectors: np.ndarray) -> None:
        """See `VectorWriter`."""
        numbers = pa.array(np.ascontiguousarray(vectors, np.float32).ravel())
        column = pa.FixedSizeListArray.from_arrays(numbers, type=self._type)
        columns = [*(batch[name] for name in self._kept), column]
        self._writer.write_batch(pa.record_batch(columns, schema=self._writer.schema))

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()
