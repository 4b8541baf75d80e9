"""A workspace: the folder, local or on an object store, that holds every dataset of a run.

A file that is written here appears whole or not at all: it is built as a temporary file, then moved into
place (`os.replace`) or uploaded. Listings are never cached. Every request to an object store takes time and
costs money. So we read a file to see whether it exists, read small files whole with one request, and list
each stage only once to see which files it has.
"""

import errno
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import fsspec
import xxhash
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from ...base.documents import parse_json
from ...base.errors import DamagedError, InputError, WorkspaceError
from ...base.host_cache import cache_folder
from ...base.streams import file_system
from ...base.whole_files import put, temporary_folder, temporary_path
from ...models.translation.model_folder import build_once
from .content_hash import seal, unseal
from .run_note import RunNote

TEMPORARY = "_temporary"
_BLOCK = 1 << 20
_AT_ONCE = 4 << 20
"""About as many bytes as one request delivers in the time that it takes to start another request."""
_MODIFIED = ("mtime", "LastModified", "last_modified", "updated", "created")
# Object stores whose file systems list by prefix without first checking whether it is a folder.
_BY_PREFIX = frozenset({"s3", "s3a", "gs", "gcs"})


@dataclass(frozen=True)
class Listed:
    """A file in a listing. modified: UNIX time, by the clock of its file system or store."""

    bytes: int
    modified: float


