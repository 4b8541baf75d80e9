"""Runs a recipe: computes every stage that is not fresh, in order, and only the parts that are missing."""

import logging
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ..errors import DamagedError, WorkspaceError
from ..filters.deciles import cuts_from_json, cuts_to_json
from ..filters.ranks import Cuts
from ..hashing import derive_seed
from ..logs import about, also_logged, logged
from ..transforms.cuts import find_all_cuts, find_sample
from ..transforms.dataset import Entry, current_manifest, make_current, manifest_file, read_manifest
from ..transforms.deciles import AssignDeciles, RankUnit
from ..transforms.ingest import IngestFile
from ..transforms.model_kinds import model_kind_of
from ..transforms.run_note import RunNote, new_run_id
from ..transforms.runner import Runner, require_shared
from ..transforms.select import SelectPart
from ..transforms.single_job import SingleJob
from ..transforms.stage import log_file, run_parts, run_single_job
from ..transforms.sweep import sweep
from ..transforms.translate import HALVINGS
from ..transforms.versions import package_versions
from ..transforms.work import Unit, Work
from ..transforms.workspace import Workspace
from .lock import Lock, workspace_lock
from .placement import find_gpus
from .plan import Plan, StagePlan, make_plan
from .precision import check_precision
from .publish import publish
from .recipe.recipe import Recipe
from .report.work import WriteReport
from .stage_kinds import KINDS
from .stages import Stage
from .status import RUN_FILE, note_run
from .work_keys import work_keys

logger = logging.getLogger(__name__)

HOUR = 3600.0


class Observer(Protocol):
    """Receives the progress of a run; `launch.progress.Progress` implements it."""

    def stage_started(self, name: str, parts: int | None, done: int) -> None: ...
    def part_done(self, name: str, pairs: int) -> None: ...
    def stage_finished(self, name: str, seconds: float, pairs: int, detail: str = "") -> None: ...
    def message(self, text: str) -> None: ...


@dataclass(frozen=True)
class RunResult:
    """The stages that a run computed, and the plan after it."""

    computed: tuple[str, ...]
    plan: Plan


def run(
    recipe: Recipe,
    runner: Runner,
    observer: Observer,
    *,
    first: str | None = None,
    last: str | None = None,
    only: str | None = None,
    redo: str | None = None,
    confirm: Callable[[str], bool] = lambda question: True,
    log: str | None = None,
    log_level: str = "info",
) -> RunResult:
    """Compute every stage that is not fresh.

    first, last, only: a stage, or all of a kind (`score`); other stages are not computed. redo: stages to
    compute again even if they are fresh. confirm: asked before more than an hour of finished work is
    computed again. log: a file to append structured logs to, `-` for the standard error. WorkspaceError if
    a stage would read one that is not fresh, or if another run took over the workspace because this run
    did not renew its lease in time.
    """
    recipe = recipe.located()
    note = RunNote(new_run_id(), log_level)
    with logged([log] if log else [], log_level), about(run=note.id):
        try:
            result = _run(recipe, runner, observer, note, first, last, only, redo, confirm)
        except BaseException as error:
            kind = type(error).__name__
            logger.error("run ended: %s", error, extra={"facts": {"kind": kind}})
            raise
        logger.info("run finished", extra={"facts": {"computed": result.computed}})
    return result


