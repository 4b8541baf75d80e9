"""What every format of bitexts says about itself, and the raw records that its reader yields."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...storage.file_hashes import HashCache
from ..input_file import InputFile, Side

BLOCK_ROWS = 1_000  # raw records in memory at a time
BLOCK_BYTES = 4 << 20


class Fault(NamedTuple):
    """Why a record is rejected; `side` is None if the whole record is at fault."""

    side: Side | None
    reason: str
    detail: str


@dataclass(frozen=True)
class RawBlock:
    """Consecutive records of a file, undecoded.

    records: their numbers, ascending. sides: for each of the file's `places` (its sides, then its scores),
    the raw bytes of each record; b"" if the record lacks it. faults: the faults of records that the reader
    cannot use, by index. skipped: counts of what was read but is not a record, by kind.
    """

    records: Sequence[int]
    sides: tuple[Sequence[bytes], ...]
    faults: dict[int, Fault] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, rows: slice) -> "RawBlock":
        start, stop, _ = rows.indices(len(self.records))
        return RawBlock(
            records=self.records[start:stop],
            sides=tuple(side[start:stop] for side in self.sides),
            faults={index - start: fault for index, fault in self.faults.items() if start <= index < stop},
            skipped=self.skipped if start == 0 else {},
        )


Row = tuple[bytes, ...]
"""A row of a file, uncleaned: the bytes at each of its `places`, or its line if the format keeps lines."""


class FileSample(NamedTuple):
    """Rows as files of their format.

    contents: the content of each of the file's `paths`. columns: as in `BitextInput`.
    """

    contents: tuple[bytes, ...]
    columns: int | None = None


Place = int | str | None


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A format of bitexts: what its entries give, and how its files are read and sampled.

    read: the blocks of a file's raw records, with at most so many bytes of each side. write: rows as files of
    the format, for the sample of a forecast. places: the meaning of an entry's `source`, `reference` and
    `translation`: the files of this side or, in `path`, the number of a column (with a header also its name),
    a name, or a language. default_places: those of source and reference if the entry gives none; None if the
    file shows them (a language is then that of the entry). keys: which of the keys `header` and `columns` an
    entry may have. count, rows: the number of rows, and the rows with certain ascending numbers from 1 (those
    that exist), where there is a faster way than `read` or where rows are more than the records.
    """

    read: Callable[[InputFile, int], Iterator[RawBlock]]
    write: Callable[[InputFile, Sequence[Row]], FileSample]
    places: Literal["files", "columns", "names", "languages"] = "columns"
    default_places: tuple[Place, Place] = (1, 2)
    keys: frozenset[str] = frozenset()
    count: Callable[[InputFile, HashCache], int] | None = None
    rows: Callable[[InputFile, Sequence[int]], Mapping[int, Row]] | None = None
