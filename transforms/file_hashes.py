"""Hashes of big files, computed once: a file of the same size and modification time is not read again."""

import io
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import xxhash

from ..errors import InputError
from .streams import file_system, open_raw, open_stream, reading

_CHUNK = 1 << 20
_STAMPS = ("mtime", "ETag", "etag", "LastModified", "last_modified", "updated", "created")
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
            self._save()
        return found

    def _save(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(self._entries, indent=0, sort_keys=True), encoding="utf-8")
        os.replace(temporary, self._path)


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
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {url: entry for url, entry in content.items() if isinstance(entry, dict) and "digest" in entry}


def _stamp(url: str) -> str | None:
    """Size and modification time as one text; None where they do not vouch for the content."""
    fs, path = file_system(url)
    try:
        info = fs.info(path)
    except OSError as error:
        raise InputError(f"{url}: cannot be opened: {error}") from error
    changed = next((info[key] for key in _STAMPS if info.get(key) is not None), None)
    if changed is None:
        return None
    # A file written a moment ago may be written again within one tick of its clock.
    if isinstance(changed, float) and time.time() - changed < _YOUNG_SECONDS:
        return None
    return f"{info.get('size')} {changed}"
