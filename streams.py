"""Files as bytes: opened wherever they lie, decompressed, and cut into lines of bounded length."""

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Protocol, cast

import fsspec
import pyarrow as pa
from fsspec.implementations.local import LocalFileSystem

from .errors import InputError, UserError

COMPRESSIONS: dict[str, bytes] = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zst": b"\x28\xb5\x2f\xfd",
}  # a file name's ending, and the bytes that such a file begins with

_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}  # protocols whose drivers come with an extra
_BUFFER = 1 << 20
_PIECE = 1 << 16
_ZIP = b"PK\x03\x04"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def file_system(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """The file system of a URL or a local path, and the path on it; listings are not kept.

    InputError where there is none: a protocol that fsspec does not know, whose driver is not installed, or
    that wants more than a URL, or a host that does not answer.
    """
    if "://" not in url:
        return LocalFileSystem(), url
    protocol = url.partition("://")[0]
    try:
        # A file system of files on the disk takes no such option, and one in memory keeps no listings.
        options = {} if protocol in ("file", "local", "memory") else {"use_listings_cache": False}
        fs, path = fsspec.core.url_to_fs(url, **options)
        return fs, path
    except ImportError as error:
        extra = _EXTRAS.get(protocol)
        advice = f"pip install 'paranmt[{extra}]'" if extra else str(error)
        raise InputError(
            f"{url}: cannot be opened: the driver of {protocol}:// is missing; {advice}"
        ) from error
    except Exception as error:
        # The constructors of the drivers raise whatever they like, and there is nothing here but a URL.
        raise InputError(
            f"{url}: cannot be opened: {first_line(error)}; expected a path, or a URL such as s3://bucket/name"
        ) from error


def first_line(error: BaseException) -> str:
    """What an error says, on one line and no longer than a person reads; its kind where it says nothing."""
    lines = str(error).strip().splitlines()
    return f"{lines[0][:300]}" if lines else type(error).__name__


@contextmanager
def reaching(url: str) -> Iterator[None]:
    """Turn what a file system answers to a question about a file into an InputError that names it.

    The drivers of those that are elsewhere have no error in common: no host, no right, no such bucket.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if "://" not in url and not isinstance(error, OSError | ValueError):
            raise
        raise InputError(f"{url}: cannot be opened: {first_line(error)}") from error


def open_raw(url: str) -> IO[bytes]:
    """The file's bytes as they are stored."""
    fs, path = file_system(url)
    with reaching(url):
        if not isinstance(fs, LocalFileSystem):
            return cast(IO[bytes], fs.open(path, "rb"))
        # A device or a pipe may have no end, or never a beginning.
        if not (os.path.isfile(path) or os.path.isdir(path)) and os.path.exists(path):
            raise InputError(
                f"{url}: cannot be opened: expected a file, and it is a device, a pipe or a socket"
            )
        return open(path, "rb")


def open_stream(url: str, raw: IO[bytes] | None = None) -> io.BufferedReader:
    """The file's bytes, decompressed by what its name ends in: .gz, .bz2, .xz, .zst, else as stored.

    raw: the stored bytes where the caller has opened them. Several members or frames in one file are
    read as one. A name that says one thing and first bytes that say another are an error, because
    the alternative is a million rejects.
    """
    file = cast(io.RawIOBase, raw if raw is not None else open_raw(url))
    stored: io.BufferedReader = io.BufferedReader(file, _BUFFER)
    with reading(url):
        suffix = _compression(url, stored)
    if suffix == "":
        return stored
    opened: object
    if suffix == ".gz":
        opened = gzip.GzipFile(fileobj=stored)
    elif suffix == ".bz2":
        opened = bz2.BZ2File(stored)
    elif suffix == ".xz":
        opened = lzma.LZMAFile(stored)
    else:
        # Arrow's, because the zstandard package ends a file that is cut off without an error.
        opened = pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), "zstd")
    return io.BufferedReader(_Owner(cast(_Readable, opened), stored), _BUFFER)


