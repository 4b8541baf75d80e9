"""Doing something at the moment of a process's n-th change of a file below a folder.

Python's audit hooks see every file that is opened to be written, moved, linked or removed, before it
happens. A seed then stands for the same moment however fast the machine is.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR
_OPERATIONS = ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree")


@dataclass
class FileOperations:
    """Counts a process's changes below `folder`, and calls `action` before the `number`-th one.

    parts_of: counts only Parquet files that are moved into this folder below `folder`.
    """

    folder: Path
    number: int = 0
    action: Callable[[], None] = lambda: None
    parts_of: str = ""
    count: int = 0

    def __enter__(self) -> "FileOperations":
        _watch(self)
        return self

    def __exit__(self, *error: object) -> None:
        _watch(None)

    def happened(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or not flags & _WRITING or self.parts_of:
                return
        elif event == "os.rename":
            path = arguments[1]
        elif event in _OPERATIONS:
            if self.parts_of:
                return
            path = arguments[0]
        else:
            return
        if not isinstance(path, str | bytes | os.PathLike):
            return
        text = os.fsdecode(path)
        if not text.startswith(str(self.folder / self.parts_of)):
            return
        if self.parts_of and not text.endswith(".parquet"):
            return
        self.count += 1
        if self.count == self.number:
            self.action()


_current: FileOperations | None = None
_is_hooked = False


def _watch(operations: FileOperations | None) -> None:
    """A hook stays as long as its process: one hook looks at whoever watches now."""
    global _current, _is_hooked
    _current = operations
    if not _is_hooked:
        _is_hooked = True
        sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _current is not None and (event == "open" or event in _OPERATIONS):
        _current.happened(event, arguments)
