"""Structured logs: one JSON object a line, with the run, stage and part that it is about.

    {"time": "2027-01-31T12:00:00.123Z", "level": "info", "run": "20270131T120000Z-1f0c9a", "stage":
    "translate", "part": "news/train.cs.gz-00017", "host": "gpu3", "process": 4711, "message": "done", …}

Everything is logged through Python's `logging`, below the logger `paranmt`; here is how it is written.
"""

import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path

ROOT = "paranmt"
LEVELS = ("debug", "info", "warning", "error")

_about: ContextVar[dict[str, object] | None] = ContextVar("about", default=None)


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Whatever this thread logs meanwhile is about these: run, stage, part."""
    before = _about.set({**(_about.get() or {}), **fields})
    try:
        yield
    finally:
        _about.reset(before)


class JsonLines(logging.Formatter):
    """A record as one line of JSON. What a caller gives as `extra={"facts": {…}}` becomes fields of it."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "run": None,
            "stage": None,
            "part": None,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "logger": record.name,
            "message": record.getMessage(),
            **(_about.get() or {}),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


@contextmanager
def logged(files: Sequence[str], level: str) -> Iterator[None]:
    """Write the log of this process to files (`-`: the standard error) while this lasts, appending.

    Warnings go to the standard error besides, as plain text, but for those that carry facts: whoever
    runs this learns of them otherwise.
    """
    logger = logging.getLogger(ROOT)
    before = logger.level, logger.propagate
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(logging.WARNING)
    console.addFilter(lambda record: not hasattr(record, "facts"))
    handlers = [*_handlers(files, level), *([] if "-" in files else [console])]
    _attach(logger, handlers, level)
    logger.propagate = False
    _driving.add(os.getpid())
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
        logger.setLevel(before[0])
        logger.propagate = before[1]
        _driving.discard(os.getpid())


@contextmanager
def also_logged(file: str | None, level: str) -> Iterator[None]:
    """Write the log to one more file while this lasts, where one is named."""
    logger = logging.getLogger(ROOT)
    handlers = _handlers([file] if file else [], level)
    for handler in handlers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()


def log_on_worker(file: str | None, level: str) -> None:
    """Let a worker's process log to the standard error, where engines collect it, and to a file.

    Nothing happens in the process of the driver, whose log is written already. A later call takes the
    place of an earlier one: a worker may serve one run after the other.
    """
    if os.getpid() in _driving:
        return
    logger = logging.getLogger(ROOT)
    with _changing:  # the first units of two threads come at the same moment
        for handler in _of_worker:
            logger.removeHandler(handler)
            handler.close()
        _of_worker[:] = _handlers(["-", *([file] if file else [])], level)
        _attach(logger, _of_worker, level)
        # An engine may hand on what reaches the root; a handler that writes it to the same place is too much.
        others = logging.getLogger().handlers
        logger.propagate = not any(type(other) is logging.StreamHandler for other in others)


_driving: set[int] = set()  # processes that run a recipe; a process forked from one is another
_of_worker: list[logging.Handler] = []
_changing = threading.Lock()


def _handlers(files: Sequence[str], level: str) -> list[logging.Handler]:
    handlers: list[logging.Handler] = []
    for file in files:
        if file == "-":
            handlers.append(logging.StreamHandler(sys.stderr))
        else:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            handlers.append(_LogFile(file, encoding="utf-8", delay=True))
        handlers[-1].setFormatter(JsonLines())
        handlers[-1].setLevel(level.upper())
    return handlers


class _LogFile(logging.FileHandler):
    """A log that cannot be written, as on a full disk, is neither an error nor a page on the terminal."""

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)

    def close(self) -> None:
        with suppress(OSError):  # what is still to be written
            super().close()


def _attach(logger: logging.Logger, handlers: Sequence[logging.Handler], level: str) -> None:
    for handler in handlers:
        logger.addHandler(handler)
    wanted = logging.getLevelNamesMapping()[level.upper()]
    logger.setLevel(min(wanted, logging.WARNING))
