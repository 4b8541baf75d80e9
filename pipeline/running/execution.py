"""Executes a run: computes its stages one after the other, and reports their progress."""

import itertools
import logging
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from ...base.errors import DamagedError, WorkspaceError
from ...transforms.beam.runner import Runner
from ...transforms.beam.single_job import SingleJob
from ...transforms.beam.stage_pipeline import Dataset, run_parts, run_single_job
from ...transforms.storage.dataset import Entry, current_manifest, make_current, manifest_file, read_manifest
from ...transforms.storage.heartbeat import work_progress
from ...transforms.storage.versions import package_versions
from ...transforms.storage.workspace import Workspace
from ...transforms.works.ingesting import IngestFile
from ..recipe.name import INGEST, StageName
from ..recipe.recipe import Recipe
from ..stages.kept_forecast import read_forecast
from ..stages.planned import Plan, StagePlan
from ..stages.stage import Stage
from ..stages.stage_kind import StageRun
from .empty_inputs import check_pairs
from .lock import Lock
from .publish_results import publish
from .status import note_run
from .swapped_sides import swapped_sides
from .work_keys import work_keys

logger = logging.getLogger(__name__)


class Observer(Protocol):
    """Receives the progress of a run; `launch.progress.Progress` implements it.

    expected: the stages that the run is about to compute, in order, and how many seconds each will take; None
    where nothing is known. It comes again when the plan changes. share, note: how far the work of a stage is
    that is not cut into parts, from 0 to 1, and what it says of itself; None and empty if it says nothing.
    computed: of how many of its pairs the stage computed something in this run; the others were finished
    before, or came with what the stage would have computed.
    """

    def stages_planned(self, expected: Mapping[StageName, float | None]) -> None: ...
    def stage_started(self, name: str, parts: int | None, done: int) -> None: ...
    def stage_goes_on(self, name: str, share: float | None, note: str) -> None: ...
    def part_done(self, name: str, pairs: int) -> None: ...
    def stage_finished(self, name: str, seconds: float, pairs: int, computed: int) -> None: ...
    def message(self, text: str) -> None: ...


class StageExecution:
    """Computes the parts of stages in a workspace, and reports their progress."""

    def __init__(self, workspace: Workspace, runner: Runner, observer: Observer, lock: Lock) -> None:
        self._workspace = workspace
        self._runner = runner
        self._observer = observer
        self._lock = lock
        self._discarded: set[str] = set()
        self._works: dict[str, str] = {}

    def compute_parts(
        self, stages: Sequence[Stage], conditions: Sequence[StagePlan], datasets: Sequence[Dataset[Any]]
    ) -> None:
        """Compute stages in one job: the first, and others that share what it reads."""
        started = [
            _Started(stage, condition, stage.files)
            for stage, condition in zip(stages, conditions, strict=True)
        ]
        with self._reporting(started) as done:
            seconds = sum(stage.rows * stage.kind.seconds_a_pair for stage in stages)
            turns = stages[0].kind.turns(stages[0])
            run_parts(
                self._runner, self._workspace, *datasets, seconds=seconds, gpu=stages[0].gpu, turns=turns
            )
            for stage, ended in zip(stages, done, strict=True):
                manifest = read_manifest(self._workspace, stage.folder, stage.key)
                parts = manifest.parts if manifest else ()
                ended.rows = manifest.rows if manifest and stage.kind.makes_pairs else stage.rows
                ended.computed = pairs_computed(stage, parts, ended.rows, ended.before)
                ended.work_seconds = sum(sum(entry.seconds.values()) for entry in parts)

    def remove_damaged(self, files: Sequence[str]) -> None:
        """Remove damaged files, so that they are made again."""
        for file in files:
            self._observer.message(f"{self._workspace.path(file)} is damaged and will be made again")
        self._discarded.update(files)
        self._workspace.remove(*files)

    @contextmanager
    def _reporting(self, stages: Sequence["_Started"]) -> Iterator[list["_Done"]]:
        """Report the parts of stages to the observer as they appear, and write run.json when they end."""
        began = time.time()
        self._lock.check()
        all_done = [
            _Done(set(files) & self._workspace.sizes(stage.folder).keys()) for stage, _, files in stages
        ]
        for stage, condition, files in reversed(stages):  # of several, the first is the one that is running
            facts: dict[str, object] = {"parts": len(files) or 1, "parts_done": condition.parts_done}
            logger.info("stage started", extra={"facts": {"stage": stage.name, **facts}})
            note_run(
                self._workspace, stage.name, files, condition.parts_done, self._works.get(stage.name, "")
            )
        with ExitStack() as watching:
            for (stage, condition, files), done in zip(stages, all_done, strict=True):
                self._observer.stage_started(stage.name, len(files) or 1, condition.parts_done)
                watching.enter_context(
                    _watching(self._workspace, stage, files, done.before, began, self._observer)
                )
            yield all_done
        seconds = time.time() - began
        worked = sum(done.work_seconds for done in all_done)
        for started, done in zip(stages, all_done, strict=True):
            share = done.work_seconds / worked if worked else 1 / len(stages)
            self._report_end(started, done, began, seconds * share)

    def _report_end(self, started: "_Started", done: "_Done", began: float, seconds: float) -> None:
        stage, condition, files = started
        # Estimate how long the whole stage would have taken if no part had existed.
        todo = max(1, len(files) - condition.parts_done)
        whole = seconds * max(1, len(files)) / todo
        self._workspace.write_record(
            f"{stage.folder}/run.json",
            {
                "stage": stage.name,
                "key": stage.key,
                "run": self._workspace.run.id if self._workspace.run else None,
                "runner": self._runner.name,
                "host": socket.gethostname(),
                "processors": os.cpu_count(),
                "python": platform.python_version(),
                "versions": package_versions(),
                "started": began,
                "ended": time.time(),
                "seconds": whole,
                "parts_computed": todo,
                "pairs": done.rows,
                "pairs_per_second": done.computed / seconds if done.computed and seconds else None,
            },
        )
        facts = {"seconds": round(seconds, 3), "pairs": done.rows}
        logger.info("stage finished", extra={"facts": {"stage": stage.name, **facts}})
        self._observer.stage_finished(stage.name, seconds, done.rows, done.computed)


