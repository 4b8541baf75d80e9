"""A plan: the stages of a recipe, and the condition of each in the workspace."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...base.errors import RecipeError, WorkspaceError
from ...transforms.beam.single_job import read_built
from ...transforms.storage.dataset import Manifest, read_manifest
from ...transforms.storage.file_hashes import HashCache, hash_paths
from ...transforms.storage.workspace import Workspace
from ...transforms.works.ingesting import IngestTask
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .stage import Stage

State = Literal["fresh", "partial", "stale", "missing", "waiting"]


@dataclass(frozen=True)
class StagePlan:
    """The condition of a stage; `reason` says why it is not fresh.

    parts: the number of its parts; None until `ingest` has cut all input files. seconds: what the whole
    stage cost when it was last computed; None if it never was. again: how many of these seconds a run would
    spend again. damaged: its files whose content is not what was written. versions: packages of which
    several versions made its parts. outdated: it was computed, but a stage that it reads has since been made
    again, with different results.
    """

    name: StageName
    state: State
    reason: str
    parts_done: int
    parts: int | None
    seconds: float | None = None
    again: float = 0.0
    damaged: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    outdated: bool = False


@dataclass(frozen=True)
class Plan:
    """All stages of a recipe, in order, and their conditions."""

    recipe: Recipe
    workspace: Workspace
    ingest_tasks: tuple[IngestTask, ...]
    stages: tuple[Stage, ...]
    conditions: tuple[StagePlan, ...]
    cache: HashCache

    def hash_files(self, paths: Sequence[str]) -> str:
        """The hash of the files at these paths, as it goes into keys."""
        return hash_paths(paths, self.cache)

    @property
    def release(self) -> Stage:
        """The stage whose files are the release."""
        return next(stage for stage in self.stages if stage.kind.is_release)

    def stage(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)

    def condition(self, name: str) -> StagePlan:
        return next(condition for condition in self.conditions if condition.name == name)

    def manifest(self, name: str) -> Manifest:
        """The manifest of a stage as it is for this recipe; WorkspaceError if it was not computed."""
        stage = self.stage(name)
        manifest = read_manifest(self.workspace, stage.folder, stage.key)
        if manifest is None:
            raise WorkspaceError(f"{name} is {self.condition(name).state}; run it first")
        return manifest

    def manifest_with(self, column: str) -> Manifest:
        """The manifest of the stage that adds a column to the release."""
        adding = (stage for stage in self.stages if any(each.name == column for each in stage.columns))
        return self.manifest(next(adding).name)

    def built_text(self, name: str, part: str) -> str:
        """The content of a text file that a single job built."""
        entry = next(entry for entry in self.manifest(name).parts if entry.part == part)
        return read_built(self.workspace, entry).decode("utf-8")

    def matching(self, name: str) -> list[StageName]:
        """The stages that the user means: one stage by its name, or all stages of a kind (`score`)."""
        names = [stage.name for stage in self.stages]
        matching = [stage for stage in names if name == stage or name.rstrip("/") == stage.kind]
        if not matching:
            kinds = {stage.kind for stage in names}
            close = difflib.get_close_matches(name, [*names, *kinds], n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise RecipeError(f"no stage {name!r}; {hint}there are: {', '.join(names)}")
        return matching
