"""Full and read-only disks: one line and exit code 2, whichever library met them."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import typer
from corpus import recipe_text
from runs import load

from paranmt.base.errors import WorkspaceError
from paranmt.launch.display.console import ending
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.plan import make_plan
from paranmt.transforms.beam.stage_pipeline import Dataset, run_parts
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.storage import dataset
from paranmt.transforms.storage.disk_faults import disk_fault
from paranmt.transforms.storage.workspace import Workspace


class Part(PartWork):
    """Writes a part of some bytes that cannot be compressed."""

    stage = "score/x"

    def __init__(self, size: int) -> None:
        self.size = size

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        return pa.table({"pair_id": [task.part], "x": [os.urandom(self.size).hex()]}), {}


def do(folder: Path, size: int) -> None:
    tasks = [Task(f"c/{number}", "key", ()) for number in range(4)]
    runner, workspace = LocalRunner(workers=1), Workspace(str(folder))
    run_parts(runner, workspace, Dataset(tasks, Part(size), "key", {}), seconds=0.0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root may mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_reported_in_one_line_and_other_parts_are_kept(
    small_disk: Path,
) -> None:
    with pytest.raises(WorkspaceError, match="no space is left on the file system of") as raised:
        do(small_disk / "work", 300_000)
    assert str(small_disk) in str(raised.value) and "\n" not in str(raised.value)
    assert 1 <= len([*(small_disk / "work/score/x/c").iterdir()]) <= 3


def test_a_read_only_workspace_can_be_planned_and_inspected(small_disk: Path, tmp_path: Path) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, {"a": 30}), f"workspace={small_disk}/work")
    (small_disk / "work/ingest").mkdir(parents=True)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert make_plan(recipe).condition("ingest").state == "missing"
    assert clean(recipe, dry_run=True).removed == {}
    with pytest.raises(WorkspaceError, match=r"cannot be written: .*Read-only file system.*_lock"):
        clean(recipe)


def test_a_full_disk_is_recognised_in_an_error_of_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(table: pa.Table, file: str, **options: object) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    monkeypatch.setattr(dataset, "write_parquet", full)
    with pytest.raises(WorkspaceError, match=f"no space is left on the file system of {tmp_path}"):
        do(tmp_path, 10)


def _through_beam() -> None:
    raise RuntimeError("OSError: [Errno 28] No space left on device: '/disk/file' [while running 'x: work']")


def _from_torch() -> None:
    raise RuntimeError("[enforce fail] PytorchStreamWriter failed: No space left on device (os error 28)")


def _as_the_cause() -> None:
    raise RuntimeError("the job failed") from PermissionError(errno.EACCES, "Permission denied", "/disk/file")


def _too_large() -> None:
    raise OSError(errno.EFBIG, "Error writing bytes to file. Detail: [errno 27] File too large")


def _of_a_disk() -> None:
    raise OSError(errno.EIO, "Input/output error", "/disk/file")


@pytest.mark.parametrize(
    "raise_it, message",
    [
        (_through_beam, "no space is left on the file system of /disk; finished parts are kept"),
        (_from_torch, "no space is left on the file system of "),
        (_too_large, "a file would be larger than is allowed here: File too large; finished parts are kept"),
        (_of_a_disk, "/disk/file cannot be read or written: Input/output error; finished parts are kept"),
        (_as_the_cause, "/disk/file cannot be used: Permission denied"),
    ],
)
def test_a_command_ends_with_one_line(
    capsys: pytest.CaptureFixture[str], raise_it: Callable[[], None], message: str
) -> None:
    with pytest.raises(typer.Exit) as ended:
        ending(raise_it)()
    assert ended.value.exit_code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and message in lines[0]


def test_a_limit_on_the_size_of_files_is_named(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("cat 3 0\n")
    (tmp_path / "text").write_text("cat\n" * 1_000)
    done = subprocess.run(
        [sys.executable, "-m", "paranmt", "embed", "vectors.txt", "text", "vectors.npy"],
        cwd=tmp_path,
        # Python itself does not notice that it cannot write the rest of a compiled module.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "would be larger than is allowed here" in line
    assert not (tmp_path / "vectors.npy").exists()


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "No such file", "a"),
        ValueError("28"),
        PermissionError("no file named"),
    ],
)
def test_a_bug_stays_a_bug(error: Exception) -> None:
    assert disk_fault(error) is None
