"""One run a workspace: who holds it, who succeeds a holder that is gone, and what one that slept learns."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import Store, object_store

from paranmt.base.errors import WorkspaceError
from paranmt.base.processes import _place, process_name
from paranmt.pipeline.running.lock import workspace_lock
from paranmt.pipeline.running.status import note_run, workspace_status
from paranmt.transforms.storage.dataset import Manifest, read_manifest, write_manifest
from paranmt.transforms.storage.lease import DamagedNote, check_lease, read_holder, readable_holder
from paranmt.transforms.storage.run_note import RunNote
from paranmt.transforms.storage.workspace import Workspace

# Waits for the end of its input, then says when it holds the workspace, and how that ended after a while.
HOLDER = """
import sys, time
from paranmt.base.errors import WorkspaceError
from paranmt.pipeline.running.lock import workspace_lock
from paranmt.transforms.storage.workspace import Workspace
url, seconds, lease = sys.argv[1], *map(float, sys.argv[2:])
workspace = Workspace(url)
workspace.read("_lock.json")  # imports what reads a store
print("is ready", flush=True)
sys.stdin.read()
try:
    with workspace_lock(workspace, lease):
        print("holds", flush=True)
        time.sleep(seconds)
    print("done", flush=True)
except WorkspaceError as error:
    print(error, flush=True)
"""


def hold(
    url: str, seconds: float, lease: float = 60.0, begins: int = subprocess.DEVNULL, ignores: str = ""
) -> "subprocess.Popen[str]":
    """A process that holds a workspace.

    begins: the input at whose end it begins. ignores: a signal, as a shell's background ignores it.
    """
    ignoring = ["sh", "-c", f'trap "" {ignores}; exec "$@"', "sh"] if ignores else []
    return subprocess.Popen(
        [*ignoring, sys.executable, "-c", HOLDER, url, str(seconds), str(lease)],
        stdin=begins,
        stdout=subprocess.PIPE,
        text=True,
    )


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with object_store() as running:
        yield running


@pytest.fixture(params=["a local disk", "an object store"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "a local disk":
        return str(tmp_path / "work")
    request.getfixturevalue("store")
    return f"s3://bucket/{tmp_path.name}"


def note_of(worker: str, renewed: float) -> bytes:
    note = {"host": "far", "process": 17, "worker": worker, "renewed": renewed, "token": "t"}
    return json.dumps(note).encode()


def test_the_lock_of_a_killed_holder_is_taken_over_immediately(url: str) -> None:
    holder = hold(url, 600)
    assert [line(holder), line(holder)] == ["is ready", "holds"]
    with pytest.raises(WorkspaceError, match=f"another run .process {holder.pid} on "):
        with workspace_lock(Workspace(url)):
            pass
    holder.kill()
    holder.wait()
    began = time.monotonic()
    with workspace_lock(Workspace(url)) as lock:
        lock.check()
        assert time.monotonic() - began < 15, "that is not at once"


def test_one_of_several_simultaneous_runs_gets_the_lock(url: str) -> None:
    begins, ends = os.pipe()
    holders = [hold(url, 20, begins=begins) for _ in range(4)]
    assert {line(holder) for holder in holders} == {"is ready"}
    os.close(ends)  # all of them begin
    os.close(begins)
    answers = [line(holder) for holder in holders]
    assert answers.count("holds") == 1, answers
    refused = [text for text in answers if "another run" in text and "is using the workspace" in text]
    assert len(refused) == 3, answers
    for holder in holders:
        holder.kill()
        holder.wait()


def test_the_lock_of_another_host_is_taken_over_after_its_lease(url: str) -> None:
    workspace = Workspace(url)
    workspace.write_bytes("_lock.json", note_of("far.1-17", time.time()))
    with pytest.raises(WorkspaceError, match="another run .process 17 on far"):
        with workspace_lock(workspace, lease_seconds=1.5):
            pass
    workspace.write_bytes("_lock.json", note_of("far.1-17", time.time() - 1.6))
    with workspace_lock(workspace, lease_seconds=1.5) as lock:
        lock.check()
    assert workspace.read("_lock.json") is None


@pytest.mark.parametrize("skew", [-7200.0, 7200.0], ids=["clock behind", "clock ahead"])
def test_a_living_holder_keeps_its_lock_although_its_clock_is_wrong(skew: float) -> None:
    workspace = Workspace(f"memory://skew{skew}")
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(0.1):
            workspace.write_bytes("_lock.json", note_of("far.1-17", time.time() + skew))

    workspace.write_bytes("_lock.json", note_of("far.1-17", time.time() + skew))
    holder = threading.Thread(target=renew)
    holder.start()
    try:
        with pytest.raises(WorkspaceError, match="another run"):
            with workspace_lock(workspace, lease_seconds=3.0):
                pass
    finally:
        ended.set()
        holder.join()
    with workspace_lock(workspace, lease_seconds=0.5) as lock:  # it ended: its clock misleads no one
        lock.check()


@pytest.mark.parametrize("ignores", ["", "INT"])
def test_a_suspended_holder_whose_lease_was_taken_over_stops(
    store: Store, tmp_path: Path, ignores: str
) -> None:
    url = f"s3://bucket/{tmp_path.name}"
    sleeper = hold(url, 60, lease=2.0, ignores=ignores)
    assert [line(sleeper), line(sleeper)] == ["is ready", "holds"]
    os.kill(sleeper.pid, signal.SIGSTOP)
    workspace = Workspace(url)
    note = json.loads(workspace.read("_lock.json") or "")
    slept = 2.5
    workspace.write_json("_lock.json", {**note, "renewed": note["renewed"] - slept})
    with workspace_lock(workspace, lease_seconds=2.0) as lock:
        os.kill(sleeper.pid, signal.SIGCONT)
        output = line(sleeper)
        assert f"lost the workspace {url}" in output
        assert f"process {os.getpid()} on" in output and "run again when the other run has ended" in output
        lock.check()
    sleeper.wait()


def test_a_machine_of_the_same_name_keeps_its_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """That its holder's process is not there means nothing on another machine."""
    workspace = Workspace("memory://same-name")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    there = f"{process_name().rpartition('-')[0]}-{gone.pid}"
    monkeypatch.setattr("paranmt.base.processes._boot", lambda: "another boot")
    _place.cache_clear()
    try:
        workspace.write_bytes("_lock.json", note_of(there, time.time()))
        with pytest.raises(WorkspaceError, match="another run"), workspace_lock(workspace):
            pass
    finally:
        _place.cache_clear()


