"""Runs a recipe: computes every stage that is not fresh, in order, and only the parts that are missing.

This module decides which stages that are, and asks before finished work is computed again. `execution`
computes them.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ... import install
from ...base.errors import BudgetError, DamagedError, RecipeError, WorkspaceError
from ...base.logs import about, also_logged, logged
from ...transforms.beam.runner import Runner, require_shared
from ...transforms.beam.stage_pipeline import log_file
from ...transforms.storage.run_note import RunNote, new_run_id
from ...transforms.storage.sweep import sweep
from ...transforms.storage.workspace import Workspace
from ..recipe.name import INGEST
from ..recipe.recipe import Recipe
from ..stages.planned import Plan, StagePlan
from .execution import Execution, Observer
from .lock import Lock, workspace_lock
from .placement import find_gpus
from .plan import make_plan
from .status import RUN_FILE

logger = logging.getLogger(__name__)

HOUR = 3600.0


@dataclass(frozen=True)
class RunResult:
    """The stages that a run computed, and the plan after it.

    left: the conditions of the stages that it should have computed too, if its budget was used up before.
    """

    computed: tuple[str, ...]
    plan: Plan
    left: tuple[StagePlan, ...] = ()


def run(
    recipe: Recipe,
    runner: Runner,
    observer: Observer,
    *,
    first: str | None = None,
    last: str | None = None,
    only: str | None = None,
    redo: str | None = None,
    targets: Collection[str] = (),
    confirm: Callable[[str], bool] = lambda question: True,
    log: str | None = None,
    log_level: str = "info",
    budget: float | None = None,
) -> RunResult:
    """Compute every stage that is not fresh.

    first, last, only: a stage, or all of a kind (`score`); other stages are not computed. redo: stages to
    compute again even if they are fresh. targets: stages to compute with all that they need, and no others.
    confirm: asked before more than an hour of finished work is
    computed again. budget: no work is begun so many seconds after the start, and what is begun is finished.
    log: a file to append structured logs to, `-` for the standard error. WorkspaceError if
    a stage would read one that is not fresh, or if another run took over the workspace because this run
    did not renew its lease in time.
    """
    recipe = recipe.located()
    note = RunNote(new_run_id(), log_level, ends=None if budget is None else time.time() + budget)
    with logged([log] if log else [], log_level), about(run=note.id):
        try:
            result = _run(recipe, runner, observer, note, first, last, only, redo, targets, confirm)
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
    targets: Collection[str],
    confirm: Callable[[str], bool],
) -> RunResult:
    workspace = Workspace(recipe.workspace)
    plan = make_plan(recipe)
    wanted = _needed(plan, targets) if targets else _wanted(plan, first, last, only or redo)
    with held_workspace(workspace, runner, note) as (workspace, lock):
        needed = any(
            plan.stage(name).gpu and (redo or plan.condition(name).state != "fresh") for name in wanted
        )
        if not runner.elsewhere:
            _require_packages(plan, wanted)
        gpus = find_gpus(recipe, runner, workspace, observer.message, needed)
        plan = make_plan(recipe, gpus)
        again = frozenset(plan.matching(redo)) if redo else frozenset[str]()
        confirmation = _Confirmation(wanted, again, confirm)
        confirmation.ask(plan)
        execution = Execution(recipe, workspace, runner, observer, lock, again)
        computed: list[str] = []
        is_over = False
        while True:
            execution.announce(plan, wanted)
            try:
                if INGEST in wanted and execution.compute_ingest(plan):
                    computed.append(INGEST)
                    plan = make_plan(recipe, gpus)
                    confirmation.ask(plan)
                    execution.announce(plan, wanted)
                if execution.compute_rest(plan, wanted, computed):
                    break
            except DamagedError as damage:
                execution.discard(plan, damage, wanted)
            except BudgetError:
                is_over = True
                break
            plan = make_plan(recipe, gpus)
            confirmation.ask(plan)
        plan = make_plan(recipe, gpus)
    unfinished = (each for each in plan.conditions if each.name in wanted and each.state != "fresh")
    return RunResult(tuple(dict.fromkeys(computed)), plan, tuple(unfinished) if is_over else ())


@contextmanager
def held_workspace(workspace: Workspace, runner: Runner, note: RunNote) -> Iterator[tuple[Workspace, Lock]]:
    """Hold a workspace for a run, without what killed runs left in it, and log the run there.

    Yields the workspace, which knows the run then, and its lock.
    """
    require_shared(workspace, runner)
    with workspace_lock(workspace) as lock, also_logged(log_file(workspace, note), note.log_level):
        workspace = replace(workspace, run=replace(note, lease=lock.token))
        logger.info("run started", extra={"facts": {"workspace": workspace.url, "runner": runner.name}})
        swept = sweep(workspace)
        if swept:
            logger.info("removed the temporary files of dead processes", extra={"facts": {"files": swept}})
        try:
            yield workspace, lock
        finally:
            if lock.lost is None:
                workspace.remove(RUN_FILE)  # otherwise an interrupted run would look like a running one


def _require_packages(plan: Plan, wanted: Collection[str]) -> None:
    """RecipeError, before any work, if fairseq or KenLM is missing here and a stage to compute needs it."""
    stale = [name for name in wanted if plan.condition(name).state != "fresh"]
    used = {package for name in stale for package in getattr(plan.stage(name).work, "packages", ())}
    missing = install.missing(*sorted(used & install.LEFT_OUT))
    if missing:
        raise RecipeError(f"a stage of the recipe cannot be computed; {missing}")


def _wanted(plan: Plan, first: str | None, last: str | None, only: str | None) -> set[str]:
    """The stages that the user asked for."""
    names = [stage.name for stage in plan.stages]
    if only:
        return set(plan.matching(only))
    start = names.index(plan.matching(first)[0]) if first else 0
    end = names.index(plan.matching(last)[-1]) if last else len(names) - 1
    return set(names[start : end + 1])


def _needed(plan: Plan, targets: Collection[str]) -> set[str]:
    """The targets and all stages that they need, directly or not."""
    needed = set(targets)
    for stage in reversed(plan.stages):
        if stage.name in needed:
            needed.update(stage.needs)
    return needed


class _Confirmation:
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
        expensive = [(c, seconds) for c, seconds in again[:3] if seconds >= 0.05 * cost]
        names = ", ".join(f"{c.name} ({self._reason(c)}; {seconds / HOUR:.1f} h)" for c, seconds in expensive)
        if len(again) > len(expensive):
            names += f", and {len(again) - len(expensive)} more (see `paranmt plan`)"
        if not self._confirm(f"This recomputes {cost / HOUR:.1f} hours of finished work: {names}. Continue?"):
            raise WorkspaceError(
                f"not confirmed: {cost / HOUR:.1f} hours of finished work would be recomputed ({names}); "
                "give --yes, or undo the change to the recipe"
            )
        self._confirmed = True

    def _seconds(self, condition: StagePlan) -> float:
        if condition.name in self._redo and condition.parts_done:
            return condition.seconds or 0.0
        return condition.again

    def _reason(self, condition: StagePlan) -> str:
        return "requested by --redo" if condition.name in self._redo else condition.reason
