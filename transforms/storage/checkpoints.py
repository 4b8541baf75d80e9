"""Scratch folders of trainings. Their checkpoints lie in the workspace, so that another host can go on."""

import logging
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...base.whole_files import put
from ...models.training.scratch import CHECKPOINT
from .lease import check_lease
from .workspace import TEMPORARY, Workspace

logger = logging.getLogger(__name__)

STORE_SECONDS = 600.0  # between two copies of a checkpoint on an object store


@contextmanager
def resumable(workspace: Workspace, name: str) -> Iterator[Path]:
    """A local scratch folder, in which the next attempt at the same work finds the checkpoints of this one.

    If the workspace is local, so is the folder. On an object store, checkpoints that are newer there are
    fetched first. While the block runs, new ones are stored at most every ten minutes, and once more if it
    ends by an error or an interrupt. Everything is removed when the block ends, unless another run has taken
    over the workspace (WorkspaceError). A run that lost its workspace stores nothing.
    """
    scratch = workspace.scratch_folder(name)
    if workspace.is_local:
        yield scratch
        check_lease(workspace)
    else:
        copies = _Copies(workspace, f"{TEMPORARY}/{name}", scratch)
        copies.fetch()
        with copies.kept():
            yield scratch
        check_lease(workspace)
        copies.remove()
    shutil.rmtree(scratch, ignore_errors=True)


class _Copies:
    """The copies, in a folder of an object store, of the checkpoints of a local scratch folder."""

    def __init__(self, workspace: Workspace, folder: str, scratch: Path) -> None:
        self._workspace, self._folder, self._scratch = workspace, folder, scratch
        self._stored: dict[Path, tuple[int, int]] = {}  # the state in which a checkpoint was stored

    def fetch(self) -> None:
        for name, listed in self._workspace.listing(self._folder).items():
            file = self._scratch / name.removeprefix(f"{self._folder}/")
            if file.name != CHECKPOINT or (file.exists() and file.stat().st_mtime >= listed.modified):
                continue
            with self._workspace.copied(name) as copy:
                if copy is not None:
                    put(copy, file)
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
            for file in sorted(self._scratch.rglob(CHECKPOINT)):
                self._store_file(file)
        except Exception as error:  # any error of a store: it must not cost a training
            logger.warning("no checkpoint was stored in %s: %s", self._workspace.path(self._folder), error)

    def _store_file(self, file: Path) -> None:
        with self._workspace.temporary_file() as link:
            os.link(file, link)  # training replaces the file while it is being stored
            state = _state(link)
            if self._stored.get(file) != state:
                self._workspace.put(link, f"{self._folder}/{file.relative_to(self._scratch).as_posix()}")
                self._stored[file] = state


def _state(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_ino, stat.st_mtime_ns
