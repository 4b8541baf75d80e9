"""Rows that are lines, for samples: how they are counted, found and written."""

from collections.abc import Iterable, Mapping, Sequence

from ....base.streams import open_stream, reading
from ...storage.file_hashes import HashCache
from ..input_file import InputFile
from .reader import FileSample, Row

LONGEST = 1 << 24  # bytes of a line that are kept; longer lines are rejected anyway
_CHUNK = 1 << 20


def count_lines(file: InputFile, cache: HashCache) -> int:
    """The number of lines of a file (or of its first side) after a header; the cache may know it."""
    return max(0, (cache.file_hash(file.paths[0], count_lines=True).lines or 0) - file.header)


def line_rows(file: InputFile, numbers: Sequence[int]) -> Mapping[int, Row]:
    """Lines of a file by number. A header is line 1, but not a row."""
    lines = lines_at(file.paths[0], [number + file.header for number in numbers])
    return {number - file.header: (line,) for number, line in lines.items()}


def write_lines(file: InputFile, rows: Sequence[Row]) -> FileSample:
    """The lines `rows` under the header of a file, with as many columns as its first line."""
    first = lines_at(file.paths[0], [1]).get(1, b"")
    columns = file.columns or (first.count(b"\t") + 1 if first.strip() else None)
    return FileSample((joined([*([first] if file.header else []), *(line for (line,) in rows)]),), columns)


def joined(lines: Iterable[bytes]) -> bytes:
    """The lines as the content of a file."""
    return b"".join(line + b"\n" for line in lines)


def lines_at(path: str, numbers: Sequence[int]) -> dict[int, bytes]:
    """The lines with these ascending numbers, from 1, without line ends; fewer if the file is shorter."""
    found: dict[int, bytes] = {}
    left = iter(numbers)
    next_one = next(left, None)
    before, rest = 0, b""
    with open_stream(path) as stream, reading(path, lambda: f"after line {before:,}"):
        while next_one is not None:
            chunk = stream.read(_CHUNK)
            data = rest + chunk
            count = data.count(b"\n")
            if not chunk and rest:
                count, data = 1, rest + b"\n"
            if next_one <= before + count:
                lines = data.split(b"\n")
                while next_one is not None and next_one <= before + count:
                    found[next_one] = lines[next_one - before - 1][:LONGEST]
                    next_one = next(left, None)
            before += count
            if not chunk:
                break
            rest = data[data.rfind(b"\n") + 1 :][:LONGEST]
    if 1 in found:
        found[1] = found[1].removeprefix(b"\xef\xbb\xbf")
    return found
