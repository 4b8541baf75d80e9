"""The local runner's worker processes, forked from one that has imported what they need.

A new Python process takes some four seconds to import Beam, torch and the package; a fork takes none. The
process that is forked begins no thread and opens no connection, and the workers end with the process that
started them.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

from apache_beam.runners.portability.fn_api_runner.worker_handlers import GrpcWorkerHandler, WorkerHandler
from apache_beam.transforms.environments import Environment
from google.protobuf import json_format

from ...base.errors import RunnerError
from ...base.interrupts import at_interrupt

IMPORTED = (
    "apache_beam.runners.worker.sdk_worker_main",
    "torch",
    "paranmt.pipeline.running.execution",
    "paranmt.tokens.columns",
)
_URN = "paranmt:environment:forked"
_MOST_BYTES = 1 << 20


class ForkServer:
    """The process that is forked for each worker. Its workers have this process's environment variables."""

    def __init__(self) -> None:
        self.environment = dict(os.environ)
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        # Beam's workers log every step, so that goes into a file; errors come back through the pipeline.
        log = os.path.join(tempfile.gettempdir(), f"paranmt-workers-{os.getpid()}.log")
        with theirs, open(log, "ab") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # a terminal's Ctrl-C reaches this process alone, which ends them
            )
        self._log = log

    @property
    def fits(self) -> bool:
        """Whether workers that are forked now would be as if this process started them."""
        return self._process.poll() is None and self.environment == dict(os.environ)

    def fork(self, variables: Mapping[str, str]) -> int:
        """Start a worker with these variables. Its end closes the other end of the pipe that is returned."""
        read_end, write_end = os.pipe()
        try:
            with self._lock:
                socket.send_fds(self._socket, [json.dumps(variables).encode()], [write_end])
                forked = self._socket.recv(1)
        except OSError:
            forked = b""
        finally:
            os.close(write_end)
        if not forked:
            os.close(read_end)
            raise RunnerError(f"the processes of the local runner do not start: {self._log} says why")
        return read_end

    def end(self) -> None:
        """Kill the workers and the process that they were forked from."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


_server: ForkServer | None = None


def fork_server() -> ForkServer:
    """The one of this process; another one once environment variables have changed."""
    global _server
    if _server is None or not _server.fits:
        if _server is not None:
            _server.end()
        _server = ForkServer()
        at_interrupt(end_workers)
    return _server


def end_workers() -> None:
    """End the worker processes of this process."""
    if _server is not None:
        _server.end()


class ForkedEnvironment(Environment):
    """What Beam calls the place where workers run: here, in forked processes."""

    def to_runner_api_parameter(self, context: object) -> tuple[str, bytes]:
        return _URN, b""


@WorkerHandler.register_environment(_URN, bytes)
class _Worker(GrpcWorkerHandler):
    """Starts a worker for Beam, and waits for its end."""

    def __init__(self, payload: bytes, state: Any, provision_info: Any, grpc_server: Any) -> None:
        super().__init__(state, provision_info, grpc_server)

    def start_worker(self) -> None:
        options = self.provision_info.provision_info.pipeline_options
        variables = {
            "CONTROL_API_SERVICE_DESCRIPTOR": f"url: '{self.control_address}'",
            "PIPELINE_OPTIONS": json_format.MessageToJson(options),
            "WORKER_ID": self.worker_id,
        }
        self._ended = fork_server().fork(variables)

    def stop_worker(self) -> None:
        with open(self._ended, "rb") as file:
            file.read()


def main() -> None:
    """Fork a worker for each message, until the process that sends them has ended."""
    messages = socket.socket(fileno=int(sys.argv[1]))
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # so that workers do not copy the memory of what is imported
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the workers
    while True:
        content, files, _, _ = socket.recv_fds(messages, _MOST_BYTES, 1)
        if not content:
            os.killpg(0, signal.SIGKILL)
        if os.fork() == 0:
            break
        os.close(files[0])
        messages.send(b"1")
    messages.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.update(json.loads(content))
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)
    atexit._run_exitfuncs()
    os._exit(0)  # Python would take apart, and so copy, all that was imported


if __name__ == "__main__":
    main()
