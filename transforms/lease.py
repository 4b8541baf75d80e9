"""The note with which a run holds its workspace. A worker reads it before it writes a manifest."""

import time
from dataclasses import dataclass

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from ..errors import WorkspaceError
from .workspace import Workspace

LOCK_FILE = "_lock.json"
MENDED_SECONDS = 30.0
"""A holder that is alive renews its note within this time, even if the note is damaged."""


@dataclass(frozen=True, kw_only=True)
class Holder:
    """The description of itself that the holder of a workspace writes.

    worker: the name of its process. renewed: UNIX time. token: identifies this holder.
    """

    token: str
    host: str = ""
    process: int = 0
    worker: str = ""
    renewed: FiniteFloat = 0.0


_HOLDER = TypeAdapter(Holder)


class DamagedNote(WorkspaceError):
    """A note that cannot be read. Its holder is unknown and may still be alive."""


def read_holder(workspace: Workspace) -> Holder | None:
    """The holder of a workspace; None if there is none."""
    content = workspace.read(LOCK_FILE)
    return None if content is None else parse_holder(workspace, content)


def parse_holder(workspace: Workspace, content: bytes) -> Holder:
    """The holder that a note names; DamagedNote if it names none."""
    try:
        return _HOLDER.validate_json(content, strict=True)
    except ValidationError as error:
        wrong = error.errors()[0]
        place = ".".join(str(key) for key in wrong["loc"])
        raise DamagedNote(
            f"the lock's note {workspace.path(LOCK_FILE)} is damaged "
            f"({f'{place}: ' if place else ''}{wrong['msg']}); run again: finished parts are kept"
        ) from None


def readable_holder(workspace: Workspace) -> Holder | None:
    """The holder of a workspace; None if there is none, or if its note is damaged."""
    try:
        return read_holder(workspace)
    except DamagedNote:
        return None


def check_lease(workspace: Workspace) -> None:
    """WorkspaceError if the run that this process works for no longer holds its workspace."""
    if workspace.run is None or not workspace.run.lease:
        return
    there = _read_mended(workspace)
    if there is None or there.token != workspace.run.lease:
        raise lost(workspace, there)


def _read_mended(workspace: Workspace) -> Holder | None:
    """The holder of a workspace. If the note is damaged, waits for its holder to write it again."""
    deadline = time.monotonic() + MENDED_SECONDS
    while True:
        try:
            return read_holder(workspace)
        except DamagedNote:
            if time.monotonic() >= deadline:
                raise
        time.sleep(min(0.2, MENDED_SECONDS / 10))


def lost(workspace: Workspace, there: Holder | None) -> WorkspaceError:
    """The error for a run that lost its workspace to `there`, the current holder."""
    who = "another run took it"
    if there is None:
        who = "another run took it and ended, or the lock was removed"
    elif there.process:
        who = f"process {there.process} on {there.host} took it"
    return WorkspaceError(
        f"this run lost the workspace {workspace.url}: it was not heard of for longer than its lease, and "
        f"{who}; finished parts are kept: run again when the other has ended"
    )