@contextmanager
def reading(url: str, reached: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Turn what a damaged file makes its decompressor say into an InputError that names the file.

    reached: how far the reader had come, for the message.
    """
    try:
        yield
    except (EOFError, OSError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
        place = reached()
        message = f"{url}: cannot be read to its end{', ' + place if place else ''}: {first_line(error)}"
        raise InputError(f"{message}; it is cut off or damaged: fetch it again") from error


class LineReader:
    r"""Lines of a file, split at \n alone, so that U+2028, \x0b or \x85 in a sentence make no new line.

    A trailing \r and a byte order mark at the file's start are left out; a last line needs no \n. Of
    a line longer than `limit` bytes only `limit` + 1 or 2 are kept, so that no line, whatever its
    length, takes more memory.
    """

    def __init__(self, url: str, limit: int) -> None:
        self.url = url
        self.lines_read = 0
        self._limit = limit
        self._stream = open_stream(url)
        with self._reading():
            start = self._stream.peek(3)[:3]
        if start[:2] in _UTF16_MARKS:
            raise InputError(f"{url}: expected UTF-8, got UTF-16: convert it (iconv -f UTF-16 -t UTF-8)")
        if start == _UTF8_MARK:
            self._stream.read(3)

    def __enter__(self) -> "LineReader":
        return self

    def __exit__(self, *exception: object) -> None:
        self._stream.close()

    def read(self, count: int, max_bytes: int | None = None) -> list[bytes]:
        """The next `count` lines; fewer at the end of the file, or once `max_bytes` are passed."""
        lines: list[bytes] = []
        room = self._limit + 2  # \r and \n
        left = count * room if max_bytes is None else max_bytes
        readline = self._stream.readline
        with self._reading():
            while len(lines) < count and left > 0:
                line = readline(room)
                if not line:
                    break
                left -= len(line)
                if line.endswith(b"\n"):
                    line = line[:-1]
                elif len(line) == room:
                    self._skip_line()
                    lines.append(line)
                    self.lines_read += 1
                    continue
                lines.append(line[:-1] if line.endswith(b"\r") else line)
                self.lines_read += 1
        return lines

    def _skip_line(self) -> None:
        piece = b"-"
        while piece and not piece.endswith(b"\n"):
            piece = self._stream.readline(_BUFFER)

    def _reading(self) -> AbstractContextManager[None]:
        return reading(self.url, lambda: f"after line {self.lines_read:,}")


def _compression(url: str, stored: io.BufferedReader) -> str:
    """The ending of `url` that says how it is compressed; "" for none."""
    start = stored.peek(8)[:8]
    suffix = os.path.splitext(url)[1].lower()
    if suffix == ".zip" or start.startswith(_ZIP):
        raise InputError(
            f"{url}: a zip archive is not supported: unpack it, or pack its file with gzip, bzip2, xz or zstd"
        )
    if suffix in COMPRESSIONS:
        # A zstd file may begin with a skippable frame, which has sixteen magic numbers.
        skippable = suffix == ".zst" and start[1:4] == b"\x2a\x4d\x18" and start[0] >> 4 == 5
        if not (start.startswith(COMPRESSIONS[suffix]) or skippable):
            what = "it is empty" if not start else f"it begins with the bytes {start.hex(' ')}"
            raise InputError(
                f"{url}: expected a {suffix} file, as it is named, but {what}: fetch or rename it"
            )
        return suffix
    for other, magic in COMPRESSIONS.items():
        # "BZh" and the two bytes of gzip are short, but no line of text begins with 1f 8b, and a
        # bzip2 file goes on with its block size and the digits of pi.
        if start.startswith(magic) and (other != ".bz2" or start[4:8] == b"1AY&"):
            raise InputError(
                f"{url}: is compressed as {other}, and not named so: let its name end in {other}"
            )
    return ""


class _Readable(Protocol):
    def read1(self, size: int) -> bytes: ...

    def close(self) -> None: ...


class _Owner(io.RawIOBase):
    """A decompressor together with the stored file under it, which it closes too."""

    def __init__(self, opened: _Readable, stored: io.BufferedReader) -> None:
        self._opened = opened
        self._stored = stored

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        # A little at a time: what a decompressor has before it meets the end of a file cut off is lost.
        data = self._opened.read1(min(len(view), _PIECE))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._opened.close()
            self._stored.close()
