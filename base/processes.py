"""Names of processes, unique over the hosts of a run, which show which process left a file behind."""

import os
import re
import shutil
import socket
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

DAY = 86_400.0

_PROCESS = r"(?P<place>.+\.\d+(?:\.\w+)?)-(?P<number>\d{1,9})(?:\.(?P<started>\d+))?"
_NAME = re.compile(_PROCESS, re.DOTALL)
_OWNED = re.compile(rf"\.?(?P<process>{_PROCESS})-[0-9a-f]{{32}}.*", re.DOTALL)


def process_name() -> str:
    """The name of this process: `<host>.<process namespace>.<boot>-<number>.<start>`.

    Containers may share a host name and a folder, but number their own processes: the namespace
    distinguishes them. Virtual machines may share a host name and a namespace: the boot distinguishes them.
    A number is used again after a while: the start (clock ticks since boot) distinguishes its processes.
    """
    _, started = _look_up("self")
    return f"{_place()}-{os.getpid()}" + (f".{started}" if started else "")


def owner(name: str) -> str | None:
    """The process that a file is named after (`<process>-<32 hexadecimal digits>…`), or None.

    Hidden files have a dot before it.
    """
    owned = _OWNED.fullmatch(name)
    return owned["process"] if owned else None


def is_process_name(name: str) -> bool:
    """Whether `process_name`, in this version or the previous one, may have made this name."""
    return _NAME.fullmatch(name) is not None


def is_of_this_host(name: str) -> bool:
    """Whether a process ran on this host since it booted; false if the boot cannot be identified."""
    named = _NAME.fullmatch(name)
    return named is not None and _boot() != "" and named["place"] == _place()


def is_dead(name: str) -> bool:
    """Whether a process is certainly dead: it ran on this host and no longer exists."""
    named = _NAME.fullmatch(name)
    if named is None or not is_of_this_host(name):
        return False
    try:
        os.kill(int(named["number"]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is alive, and belongs to another user
        pass
    state, started = _look_up(named["number"])
    is_another = bool(named["started"] and started) and named["started"] != started
    return is_another or state in ("Z", "X")


def sweep_folder(folder: Path, beats: Mapping[str, float] | None = None) -> int:
    """Remove a local folder's files and folders that dead processes left; return how many there were.

    beats: the last signs of life of some processes, as UNIX times.
    """
    now = time.time()
    removed = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        process = owner(path.name)
        if process is None:
            continue
        try:
            if not is_leftover(process, _newest(path), beats or {}, now):
                continue
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            removed += 1
        except OSError:  # its owner, or another sweep, has removed it, or it is another user's
            continue
    return removed


def is_leftover(process: str, modified: float, beats: Mapping[str, float], now: float) -> bool:
    """Whether a file of a process, written last at a UNIX time, will not be written to any more."""
    return is_dead(process) or now - max(modified, beats.get(process, 0.0)) > DAY


def _newest(path: Path) -> float:
    """The last time that a file, or anything in a folder, was written."""
    times = [path.lstat().st_mtime]
    if path.is_dir():
        times += [inner.lstat().st_mtime for inner in path.rglob("*")]
    return max(times)


def _look_up(process: str) -> tuple[str, str]:
    """The state and the start of a process; empty if the system does not say.

    psutil gives the start as a time of day, which changes with the clock: a living process would look like
    another one, and its files would be removed.
    """
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            # The program's name precedes them in brackets, and may contain any character.
            fields = file.read().rpartition(")")[2].split()
        return fields[0], fields[19]
    except (OSError, IndexError):
        return "", ""


@cache
def _place() -> str:
    try:
        namespace = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:  # only Linux has process namespaces
        namespace = "0"
    host = re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname())
    return f"{host}.{namespace}.{_boot() or 'unknown'}"


@cache
def _boot() -> str:
    """Identifies this boot of this machine; empty if the system does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip().replace("-", "")[:12]
    except OSError:
        return ""