class Execution(StageExecution):
    """The stages of one run, computed one after the other."""

    def __init__(
        self,
        recipe: Recipe,
        workspace: Workspace,
        runner: Runner,
        observer: Observer,
        lock: Lock,
        redo: Collection[str] = (),
    ) -> None:
        super().__init__(workspace, runner, observer, lock)
        self._recipe = recipe
        self._redo = set(redo)
        self._stages: Sequence[Stage] = ()

    def discard(self, plan: Plan, damage: DamagedError, wanted: Collection[str]) -> None:
        """Remove damaged files, so that their stages make them again.

        Raises the error again if the stage is not to be computed in this run, or if it has made the same
        damaged file before.
        """
        for file in damage.files:
            owners = [stage for stage in plan.stages if file.startswith(f"{stage.folder}/")]
            if not owners or file in self._discarded:
                raise damage
            owner = max(owners, key=lambda stage: len(stage.folder))
            if owner.name not in wanted:
                raise DamagedError(f"{damage}; run {owner.name} first", *damage.files)
        self.remove_damaged(damage.files)

    def _prepare(self, stage: Stage, condition: StagePlan) -> StagePlan:
        """Remove what the stage is about to make again; return the stage's condition after that."""
        if stage.name in self._redo:
            self._redo.remove(stage.name)
            _forget(self._workspace, stage)
            return replace(condition, parts_done=0)
        if condition.outdated:
            _forget(self._workspace, stage)
        self.remove_damaged(condition.damaged)
        return condition

    def announce(self, plan: Plan, wanted: Collection[str]) -> None:
        """Tell the observer which stages there are to compute, and what is known of their times."""
        kept = read_forecast(self._workspace)
        forecast = {stage.name: stage for stage in kept.forecast.stages} if kept else {}
        works = work_keys(plan.stages)
        expected: dict[StageName, float | None] = {}
        for stage, condition in zip(plan.stages, plan.conditions, strict=True):
            if stage.name not in wanted or (condition.state == "fresh" and stage.name not in self._redo):
                continue
            known, whole = forecast.get(stage.name), condition.seconds
            if known is not None and known.work == works[stage.name]:
                whole = known.seconds.mid
            done = 0 if stage.name in self._redo else condition.parts_done
            left = 1 - done / condition.parts if condition.parts else 1
            expected[stage.name] = None if whole is None else whole * left
        self._observer.stages_planned(expected)

    def compute_ingest(self, plan: Plan) -> bool:
        """Cut the input files into parts unless that is done already; return whether there was work to do."""
        self._look_at(plan)
        stage = plan.stage(INGEST)
        condition = plan.condition(INGEST)
        redo = stage.name in self._redo
        if condition.state == "fresh" and not redo:
            self._make_current(stage)
            self._check_pairs(plan, lambda warning: None)
            return False
        self._check_budget()
        for warning in swapped_sides(plan):
            self._observer.message(warning)
        condition = self._prepare(stage, condition)
        if redo:
            self._workspace.remove(*(task.record for task in plan.ingest_tasks))
        work = IngestFile(self._recipe.ingest.part_rows, self._recipe.ingest.max_characters)
        ingredients: dict[str, object] = {task.part: task.key for task in plan.ingest_tasks}
        records = [task.record for task in plan.ingest_tasks]
        with self._reporting([_Started(stage, condition, records)]) as (done,):
            dataset = Dataset(plan.ingest_tasks, work, stage.key, ingredients)
            run_parts(self._runner, self._workspace, dataset, seconds=0.0)
            manifest = read_manifest(self._workspace, stage.folder, stage.key)
            done.rows = manifest.rows if manifest else 0
            # Which parts are of files that an earlier run has read is not known here.
            done.computed = 0 if condition.parts_done else done.rows
            self._check_pairs(plan, self._observer.message)
        return True

    def _look_at(self, plan: Plan) -> None:
        self._stages = plan.stages
        self._works = work_keys(plan.stages)

    def _check_budget(self) -> None:
        if self._workspace.run is not None:
            self._workspace.run.check_budget()

    def _check_pairs(self, plan: Plan, notify: Callable[[str], None]) -> None:
        manifest = read_manifest(self._workspace, INGEST)
        if manifest is not None:
            place = self._workspace.path(f"{INGEST}/_manifest.json")
            check_pairs(plan.ingest_tasks, manifest.parts, place, notify)

    def compute_rest(self, plan: Plan, wanted: set[str], computed: list[str]) -> bool:
        """Compute every wanted stage after `ingest` that is not fresh, and add its name to `computed`.

        Returns False as soon as a stage was made again with different results: the plan is then out of date.
        """
        self._look_at(plan)
        fresh = {condition.name for condition in plan.conditions if condition.state == "fresh"}
        fresh -= self._redo
        checked: set[str] = set()
        for stage in plan.stages[1:]:
            if stage.name not in wanted:
                continue
            if stage.name in fresh:
                self._make_current(stage)
                publish(plan, stage, self._observer.message)
                continue
            self._check_budget()
            for need in stage.needs:
                if need not in fresh:
                    condition = plan.condition(need)
                    raise WorkspaceError(
                        f"{stage.name} reads {need}, which is {condition.state}"
                        f"{f' ({condition.reason})' if condition.reason else ''}; run {need} first"
                    )
            ready = [s for s in plan.stages if s.name in wanted - fresh and set(s.needs) <= fresh]
            running = StageRun(plan, self._workspace, self._runner, self._observer.message, ready)
            for other in ready:
                if other.name not in checked:
                    other.kind.check(other, running)
                    checked.add(other.name)
            together = [stage]
            if stage.kind.shares_reading(stage):
                together = [s for s in ready if s.kind is stage.kind and s.kind.shares_reading(s)]
            together = [self._with_pairs(plan, s) for s in together]
            before = {s.name: self._content(s) for s in together}
            conditions = [self._prepare(s, plan.condition(s.name)) for s in together]
            if stage.is_single_job:
                self._compute_single_job(together[0], conditions[0], running)
            else:
                datasets = [self._dataset(s, running) for s in together]
                self.compute_parts(together, conditions, datasets)
            self._lock.check()
            for made in together:
                publish(plan, made, self._observer.message)
                for remark in made.kind.remarks(made, plan.manifest(made.name), self._recipe):
                    self._observer.message(remark)
                fresh.add(made.name)
                computed.append(made.name)
            if any(
                content not in (None, self._content(plan.stage(name))) for name, content in before.items()
            ):
                return False
        return True

    def _with_pairs(self, plan: Plan, stage: Stage) -> Stage:
        """The stage with the number of pairs that it reads; a plan does not know how many a choice makes."""
        seen, names = set(stage.needs), list(stage.needs)
        while names:
            need = plan.stage(names.pop())
            new = set(need.needs) - seen
            seen |= new
            names += new
            if need.kind.makes_pairs and need.needs:
                manifest = read_manifest(self._workspace, need.folder, need.key)
                return stage if manifest is None else replace(stage, rows=manifest.rows)
        return stage

    def _compute_single_job(self, stage: Stage, condition: StagePlan, running: StageRun) -> None:
        with self._reporting([_Started(stage, condition, [])]) as (done,):
            runner = self._runner if stage.on_workers else None
            work = stage.kind.work(stage, running)
            assert isinstance(work, SingleJob)
            run_single_job(
                self._workspace,
                work,
                stage.part_tasks[0],
                stage.ingredients,
                runner,
                stage.gpu,
                self._contents(stage),
            )
            manifest = read_manifest(self._workspace, stage.folder, stage.key)
            done.rows = done.computed = manifest.rows if manifest is not None else 0

    def _dataset(self, stage: Stage, running: StageRun) -> Dataset[Any]:
        work, inputs = stage.kind.work(stage, running), self._contents(stage)
        assert not isinstance(work, SingleJob)
        return Dataset(stage.tasks, work, stage.key, stage.ingredients, inputs)

    def _content(self, stage: Stage) -> str | None:
        """A hash of a stage's dataset; None if it was not computed yet, or its manifest is damaged."""
        try:
            manifest = read_manifest(self._workspace, stage.folder, stage.key)
        except DamagedError:
            return None
        return None if manifest is None else manifest.content

    def _contents(self, stage: Stage) -> dict[str, str]:
        """The hashes of the datasets that a stage is about to read: stage → hash."""
        contents = {need.name: self._content(need) for need in self._stages if need.name in stage.needs}
        return {name: content for name, content in contents.items() if content is not None}

    def _make_current(self, stage: Stage) -> None:
        """Make a fresh stage's manifest the current one, if another recipe's manifest is current."""
        current = current_manifest(self._workspace, stage.folder)
        if current is None or current.key != stage.key:
            manifest = read_manifest(self._workspace, stage.folder, stage.key)
            assert manifest is not None, "the stage is fresh"
            make_current(self._workspace, manifest)
        for copy, file in stage.records.items():
            content = self._workspace.read(file)
            if content is not None and self._workspace.read(copy) != content:
                self._workspace.write_bytes(copy, content)


