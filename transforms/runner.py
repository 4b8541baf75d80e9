"""What a stage needs of the runner that its pipelines run on; `launch/runners/` has one module each."""

from typing import TYPE_CHECKING, Protocol

from ..errors import WorkspaceError
from .workspace import Workspace

if TYPE_CHECKING:
    import apache_beam as beam


class Runner(Protocol):
    """Where pipelines run."""

    @property
    def name(self) -> str: ...

    @property
    def elsewhere(self) -> bool:
        """Whether workers may be processes that this one did not start, on this or on other machines."""
        ...

    @property
    def in_process(self) -> bool:
        """Whether all work is done in this process, whatever there is to do."""
        ...

    def is_busy(self, refusal: str) -> bool:
        """Whether a job failed for no other reason than that one before it has not ended."""
        ...

    def pipeline(self, stage: str, units: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        """A pipeline to build one stage's graph in.

        seconds: about what all units together take on one core; 0 where more processes on a machine do
        not help, as the work uses all its processors by itself. gpu: each unit wants a GPU for itself.
        """
        ...


def require_shared(workspace: Workspace, runner: Runner) -> None:
    """WorkspaceError where the runner's workers could not see what this process writes."""
    if workspace.is_in_memory and not runner.in_process:
        raise WorkspaceError(
            f"the workspace {workspace.url} lies in the memory of one process, and the runner {runner.name} "
            "works in several: give --workers 1 to the local runner, or a workspace in a folder or an "
            "object store"
        )
