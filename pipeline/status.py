"""How a workspace stands, read from the workspace alone: from any machine, while a run is on or after."""

import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..transforms.dataset import read_manifest
from ..transforms.piece import home
from ..transforms.workspace import Workspace

RUN_FILE = "_run.json"
ALIVE_SECONDS = 120.0


@dataclass(frozen=True)
class StageStatus:
    """One finished stage: pairs it went through, its parts, what it cost, and when it ended (UNIX time)."""

    name: str
    pairs: int
    parts: int
    seconds: float | None
    ended: float | None
    counts: dict[str, int]


@dataclass(frozen=True)
class Running:
    """The stage that a run is at; `alive` is false when nothing was heard of it for two minutes."""

    stage: str
    parts_done: int
    parts: int
    parts_before: int
    since: float
    host: str
    process: int
    workers: int
    alive: bool


@dataclass(frozen=True)
class Status:
    """All that is known of a workspace."""

    workspace: str
    stages: tuple[StageStatus, ...]
    running: Running | None


def note_run(workspace: Workspace, stage: str, files: Sequence[str], done: int) -> None:
    """Say which stage a run is at, for `workspace_status`."""
    workspace.write_json(
        RUN_FILE,
        {
            "stage": stage,
            "parts": len(files) or 1,
            "done": done,
            "files": list(files),
            "since": time.time(),
            "host": socket.gethostname(),
            "process": os.getpid(),
        },
    )


def workspace_status(url: str) -> Status:
    """Finished stages in the order they ended, and the run that is on."""
    workspace = Workspace(url)
    there = workspace.sizes("")
    folders = [name.removesuffix("/_manifest.json") for name in there if name.endswith("/_manifest.json")]
    stages = [_stage(workspace, folder) for folder in folders]
    found = tuple(sorted((stage for stage in stages if stage), key=lambda stage: stage.ended or 0.0))
    return Status(url, found, _running(workspace, there))


def _stage(workspace: Workspace, folder: str) -> StageStatus | None:
    manifest = read_manifest(workspace, folder)
    if manifest is None:
        return None
    run = workspace.read_json(f"{folder}/run.json")
    known = run if isinstance(run, dict) and run.get("key") == manifest.key else {}
    return StageStatus(
        name=folder.removeprefix(home("")),
        pairs=manifest.rows,
        parts=len(manifest.parts),
        seconds=known.get("seconds"),
        ended=known["started"] + known["seconds"] if known else None,
        counts=manifest.counts,
    )


def _running(workspace: Workspace, there: dict[str, int]) -> Running | None:
    run = workspace.read_json(RUN_FILE)
    if not isinstance(run, dict):
        return None
    now = time.time()
    beats = [workspace.read_json(name) for name in there if name.startswith("_heartbeats/")]
    times = [float(beat["time"]) for beat in beats if isinstance(beat, dict)]
    files = run.get("files", [])
    return Running(
        stage=run["stage"],
        parts_done=sum(file in there for file in files),
        parts=run["parts"],
        parts_before=run["done"],
        since=run["since"],
        host=run["host"],
        process=run["process"],
        workers=sum(now - beat < ALIVE_SECONDS for beat in times),
        alive=any(now - moment < ALIVE_SECONDS for moment in (*times, float(run["since"]))),
    )
