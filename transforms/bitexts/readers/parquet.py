"""Parquet: each side is a column of text, read in batches of rows."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from ....base.arrow_types import is_text_or_bytes
from ....base.errors import InputError
from ....base.streams import open_raw, reading
from ...storage.file_hashes import HashCache
from ...storage.sealed_parquet import open_input
from ..input_file import InputFile
from .lines import LONGEST
from .reader import BLOCK_ROWS, FileSample, RawBlock, Reader, Row

_BUFFER = 1 << 20


def read_parquet(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Blocks of rows; a record is a row. limit: the most bytes of a cell that are read.

    A null counts as an empty text. A column of scores has numbers, or texts that are numbers. A column inside
    a struct is named with dots (`translation.cs`).
    """
    names = [str(field) for field in file.fields]
    return read_columns(file.paths[0], names[: len(file.sides)], names[len(file.sides) :], limit=limit)


def read_columns(
    path: str, texts: Sequence[str], scores: Sequence[str] = (), *, limit: int = LONGEST
) -> Iterator[RawBlock]:
    """Blocks of rows with these columns, as `read_parquet` has them."""
    names = [*texts, *scores]
    with open_raw(path) as raw:
        parquet = _opened(path, raw, texts, scores)
        first = 1
        row_batches = parquet.iter_batches(batch_size=BLOCK_ROWS, columns=names, use_threads=False)
        while True:
            with reading(path, partial("after row {:,}".format, first - 1)):
                batch = next(row_batches, None)
                if batch is None:
                    return
                columns = tuple(_cells(_column(batch, name), limit) for name in names)
            yield RawBlock(range(first, first + batch.num_rows), columns)
            first += batch.num_rows


def text_columns(path: str) -> list[str]:
    """The names of the columns of text, as `read_parquet` takes them."""
    with open_raw(path) as raw:
        return _columns_of(_opened(path, raw, []).schema_arrow, is_text_or_bytes)


def score_columns(path: str) -> list[str]:
    """The names of the columns that may be scores: floating-point numbers, decimals."""
    with open_raw(path) as raw:
        schema = _opened(path, raw, []).schema_arrow
    return _columns_of(schema, lambda kind: _is_number(kind) and not pa.types.is_integer(kind))


def _opened(path: str, raw: IO[bytes], texts: Sequence[str], numbers: Sequence[str] = ()) -> pq.ParquetFile:
    try:
        with reading(path):
            # Read one page of each column at a time; by default, whole row groups are read ahead.
            parquet = open_input(raw, _BUFFER)
            schema = parquet.schema_arrow
            for name in texts:
                _check(path, schema, name, "`source` and `reference`", "text", is_text_or_bytes)
            for name in numbers:
                _check(path, schema, name, "`scores`", "numbers", _is_score)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: a column's name is not UTF-8; the file is damaged: fetch it again"
        ) from error
    return parquet


def _check(
    path: str, schema: pa.Schema, name: str, keys: str, what: str, fits: Callable[[pa.DataType], bool]
) -> None:
    """Before reading, InputError if a column does not exist or does not fit. keys, what: in messages."""
    columns = _columns_of(schema, fits)
    if columns.count(name) > 1 or schema.names.count(name) > 1:
        raise InputError(f"{path}: there are several columns {name!r}; rename all but one")
    if name not in columns:
        choices = ", ".join(columns)[:500] or "none"
        problem = f"there is no column {name!r}"
        if name in schema.names:
            problem = f"column {name!r} contains {schema.field(name).type}, not {what}"
        raise InputError(f"{path}: {problem}; set {keys} to columns of {what}, which are: {choices}")


def _columns_of(
    fields: pa.Schema | pa.StructType, fits: Callable[[pa.DataType], bool], prefix: str = ""
) -> list[str]:
    names: list[str] = []
    for field in fields:
        if pa.types.is_struct(field.type):
            names.extend(_columns_of(field.type, fits, f"{prefix}{field.name}."))
        elif fits(field.type):
            names.append(prefix + field.name)
    return names


def _is_score(kind: pa.DataType) -> bool:
    return _is_number(kind) or is_text_or_bytes(kind)


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind))


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    import pyarrow.compute as pc  # half of the time that reading a recipe takes, which imports this module

    if name in batch.schema.names:
        return batch.column(name)
    first, *rest = name.split(".")
    return pc.struct_field(batch.column(first), rest)


def _cells(column: pa.Array, limit: int) -> list[bytes]:
    """The bytes of each cell, undecoded: a writer may have put anything into a column of strings."""
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _is_number(column.type):
        column = column.cast(pa.string())
    column = column.cast(pa.large_binary())
    longest = pc.max(pc.binary_length(column)).as_py()
    if longest is not None and longest > limit:
        column = pc.binary_slice(column, 0, limit + 1)
    return [cell or b"" for cell in column.to_pylist()]


def _count(file: InputFile, cache: HashCache) -> int:
    with open_raw(file.paths[0]) as raw, reading(file.paths[0]):
        return int(open_input(raw).metadata.num_rows)


def _write(file: InputFile, rows: Sequence[Row]) -> FileSample:
    # A name with dots finds a column of this name as well as one inside a struct.
    names = [str(field) for field in file.fields]
    sides = [pa.array([row[place] for row in rows], pa.binary()) for place in range(len(names))]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(sides, names=names), sink)
    return FileSample((sink.getvalue().to_pybytes(),))


PARQUET = Reader(
    read=read_parquet,
    write=_write,
    places="names",
    default_places=("source", "reference"),
    count=_count,
)
