"""Runner `flink`: an Apache Flink cluster, through a job server that runs already or that Beam starts.

One worker pool beside each task manager, never one for two: Flink gives the workers of both the same name,
and the pool then stops the wrong one. A failure begins all of a stage's job again; parts that are written
are found and not made again.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import RunnerError
from .portable import PortableRunner
from .profile import option, reach

if TYPE_CHECKING:
    import apache_beam as beam

RETRIES = 100
"""Failures a job outlives: each costs the parts that were in the works, so there is little sense in few."""


@dataclass(frozen=True)
class FlinkRunner(PortableRunner):
    """Submits each stage as one job to Flink."""

    name = "flink"

    flink_master: str | None = option(
        "--flink-master", "HOST:PORT", "Flink's REST address, such as jobmanager:8081."
    )

    def check(self, workspace: str) -> None:
        self._check_environment(workspace)
        if not self.flink_master and not self.job_endpoint:
            raise RunnerError(
                "--runner flink needs --flink-master HOST:PORT, for which Beam starts a job server, "
                "or --job-endpoint HOST:PORT of one that runs"
            )
        if self.flink_master:
            reach(self.flink_master, "--flink-master", "Flink job manager", 8081)
        if self.job_endpoint:
            reach(self.job_endpoint, "--job-endpoint", "job server")

    def pipeline(self, stage: str, units: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions
        from apache_beam.runners.portability.flink_runner import FlinkRunner as BeamsRunner
        from apache_beam.runners.portability.portable_runner import PortableRunner as AnyRunner

        runner = AnyRunner() if self.job_endpoint else BeamsRunner()
        return beam.Pipeline(runner=runner, options=PipelineOptions(self.job_options(stage, gpu)))

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        options = [f"--number_of_execution_retries={RETRIES}", "--execution_retry_delay=1000"]
        if self.flink_master:
            options.append(f"--flink_master={self.flink_master}")
        return [*options, *super().job_options(stage, gpu)]
