"""What every stage is: tasks, the work on each, a merge of the results, and one step that writes them.

Workers do the tasks of the Beam graph of `stage_graph`, or this process does, one after the other. Only
descriptors, counts and histograms pass between these steps; never text. If a worker finds a user's mistake,
it sends a `Failure` to the driver; a bug stops the job.
"""

import contextlib
import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...base import errors, interrupts
from ...base.errors import RunnerError
from ...base.logs import about, log_on_worker
from ...base.processes import process_name, sweep_folder
from ..storage.dataset import Entry, Manifest, read_manifest, sorted_entries, write_manifest
from ..storage.disk_faults import disk_fault
from ..storage.heartbeat import working
from ..storage.run_note import RunNote
from ..storage.workspace import TEMPORARY, Workspace
from .runner import Runner
from .single_job import SingleJob
from .submission import outlive_failures, when_free
from .task_work import COUNTERS, Failure, Outcome, Task, Work, in_common

if TYPE_CHECKING:
    import apache_beam as beam

logger = logging.getLogger(__name__)

U = TypeVar("U")
R = TypeVar("R")


@dataclass(frozen=True)
class Dataset(Generic[U]):
    """A dataset to make, a part from each task.

    inputs: for each stage that is read, the `content` of its dataset; goes into the manifest. order: the
    parts' names in order, if they are known before the work is done; otherwise parts have the order of the
    tasks.
    """

    tasks: Sequence[U]
    work: Work[U, list[Entry]]
    key: str
    ingredients: dict[str, object]
    inputs: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] | None = None


def run_parts(
    runner: Runner,
    workspace: Workspace,
    *datasets: Dataset[Any],
    seconds: float,
    gpu: bool = False,
    turns: Sequence[Sequence[int]] = (),
) -> None:
    """Process every task and write the datasets' manifests.

    Several datasets are made in one job, if all have as many tasks: for each position, the tasks of all of
    them are processed one after the other in the same process, so that they can share what they read.
    seconds, gpu: see `Runner.pipeline`. turns: the positions of the tasks, in groups of which one is finished
    before the next begins. If a worker found a user's mistake, its error is raised here.
    """
    works = tuple(dataset.work for dataset in datasets)
    plans = [(made.work.stage, made.key, made.ingredients, made.inputs, made.order) for made in datasets]

    def write(workspace: Workspace, results: list[tuple[int, list[list[Entry]]]]) -> None:
        in_order = sorted(results, key=lambda result: result[0])
        for index, (stage, key, ingredients, inputs, order) in enumerate(plans):
            entries = tuple(entry for _, made in in_order for entry in made[index])
            parts = sorted_entries(entries, order) if order else entries
            write_manifest(workspace, Manifest(stage, key, ingredients, parts, dict(inputs)))

    def made() -> bool:
        manifests = ((read_manifest(workspace, stage), key) for stage, key, *_ in plans)
        return all(manifest is not None and manifest.key == key for manifest, key in manifests)

    elements = list(enumerate(zip(*(dataset.tasks for dataset in datasets), strict=True)))
    stages = [work.stage for work in works]
    if len(turns) > 1:
        numbered = _Numbered(works)
        results: list[tuple[int, list[list[Entry]]]] = []
        for positions in turns:
            some, share = [elements[position] for position in positions], len(positions) / len(elements)
            content = run_fold(
                runner, workspace, some, numbered, _extend, _encoded, seconds * share, gpu, stages=stages
            )
            results += _decoded(content)
        write(workspace, results)
        return
    _run(runner, workspace, stages, elements, _Numbered(works), _extend, write, made, seconds, gpu)


def run_single_job(
    workspace: Workspace,
    work: SingleJob,
    task: Task,
    ingredients: dict[str, object],
    runner: Runner | None,
    gpu: bool = False,
    inputs: Mapping[str, str] | None = None,
) -> None:
    """Run a single job, in this process or, with a `runner`, as one task on a worker.

    gpu: whether the work needs a GPU for itself. inputs: see `Dataset`.
    """
    if runner is not None:
        dataset = Dataset([task], work, task.key, ingredients, inputs or {})
        run_parts(runner, workspace, dataset, seconds=0.0, gpu=gpu)
        return
    with working(workspace, work.stage, ""):
        entries = tuple(work(workspace, task))
    write_manifest(workspace, Manifest(work.stage, task.key, ingredients, entries, dict(inputs or {})))


def run_fold(
    runner: Runner,
    workspace: Workspace,
    tasks: Sequence[U],
    work: Work[U, R],
    merge: Callable[[R, R], R],
    encode: Callable[[R], bytes],
    seconds: float,
    gpu: bool = False,
    resubmit: bool = True,
    stages: Sequence[str] = (),
) -> bytes:
    """Process every task, merge their results pairwise in any order, and return the result to the driver.

    merge: may change its first argument. encode: makes the bytes that are sent to the driver. resubmit:
    whether to submit the job again if a cluster fails. stages: whose parts are made, if not those of `work`.
    """
    result = f"{TEMPORARY}/{process_name()}-{uuid.uuid4().hex}-{work.stage.replace('/', '-')}"

    def write(workspace: Workspace, merged: R) -> None:
        workspace.write_bytes(result, encode(merged))

    content: bytes | None = None

    def made() -> bool:
        nonlocal content
        content = workspace.read(result)
        return content is not None

    named = stages or [work.stage]
    _run(runner, workspace, named, tasks, work, merge, write, made, seconds, gpu, resubmit)
    assert content is not None, "without a result, _run has raised an error"
    workspace.remove(result)
    return content