def _forget(workspace: Workspace, stage: Stage) -> None:
    """Remove the stage's results for its current ingredients, so that they are made again."""
    try:
        manifest = read_manifest(workspace, stage.folder, stage.key)
    except DamagedError:
        manifest = None
    files = {entry.file for entry in manifest.parts} if manifest else set()
    files |= {*stage.files, *stage.records.values()}
    # The manifest goes first, because the files that a manifest names must exist.
    workspace.remove(manifest_file(stage.folder, stage.key))
    workspace.remove(*sorted(files))


class _Started(NamedTuple):
    """A stage that is computed, its condition before that, and the files of its parts."""

    stage: Stage
    condition: StagePlan
    files: Sequence[str]


@dataclass
class _Done:
    """What was done for a stage.

    before: its files that were there before. rows: its pairs. computed: see `Observer`. work_seconds: the
    time that workers took for its parts.
    """

    before: set[str]
    rows: int = 0
    computed: int = 0
    work_seconds: float = 0.0


def pairs_computed(stage: Stage, parts: Sequence[Entry], rows: int, before: Collection[str] = ()) -> int:
    """For how many of its pairs the stage computed something.

    parts: those that it has now. rows: its pairs. before: the files that were there already.
    The rows of some stages are no pairs, but hashes of texts, or the results of trainings. There each part
    has the same share of the pairs.
    """
    pairs = [entry.rows for entry in parts]
    if sum(pairs) != rows:
        ends = [rows * place // len(parts) for place in range(len(parts) + 1)]
        pairs = [end - start for start, end in itertools.pairwise(ends)]
    return sum(
        stage.kind.computed(stage, entry.part, share, entry.counts)
        for entry, share in zip(parts, pairs, strict=True)
        if entry.file not in before
    )


@contextmanager
def _watching(
    workspace: Workspace,
    stage: Stage,
    files: Sequence[str],
    before: Collection[str],
    began: float,
    observer: Observer,
) -> Iterator[None]:
    """While the block runs, tell the observer of each of these files that appears in the workspace, and of
    how far the work is where it is not cut into parts."""
    ended = threading.Event()
    wanted, seen = dict.fromkeys(files), set(before)
    pairs = {
        file: stage.kind.computed(stage, task.part, stage.rows // len(files), {})
        for file, task in zip(stage.files, stage.tasks, strict=False)
    }

    def look() -> None:
        if not wanted:
            share, note = work_progress(workspace, stage.folder, began)
            observer.stage_goes_on(stage.name, share, note)
            return
        for file in wanted.keys() & workspace.sizes(stage.folder).keys() - seen:
            seen.add(file)
            observer.part_done(stage.name, pairs.get(file, stage.rows // len(files)))
        observer.stage_goes_on(stage.name, None, "")

    def watch() -> None:
        pause = least = 0.5 if workspace.is_local else 2.0
        while not ended.wait(pause):
            start = time.monotonic()
            look()
            # Listing many parts must take only a small share of the time.
            pause = min(30.0, max(least, 20 * (time.monotonic() - start)))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        if wanted:
            look()
