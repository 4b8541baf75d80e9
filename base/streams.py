"""Files as bytes: opened on any file system, decompressed, and cut into lines of bounded length."""

import bz2
import io
import lzma
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import IO, Protocol, TypeVar, cast

import fsspec
import pyarrow as pa
from fsspec.implementations.local import LocalFileSystem

from .documents import LARGEST
from .errors import InputError, UserError, first_line
from .extras import install_command

COMPRESSIONS: dict[str, bytes] = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zst": b"\x28\xb5\x2f\xfd",
}  # a file name's ending, and the first bytes of such a file

_Item = TypeVar("_Item")
_Read = TypeVar("_Read")

LONGEST_LINE = 1 << 20
"""The bytes of a line of text that are read."""

MOST_LINES = 2_000_000
"""The lines of a file that is held in memory as a whole; `documents.LARGEST` are its bytes."""

_EXTRAS = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gcs",
    "gcs": "gcs",
    "hf": "hub",
}  # protocols whose drivers an extra installs
_BUFFER = 1 << 20
_LINES = 1_000
_PIECE = 1 << 16
_ZIP = b"PK\x03\x04"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def file_system(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """The file system of a URL or a local path, and the path on it. It does not cache listings.

    InputError if it cannot be opened: fsspec does not know the protocol, the protocol's driver is not
    installed or needs more than a URL, or the host does not answer.
    """
    if "://" not in url:
        return LocalFileSystem(), url
    protocol = url.partition("://")[0]
    try:
        # Local file systems do not take this option, and file systems in memory cache no listings.
        options = {} if protocol in ("file", "local", "memory") else {"use_listings_cache": False}
        fs, path = fsspec.core.url_to_fs(url, **options)
        return fs, path
    except ImportError as error:
        extra = _EXTRAS.get(protocol)
        advice = install_command(extra) if extra else str(error)
        raise InputError(
            f"{url}: cannot be opened: the driver of {protocol}:// is missing; {advice}"
        ) from error
    except Exception as error:
        # The drivers' constructors raise errors of any kind, and the URL is the only thing that can be wrong.
        raise InputError(
            f"{url}: cannot be opened: {first_line(error)}; expected a path, or a URL such as s3://bucket/name"
        ) from error


def files_below(filesystem: fsspec.AbstractFileSystem, root: str) -> list[str]:
    """All files in a folder and in those below it, sorted; the file itself if `root` is one.

    Local folders that are links are searched like others, each folder once.
    """
    if not isinstance(filesystem, LocalFileSystem):
        return sorted(filesystem.find(root))
    if os.path.isdir(root):
        return sorted(_local_files(root))
    return [root] if os.path.exists(root) else []


def _local_files(folder: str) -> Iterator[str]:
    seen = set()
    for base, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(base)
        if real in seen:  # a link to a folder above it, or another to the same folder
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (os.path.join(base, name) for name in names)


def exists(filesystem: fsspec.AbstractFileSystem, path: str) -> bool:
    """Whether there is a file or folder. Unlike fsspec's methods, it raises if that cannot be found out."""
    if isinstance(filesystem, LocalFileSystem):
        return os.path.exists(path)
    try:
        filesystem.info(path)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def reaching(url: str) -> Iterator[None]:
    """Turn an error of a file system into an InputError that names the file.

    The drivers of remote file systems have no common error for a missing host, right or bucket.
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
        # Reading a device or a pipe may never end, or never begin.
        if not (os.path.isfile(path) or os.path.isdir(path)) and os.path.exists(path):
            raise InputError(
                f"{url}: cannot be opened: expected a file, but it is a device, a pipe or a socket"
            )
        return open(path, "rb")


def open_stream(url: str, raw: IO[bytes] | None = None) -> io.BufferedReader:
    """The file's bytes, decompressed if its name ends in .gz, .bz2, .xz or .zst, otherwise as stored.

    raw: the stored bytes, if the caller has opened the file already. Several streams (members, frames) in one
    file are read as one. What follows a stream must be a stream, or the padding that its format allows;
    anything else is an error, because a damaged stream would otherwise cut the file off. It is an error too
    if the file's name and its first bytes disagree, because otherwise every line would become a reject.
    """
    file = cast(io.RawIOBase, raw if raw is not None else open_raw(url))
    stored: io.BufferedReader = io.BufferedReader(file, _BUFFER)
    with reading(url):
        suffix = _compression(url, stored)
    if suffix == "":
        return stored
    if suffix == ".zst":
        # Arrow's, because the zstandard package reports no error for a file that is cut off.
        frames = pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), "zstd")
        return io.BufferedReader(_Frames(frames, stored), _BUFFER)
    return io.BufferedReader(_Streams(stored, *_DECOMPRESSORS[suffix]), _BUFFER)


def read_ahead(read: Callable[[_Item], _Read], items: Iterable[_Item], at_once: int = 16) -> Iterator[_Read]:
    """What `read` gives for each item, in order; so many are read at once in threads.

    On an object store, most of the time of reading is spent waiting.
    """
    waiting: deque[Future[_Read]] = deque()
    with ThreadPoolExecutor(at_once) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(read, item))
                if len(waiting) >= at_once:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # the reader may have stopped early
            for future in waiting:
                future.cancel()


@contextmanager
def reading(url: str, reached: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Turn a decompressor's error about a damaged file into an InputError that names the file.

    reached: says, for the message, how far the reader came.
    """
    try:
        yield
    except (EOFError, OSError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
        place = reached()
        message = f"{url}: cannot be read to its end{', ' + place if place else ''}: {first_line(error)}"
        raise InputError(f"{message}; it is cut off or damaged: fetch it again") from error


class LineReader:
    r"""Lines of a file, split only at \n, so U+2028, \x0b or \x85 in a sentence start no new line.

    A trailing \r and a byte order mark at the file's start are removed; the last line needs no \n. A line
    longer than `limit` bytes is cut to `limit` + 1 or + 2 bytes, so memory is bounded for lines of any
    length.
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
        """The next `count` lines; fewer at the end of the file, or after `max_bytes` were read."""
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


def lines_in_memory(url: str) -> list[bytes]:
    """All lines of a file that is held in memory as a whole, as those of evaluation sets are.

    InputError if there are more lines, more bytes, or longer lines than such files have: a compressed file
    may unfold to a thousand times its size.
    """
    lines: list[bytes] = []
    size = 0
    for number, line in numbered_lines(url):
        size += len(line)
        _check_length(url, number, line)
        if number > MOST_LINES or size > LARGEST:
            raise InputError(
                f"{url}: expected at most {MOST_LINES:,} lines and {LARGEST:,} bytes, as evaluation sets "
                "have, but there are more: is it the right file?"
            )
        lines.append(line)
    return lines


def numbered_lines(url: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file as `LineReader` has them, each with its number from 1."""
    with LineReader(url, LONGEST_LINE) as reader:
        while lines := reader.read(_LINES, LONGEST_LINE):
            yield from enumerate(lines, reader.lines_read - len(lines) + 1)


def utf8_lines(url: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
    """Numbered lines as text; InputError for one that is not UTF-8 or was too long to be read whole."""
    for number, line in lines:
        _check_length(url, number, line)
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{url}: line {number:,} is not UTF-8 (byte {error.start + 1}); convert the file to UTF-8"
            ) from None


def _check_length(url: str, number: int, line: bytes) -> None:
    if len(line) > LONGEST_LINE:
        raise InputError(f"{url}: line {number:,} has more than {LONGEST_LINE:,} bytes")


def _compression(url: str, stored: io.BufferedReader) -> str:
    """The ending of `url` that names its compression; "" if it is not compressed."""
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
            content = "it is empty" if not start else f"it begins with the bytes {start.hex(' ')}"
            raise InputError(
                f"{url}: expected a {suffix} file, as it is named, but {content}: fetch it again or rename it"
            )
        return suffix
    for other, magic in COMPRESSIONS.items():
        # "BZh" and the two bytes of gzip are short, but no line of text begins with 1f 8b, and a
        # bzip2 file goes on with its block size and the digits of pi.
        if start.startswith(magic) and (other != ".bz2" or start[4:8] == b"1AY&"):
            raise InputError(
                f"{url}: is a {other} file, but its name says otherwise: let its name end in {other}"
            )
    return ""


class _Decompressor(Protocol):
    """Decompresses one stream, as the standard library's decompressors of bzip2 and xz do."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """A `_Decompressor` of one member of a gzip file."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


# What decompresses a stream, and how many zero bytes, or a multiple of them, may follow one; 0: none may.
_DECOMPRESSORS: dict[str, tuple[Callable[[], _Decompressor], int]] = {
    ".gz": (_GzipMember, 1),
    ".bz2": (bz2.BZ2Decompressor, 0),
    ".xz": (partial(lzma.LZMADecompressor, lzma.FORMAT_XZ), 4),
}


class _Streams(io.RawIOBase):
    """The content of a compressed file, stream by stream; closing it closes the stored file."""

    def __init__(self, stored: io.BufferedReader, begin: Callable[[], _Decompressor], padding: int) -> None:
        self._stored = stored
        self._begin = begin
        self._padding = padding
        self._stream: _Decompressor | None = None
        self._rest = b""  # stored bytes that were read, and not yet decompressed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        while (stream := self._current()) is not None:
            asks = stream.needs_input
            stored = self._take() if asks else b""
            # In small pieces: where a file is damaged, a decompressor loses the piece it works on.
            data = stream.decompress(stored, min(len(view), _PIECE))
            if data:
                view[: len(data)] = data
                return len(data)
            if asks and not stored and not stream.eof:
                raise EOFError("the file ends within a compressed stream")
        return 0

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._stored.close()

    def _current(self) -> _Decompressor | None:
        """The stream to go on with; None at the end of the file."""
        if self._stream is not None:
            if not self._stream.eof:
                return self._stream
            self._rest = self._stream.unused_data
            self._stream = None
            self._skip_padding()
        self._rest = self._take()
        if self._rest:
            self._stream = self._begin()
        return self._stream

    def _take(self) -> bytes:
        """Stored bytes that were not yet decompressed; empty at the end of the file."""
        rest, self._rest = self._rest, b""
        return rest or self._stored.read(_PIECE)

    def _skip_padding(self) -> None:
        skipped = 0
        while self._padding and (stored := self._take()):
            self._rest = stored.lstrip(b"\0")
            skipped += len(stored) - len(self._rest)
            if self._rest:
                break
        if self._padding and skipped % self._padding:
            raise EOFError(f"{skipped} zero bytes follow a stream, expected a multiple of {self._padding}")


class _Readable(Protocol):
    def read1(self, size: int) -> bytes: ...

    def close(self) -> None: ...


class _Frames(io.RawIOBase):
    """The content of a file of zstd frames, as Arrow decompresses it; closing it closes the stored file."""

    def __init__(self, opened: _Readable, stored: io.BufferedReader) -> None:
        self._opened = opened
        self._stored = stored

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        # In small pieces: at the end of a file that is cut off, Arrow loses the piece it works on.
        data = self._opened.read1(min(len(view), _PIECE))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._opened.close()
            self._stored.close()
