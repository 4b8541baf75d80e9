"""The note by which a run holds its workspace, as workers read it: who lost the lease writes no manifest."""

import time
from dataclasses import dataclass

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from ..errors import WorkspaceError
from .workspace import Workspace

LOCK_FILE = "_lock.json"
MENDED_SECONDS = 30.0
"""A holder that lives renews its note within this time, a damaged one too."""


@dataclass(frozen=True, kw_only=True)
class Holder:
    """What the holder of a workspace says of itself.

    worker: its process's name. renewed: UNIX time. token: tells it from every other holder.
    """

    token: str
    host: str = ""
    process: int = 0
    worker: str = ""
    renewed: FiniteFloat = 0.0


_HOLDER = TypeAdapter(Holder)


class DamagedNote(WorkspaceError):
    """A note that cannot be read. It tells nothing of its holder, who may live."""


def read_holder(workspace: Workspace) -> Holder | None:
    """The holder of a workspace; None where there is none."""
    content = workspace.read(LOCK_FILE)
    return None if content is None else parse_holder(workspace, content)


def parse_holder(workspace: Workspace, content: bytes) -> Holder:
    """The holder that a note names; DamagedNote where it names none."""
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
    """The holder of a workspace; None where there is none, or its note is damaged."""
    try:
        return read_holder(workspace)
    except DamagedNote:
        return None


def check_lease(workspace: Workspace) -> None:
    """WorkspaceError where the run that this process works for does not hold its workspace any more."""
    if workspace.run is None or not workspace.run.lease:
        return
    there = _read_mended(workspace)
    if there is None or there.token != workspace.run.lease:
        raise lost(workspace, there)


def _read_mended(workspace: Workspace) -> Holder | None:
    """The holder of a workspace; a damaged note is given the time in which its holder writes it again."""
    deadline = time.monotonic() + MENDED_SECONDS
    while True:
        try:
            return read_holder(workspace)
        except DamagedNote:
            if time.monotonic() >= deadline:
                raise
        time.sleep(min(0.2, MENDED_SECONDS / 10))


def lost(workspace: Workspace, there: Holder | None) -> WorkspaceError:
    """The error of a run that lost its workspace to `there`, the present holder."""
    who = "another run took it"
    if there is None:
        who = "another run took it and ended, or the lock was removed"
    elif there.process:
        who = f"process {there.process} on {there.host} took it"
    return WorkspaceError(
        f"this run lost the workspace {workspace.url}: it was not heard of for longer than its lease, and "
        f"{who}; finished parts are kept: run again when the other has ended"
    )
