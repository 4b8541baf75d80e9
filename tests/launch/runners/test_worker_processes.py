"""The processes that the local runner forks: they begin, see what they should, and end with their parent."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from paranmt.base.errors import RunnerError
from paranmt.launch.runners import worker_processes
from paranmt.launch.runners.worker_processes import ForkServer, fork_server

# A worker that waits for a connection.
BEGIN = """
from paranmt.launch.runners.worker_processes import fork_server
fork_server().fork({"CONTROL_API_SERVICE_DESCRIPTOR": "url: 'localhost:1'"})
print("forked", flush=True)
input()
"""


def test_workers_end_with_a_killed_parent() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", BEGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None and parent.stdout.readline() == "forked\n"
    (server,) = psutil.Process(parent.pid).children()
    (worker,) = server.children()
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    _, alive = psutil.wait_procs([server, worker], 60)
    assert not alive


def test_changed_environment_variables_start_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    first = fork_server()
    assert fork_server() is first
    # Ctrl-C goes to the whole process group; this process ends its workers.
    assert os.getsid(first._process.pid) != os.getsid(0)
    monkeypatch.setenv("PARANMT_TRIED", "1")
    second = fork_server()
    assert second.fits and not first.fits
    worker_processes.end_workers()
    assert not second.fits


def test_what_cannot_be_imported_is_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no such torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    server = ForkServer()
    with pytest.raises(RunnerError, match=r"do not start: .*paranmt-workers-.* says why"):
        server.fork({})
    assert "no such torch" in (tmp_path / f"paranmt-workers-{os.getpid()}.log").read_text()
    server.end()
