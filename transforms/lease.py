"""The note by which a run holds its workspace, as workers read it: who lost the lease writes no manifest."""

from ..errors import WorkspaceError
from .workspace import Workspace

LOCK_FILE = "_lock.json"


def holder(workspace: Workspace) -> dict[str, object]:
    """What the holder of a workspace says of itself; empty where there is none."""
    try:
        found = workspace.read_json(LOCK_FILE)
    except WorkspaceError:  # cut off while it was written, on a file system that cannot replace
        return {}
    return found if isinstance(found, dict) else {}


def check_lease(workspace: Workspace) -> None:
    """WorkspaceError where the run that this process works for does not hold its workspace any more."""
    if workspace.run is None or not workspace.run.lease:
        return
    there = holder(workspace)
    if there.get("token") != workspace.run.lease:
        raise lost(workspace, there)


def lost(workspace: Workspace, there: dict[str, object]) -> WorkspaceError:
    """The error of a run that lost its workspace to `there`, the present holder."""
    who = "another run took it"
    if "process" in there:
        who = f"process {there['process']} on {there['host']} took it"
    elif not there:
        who = "another run took it and ended, or the lock was removed"
    return WorkspaceError(
        f"this run lost the workspace {workspace.url}: it was not heard of for longer than its lease, and "
        f"{who}; finished parts are kept: run again when the other has ended"
    )
