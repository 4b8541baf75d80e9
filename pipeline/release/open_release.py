"""`open_release`: the pairs of a release as Arrow data, without reading what a condition leaves out."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...base.errors import InputError
from ...base.hashing import derive_seed, mixed
from ...base.streams import file_system, reading
from ...filters.where.condition import Drops, Where
from ...filters.where.pruning import ValueRange, may_select
from ...transforms.storage.sealed_parquet import Footer
from ..manifest.release_parquet import (
    check_columns,
    data_files,
    open_parquet,
    read_footer,
    read_manifest,
    release_folder,
)
from ..manifest.release_summary import ReleaseSummary
from ..manifest.whole_release import check_whole
from ..recipe.problems import nearest

if TYPE_CHECKING:
    import pandas
    import polars

    from .torch_dataset import PairDataset

BATCH_ROWS = 10_000


@dataclass(frozen=True)
class RowGroup:
    """A row group: the number of its file and its own number there, from 0; its rows; its columns' ranges.

    Columns without statistics have no range.
    """

    file: int
    index: int
    rows: int
    ranges: Mapping[str, ValueRange]


def open_release(path: str | PathLike[str]) -> "Release":
    """Open a release: its folder, a workspace that has one, or one of its Parquet files. Any fsspec URL.

    Only the footers of the files are read. InputError if there is no Parquet file, or a release is not whole:
    its files are compared with its manifest, if it has one (see `check_whole`). Using the release is an
    InputError if its files differ in their columns.
    """
    files = tuple(data_files(str(path)))
    return Release(str(path), files, check_whole(files))


def found_release(path: str) -> "Release":
    """A release as it is there, whole or not: to say what is wrong with it."""
    return Release(path, tuple(data_files(path)))


@dataclass(frozen=True)
class Release:
    """An opened release. url: what was opened. files: its Parquet files, in order.

    known_footers: of files whose footer was read already.
    """

    url: str
    files: tuple[str, ...]
    known_footers: Mapping[str, Footer] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def footers(self) -> tuple[Footer, ...]:
        """The footer of each file. InputError if one is damaged."""
        with ThreadPoolExecutor(16) as pool:
            return tuple(pool.map(lambda file: self.known_footers.get(file) or read_footer(file), self.files))

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns, with unit and meaning in each field's metadata."""
        schemas = [footer.metadata.schema.to_arrow_schema().remove_metadata() for footer in self.footers]
        check_columns(self.files[0], schemas[0])
        for file, schema in zip(self.files, schemas, strict=True):
            if not schema.equals(schemas[0]):
                raise InputError(f"{file} has other columns than {self.files[0]}: they are of two releases")
        return schemas[0]

    @cached_property
    def row_groups(self) -> tuple[RowGroup, ...]:
        """All row groups, in order."""
        return tuple(
            RowGroup(number, index, group.num_rows, _ranges(group))
            for number, footer in enumerate(self.footers)
            for index in range(footer.metadata.num_row_groups)
            for group in (footer.metadata.row_group(index),)
        )

    @cached_property
    def folder(self) -> str | None:
        """The folder with the card and `manifest.json`; None if a single file was opened."""
        return release_folder(self.files[0])

    @cached_property
    def manifest(self) -> ReleaseSummary | None:
        """What the release's `manifest.json` says; None if it has none.

        InputError if the file is not what paranmt wrote.
        """
        return None if self.folder is None else read_manifest(self.folder)

    @property
    def bytes(self) -> int:
        """The size of all Parquet files."""
        return sum(file_system(file)[0].size(file_system(file)[1]) for file in self.files)

    def __len__(self) -> int:
        """The number of pairs."""
        return sum(footer.metadata.num_rows for footer in self.footers)

    def pairs(self, where: str | None = None, columns: Sequence[str] | None = None) -> "Pairs":
        """The pairs for which `where` is true, with these columns; by default all pairs and all columns.

        where: an SQL condition, in the language of recipes; it may name every column. RecipeError if it is
        not one. InputError for an unknown column. Nothing is read yet.
        """
        names = tuple(self.schema.names if columns is None else columns)
        for name in names:
            if name not in self.schema.names:
                raise InputError(f"{self.url}: no column {name!r}; {nearest(name, self.schema.names)}")
        types = {field.name: field.type for field in self.schema}
        return Pairs(self, names, None if where is None else Where.parse(where, types))

    def read_row_group(self, group: RowGroup, columns: Sequence[str]) -> pa.Table:
        """These columns of a row group, in this order; may be called from several threads.

        InputError if they are damaged.
        """
        url = self.files[group.file]
        with reading(url), open_parquet(url, self.footers[group.file]) as file:
            read: pa.Table = file.read_row_group(group.index, columns=list(columns))
            read.validate(full=True)  # texts may have bytes that are not UTF-8
        return read.select(list(columns)).replace_schema_metadata(None)


