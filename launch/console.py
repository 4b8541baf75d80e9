"""What the commands print: tables, JSON, errors of the user's without a traceback, and how they end."""

import contextlib
import dataclasses
import functools
import json
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO, ParamSpec

import typer

from ..errors import UserError
from ..interrupts import Signals
from ..transforms.disk_faults import disk_fault

USER_ERROR = 2

# Commands whose finished work the same command takes up again.
RESUMABLE = frozenset({"demo", "run", "select", "train"})  # by their functions' names

# Where the errors of object stores' drivers are from: Amazon's and the like, Google's, Microsoft's, and those
# of the packages that drivers of other stores reach the network by.
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
)

P = ParamSpec("P")


def ending(command: Callable[P, None]) -> Callable[P, None]:
    """A command that ends as a person at a terminal, or a script, wants: no traceback for what is no bug."""
    kept = "; what is finished is kept: the same command goes on from there"
    last_words = f"interrupted{kept if command.__name__ in RESUMABLE else ''}"

    @functools.wraps(command)
    def ended(*args: P.args, **kwargs: P.kwargs) -> None:
        logging.getLogger().addFilter(_is_ours)
        signals = Signals(last_words)
        try:
            try:
                signals.listen()
                command(*args, **kwargs)
            finally:
                signals.stop()
        except BaseException as error:
            signals.stop()  # an interrupt may have come just before the other
            # After a signal it does not matter what a library made of it.
            if signals.received is None and not isinstance(error, KeyboardInterrupt):
                _explain(error)
                raise
        else:
            if signals.received is None:
                return
        say(f"\nparanmt: {last_words}")
        raise typer.Exit(128 + (signals.received or signal.SIGINT))

    return ended


def _explain(error: BaseException) -> None:
    """End with one line for what is the user's to mend."""
    if isinstance(error, UserError):
        say(f"paranmt: {error}")
    elif isinstance(error, Exception) and is_of_a_store(error):
        say(
            f"paranmt: an object store cannot be used: {' '.join(str(error).split())}; "
            "check its address, the credentials and the network"
        )
    elif (fault := disk_fault(error)) is not None:
        say(f"paranmt: {fault}")
    else:
        return
    raise typer.Exit(USER_ERROR) from None


def is_of_a_store(error: BaseException) -> bool:
    """Whether the driver of an object store raised it: no credentials, no permission, nobody there."""
    return any(type(one).__module__.startswith(_STORES) for one in (error, error.__cause__))


def _is_ours(record: logging.LogRecord) -> bool:
    # Beam's import says this on every machine that has none of Google's packages.
    return not record.getMessage().startswith("apitools not found")


def say(text: str, out: IO[str] | None = None) -> None:
    """A line for the person: on the standard error, so that the standard output holds data alone."""
    # A run goes on where nobody listens any more.
    with contextlib.suppress(BrokenPipeError):
        print(text, file=out or sys.stderr, flush=True)


@contextlib.contextmanager
def telling(every: float = 30.0) -> Iterator[Callable[[str], None]]:
    """What tells how far something is: on a terminal one line that replaces itself, else one now and then.

    every: seconds between the lines where there is no terminal.
    """
    last = float("-inf")

    def tell(text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif now - last >= every:
            last = now
            say(text)

    try:
        yield tell
    finally:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def print_json(content: object) -> None:
    """Data for machines: dataclasses become objects."""
    print(json.dumps(content, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    """Text in columns, never cut, those named in `right` at the right.

    >>> print(table(["stage", "parts"], [["ingest", "2"], ["translate", "12"]], right=["parts"]))
    stage      parts
    ingest         2
    translate     12
    """
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
