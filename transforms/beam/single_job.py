"""Stages that are a single job: one process builds a folder of files, which is then published.

Folders are built at `_built/<stage>/<key>/`, which never changes once complete; `<stage>/` has the published
files of the current recipe. Built files are compared with their manifest before they are used.
"""

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import xxhash

from ...base.errors import DamagedError, WorkspaceError
from ...models.training.scratch import CHECKPOINT
from ..storage.checkpoints import resumable
from ..storage.dataset import Entry, check_file, read_manifest
from ..storage.lease import check_lease
from ..storage.versions import package_versions
from ..storage.workspace import Workspace, checksum
from .task_work import Task
from .timing import task_seconds


def home(stage: str) -> str:
    """The folder with the manifests and built files of a stage that is published."""
    return f"_built/{stage}"


def files_record(stage: str, key: str) -> str:
    """The record of the files that are about to be put into a built folder; it proves that they are ours."""
    return f"{stage}/_manifests/{key}.files.json"


def scratch_name(stage: str, key: str) -> str:
    """The name of the folder, among the temporary files, of a job or a trial in progress."""
    return f"{stage}-{key}".replace("/", "-")


def built_folder(workspace: Workspace, folder: str) -> Path:
    """A local path to the files that a single job built, compared with their manifest once per process.

    DamagedError if a file is not the one that was built.
    """
    known = _checked.get((workspace.url, folder))
    if known is not None and known[1] == _stamps(known[0]):
        return known[0]
    stage, _, key = folder.rpartition("/")
    manifest = read_manifest(workspace, stage, key)
    if manifest is None:
        raise WorkspaceError(f"no folder {workspace.path(folder)}; run the stage that writes it")
    version = xxhash.xxh3_64_hexdigest(" ".join(entry.checksum for entry in manifest.parts).encode())
    path = workspace.local(folder, version)
    stamps = _stamps(path)
    for entry in manifest.parts:
        check_file(workspace, entry, path / entry.part)
    _checked[workspace.url, folder] = path, stamps
    return path


_checked: dict[tuple[str, str], tuple[Path, dict[str, tuple[int, int]]]] = {}


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """The size and modification time of each file."""
    stats = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def read_built(workspace: Workspace, entry: Entry) -> bytes:
    """The content of a small file of a built folder; DamagedError if it is not the one that was built."""
    with workspace.copied(entry.file) as copy:
        if copy is None:
            raise workspace.damaged(entry.file, "it is missing")
        check_file(workspace, entry, copy)
        return copy.read_bytes()


class SingleJob:
    """Work that makes a folder: subclasses write its files.

    `stage` is the stage's `home`; the task's `key` is the folder's name in it.
    """

    stage: str
    checkpoints: ClassVar[str] = CHECKPOINT
    """The names of the checkpoints in its scratch folder, as in a shell."""

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that compute the result, besides paranmt."""
        return ()

    def __call__(self, workspace: Workspace, task: Task) -> list[Entry]:
        scratch_folder = resumable(workspace, scratch_name(self.stage, task.key), self.checkpoints)
        with scratch_folder as scratch, workspace.temporary_folder() as folder:
            with task_seconds() as seconds:
                counts = self.make(workspace, task, folder, scratch)
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            if not files:
                raise ValueError(f"{self.stage} wrote no file")
            successors = _built_meanwhile(workspace, self.stage, task.key)
            if successors is not None:
                return successors
            parts = [file.relative_to(folder).as_posix() for file in files]
            names = [f"{self.stage}/{task.key}/{part}" for part in parts]
            workspace.write_record(files_record(self.stage, task.key), {"files": names})
            entries = [
                _put(workspace, file, Entry(part, task.key, name, 0, 0, ""))
                for file, part, name in zip(files, parts, names, strict=True)
            ]
        first = replace(
            entries[0],
            rows=counts.pop("pairs", 0),
            counts=counts,
            seconds=seconds,
            versions=package_versions(("paranmt", *self.packages)),
        )
        return [first, *entries[1:]]

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        """Write the files into `folder`; return counts (`pairs`: how many pairs it was made from).

        `scratch` survives an interrupted run on this host: the next run can resume from the files in it. Of
        these, checkpoints survive on any host.
        """
        raise NotImplementedError


def _built_meanwhile(workspace: Workspace, stage: str, key: str) -> list[Entry] | None:
    """What another process built after it took this one for dead and took over its work; None if none did."""
    check_lease(workspace)
    try:
        manifest = read_manifest(workspace, stage, key)
        for entry in manifest.parts if manifest is not None else ():
            check_file(workspace, entry)
    except DamagedError:
        return None
    return None if manifest is None else list(manifest.parts)


def _put(workspace: Workspace, file: Path, entry: Entry) -> Entry:
    digest, size = checksum(file), file.stat().st_size
    workspace.put(file, entry.file)
    return replace(entry, bytes=size, checksum=digest)
