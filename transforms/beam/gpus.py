"""Lets only one model work on a GPU at a time, even if several users run processes on the machine.

A process that works on a GPU holds the operating system's lock on a file that stands for this GPU. The lock
ends with the process. So the runner does not have to assign GPUs: with one worker per GPU, each finds its
own; if there are more workers than GPUs, they take turns.
"""

import contextlib
import errno
import os
import socket
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ...base.errors import RunnerError
from ...base.file_locks import lock
from ...base.gpu import has_gpu

_WAIT_SECONDS = 0.05
_CREATION_SECONDS = 1.0
_preferred = 0


def gpu_names() -> tuple[str, ...]:
    """The GPUs that this process sees, by names that are unique on the machine."""
    if not has_gpu():
        return ()
    import torch

    return tuple(
        str(torch.cuda.get_device_properties(index).uuid) for index in range(torch.cuda.device_count())
    )


@contextmanager
def one_gpu() -> Iterator[int]:
    """The index of a GPU that nobody else uses during the block; it becomes torch's current GPU.

    Waits until a GPU is free.
    """
    import torch

    with claimed(gpu_names()) as index, torch.cuda.device(index):
        yield index


@contextmanager
def on_device(device: str) -> Iterator[None]:
    """For `cuda`, the block has a GPU of its own, as of `one_gpu`; for `cpu` nothing happens."""
    with one_gpu() if device == "cuda" else contextlib.nullcontext():
        yield


@contextmanager
def claimed(names: Sequence[str]) -> Iterator[int]:
    """The index of one of the names, which no other process of this machine claims during the block.

    Waits until one is free. The name that this process claimed last is preferred, because its model is
    already on that GPU. RunnerError if there are no names.
    """
    if not names:
        raise RunnerError(
            f"the work needs a GPU, but torch finds none in process {os.getpid()} on {socket.gethostname()}; "
            "run it on machines with GPUs, or set device: cpu"
        )
    global _preferred
    folder = Path(tempfile.gettempdir(), "paranmt-gpus")
    files: list[int] = []
    try:
        try:
            _make_shared(folder)
            for name in names:
                files.append(_open_shared(folder / name))
            index = _lock_free_gpu(files)
        except OSError as error:
            raise RunnerError(
                f"the locks of this machine's GPUs, in {folder}, cannot be used ({error}); ask its "
                "owner to remove it while nothing is running, or set TMPDIR to a folder that all "
                "users of the GPUs share"
            ) from None
        _preferred = index
        yield index
    finally:
        for file in files:
            os.close(file)


def _make_shared(folder: Path) -> None:
    """Make a folder in which every user may create files, and nobody may remove the files of another user."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != 0o1777:
        folder.chmod(0o1777)  # the umask has removed permissions


def _open_shared(path: Path) -> int:
    """Open a file that every user can lock; it is created if it is missing."""
    deadline = time.monotonic() + _CREATION_SECONDS
    while True:
        try:
            return _open_existing(path) if os.path.lexists(path) else _create_file(path)
        except (FileExistsError, FileNotFoundError, PermissionError):
            # Another user is just creating it, or the folder, and has not given access to all users yet.
            if time.monotonic() > deadline:
                raise
            time.sleep(_WAIT_SECONDS)


def _open_existing(path: Path) -> int:
    # Linux refuses O_CREAT on another user's file in a sticky folder (fs.protected_regular).
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(path, os.O_RDWR | flags)
    except PermissionError:
        file = os.open(path, os.O_RDONLY | flags)  # enough for a lock on a local disk
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    return file


def _create_file(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    os.fchmod(file, 0o666)  # whatever the umask
    return file


def _lock_free_gpu(files: Sequence[int]) -> int:
    order = sorted(range(len(files)), key=lambda index: index != _preferred)
    while True:
        for index in order:
            try:
                lock(files[index])
            except BlockingIOError:
                continue
            return index
        time.sleep(_WAIT_SECONDS)
