"""Hashes of big files, computed once, and checks that files have not changed since they were hashed.

A file with the same size, times and inode (on an object store: size, ETag and time) is not read again.
"""

import contextlib
import io
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, cast

import xxhash
from fsspec.implementations.local import LocalFileSystem

from ...base.checksums import CHECKSUMS
from ...base.documents import read_json
from ...base.errors import InputError, RecipeError
from ...base.host_cache import cache_folder
from ...base.streams import exists, file_system, files_below, open_raw, open_stream, reaching, reading
from ...base.whole_files import written_whole

_CHUNK = 1 << 20
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "created")
_TAGS = ("ETag", "etag")
_YOUNG_SECONDS = 2.0


@dataclass(frozen=True)
class FileHash:
    """xxh3-128 (hex) of a file's stored bytes; if they were counted, the `lines` of its decompressed text."""

    digest: str
    lines: int | None = None


class HashCache:
    """A small JSON file of hashes by URL and file version; without a path, a dict in memory.

    A damaged cache counts as empty; the only cost is the time to read the files again.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._entries = _entries(self._path)

    def file_hash(self, url: str, count_lines: bool = False) -> FileHash:
        """The file's hash, from the cache if it is there; `count_lines` counts lines in the same pass."""
        stamp = _stamp(url)
        entry = self._entries.get(url)
        if entry is not None and stamp is not None and entry.get("stamp") == stamp:
            lines = entry.get("lines")
            if isinstance(lines, int) or not count_lines:
                return FileHash(str(entry["digest"]), lines if isinstance(lines, int) else None)
        file_hash = hash_file(url, count_lines)
        # The stamp was taken before reading, and must still be correct.
        if stamp is not None and _stamp(url) == stamp:
            self._entries[url] = {"stamp": stamp, "digest": file_hash.digest, "lines": file_hash.lines}
            self._save(url)
        return file_hash

    def _save(self, url: str) -> None:
        """Add one entry to the file, and keep those that other processes have added in the meantime."""
        if self._path is None:
            return
        self._entries = {**self._entries, **_entries(self._path), url: self._entries[url]}
        # If the cache cannot be written (a full disk, a read-only home), files are read again next time.
        with contextlib.suppress(OSError):
            with written_whole(self._path) as file:
                file.write(json.dumps(self._entries, indent=0, sort_keys=True).encode())


class FileVersion(NamedTuple):
    """Values that change whenever a file is written again or replaced by another file."""

    size: int | None
    written: str  # its modification time, as its file system reports it
    changed: str  # the time of its last change of any kind, which even programs that copy times do not set
    tag: str  # its inode, or its ETag


def file_version(url: str) -> FileVersion | None:
    """The current version of a file; None if it does not exist. Does not read the file."""
    fs, path = file_system(url)
    with reaching(url):
        try:
            if isinstance(fs, LocalFileSystem):
                stat = os.stat(path)
                times = str(stat.st_mtime_ns), str(stat.st_ctime_ns)
                return FileVersion(stat.st_size, *times, str(stat.st_ino))
            info = fs.info(path)
        except FileNotFoundError:
            return None
    return FileVersion(info.get("size"), _first(info, _TIMES), "", _first(info, _TAGS))


@contextmanager
def unchanged(paths: Sequence[str]) -> Iterator[None]:
    """InputError if one of the files changes while the block reads it, even if it is changed back."""
    before = {path: file_version(path) for path in paths}
    try:
        yield
    except Exception as error:
        _refuse_changed(before, error)  # a mix of old and new content looks damaged
        raise
    _refuse_changed(before)


@contextmanager
def as_planned(paths: Sequence[str], digest: str | None) -> Iterator[None]:
    """InputError if the block would not read from `paths` the content that the plan hashed.

    digest: the `hash_paths` of these paths when the plan was made; None if it is not known, and then nothing
    is checked. The hash comes from this host's cache unless a file has changed.
    """
    if digest is None:
        yield
        return
    with unchanged([file for path in paths for _, file in _files(path)]):
        if hash_paths(paths, HashCache(cache_folder("hashes.json"))) != digest:
            raise InputError(f"{', '.join(paths)}: changed since the plan was made; run again")
        yield


