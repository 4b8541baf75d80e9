"""How commands print and end: tables, JSON, progress, and one line for an error that the user can fix."""

import contextlib
import dataclasses
import functools
import json
import logging
import os
import re
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile, zip_longest
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

_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_GAP = "  "
_LEAST_NAME, _LEAST_TEXT = 40, 20  # characters of the cells of a table's first column, and of others

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
    """Print a result for people on the standard output; on a terminal, long lines are broken at spaces."""
    print(folded(printable(text)))


class ProgressLine:
    """Shows progress: one line that replaces itself on a terminal, else a line now and then.

    every: seconds between the lines if the output is not a terminal.
    """

    def __init__(self, every: float) -> None:
        self._every = every
        self._last = float("-inf")

    def __call__(self, text: str) -> None:
        """Show the present state."""
        now = time.monotonic()
        if sys.stderr.isatty():
            fitting = printable(text)[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[K{fitting}", end="", file=sys.stderr, flush=True)
        elif now - self._last >= self._every:
            self._last = now
            say(text)

    def keep(self, text: str) -> None:
        """Print a line that stays, above the one that is replaced."""
        self.clear()
        say(text)

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress_line(every: float = 30.0) -> Iterator[ProgressLine]:
    """Shows progress while something runs; the line disappears at the end."""
    line = ProgressLine(every)
    try:
        yield line
    finally:
        line.clear()


def print_json(content: object) -> None:
    """Print data as JSON; dataclasses become objects."""
    print(printable_json(json.dumps(content, indent=2, ensure_ascii=False, default=_plain)))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str] = (),
    width: int | None = None,
) -> str:
    """Text in columns, never cut; the columns named in `right` are aligned right.

    width: of the screen, by default the terminal's; without a terminal, a row is always one line. A table
    that is wider has headings and texts on several lines and, if that does not suffice, some columns below
    the others.

    >>> print(table(["stage", "parts"], [["ingest", "2"], ["translate", "12"]], right=["parts"]))
    stage      parts
    ingest         2
    translate     12
    """
    columns = [
        _Column(head, tuple(printable_cell(row[place]) for row in rows), head in right, place == 0)
        for place, head in enumerate(heads)
    ]
    width = screen_width() if width is None else width
    blocks = [columns] if width is None else _blocks(columns, width)
    return "\n\n".join("\n".join(_block_lines(block, width)) for block in blocks)


def screen_width() -> int | None:
    """The columns of the terminal that shows the standard output; None if that is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def folded(text: str, width: int | None = None, hang: int = 0) -> str:
    """Text whose lines are broken at spaces, so that none is wider than the screen.

    width: by default that of the terminal; without a terminal, lines stay whole. hang: by how much the
    lines after a break are indented. Colours have no width.

    >>> print(folded("a caption of some words", width=12, hang=2))
    a caption of
      some words
    """
    width = screen_width() if width is None else width
    if width is None:
        return text
    lines = []
    for line in text.split("\n"):
        words = line.split(" ")
        now = words[0]
        for word in words[1:]:
            if _width(now) + 1 + _width(word) > width and now.strip():
                lines.append(now.rstrip())
                now = " " * hang + word
            else:
                now += " " + word
        lines.append(now)
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


@dataclasses.dataclass(frozen=True)
class _Column:
    head: str
    cells: tuple[str, ...]
    is_right: bool
    is_first: bool

    @property
    def natural(self) -> int:
        """The width without any break."""
        return max(map(len, (self.head, *self.cells)))

    @property
    def least(self) -> int:
        """The width below which the column is not made: headings break at spaces, and so do long texts."""
        head = max(map(len, self.head.split(" ")))
        cells = max(map(len, self.cells), default=0)
        return max(
            head, cells if self.is_right else min(cells, _LEAST_NAME if self.is_first else _LEAST_TEXT)
        )


def _blocks(columns: Sequence[_Column], width: int) -> list[list[_Column]]:
    """The columns that fit beside each other; each block begins with the columns that say what a row is.

    Rows of which a later block says nothing are left out there.
    """
    keys = list(takewhile(lambda column: not column.is_right, columns)) or [columns[0]]
    if 3 * _taken([column.least for column in keys]) > 2 * width:
        keys = keys[:1]
    blocks = [keys]
    for column in columns[len(keys) :]:
        if len(blocks[-1]) > len(keys) and _taken([each.least for each in (*blocks[-1], column)]) > width:
            blocks.append(keys)
        blocks[-1] = [*blocks[-1], column]
    return [blocks[0], *(_filled(block, len(keys)) for block in blocks[1:])]


def _filled(block: Sequence[_Column], keys: int) -> list[_Column]:
    rows = range(len(block[0].cells))
    kept = [row for row in rows if any(column.cells[row] for column in block[keys:])]
    return [replace(column, cells=tuple(column.cells[row] for row in kept)) for column in block]


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _block_lines(columns: Sequence[_Column], width: int | None) -> Iterator[str]:
    widths = [column.natural for column in columns]
    while width is not None and _taken(widths) > width:
        spare = [now - column.least for now, column in zip(widths, columns, strict=True)]
        if max(spare) <= 0:
            break
        widths[spare.index(max(spare))] -= 1
    rows = zip(*((column.head, *column.cells) for column in columns), strict=True)
    for row in rows:
        cells = [_cell_lines(text, wide) for text, wide in zip(row, widths, strict=True)]
        for line in zip_longest(*cells, fillvalue=""):
            texts = [
                text.rjust(wide) if column.is_right else text.ljust(wide)
                for column, text, wide in zip(columns, line, widths, strict=True)
            ]
            yield _GAP.join(texts).rstrip()


def _cell_lines(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _width(text: str) -> int:
    return len(_COLOUR.sub("", text))
