"""One run per workspace: a lock that is released even if its holder crashes.

The holder writes a note, `_lock.json`, and renews it. On a local disk it also holds the operating system's
lock on `_lock`, which ends with the process. Because the clocks of hosts may differ, a note that looks old
is watched for a while before its holder counts as dead. So is a note that cannot be read.
"""

import json
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...base import interrupts
from ...base.errors import WorkspaceError
from ...base.file_locks import locked
from ...base.processes import is_dead, is_of_this_host, process_name
from ...transforms.storage.lease import (
    LOCK_FILE,
    DamagedNote,
    Holder,
    lost,
    parse_holder,
    read_holder,
    readable_holder,
)
from ...transforms.storage.workspace import Workspace

logger = logging.getLogger(__name__)

LEASE_SECONDS = 60.0
_FILE = "_lock"


@dataclass
class Lock:
    """A workspace that this process holds. token: identifies this holder."""

    workspace: Workspace
    lease_seconds: float
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    lost: WorkspaceError | None = None

    def check(self) -> None:
        """WorkspaceError if the workspace was lost to another run; KeyboardInterrupt if a signal came."""
        interrupts.check()
        self.check_note()

    def check_note(self) -> None:
        """WorkspaceError if the workspace was lost to another run."""
        if self.lost is None:
            try:
                holder = read_holder(self.workspace)
            except DamagedNote as error:  # it names no other holder, and we will renew it soon
                logger.warning("%s", error)
                return
            if holder is None or holder.token != self.token:
                self.lost = lost(self.workspace, holder)
        if self.lost is not None:
            raise self.lost


@contextmanager
def workspace_lock(workspace: Workspace, lease_seconds: float = LEASE_SECONDS) -> Iterator[Lock]:
    """Hold the workspace for one run; WorkspaceError, naming the holder, if another run has it.

    The lease of a holder that was killed on this host is taken over at once, that of a holder on another
    host when it has not renewed its note for `lease_seconds`. A suspended holder whose lease was taken over
    is interrupted with a WorkspaceError when it continues.
    """
    lock = Lock(workspace, lease_seconds)
    with _file_lock(workspace) if workspace.is_local else nullcontext(False) as alone_on_host:
        ended = threading.Event()
        in_main = threading.current_thread() is threading.main_thread()
        keeper = threading.Thread(target=_keep, args=(lock, ended, in_main), daemon=True)
        try:
            _acquire(lock, alone_on_host)
            with interrupts.interruptible():
                keeper.start()
                yield lock
        except BaseException:
            if lock.lost is not None:
                raise lock.lost from None
            raise
        finally:
            with interrupts.deferred():
                ended.set()
                if keeper.ident is not None:
                    keeper.join()
                if _is_held_by(lock):
                    workspace.remove(LOCK_FILE)


@contextmanager
def _file_lock(workspace: Workspace) -> Iterator[bool]:
    """Take the operating system's lock; whether it works, so that no other process of this host has it."""
    path = Path(workspace.path(_FILE))
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            refusal = stack.enter_context(locked(path))
        except BlockingIOError:
            raise _held(workspace) from None
        except OSError as error:
            raise WorkspaceError(
                f"the workspace {workspace.url} cannot be written: {error}; choose a folder that you may "
                "write to"
            ) from None
        if refusal is not None:
            logger.warning("%s cannot be locked (%s); only the lock's note keeps runs apart", path, refusal)
        yield refusal is None


def _acquire(lock: Lock, alone_on_host: bool) -> None:
    workspace = lock.workspace
    stamp = workspace.stamp(LOCK_FILE)
    note = workspace.read(LOCK_FILE)
    if note is not None and not _is_over(lock, note, alone_on_host):
        raise _held(workspace)
    if not workspace.swap(LOCK_FILE, _note(lock), stamp):
        raise _held(workspace)
    if not alone_on_host:
        # If the store cannot compare and write in one step, two runs may both have written: the last one
        # holds the workspace.
        time.sleep(0.2)
        if not _is_held_by(lock):
            raise _held(workspace)


def _is_over(lock: Lock, note: bytes, alone_on_host: bool) -> bool:
    """Whether the holder that wrote this note has ended."""
    seconds = lock.lease_seconds
    try:
        holder = parse_holder(lock.workspace, note)
    except DamagedNote:
        logger.warning(
            "the lock's note %s is damaged; waiting %.0f seconds to see whether a run renews it",
            lock.workspace.path(LOCK_FILE),
            seconds,
        )
        return not _changes(lock.workspace, note, seconds)
    if is_dead(holder.worker) or (alone_on_host and is_of_this_host(holder.worker)):
        return True
    age = time.time() - holder.renewed
    if 0 <= age < seconds:
        return False
    # The clocks of two hosts may differ a lot. A living holder renews its note while we wait.
    return not _changes(lock.workspace, note, seconds if age < 0 else seconds / 3)


def _changes(workspace: Workspace, note: bytes, seconds: float) -> bool:
    """Whether a note is rewritten within some time. Removing it does not count."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(min(1.0, seconds / 10))
        now = workspace.read(LOCK_FILE)
        if now != note:
            return now is not None
    return False


def _keep(lock: Lock, ended: threading.Event, in_main: bool) -> None:
    """Renew the note until the run ends; if another run has taken the workspace, end this run."""
    workspace = lock.workspace
    while not ended.wait(lock.lease_seconds / 4):
        try:
            stamp = workspace.stamp(LOCK_FILE)
            lock.check_note()
            if not workspace.swap(LOCK_FILE, _note(lock), stamp):
                lock.check_note()
        except WorkspaceError:
            if lock.lost is None:  # the store cannot be written to at the moment
                logger.warning("the lock of %s could not be renewed", workspace.url)
                continue
            logger.error("%s", lock.lost, extra={"facts": {}})
            if in_main and not ended.is_set():
                interrupts.interrupt_main()
            return
        except Exception as error:  # any error of a store that cannot be reached for a moment
            logger.warning("the lock of %s could not be renewed: %s", workspace.url, error)


def _note(lock: Lock) -> bytes:
    holder = Holder(
        token=lock.token,
        host=socket.gethostname(),
        process=os.getpid(),
        worker=process_name(),
        renewed=time.time(),
    )
    return json.dumps(asdict(holder)).encode()


def _is_held_by(lock: Lock) -> bool:
    """Whether the note names this holder."""
    holder = readable_holder(lock.workspace)
    return holder is not None and holder.token == lock.token


def _held(workspace: Workspace) -> WorkspaceError:
    holder = readable_holder(workspace)
    process = f" (process {holder.process} on {holder.host})" if holder is not None and holder.process else ""
    return WorkspaceError(
        f"another run{process} is using the workspace {workspace.url}; wait until it ends, or stop it, which "
        "keeps its finished work; if it was killed, its lock expires within two minutes"
    )
