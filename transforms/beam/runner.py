"""What a stage needs from the runner of its pipelines; `launch/runners/` has a module for each runner."""

from typing import TYPE_CHECKING, Protocol

from ...base.errors import WorkspaceError
from ..storage.workspace import Workspace

if TYPE_CHECKING:
    import apache_beam as beam


class Runner(Protocol):
    """Where pipelines run."""

    @property
    def name(self) -> str: ...

    @property
    def elsewhere(self) -> bool:
        """Whether workers may be processes that this process did not start, on this or other machines."""
        ...

    @property
    def in_process(self) -> bool:
        """Whether all work is always done in this process."""
        ...

    def is_busy(self, refusal: str) -> bool:
        """Whether a job failed only because an earlier job has not ended."""
        ...

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "beam.Pipeline | None":
        """A pipeline to build one stage's graph in; None if this process is to do the stage's work.

        seconds: roughly how long all tasks together take on one core; 0 if more processes on a machine do
        not help, because the work already uses all its processors. gpu: whether each task needs a GPU for
        itself.
        """
        ...


def require_shared(workspace: Workspace, runner: Runner) -> None:
    """WorkspaceError if the runner's workers could not see the files that this process writes."""
    if workspace.is_in_memory and not runner.in_process:
        raise WorkspaceError(
            f"the workspace {workspace.url} is in the memory of one process, but the runner {runner.name} "
            "uses several; use the local runner with --workers 1, or a workspace in a folder or an object "
            "store"
        )
