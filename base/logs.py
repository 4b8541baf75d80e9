"""Structured logs: one JSON object a line, which names the run, stage and part that it is about.

    {"time": "2027-01-31T12:00:00.123Z", "level": "info", "run": "20270131T120000Z-1f0c9a", "stage":
    "translate", "part": "news/train.cs.gz-00017", "host": "gpu3", "process": 4711, "message": "done", …}

Everything is logged with Python's `logging`, below the logger `paranmt`. This module writes the lines.
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

from .terminal import printable, printable_json

ROOT = "paranmt"
LEVELS = ("debug", "info", "warning", "error")

_about: ContextVar[dict[str, object] | None] = ContextVar("about", default=None)


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Add these fields (run, stage, part) to whatever this thread logs inside the `with`."""
    before = _about.set({**(_about.get() or {}), **fields})
    try:
        yield
    finally:
        _about.reset(before)


class JsonLines(logging.Formatter):
    """A record as one line of JSON. Callers add fields to it with `extra={"facts": {…}}`."""

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
        return printable_json(json.dumps(line, ensure_ascii=False, default=str))


class PlainLines(logging.Formatter):
    """A record as text for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


@contextmanager
def logged(files: Sequence[str], level: str) -> Iterator[None]:
    """Append the log of this process to files (`-` is standard error) inside the `with`.

    Warnings also go to standard error as plain text, except those with `facts`, which the user sees anyway.
    """
    logger = logging.getLogger(ROOT)
    before = logger.level, logger.propagate
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(logging.WARNING)
    console.setFormatter(PlainLines())
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
    """Also write the log to this file, if any, inside the `with`."""
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
    """Let a worker process log to standard error, where engines collect it, and to a file.

    This does nothing in the driver's process, whose log is written already. A later call replaces an earlier
    one: a worker may serve several runs one after another.
    """
    if os.getpid() in _driving:
        return
    logger = logging.getLogger(ROOT)
    with _changing:  # two threads may get their first units at the same moment
        for handler in _worker_handlers:
            logger.removeHandler(handler)
            handler.close()
        _worker_handlers[:] = _handlers(["-", *([file] if file else [])], level)
        _attach(logger, _worker_handlers, level)
        # Engines may collect records from the root logger, but a stream handler there would print them twice.
        others = logging.getLogger().handlers
        logger.propagate = not any(type(other) is logging.StreamHandler for other in others)


_driving: set[int] = set()  # ids of processes that run a recipe; a forked process has another
_worker_handlers: list[logging.Handler] = []
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
    """If this log cannot be written, for example on a full disk, nothing is raised or printed."""

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)

    def close(self) -> None:
        with suppress(OSError):  # closing writes what is still in the buffer
            super().close()


def _attach(logger: logging.Logger, handlers: Sequence[logging.Handler], level: str) -> None:
    for handler in handlers:
        logger.addHandler(handler)
    number = logging.getLevelNamesMapping()[level.upper()]
    logger.setLevel(min(number, logging.WARNING))
