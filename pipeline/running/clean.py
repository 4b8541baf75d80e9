"""Removes files that no manifest names: leftovers of killed workers and, on request, of other recipes.

It removes only files whose names can only come from this program: a part with its key, a manifest, a
temporary file named after its process. All other files in a workspace belong to the user and stay.
"""

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass

from ...base.errors import DamagedError
from ...base.processes import DAY
from ...transforms.beam.single_job import files_record, home, scratch_name
from ...transforms.storage.dataset import Manifest, manifest_file, read_manifest
from ...transforms.storage.heartbeat import HEARTBEATS
from ...transforms.storage.workspace import TEMPORARY, Workspace
from ...transforms.works.ingesting import RECORDS
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..stages.planned import Plan
from ..stages.stage_kind import StageKind
from .kinds import STAGES
from .lock import workspace_lock
from .plan import make_plan

_OLD_SECONDS = 3600.0
_KEY = "[0-9a-f]{16}"


@dataclass(frozen=True)
class CleanResult:
    """What was removed, or would be: file → bytes."""

    removed: dict[str, int]

    @property
    def bytes(self) -> int:
        return sum(self.removed.values())


def clean(recipe: Recipe, *, older: bool = False, dry_run: bool = False) -> CleanResult:
    """Remove the files of a workspace that this program wrote and that no manifest names.

    older: also remove files that only manifests of other recipes name; going back to those recipes then
    means computing them again. The finished parts of an interrupted run of this recipe are always kept.
    Files are not removed while a run is using the workspace; a dry run is possible at any time.
    """
    plan = make_plan(recipe)
    workspace = plan.workspace
    with nullcontext() if dry_run else workspace_lock(workspace):
        listing = workspace.listing("")
        sizes = {name: listed.bytes for name, listed in listing.items()}
        manifests = _manifests(workspace, sizes)
        ours = _Ours(workspace, manifests)
        needed = _needed(plan, sizes, manifests, older)
        removed = {
            name: size
            for name, size in sizes.items()
            if name not in needed
            and (older or not name.startswith(("_logs/", f"{RECORDS}/")))
            and ours.wrote(name)
            and not _is_young(name, listing[name].modified)
        }
        if not dry_run:
            workspace.remove(*removed)
            workspace.end_uploads(time.time() - DAY)
    return CleanResult(removed)


def _manifests(workspace: Workspace, files: Iterable[str]) -> dict[tuple[str, str], Manifest]:
    """Every manifest that can be read: folder and key → manifest."""
    pattern = _matches(manifest_file(folder, "<key>") for folder in _folders())
    manifests = {}
    for name in files:
        if not pattern.fullmatch(name):
            continue
        folder, _, key = name.removesuffix(".json").rpartition("/_manifests/")
        try:
            manifest = read_manifest(workspace, folder, key)
        except DamagedError:
            continue
        if manifest is not None:
            manifests[folder, key] = manifest
    return manifests


def _needed(
    plan: Plan, files: Iterable[str], manifests: Mapping[tuple[str, str], Manifest], older: bool
) -> set[str]:
    """The files of all datasets that any recipe needs; with `older`, only those that this recipe needs."""
    stages = {stage.folder: stage for stage in plan.stages}
    needed: set[str] = set()
    for (folder, key), manifest in manifests.items():
        if older and (folder not in stages or stages[folder].key != key):
            continue
        kind = STAGES[StageName(folder.removeprefix(home(""))).kind]
        needed |= {*kind.by_key(folder, key), *kind.current(folder)}
        for entry in manifest.parts:
            needed |= {entry.file, *entry.beside}
        needed |= _published(plan.workspace, folder)
        if not older:
            with_key = _matches(kind.files(folder, key))
            needed |= {name for name in files if with_key.fullmatch(name)}
    for stage in plan.stages:
        needed |= {*stage.kind.by_key(stage.folder, stage.key), *stage.files}
    needed |= {task.record for task in plan.ingest_tasks}
    # Without this record, we could not distinguish published files from files that somebody else put there.
    needed |= {name for name in files if name.endswith("/_published.json")}
    # Unfinished trainings that this recipe's next run will resume.
    scratch = {
        scratch_name(stage.folder, key)
        for stage in plan.stages
        for key in (stage.key, *(task.key for task in stage.part_tasks))
    }
    temporary = (name for name in files if name.startswith(f"{TEMPORARY}/"))
    return needed | {name for name in temporary if name.split("/")[1] in scratch}


