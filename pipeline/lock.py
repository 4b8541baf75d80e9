"""One run a workspace: a lock that a crash does not leave behind."""

import fcntl
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import WorkspaceError
from ..transforms.workspace import Workspace

LEASE_SECONDS = 60.0
_FILE = "_lock.json"


@contextmanager
def workspace_lock(workspace: Workspace, lease_seconds: float = LEASE_SECONDS) -> Iterator[None]:
    """Hold the workspace for one run; WorkspaceError, naming the holder, if another run has it.

    On a local disk the operating system's lock, which ends with the process. On an object store a lease
    that the holder renews, and that anyone may take once it was not renewed for `lease_seconds`.
    """
    with _file_lock(workspace) if workspace.is_local else _lease(workspace, lease_seconds):
        yield


@contextmanager
def _file_lock(workspace: Workspace) -> Iterator[None]:
    path = Path(workspace.path(_FILE))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise _held(workspace, file.read()) from None
        file.truncate(0)
        file.write(_holder(""))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


@contextmanager
def _lease(workspace: Workspace, lease_seconds: float) -> Iterator[None]:
    token = uuid.uuid4().hex
    there = workspace.read_json(_FILE)
    if isinstance(there, dict) and time.time() - float(there.get("renewed", 0)) < lease_seconds:
        raise _held(workspace, json.dumps(there))

    def renew() -> None:
        workspace.write_bytes(_FILE, _holder(token).encode())

    renew()
    # Two runs may have written at the same moment: the last one holds it.
    time.sleep(0.2)
    there = workspace.read_json(_FILE)
    if not isinstance(there, dict) or there.get("token") != token:
        raise _held(workspace, json.dumps(there))
    ended = threading.Event()

    def keep() -> None:
        while not ended.wait(lease_seconds / 4):
            renew()

    keeper = threading.Thread(target=keep, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        workspace.remove(_FILE)


def _holder(token: str) -> str:
    now = time.time()
    return json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "renewed": now, "token": token})


def _held(workspace: Workspace, text: str) -> WorkspaceError:
    try:
        holder = json.loads(text)
        who = f" (process {holder['pid']} on {holder['host']})"
    except (ValueError, KeyError, TypeError):
        who = ""
    return WorkspaceError(
        f"another run{who} is using the workspace {workspace.url}; wait for it to end, or stop it: "
        "what it finished is kept"
    )