def hash_paths(paths: Sequence[str], cache: HashCache) -> str:
    """The hash of files, and of all files in folders, with their names; where they are does not matter."""
    hashed = xxhash.xxh3_128()
    for path in paths:
        for name, file in _files(path):
            hashed.update(f"{name}\0{cache.file_hash(file).digest}\0".encode())
    return str(hashed.hexdigest())


def _files(path: str) -> list[tuple[str, str]]:
    """A file, or all files in a folder, each with its name in the folder; RecipeError if there is none."""
    fs, inner = file_system(path)
    with reaching(path):
        files = files_below(fs, inner)
        is_there = bool(files) and exists(fs, files[0])
    if not is_there:
        raise RecipeError(f"there is no file or folder {path}; correct the recipe's path")
    return [
        (
            file[len(inner.rstrip("/")) :] if file != inner else os.path.basename(file),
            fs.unstrip_protocol(file) if "://" in path else file,
        )
        for file in files
        if os.path.basename(file) != CHECKSUMS  # written by the cache beside the files that it fetched
    ]


def _refuse_changed(before: Mapping[str, FileVersion | None], cause: Exception | None = None) -> None:
    for path, version in before.items():
        now = file_version(path)
        if now != version:
            raise InputError(
                f"{path}: changed while it was being read: {_difference(version, now)}; nothing that was "
                "read from it is used: leave the file unchanged, and run again"
            ) from cause


def _difference(before: FileVersion | None, now: FileVersion | None) -> str:
    if before is None or now is None:
        return "it was removed" if now is None else "it did not exist"
    if before.size != now.size:
        return f"it had {before.size} bytes and has {now.size}"
    if before.tag != now.tag:
        return "another file took its place"
    return "it was written again" if before.written != now.written else "it was written or replaced"


def hash_file(url: str, count_lines: bool = False) -> FileHash:
    r"""Read a file once: xxh3-128 of the stored bytes and, if asked, the number of its lines.

    Lines end with \n; a last line without \n counts too.
    """
    hashing = _Hashing(open_raw(url))
    if not count_lines:
        with hashing, reading(url):
            while hashing.read(_CHUNK):
                pass
        return FileHash(hashing.hexdigest())
    lines, last = 0, b"\n"
    with open_stream(url, cast(IO[bytes], hashing)) as text, reading(url, lambda: f"after line {lines:,}"):
        while chunk := text.read1(_CHUNK):
            lines += chunk.count(b"\n")
            last = chunk[-1:]
        while hashing.read(_CHUNK):  # a decompressor may leave bytes after its last member unread
            pass
    return FileHash(hashing.hexdigest(), lines + (last != b"\n"))


class _Hashing(io.RawIOBase):
    """A file that hashes what is read through it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = xxhash.xxh3_128()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        data = self._file.read(len(cast(bytearray, buffer)))
        memoryview(cast(bytearray, buffer))[: len(data)] = data
        self._hash.update(data)
        return len(data)

    def hexdigest(self) -> str:
        return str(self._hash.hexdigest())

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._file.close()


def _entries(path: Path | None) -> dict[str, dict[str, object]]:
    if path is None:
        return {}
    try:
        content = read_json(path)
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {url: entry for url, entry in content.items() if isinstance(entry, dict) and "digest" in entry}


def _stamp(url: str) -> str | None:
    """The file's version as a string; None if it does not guarantee that the content is the same."""
    version = file_version(url)
    if version is None:
        raise InputError(f"{url}: cannot be opened: there is no such file")
    if not version.written and not version.tag:
        return None
    # A local file written a moment ago may be written again within one tick of its clock.
    if version.changed and time.time() - int(version.written) / 1e9 < _YOUNG_SECONDS:
        return None
    return " ".join(map(str, version))


def _first(info: Mapping[str, object], names: Sequence[str]) -> str:
    return next((str(info[name]) for name in names if info.get(name) is not None), "")
