"""Heartbeats: each process writes a small file in the workspace that shows what it is working on."""

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ...base.processes import process_name
from .workspace import Workspace

logger = logging.getLogger(__name__)

HEARTBEATS = "_heartbeats"
EVERY_SECONDS = 20.0
_AT_MOST_EVERY = 5.0
_PROGRESS_EVERY = 1.0


@dataclass(eq=False)
class _Working:
    """What a thread works on. share, note: see `note_progress`."""

    workspace: Workspace
    stage: str
    part: str
    since: float
    share: float | None = None
    note: str = ""


@contextmanager
def working(workspace: Workspace, stage: str, part: str) -> Iterator[None]:
    """While the block runs, show in the workspace that this process is alive and what it works on."""
    task = _Working(workspace, stage, part, time.time())
    before = _current.set(task)
    with _lock:
        _tasks.append(task)
        if not any(thread.is_alive() for thread in _threads):
            _threads[:] = [threading.Thread(target=_beat_on, daemon=True)]
            _threads[0].start()
    _beat(_AT_MOST_EVERY)
    try:
        yield
    finally:
        _current.reset(before)
        with _lock:
            _tasks.remove(task)


def note_progress(share: float, note: str) -> None:
    """Show in the workspace how far the work of this thread is: from 0 to 1, and in a few words."""
    task = _current.get()
    if task is not None:
        task.share, task.note = share, note
        _beat(_PROGRESS_EVERY if task.workspace.is_local else _AT_MOST_EVERY)


def work_progress(workspace: Workspace, folder: str, since: float) -> tuple[float | None, str]:
    """How far a process is that works on the stage of a folder, by its last heartbeat since a time.

    A share and a note; None and an empty text if no process has shown them.
    """
    contents = (
        workspace.read_json(name)
        for name, listed in workspace.listing(HEARTBEATS).items()
        if listed.modified >= since - EVERY_SECONDS
    )
    beats = [beat for beat in contents if isinstance(beat, dict) and beat.get("stage") == folder]
    beats = [beat for beat in beats if beat.get("since", 0.0) >= since and beat.get("share") is not None]
    last = max(beats, key=lambda beat: float(beat["time"]), default=None)
    return (None, "") if last is None else (float(last["share"]), str(last.get("note", "")))


_current: ContextVar[_Working | None] = ContextVar("_current", default=None)
_lock = threading.Lock()
_tasks: list[_Working] = []  # several if threads share a process
_threads: list[threading.Thread] = []
_last = 0.0


def _beat_on() -> None:
    while True:
        time.sleep(EVERY_SECONDS / 2)
        _beat(EVERY_SECONDS / 2)


def _beat(pause: float) -> None:
    """Write the heartbeat, if the last one was written longer ago than `pause`."""
    global _last
    with _lock:
        now = time.time()
        if not _tasks or now - _last < pause:
            return
        _last = now
        task = _tasks[-1]
    workspace = task.workspace
    content = {
        "worker": process_name(),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "run": workspace.run.id if workspace.run else None,
        "stage": task.stage,
        "part": task.part,
        "since": task.since,
        "time": now,
        "share": task.share,
        "note": task.note,
    }
    try:
        workspace.write_json(f"{HEARTBEATS}/{process_name()}.json", content)
    except Exception as error:  # any error of a store: a failed heartbeat must not cost a part
        logger.warning("the heartbeat could not be written: %s", error)
