"""The note with which a run holds its workspace. A worker reads it before it writes a manifest."""

import time
from dataclasses import dataclass

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from ...base.errors import WorkspaceError
from .workspace import Workspace

LOCK_FILE = "_lock.json"
UNREADABLE_NOTE_SECONDS = 30.0
"""How long to wait for a damaged note to be written again. A living holder does so within this time."""


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
    holder = _wait_for_readable_holder(workspace)
    if holder is None or holder.token != workspace.run.lease:
        raise lost(workspace, holder)


def _wait_for_readable_holder(workspace: Workspace) -> Holder | None:
    """The holder of a workspace. If the note is damaged, waits for its holder to write it again."""
    deadline = time.monotonic() + UNREADABLE_NOTE_SECONDS
    while True:
        try:
            return read_holder(workspace)
        except DamagedNote:
            if time.monotonic() >= deadline:
                raise
        time.sleep(min(0.2, UNREADABLE_NOTE_SECONDS / 10))


def lost(workspace: Workspace, holder: Holder | None) -> WorkspaceError:
    """The error for a run that lost its workspace to `holder`, the current holder."""
    reason = "another run took it over"
    if holder is None:
        reason = "another run took it over and has ended, or the lock was removed"
    elif holder.process:
        reason = f"process {holder.process} on {holder.host} took it over"
    return WorkspaceError(
        f"this run lost the workspace {workspace.url}: it did not renew its lease in time, and {reason}; "
        "finished parts are kept: run again when the other run has ended"
    )
