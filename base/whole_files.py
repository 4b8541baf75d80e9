"""Files and folders that are there whole or not at all, even if a process is killed or its machine crashes.

They are built under a hidden temporary name on the file system where they will lie, and then get their own
name. The temporary name says which process builds them, so that the leftovers of a killed process can be
removed.
"""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .processes import process_name, sweep_folder


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file of ours that gets its name, and replaces any other there, once everything is written."""
    with temporary_path(path.parent) as temporary:
        with open(temporary, "xb") as file:
            yield file
        put(temporary, path)


def put(file: Path, path: Path) -> None:
    """Give a finished file its name on the same file system, in place of any other file there."""
    with open(file, "rb") as written:
        os.fsync(written.fileno())
    path.parent.mkdir(parents=True, exist_ok=True)
    os.replace(file, path)


def put_folder(folder: Path, path: Path, is_as_good: Callable[[Path], bool] = lambda there: False) -> None:
    """Give a finished folder its name on the same file system, in place of another folder there.

    is_as_good: whether a folder that is there is kept, such as one that another process finished meanwhile.
    OSError if the folder could not be put there, and there is none that is as good.
    """
    former = folder.with_name(f"{folder.name}-former")
    try:
        os.rename(folder, path)
    except OSError:  # there are files in it, or it is no folder
        if is_as_good(path):
            return
        if path.exists() and not path.is_dir():
            raise
        with suppress(FileNotFoundError):  # another process has just moved it away
            os.rename(path, former)
        try:
            os.rename(folder, path)
        except OSError:
            if not is_as_good(path):
                raise
        finally:
            shutil.rmtree(former, ignore_errors=True)


@contextmanager
def temporary_folder(parent: Path, sweep: bool = True) -> Iterator[Path]:
    """A new folder at a `temporary_path`."""
    with temporary_path(parent, sweep) as folder:
        folder.mkdir()
        yield folder


@contextmanager
def temporary_path(parent: Path, sweep: bool = True) -> Iterator[Path]:
    """A hidden path in a folder, which is made, to build a file or folder at; removed unless it was moved.

    sweep: first remove what dead processes left in the folder.
    """
    parent.mkdir(parents=True, exist_ok=True)
    if sweep:
        sweep_folder(parent)
    path = parent / f".{process_name()}-{uuid.uuid4().hex}"
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
