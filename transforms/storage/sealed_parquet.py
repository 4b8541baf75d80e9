"""Parquet files with a seal, by which a reader finds damage before Arrow decodes anything.

Arrow trusts a footer and the headers of pages. A flipped bit there can give other rows or end the process. So
we write a seal between a file's data and its footer: the hash of each block of the file (a column of a row
group), and a hash of these hashes and the footer. Other readers of Parquet never look at these bytes.
"""

import io
import itertools
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

_PARQUET = b"PAR1"
_SEAL = b"\x8bparanmt"
_LENGTH = struct.Struct("<I4s")  # at the end of every Parquet file: the bytes of the footer, and PAR1
_HEAD = struct.Struct("<I16s8s")  # between the blocks and the footer: the number of blocks, the hash, _SEAL
_AT_ONCE = 1 << 16  # as much of a file's end as Arrow reads at first
_LONGEST = 4 << 20  # more than the footers of our files have


@dataclass(frozen=True, eq=False)
class Footer:
    """The footer of a Parquet file. digest: a hash of it and, if the file is sealed, of all content.

    ends, hashes: where each block ends, and its xxh3-64, (blocks,) uint64; empty if the file is not sealed.
    """

    metadata: pq.FileMetaData
    digest: str
    ends: np.ndarray
    hashes: np.ndarray


def seal_parquet(path: Path) -> None:
    """Write the seal of a local Parquet file that was just written."""
    metadata = pq.read_metadata(path)
    with open(path, "r+b") as file:
        file.seek(-_LENGTH.size, os.SEEK_END)
        length, _ = _LENGTH.unpack(file.read())
        start = file.seek(-_LENGTH.size - length, os.SEEK_END)
        footer = file.read()
        ends = np.array(sorted({*_chunk_ends(metadata), start}), np.uint64)
        file.seek(0)
        sizes = np.diff(ends, prepend=np.uint64(0)).tolist()
        hashes = np.array([xxhash.xxh3_64_intdigest(file.read(size)) for size in sizes], np.uint64)
        blocks = np.stack([ends, hashes]).astype("<u8").tobytes()
        file.seek(start)
        file.write(blocks + _HEAD.pack(len(ends), _hash(blocks, footer), _SEAL) + footer)


def read_footer(file: IO[bytes], sealed: bool = True) -> Footer:
    """The footer of a Parquet file. OSError if it is damaged.

    sealed: whether a file without a seal is an error too; otherwise it counts as one of another program.
    """
    size = file.seek(0, os.SEEK_END)
    tail = _end(file, size, min(size, _AT_ONCE))
    if size < 2 * _LENGTH.size or not tail.endswith(_PARQUET):
        raise OSError("it does not end as Parquet files do")
    length, _ = _LENGTH.unpack(tail[-_LENGTH.size :])
    length += _LENGTH.size
    if length + _HEAD.size > size:
        raise OSError("its footer is damaged")
    if length + _HEAD.size > len(tail):
        tail = _end(file, size, min(size, 2 * length + _AT_ONCE))
    footer, head = tail[-length:], tail[-length - _HEAD.size : -length]
    number, digest, mark = _HEAD.unpack(head)
    if mark != _SEAL:
        # Where the length is damaged, the seal is elsewhere.
        if sealed or _SEAL in _end(file, size, min(size, _LONGEST)):
            raise OSError("its footer is damaged, or another program wrote it")
        none = np.empty(0, np.uint64)
        return Footer(_parsed(footer), xxhash.xxh3_128_hexdigest(footer), none, none)
    start = size - length - _HEAD.size - 16 * number
    if start < 0:
        raise OSError("its footer is damaged")
    if size - start > len(tail):
        tail = _end(file, size, size - start)
    blocks = tail[start - size : -length - _HEAD.size]
    if _hash(blocks, footer) != digest:
        raise OSError("its footer is damaged")
    ends, hashes = np.frombuffer(blocks, "<u8").reshape(2, number).astype(np.uint64)
    if int(ends[-1]) != start:
        raise OSError("bytes were added or removed")
    return Footer(_parsed(footer), digest.hex(), ends, hashes)


def open_parquet(file: IO[bytes], footer: Footer, pre_buffer: bool = True) -> pq.ParquetFile:
    """A Parquet file to read from; reading a damaged block is an OSError.

    pre_buffer: whether all that is asked for at once is read with few requests, into memory.
    """
    source = _CheckedFile(file, footer) if len(footer.ends) else file
    return pq.ParquetFile(source, metadata=footer.metadata, pre_buffer=pre_buffer)


def open_input(file: IO[bytes], buffer_size: int = 0) -> pq.ParquetFile:
    """A Parquet file of a user, which is compared with its seal if it has one: it may be of a release.

    buffer_size: by how many bytes a column of another program's file is read; 0 for whole columns.
    """
    footer = read_footer(file, sealed=False)
    if len(footer.ends):
        return open_parquet(file, footer, pre_buffer=False)
    return pq.ParquetFile(file, metadata=footer.metadata, buffer_size=buffer_size, pre_buffer=False)


def check_blocks(file: IO[bytes], footer: Footer) -> None:
    """OSError if any block of a sealed file is damaged."""
    checked = _CheckedFile(file, footer)
    for begin, end in itertools.pairwise([0, *footer.ends.tolist()]):
        checked.seek(begin)
        checked.read(end - begin)


class _CheckedFile(io.RawIOBase):
    """The blocks of a sealed file. What is read is compared with the hashes of its blocks."""

    def __init__(self, file: IO[bytes], footer: Footer) -> None:
        self._file = file
        self._ends = footer.ends
        self._hashes = footer.hashes
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._position = offset + (0, self._position, int(self._ends[-1]))[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Bytes from the current position on; all blocks that hold them are read whole."""
        start, last = self._position, int(self._ends[-1])
        stop = last if size < 0 else min(start + size, last)
        if start >= stop:
            return b""
        self._position = stop
        first, final = np.searchsorted(self._ends, np.array([start, stop - 1], np.uint64), side="right")
        begin = int(self._ends[first - 1]) if first else 0
        self._file.seek(begin)
        content = self._file.read(int(self._ends[final]) - begin)
        view = memoryview(content)
        for block in range(first, final + 1):
            low, high = (int(self._ends[block - 1]) if block else 0) - begin, int(self._ends[block]) - begin
            if xxhash.xxh3_64_intdigest(view[low:high]) != int(self._hashes[block]):
                raise OSError("its content is damaged")
        return content[start - begin : stop - begin]


def _chunk_ends(metadata: pq.FileMetaData) -> Iterator[int]:
    """Where each column of each row group ends in the file."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            start = column.dictionary_page_offset or column.data_page_offset
            yield min(start, column.data_page_offset) + column.total_compressed_size


def _hash(blocks: bytes, footer: bytes) -> bytes:
    return xxhash.xxh3_128_digest(blocks + footer)


def _end(file: IO[bytes], size: int, length: int) -> bytes:
    """The last bytes of a file."""
    file.seek(size - length)
    return file.read(length)


def _parsed(footer: bytes) -> pq.FileMetaData:
    return pq.read_metadata(pa.BufferReader(footer))
