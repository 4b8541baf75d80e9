"""Names of processes, unique over the hosts of a run, by which what they leave behind can be told."""

import os
import re
import socket
from functools import cache

_PROCESS = r"(?P<place>.+\.\d+(?:\.\w+)?)-(?P<number>\d{1,9})(?:\.(?P<started>\d+))?"
_NAME = re.compile(_PROCESS, re.DOTALL)
_OWNED = re.compile(rf"(?P<process>{_PROCESS})-[0-9a-f]{{32}}.*", re.DOTALL)


def process_name() -> str:
    """This process: `<host>.<process namespace>.<boot>-<number>.<start>`.

    Containers may share a host's name and a folder, but not the numbers of their processes: the
    namespace keeps them apart. Virtual machines may share a name and a namespace: the boot keeps them
    apart. A number is used again after a while: the start (clock ticks since boot) keeps those apart.
    """
    _, started = _look_up("self")
    return f"{_place()}-{os.getpid()}" + (f".{started}" if started else "")


def owner(name: str) -> str | None:
    """The process that a file was named after (`<process>-<32 hexadecimal digits>…`); None if none was."""
    owned = _OWNED.fullmatch(name)
    return owned["process"] if owned else None


def is_process_name(name: str) -> bool:
    """Whether `process_name`, of this version or the one before, may have given it."""
    return _NAME.fullmatch(name) is not None


def is_of_this_host(name: str) -> bool:
    """Whether a process's number means something here; never where no boot can be told from another."""
    named = _NAME.fullmatch(name)
    return named is not None and _boot() != "" and named["place"] == _place()


def is_dead(name: str) -> bool:
    """Whether a process surely lives no more: it was one of this host, and is not there."""
    named = _NAME.fullmatch(name)
    if named is None or not is_of_this_host(name):
        return False
    try:
        os.kill(int(named["number"]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it lives, and is another user's
        pass
    state, started = _look_up(named["number"])
    is_another = bool(named["started"] and started) and named["started"] != started
    return is_another or state in ("Z", "X")


def _look_up(process: str) -> tuple[str, str]:
    """The state and the start of a process; empty where the system does not tell."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            # The program's name stands before them in brackets, and may hold any character.
            fields = file.read().rpartition(")")[2].split()
        return fields[0], fields[19]
    except (OSError, IndexError):
        return "", ""


@cache
def _place() -> str:
    try:
        namespace = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:  # not Linux, which alone has them
        namespace = "0"
    host = re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname())
    return f"{host}.{namespace}.{_boot() or 'unknown'}"


@cache
def _boot() -> str:
    """What tells this start of this machine from all others; empty where the system does not tell."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip().replace("-", "")[:12]
    except OSError:
        return ""
