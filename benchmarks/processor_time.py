"""Seconds of processor time, which other work on the machine changes less than the time on a clock."""

import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path


def own_seconds(work: Callable[[], object]) -> float:
    """The seconds of processor time that this process takes for a piece of work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def child_seconds(command: Sequence[object], standard_input: Path | None = None) -> float:
    """The seconds of processor time of a program. standard_input: a file; by default it has none."""
    before = _of_children()
    with open(standard_input or "/dev/null", "rb") as file:
        subprocess.run(
            list(map(str, command)),
            stdin=file,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    return _of_children() - before


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