def _run(
    runner: Runner,
    workspace: Workspace,
    stages: Sequence[str],
    tasks: Sequence[U],
    work: Callable[[Workspace, U], R],
    merge: Callable[[R, R], R],
    write: Callable[[Workspace, R], None],
    made: Callable[[], bool],
    seconds: float,
    gpu: bool,
    resubmit: bool = True,
) -> None:
    label = stages[0]
    failed = f"{label}/_failed.json"
    workspace.remove(failed)

    def parts() -> int:
        return sum(len(workspace.sizes(stage)) for stage in stages)

    steps = _Process(workspace, label, work), _Merge(merge), _Write(workspace, failed, write)

    def submit() -> None:
        pipeline = runner.pipeline(label, len(tasks), seconds, gpu)
        if pipeline is None:
            _do(tasks, *steps)
        else:
            from .stage_graph import build

            build(pipeline, label, tasks, *steps, _counters)
            _finish(pipeline, runner.elsewhere)
        # Dask reports success for a job whose scheduler died.
        if not made() and workspace.read(failed) is None:
            workspace.write_json(failed, [])  # on a full disk this fails, as the worker's write did
            workspace.remove(failed)
            raise RunnerError(
                f"{label}: the runner {runner.name} reports that its job is done, but there is no result; "
                "check that the cluster is running, and run again: finished parts are kept"
            )

    def submit_when_free() -> None:
        when_free(submit, runner.is_busy, label)

    if runner.elsewhere and resubmit:
        outlive_failures(submit_when_free, parts, label)
    else:
        submit_when_free()
    _raise_failure(workspace, failed)


def _do(tasks: Sequence[U], process: "_Process[U, R]", merge: "_Merge[R]", write: "_Write[R]") -> None:
    """Do a stage's work in this process."""
    outcome: Outcome[R] = (None, ())
    for task in tasks:
        outcome = merge(outcome, process(task))
        interrupts.check()
    write(outcome)


def _finish(pipeline: "beam.Pipeline", elsewhere: bool) -> None:
    """Run a job to its end. An interrupted driver cancels its job, or a cluster would continue it."""
    result = None
    try:
        # The cluster may already have the job before its submission returns.
        with interrupts.deferred() if elsewhere else contextlib.nullcontext():
            result = pipeline.run()
        # SIGINT ends Beam's job servers, and then their job could no longer be cancelled.
        interrupts.listen_again()
        interrupts.check()
        result.wait_until_finish()
        interrupts.check()
    except BaseException:
        if result is not None and interrupts.is_interrupted():
            # Report the interrupt, whatever error the runner raises.
            with interrupts.deferred(), contextlib.suppress(Exception):
                result.cancel()
        raise


def _extend(merged: list[R], more: list[R]) -> list[R]:
    merged.extend(more)
    return merged


def _encoded(results: list[tuple[int, list[list[Entry]]]]) -> bytes:
    made = [(position, [list(map(asdict, some)) for some in entries]) for position, entries in results]
    return json.dumps(made).encode()


def _decoded(content: bytes) -> list[tuple[int, list[list[Entry]]]]:
    return [
        (position, [[Entry(**entry) for entry in some] for some in entries])
        for position, entries in json.loads(content)
    ]


@dataclass(frozen=True)
class _Numbered:
    """Work on the tasks of one position, which it returns too: manifests follow the order of the tasks."""

    works: tuple[Work[Any, list[Entry]], ...]

    @property
    def stage(self) -> str:
        return self.works[0].stage

    def __call__(
        self, workspace: Workspace, task: tuple[int, tuple[Any, ...]]
    ) -> list[tuple[int, list[list[Entry]]]]:
        position, tasks = task
        made = []
        with in_common():
            for work, own in zip(self.works, tasks, strict=True):
                with about(stage=work.stage):
                    made.append(work(workspace, own))
        return [(position, made)]


@dataclass(frozen=True)
class _Process(Generic[U, R]):
    """Processes one task, and shows in a heartbeat file what this worker is working on."""

    workspace: Workspace
    stage: str
    work: Callable[[Workspace, U], R]

    def __call__(self, task: U) -> Outcome[R]:
        workspace, run = self.workspace, self.workspace.run
        _start_process(workspace.url, run)
        part = _part_of(task)
        started = time.time()
        with working(workspace, self.stage, part), about(run=run and run.id, stage=self.stage, part=part):
            try:
                if run is not None:
                    run.check_budget()
                result = self.work(workspace, task)
            except errors.BudgetError as error:
                return None, (Failure(type(error).__name__, str(error)),)
            except errors.UserError as error:
                logger.error("%s", error, extra={"facts": {"kind": type(error).__name__}})
                files = error.files if isinstance(error, errors.DamagedError) else ()
                return None, (Failure(type(error).__name__, str(error), files),)
            except Exception as error:
                fault = disk_fault(error, _folder(workspace))
                if fault is None:
                    logger.exception("the part failed with an unexpected error")
                    raise
                logger.error("%s", fault)
                return None, (Failure("WorkspaceError", fault),)
            logger.info("part done", extra={"facts": _facts(result, time.time() - started)})
        return result, ()


