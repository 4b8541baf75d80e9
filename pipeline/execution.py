"""Executes a run: computes its stages one after the other, and reports their progress."""

import logging
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from ..base.errors import DamagedError, WorkspaceError
from ..base.hashing import derive_seed
from ..filters.ranks.deciles import cuts_from_json, cuts_to_json
from ..filters.ranks.radix import Cuts
from ..transforms.beam.runner import Runner
from ..transforms.beam.single_job import SingleJob
from ..transforms.beam.stage import Dataset, run_parts, run_single_job
from ..transforms.beam.work import Unit, Work
from ..transforms.model_kinds import model_kind_of
from ..transforms.storage.dataset import Entry, current_manifest, make_current, manifest_file, read_manifest
from ..transforms.storage.versions import package_versions
from ..transforms.storage.workspace import Workspace
from ..transforms.works.cuts import find_all_cuts, find_sample
from ..transforms.works.decile_ranking import AssignDeciles, RankUnit
from ..transforms.works.ingesting import IngestFile
from ..transforms.works.scoring import ScorePart
from ..transforms.works.selecting import SelectPart
from ..transforms.works.trials import MakePool
from .empty_inputs import check_pairs
from .lock import Lock
from .plan import Plan, StagePlan
from .precision_check import check_precision
from .publish_results import publish
from .recipe.recipe import Recipe
from .recipe.train_entries import Training
from .report.work import WriteReport
from .stage_kinds import KINDS
from .stages import Stage
from .status import note_run
from .work_keys import work_keys

logger = logging.getLogger(__name__)


class Observer(Protocol):
    """Receives the progress of a run; `launch.progress.Progress` implements it."""

    def stage_started(self, name: str, parts: int | None, done: int) -> None: ...
    def part_done(self, name: str, pairs: int) -> None: ...
    def stage_finished(self, name: str, seconds: float, pairs: int, detail: str = "") -> None: ...
    def message(self, text: str) -> None: ...


