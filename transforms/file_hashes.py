"""Hashes of big files, computed once, and whether files are still what was hashed.

A file whose size, times and inode (on an object store: size, ETag and time) are the same is not read again.
"""

import contextlib
import io
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, cast

import xxhash
from fsspec.implementations.local import LocalFileSystem

from ..errors import InputError, RecipeError
from ..models.checksums import CHECKSUMS
from ..streams import file_system, open_raw, open_stream, reaching, reading
from .host_cache import cache_folder

_CHUNK = 1 << 20
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "created")
_TAGS = ("ETag", "etag")
_YOUNG_SECONDS = 2.0


@dataclass(frozen=True)
class FileHash:
    """xxh3-128 (hex) of a file's stored bytes; `lines` of its decompressed text where they were counted."""

    digest: str
    lines: int | None = None


class HashCache:
    """A small JSON file of hashes by URL, size and modification time; without a path, a dict in memory.

    A damaged cache is an empty one: all that is lost is the time to read the files again.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._entries = _entries(self._path)

    def file_hash(self, url: str, count_lines: bool = False) -> FileHash:
        """The file's hash, from the cache where it is there; `count_lines` counts in the same pass."""
        stamp = _stamp(url)
        entry = self._entries.get(url)
        if entry is not None and stamp is not None and entry.get("stamp") == stamp:
            lines = entry.get("lines")
            if isinstance(lines, int) or not count_lines:
                return FileHash(str(entry["digest"]), lines if isinstance(lines, int) else None)
        found = hash_file(url, count_lines)
        # The stamp is the one from before reading, and must still be true.
        if stamp is not None and _stamp(url) == stamp:
            self._entries[url] = {"stamp": stamp, "digest": found.digest, "lines": found.lines}
            self._save(url)
        return found

    def _save(self, url: str) -> None:
        """Add one entry to the file, beside those that other processes have added meanwhile."""
        if self._path is None:
            return
        self._entries = {**self._entries, **_entries(self._path), url: self._entries[url]}
        # Where the cache cannot be written (a full disk, a home that is read-only), files are read again.
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=self._path.parent, prefix=f"{self._path.name}.", delete=False
            ) as temporary:
                try:
                    json.dump(self._entries, temporary, indent=0, sort_keys=True)
                    temporary.flush()
                    os.chmod(temporary.name, 0o644)  # a cache may be a team's
                    os.replace(temporary.name, self._path)
                except OSError:
                    os.unlink(temporary.name)
                    raise


class FileVersion(NamedTuple):
    """What changes whenever a file is written again or another takes its name."""

    size: int | None
    written: str  # its modification time, as its file system tells it
    changed: str  # the time of its last change of any kind, which programs that copy times leave alone
    tag: str  # its inode, or its ETag


def file_version(url: str) -> FileVersion | None:
    """The version of a file as it is now; None where there is none. Reads nothing of it."""
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
    """InputError where one of the files changes while the block reads it, even if it is put back."""
    before = {path: file_version(path) for path in paths}
    try:
        yield
    except Exception as error:
        _refuse_changed(before, error)  # what was read half old and half new looks damaged
        raise
    _refuse_changed(before)


@contextmanager
def as_planned(paths: Sequence[str], digest: str | None) -> Iterator[None]:
    """The block reads from `paths` what the plan hashed, or InputError.

    digest: `hash_paths` of them at planning; None where nothing is known of it. The hash comes from this
    host's cache unless something changed.
    """
    if digest is None:
        yield
        return
    with unchanged([file for path in paths for _, file in _files(path)]):
        if hash_paths(paths, HashCache(cache_folder("hashes.json"))) != digest:
            raise InputError(f"{', '.join(paths)}: changed since the plan was made; run again")
        yield


def hash_paths(paths: Sequence[str], cache: HashCache) -> str:
    """The hash of files, and of all files in folders by their names there; never of where they lie."""
    hashed = xxhash.xxh3_128()
    for path in paths:
        for name, file in _files(path):
            hashed.update(f"{name}\0{cache.file_hash(file).digest}\0".encode())
    return str(hashed.hexdigest())


def _files(path: str) -> list[tuple[str, str]]:
    """A file, or all files in a folder, each with the name that it has there; RecipeError for none."""
    fs, inner = file_system(path)
    with reaching(path):
        files = sorted(fs.find(inner)) if fs.isdir(inner) else [inner]
        is_there = bool(files) and fs.exists(files[0])
    if not is_there:
        raise RecipeError(f"there is no file or folder {path}; correct the recipe's path")
    return [
        (
            file[len(inner) :] if file != inner else os.path.basename(file),
            fs.unstrip_protocol(file) if "://" in path else file,
        )
        for file in files
        if os.path.basename(file) != CHECKSUMS  # the cache's own, beside what was fetched
    ]


def _refuse_changed(before: Mapping[str, FileVersion | None], cause: Exception | None = None) -> None:
    for path, version in before.items():
        now = file_version(path)
        if now != version:
            raise InputError(
                f"{path}: changed while it was read: {_difference(version, now)}; what was read of it is "
                "not used: let it be as it is, and run again"
            ) from cause


def _difference(before: FileVersion | None, now: FileVersion | None) -> str:
    if before is None or now is None:
        return "it was removed" if now is None else "it was not there"
    if before.size != now.size:
        return f"it had {before.size} bytes and has {now.size}"
    if before.tag != now.tag:
        return "another file took its place"
    return "it was written again" if before.written != now.written else "it was written or replaced"


def hash_file(url: str, count_lines: bool = False) -> FileHash:
    r"""Read a file once: xxh3-128 of the stored bytes and, if asked, the number of its \n-ended lines.

    A last line without its \n counts.
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
        while hashing.read(_CHUNK):  # what a decompressor leaves unread after its last member
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
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {url: entry for url, entry in content.items() if isinstance(entry, dict) and "digest" in entry}


def _stamp(url: str) -> str | None:
    """The file's version as one text; None where it does not vouch for the content."""
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