@dataclass(frozen=True)
class Workspace:
    """The files of one workspace, by their names relative to it. Small, and safe to send to a worker.

    run: the run that uses the workspace, so that workers know it; None outside a run.
    """

    url: str
    run: RunNote | None = field(default=None, compare=False)

    def __getstate__(self) -> tuple[str, RunNote | None]:
        return self.url, self.run

    def __setstate__(self, state: tuple[str, RunNote | None]) -> None:
        object.__setattr__(self, "url", state[0])
        object.__setattr__(self, "run", state[1])

    @cached_property
    def _place(self) -> tuple[fsspec.AbstractFileSystem, str]:
        try:
            fs, root = file_system(self.url)
        except InputError as error:
            raise WorkspaceError(f"the workspace {error}") from None
        return fs, os.path.abspath(root) if isinstance(fs, LocalFileSystem) else root.rstrip("/")

    @property
    def _fs(self) -> fsspec.AbstractFileSystem:
        return self._place[0]

    @property
    def _root(self) -> str:
        return self._place[1]

    @property
    def is_local(self) -> bool:
        return isinstance(self._fs, LocalFileSystem)

    @property
    def is_in_memory(self) -> bool:
        """Whether only this process can see the workspace."""
        return isinstance(self._fs, MemoryFileSystem)

    def path(self, name: str) -> str:
        """The full path of a file, as its file system writes it."""
        return f"{self._root}/{name}" if name else self._root

    def listing(self, folder: str) -> dict[str, Listed]:
        """Every file below `folder`, by its name relative to the workspace."""
        self._fs.invalidate_cache()
        path = self.path(folder)
        try:
            if _BY_PREFIX.isdisjoint(_protocols(self._fs)) or "/" not in path:
                files = self._fs.find(path, detail=True)
            else:
                parent, _, last = path.rpartition("/")
                files = self._fs.find(parent, prefix=f"{last}/", detail=True)
        except FileNotFoundError:
            return {}
        start = len(self.path("")) + 1
        return {name[start:]: Listed(int(info["size"] or 0), _modified(info)) for name, info in files.items()}

    def sizes(self, folder: str) -> dict[str, int]:
        """The size in bytes of every file below `folder`, by its name relative to the workspace."""
        return {name: listed.bytes for name, listed in self.listing(folder).items()}

    def size(self, name: str) -> int | None:
        """The size of a file in bytes; None if it does not exist."""
        try:
            return int(self._fs.info(self.path(name))["size"])
        except FileNotFoundError:
            return None

    def folders(self, folder: str) -> list[str]:
        """The folders directly in `folder`, by their names relative to the workspace."""
        self._fs.invalidate_cache()
        try:
            infos = self._fs.ls(self.path(folder), detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return []
        start = len(self.path("")) + 1
        return sorted(info["name"].rstrip("/")[start:] for info in infos if info["type"] == "directory")

    def open(self, name: str) -> IO[bytes]:
        """A file to read columns from. If it does not exist, the WorkspaceError names it."""
        file = self.open_if_exists(name)
        if file is None:
            raise WorkspaceError(f"no file {self.path(name)}; run the stage that writes it")
        return file

    def open_if_exists(self, name: str) -> IO[bytes] | None:
        """A file to read columns from; None if it does not exist."""
        path = self.path(name)
        try:
            if self.is_local or self.is_in_memory:
                return self._fs.open(path, "rb")
            end = self._fs.cat_file(path, start=-_AT_ONCE)
            if len(end) < _AT_ONCE:
                return io.BytesIO(end)
            # Do not read ahead, because Parquet's reader asks for whole runs of columns.
            return self._fs.open(path, "rb", cache_type="none")
        except FileNotFoundError:
            return None

    @contextmanager
    def copied(self, name: str) -> Iterator[Path | None]:
        """A local file with the content of a file, which must not be changed; None if it does not exist."""
        if self.is_local:
            file = Path(self.path(name))
            yield file if file.exists() else None
            return
        with self.temporary_file() as file:
            try:
                self._fs.get_file(self.path(name), str(file))
            except FileNotFoundError:
                yield None
                return
            yield file

    def read(self, name: str) -> bytes | None:
        """The content of a small file; None if it does not exist."""
        path = self.path(name)
        try:
            if self.is_local or self.is_in_memory:
                return bytes(self._fs.cat_file(path))
            # A request for the end of a file does not need a request for its size first.
            content = bytes(self._fs.cat_file(path, start=-_AT_ONCE))
            return content if len(content) < _AT_ONCE else bytes(self._fs.cat_file(path))
        except FileNotFoundError:
            return None

    def read_json(self, name: str) -> dict | list | None:
        """The content of a small JSON file; None if it does not exist."""
        text = self.read(name)
        if text is None:
            return None
        try:
            return parse_json(text)
        except ValueError as error:
            raise WorkspaceError(f"{self.path(name)} is damaged ({error}); remove it and run again") from None

    def read_record(self, name: str) -> dict[str, Any] | None:
        """A JSON object that `write_record` wrote; None if it does not exist, DamagedError if it differs."""
        text = self.read(name)
        if text is None:
            return None
        try:
            return unseal(parse_json(text))
        except ValueError as error:
            raise self.damaged(name, error) from None

    def write_record(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a JSON object, and in it a hash of its content."""
        self.write_json(name, seal(content))

    def damaged(self, name: str, reason: object) -> DamagedError:
        """The error for a file whose content is not what was written."""
        return DamagedError(f"{self.path(name)} is damaged ({reason}); `paranmt run` makes it again", name)

    def write_json(self, name: str, content: object) -> None:
        self.write_bytes(name, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())

    def write_bytes(self, name: str, content: bytes) -> None:
        if not self.is_local:
            with self._writing():
                self._fs.pipe_file(self.path(name), content)
            return
        with self.temporary_file() as file:
            file.write_bytes(content)
            self.put(file, name)

    def stamp(self, name: str) -> str | None:
        """A value that changes whenever a file is written again (its ETag); None if the store has none."""
        try:
            info = self._fs.info(self.path(name))
        except FileNotFoundError:
            return None
        return info.get("ETag") or None

    def swap(self, name: str, content: bytes, stamp: str | None) -> bool:
        """Write a small file unless another process has written it since `stamp` (None: it did not exist).

        Returns False if another process has. If the store cannot check this, the file is written.
        """
        if _protocols(self._fs).isdisjoint({"s3", "s3a"}):
            self.write_bytes(name, content)
            return True
        unchanged = {"mode": "create"} if stamp is None else {"IfMatch": stamp}
        try:
            with self._writing():
                self._fs.pipe_file(self.path(name), content, **unchanged)
        except NotImplementedError:  # a store without conditional writes
            self.write_bytes(name, content)
        except OSError as error:
            if "pre-condition" in str(error) or "conditional" in str(error).lower():
                return False
            raise
        return True

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """WorkspaceError if the store refuses a write."""
        try:
            yield
        except (FileNotFoundError, PermissionError) as error:
            raise WorkspaceError(
                f"the workspace {self.url} cannot be written: {error}; before the run, create its "
                "bucket, or allow this user to write to it"
            ) from None

    @contextmanager
    def temporary_file(self) -> Iterator[Path]:
        """A new local path to build a file at; the file is removed afterwards unless `put` has moved it."""
        # Whether a process of another host is dead, `sweep` knows best, which reads its signs of life.
        with temporary_path(self.scratch, sweep=False) as file:
            try:
                yield file
            except OSError as error:
                error.filename = error.filename or str(file)  # libraries do not name the file
                raise

    @contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """A new local folder to build in; removed afterwards."""
        with temporary_folder(self.scratch, sweep=False) as folder:
            yield folder

    def scratch_folder(self, name: str) -> Path:
        """A local folder for work in progress, which a later run of the same work can resume."""
        folder = self.scratch / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def scratch(self) -> Path:
        """The local folder where files are built; if the workspace is local, this folder is in it."""
        if self.is_local:
            return Path(self.path(TEMPORARY))
        return Path(tempfile.gettempdir(), f"paranmt-{os.getuid()}")

    def put(self, file: Path, name: str) -> None:
        """Move a finished local file into the workspace, whole or not at all, replacing any existing file."""
        if self.is_local:
            put(file, Path(self.path(name)))
        else:
            with self._writing():
                self._fs.put_file(str(file), self.path(name))
            file.unlink(missing_ok=True)

    def copy(self, origin: str, name: str) -> None:
        """Copy a file, whole or not at all, replacing any existing file. Changing either leaves the other."""
        if not self.is_local:
            self._fs.cp_file(self.path(origin), self.path(name))
            return
        with self.temporary_file() as file:
            _copy_local(self.path(origin), file)
            put(file, Path(self.path(name)))

    def rename(self, name: str, new_name: str) -> None:
        """Rename a file, replacing any file that already has the new name."""
        if self.is_local:
            os.replace(self.path(name), self.path(new_name))
        else:
            self._fs.mv(self.path(name), self.path(new_name))

    def remove(self, *names: str) -> None:
        """Remove files. Those that do not exist are ignored."""
        if len(names) > 1 and not self.is_local and not self.is_in_memory:
            self._fs.rm([self.path(name) for name in names])  # a thousand per request
            return
        for name in names:
            try:
                self._fs.rm_file(self.path(name))
            except FileNotFoundError:
                pass

    def end_uploads(self, before: float) -> int:
        """Abort the multipart uploads that were started before a given time; return how many there were.

        Killed processes leave them behind. No listing shows them, and stores charge for their pieces.
        """
        if _protocols(self._fs).isdisjoint({"s3", "s3a"}):
            return 0
        bucket, _, prefix = f"{self._root}/".partition("/")
        request: dict[str, object] = {"Bucket": bucket, "Prefix": prefix}
        ended = 0
        while True:
            page = self._fs.call_s3("list_multipart_uploads", **request)
            for upload in page.get("Uploads", []):
                if upload["Initiated"].timestamp() < before:
                    self._fs.call_s3(
                        "abort_multipart_upload",
                        Bucket=bucket,
                        Key=upload["Key"],
                        UploadId=upload["UploadId"],
                    )
                    ended += 1
            if not page.get("IsTruncated"):
                return ended
            request["KeyMarker"], request["UploadIdMarker"] = (
                page["NextKeyMarker"],
                page["NextUploadIdMarker"],
            )

    def local(self, folder: str, version: str = "") -> Path:
        """A local path to the content of a folder; a remote folder is downloaded once per host.

        version: a string that changes whenever the content changes.
        """
        if self.is_local:
            return Path(self.path(folder))

        def fetch(target: Path) -> None:
            files = self.sizes(folder)
            if not files:
                raise WorkspaceError(f"no folder {self.path(folder)}; run the stage that writes it")
            for name in files:
                file = target / name[len(folder) + 1 :]
                file.parent.mkdir(parents=True, exist_ok=True)
                self._fs.get_file(self.path(name), str(file))

        hashed = xxhash.xxh3_64_hexdigest(f"{self.url}/{folder} {version}".encode())
        return build_once(cache_folder("workspaces"), hashed, fetch)


def _protocols(fs: fsspec.AbstractFileSystem) -> frozenset[str]:
    return frozenset((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)


def _modified(info: Mapping[str, object]) -> float:
    time = next((info[name] for name in _MODIFIED if info.get(name)), 0.0)
    if isinstance(time, str):
        time = datetime.fromisoformat(time)
    return time.timestamp() if isinstance(time, datetime) else float(time)  # type: ignore[arg-type]


def _copy_local(origin: str, target: Path) -> None:
    """Copy a file. If the file system can, both share their blocks until one of them is changed."""
    with open(origin, "rb") as source, open(target, "wb") as copy:
        left = os.fstat(source.fileno()).st_size
        try:
            while left:
                copied = os.copy_file_range(source.fileno(), copy.fileno(), left)
                if not copied:
                    break
                left -= copied
        except OSError as error:  # across file systems, or on one without support for it
            if error.errno not in (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
                raise
        if left:
            source.seek(0)
            copy.seek(0)
            copy.truncate()
            shutil.copyfileobj(source, copy, _BLOCK)


SHA256 = "0" * 64


def checksum(path: str | os.PathLike[str], like: str = "") -> str:
    """xxh3-128 of a local file, in hexadecimal, or SHA-256 if `like` is as long as a SHA-256."""
    state = hashlib.sha256() if len(like) == len(SHA256) else xxhash.xxh3_128()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            state.update(block)
    return state.hexdigest()