class Execution:
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
        self._recipe = recipe
        self._lock = lock
        self._workspace = workspace
        self._runner = runner
        self._observer = observer
        self._redo = set(redo)
        self._discarded: set[str] = set()
        self._works: dict[str, str] = {}
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
        self._discard(damage.files)

    def _discard(self, files: Sequence[str]) -> None:
        for file in files:
            self._observer.message(f"{self._workspace.path(file)} is damaged and will be made again")
        self._discarded.update(files)
        self._workspace.remove(*files)

    def _prepare(self, stage: Stage, condition: StagePlan) -> StagePlan:
        """Remove what the stage is about to make again; return the stage's condition after that."""
        if stage.name in self._redo:
            self._redo.remove(stage.name)
            _forget(self._workspace, stage)
            return replace(condition, parts_done=0)
        if condition.outdated:
            _forget(self._workspace, stage)
        self._discard(condition.damaged)
        return condition

    def compute_ingest(self, plan: Plan) -> bool:
        """Cut the input files into parts unless that is done already; return whether there was work to do."""
        self._works = work_keys(plan.stages)
        stage = plan.stage("ingest")
        condition = plan.condition("ingest")
        redo = stage.name in self._redo
        if condition.state == "fresh" and not redo:
            self._make_current(stage)
            self._check_pairs(plan, lambda warning: None)
            return False
        condition = self._prepare(stage, condition)
        if redo:
            self._workspace.remove(*(unit.record for unit in plan.ingest_units))
        work = IngestFile(self._recipe.ingest.part_rows, self._recipe.ingest.max_characters)
        ingredients: dict[str, object] = {unit.part: unit.key for unit in plan.ingest_units}
        records = [unit.record for unit in plan.ingest_units]
        with self._reporting([_Started(stage, condition, records)]) as (done,):
            dataset = Dataset(plan.ingest_units, work, stage.key, ingredients)
            run_parts(self._runner, self._workspace, dataset, seconds=0.0)
            manifest = read_manifest(self._workspace, "ingest", stage.key)
            done.rows = manifest.rows if manifest else 0
            self._check_pairs(plan, self._observer.message)
        return True

    def _check_pairs(self, plan: Plan, notify: Callable[[str], None]) -> None:
        manifest = read_manifest(self._workspace, "ingest")
        if manifest is not None:
            place = self._workspace.path("ingest/_manifest.json")
            check_pairs(plan.ingest_units, manifest.parts, place, notify)

    def compute_rest(self, plan: Plan, wanted: set[str], computed: list[str]) -> bool:
        """Compute every wanted stage after `ingest` that is not fresh, and add its name to `computed`.

        Returns False as soon as a stage was made again with different results: the plan is then out of date.
        """
        self._works = work_keys(plan.stages)
        self._stages = plan.stages
        fresh = {condition.name for condition in plan.conditions if condition.state == "fresh"}
        fresh -= self._redo
        cuts: dict[str, Cuts] = {}
        for stage in plan.stages[1:]:
            if stage.name not in wanted:
                continue
            if stage.name in fresh:
                self._make_current(stage)
                publish(plan, stage, self._observer.message)
                continue
            for need in stage.needs:
                if need not in fresh:
                    condition = plan.condition(need)
                    raise WorkspaceError(
                        f"{stage.name} reads {need}, which is {condition.state}"
                        f"{f' ({condition.reason})' if condition.reason else ''}; run {need} first"
                    )
            if stage.kind in ("release", "train"):
                self._refuse_empty(plan, wanted - fresh)
            if stage.name == "report":
                stage = replace(stage, work=WriteReport(plan))
            todo = [s for s in plan.stages if s.kind == "deciles" and s.name in wanted - fresh]
            ranked = _Ranked(cuts, [s for s in todo if set(s.needs) <= fresh])
            if stage.kind == "translate":
                seed, notify = self._recipe.seed, self._observer.message
                check_precision(self._workspace, stage, seed, self._runner, notify)
            together = [stage]
            if _shares_reading(stage):
                unfinished = [s for s in plan.stages if s.name in wanted - fresh and set(s.needs) <= fresh]
                together = [s for s in unfinished if _shares_reading(s)]
            before = {s.name: self._content(s) for s in together}
            conditions = [self._prepare(s, plan.condition(s.name)) for s in together]
            if stage.is_single_job:
                self._compute_single_job(stage, conditions[0])
            else:
                self._compute_parts(together, conditions, ranked)
            self._lock.check()
            for made in together:
                publish(plan, made, self._observer.message)
                fresh.add(made.name)
                computed.append(made.name)
            if any(
                content not in (None, self._content(plan.stage(name))) for name, content in before.items()
            ):
                return False
        return True

    def _compute_single_job(self, stage: Stage, condition: StagePlan) -> None:
        assert isinstance(stage.work, SingleJob)
        with self._reporting([_Started(stage, condition, [])]) as (done,):
            runner = self._runner if stage.on_workers else None
            unit = stage.units[0]
            assert isinstance(unit, Unit)
            run_single_job(
                self._workspace,
                stage.work,
                unit,
                stage.ingredients,
                runner,
                stage.gpu,
                self._contents(stage),
            )
            manifest = read_manifest(self._workspace, stage.folder, stage.key)
            done.rows = manifest.rows if manifest is not None else 0
            self._warn_of_few_pairs(stage, done.rows)

    def _compute_parts(
        self, stages: Sequence[Stage], conditions: Sequence[StagePlan], ranked: "_Ranked"
    ) -> None:
        """Compute stages in one job: the first, and others that share what it reads."""
        started = [
            _Started(stage, condition, [stage.file(position) for position in range(len(stage.units))])
            for stage, condition in zip(stages, conditions, strict=True)
        ]
        with self._reporting(started) as done:
            datasets = [self._dataset(stage, ranked) for stage in stages]
            seconds = sum(stage.rows * KINDS[stage.kind].seconds_a_pair for stage in stages)
            run_parts(self._runner, self._workspace, *datasets, seconds=seconds, gpu=stages[0].gpu)
            for stage, ended in zip(stages, done, strict=True):
                manifest = read_manifest(self._workspace, stage.folder, stage.key)
                ended.rows = stage.rows
                ended.work_seconds = sum(
                    sum(entry.seconds.values()) for entry in (manifest.parts if manifest else ())
                )

    def _dataset(self, stage: Stage, ranked: "_Ranked") -> Dataset[Any]:
        work, inputs = self._work(stage, ranked), self._contents(stage)
        return Dataset(stage.units, work, stage.key, stage.ingredients, inputs)

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

    def _work(self, stage: Stage, ranked: "_Ranked") -> Work[Any, list[Entry]]:
        """The work that makes each part. For deciles and samples, this first finds their cuts."""
        if stage.kind == "deciles":
            if stage.name not in ranked.cuts:
                ranked.cuts.update(self._find_cuts(ranked.todo))
            return AssignDeciles(stage.name, stage.label, ranked.cuts[stage.name], self._decile_seed)
        if isinstance(stage.work, SelectPart) and self._recipe.select[stage.label].sample is not None:
            return self._with_sample(stage, stage.work)
        if isinstance(stage.work, MakePool):
            units = [replace(unit, inputs=unit.inputs[:1]) for unit in stage.units if isinstance(unit, Unit)]
            cuts = self._sample_cuts(stage, units, stage.work.drawing, stage.work.pairs)
            return replace(stage.work, cuts=cuts)
        assert stage.work is not None and not isinstance(stage.work, SingleJob)
        return stage.work

    @property
    def _decile_seed(self) -> int:
        return derive_seed(self._recipe.seed, "deciles")

    def _refuse_empty(self, plan: Plan, names: set[str]) -> None:
        """WorkspaceError if an encoder would be trained on a selection without pairs."""
        for training in plan.stages:
            if training.kind != "train" or training.name not in names:
                continue
            entry = self._recipe.train[training.label]
            if not isinstance(entry, Training) or entry.selection is None:
                continue
            name = entry.selection
            selection = plan.stage(f"select/{name}")
            manifest = read_manifest(self._workspace, selection.folder, selection.key)
            if manifest is not None and not manifest.counts.get("selected"):
                raise WorkspaceError(
                    f"{training.name}: the selection {name} selects none of the {manifest.rows:,} pairs; "
                    "`paranmt select --preview` shows how many pairs each of its clauses drops"
                )

    def _warn_of_few_pairs(self, stage: Stage, pairs: int) -> None:
        """Report a model that was trained on fewer pairs than the recipe asks for.

        A model whose training pairs are held out from its own score gets at most a tenth of all pairs.
        """
        if stage.kind != "model":
            return
        score = self._recipe.scores[stage.label]
        train_on, kind = score.trained_on(), model_kind_of(score)
        if train_on is not None and kind is not None and kind.holds_out and pairs < train_on:
            self._observer.message(
                f"{stage.name}: trained on {pairs:,} references instead of the {train_on:,} in the recipe, "
                f"because at most a tenth of the {stage.rows:,} pairs can be held out"
            )

    def _find_cuts(self, stages: Sequence[Stage]) -> dict[str, Cuts]:
        """The cuts of several scores, found in shared passes. Cuts from an interrupted run are reused."""
        all_cuts: dict[str, Cuts] = {}
        for stage in stages:
            record = self._workspace.read_record(stage.cuts_file)
            if record is not None:
                all_cuts[stage.name] = cuts_from_json(record)
        missing = [stage for stage in stages if stage.name not in all_cuts]
        if not missing:
            return all_cuts
        units = []
        for position, unit in enumerate(missing[0].units):
            inputs = tuple((s.label, s.units[position].input(f"score/{s.label}")) for s in missing)  # type: ignore[union-attr]
            units.append(RankUnit(unit.part, inputs))
        labels = [stage.label for stage in missing]
        seconds = missing[0].rows * len(labels) * KINDS["deciles"].seconds_a_pair
        cuts = find_all_cuts(self._runner, self._workspace, units, labels, self._decile_seed, seconds)
        for stage in missing:
            content = cuts_to_json(cuts[stage.label])
            self._workspace.write_record(stage.cuts_file, content)
            self._workspace.write_record(f"{stage.folder}/cuts.json", content)
            all_cuts[stage.name] = cuts[stage.label]
        return all_cuts

    def _with_sample(self, stage: Stage, work: SelectPart) -> SelectPart:
        selection = self._recipe.select[stage.label]
        assert selection.sample is not None
        seed = stage.ingredients["seed"]
        assert isinstance(seed, int)
        work = replace(work, seed=seed)
        units = [unit for unit in stage.units if isinstance(unit, Unit)]
        cuts = self._sample_cuts(stage, units, work, selection.sample)
        if cuts.n < selection.sample:
            self._observer.message(
                f"{stage.name}: only {cuts.n:,} pairs meet the condition, fewer than the sample of "
                f"{selection.sample:,}; all of them are selected"
            )
        return replace(work, cuts=cuts)

    def _sample_cuts(self, stage: Stage, units: Sequence[Unit], select: SelectPart, sample: int) -> Cuts:
        seconds = stage.rows * KINDS["select"].seconds_a_pair
        return find_sample(self._runner, self._workspace, units, select, sample, seconds)

    def _make_current(self, stage: Stage) -> None:
        """Make a fresh stage's manifest the current one, if another recipe's manifest is current."""
        current = current_manifest(self._workspace, stage.folder)
        if current is None or current.key != stage.key:
            manifest = read_manifest(self._workspace, stage.folder, stage.key)
            assert manifest is not None, "the stage is fresh"
            make_current(self._workspace, manifest)
        if KINDS[stage.kind].keeps_cuts:
            copy, cuts = f"{stage.folder}/cuts.json", self._workspace.read(stage.cuts_file)
            if cuts is not None and self._workspace.read(copy) != cuts:
                self._workspace.write_bytes(copy, cuts)

    @contextmanager
    def _reporting(self, stages: Sequence["_Started"]) -> Iterator[list["_Done"]]:
        """Report the parts of stages to the observer as they appear, and write run.json when they end."""
        began = time.time()
        self._lock.check()
        all_done = [_Done() for _ in stages]
        for stage, condition, files in reversed(stages):  # of several, the first is the one that is running
            facts: dict[str, object] = {"parts": len(files) or 1, "parts_done": condition.parts_done}
            logger.info("stage started", extra={"facts": {"stage": stage.name, **facts}})
            note_run(self._workspace, stage.name, files, condition.parts_done, self._works[stage.name])
        with ExitStack() as watching:
            for stage, condition, files in stages:
                self._observer.stage_started(stage.name, len(files) or 1, condition.parts_done)
                average = stage.rows // len(files) if files else 0
                notify = partial(self._observer.part_done, stage.name, average)
                watching.enter_context(_watching(self._workspace, stage.folder, files, notify))
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
                "pairs_per_second": done.rows / whole if whole else None,
            },
        )
        facts = {"seconds": round(seconds, 3), "pairs": done.rows}
        logger.info("stage finished", extra={"facts": {"stage": stage.name, **facts}})
        self._observer.stage_finished(stage.name, seconds, done.rows, done.detail)


