"""A model for each group of corpora, as Wieting et al. 2017 train one for each of ten (section 5.6)."""

from dataclasses import dataclass
from pathlib import Path

from ...base.counts import by_name
from ...base.errors import ModelError
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..storage.workspace import Workspace
from ..trainings.held_out import write_groups


@dataclass(frozen=True)
class Group:
    """Corpora that share a model. name: what they have in common. job: the work that trains the model."""

    name: str
    corpora: tuple[str, ...]
    job: SingleJob


@dataclass(frozen=True)
class TrainGroups(SingleJob):
    """Trains a model for each group. Each is in a folder with the name of the group's first corpus.

    Each group's counts are by its name; `pairs` are those of all groups.
    """

    stage: str
    groups: tuple[Group, ...]

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(sorted({package for group in self.groups for package in group.job.packages}))

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        counts = {"pairs": 0}
        for group in self.groups:
            own, aside = folder / group.corpora[0], scratch / group.corpora[0]
            own.mkdir()
            aside.mkdir(exist_ok=True)
            try:
                made = group.job.make(workspace, task, own, aside)
            except ModelError as error:
                raise ModelError(f"{group.name}: {error}") from None
            counts["pairs"] += made["pairs"]
            counts |= by_name(group.name, made)
        write_groups(folder, {corpus: group.corpora[0] for group in self.groups for corpus in group.corpora})
        return counts
