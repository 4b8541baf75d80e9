"""The one pipeline that stages are, and what their workers leave behind."""

import ast
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

import paranmt
from paranmt.base.errors import InputError, RunnerError
from paranmt.launch.runners.local import LocalRunner
from paranmt.launch.runners.spark import SparkRunner
from paranmt.transforms.beam import submission
from paranmt.transforms.beam.stage_pipeline import Dataset, run_fold, run_parts
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.storage.dataset import (
    adopt_part,
    read_columns,
    read_joined,
    read_manifest,
    write_part,
)
from paranmt.transforms.storage.workspace import Workspace

ROOT = Path(paranmt.__file__).parent
SUBSET = {"Create", "Reshuffle", "ParDo", "CombineGlobally", "DoFn", "CombineFn", "Pipeline", "metrics"}


@dataclass(frozen=True)
class Double(PartWork):
    """Makes a table that depends on the part's name; fails for certain names."""

    stage: str = "double"
    wrong: str = ""

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        if task.part == self.wrong:
            raise InputError(f"{task.part} cannot be doubled")
        with open(workspace.path("attempts"), "a") as log:
            log.write(task.part + "\n")
        number = int(task.part[-2:])
        return pa.table({"pair_id": [f"p:{number}"], "value": [2 * number]}), {"made": 1}


@dataclass(frozen=True)
class Count:
    """Counts tasks."""

    stage: str = "count"

    def __call__(self, workspace: Workspace, task: int) -> int:
        return task


def tasks(n: int, key: str = "k") -> list[Task]:
    return [Task(f"c/f-{i:02d}", key, ()) for i in range(n)]


def do(
    workspace: Workspace, work: Double, n: int = 12, key: str = "K", seconds: float = 0.0, options: str = ""
) -> None:
    runner = LocalRunner(workers=2, beam_options=tuple(options.split()))
    run_parts(runner, workspace, Dataset(tasks(n), work, key, {"a": 1}), seconds=seconds)


def attempts(folder: Path) -> list[str]:
    return (folder / "attempts").read_text().split()


