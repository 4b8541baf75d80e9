"""Checkpoints of trainings outlive their host, and are removed when nothing is left to do."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import object_store

from paranmt.base.errors import WorkspaceError
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.training import trainer
from paranmt.models.training.scratch import CHECKPOINT
from paranmt.models.training.train_options import TrainOptions
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.pair_files import PairFileOptions
from paranmt.transforms.storage import checkpoints
from paranmt.transforms.storage.checkpoints import resumable
from paranmt.transforms.storage.lease import LOCK_FILE
from paranmt.transforms.storage.run_note import RunNote
from paranmt.transforms.storage.workspace import TEMPORARY, Workspace
from paranmt.transforms.trainings.training_encoders import TrainEncoder

KEY = "0123456789abcdef"
STORED = f"{TEMPORARY}/job/{CHECKPOINT}"


def job(pairs: Path) -> TrainEncoder:
    options = TrainOptions(
        encoder=AveragingOptions(dimension=4, word_dropout=0.2), epochs=4, batch=4, mega_batch=3, device="cpu"
    )
    return TrainEncoder("_built/train/avg", (), None, options, pairs=PairFileOptions(path=str(pairs)))


KILLED = f"""
import os, signal, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_checkpoints import KEY, Path, TEMPORARY, Task, Workspace, checkpoints, job
from paranmt.transforms.trainings import training_encoders

workspace = Workspace(sys.argv[1])
checkpoints.STORE_SECONDS = 0.05

class Killing:
    def __call__(self, progress):
        if progress.epoch == 3:
            end = time.monotonic() + 30
            while not workspace.sizes(TEMPORARY) and time.monotonic() < end:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGKILL)

training_encoders.TrainingShown = Killing
job(Path(sys.argv[2]))(workspace, Task("", KEY, ()))
"""


@pytest.fixture
def on_s3() -> Iterator[None]:
    with object_store():
        yield


def test_a_killed_training_goes_on_on_another_host(
    on_s3: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"the thing{i % 10} stood {i}\tthere was thing{i % 7}\n" for i in range(24)))
    hosts = {name: tmp_path / name for name in ("first", "second")}
    for folder in hosts.values():
        folder.mkdir()
    workspace, alone = Workspace("s3://bucket/work"), Workspace(str(tmp_path / "alone"))
    task = Task("", KEY, ())
    undisturbed = job(pairs)(alone, task)

    environment = {**os.environ, "TMPDIR": str(hosts["first"])}
    support = os.pathsep.join([*sys.path, str(Path(__file__).parents[2] / "support")])
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, workspace.url, str(pairs)],
        env={**environment, "PYTHONPATH": support},
        capture_output=True,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert list(workspace.sizes(TEMPORARY)) == [f"{TEMPORARY}/_built-train-avg-{KEY}/{CHECKPOINT}"]

    results: list[trainer.TrainResult] = []

    def train(*arguments: object, **options: object) -> trainer.TrainResult:
        results.append(train_encoder(*arguments, **options))  # type: ignore[arg-type]
        return results[-1]

    train_encoder = trainer.train_encoder
    monkeypatch.setattr(trainer, "train_encoder", train)
    monkeypatch.setattr("tempfile.tempdir", str(hosts["second"]))
    entries = job(pairs)(workspace, task)
    assert [result.resumed_from_epoch > 0 for result in results] == [True]
    assert [(entry.part, entry.checksum) for entry in entries] == [
        (entry.part, entry.checksum) for entry in undisturbed
    ]
    assert not workspace.sizes(TEMPORARY), "finished work leaves no checkpoint"


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace that is on no disk of this host."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return Workspace(f"memory://{tmp_path.name}")


class Killed(Exception):
    """Ends an attempt."""


def attempt(workspace: Workspace, content: str, part: str = "") -> None:
    """An attempt at some work that leaves a checkpoint."""
    with pytest.raises(Killed), resumable(workspace, "job") as scratch:
        (scratch / part).mkdir(exist_ok=True)
        (scratch / part / CHECKPOINT).write_text(content)
        (scratch / "other").write_text("large, and made again")
        raise Killed


def test_an_interrupted_training_stores_its_checkpoints(
    store: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt(store, "for cs", "cs")
    attempt(store, "for de", "de")
    assert list(store.sizes(TEMPORARY)) == [f"{TEMPORARY}/job/{part}/{CHECKPOINT}" for part in ("cs", "de")]
    (tmp_path / "other host").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "other host"))
    with resumable(store, "job") as scratch:
        assert [(scratch / part / CHECKPOINT).read_text() for part in ("cs", "de")] == ["for cs", "for de"]
        assert not (scratch / "other").exists()
    assert not store.sizes(TEMPORARY) and not scratch.exists()


def test_the_newer_checkpoint_is_taken(store: Workspace) -> None:
    attempt(store, "stored")
    local = store.scratch_folder("job") / CHECKPOINT
    local.write_text("later, on this host")
    os.utime(local, (2e9, 2e9))
    with pytest.raises(Killed), resumable(store, "job") as scratch:
        assert (scratch / CHECKPOINT).read_text() == "later, on this host"
        raise Killed
    assert store.read(STORED) == b"later, on this host"
    os.utime(local, (1, 1))
    store.write_bytes(STORED, b"later, on another host")
    with resumable(store, "job") as scratch:
        assert (scratch / CHECKPOINT).read_text() == "later, on another host"


def test_checkpoints_that_training_removed_are_not_kept(store: Workspace) -> None:
    for removed, written in ((), ("1.pt", "2.pt")), (("1.pt",), ("3.pt", "log.txt")):
        with pytest.raises(Killed), resumable(store, "job", "*.pt") as scratch:
            for name in removed:
                (scratch / name).unlink()
            for name in written:
                (scratch / name).write_text(name)
            raise Killed
    assert list(store.sizes(TEMPORARY)) == [f"{TEMPORARY}/job/{name}" for name in ("2.pt", "3.pt")]


def test_a_checkpoint_is_stored_once(store: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    put: list[str] = []
    monkeypatch.setattr(Workspace, "put", lambda workspace, file, name: put.append(file.read_text()))
    monkeypatch.setattr(checkpoints, "STORE_SECONDS", 0.01)
    with resumable(store, "job") as scratch:
        for content in ("first", "second"):
            (scratch / "new").write_text(content)
            (scratch / "new").rename(scratch / CHECKPOINT)
            end = time.monotonic() + 30
            while content not in put and time.monotonic() < end:
                time.sleep(0.01)
    assert put == ["first", "second"]


@pytest.mark.parametrize("place", ["on a disk", "in a store"])
def test_who_lost_the_workspace_neither_stores_nor_removes(
    store: Workspace, tmp_path: Path, place: str
) -> None:
    url = store.url if place == "in a store" else str(tmp_path / "work")
    attempt(Workspace(url), "the new holder's")
    loser = Workspace(url, RunNote("run", lease="lost"))
    loser.write_json(LOCK_FILE, {"token": "the new holder"})
    if place == "in a store":
        attempt(loser, "of a process that slept")
        assert loser.read(STORED) == b"the new holder's"
    with pytest.raises(WorkspaceError, match="lost the workspace"), resumable(loser, "job"):
        pass
    assert loser.read(STORED) == b"the new holder's"


def test_a_store_that_refuses_costs_no_training(
    store: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.EBUSY, "busy")

    monkeypatch.setattr(Workspace, "put", refuse)
    attempt(store, "not stored")
    assert "no checkpoint was stored" in caplog.text and "busy" in caplog.text
