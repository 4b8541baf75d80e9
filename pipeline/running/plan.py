"""Plans a run: the condition of every stage of a recipe in the workspace. Reads, never writes."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...base.errors import DamagedError, InputError
from ...base.host_cache import cache_folder
from ...base.keys import changed, digest
from ...models.translation.model_folder import where_models_come_from
from ...transforms.bitexts.inputs import check_line_counts, digests, fingerprint, input_files
from ...transforms.storage.dataset import (
    Entry,
    Manifest,
    current_manifest,
    is_intact,
    manifest_file,
    read_manifest,
    read_run,
)
from ...transforms.storage.file_hashes import HashCache, hash_paths
from ...transforms.storage.workspace import Listed, Workspace
from ...transforms.works.ingesting import IngestTask, holds_rows, is_lost, read_file_record
from ..manifest.whole_release import check_inputs
from ..recipe.name import INGEST
from ..recipe.recipe import Recipe
from ..recipe.recipe_paths import missing_paths
from ..stages.planned import Plan, StagePlan, State
from ..stages.stage import Gpus, Planning, Stage
from .kinds import STAGES, plan_stages

_AT_ONCE = 16
_MODEL = re.compile(r"(translate|bitext\.\d+)\.model\b")
_FEW = 16
"""Files that were written after their stage's manifest may be damaged: if there are at most this many, we
read them."""


def make_plan(recipe: Recipe, gpus: Gpus | None = None) -> Plan:
    """Look at inputs, models and the workspace, and say what is fresh.

    gpus: where there are GPUs. By default this machine is asked, and a recipe that asks for `cuda` is
    trusted, because its workers may be on other machines.
    """
    recipe = recipe.located()
    missing = missing_paths(recipe)
    if len(missing) > 1:  # for a single one there is a better message where it is read
        models = [line.partition(": ")[2] for line in missing if _MODEL.match(line)]
        hint = f"\n{models[0]}: {where_models_come_from(models[0])}" if models else ""
        lines = "".join(f"\n  {path}" for path in missing)
        raise InputError(
            f"{len(missing)} files or folders of the recipe do not exist; correct these paths:{lines}{hint}"
        )
    workspace = Workspace(recipe.workspace)
    cache = HashCache(cache_folder("hashes.json"))
    tasks = _ingest_tasks(recipe, cache)
    # In parallel, because on an object store most of the time is spent waiting.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        records = list(pool.map(partial(read_file_record, workspace), tasks))
    known = tuple(entry for record in records if record for entry in record)
    planning = Planning(
        STAGES,
        recipe,
        {task.part: f"{task.file.corpus}/{task.file.name}" for task in tasks},
        known,
        digest(INGEST, [task.key for task in tasks]),
        partial(_hash_whole, cache),
        gpus or Gpus(workers=True if recipe.translate.device == "cuda" else None),
    )
    stages = plan_stages(planning)
    read = sum(record is not None for record in records)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        ingesting = pool.submit(_ingest_condition, workspace, stages[0], known, read, len(tasks))
        rest = list(pool.map(lambda stage: _condition(workspace, stage, read == len(tasks)), stages[1:]))
        conditions, manifests = zip(ingesting.result(), *rest, strict=True)
    conditions = tuple(_with_outdated(stages, conditions, manifests))
    return Plan(recipe, workspace, tuple(tasks), stages, conditions, cache)


def _hash_whole(cache: HashCache, paths: Sequence[str]) -> str:
    """The hash of the files at these paths. InputError if they are of a release that is not whole."""
    check_inputs(paths)
    return hash_paths(paths, cache)


def _ingest_tasks(recipe: Recipe, cache: HashCache) -> list[IngestTask]:
    tasks = []
    for entry in recipe.bitext:
        files = input_files(entry)
        check_inputs([path for file in files for path in file.paths])
        for file in files:
            hashes = digests(file, cache)
            made_of = (fingerprint(file, hashes), recipe.ingest.part_rows, recipe.ingest.max_characters)
            check_line_counts(file, cache)
            tasks.append(IngestTask(file, digest(INGEST, STAGES[INGEST].version, *made_of), hashes))
    return tasks


def _ingest_condition(
    workspace: Workspace, stage: Stage, known: Sequence[Entry], read: int, files: int
) -> tuple[StagePlan, Manifest | None]:
    listing = workspace.listing(stage.folder)
    sizes = {name: listed.bytes for name, listed in listing.items()}
    lost = [entry for entry in known if is_lost(entry, sizes)]
    manifest, unreadable = _manifest(workspace, stage)
    damaged = _damaged(workspace, listing, stage, known)
    seconds = read_run(workspace, stage.folder).get("seconds")
    versions = _mixed_versions(known)

    def planned(state: State, reason: str = "", done: int = read) -> tuple[StagePlan, Manifest | None]:
        again = seconds or 0.0 if state == "stale" else 0.0
        plan = StagePlan(stage.name, state, reason, done, files, seconds, again, damaged, versions)
        return plan, manifest

    if damaged:
        return planned("partial", _damage(damaged))
    if lost:
        return planned("partial", f"{len(lost)} parts are missing")
    if read == files:
        return planned("fresh") if manifest is not None else planned("partial", unreadable or "interrupted")
    if read:
        return planned("partial", f"{files - read} of {files} input files to read")
    if current_manifest(workspace, stage.folder) is None:
        return planned("missing", done=0)
    return planned("stale", "input files or their settings changed", done=0)


def _condition(workspace: Workspace, stage: Stage, complete: bool) -> tuple[StagePlan, Manifest | None]:
    listing = workspace.listing(stage.folder)
    manifest, unreadable = _manifest(workspace, stage)
    current = current_manifest(workspace, stage.folder)
    seconds = read_run(workspace, stage.folder).get("seconds")
    if seconds is None and current is not None:  # run.json is lost
        seconds = sum(sum(entry.seconds.values()) for entry in current.parts)
    entries = manifest.parts if manifest is not None else ()
    damaged = _damaged(workspace, listing, stage, entries)
    intact = {name for name in listing if name not in damaged}
    whole = manifest is not None and all(
        entry.file in intact and listing[entry.file].bytes == entry.bytes for entry in entries
    )
    whole = whole and all(file in listing for file in stage.records.values())
    done = int(whole) if stage.is_single_job else sum(file in intact for file in stage.files)
    parts = len(stage.tasks) if complete else None
    versions = _mixed_versions(entries)

    def planned(state: State, reason: str = "") -> tuple[StagePlan, Manifest | None]:
        again = 0.0
        if seconds and current is not None and state in ("stale", "partial"):
            again = seconds * _share_again(stage, current, intact)
        plan = StagePlan(stage.name, state, reason, done, parts, seconds, again, damaged, versions)
        return plan, manifest

    if not complete:
        return planned("waiting", "ingest is not finished")
    if whole and (done == parts or stage.is_single_job):
        return planned("fresh")
    reason = unreadable or (changed(current.ingredients, stage.ingredients) if current is not None else "")
    if damaged:
        return planned("partial", _damage(damaged))
    if done or (manifest is not None and stage.is_single_job):
        return planned("partial", reason or "interrupted")
    if current is None:
        return planned("missing", unreadable)
    return planned("stale", reason or "its inputs changed")


def _manifest(workspace: Workspace, stage: Stage) -> tuple[Manifest | None, str]:
    """The manifest of a stage as this recipe makes it, or why it cannot be used."""
    try:
        return read_manifest(workspace, stage.folder, stage.key), ""
    except DamagedError:
        return None, "its manifest is damaged"


def _damaged(
    workspace: Workspace, listing: dict[str, Listed], stage: Stage, entries: Iterable[Entry]
) -> tuple[str, ...]:
    """The damaged files among those that were written after their manifest.

    Other files are checked when they are read. So are all files of a workspace that was copied without its
    modification times, and all files on an object store, where a check would have to download them.
    """
    manifest = listing.get(manifest_file(stage.folder, stage.key))
    if manifest is None or not workspace.is_local:
        return ()
    names = [(entry, name) for entry in entries for name in (entry.file, *entry.beside) if name in listing]
    late = [(entry, name) for entry, name in names if listing[name].modified > manifest.modified]
    if len(late) > _FEW:
        return ()
    return tuple(name for entry, name in late if not _holds(workspace, entry, name))


def _holds(workspace: Workspace, entry: Entry, name: str) -> bool:
    if name in entry.beside:
        return holds_rows(Path(workspace.path(name)), name)
    return is_intact(workspace, entry)


def _damage(files: Sequence[str]) -> str:
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{files[0]}{more} {'are' if more else 'is'} damaged"


def _with_outdated(
    stages: Sequence[Stage], conditions: Sequence[StagePlan], manifests: Sequence[Manifest | None]
) -> list[StagePlan]:
    """The conditions; a stage becomes stale if one that it read was made again with different results."""
    contents: dict[str, str] = {
        stage.name: manifest.content for stage, manifest in zip(stages, manifests, strict=True) if manifest
    }
    result = []
    for condition, manifest in zip(conditions, manifests, strict=True):
        inputs = manifest.inputs if manifest is not None and condition.state == "fresh" else {}
        others = [name for name, content in inputs.items() if contents.get(name, content) != content]
        if others:
            reason = f"{others[0]} was computed again, with different results"
            again = condition.seconds or 0.0
            condition = replace(
                condition, state="stale", reason=reason, parts_done=0, again=again, outdated=True
            )
        result.append(condition)
    return result


def _share_again(stage: Stage, current: Manifest, intact: Collection[str]) -> float:
    """The share of a dataset's last computation that a run would spend again.

    Parts of an input file that the dataset did not include are new work and do not count. Nor do trials that
    it did not include.
    """
    if stage.is_single_job:
        return 1.0
    origin = stage.kind.origin
    origins = {origin(entry.part) for entry in current.parts}
    known = [position for position, task in enumerate(stage.tasks) if origin(task.part) in origins]
    missing = [position for position in known if stage.file(position) not in intact]
    return len(missing) / len(known) if known else 0.0


def _mixed_versions(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The packages of which different versions made different parts, in words."""
    parts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        for package, version in entry.versions.items():
            parts[package][version] += 1
    return tuple(
        f"{package} " + " and ".join(f"{version} ({n:,} parts)" for version, n in sorted(counts.items()))
        for package, counts in sorted(parts.items())
        if len(counts) > 1
    )
