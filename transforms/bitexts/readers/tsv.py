"""Tab-separated values: one record per line, each side in a column. Nothing is quoted or escaped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....base.errors import InputError
from ....base.streams import LineReader
from ..input_file import InputFile
from .lines import count_lines, line_rows, write_lines
from .reader import BLOCK_BYTES, BLOCK_ROWS, Fault, RawBlock, Reader

_UNREAD_BYTES = 1 << 20  # of a line, for the columns that are not read


@dataclass(frozen=True)
class Layout:
    """How many columns a line has, and the index of the column of each of the file's `places`."""

    columns: int
    places: tuple[int, ...]


def read_tsv(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Blocks of lines; a record is a line. A header is line 1, but not a record.

    limit: the most bytes of a column that are read. A line with more or fewer columns than the first line
    (or than `columns`) is malformed: if a sentence contains a tab, we can only guess which column is which.
    """
    with LineReader(file.paths[0], line_limit(limit)) as reader:
        layout: Layout | None = None
        if file.header:
            header = reader.read(1)
            if not header:
                return
            layout = _named(file, header[0])
        for first, lines in line_blocks(reader):
            layout = layout or numbered(file, lines[0], 1)
            yield split_columns(lines, range(first, first + len(lines)), layout, line_limit(limit))


def line_limit(limit: int) -> int:
    """The number of bytes after which we stop reading a line, from the `limit` of one side."""
    return 3 * limit + _UNREAD_BYTES


def line_blocks(reader: LineReader) -> Iterator[tuple[int, list[bytes]]]:
    """The remaining lines, in blocks, each with the number of its first line."""
    while lines := reader.read(BLOCK_ROWS, BLOCK_BYTES):
        yield reader.lines_read - len(lines) + 1, lines


def numbered(file: InputFile, line: bytes, record: int) -> Layout:
    """The layout of a file whose places are given as numbers, from its first line or `columns`."""
    columns = file.columns or line.count(b"\t") + 1
    numbers = [field for field in file.fields if isinstance(field, int)]
    for place, field in zip(file.places, numbers, strict=True):
        if field > columns:
            raise InputError(
                f"{file.paths[0]}: line {record:,} has {_counted(columns)} separated by tabs, but the "
                f"{place} should be in column {field}; if only this line is wrong, set `columns`"
            )
    return Layout(columns, tuple(field - 1 for field in numbers))


def split_columns(lines: Sequence[bytes], records: Sequence[int], layout: Layout, max_bytes: int) -> RawBlock:
    """The columns of each line. A line that is too long or has other columns is a fault."""
    faults: dict[int, Fault] = {}
    rows = [line.split(b"\t", layout.columns) for line in lines]
    empty = [b""] * layout.columns
    for index, row in enumerate(rows):
        if len(row) != layout.columns or len(lines[index]) > max_bytes:
            faults[index] = _fault(lines[index], layout, max_bytes)
            rows[index] = empty
    return RawBlock(records, tuple([row[column] for row in rows] for column in layout.places), faults)


def _fault(line: bytes, layout: Layout, max_bytes: int) -> Fault:
    if len(line) > max_bytes:
        return Fault(None, "too_long", f"more than {max_bytes:,} bytes")
    columns = _counted(line.count(b"\t") + 1)
    return Fault(None, "malformed", f"{columns}, expected {layout.columns:,}")


def _counted(columns: int) -> str:
    return "1 column" if columns == 1 else f"{columns:,} columns"


def _named(file: InputFile, header: bytes) -> Layout:
    """The layout of a file whose first line names its columns."""
    names = [name.decode("utf-8", "replace").strip() for name in header.split(b"\t")]
    columns: list[int] = []
    for place, field in zip(file.places, file.fields, strict=True):
        if isinstance(field, int) and field <= len(names):
            columns.append(field - 1)
        elif names.count(str(field)) == 1 and isinstance(field, str):
            columns.append(names.index(field))
        else:
            raise InputError(
                f"{file.paths[0]}: expected one column {field!r} for the {place} in its header, which has: "
                + ", ".join(names)[:500]
            )
    return Layout(file.columns or len(names), tuple(columns))


TSV = Reader(
    read=read_tsv,
    write=write_lines,
    keys=frozenset(("header", "columns")),
    count=count_lines,
    rows=line_rows,
)
