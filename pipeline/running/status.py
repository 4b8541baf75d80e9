"""The status of a workspace, read from the workspace alone: on any machine, during a run or after it."""

import os
import socket
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from ...base.counts import totals
from ...base.processes import is_dead, process_name
from ...transforms.beam.single_job import home
from ...transforms.storage.dataset import read_manifest, read_run
from ...transforms.storage.heartbeat import HEARTBEATS, work_progress
from ...transforms.storage.lease import readable_holder
from ...transforms.storage.workspace import Workspace
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .kinds import STAGES, stage_folder

RUN_FILE = "_run.json"
ALIVE_SECONDS = 120.0


@dataclass(frozen=True)
class StageStatus:
    """One finished stage: its pairs, its parts, how many seconds it took, and when it ended (UNIX time).

    speed: pairs per second, of those of which something was computed; None if it computed nothing.
    """

    name: str
    pairs: int
    parts: int
    seconds: float | None
    ended: float | None
    counts: dict[str, int]
    speed: float | None = field(default=None, repr=False)

    @property
    def shown_counts(self) -> dict[str, int]:
        """The counts that a screen has room for: not those of values and clauses."""
        return totals(self.counts)


@dataclass(frozen=True)
class RunningStage:
    """The stage that a run is computing.

    alive: false if the run has given no sign of life for two minutes, or if its process was on this host and
    is dead. work: the stage's work key (`work_keys`). share, note: how far a training is.
    """

    run: str | None
    stage: str
    parts_done: int
    parts: int
    parts_before: int
    since: float
    host: str
    process: int
    workers: int
    alive: bool
    work: str = ""
    share: float | None = field(default=None, repr=False)
    note: str = field(default="", repr=False)


@dataclass(frozen=True)
class Status:
    """The finished stages of a workspace, and the run that is using it, if any."""

    workspace: str
    stages: tuple[StageStatus, ...]
    running: RunningStage | None


def note_run(workspace: Workspace, stage: str, files: Sequence[str], done: int, work: str = "") -> None:
    """Record which stage a run is computing, for `workspace_status`."""
    workspace.write_json(
        RUN_FILE,
        {
            "run": workspace.run.id if workspace.run else None,
            "stage": stage,
            "parts": len(files) or 1,
            "done": done,
            "files": list(files),
            "since": time.time(),
            "host": socket.gethostname(),
            "process": os.getpid(),
            "process_name": process_name(),
            "work": work,
        },
    )


def workspace_status(url: str) -> Status:
    """The finished stages in the order in which they ended, and the current run."""
    workspace = Workspace(url)
    with ThreadPoolExecutor(16) as pool:
        stages = list(pool.map(partial(_stage, workspace), _stage_folders(workspace)))
    finished = sorted((stage for stage in stages if stage), key=lambda stage: stage.ended or 0.0)
    return Status(url, tuple(finished), _running(workspace))


def not_in_recipe(status: Status, recipe: Recipe) -> list[str]:
    """The finished stages that the recipe does not have.

    They are those of an earlier version of the recipe, or of another one with the same workspace.
    """
    names = [StageName(stage.name) for stage in status.stages]
    known = {kind: set(STAGES[kind].labels(recipe)) for kind in STAGES}
    return [name for name in names if name.label not in known.get(name.kind, ())]


def _stage_folders(workspace: Workspace) -> list[str]:
    """The folders that may have a manifest, found without listing any folder of parts."""
    top = [name for name in workspace.folders("") if not name.startswith("_")]
    built = workspace.folders(home("").rstrip("/"))
    within = [name for name in (*top, *built) if _has_labels(name.removeprefix(home("")))]
    return [*top, *built, *(folder for name in within for folder in workspace.folders(name))]


def _has_labels(folder: str) -> bool:
    return folder in STAGES and STAGES[folder].has_labels


def _stage(workspace: Workspace, folder: str) -> StageStatus | None:
    manifest = read_manifest(workspace, folder)
    if manifest is None:
        return None
    run = read_run(workspace, folder)
    known = run if run.get("key") == manifest.key else {}
    return StageStatus(
        name=folder.removeprefix(home("")),
        pairs=known.get("pairs", manifest.rows),
        parts=len(manifest.parts),
        seconds=known.get("seconds"),
        ended=known.get("ended"),
        counts=manifest.counts,
        speed=known.get("pairs_per_second"),
    )


def _running(workspace: Workspace) -> RunningStage | None:
    run = workspace.read_json(RUN_FILE)
    if not isinstance(run, dict):
        return None
    now = time.time()
    beats = [listed.modified for listed in workspace.listing(HEARTBEATS).values()]
    lock_holder = readable_holder(workspace)
    renewed = lock_holder.renewed if lock_holder is not None else 0.0
    files = run.get("files", [])
    existing_files = workspace.sizes(stage_folder(run["stage"])) if files else {}
    share, note = (
        (None, "") if files else work_progress(workspace, stage_folder(run["stage"]), float(run["since"]))
    )
    return RunningStage(
        run=run.get("run"),
        stage=run["stage"],
        parts_done=sum(file in existing_files for file in files),
        parts=run["parts"],
        parts_before=run["done"],
        since=run["since"],
        host=run["host"],
        process=run["process"],
        workers=sum(now - beat < ALIVE_SECONDS for beat in beats),
        alive=not is_dead(str(run.get("process_name", "")))
        and any(now - moment < ALIVE_SECONDS for moment in (*beats, renewed, float(run["since"]))),
        work=run.get("work", ""),
        share=share,
        note=note,
    )