@pytest.mark.parametrize(
    ("seconds", "options"),
    [(0.0, ""), (0.0, "--direct_running_mode=in_memory"), (1000.0, "")],
    ids=["without Beam", "by Beam in this process", "in processes"],
)
def test_every_task_is_done_once_and_listed_in_order(
    tmp_path: Path, seconds: float, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where workers find `Double`.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    workspace = Workspace(str(tmp_path))
    do(workspace, Double(), seconds=seconds, options=options)
    manifest = read_manifest(workspace, "double")
    assert manifest is not None
    assert [entry.part for entry in manifest.parts] == [task.part for task in tasks(12)]
    assert manifest.counts == {"made": 12}
    assert sorted(attempts(tmp_path)) == sorted(task.part for task in tasks(12))
    assert read_columns(workspace, manifest.parts[7].file)["value"].to_pylist() == [14]


class Translated(Double):
    """Counts three tokens a part, and a halved batch in the first one."""

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        table, counts = super().make(workspace, task)
        return table, {**counts, "tokens": 3, **({"halvings": 1} if task.part.endswith("00") else {})}


def test_the_pages_of_a_runner_show_pairs_tokens_and_halvings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair of several datasets that are made together counts once."""
    results, run = [], beam.Pipeline.run

    def kept(pipeline: beam.Pipeline) -> object:
        results.append(run(pipeline))
        return results[-1]

    monkeypatch.setattr(beam.Pipeline, "run", kept)
    runner = LocalRunner(workers=1, beam_options=("--direct_running_mode=in_memory",))
    datasets = [Dataset(tasks(5, key), Translated(stage), key, {}) for stage, key in (("a", "k"), ("b", "l"))]
    run_parts(runner, Workspace(str(tmp_path)), *datasets, seconds=0.0)
    found = results[-1].metrics().query()["counters"]
    counters = {(each.key.step, each.key.metric.name): each.committed for each in found}
    step = "a: work"
    assert counters == {(step, "pairs"): 5, (step, "tokens"): 30, (step, "halvings"): 2}


def test_finished_parts_are_adopted(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    do(workspace, Double(), n=5)
    first = read_manifest(workspace, "double")
    do(workspace, Double(), n=12)
    second = read_manifest(workspace, "double")
    assert len(attempts(tmp_path)) == 12
    assert first is not None and second is not None
    assert second.parts[:5] == first.parts


def test_several_datasets_are_made_in_one_job(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    datasets = [Dataset(tasks(5, key), Double(stage), key, {}) for stage, key in (("a", "k"), ("b", "l"))]
    run_parts(LocalRunner(workers=1), workspace, *datasets, seconds=0.0)
    for made in datasets:
        manifest = read_manifest(workspace, made.work.stage, made.key)
        assert manifest is not None
        assert [(entry.part, entry.key) for entry in manifest.parts] == [(u.part, u.key) for u in made.tasks]
    # Both datasets of a part are made before the next part.
    assert [attempt for attempt, _ in itertools.groupby(attempts(tmp_path))] == sorted(
        set(attempts(tmp_path))
    )


def test_a_mistake_in_one_dataset_keeps_the_parts_of_the_others(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    datasets = [
        Dataset(tasks(4), Double(stage, wrong), "K", {}) for stage, wrong in (("a", ""), ("b", "c/f-02"))
    ]
    with pytest.raises(InputError, match="cannot be doubled"):
        run_parts(LocalRunner(workers=1), workspace, *datasets, seconds=0.0)
    assert [read_manifest(workspace, stage) for stage in ("a", "b")] == [None, None]
    assert [len(workspace.sizes(stage)) for stage in ("a", "b")] == [4, 3]


def test_a_cut_off_part_is_made_again(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    do(workspace, Double(), n=3)
    file = tmp_path / "double/c/f-01-k.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:-40])
    assert adopt_part(workspace, "double", "c/f-01", "k") is None
    do(workspace, Double(), n=3)
    assert file.read_bytes() == content


def test_a_part_of_another_name_is_not_adopted(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    do(workspace, Double(), n=2)
    (tmp_path / "double/c/f-00-k.parquet").replace(tmp_path / "double/c/f-01-k.parquet")
    assert adopt_part(workspace, "double", "c/f-01", "k") is None


def test_a_mistake_on_a_worker_reaches_the_user_and_the_other_parts_are_kept(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    with pytest.raises(InputError, match=r"^c/f-04 cannot be doubled$"):
        do(workspace, Double(wrong="c/f-04"))
    assert read_manifest(workspace, "double") is None
    assert len(attempts(tmp_path)) == 11
    do(workspace, Double())
    assert len(attempts(tmp_path)) == 12


def test_results_are_folded_in_any_order(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    content = run_fold(
        LocalRunner(),
        workspace,
        list(range(100)),
        Count(),
        lambda a, b: a + b,
        lambda n: str(n).encode(),
        0.0,
    )
    assert content == b"4950"


def test_joining_checks_the_pairs(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    one = write_part(workspace, "one", "p", "k", pa.table({"pair_id": ["a", "b"], "x": [1, 2]}))
    two = write_part(workspace, "two", "p", "k", pa.table({"pair_id": ["a", "b"], "y": [3, 4]}))
    bad = write_part(workspace, "bad", "p", "k", pa.table({"pair_id": ["b", "a"], "z": [5, 6]}))
    joined = read_joined(workspace, {one.file: ["x"], two.file: None})
    assert joined.to_pydict() == {"pair_id": ["a", "b"], "x": [1, 2], "y": [3, 4]}
    with pytest.raises(Exception, match="do not hold the same pairs in the same order"):
        read_joined(workspace, {one.file: ["x"], bad.file: None})


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    table = pa.table({"pair_id": [str(i) for i in range(1000)], "x": [float(i) for i in range(1000)]})
    workspace = Workspace(str(tmp_path))
    first = write_part(workspace, "s", "p", "k", table, {"a": 1, "b": 2})
    content = (tmp_path / first.file).read_bytes()
    second = write_part(
        workspace,
        "s",
        "p",
        "k",
        pa.concat_tables([table[:10], table[10:]]).combine_chunks(),
        {"b": 2, "a": 1},
    )
    assert (tmp_path / second.file).read_bytes() == content
    assert first == second


def test_stages_use_only_what_every_runner_does_right() -> None:
    """Tagged outputs, second branches and state are dropped silently on some runners.

    So are metrics, which are for the runners' own pages alone.
    """
    used = set()
    for file in (ROOT / "transforms").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "beam"
            ):
                used.add(node.attr)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("apache_beam"):
                used.add(f"from {node.module}")
            if isinstance(node, ast.FunctionDef | ast.Attribute):
                name = node.name if isinstance(node, ast.FunctionDef) else node.attr
                assert name not in ("finish_bundle", "start_bundle", "with_outputs"), (
                    f"{file.name} uses {name}"
                )
    assert used - SUBSET == set()
    assert used >= {"Create", "Reshuffle", "ParDo", "CombineGlobally"}


@dataclass
class Failing:
    """A cluster whose jobs fail for a while, each after a few more parts."""

    failures: int
    parts_a_job: int
    jobs: int = 0
    name: str = "failing"
    elsewhere: bool = True

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "Failing":
        self.jobs += 1
        return self

    def work(self, workspace: Workspace) -> None:
        for number in range((self.jobs - 1) * self.parts_a_job, self.jobs * self.parts_a_job):
            workspace.write_json(f"double/{number}.json", {})
        if self.jobs <= self.failures:
            raise RuntimeError(f"worker {self.jobs} was lost\nat line 7")


@pytest.mark.parametrize(
    ("failures", "parts_a_job", "jobs"),
    [(0, 0, 1), (2, 0, 3), (3, 0, None), (9, 1, 10)],
    ids=["none", "two", "always", "while it gets on"],
)
def test_a_failed_job_is_submitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: int, parts_a_job: int, jobs: int | None
) -> None:
    monkeypatch.setattr(submission, "PAUSE_SECONDS", 0.0)
    workspace, cluster = Workspace(str(tmp_path)), Failing(failures, parts_a_job)

    def submit() -> None:
        cluster.pipeline("double", 1, 0.0).work(workspace)

    again = partial(submission.outlive_failures, submit, lambda: len(workspace.sizes("double")), "double")
    if jobs is None:
        with pytest.raises(RuntimeError, match="worker 3 was lost"):
            again()
        assert cluster.jobs == submission.TRIES
    else:
        again()
        assert cluster.jobs == jobs


def test_a_driver_waits_for_a_busy_cluster(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Spark's job server refuses a job while that of a driver which is dead goes on."""
    monkeypatch.setattr(submission, "PAUSE_SECONDS", 0.0)
    refusal = "java.lang.IllegalStateException: Only one SparkContext should be running in this JVM"

    def after(*answers: str) -> Callable[[], None]:
        left = iter(answers)

        def submit() -> None:
            for answer in left:
                raise RuntimeError(answer)

        return submit

    submission.when_free(after(*[refusal] * 5), SparkRunner().is_busy, "translate")
    assert [record.message for record in caplog.records] == [
        "translate: waiting for a job that an earlier run left on the cluster"
    ]
    with pytest.raises(RuntimeError, match="out of disk"):
        submission.when_free(after(refusal, "out of disk"), SparkRunner().is_busy, "translate")
    with pytest.raises(RuntimeError, match="Only one"):
        submission.when_free(after(refusal), LocalRunner().is_busy, "translate")
    monkeypatch.setattr(submission, "BUSY_SECONDS", -1.0)
    with pytest.raises(RuntimeError, match="Only one"):
        submission.when_free(after(refusal), SparkRunner().is_busy, "translate")


def test_a_job_without_a_result_counts_as_lost(tmp_path: Path) -> None:
    """As Dask tells of a job whose scheduler was killed."""

    class Lost(LocalRunner):
        def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> beam.Pipeline:
            class Nothing(FnApiRunner):
                def run_pipeline(self, pipeline: object, options: object) -> object:
                    return super().run_pipeline(beam.Pipeline(), options)

            return beam.Pipeline(runner=Nothing())

    workspace = Workspace(str(tmp_path))
    with pytest.raises(RunnerError, match="double: the runner local reports that its job is done, but"):
        run_parts(Lost(), workspace, Dataset(tasks(2), Double(), "K", {}), seconds=0.0)
    with pytest.raises(RunnerError, match="there is no result"):
        run_fold(Lost(), workspace, range(3), Count(), int.__add__, lambda total: b"%d" % total, 0.0)
