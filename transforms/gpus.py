"""One model at work on a GPU, however many processes a machine has, and whoever started them.

A process that works on a GPU holds the operating system's lock on a file that stands for it, which ends
with the process. So the runner need not place anything: one worker a GPU finds its own, and more workers
than GPUs take turns.
"""

import fcntl
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..errors import RunnerError

_WAIT_SECONDS = 0.05
_preferred = 0


def gpu_names() -> tuple[str, ...]:
    """The GPUs that this process sees, by what tells them apart on the machine."""
    import torch

    if not torch.cuda.is_available():
        return ()
    return tuple(
        str(torch.cuda.get_device_properties(index).uuid) for index in range(torch.cuda.device_count())
    )


@contextmanager
def one_gpu() -> Iterator[int]:
    """The index of a GPU that nobody else works on meanwhile, made the current one. Waits for one."""
    import torch

    with claimed(gpu_names()) as index, torch.cuda.device(index):
        yield index


@contextmanager
def claimed(names: Sequence[str]) -> Iterator[int]:
    """The index of one of the named things, which no other process of this machine has meanwhile.

    The one this process had last is preferred: its model is there already. RunnerError for no names.
    """
    if not names:
        raise RunnerError(
            f"the work wants a GPU, and torch finds none in process {os.getpid()} on {socket.gethostname()}; "
            "send it to machines with GPUs, or say device: cpu"
        )
    global _preferred
    folder = os.path.join(tempfile.gettempdir(), "paranmt-gpus")
    os.makedirs(folder, mode=0o1777, exist_ok=True)
    files = [os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT, 0o666) for name in names]
    try:
        index = _lock_one(files)
        _preferred = index
        yield index
    finally:
        for file in files:
            os.close(file)


def _lock_one(files: Sequence[int]) -> int:
    order = sorted(range(len(files)), key=lambda index: index != _preferred)
    while True:
        for index in order:
            try:
                fcntl.flock(files[index], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            return index
        time.sleep(_WAIT_SECONDS)