def _folder(workspace: Workspace) -> str | None:
    return workspace.path("") if workspace.is_local else None


@cache
def _start_process(url: str, run: RunNote | None) -> None:
    """Prepare a worker process before its first task of a run."""
    if run is None:
        return
    workspace = Workspace(url)
    if not workspace.is_local:
        sweep_folder(workspace.scratch)  # on this host; the driver sweeps the workspace itself
    log_on_worker(log_file(workspace, run), run.log_level)


def log_file(workspace: Workspace, run: RunNote) -> str | None:
    """The file in the workspace to which this process logs a run; None if files cannot be appended to."""
    return workspace.path(f"_logs/{run.id}/{process_name()}.jsonl") if workspace.is_local else None


def _part_of(task: object) -> str:
    # Tasks that make parts come with their position, one for each dataset; tasks of `run_fold` do not.
    task = task[1][0] if isinstance(task, tuple) else task
    return str(getattr(task, "part", ""))


def _made(result: object) -> list[list[Entry]]:
    """The entries of each dataset of a task's result, if parts were made."""
    numbered = result if isinstance(result, list) else []
    return [entries for _, made in numbered for entries in made]


def _counters(outcome: Outcome[R]) -> dict[str, int]:
    """The pairs of a task, and how many tokens they were translated to and how often batches were halved."""
    made = _made(outcome[0])
    if not made:
        return {}
    # The datasets that are made together have the same pairs.
    pairs = max(sum(entry.rows for entry in entries) for entries in made)
    counts = Counter({"pairs": pairs})
    for entry in (entry for entries in made for entry in entries):
        counts.update({name: entry.counts[name] for name in COUNTERS if name in entry.counts})
    return dict(counts)


def _facts(result: object, seconds: float) -> dict[str, object]:
    """Facts about a task's result for the log: its seconds, and the rows, bytes and counts of its parts."""
    entries = [entry for entries in _made(result) for entry in entries]
    facts: dict[str, object] = {"seconds": round(seconds, 3)}
    if entries:
        facts |= {"rows": sum(entry.rows for entry in entries), "bytes": sum(e.bytes for e in entries)}
        counts: Counter[str] = Counter()
        for entry in entries:
            counts.update(entry.counts)
        facts["counts"] = dict(sorted(counts.items()))
    return facts


@dataclass(frozen=True)
class _Merge(Generic[R]):
    """Merges results as they arrive, so that no list of histograms is kept in memory; collects failures."""

    merge: Callable[[R, R], R]

    def __call__(self, one: Outcome[R], other: Outcome[R]) -> Outcome[R]:
        results = [result for result, _ in (one, other) if result is not None]
        merged = self.merge(*results) if len(results) == 2 else next(iter(results), None)
        return merged, (*one[1], *other[1])


@dataclass(frozen=True)
class _Write(Generic[R]):
    """Writes a stage's result, or the mistakes that prevented it."""

    workspace: Workspace
    failed: str
    write: Callable[[Workspace, R], None]

    def __call__(self, outcome: Outcome[R]) -> None:
        merged, failures = outcome
        try:
            self._write_any(merged, failures)
        except OSError as error:
            fault = disk_fault(error, _folder(self.workspace))
            if fault is None:
                raise
            logger.error("%s", fault)
            with contextlib.suppress(OSError):  # the driver gets the same error when it finds no result
                self.workspace.write_json(self.failed, [["WorkspaceError", fault]])

    def _write_any(self, merged: R | None, failures: Sequence[Failure]) -> None:
        if failures:
            content = sorted([failure.kind, failure.message, list(failure.files)] for failure in failures)
            self.workspace.write_json(self.failed, content)
        elif merged is not None:
            try:
                self.write(self.workspace, merged)
            except errors.UserError as error:  # the run has lost its workspace in the meantime
                self.workspace.write_json(self.failed, [[type(error).__name__, str(error), []]])


def _raise_failure(workspace: Workspace, name: str) -> None:
    failures = workspace.read_json(name)
    if not failures:
        return
    workspace.remove(name)
    damaged = [failure for failure in failures if failure[2]]
    if len(damaged) == len(failures):  # all of them can be made again
        message = damaged[0][1] + (f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else "")
        raise errors.DamagedError(message, *dict.fromkeys(file for _, _, files in damaged for file in files))
    failures = [failure for failure in failures if failure[0] != errors.BudgetError.__name__] or failures[:1]
    kind, message, _ = next(failure for failure in failures if not failure[2])
    more = f" (and {len(failures) - 1} more parts failed)" if len(failures) > 1 else ""
    raise getattr(errors, kind, errors.WorkspaceError)(message + more)