def _published(workspace: Workspace, folder: str) -> set[str]:
    """The cards, metadata and certificates that a release's published files are copies of."""
    try:
        record = workspace.read_record(f"{folder}/_published.json")
    except DamagedError:
        return set()
    published = (record or {}).get("files", {}).values()
    return {file["origin"] if isinstance(file, dict) else file for file in published}


class _Ours:
    """Recognises the files that this program wrote, by their names and by the records of built folders."""

    def __init__(self, workspace: Workspace, manifests: Mapping[tuple[str, str], Manifest]) -> None:
        self._pattern = _matches(_written())
        self._listed = {entry.file for manifest in manifests.values() for entry in manifest.parts}
        self._workspace = workspace
        self._records: dict[tuple[str, str], set[str]] = {}

    def wrote(self, name: str) -> bool:
        """Whether this program certainly wrote a file of the workspace."""
        if name in self._listed or self._pattern.fullmatch(name) or _OTHERS.fullmatch(name):
            return True
        built = re.fullmatch(rf"({home('.+')})/({_KEY})/.+", name)
        return built is not None and name in self._record(built[1], built[2])

    def _record(self, folder: str, key: str) -> set[str]:
        """The files that a single job was about to put into its folder."""
        if (folder, key) not in self._records:
            try:
                record = self._workspace.read_record(files_record(folder, key))
            except DamagedError:
                record = None
            self._records[folder, key] = set((record or {}).get("files", ()))
        return self._records[folder, key]


def _matches(patterns: Iterable[str]) -> re.Pattern[str]:
    """Matches names in which `<key>` is a key, `<name>` a name without a slash, and `*` any text."""
    fragments = {"<key>": _KEY, "<name>": "[^/]+", r"\*": ".*"}
    escaped = [re.escape(pattern) for pattern in patterns]
    for sign, fragment in fragments.items():
        escaped = [pattern.replace(sign, fragment) for pattern in escaped]
    return re.compile("|".join(escaped))


def _folders() -> dict[str, StageKind]:
    """The folder of each kind's stages, as a pattern → the kind."""
    names = [(StageName(word, "<name>" if kind.has_labels else ""), kind) for word, kind in STAGES.items()]
    return {kind.folder(name): kind for name, kind in names}


def _written() -> Iterator[str]:
    """All files of stages, as patterns."""
    for folder, kind in _folders().items():
        yield from (*kind.by_key(folder, "<key>"), *kind.current(folder), *kind.files(folder, "<key>"))
        yield f"{folder}/_failed.json"
        yield f"{TEMPORARY}/{scratch_name(folder, '<key>')}/*"


_PROCESS = r"[^/]+-\d+(?:\.\d+)?"
_TEMPORARY = rf"{TEMPORARY}/{_PROCESS}-[0-9a-f]{{32}}.*"
_SIGNS = rf"(?:{HEARTBEATS}/{_PROCESS}\.json|_logs/\d{{8}}T\d{{6}}Z-[0-9a-f]{{6}}/{_PROCESS}\.jsonl)"
_OTHERS = re.compile(f"{_TEMPORARY}|{_SIGNS}")


def _is_young(name: str, modified: float) -> bool:
    """Whether a heartbeat or a log may belong to a worker that is still alive."""
    return name.startswith((f"{HEARTBEATS}/", "_logs/")) and time.time() - modified < _OLD_SECONDS
