"""Heartbeats: each process writes a small file in the workspace that shows what it is working on."""

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ...base.processes import process_name
from .workspace import Workspace

logger = logging.getLogger(__name__)

HEARTBEATS = "_heartbeats"
EVERY_SECONDS = 20.0
_AT_MOST_EVERY = 5.0


@contextmanager
def working(workspace: Workspace, stage: str, part: str) -> Iterator[None]:
    """While the block runs, show in the workspace that this process is alive and what it works on."""
    task = (workspace, stage, part, time.time())
    with _lock:
        _tasks.append(task)
        if not any(thread.is_alive() for thread in _threads):
            _threads[:] = [threading.Thread(target=_beat_on, daemon=True)]
            _threads[0].start()
    _beat(_AT_MOST_EVERY)
    try:
        yield
    finally:
        with _lock:
            _tasks.remove(task)


_lock = threading.Lock()
_tasks: list[tuple[Workspace, str, str, float]] = []  # several if threads share a process
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
        workspace, stage, part, since = _tasks[-1]
    content = {
        "worker": process_name(),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "run": workspace.run.id if workspace.run else None,
        "stage": stage,
        "part": part,
        "since": since,
        "time": now,
    }
    try:
        workspace.write_json(f"{HEARTBEATS}/{process_name()}.json", content)
    except Exception as error:  # any error of a store: a failed heartbeat must not cost a part
        logger.warning("the heartbeat could not be written: %s", error)
