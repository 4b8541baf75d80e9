"""Removing what no manifest names: leftovers of killed workers and, if wished, of other recipes."""

import time
from contextlib import nullcontext
from dataclasses import dataclass

from ..transforms.dataset import read_manifest
from ..transforms.heartbeat import HEARTBEATS
from ..transforms.lease import LOCK_FILE
from ..transforms.sweep import DAY
from ..transforms.workspace import TEMPORARY
from .lock import workspace_lock
from .plan import Plan, make_plan
from .recipe import Recipe
from .status import PILOT

_OLD_SECONDS = 3600.0
_KEPT = ("_lock", LOCK_FILE, "_run.json", "_forecast.json")


@dataclass(frozen=True)
class CleanResult:
    """What was removed, or would be: file → bytes."""

    removed: dict[str, int]

    @property
    def bytes(self) -> int:
        return sum(self.removed.values())


def clean(recipe: Recipe, *, older: bool = False, dry_run: bool = False) -> CleanResult:
    """Remove the files of a workspace that no manifest names.

    older: also what only manifests of other recipes name, so that going back to them costs anew. What an
    interrupted run of this recipe finished is kept either way. Never while a run is on.
    """
    plan = make_plan(recipe)
    workspace = plan.workspace
    with nullcontext() if dry_run else workspace_lock(workspace):
        listing = workspace.listing("")
        there = {name: listed.bytes for name, listed in listing.items()}
        kept = _named(plan, there, older)
        removed = {
            name: size
            for name, size in there.items()
            if name not in kept and not _young(name, listing[name].modified)
        }
        if not dry_run:
            workspace.remove(*removed)
            workspace.end_uploads(time.time() - DAY)
    return CleanResult(removed)


def _named(plan: Plan, there: dict[str, int], older: bool) -> set[str]:
    """Every file that something needs."""
    workspace = plan.workspace
    kept = {name for name in _KEPT if name in there}
    stages = {stage.folder: stage for stage in plan.stages}
    for name in there:
        folder, found, key = name.partition("/_manifests/")
        if not found or not key.endswith(".json") or folder.startswith(f"{PILOT}/"):
            continue
        key = key.removesuffix(".json").removesuffix(".cuts")
        if older and (folder not in stages or stages[folder].key != key):
            continue
        manifest = read_manifest(workspace, folder, key)
        if manifest is None:
            continue
        kept |= {name, f"{folder}/_manifest.json", f"{folder}/run.json", f"{folder}/cuts.json"}
        kept |= {f"{folder}/_published.json"}
        kept |= {card for card in there if card.startswith(f"{folder}/cards/{key}/")}
        for entry in manifest.parts:
            kept |= {entry.file, *([entry.rejects] if entry.rejects else [])}
        published = workspace.read_json(f"{folder}/_published.json")
        if isinstance(published, dict) and published.get("key") == key:
            public = folder.removeprefix("_built/")
            kept |= {f"{public}/{one}" for one in published["files"]} | set(published["files"].values())
    for stage in plan.stages:
        if not stage.is_piece and stage.name != "ingest":
            kept |= {stage.file(position) for position in range(len(stage.units))}
            kept.add(f"{stage.folder}/_manifests/{stage.key}.cuts.json")
        if stage.is_piece:
            scratch = f"{TEMPORARY}/" + f"{stage.folder}-{stage.key}".replace("/", "-")
            kept |= {name for name in there if name.startswith(scratch + "/")}
    for unit in plan.ingest_units:
        kept.add(unit.record)
    if not older:
        kept |= {name for name in there if name.startswith(("ingest/_files/", "_logs/"))}
    return kept


def _young(name: str, modified: float) -> bool:
    """Whether a heartbeat or a log may be of a worker that lives."""
    return name.startswith((f"{HEARTBEATS}/", "_logs/")) and time.time() - modified < _OLD_SECONDS
