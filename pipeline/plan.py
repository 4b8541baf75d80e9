"""What a run would do: every stage of a recipe and how it stands in the workspace. Reads, never writes."""

import difflib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ..errors import RecipeError
from ..transforms.dataset import Entry, read_manifest
from ..transforms.file_hashes import HashCache, hash_paths
from ..transforms.host_cache import cache_folder
from ..transforms.ingest import IngestUnit, read_file_record
from ..transforms.inputs import check_line_counts, digests, fingerprint, input_files
from ..transforms.workspace import Workspace
from .keys import changed, digest
from .recipe import Recipe
from .stages import VERSIONS, Context, Gpus, Stage, plan_stages

_AT_ONCE = 16

State = Literal["fresh", "partial", "stale", "missing", "waiting"]


@dataclass(frozen=True)
class StagePlan:
    """How a stage stands: `reason` says why it is not fresh.

    parts: how many it has, None while `ingest` has not cut all input files. seconds: what it cost when
    it was last computed whole, None if it never was.
    """

    name: str
    state: State
    reason: str
    parts_done: int
    parts: int | None
    seconds: float | None = None


@dataclass(frozen=True)
class Plan:
    """All stages of a recipe, in order, and how they stand."""

    recipe: Recipe
    workspace: Workspace
    ingest_units: tuple[IngestUnit, ...]
    stages: tuple[Stage, ...]
    conditions: tuple[StagePlan, ...]
    cache: HashCache

    def hash_files(self, paths: Sequence[str]) -> str:
        """The hash of what lies at paths, as keys hold it."""
        return hash_paths(paths, self.cache)

    def stage(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)

    def condition(self, name: str) -> StagePlan:
        return next(condition for condition in self.conditions if condition.name == name)

    def matching(self, name: str) -> list[str]:
        """The stages that a user means: one by its name, or all of a kind (`score`)."""
        names = [stage.name for stage in self.stages]
        if name in names:
            return [name]
        found = [one for one in names if one.startswith(name.rstrip("/") + "/")]
        if not found:
            kinds = {one.partition("/")[0] for one in names}
            close = difflib.get_close_matches(name, [*names, *kinds], n=1)
            meant = f"did you mean {close[0]}? " if close else ""
            raise RecipeError(f"no stage {name!r}; {meant}there are: {', '.join(names)}")
        return found


def make_plan(recipe: Recipe, gpus: Gpus | None = None) -> Plan:
    """Look at inputs, models and the workspace, and say what is fresh.

    gpus: where there are some; by default this machine is asked, and a recipe that says `cuda` is believed:
    its workers may be elsewhere.
    """
    recipe = recipe.located()
    workspace = Workspace(recipe.workspace)
    cache = HashCache(cache_folder("hashes.json"))
    units = _ingest_units(recipe, cache)
    # Side by side, since what takes the time on an object store is waiting.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        records = list(pool.map(partial(read_file_record, workspace), units))
    known = tuple(entry for record in records if record for entry in record)
    context = Context(
        recipe,
        known,
        digest("ingest", [unit.key for unit in units]),
        lambda paths: hash_paths(paths, cache),
        gpus or Gpus(workers=True if recipe.translate.device == "cuda" else None),
    )
    stages = tuple(plan_stages(context))
    read = sum(record is not None for record in records)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        ingesting = pool.submit(_ingest_condition, workspace, stages[0], known, read, len(units))
        rest = list(pool.map(lambda stage: _condition(workspace, stage, read == len(units)), stages[1:]))
        ingest = ingesting.result()
    return Plan(recipe, workspace, tuple(units), stages, (ingest, *rest), cache)


def _ingest_units(recipe: Recipe, cache: HashCache) -> list[IngestUnit]:
    units = []
    for entry in recipe.bitext:
        for file in input_files(entry):
            hashes = digests(file, cache)
            made_of = (fingerprint(file, hashes), recipe.ingest.part_rows, recipe.ingest.max_characters)
            check_line_counts(file, cache)
            units.append(IngestUnit(file, digest("ingest", VERSIONS["ingest"], *made_of), hashes))
    return units


def _ingest_condition(
    workspace: Workspace, stage: Stage, known: Sequence[Entry], read: int, files: int
) -> StagePlan:
    there = workspace.sizes("ingest")
    lost = [entry for entry in known if there.get(entry.file) != entry.bytes]
    seconds = last_seconds(workspace, stage.folder)
    manifest = read_manifest(workspace, "ingest", stage.key)
    if read == files and not lost and manifest is not None:
        return StagePlan("ingest", "fresh", "", files, files, seconds)
    current = read_manifest(workspace, "ingest")
    if lost:
        return StagePlan("ingest", "partial", f"{len(lost)} parts are missing", read, files, seconds)
    if read:
        return StagePlan(
            "ingest", "partial", f"{files - read} of {files} input files to read", read, files, seconds
        )
    state: State = "missing" if current is None else "stale"
    return StagePlan("ingest", state, "" if current is None else "input files changed", 0, files, seconds)


def _condition(workspace: Workspace, stage: Stage, complete: bool) -> StagePlan:
    there = workspace.sizes(stage.folder)
    manifest = read_manifest(workspace, stage.folder, stage.key)
    seconds = last_seconds(workspace, stage.folder)
    whole = manifest is not None and all(there.get(entry.file) == entry.bytes for entry in manifest.parts)
    if stage.is_piece:
        done = int(whole)
    else:
        done = sum(stage.file(position) in there for position in range(len(stage.units)))
    parts = len(stage.units) if complete else None
    if not complete:
        return StagePlan(stage.name, "waiting", "for ingest", done, parts, seconds)
    if whole and (done == parts or stage.is_piece):
        return StagePlan(stage.name, "fresh", "", done, parts, seconds)
    before = read_manifest(workspace, stage.folder)
    reason = changed(before.ingredients, stage.ingredients) if before is not None else ""
    if done:
        return StagePlan(stage.name, "partial", reason or "interrupted", done, parts, seconds)
    if before is None:
        return StagePlan(stage.name, "missing", "", 0, parts, seconds)
    return StagePlan(stage.name, "stale", reason or "its inputs changed", 0, parts, seconds)


def last_seconds(workspace: Workspace, folder: str) -> float | None:
    """What a stage cost when it was last computed."""
    content = workspace.read_json(f"{folder}/run.json")
    return float(content["seconds"]) if isinstance(content, dict) and "seconds" in content else None
