"""A trial: an encoder that is trained and measured, as one task of a stage that has many of them."""

from dataclasses import dataclass

import pyarrow as pa

from ...models.training.train_options import TrainOptions, resolve_device
from ..beam.gpus import on_device
from ..beam.model_cache import model_lock
from ..beam.task_work import PartWork, Task
from ..storage.workspace import Workspace


@dataclass(frozen=True)
class TrialWork(PartWork):
    """Trains an encoder in each task and measures it; a process has one trial at a time.

    Subclasses say what each is trained on and with which options, and make the table of its results.
    """

    stage: str

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def options_of(self, task: Task) -> TrainOptions:
        """The options of a trial; one that reads others first may train with more on the same device."""
        raise NotImplementedError

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        with model_lock, on_device(resolve_device(self.options_of(task).device)):
            return self.trial(workspace, task)

    def trial(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        """The results of one trial, and its counts, on a device that it has for itself."""
        raise NotImplementedError
