"""Disk faults that the user can fix: it is full, broken or read-only, or a file is too large or forbidden.

They may come from any code that writes a file, from libraries that raise their own errors for them, and
through a runner that keeps only the text of an error.
"""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ...base.host_cache import cache_folder

_FULL = (errno.ENOSPC, errno.EDQUOT)
_TOO_LARGE = (errno.EFBIG,)
_BROKEN = (errno.EIO, errno.ESTALE)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
_IN_TEXT = re.compile(r"\[Errno (\d+)\] [^\n:]*: '([^'\n]+)'")


def disk_fault(error: BaseException, workspace: str | None = None) -> str | None:
    """A one-line message for the user about an error that a disk caused; None for every other error.

    workspace: its folder, if it is known and on a disk.
    """
    for cause in _causes(error):
        code, file = _code_and_file(cause)
        if code in _FULL:
            full = os.path.dirname(file) if file else _fullest(workspace)
            return (
                f"no space is left on the file system of {full}; "
                "finished parts are kept: free some space there, and run the same command again"
            )
        if code in _TOO_LARGE:
            return (
                f"{file or 'a file'} would be larger than is allowed here: {os.strerror(code)}; "
                "finished parts are kept: raise the limit (`ulimit -f` shows it) or choose another file "
                "system, and run the same command again"
            )
        if code in _BROKEN:
            return (
                f"{file or 'a file'} cannot be read or written: {os.strerror(code)}; "
                "finished parts are kept: check the disk or the network that it is reached by, and run the "
                "same command again"
            )
        if code in _FORBIDDEN and file:
            return (
                f"{file} cannot be used: {os.strerror(code)}; give this user permission to read and "
                "write it, or choose another place for it"
            )
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _code_and_file(error: BaseException) -> tuple[int | None, str | None]:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno, None if error.filename is None else str(error.filename)
    text = str(error)
    match = _IN_TEXT.search(text)
    if match:
        return int(match[1]), match[2]
    known = (*_FULL, *_TOO_LARGE, *_BROKEN)
    return next((code for code in known if os.strerror(code) in text), None), None


def _fullest(workspace: str | None) -> str:
    """Of the folders that we write to, the one with the least free space."""
    folders = [tempfile.gettempdir(), str(cache_folder("models")), *([workspace] if workspace else [])]
    return min(folders, key=lambda folder: shutil.disk_usage(_existing(Path(folder))).free)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest folder above it that exists."""
    return folder if folder.exists() else _existing(folder.parent)