def _run(
    recipe: Recipe,
    runner: Runner,
    observer: Observer,
    note: RunNote,
    first: str | None,
    last: str | None,
    only: str | None,
    redo: str | None,
    confirm: Callable[[str], bool],
) -> RunResult:
    workspace = Workspace(recipe.workspace)
    require_shared(workspace, runner)
    plan = make_plan(recipe)
    wanted = _wanted(plan, first, last, only or redo)
    with workspace_lock(workspace) as lock, also_logged(log_file(workspace, note), note.log_level):
        workspace = replace(workspace, run=replace(note, lease=lock.token))
        logger.info("run started", extra={"facts": {"workspace": workspace.url, "runner": runner.name}})
        swept = sweep(workspace)
        if swept:
            logger.info("removed files that dead processes left behind", extra={"facts": {"files": swept}})
        needed = any(
            plan.stage(name).gpu and (redo or plan.condition(name).state != "fresh") for name in wanted
        )
        gpus = find_gpus(recipe, runner, workspace, observer.message, needed)
        plan = make_plan(recipe, gpus)
        again = frozenset(plan.matching(redo)) if redo else frozenset[str]()
        question = _Question(wanted, again, confirm)
        question.ask(plan)
        execution = _Execution(recipe, workspace, runner, observer, lock, again)
        computed: list[str] = []
        try:
            while True:
                try:
                    if "ingest" in wanted and execution.ingest(plan):
                        computed.append("ingest")
                        plan = make_plan(recipe, gpus)
                        question.ask(plan)
                    if execution.rest(plan, wanted, computed):
                        break
                except DamagedError as damage:
                    execution.discard(plan, damage, wanted)
                plan = make_plan(recipe, gpus)
                question.ask(plan)
        finally:
            if lock.lost is None:
                workspace.remove(RUN_FILE)  # otherwise an interrupted run would look like a running one
        plan = make_plan(recipe, gpus)
    for warning in _warnings(workspace, computed):
        observer.message(warning)
    return RunResult(tuple(dict.fromkeys(computed)), plan)


def _warnings(workspace: Workspace, computed: Sequence[str]) -> list[str]:
    """Warnings for the user after a run that succeeded."""
    manifest = read_manifest(workspace, "translate") if "translate" in computed else None
    halved = [entry for entry in manifest.parts if entry.counts.get(HALVINGS)] if manifest else []
    if not halved:
        return []
    times = sum(entry.counts[HALVINGS] for entry in halved)
    parts = f"{len(halved):,} of {len(manifest.parts):,} parts" if manifest else ""
    return [
        f"warning: translate: the GPU was full {times:,} times, and {parts} began again with smaller batches "
        "(`halvings` in the manifest); a lower translate.batch_tokens spares that"
    ]


def _wanted(plan: Plan, first: str | None, last: str | None, only: str | None) -> set[str]:
    """The stages that the user asked for."""
    names = [stage.name for stage in plan.stages]
    if only:
        return set(plan.matching(only))
    start = names.index(plan.matching(first)[0]) if first else 0
    end = names.index(plan.matching(last)[-1]) if last else len(names) - 1
    return set(names[start : end + 1])


class _Question:
    """Asks the user before a run computes more than an hour of finished work again, in total."""

    def __init__(
        self, wanted: Collection[str], redo: Collection[str], confirm: Callable[[str], bool]
    ) -> None:
        self._wanted = wanted
        self._redo = redo
        self._confirm = confirm
        self._known: dict[str, float] = {}  # stage → seconds of work to be computed again
        self._confirmed = False

    def ask(self, plan: Plan) -> None:
        """Ask about what this plan adds to the plans before it; WorkspaceError if the answer is no."""
        again = [(condition, self._seconds(condition)) for condition in plan.conditions]
        again = [(c, seconds) for c, seconds in again if seconds and c.name in self._wanted]
        new = [c.name for c, _ in again if c.name not in self._known]
        if self._confirmed:
            again = [(c, seconds) for c, seconds in again if c.name in new]
        self._known.update((c.name, seconds) for c, seconds in again)
        cost = sum(seconds for _, seconds in again)
        if not new or cost <= HOUR:
            return
        again.sort(key=lambda item: -item[1])
        dear = [(c, seconds) for c, seconds in again[:3] if seconds >= 0.05 * cost]
        names = ", ".join(f"{c.name} ({self._reason(c)}; {seconds / HOUR:.1f} h)" for c, seconds in dear)
        if len(again) > len(dear):
            names += f", and {len(again) - len(dear)} more, which `plan` shows"
        if not self._confirm(
            f"This computes {cost / HOUR:.1f} hours of finished work again: {names}. Go on?"
        ):
            raise WorkspaceError(
                f"not confirmed: {cost / HOUR:.1f} hours of finished work would be computed again ({names}); "
                "give --yes, or put the recipe back"
            )
        self._confirmed = True

    def _seconds(self, condition: StagePlan) -> float:
        if condition.name in self._redo and condition.parts_done:
            return condition.seconds or 0.0
        return condition.again

    def _reason(self, condition: StagePlan) -> str:
        return "--redo asks for it" if condition.name in self._redo else condition.reason


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


