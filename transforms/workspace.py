"""A workspace: the folder, local or on an object store, that holds every dataset of a run.

What is written here appears whole or not at all: built in a temporary file, then moved in
(`os.replace`) or put. Listings are never cached.
"""

import hashlib
import json
import os
import shutil
import socket
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

import fsspec
import xxhash
from fsspec.implementations.local import LocalFileSystem

from ..errors import WorkspaceError
from .host_cache import cache_folder

_BLOCK = 1 << 20
TEMPORARY = "_temporary"


@dataclass(frozen=True)
class Workspace:
    """Files of one workspace by their name relative to it. Small, and safe to send to a worker."""

    url: str

    def __getstate__(self) -> dict[str, str]:
        return {"url": self.url}

    def __setstate__(self, state: dict[str, str]) -> None:
        object.__setattr__(self, "url", state["url"])

    @cached_property
    def _fs(self) -> fsspec.AbstractFileSystem:
        protocol = fsspec.utils.get_protocol(self.url)
        options = {} if protocol in ("file", "memory") else {"use_listings_cache": False}
        return fsspec.core.url_to_fs(self.url, **options)[0]

    @cached_property
    def _root(self) -> str:
        root = fsspec.core.url_to_fs(self.url)[1]
        return os.path.abspath(root) if self.is_local else root.rstrip("/")

    @property
    def is_local(self) -> bool:
        return isinstance(self._fs, LocalFileSystem)

    def path(self, name: str) -> str:
        """The whole path of a file, as its file system spells it."""
        return f"{self._root}/{name}" if name else self._root

    def exists(self, name: str) -> bool:
        return bool(self._fs.exists(self.path(name)))

    def sizes(self, folder: str) -> dict[str, int]:
        """Every file below `folder`, by its name relative to the workspace, with its bytes."""
        self._fs.invalidate_cache()
        try:
            found = self._fs.find(self.path(folder), detail=True)
        except FileNotFoundError:
            return {}
        start = len(self.path("")) + 1
        return {path[start:]: int(info["size"] or 0) for path, info in found.items()}

    def open(self, name: str) -> IO[bytes]:
        """A file to read. A missing one is an error that names it."""
        try:
            return self._fs.open(self.path(name), "rb")
        except FileNotFoundError:
            raise WorkspaceError(f"no file {self.path(name)}; run the stage that writes it") from None

    def read_json(self, name: str) -> dict | list | None:
        """A small JSON file; None where there is none."""
        try:
            with self._fs.open(self.path(name), "rb") as file:
                text = file.read()
        except FileNotFoundError:
            return None
        try:
            return json.loads(text)
        except ValueError as error:
            raise WorkspaceError(f"{self.path(name)} is damaged ({error}); remove it and run again") from None

    def write_json(self, name: str, content: object) -> None:
        self.write_bytes(name, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())

    def write_bytes(self, name: str, content: bytes) -> None:
        with self.temporary_file() as file:
            file.write_bytes(content)
            self.put(file, name)

    @contextmanager
    def temporary_file(self) -> Iterator[Path]:
        """A fresh local path to build a file at; removed afterwards, unless moved away by `put`."""
        file = self._scratch() / f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}"
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)

    @contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """A fresh local folder to build in; removed afterwards."""
        folder = self._scratch() / f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def scratch_folder(self, name: str) -> Path:
        """A local folder for work in progress that a later run of the same work finds again."""
        folder = self._scratch() / name.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _scratch(self) -> Path:
        if not self.is_local:
            return Path(tempfile.gettempdir())
        folder = Path(self.path(TEMPORARY))
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def put(self, file: Path, name: str) -> None:
        """Move a finished local file in under its name, whole or not at all, replacing what was there."""
        if self.is_local:
            with open(file, "rb") as written:
                os.fsync(written.fileno())
            target = Path(self.path(name))
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, target)
        else:
            self._fs.put_file(str(file), self.path(name))
            file.unlink(missing_ok=True)

    def publish(self, files: dict[str, str], folder: str) -> None:
        """Make `folder` hold exactly `files` (name in the folder → file of the workspace).

        Links where the file system can, copies elsewhere; what was published before and is not
        named is removed.
        """
        for name, origin in files.items():
            self._link(origin, f"{folder}/{name}")
        named = {f"{folder}/{name}" for name in files}
        for stale in self.sizes(folder).keys() - named:
            self.remove(stale)

    def _link(self, origin: str, name: str) -> None:
        if not self.is_local:
            self._fs.copy(self.path(origin), self.path(name))
            return
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and os.path.samefile(self.path(origin), target):
            return
        with self.temporary_file() as file:
            try:
                os.link(self.path(origin), file)
            except OSError:  # a file system without links
                shutil.copyfile(self.path(origin), file)
            os.replace(file, target)

    def remove(self, name: str) -> None:
        """Remove a file or a folder; nothing happens where there is none."""
        try:
            self._fs.rm(self.path(name), recursive=True)
        except FileNotFoundError:
            pass

    def local(self, name: str) -> Path:
        """A local path with the content of a file or folder, fetched once a host where it is remote.

        The name must be one whose content never changes (it holds its key).
        """
        if self.is_local:
            return Path(self.path(name))
        cache = cache_folder("workspaces") / xxhash.xxh3_64_hexdigest(f"{self.url}/{name}".encode())
        if not cache.exists():
            fresh = cache.with_name(f"{cache.name}-{uuid.uuid4().hex}")
            fresh.parent.mkdir(parents=True, exist_ok=True)
            self._fs.get(self.path(name), str(fresh), recursive=True)
            try:
                os.replace(fresh, cache)
            except OSError:  # another process was first
                shutil.rmtree(fresh, ignore_errors=True)
        return cache


def checksum(file: IO[bytes]) -> str:
    """SHA-256 of the rest of a file, in hexadecimal."""
    state = hashlib.sha256()
    while block := file.read(_BLOCK):
        state.update(block)
    return state.hexdigest()