def _shares_reading(stage: Stage) -> bool:
    """Whether the stage is best computed in one job with others of its kind, which read the same texts."""
    if not isinstance(stage.work, ScorePart):
        return False
    kind = model_kind_of(stage.work.score)
    return kind is None or kind.shares_reading


def _forget(workspace: Workspace, stage: Stage) -> None:
    """Remove the stage's results for its current ingredients, so that they are made again."""
    try:
        manifest = read_manifest(workspace, stage.folder, stage.key)
    except DamagedError:
        manifest = None
    files = {entry.file for entry in manifest.parts} if manifest else set()
    if not stage.is_single_job:
        files |= {stage.file(position) for position in range(len(stage.units))}
    # The manifest goes first, because the files that a manifest names must exist.
    workspace.remove(manifest_file(stage.folder, stage.key))
    if KINDS[stage.kind].keeps_cuts:
        files.add(stage.cuts_file)
    workspace.remove(*sorted(files))


@dataclass(frozen=True)
class _Ranked:
    """The cuts found so far, by stage, and the `deciles` stages that can now be ranked in shared passes."""

    cuts: dict[str, Cuts]
    todo: list[Stage]


class _Started(NamedTuple):
    """A stage that is computed, its condition before that, and the files of its parts."""

    stage: Stage
    condition: StagePlan
    files: Sequence[str]


@dataclass
class _Done:
    """What was done for a stage; work_seconds: the time that workers took for its parts."""

    rows: int = 0
    detail: str = ""
    work_seconds: float = 0.0


@contextmanager
def _watching(
    workspace: Workspace, folder: str, files: Sequence[str], notify: Callable[[], None]
) -> Iterator[None]:
    """While the block runs, call `notify` for each of these files that appears in the workspace."""
    ended = threading.Event()
    wanted = set(files)
    seen = wanted & workspace.sizes(folder).keys() if wanted else set()

    def look() -> None:
        new = (wanted & workspace.sizes(folder).keys()) - seen
        for file in new:
            seen.add(file)
            notify()

    def watch() -> None:
        pause = least = 0.5 if workspace.is_local else 2.0
        while not ended.wait(pause):
            before = time.monotonic()
            look()
            # Listing many parts must take only a small share of the time.
            pause = min(30.0, max(least, 20 * (time.monotonic() - before)))

    watcher = threading.Thread(target=watch, daemon=True)
    if wanted:
        watcher.start()
    try:
        yield
    finally:
        ended.set()
        if wanted:
            watcher.join()
            look()