DAMAGED = {
    "no JSON": b"it is mine",
    "cut off": note_of("far.1-17", 0.0)[:-9],
    "empty": b"",
    "a list": b"[]",
    "null": b"null",
    "no token": b"{}",
    "a token of the wrong type": b'{"token": 5}',
    "a time of the wrong type": b'{"token": "t", "renewed": "abc"}',
    "no number": b'{"token": "t", "renewed": NaN}',
    "no end": b'{"token": "t", "renewed": 1e999}',
    "a process of the wrong type": b'{"token": "t", "process": [17]}',
    "not UTF-8": b'{"token": "\xff"}',
}


@pytest.mark.parametrize("note", DAMAGED.values(), ids=DAMAGED)
def test_the_holder_of_a_damaged_note_is_unknown(note: bytes, tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    workspace.write_bytes("_lock.json", note)
    assert readable_holder(workspace) is None
    note_run(workspace, "translate", [], 0)
    running = workspace_status(str(tmp_path)).running
    assert running is not None and running.stage == "translate"
    with pytest.raises(
        DamagedNote, match=r"_lock\.json is damaged \(.*\); run again: finished parts are kept$"
    ):
        read_holder(workspace)


def test_a_lock_with_a_damaged_note_is_taken_over_after_its_lease(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workspace = Workspace(str(tmp_path))
    workspace.write_bytes("_lock.json", b'{"token": "t", "ren')
    with workspace_lock(workspace, lease_seconds=0.5) as lock:
        lock.check()
    assert "is damaged; waiting" in caplog.text
    assert workspace.read("_lock.json") is None


def test_a_living_holder_keeps_its_lock_although_its_note_is_damaged() -> None:
    workspace = Workspace("memory://damaged")
    workspace.write_bytes("_lock.json", b'{"token": "t", "ren')
    renewal = threading.Timer(0.5, workspace.write_bytes, ("_lock.json", note_of("far.1-17", time.time())))
    renewal.start()
    with pytest.raises(WorkspaceError, match="another run .process 17 on far"):
        with workspace_lock(workspace, lease_seconds=10.0):
            pass
    renewal.join()


def test_a_note_that_is_cut_off_while_it_is_watched_counts_as_renewed() -> None:
    workspace = Workspace("memory://watched")
    workspace.write_bytes("_lock.json", note_of("far.1-17", time.time() - 3600))
    renewal = threading.Timer(0.5, workspace.write_bytes, ("_lock.json", b'{"tok'))
    renewal.start()
    with pytest.raises(WorkspaceError, match="another run is using"):
        with workspace_lock(workspace, lease_seconds=30.0):
            pass
    renewal.join()


def test_a_holder_renews_its_damaged_note() -> None:
    workspace = Workspace("memory://renewed")
    with workspace_lock(workspace, lease_seconds=0.8) as lock:
        workspace.write_bytes("_lock.json", b"")
        lock.check()
        check_lease(Workspace("memory://renewed", run=RunNote("r", lease=lock.token)))  # waits for it
        holder = read_holder(workspace)
        assert holder is not None and holder.token == lock.token
    assert workspace.read("_lock.json") is None


def test_a_note_that_stays_damaged_stops_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranmt.transforms.storage.lease.UNREADABLE_NOTE_SECONDS", 0.2)
    workspace = Workspace("memory://stays-damaged", run=RunNote("r", lease="mine"))
    workspace.write_bytes("_lock.json", b"")
    with pytest.raises(DamagedNote):
        check_lease(workspace)


@pytest.mark.parametrize("there", ["a file", "a folder at _lock"])
def test_a_workspace_that_cannot_be_locked_is_an_error(there: str, tmp_path: Path) -> None:
    if there == "a file":
        (tmp_path / "work").write_text("")
    else:
        (tmp_path / "work/_lock").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match="cannot be written: .*; choose a folder that you may write to"):
        with workspace_lock(Workspace(str(tmp_path / "work"))):
            pass


def test_a_run_that_lost_the_workspace_writes_no_manifest() -> None:
    workspace = Workspace("memory://lost")
    mine = Workspace("memory://lost", run=RunNote("r", lease="mine"))
    manifest = Manifest("s", "k", {}, ())
    workspace.write_json("_lock.json", {"token": "mine"})
    write_manifest(mine, manifest)
    workspace.write_json("_lock.json", {"token": "other", "host": "h", "process": 5, "worker": "h.1-5"})
    with pytest.raises(WorkspaceError, match="lost the workspace memory://lost.*process 5 on h took it"):
        write_manifest(mine, Manifest("s", "k2", {}, ()))
    workspace.remove("_lock.json")
    with pytest.raises(WorkspaceError, match="another run took it over and has ended"):
        write_manifest(mine, Manifest("s", "k2", {}, ()))
    assert read_manifest(workspace, "s") == manifest
    assert read_manifest(workspace, "s", "k2") is None


def test_the_note_locks_a_shared_folder_without_file_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", refuse)
    workspace = Workspace(str(tmp_path))
    with workspace_lock(workspace, lease_seconds=0.6):
        assert "cannot be locked" in caplog.text
        with pytest.raises(WorkspaceError, match="another run"):
            with workspace_lock(workspace, lease_seconds=0.6):
                pass
    workspace.write_bytes("_lock.json", note_of(process_name(), time.time()))
    with pytest.raises(WorkspaceError, match="another run"):
        with workspace_lock(workspace):
            pass
