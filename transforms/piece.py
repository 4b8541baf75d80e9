"""Stages that are one piece of work: a folder of files built by one process, then published.

They are built at `_built/<stage>/<key>/`, which never changes once complete; `<stage>/` shows the
files of the current recipe. What was built is compared with its manifest before it is used.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import xxhash

from ..errors import DamagedError, WorkspaceError
from .dataset import Entry, check_file, read_manifest
from .lease import check_lease
from .timing import unit_seconds
from .versions import package_versions
from .work import Unit
from .workspace import Workspace, checksum


def home(stage: str) -> str:
    """Where the manifests and the built files of a published stage lie."""
    return f"_built/{stage}"


def files_record(stage: str, key: str) -> str:
    """The record of the files that are about to be put into a built folder: by it they are known as ours."""
    return f"{stage}/_manifests/{key}.files.json"


def scratch_name(stage: str, key: str) -> str:
    """The folder of a piece of work in progress, among the temporary files."""
    return f"{stage}-{key}".replace("/", "-")


def built_folder(workspace: Workspace, folder: str) -> Path:
    """A local path with what a piece of work built, compared with its manifest once a process.

    DamagedError for a file that is not what was built.
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
    """Size and time of each file, which change when it does."""
    stats = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def read_built(workspace: Workspace, entry: Entry) -> bytes:
    """A small file of a built folder; DamagedError where it is not what was built."""
    with workspace.copied(entry.file) as copy:
        if copy is None:
            raise workspace.damaged(entry.file, "it is missing")
        check_file(workspace, entry, copy)
        return copy.read_bytes()


class PieceWork:
    """Work that makes a folder: subclasses write its files.

    `stage` is the stage's `home`. `part` and `key` of the unit name the folder.
    """

    stage: str

    @property
    def packages(self) -> tuple[str, ...]:
        """Those that compute the result, besides paranmt."""
        return ()

    def __call__(self, workspace: Workspace, unit: Unit) -> list[Entry]:
        scratch = workspace.scratch_folder(scratch_name(self.stage, unit.key))
        with workspace.temporary_folder() as folder:
            with unit_seconds() as seconds:
                counts = self.make(workspace, unit, folder, scratch)
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            if not files:
                raise ValueError(f"{self.stage} wrote no file")
            successors = _built_meanwhile(workspace, self.stage, unit.key)
            if successors is not None:
                return successors
            parts = [file.relative_to(folder).as_posix() for file in files]
            names = [f"{self.stage}/{unit.key}/{part}" for part in parts]
            workspace.write_record(files_record(self.stage, unit.key), {"files": names})
            entries = [
                _put(workspace, file, Entry(part, unit.key, name, 0, 0, ""))
                for file, part, name in zip(files, parts, names, strict=True)
            ]
        shutil.rmtree(scratch, ignore_errors=True)
        first = replace(
            entries[0],
            rows=counts.pop("pairs", 0),
            counts=counts,
            seconds=seconds,
            versions=package_versions(("paranmt", *self.packages)),
        )
        return [first, *entries[1:]]

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        """Write the files into `folder`; return counts (`pairs`: how many it was made from).

        `scratch` outlives an interrupted run: what is kept there lets the next one resume.
        """
        raise NotImplementedError


def _built_meanwhile(workspace: Workspace, stage: str, key: str) -> list[Entry] | None:
    """What another process built, where this one was taken for dead and succeeded; None where none did."""
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
