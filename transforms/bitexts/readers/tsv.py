"""Tab-separated values: one record per line, each side in a column. Nothing is quoted or escaped."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ....base.errors import InputError
from ....base.streams import LineReader
from ..input_file import InputFile
from .lines import count_lines, line_rows, write_lines
from .reader import BLOCK_BYTES, BLOCK_ROWS, Fault, RawBlock, Reader

_UNREAD_BYTES = 1 << 20  # of a line, for the columns that are not read


@dataclass(frozen=True)
class Layout:
    """How many columns a line has, and the index of the column of each of some places, such as the sides."""

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
            layout = _layout(file, header[0], 1)
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
    return _layout(replace(file, header=False), line, record)


def layout_of(
    path: str,
    wanted: Iterable[tuple[str, int | str | None]],
    first: bytes,
    has_header: bool,
    record: int = 1,
    columns: int | None = None,
    advice: str = "",
) -> Layout:
    """The layout of a file from its first line: each place is in a column with a number from 1, or a name.

    columns: how many a line has, if the first line does not say it. advice: what else may be the matter.
    InputError for a column that is not there.
    """
    names = [name.decode("utf-8", "replace").strip() for name in first.split(b"\t")]
    width = columns or len(names)
    found: list[int] = []
    for place, field in wanted:
        if isinstance(field, int) and 1 <= field <= (len(names) if has_header else width):
            found.append(field - 1)
        elif has_header and isinstance(field, str) and names.count(field) == 1:
            found.append(names.index(field))
        elif has_header:
            raise InputError(
                f"{path}: expected one column {field!r} for the {place} in its header, which has: "
                + ", ".join(names)[:500]
            )
        else:
            raise InputError(
                f"{path}: line {record:,} has {_counted(width)} separated by tabs, but the {place} should be "
                f"in column {field!r}{advice}"
            )
    return Layout(width, tuple(found))


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


def _layout(file: InputFile, line: bytes, record: int) -> Layout:
    wanted = zip(file.places, file.fields, strict=True)
    advice = "; if only this line is wrong, set `columns`"
    return layout_of(file.paths[0], wanted, line, file.header, record, file.columns, advice)


TSV = Reader(
    read=read_tsv,
    write=write_lines,
    keys=frozenset(("header", "columns")),
    count=count_lines,
    rows=line_rows,
)
