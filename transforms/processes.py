"""Names of processes, unique over the hosts of a run, by which what they leave behind can be told."""

import os
import re
import socket
from functools import cache

import psutil

_NAMED = re.compile(r"(?P<place>.+)-(?P<process>\d+)(-[0-9a-f]{32}.*)?")


def process_name() -> str:
    """This process: `<host>.<process namespace>-<process>`.

    Containers may share a host's name and a folder, but not the numbers of their processes: the
    namespace keeps them apart.
    """
    return f"{_place()}-{os.getpid()}"


def owner(name: str) -> str | None:
    """The process that a file was named after (`<process>-<32 hexadecimal digits>…`); None if none was."""
    found = _NAMED.fullmatch(name)
    return f"{found['place']}-{found['process']}" if found else None


def is_of_this_host(name: str) -> bool:
    """Whether a process's number means something here."""
    found = _NAMED.fullmatch(name)
    return found is not None and found["place"] == _place()


def is_dead(name: str) -> bool:
    """Whether a process surely lives no more: it was one of this host, and is not there."""
    if not is_of_this_host(name):
        return False
    try:
        return bool(psutil.Process(int(name.rpartition("-")[2])).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


@cache
def _place() -> str:
    try:
        namespace = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:  # not Linux, which alone has them
        namespace = "0"
    return f"{socket.gethostname()}.{namespace}"