@dataclass(frozen=True)
class Pairs:
    """Some pairs of a release, with some of its columns; made by `Release.pairs`. Can be iterated again."""

    release: Release
    columns: tuple[str, ...]
    where: Where | None

    @property
    def schema(self) -> pa.Schema:
        """The columns of every batch."""
        return pa.schema([self.release.schema.field(name) for name in self.columns])

    @cached_property
    def row_groups(self) -> tuple[RowGroup, ...]:
        """The row groups that may have such pairs, by their statistics; the others are never read."""
        if self.where is None:
            return self.release.row_groups
        test = may_select(self.where)
        return tuple(group for group in self.release.row_groups if test(group.ranges))

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self.batches()

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        """The pairs in the order of the files, at most `rows` in a batch; reads one row group ahead."""
        with ThreadPoolExecutor(1) as pool:
            waiting = None
            for group in (*self.row_groups, None):
                ahead = pool.submit(self.read, group) if group is not None else None
                if waiting is not None:
                    yield from waiting.result().combine_chunks().to_batches(max_chunksize=rows)
                waiting = ahead

    def reader(self) -> pa.RecordBatchReader:
        """The batches as a reader, which DuckDB, Polars and others can query."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    def to_table(self) -> pa.Table:
        """All pairs in memory."""
        return pa.Table.from_batches(self.batches(2**62), self.schema)

    def to_pandas(self) -> "pandas.DataFrame":
        """All pairs as a data frame of pandas, which must be installed."""
        return self.to_table().to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """All pairs as a data frame of Polars, which must be installed."""
        import polars

        frame = polars.from_arrow(self.to_table())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_torch(self, *, seed: int = 1, batch: int | None = None, window: int = 16) -> "PairDataset":
        """The pairs as a shuffled `torch.utils.data.IterableDataset`; see `PairDataset`."""
        from .torch_dataset import PairDataset

        return PairDataset(self, seed=seed, batch=batch, window=window)

    def read(self, group: RowGroup) -> pa.Table:
        """The pairs of one row group."""
        if self.where is None:
            return self.release.read_row_group(group, self.columns)
        named = sorted(self.where.columns)
        tested = _with_rows(self.release.read_row_group(group, named), group.rows)
        mask = self.where.evaluate(tested)
        if not mask.true_count:
            return self.schema.empty_table()
        table = tested
        missing = [name for name in self.columns if name not in named]
        if missing:
            rest = self.release.read_row_group(group, missing)
            for name, column in zip(missing, rest.columns, strict=True):
                table = table.append_column(name, column)
        return table.filter(mask).select(list(self.columns)).cast(self.schema)

    @cached_property
    def counts(self) -> np.ndarray:
        """How many of the pairs are in each of `row_groups`, (n,) int64; reads only what `where` names."""
        if self.where is None:
            return np.array([group.rows for group in self.row_groups], np.int64)
        where, named = self.where, sorted(self.where.columns)

        def count(group: RowGroup) -> int:
            tested = _with_rows(self.release.read_row_group(group, named), group.rows)
            return int(where.evaluate(tested).true_count)

        with ThreadPoolExecutor() as pool:
            return np.fromiter(pool.map(count, self.row_groups), np.int64)

    def __len__(self) -> int:
        return int(self.counts.sum())

    def drops(self) -> Drops:
        """How many pairs of the release each clause of `where` drops."""
        if self.where is None:
            return Drops(len(self.release), len(self.release), 0, ())
        where, named = self.where, sorted(self.where.columns)

        def counted(group: RowGroup) -> Drops:
            return where.drops(_with_rows(self.release.read_row_group(group, named), group.rows))

        with ThreadPoolExecutor() as pool:
            total = Drops(0, 0, 0, ())
            for drops in pool.map(counted, self.release.row_groups):
                total = total + drops if total.pairs else drops
        return total

    def sample(self, count: int, seed: int) -> pa.Table:
        """`count` of the pairs at random, all alike, or all if there are fewer; in random order.

        The same release and seed give the same pairs. Only the row groups of these pairs are read, and what
        `where` names.
        """
        ends = np.cumsum(self.counts)
        total = int(ends[-1]) if len(ends) else 0
        positions = _smallest(total, count, derive_seed(seed, "sample"))
        groups = np.searchsorted(ends, positions, side="right")
        tables, places = [], []
        for number in np.unique(groups):
            (rows,) = np.nonzero(groups == number)
            first = ends[number] - self.counts[number]
            tables.append(self.read(self.row_groups[number]).take(pa.array(positions[rows] - first)))
            places.append(rows)
        if not tables:
            return self.schema.empty_table()
        order = np.argsort(np.concatenate(places), kind="stable")
        return pa.concat_tables(tables).take(pa.array(order)).combine_chunks()


def _smallest(total: int, count: int, seed: int) -> np.ndarray:
    """`count` of the positions below `total`, those with the smallest hashes, smallest first."""
    kept, hashes = np.empty(0, np.int64), np.empty(0, np.uint64)
    for start in range(0, total, 1 << 22):
        positions = np.arange(start, min(total, start + (1 << 22)))
        kept, hashes = np.concatenate([kept, positions]), np.concatenate([hashes, mixed(positions, seed)])
        order = np.argsort(hashes, kind="stable")[:count]
        kept, hashes = kept[order], hashes[order]
    return kept


def _with_rows(table: pa.Table, rows: int) -> pa.Table:
    """The table, or one with as many rows if it has no columns."""
    return table if table.num_columns else pa.table({"row": pa.nulls(rows)})


def _ranges(group: pq.RowGroupMetaData) -> dict[str, ValueRange]:
    """The range of each column that is not nested and has statistics."""
    ranges = {}
    for number in range(group.num_columns):
        column = group.column(number)
        statistics = column.statistics
        if statistics is None or "." in column.path_in_schema:
            continue
        if statistics.has_min_max:
            try:
                low, high = statistics.min, statistics.max
            except UnicodeDecodeError:  # reading the column reports it
                continue
            if isinstance(low, bool | int | float | str):
                ranges[column.path_in_schema] = ValueRange(low, high)
        elif statistics.has_null_count and statistics.null_count == group.num_rows:
            ranges[column.path_in_schema] = ValueRange(None, None)
    return ranges
