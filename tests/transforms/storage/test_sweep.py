"""What dead processes left behind goes; what belongs to living ones stays."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paranmt.base import processes
from paranmt.base.processes import is_dead, is_of_this_host, owner, process_name
from paranmt.transforms.storage.heartbeat import HEARTBEATS, working
from paranmt.transforms.storage.run_note import RunNote
from paranmt.transforms.storage.sweep import sweep
from paranmt.transforms.storage.workspace import TEMPORARY, Workspace

HEX = "0123456789abcdef" * 2
PLACE = process_name().rpartition("-")[0]


@pytest.fixture(scope="module")
def dead() -> str:
    """The name of a process of this host that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{PLACE}-{process.pid}"


def age(path: Path, hours: float) -> None:
    then = time.time() - hours * 3600
    for each in (path, *path.rglob("*")):
        os.utime(each, (then, then))


def test_processes(dead: str) -> None:
    assert not is_dead(process_name())
    assert is_dead(dead)
    assert not is_dead(f"other-host.1-{dead.rpartition('-')[2]}"), "what it means there is not known here"
    assert owner(f"{dead}-{HEX}") == dead
    assert owner(f"my-host.3-77-{HEX}-deciles-x") == "my-host.3-77"
    assert owner(f"my-host-3.1.0f-77.123-{HEX}-score-x-2") == "my-host-3.1.0f-77.123"
    assert owner("_built-train-avg-0123456789abcdef") is None


def test_another_machine_of_the_same_name(dead: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Virtual machines made of one image have one name, and one number for their process namespace."""
    assert is_of_this_host(dead)
    monkeypatch.setattr(processes, "_boot", lambda: "another boot")
    processes._place.cache_clear()
    try:
        assert process_name().partition(".")[0] == dead.partition(".")[0]
        assert not is_of_this_host(dead)
        assert not is_dead(dead)
    finally:
        processes._place.cache_clear()


def test_names_of_the_previous_version_belong_to_no_known_host(dead: str) -> None:
    """They had no boot: only the time since their last sign of life tells."""
    place, _, number = dead.rpartition("-")
    former = f"{place.rpartition('.')[0]}-{number}"
    assert owner(f"{former}-{HEX}") == former
    assert not is_dead(former)


def test_without_a_known_boot_no_process_counts_as_dead(dead: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_boot", lambda: "")
    processes._place.cache_clear()
    try:
        number = dead.rpartition("-")[2]
        assert not is_dead(f"{process_name().rpartition('-')[0]}-{number}")
    finally:
        processes._place.cache_clear()


def test_a_process_whose_number_was_used_again_is_dead() -> None:
    name, _, started = process_name().rpartition(".")
    assert not is_dead(name), "a name without a start is judged by its number"
    assert is_dead(f"{name}.{int(started) - 1}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_another_users_process_is_alive() -> None:
    code = (
        "import os, sys; from paranmt.base.processes import is_dead, process_name; "
        "process_name(); os.seteuid(65534); print(is_dead(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code, process_name()], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_a_local_workspace(tmp_path: Path, dead: str) -> None:
    workspace = Workspace(str(tmp_path))
    temporary = workspace.scratch_folder("_built-train-avg-0123456789abcdef").parent
    (temporary / "_built-train-avg-0123456789abcdef/epoch-1").write_text("a training's checkpoint")
    stay = [f"{process_name()}-{HEX}", f"far.1-5-{HEX}", f"far.1-6-{HEX}", f"far.1-7-{HEX}"]
    gone = [f"{dead}-{HEX}", f"far.1-8-{HEX}"]
    for name in (*stay, *gone):
        (temporary / name).write_text("half a part")
    (temporary / f"{dead}-{HEX[::-1]}").mkdir()
    (temporary / f"{dead}-{HEX[::-1]}/file").write_text("half a model")
    age(temporary / f"far.1-6-{HEX}", 23)
    age(temporary / f"far.1-8-{HEX}", 25)
    # This one is old, but its process gave a sign of life an hour ago.
    age(temporary / f"far.1-7-{HEX}", 30)
    beats = tmp_path / HEARTBEATS
    beats.mkdir()
    for name, hours in {"far.1-7": 1, "far.1-9": 25, dead: 0, process_name(): 30}.items():
        (beats / f"{name}.json").write_text("{}")
        age(beats / f"{name}.json", hours)
    assert sweep(workspace) == 6
    assert {path.name for path in temporary.iterdir()} == {*stay, "_built-train-avg-0123456789abcdef"}
    assert {path.name for path in beats.iterdir()} == {"far.1-7.json"}


def test_a_workspace_in_memory(tmp_path: Path, dead: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    workspace = Workspace("memory://swept")
    for process in (dead, process_name()):
        workspace.write_bytes(f"{TEMPORARY}/{process}-{HEX}-deciles", b"x")
        workspace.scratch.mkdir(exist_ok=True)
        (workspace.scratch / f"{process}-{HEX}").write_text("x")
    assert sweep(workspace) == 2
    assert set(workspace.sizes(TEMPORARY)) == {f"{TEMPORARY}/{process_name()}-{HEX}-deciles"}
    assert [path.name for path in workspace.scratch.iterdir()] == [f"{process_name()}-{HEX}"]


def test_a_long_unit_keeps_giving_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranmt.transforms.storage.heartbeat.EVERY_SECONDS", 0.1)
    monkeypatch.setattr("paranmt.transforms.storage.heartbeat._last", 0.0)
    monkeypatch.setattr("paranmt.transforms.storage.heartbeat._threads", [])
    workspace = Workspace("memory://beats", run=RunNote("run-7"))
    name = f"{HEARTBEATS}/{process_name()}.json"
    with working(workspace, "translate", "news/a-00001"):
        first = workspace.read_json(name)
        assert isinstance(first, dict)
        assert (first["run"], first["stage"], first["part"]) == ("run-7", "translate", "news/a-00001")
        deadline = time.monotonic() + 30
        while workspace.read_json(name) == first and time.monotonic() < deadline:
            time.sleep(0.02)
        later = workspace.read_json(name)
        assert isinstance(later, dict) and later["time"] > first["time"]
        assert later["since"] == first["since"]
