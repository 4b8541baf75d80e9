"""How commands print and end: tables, JSON, progress, and one line for an error that the user can fix."""

import contextlib
import dataclasses
import functools
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO, ParamSpec

import typer

from ...base.errors import UserError, first_line
from ...base.interrupts import Signals
from ...base.logs import PlainLines
from ...base.terminal import printable, printable_cell, printable_json
from ...transforms.storage.disk_faults import disk_fault

USER_ERROR = 2

# Commands that continue where they stopped when they are run again, by the names of their functions.
RESUMABLE = frozenset({"demo", "nmt_train", "reproduce", "run", "select", "train", "tune"})

# The packages that raise the errors of object stores: the drivers of S3, of Google's and Microsoft's stores,
# of the Hugging Face hub, and the HTTP clients that they and the drivers of other stores use.
_STORES = (
    "aiohttp.",
    "httpx",
    "requests.",
    "botocore.",
    "aiobotocore.",
    "google.auth.",
    "gcsfs.",
    "azure.core.",
    "azure.identity.",
    "huggingface_hub.",
)

_NO_MEMORY = "can't allocate memory"  # torch's error is a RuntimeError

P = ParamSpec("P")


def ending(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command end as people and scripts expect: only bugs print a traceback."""
    hint = "; finished work is kept: run the same command again to continue"
    message = f"interrupted{hint if command.__name__ in RESUMABLE else ''}"

    @functools.wraps(command)
    def ended(*args: P.args, **kwargs: P.kwargs) -> None:
        logging.getLogger().addFilter(_is_ours)
        if logging.lastResort is not None:  # prints the warnings of commands that keep no log
            logging.lastResort.setFormatter(PlainLines())
        signals = Signals(message)
        try:
            try:
                signals.listen()
                command(*args, **kwargs)
            finally:
                signals.stop()
        except BaseException as error:
            signals.stop()  # an interrupt may have arrived just before this error
            # After a signal the error does not matter: libraries turn an interrupt into other errors.
            if signals.received is None and not isinstance(error, KeyboardInterrupt):
                _explain(error)
                raise
        else:
            if signals.received is None:
                return
        say(f"\nparanmt: {message}")
        raise typer.Exit(128 + (signals.received or signal.SIGINT))

    return ended


def _explain(error: BaseException) -> None:
    """Exit with one line if the user can fix this error."""
    if isinstance(error, UserError):
        say(f"paranmt: {error}")
    elif isinstance(error, Exception) and is_of_a_store(error):
        say(
            f"paranmt: cannot use the object store or the hub: {' '.join(str(error).split())}; "
            "check its address, the credentials and the network"
        )
    elif (fault := disk_fault(error)) is not None:
        say(f"paranmt: {fault}")
    elif isinstance(error, OSError) and error.filename is not None and error.strerror:
        say(
            f"paranmt: {os.fsdecode(error.filename)} cannot be used: {error.strerror}; correct the path, or "
            "choose another one"
        )
    elif isinstance(error, MemoryError) or _NO_MEMORY in str(error):
        say(f"paranmt: there is not enough memory: {first_line(error)}; ask for less, or use another machine")
    else:
        return
    raise typer.Exit(USER_ERROR) from None


def is_of_a_store(error: BaseException) -> bool:
    """Whether the driver of an object store raised this error: no credentials, no permission, no response."""
    return any(type(cause).__module__.startswith(_STORES) for cause in (error, error.__cause__))


def _is_ours(record: logging.LogRecord) -> bool:
    # Importing Beam logs this on every machine without Google's packages.
    return not record.getMessage().startswith("apitools not found")


def say(text: str, out: IO[str] | None = None) -> None:
    """Print a line for the user on the standard error; the standard output is for data alone."""
    # A run continues even if nothing reads its messages any more.
    with contextlib.suppress(BrokenPipeError):
        print(printable(text), file=out or sys.stderr, flush=True)


def print_text(text: str) -> None:
    """Print a result for people on the standard output."""
    print(printable(text))


@contextlib.contextmanager
def progress_line(every: float = 30.0) -> Iterator[Callable[[str], None]]:
    """A function that shows progress: one line that replaces itself on a terminal, else a line now and then.

    every: seconds between the lines if the output is not a terminal.
    """
    last = float("-inf")

    def show(text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if sys.stderr.isatty():
            print(f"\r\x1b[K{printable(text)}", end="", file=sys.stderr, flush=True)
        elif now - last >= every:
            last = now
            say(text)

    try:
        yield show
    finally:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def print_json(content: object) -> None:
    """Print data as JSON; dataclasses become objects."""
    print(printable_json(json.dumps(content, indent=2, ensure_ascii=False, default=_plain)))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    """Text in columns, never cut; the columns named in `right` are aligned right.

    >>> print(table(["stage", "parts"], [["ingest", "2"], ["translate", "12"]], right=["parts"]))
    stage      parts
    ingest         2
    translate     12
    """
    rows = [[printable_cell(cell) for cell in row] for row in rows]
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    lines = []
    for row in (heads, *rows):
        cells = [
            cell.rjust(width) if head in right else cell.ljust(width)
            for head, cell, width in zip(heads, row, widths, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    """A table in Markdown; the columns named in `right` are aligned right.

    >>> print(markdown_table(["stage", "parts"], [["translate", "12"]], right=["parts"]))
    | stage | parts |
    |---|--:|
    | translate | 12 |
    """
    rule = "|".join("--:" if head in right else "---" for head in heads)
    lines = [" | ".join(printable_cell(cell).replace("|", "\\|") for cell in row) for row in (heads, *rows)]
    return "\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])])
