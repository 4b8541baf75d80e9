"""What tasks took, by phase, in the manifests."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from paranmt.launch.runners.local import LocalRunner
from paranmt.transforms.beam.stage_pipeline import Dataset, run_parts
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.beam.timing import phase, task_seconds
from paranmt.transforms.storage.dataset import read_manifest
from paranmt.transforms.storage.workspace import Workspace


@dataclass(frozen=True)
class Same(PartWork):
    stage: str = "same"

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        return pa.table({"pair_id": [task.part]}), {}


def timed(workspace: Workspace, n: int) -> list[set[str]]:
    tasks = [Task(f"c/f-{number:02d}", "k", ()) for number in range(n)]
    run_parts(LocalRunner(), workspace, Dataset(tasks, Same(), f"k{n}", {}), seconds=0.0)
    manifest = read_manifest(workspace, "same")
    assert manifest is not None
    return [set(entry.seconds) for entry in manifest.parts]


def test_the_manifest_says_what_each_part_took(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    assert timed(workspace, 3) == [{"work"}] * 3
    assert timed(workspace, 4) == [set(), set(), set(), {"work"}]  # those found there took nothing


def test_phases_are_apart_from_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 3.0, 4.0, 8.0, 20.0, 21.0])
    monkeypatch.setattr("paranmt.transforms.beam.timing.time.perf_counter", lambda: next(clock))
    with task_seconds() as seconds:
        with phase("load"):
            pass
        with phase("read"):
            pass
    assert seconds == {"load": 2.0, "read": 4.0, "work": 14.0}
    with phase("load"):  # outside of a task nobody counts
        pass
