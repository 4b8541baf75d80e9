"""The `train/<name>` stages whose encoder is trained under a head, on files of examples."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ...models.training.head_options import HeadOptions
from ...models.training.train_options import resolve_device
from ..beam.gpus import on_device
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..storage.file_hashes import as_planned
from ..storage.workspace import Workspace
from .training_encoders import planned_start, planned_vectors


@dataclass(frozen=True)
class FineTuneEncoder(SingleJob):
    """Trains one encoder under a head. hashes: the paths of the options, each with the hash in the key.
    started_by: as for `TrainEncoder`.

    If the options' device is `cuda`, training waits for a GPU as `TrainEncoder` does.
    """

    stage: str
    options: HeadOptions
    hashes: tuple[tuple[str, str], ...]
    started_by: tuple[tuple[str, str], ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        from ...models.training.fine_tuning import fine_tune  # imports torch, which planning does not need

        options, digests = self.options, dict(self.hashes)
        with ExitStack() as reading:
            reading.enter_context(on_device(resolve_device(options.device)))
            aside = reading.enter_context(workspace.temporary_folder())
            model = [options.text.sentencepiece] if options.text.sentencepiece is not None else []
            for file in (*options.example_files, *options.dev_files, *model):
                reading.enter_context(as_planned([file], digests[file]))
            vectors = planned_vectors(options.vectors, digests.get(options.vectors or ""))
            named = [digests.get(path, "") for path in options.starts]
            start = planned_start(options, named, workspace, dict(self.started_by))
            result = fine_tune(options, folder, scratch, aside=aside, vectors=vectors, start=start)
        result.write(folder)
        return {"examples": result.examples}
