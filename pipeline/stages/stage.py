"""A stage of one recipe, and what stages are planned from.

Nothing here reads a dataset. A stage's key is a hash of its ingredients and of the keys of the stages that
it reads, so all keys are known as soon as the input files have been cut into parts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from ...base.dataset_columns import DatasetColumn
from ...transforms.beam.single_job import SingleJob
from ...transforms.beam.task_work import Task, Work
from ...transforms.storage.dataset import Entry, part_file
from ...transforms.works.releasing import ReleaseTask
from ..recipe.name import StageName
from ..recipe.recipe import Recipe

if TYPE_CHECKING:
    from .stage_kind import StageKind

W = TypeVar("W", bound=Work | SingleJob | None)
"""What makes the files of a stage; None if it is known only when the stage is computed."""


@dataclass(frozen=True)
class Stage(Generic[W]):
    """One stage of one recipe.

    needs: the stages that it reads. key: the key of its whole result. ingredients: what the key is made of
    besides the keys of the stages that it reads. tasks: one per file, in order; a single one if the stage is
    a single job. columns: those that it adds to the release. rows: the number of pairs that it processes.
    on_workers: whether it is a single job that is done on a worker. gpu: whether each task needs a GPU for
    itself.
    """

    kind: "StageKind[W]"
    name: StageName
    needs: tuple[StageName, ...]
    key: str
    ingredients: dict[str, object]
    tasks: tuple[Task | ReleaseTask, ...]
    work: W
    rows: int = 0
    columns: tuple[DatasetColumn, ...] = ()
    on_workers: bool = False
    gpu: bool = False

    @property
    def label(self) -> str:
        """`perplexity` of `score/perplexity`."""
        return self.name.label

    @property
    def folder(self) -> str:
        """The folder of its files, its manifests and run.json."""
        return self.kind.folder(self.name)

    @property
    def is_single_job(self) -> bool:
        """Whether one process makes the whole stage."""
        return self.kind.is_single_job

    def file(self, position: int) -> str:
        """The file of one task."""
        task = self.tasks[position]
        return part_file(self.folder, task.part, task.key)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of all tasks; a single job has a folder instead."""
        return () if self.is_single_job else tuple(self.file(position) for position in range(len(self.tasks)))

    @property
    def records(self) -> Mapping[str, str]:
        """What completes the result besides its files and manifest; see `StageKind.records`."""
        return self.kind.records(self.folder, self.key)

    @property
    def built(self) -> str:
        """The folder in the workspace that a single job made."""
        return f"{self.folder}/{self.key}"

    @property
    def part_tasks(self) -> tuple[Task, ...]:
        """The tasks of a stage that works on parts."""
        return tuple(task for task in self.tasks if isinstance(task, Task))


@dataclass(frozen=True)
class Gpus:
    """Whether the driver and the workers have GPUs; None: ask this machine."""

    driver: bool | None = None
    workers: bool | None = None


@dataclass(frozen=True)
class Planning:
    """What stages are planned from, and the stages that are planned so far, in order.

    kinds: the kinds of stage. inputs: for each input file, how the names of its parts begin, and how its
    pair_ids do. entries: the known parts of `ingest`. hash_files: the hash of files.
    """

    kinds: Mapping[str, "StageKind"]
    recipe: Recipe
    inputs: Mapping[str, str]
    entries: tuple[Entry, ...]
    ingest_key: str
    hash_files: Callable[[Sequence[str]], str]
    gpus: Gpus
    stages: dict[StageName, Stage] = field(default_factory=dict)

    def stage(self, kind: str, label: str = "") -> Stage:
        """A stage. If it is not planned yet, it is planned now, before the stage that needs it."""
        name = StageName(kind, label)
        if name not in self.stages:
            stage = self.kinds[kind].plan(name, self)
            self.stages[name] = stage
        return self.stages[name]

    @property
    def translations(self) -> Stage:
        """The stage with the translation of each pair."""
        return self.stage(translation_stage(self.recipe))

    @property
    def rows(self) -> Stage:
        """The first stage with a row for each pair: `ingest`, unless a record may become several pairs."""
        return self.translations if self.recipe.choose.keep > 1 else self.stage("ingest")

    @property
    def existing(self) -> frozenset[str]:
        """The corpora that came with translations."""
        return frozenset(entry.corpus for entry in self.recipe.bitext if entry.translation)

    def hashes(self, paths: Iterable[str]) -> dict[str, str]:
        """The hash of each file or folder."""
        return {path: self.hash_files([path]) for path in paths}

    def has_gpu(self, on_workers: bool) -> bool | None:
        """Whether the workers or the driver have a GPU."""
        return self.gpus.workers if on_workers else self.gpus.driver


def translation_stage(recipe: Recipe) -> StageName:
    """The stage whose `translation` is that of the release."""
    return StageName("choose" if recipe.choose.is_needed else "translate")


def joined_files(datasets: Mapping[str, Stage]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """For each part, its file in each dataset; nothing without datasets."""
    files = [[(dataset, file) for file in stage.files] for dataset, stage in datasets.items()]
    return tuple(zip(*files, strict=True))


def keys_of(stages: Iterable[Stage]) -> dict[str, object]:
    """Stage → its key."""
    return {stage.name: stage.key for stage in stages}


def columns_of(stages: Iterable[Stage]) -> dict[str, tuple[str, ...]]:
    """Stage → the names of the columns that it adds to the release."""
    return {stage.name: tuple(column.name for column in stage.columns) for stage in stages}


def without_paths(value: object, hashes: Mapping[str, str]) -> dict[str, object]:
    """The parameters, with each path replaced by the hash of the file or folder there."""

    def replaced(item: object) -> object:
        if isinstance(item, dict):
            return {key: replaced(inner) for key, inner in item.items()}
        if isinstance(item, list | tuple):
            return [replaced(inner) for inner in item]
        return hashes.get(item, item) if isinstance(item, str) else item

    result = replaced(value)
    assert isinstance(result, dict)
    return result
