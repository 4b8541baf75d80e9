"""Scratch folders of trainings. Their checkpoints lie in the workspace, so that another host can go on."""

import logging
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

from ...base.whole_files import put
from ...models.training.scratch import CHECKPOINT
from .lease import check_lease
from .workspace import TEMPORARY, Workspace

logger = logging.getLogger(__name__)

STORE_SECONDS = 600.0  # between two copies of a checkpoint on an object store


@contextmanager
def resumable(workspace: Workspace, name: str, pattern: str = CHECKPOINT) -> Iterator[Path]:
    """A local scratch folder, in which the next attempt at the same work finds the checkpoints of this one.

    If the workspace is local, so is the folder. On an object store, checkpoints that are newer there are
    fetched first. While the block runs, new ones are stored at most every ten minutes, and once more if it
    ends by an error or an interrupt. Everything is removed when the block ends, unless another run has taken
    over the workspace (WorkspaceError). A run that lost its workspace stores nothing.

    pattern: of the names of checkpoints, as in a shell.
    """
    scratch = workspace.scratch_folder(name)
    if workspace.is_local:
        yield scratch
        check_lease(workspace)
    else:
        copies = _Copies(workspace, f"{TEMPORARY}/{name}", scratch, pattern)
        copies.fetch()
        with copies.kept():
            yield scratch
        check_lease(workspace)
        copies.remove()
    shutil.rmtree(scratch, ignore_errors=True)


class _Copies:
    """The copies, in a folder of an object store, of the checkpoints of a local scratch folder."""

    def __init__(self, workspace: Workspace, folder: str, scratch: Path, pattern: str) -> None:
        self._workspace, self._folder, self._scratch, self._pattern = workspace, folder, scratch, pattern
        self._stored: dict[Path, tuple[int, int]] = {}  # the state in which a checkpoint was stored

    def fetch(self) -> None:
        for name, listed in self._workspace.listing(self._folder).items():
            file = self._scratch / name.removeprefix(f"{self._folder}/")
            if not fnmatchcase(file.name, self._pattern):
                continue
            if file.exists() and file.stat().st_mtime >= listed.modified:
                continue
            with self._workspace.copied(name) as copy:
                if copy is not None:
                    put(copy, file)
                    os.utime(file, (listed.modified, listed.modified))  # the order in which they were made
                    self._stored[file] = _state(file)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Store new checkpoints from time to time while the block runs, and once more if it fails."""
        over = threading.Event()

        def keep() -> None:
            while not over.wait(STORE_SECONDS):
                self._store()

        thread = threading.Thread(target=keep, daemon=True)
        thread.start()
        try:
            yield
        except BaseException:
            over.set()
            thread.join()
            self._store()
            raise
        over.set()
        thread.join()

    def remove(self) -> None:
        self._workspace.remove(*self._workspace.listing(self._folder))

    def _store(self) -> None:
        try:
            check_lease(self._workspace)
            files = sorted(self._scratch.rglob(self._pattern))
            for file in files:
                self._store_file(file)
            for file in self._stored.keys() - files:  # training has replaced it by later ones
                self._workspace.remove(self._stored_name(file))
                del self._stored[file]
        except Exception as error:  # any error of a store: it must not cost a training
            logger.warning("no checkpoint was stored in %s: %s", self._workspace.path(self._folder), error)

    def _store_file(self, file: Path) -> None:
        with self._workspace.temporary_file() as link:
            os.link(file, link)  # training replaces the file while it is being stored
            state = _state(link)
            if self._stored.get(file) != state:
                self._workspace.put(link, self._stored_name(file))
                self._stored[file] = state

    def _stored_name(self, file: Path) -> str:
        return f"{self._folder}/{file.relative_to(self._scratch).as_posix()}"


def _state(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_ino, stat.st_mtime_ns
