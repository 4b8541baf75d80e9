"""The base class of all runners: options with help, a check before anything is submitted, and pipelines."""

import importlib.util
import logging
import socket
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...base.errors import RunnerError
from ..options.field_options import CommandOptions

if TYPE_CHECKING:
    import apache_beam as beam

CONNECT_SECONDS = 5.0


@dataclass(frozen=True)
class Profile(CommandOptions, ABC):
    """A runner with its options.

    beam_options: options for Beam, from the command line after `--`. elsewhere: whether workers may be
    processes that this one did not start, on this or other machines.
    """

    name: ClassVar[str]
    elsewhere: ClassVar[bool] = True

    beam_options: tuple[str, ...] = ()

    @property
    def in_process(self) -> bool:
        """Whether every stage runs in this process."""
        return False

    @abstractmethod
    def check(self, workspace: str) -> None:
        """RunnerError, in one line, if this runner cannot work. Submits nothing."""

    @abstractmethod
    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "beam.Pipeline | None":
        """See `transforms.runner.Runner`."""

    def is_busy(self, refusal: str) -> bool:
        """Whether a job failed only because an earlier one has not ended yet."""
        return False


def quiet() -> None:
    """Stop Beam from logging every step; what goes wrong comes back as an error."""
    logging.getLogger("apache_beam").setLevel(logging.ERROR)


def require(value: str | None, flag: str, runner: str, example: str) -> str:
    """The value of an option that a runner requires."""
    if not value:
        raise RunnerError(f"--runner {runner} needs {flag}, such as {flag} {example}")
    return value


def require_package(module: str, runner: str, command: str) -> None:
    """RunnerError if a package that the runner needs is not installed. command: what installs it."""
    try:
        is_installed = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        is_installed = False
    if not is_installed:
        raise RunnerError(f"--runner {runner} needs the package {module}, which is not installed: {command}")


def address(text: str, flag: str, default_port: int | None = None) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, with or without a scheme before it.

    >>> address("tcp://head:8786", "--dask-scheduler"), address("http://jm", "--flink-master", 8081)
    (('head', 8786), ('jm', 8081))
    """
    rest = text.partition("://")[2] or text
    host, colon, port = rest.rstrip("/").rpartition(":")
    if not colon and default_port is not None:
        host, port = rest.rstrip("/"), str(default_port)
    if not host or not port.isdigit() or not 0 < int(port) < 65_536:
        raise RunnerError(f"{flag}: expected HOST:PORT, got {text!r}")
    return host.strip("[]"), int(port)


def reach(text: str, flag: str, what: str, default_port: int | None = None) -> None:
    """RunnerError if nothing listens at `HOST:PORT`."""
    host, port = address(text, flag, default_port)
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise RunnerError(
            f"{flag}: no {what} answers at {host}:{port} ({reason}); start it, or correct the address"
        ) from None


def require_shared(workspace: str, runner: str) -> None:
    """RunnerError for a workspace that only this process can see."""
    if workspace.startswith("memory://"):
        raise RunnerError(
            f"--runner {runner}: its workers cannot see {workspace}, which is in this process's memory; "
            "name a shared folder or an object store"
        )
