"""Moses: one file per side; line n of each file is the same sentence."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack

from ....base.errors import InputError
from ....base.streams import LineReader
from ..input_file import InputFile
from .lines import count_lines, joined, lines_at
from .reader import BLOCK_BYTES, BLOCK_ROWS, FileSample, RawBlock, Reader, Row


def read_moses(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Blocks of lines; a record is a line. limit: the most bytes of a line that are read."""
    with ExitStack() as stack:
        readers = [stack.enter_context(LineReader(path, limit)) for path in file.paths]
        while True:
            first = readers[0].lines_read + 1
            source = readers[0].read(BLOCK_ROWS, BLOCK_BYTES)
            other_sides = [reader.read(max(len(source), 1)) for reader in readers[1:]]
            if any(len(lines) != len(source) for lines in other_sides):
                raise _uneven(readers)
            if not source:
                return
            yield RawBlock(range(first, first + len(source)), (source, *other_sides))


def _uneven(readers: list[LineReader]) -> InputError:
    """The error for sides with different numbers of lines; usually, these are refused before reading."""
    short = min(readers, key=lambda reader: reader.lines_read)
    long = max(readers, key=lambda reader: reader.lines_read)
    return InputError(
        f"the sides have different numbers of lines: {short.url} ends after line {short.lines_read:,}, "
        f"{long.url} has more; line n of each must be the same sentence"
    )


def _rows(file: InputFile, numbers: Sequence[int]) -> Mapping[int, Row]:
    sides = [lines_at(path, numbers) for path in file.paths]
    return {number: tuple(side[number] for side in sides) for number in sides[0]}


def _write(file: InputFile, rows: Sequence[Row]) -> FileSample:
    return FileSample(tuple(joined(row[place] for row in rows) for place in range(len(file.paths))))


MOSES = Reader(read=read_moses, write=_write, places="files", count=count_lines, rows=_rows)
