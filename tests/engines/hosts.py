"""Machines to start an engine's processes on: this one, or three hosts in network namespaces of it."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

POOL_PORT = 50000


@dataclass
class Host:
    """One machine: processes started here know only its address."""

    address: str = "127.0.0.1"
    prefix: tuple[str, ...] = ()
    running: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self, command: Sequence[object], log: Path, **environment: str) -> "subprocess.Popen[bytes]":
        """A process in a group of its own, what it says appended to the log."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "ab") as out:
            process = subprocess.Popen(
                [*self.prefix, *map(str, command)],
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self.running):
            kill(process)
        self.running.clear()


def kill(process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to a process and all of its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Network:
    """Three hosts behind one switch, each in a network namespace of its own. Needs root."""

    def __init__(self) -> None:
        self._switch = f"pn{os.getpid()}s"
        self._names = [f"pn{os.getpid()}h{number}" for number in range(3)]
        subnet = f"10.{100 + os.getpid() % 100}.{os.getpid() // 100 % 200}"
        self.hosts = [
            Host(f"{subnet}.{10 + number}", ("ip", "netns", "exec", name))
            for number, name in enumerate(self._names)
        ]
        _ip("netns", "add", self._switch)
        self._in_switch("link", "add", "br0", "type", "bridge")
        self._in_switch("link", "set", "br0", "up")
        for number, (name, host) in enumerate(zip(self._names, self.hosts, strict=True)):
            _ip("netns", "add", name)
            peer = ("type", "veth", "peer", "name", f"p{number}", "netns", self._switch)
            _ip("link", "add", f"v{number}", "netns", name, *peer)
            self._in_switch("link", "set", f"p{number}", "master", "br0", "up")
            _ip("-n", name, "addr", "add", f"{host.address}/24", "dev", f"v{number}")
            _ip("-n", name, "link", "set", f"v{number}", "up")
            _ip("-n", name, "link", "set", "lo", "up")
            # A worker pool's port lies among those that Linux gives out by itself.
            _ip("netns", "exec", name, "sysctl", "-qw", f"net.ipv4.ip_local_reserved_ports={POOL_PORT}")

    def cut(self, number: int) -> None:
        """Pull a host's cable."""
        self._in_switch("link", "set", f"p{number}", "down")

    def join(self, number: int) -> None:
        """Plug it in again."""
        self._in_switch("link", "set", f"p{number}", "up")

    def close(self) -> None:
        for host in self.hosts:
            host.stop()
        for name in (*self._names, self._switch):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def _in_switch(self, *arguments: str) -> None:
        _ip("-n", self._switch, *arguments)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def wait_for(what: str, there: Callable[[], object], seconds: float = 90.0, pause: float = 0.1) -> None:
    """Wait until something is so; AssertionError where it does not come."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, f"{what}: not within {seconds:.0f} seconds"
        time.sleep(pause)


def said(log: Path, text: str) -> bool:
    """Whether a log holds a text."""
    return log.exists() and text in log.read_text(errors="replace")


def free_port() -> int:
    """A port of this machine's that nothing listens on."""
    with socket.socket() as found:
        found.bind(("", 0))
        return int(found.getsockname()[1])
