"""Locks of the operating system on files (`flock`). A lock ends with its process, even if that is killed."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, wait: bool = False) -> Iterator[OSError | None]:
    """Hold the lock on a file, which is made, during the block.

    Gives None, or the reason why the file cannot be locked: a file system that hosts share may have no locks,
    and then the block runs without one. wait: wait until no other process has the lock; otherwise
    BlockingIOError. OSError if the file cannot be opened.
    """
    with open(path, "a") as file:
        refusal: OSError | None = None
        try:
            lock(file.fileno(), wait)
        except BlockingIOError:
            raise
        except OSError as error:
            refusal = error
        yield refusal


def lock(file: int, wait: bool = False) -> None:
    """Lock an open file until it is closed. Errors as of `locked`; OSError if it cannot be locked."""
    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
