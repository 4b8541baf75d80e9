"""The files that users download: they hold every pair, so ordered that one decile is a tenth of the bytes.

A file joins consecutive parts. Its rows are sorted by decile of the primary score, best first, then in the
order of the input, and a row group ends at the end of each decile. A reader that asks for one decile can
skip the other row groups by their statistics, whether it reads from a disk or from a web server.
"""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .sealed_parquet import read_footer, seal_parquet

ROWS_PER_FILE = 500_000
ROWS_PER_GROUP = 100_000

# Compared with level 3, this takes 8 % fewer bytes and three times the time, still 200,000 pairs a second on
# one core: a release is written once and downloaded many times. From level 12 on, time grows much faster.
_ZSTD_LEVEL = 9

_TYPES = (pa.string(), pa.float32(), pa.int32(), pa.int8(), pa.bool_())
_AFTER_EVERY_DECILE = 127


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A written file: its rows, its size in bytes, and the SHA-256 of these bytes in hexadecimal.

    footer: the hash of the footer, which contains the hashes of all content (`sealed_parquet.Footer.digest`).
    """

    rows: int
    bytes: int
    sha256: str
    footer: str


def plan_release_files(
    parts: Sequence[tuple[str, int]], rows_per_file: int = ROWS_PER_FILE
) -> list[list[str]]:
    """The parts that each file joins: as many consecutive parts, given as (name, rows), as fit.

    A part is never cut, so a part of more than `rows_per_file` rows has a file of its own.

    >>> plan_release_files([("a", 4), ("b", 4), ("c", 4)], rows_per_file=10)
    [['a', 'b'], ['c']]
    """
    if rows_per_file < 1:
        raise ValueError(f"rows_per_file must be at least 1, not {rows_per_file}")
    files: list[list[str]] = []
    room = 0
    for name, rows in parts:
        if not files or rows > room:
            files.append([])
            room = rows_per_file
        files[-1].append(name)
        room -= rows
    return files


def release_file_name(index: int, n_files: int) -> str:
    """The name by which the hub's loaders recognise a file of the split `train`; `index` starts at 0.

    >>> release_file_name(0, 3)
    'train-00000-of-00003.parquet'
    """
    return f"train-{index:05d}-of-{n_files:05d}.parquet"


def release_table(parts: Sequence[pa.Table], primary_decile: str, best_first_descending: bool) -> pa.Table:
    """The rows of consecutive parts, by decile of the primary score, then in the order of the input.

    primary_decile: the int8 column to sort by. best_first_descending: whether decile 10 comes first, because
    higher values of the primary score are better; otherwise decile 1 does. Rows without a decile come last.
    The names, types and order of the columns must be the same in all parts.
    """
    if not parts:
        raise ValueError("a release file joins at least one part, got none")
    tables = [part.replace_schema_metadata(None) for part in parts]
    for part in tables[1:]:
        if not part.schema.equals(tables[0].schema):
            raise ValueError(f"parts of one release differ:\n{tables[0].schema}\nand\n{part.schema}")
    table = pa.concat_tables(tables)
    deciles = _deciles(table, primary_decile)
    keys = -deciles if best_first_descending else deciles
    order = np.argsort(np.where(deciles == 0, _AFTER_EVERY_DECILE, keys), kind="stable")
    return table.take(pa.array(order))


def write_release_file(
    table: pa.Table, path: Path, primary_decile: str, metadata: Mapping[str, str]
) -> FileInfo:
    """Write a table that `release_table` has sorted, and describe the file.

    A row group ends with each decile, and has at most 100,000 rows. The same rows, metadata and packages
    give the same bytes, however the table is chunked. Columns are string, float32, int32, int8, boolean, or
    lists and structs of these; readers would disagree about any other type, so it raises TypeError. `path`
    is a local file and is overwritten.
    """
    for field in table.schema:
        _check_type(field.name, field.type)
    table = table.replace_schema_metadata(dict(metadata))
    deciles = _deciles(table, primary_decile)
    starts = [0, *(np.flatnonzero(np.diff(deciles)) + 1).tolist(), len(deciles)]
    runs = deciles[starts[:-1]] if len(deciles) else deciles
    if len(set(runs.tolist())) != len(runs):
        raise ValueError(f"the rows are not ordered by {primary_decile}: order them with release_table")
    with pq.ParquetWriter(
        path,
        table.schema,
        compression="zstd",
        compression_level=_ZSTD_LEVEL,
        # All pair_ids are different, so plain text takes half the bytes of a dictionary.
        use_dictionary=[name for name in table.column_names if name != "pair_id"],
        write_statistics=True,
        write_page_index=True,
        write_page_checksum=True,
    ) as writer:
        for start, end in itertools.pairwise(starts):
            for first in range(start, end, ROWS_PER_GROUP):
                # One chunk per column: page limits are checked chunk by chunk, which affects the bytes.
                group = table.slice(first, min(ROWS_PER_GROUP, end - first)).combine_chunks()
                writer.write_table(group, row_group_size=ROWS_PER_GROUP)
    return _sealed(path, table.num_rows)


def _deciles(table: pa.Table, column: str) -> np.ndarray:
    """The decile of each row as int8; 0 if it is null."""
    if column not in table.column_names:
        raise ValueError(f"no column {column!r}; there are: {', '.join(table.column_names)}")
    if table.schema.field(column).type != pa.int8():
        raise TypeError(f"{column} must be int8, not {table.schema.field(column).type}")
    deciles: np.ndarray = table[column].combine_chunks().fill_null(0).to_numpy(zero_copy_only=False)
    return deciles


def _check_type(name: str, type_: pa.DataType) -> None:
    if pa.types.is_list(type_) or pa.types.is_struct(type_):
        for index in range(type_.num_fields):
            _check_type(name, type_.field(index).type)
    elif type_ not in _TYPES:
        raise TypeError(f"column {name} is {type_}; a release has {', '.join(map(str, _TYPES))}")


def _sealed(path: Path, rows: int) -> FileInfo:
    """Seal the file at `path`, and describe it as it is then."""
    seal_parquet(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
        footer = read_footer(file)
    written = footer.metadata.num_rows
    if written != rows:
        raise OSError(f"{path} holds {written} rows of {rows}")
    return FileInfo(rows=rows, bytes=size, sha256=digest, footer=footer.digest)
