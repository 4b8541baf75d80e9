"""One run a workspace: a lock that a crash does not leave behind.

The holder keeps a note, `_lock.json`, and renews it. On a local disk it also holds the operating system's
lock on `_lock`, which ends with the process. Clocks of hosts may differ: a note that looks old is watched
for a while before it is taken for a dead one's.
"""

import fcntl
import json
import logging
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import WorkspaceError
from ..transforms.lease import LOCK_FILE, holder, lost
from ..transforms.processes import is_dead, is_of_this_host, process_name
from ..transforms.workspace import Workspace

logger = logging.getLogger(__name__)

LEASE_SECONDS = 60.0
_FILE = "_lock"


@dataclass
class Lock:
    """A workspace that this process holds. token: tells it from every other holder."""

    workspace: Workspace
    lease_seconds: float
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    lost: WorkspaceError | None = None

    def check(self) -> None:
        """WorkspaceError if the workspace was lost to another run."""
        if self.lost is None:
            there = holder(self.workspace)
            if there.get("token") != self.token:
                self.lost = lost(self.workspace, there)
        if self.lost is not None:
            raise self.lost


@contextmanager
def workspace_lock(workspace: Workspace, lease_seconds: float = LEASE_SECONDS) -> Iterator[Lock]:
    """Hold the workspace for one run; WorkspaceError, naming the holder, if another run has it.

    A holder that was killed on this host is succeeded at once, one of another host when it has not
    renewed its note for `lease_seconds`. One that slept for longer than that, and was succeeded, is
    interrupted with a WorkspaceError.
    """
    lock = Lock(workspace, lease_seconds)
    with _file_lock(workspace) if workspace.is_local else nullcontext(False) as alone_on_host:
        _acquire(lock, alone_on_host)
        ended = threading.Event()
        in_main = threading.current_thread() is threading.main_thread()
        keeper = threading.Thread(target=_keep, args=(lock, ended, in_main), daemon=True)
        keeper.start()
        try:
            yield lock
        except BaseException:
            if lock.lost is not None:
                raise lock.lost from None
            raise
        finally:
            ended.set()
            keeper.join()
            if holder(workspace).get("token") == lock.token:
                workspace.remove(LOCK_FILE)


@contextmanager
def _file_lock(workspace: Workspace) -> Iterator[bool]:
    """Whether the operating system's lock is held, by which no other process of this host holds it."""
    path = Path(workspace.path(_FILE))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _held(workspace, holder(workspace)) from None
        except OSError as error:  # a shared file system without locks
            logger.warning("%s cannot be locked (%s); runs are kept apart by its note alone", path, error)
            yield False
            return
        yield True


def _acquire(lock: Lock, alone_on_host: bool) -> None:
    workspace = lock.workspace
    stamp = workspace.stamp(LOCK_FILE)
    there = holder(workspace)
    if there and not _is_over(lock, there, alone_on_host):
        raise _held(workspace, there)
    if not workspace.swap(LOCK_FILE, _note(lock), stamp):
        raise _held(workspace, holder(workspace))
    if not alone_on_host:
        # Where the store cannot compare and write at once, two runs may both have written: the last
        # one holds it.
        time.sleep(0.2)
        there = holder(workspace)
        if there.get("token") != lock.token:
            raise _held(workspace, there)


def _is_over(lock: Lock, there: dict[str, object], alone_on_host: bool) -> bool:
    """Whether the holder that wrote this note is gone."""
    name = str(there.get("worker", ""))
    if is_dead(name) or (alone_on_host and is_of_this_host(name)):
        return True
    age = time.time() - float(str(there.get("renewed", 0)))
    if 0 <= age < lock.lease_seconds:
        return False
    # The clocks of two hosts may be far apart. A holder that lives renews its note meanwhile.
    wait = lock.lease_seconds / 3
    if age < 0:
        wait = lock.lease_seconds
    deadline = time.monotonic() + wait
    while time.monotonic() < deadline:
        time.sleep(min(1.0, wait / 10))
        now = holder(lock.workspace)
        if not now:
            return True
        if now != there:
            return False
    return True


def _keep(lock: Lock, ended: threading.Event, in_main: bool) -> None:
    """Renew the note until the run ends; where another run has taken the workspace, end this one."""
    workspace = lock.workspace
    while not ended.wait(lock.lease_seconds / 4):
        try:
            stamp = workspace.stamp(LOCK_FILE)
            lock.check()
            if not workspace.swap(LOCK_FILE, _note(lock), stamp):
                lock.check()
        except WorkspaceError:
            if lock.lost is None:  # the store refuses to be written for now
                logger.warning("the lock of %s could not be renewed", workspace.url)
                continue
            logger.error("%s", lock.lost, extra={"facts": {}})
            if in_main and not ended.is_set():
                # Unlike `_thread.interrupt_main`, this wakes it from what it waits for.
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            return
        except Exception as error:  # whatever a store says that is out of reach for a moment
            logger.warning("the lock of %s could not be renewed: %s", workspace.url, error)


def _note(lock: Lock) -> bytes:
    note = {
        "host": socket.gethostname(),
        "process": os.getpid(),
        "worker": process_name(),
        "renewed": time.time(),
        "token": lock.token,
    }
    return json.dumps(note).encode()


def _held(workspace: Workspace, there: dict[str, object]) -> WorkspaceError:
    who = f" (process {there['process']} on {there['host']})" if "process" in there else ""
    return WorkspaceError(
        f"another run{who} is using the workspace {workspace.url}; wait for it to end, or stop it: "
        "what it finished is kept; the lock of one that was killed ends within a minute or two"
    )
