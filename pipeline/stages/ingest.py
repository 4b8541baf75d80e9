"""The `ingest` stage: the parts of pairs that all other stages work on."""

from collections.abc import Iterable

from ...base.dataset_columns import REFERENCE, SOURCE
from ...transforms.beam.task_work import Task
from ...transforms.works.ingesting import record_file, rejects_file
from ..recipe.name import StageName
from .stage import Planning, Stage
from .stage_kind import StageKind
from .whole import Whole


class IngestStage(StageKind):
    """Cuts the input files into parts. A plan knows these only after a run has read the files."""

    makes_pairs = True

    def plan(self, name: StageName, planning: Planning) -> Stage:
        tasks = tuple(Task(entry.part, entry.key, ()) for entry in planning.entries)
        rows = sum(entry.rows for entry in planning.entries)
        return Stage(self, name, (), planning.ingest_key, {}, tasks, rows=rows, columns=(SOURCE, REFERENCE))

    def files(self, folder: str, key: str) -> Iterable[str]:
        return (*super().files(folder, key), rejects_file(folder, "*", key), record_file("*", key))

    def processes(self, whole: Whole, tasks: int, pairs: float) -> float:
        return min(whole.machines.workers, whole.files) if whole.machines.is_cluster else 1
