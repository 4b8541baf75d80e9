"""Publishing the results for people: into the workspace's `release/`, `train/…`, `evaluate/…` and `report/`.

Built files are copied there under plain names. The record of what was published, `_published.json`, says
which files are ours. These are replaced and removed as the recipe changes. Other files are never touched,
and if somebody changed a published file, it is kept beside the new one.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...base.errors import DamagedError, WorkspaceError
from ...transforms.storage.dataset import Entry, check_file
from ...transforms.storage.workspace import Listed, Workspace, checksum
from ..stages.planned import Plan
from ..stages.stage import Stage


@dataclass(frozen=True)
class _File:
    """A published file: the original it was copied from, its checksum, and the size and time of the copy."""

    origin: str
    checksum: str
    bytes: int
    modified: float

    def is_as_published(self, listed: Listed | None) -> bool:
        return listed is not None and (listed.bytes, listed.modified) == (self.bytes, self.modified)


def publish(plan: Plan, stage: Stage, notify: Callable[[str], None]) -> None:
    """Publish a stage that is fresh. Datasets that only the pipeline reads are not published.

    notify: called with a message about each published file that somebody has changed, and where it is kept.
    DamagedError if a file to be published is not the one that was built; WorkspaceError if a file that we
    did not write is in its place.
    """
    files = stage.kind.published(stage, plan)
    if files is not None:
        _Publishing(plan.workspace, stage, notify).publish(files)


class _Publishing:
    """Publishes the files of one stage into the folder that people look at."""

    def __init__(self, workspace: Workspace, stage: Stage, notify: Callable[[str], None]) -> None:
        self._workspace = workspace
        self._stage = stage
        self._notify = notify
        self._record = f"{stage.folder}/_published.json"
        self._listing = workspace.listing(stage.name)
        self._ours: dict[str, list[_File]] = {}  # name in the folder → what we may have published there
        # File name, size, time and length of the checksum → checksum, so that no file is hashed twice.
        self._checksums: dict[tuple[str, int, int, int], str] = {}

    def publish(self, files: Mapping[str, Entry]) -> None:
        """Make the folder contain these files (name in the folder → the built file) and those of others."""
        content = self._read()
        published = {name: _File(**file) for name, file in content.get("files", {}).items()}
        self._ours = {name: [file] for name, file in published.items()}
        for name, formers in content.get("before", {}).items():
            self._ours.setdefault(name, []).extend(_File(**former) for former in formers)
        new = [name for name, entry in files.items() if not self._is_published(name, entry, published)]
        old = [name for name in self._ours if name not in files and self._listed(name) is not None]
        for name in new:
            self._refuse_strangers(name, files[name])
        if new or old:
            # Even if we are killed while publishing, the record has everything that may be ours.
            self._write({name: self._copy_of(entry) for name, entry in files.items()}, self._ours)
        for name in new:
            self._set_aside(name, files[name])
            check_file(self._workspace, files[name])
            self._workspace.copy(files[name].file, self._path(name))
        for name in old:
            self._set_aside(name)
        self._workspace.remove(*(self._path(name) for name in old if self._listed(name) is not None))
        if new or old:
            self._listing = self._workspace.listing(self._stage.name)
        done = {name: self._copy_of(entry, self._listed(name)) for name, entry in files.items()}
        if done != published or content.get("key") != self._stage.key or "before" in content:
            self._write(done)

    def _copy_of(self, entry: Entry, listed: Listed | None = None) -> _File:
        return _File(entry.file, entry.checksum, entry.bytes, listed.modified if listed is not None else 0.0)

    def _is_published(self, name: str, entry: Entry, published: Mapping[str, _File]) -> bool:
        file = published.get(name)
        if file is None or file.checksum != entry.checksum:
            return False
        if self._is_compared_by_time(name) and file.is_as_published(self._listed(name)):
            return True
        return self._has_checksum(name, entry.checksum)

    def _is_compared_by_time(self, name: str) -> bool:
        """Whether size and time must do: on an object store, and for a release's data, which may be large.

        Hashing takes 2 s a gigabyte; the other copies are small, and a disk may damage them in silence.
        """
        is_data = not self._stage.is_single_job and name.startswith("data/")
        return is_data or not self._workspace.is_local

    def _refuse_strangers(self, name: str, entry: Entry) -> None:
        if self._listed(name) is None or name in self._ours or self._has_checksum(name, entry.checksum):
            return
        raise WorkspaceError(
            f"{self._workspace.path(self._path(name))} was not written by paranmt, which publishes a file "
            "with that name there; move it away and run again"
        )

    def _set_aside(self, name: str, entry: Entry | None = None) -> None:
        """Keep a published file that somebody has changed, under another name."""
        if self._listed(name) is None or self._is_unchanged(name, entry):
            return
        number = next(n for n in itertools.count(1) if self._listed(f"{name}.changed-{n}") is None)
        kept = f"{name}.changed-{number}"
        self._workspace.rename(self._path(name), self._path(kept))
        self._listing = self._workspace.listing(self._stage.name)
        self._notify(
            f"{self._workspace.path(self._path(name))} was changed after it was published; the changed file "
            f"is kept as {kept.rpartition('/')[2]}"
        )

    def _is_unchanged(self, name: str, entry: Entry | None) -> bool:
        """Whether a file is one that we published, or the one that we are going to publish."""
        files = self._ours.get(name, [])
        listed = self._listed(name)
        if self._is_compared_by_time(name) and any(file.is_as_published(listed) for file in files):
            return True
        if not self._workspace.is_local:  # a run that was killed while publishing could not record the time
            return listed is not None and any((f.bytes, f.modified) == (listed.bytes, 0.0) for f in files)
        checksums = {file.checksum for file in files} | ({entry.checksum} if entry is not None else set())
        return any(self._has_checksum(name, checksum) for checksum in checksums)

    def _has_checksum(self, name: str, expected: str) -> bool:
        """Whether a published file has this checksum; false on an object store, where we cannot notify."""
        path = Path(self._workspace.path(self._path(name)))
        if not self._workspace.is_local or not path.is_file():
            return False
        state = path.stat()
        version = (name, state.st_size, state.st_mtime_ns, len(expected))
        if version not in self._checksums:
            self._checksums[version] = checksum(path, expected)
        return self._checksums[version] == expected

    def _path(self, name: str) -> str:
        return f"{self._stage.name}/{name}"

    def _listed(self, name: str) -> Listed | None:
        return self._listing.get(self._path(name))

    def _read(self) -> dict[str, Any]:
        try:
            return self._workspace.read_record(self._record) or {}
        except DamagedError:
            return {}

    def _write(self, files: Mapping[str, _File], before: Mapping[str, list[_File]] | None = None) -> None:
        content: dict[str, object] = {
            "key": self._stage.key,
            "files": {name: asdict(file) for name, file in files.items()},
        }
        if before is not None:
            content["before"] = {name: [asdict(file) for file in formers] for name, formers in before.items()}
        self._workspace.write_record(self._record, content)
