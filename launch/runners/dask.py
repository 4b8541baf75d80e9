"""Runner `dask`: a Dask scheduler and its workers, started with Dask's own tools.

Dask repeats the work of a lost worker. Start workers with one thread each (`dask worker --nthreads 1`),
and on machines with GPUs one worker per GPU.
"""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from ...base.errors import RunnerError
from ...base.extras import install_command
from ..options.field_options import AsOption
from .profile import Profile, reach, require, require_package, require_shared

if TYPE_CHECKING:
    import apache_beam as beam

ANSWER_SECONDS = 15


@dataclass(frozen=True)
class DaskRunner(Profile):
    """Runs each stage on the workers of a Dask scheduler."""

    name = "dask"

    scheduler: Annotated[str | None, AsOption("ADDRESS", "--dask-scheduler")] = None
    """The address of Dask's scheduler, such as tcp://head:8786."""
    gpu_scheduler: Annotated[str | None, AsOption("ADDRESS", "--gpu-dask-scheduler")] = None
    """The scheduler for stages that use a GPU, if their workers have a separate one."""

    def check(self, workspace: str) -> None:
        require_package("distributed", self.name, install_command("dask"))
        require_shared(workspace, self.name)
        self._check_scheduler(require(self.scheduler, "--dask-scheduler", self.name, "tcp://head:8786"))
        if self.gpu_scheduler:
            self._check_scheduler(self.gpu_scheduler, "--gpu-dask-scheduler")

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions

        scheduler = self.gpu_scheduler if gpu and self.gpu_scheduler else self.scheduler
        # When a worker is lost, Dask repeats whole partitions: so one task per partition.
        options = [f"--dask_client_address={scheduler}", "--dask_partition_size=1", *self.beam_options]
        return beam.Pipeline(runner=_runner(), options=PipelineOptions(options))

    def _check_scheduler(self, scheduler: str, flag: str = "--dask-scheduler") -> None:
        reach(scheduler, flag, "Dask scheduler", 8786)
        try:
            workers = asyncio.run(asyncio.wait_for(_identity(scheduler), ANSWER_SECONDS))["workers"]
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error) or f"no answer within {ANSWER_SECONDS} seconds"
            raise RunnerError(f"{flag}: {scheduler} does not answer as a Dask scheduler: {reason}") from None
        if not workers:
            raise RunnerError(
                f"{flag}: the scheduler {scheduler} has no workers; start some with: dask worker {scheduler}"
            )


async def _identity(scheduler: str) -> dict[str, Any]:
    """A scheduler's description of itself and of its workers."""
    from distributed import rpc

    async with rpc(scheduler, timeout=ANSWER_SECONDS) as connection:
        return dict(await connection.identity())


def _runner() -> Any:
    """Beam's Dask runner, except that it closes its client after each job: a run has dozens of jobs."""
    from apache_beam.runners.dask.dask_runner import DaskRunner as BeamsRunner
    from apache_beam.runners.dask.dask_runner import DaskRunnerResult

    class ClosingResult(DaskRunnerResult):
        def wait_until_finish(self, duration: float | None = None) -> str:
            try:
                return str(super().wait_until_finish(duration))
            finally:
                self.client.close()

    class ClosingRunner(BeamsRunner):
        def run_pipeline(self, pipeline: Any, options: Any) -> ClosingResult:
            try:
                result = super().run_pipeline(pipeline, options)
            except OSError as error:
                raise RunnerError(
                    f"the Dask scheduler can no longer be reached: {error}; start it again, and run again"
                ) from error
            return ClosingResult(result.client, result.futures)

    return ClosingRunner()