class _Execution:
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
            self._observer.message(f"{self._workspace.path(file)} is damaged; it is made again")
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

    def ingest(self, plan: Plan) -> bool:
        """Cut the input files into parts unless that is done already; return whether there was work to do."""
        self._works = work_keys(plan.stages)
        stage = plan.stage("ingest")
        condition = plan.condition("ingest")
        redo = stage.name in self._redo
        if condition.state == "fresh" and not redo:
            self._make_current(stage)
            return False
        condition = self._prepare(stage, condition)
        if redo:
            self._workspace.remove(*(unit.record for unit in plan.ingest_units))
        work = IngestFile(self._recipe.ingest.part_rows, self._recipe.ingest.max_characters)
        ingredients: dict[str, object] = {unit.part: unit.key for unit in plan.ingest_units}
        with self._told(stage, condition, [unit.record for unit in plan.ingest_units]) as done:
            run_parts(
                self._runner,
                self._workspace,
                plan.ingest_units,
                work,
                key=stage.key,
                ingredients=ingredients,
                seconds=0.0,
            )
            manifest = read_manifest(self._workspace, "ingest", stage.key)
            done.rows = manifest.rows if manifest else 0
            if done.rows == 0:
                raise WorkspaceError(
                    "no pairs came out of the bitext: every row was rejected, or the files are empty; "
                    f"the reasons are in {self._workspace.path('ingest/_manifest.json')}"
                )
        return True

    def rest(self, plan: Plan, wanted: set[str], computed: list[str]) -> bool:
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
                seed, tell = self._recipe.seed, self._observer.message
                check_precision(self._workspace, stage, seed, self._runner, tell)
            before = self._content(stage)
            self._compute(stage, self._prepare(stage, plan.condition(stage.name)), ranked)
            self._lock.check()
            publish(plan, stage, self._observer.message)
            fresh.add(stage.name)
            computed.append(stage.name)
            if before is not None and self._content(stage) != before:
                return False
        return True

    def _compute(self, stage: Stage, condition: StagePlan, ranked: "_Ranked") -> None:
        files = [] if stage.is_single_job else [stage.file(position) for position in range(len(stage.units))]
        with self._told(stage, condition, files) as done:
            done.rows = stage.rows
            inputs = self._contents(stage)
            if stage.is_single_job:
                assert isinstance(stage.work, SingleJob)
                runner = self._runner if stage.on_workers else None
                unit = stage.units[0]
                assert isinstance(unit, Unit)
                run_single_job(
                    self._workspace, stage.work, unit, stage.ingredients, runner, stage.gpu, inputs
                )
                made = read_manifest(self._workspace, stage.folder, stage.key)
                done.rows = made.rows if made is not None else 0
                self._tell_of_few(stage, done.rows)
                return
            run_parts(
                self._runner,
                self._workspace,
                stage.units,
                self._work(stage, ranked),
                key=stage.key,
                ingredients=stage.ingredients,
                inputs=inputs,
                seconds=stage.rows * KINDS[stage.kind].seconds_a_pair,
                gpu=stage.gpu,
            )

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
            name = self._recipe.train[training.label].selection
            selection = plan.stage(f"select/{name}")
            manifest = read_manifest(self._workspace, selection.folder, selection.key)
            if manifest is not None and not manifest.counts.get("selected"):
                raise WorkspaceError(
                    f"{training.name}: the selection {name} holds none of {manifest.rows:,} pairs; "
                    "`paranmt select --preview` shows what each of its clauses drops"
                )

    def _tell_of_few(self, stage: Stage, pairs: int) -> None:
        """Report a model that was trained on fewer pairs than the recipe asks for.

        A model that holds pairs out may take at most a tenth of them.
        """
        if stage.kind != "model":
            return
        score = self._recipe.scores[stage.label]
        train_on, kind = score.trained_on(), model_kind_of(score)
        if train_on is not None and kind is not None and kind.holds_out and pairs < train_on:
            self._observer.message(
                f"{stage.name}: trained on {pairs:,} references, not on the {train_on:,} asked "
                f"for: at most a tenth of {stage.rows:,} pairs is held out from its own score"
            )

    def _find_cuts(self, stages: Sequence[Stage]) -> dict[str, Cuts]:
        """The cuts of several scores, found in shared passes. Cuts from an interrupted run are reused."""
        found: dict[str, Cuts] = {}
        for stage in stages:
            kept = self._workspace.read_record(stage.cuts_file)
            if kept is not None:
                found[stage.name] = cuts_from_json(kept)
        missing = [stage for stage in stages if stage.name not in found]
        if not missing:
            return found
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
            found[stage.name] = cuts[stage.label]
        return found

    def _with_sample(self, stage: Stage, work: SelectPart) -> SelectPart:
        selection = self._recipe.select[stage.label]
        assert selection.sample is not None
        seed = stage.ingredients["seed"]
        assert isinstance(seed, int)
        work = replace(work, seed=seed)
        units = [unit for unit in stage.units if isinstance(unit, Unit)]
        seconds = stage.rows * KINDS["select"].seconds_a_pair
        cuts = find_sample(self._runner, self._workspace, units, work, selection.sample, seconds)
        if cuts.n < selection.sample:
            self._observer.message(
                f"{stage.name}: {cuts.n:,} pairs pass, fewer than the {selection.sample:,} asked for; "
                "all are taken"
            )
        return replace(work, cuts=cuts)

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
    def _told(self, stage: Stage, condition: StagePlan, files: Sequence[str]) -> Iterator["_Done"]:
        """Report a stage's parts to the observer as they appear, and write run.json when the stage ends."""
        done = _Done()
        started = time.time()
        self._lock.check()
        facts: dict[str, object] = {"parts": len(files) or 1, "parts_done": condition.parts_done}
        logger.info("stage started", extra={"facts": {"stage": stage.name, **facts}})
        note_run(self._workspace, stage.name, files, condition.parts_done, self._works[stage.name])
        self._observer.stage_started(stage.name, len(files) or 1, condition.parts_done)
        average = stage.rows // len(files) if files else 0
        with _watched(
            self._workspace, stage.folder, files, lambda: self._observer.part_done(stage.name, average)
        ):
            yield done
        seconds = time.time() - started
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
                "started": started,
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


@dataclass(frozen=True)
class _Ranked:
    """The cuts found so far, by stage, and the stages of deciles that can now be ranked in shared passes."""

    cuts: dict[str, Cuts]
    todo: list[Stage]


@dataclass
class _Done:
    rows: int = 0
    detail: str = ""


@contextmanager
def _watched(
    workspace: Workspace, folder: str, files: Sequence[str], tell: Callable[[], None]
) -> Iterator[None]:
    """While the block runs, call `tell` for each of these files that appears in the workspace."""
    ended = threading.Event()
    wanted = set(files)
    seen = wanted & workspace.sizes(folder).keys() if wanted else set()

    def look() -> None:
        new = (wanted & workspace.sizes(folder).keys()) - seen
        for file in new:
            seen.add(file)
            tell()

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
