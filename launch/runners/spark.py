"""Runner `spark`: an Apache Spark cluster, through a job server that runs already or that Beam starts.

A worker pool beside each Spark worker, or an image. Spark makes a failed task again by itself.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import RunnerError
from .portable import PortableRunner
from .profile import option, quiet, reach

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True)
class SparkRunner(PortableRunner):
    """Submits each stage as one job to Spark."""

    name = "spark"

    spark_master: str | None = option("--spark-master", "URL", "Spark's master, such as spark://head:7077.")

    def check(self, workspace: str) -> None:
        self._check_environment(workspace)
        if not self.spark_master and not self.job_endpoint:
            raise RunnerError(
                "--runner spark needs --spark-master spark://HOST:PORT, for which Beam starts a job server, "
                "or --job-endpoint HOST:PORT of one that runs"
            )
        if self.spark_master and not re.fullmatch(
            r"local(\[.+\])?|yarn|k8s://.+|spark://.+", self.spark_master
        ):
            raise RunnerError(
                "--spark-master: expected spark://HOST:PORT, yarn, k8s://… or local[N], "
                f"got {self.spark_master!r}"
            )
        if self.spark_master and self.spark_master.startswith("spark://"):
            reach(self.spark_master, "--spark-master", "Spark master", 7077)
        if self.job_endpoint:
            reach(self.job_endpoint, "--job-endpoint", "job server")

    def pipeline(self, stage: str, units: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions
        from apache_beam.runners.portability.portable_runner import PortableRunner as AnyRunner
        from apache_beam.runners.portability.spark_runner import SparkRunner as BeamsRunner

        quiet()
        runner = AnyRunner() if self.job_endpoint else BeamsRunner()
        return beam.Pipeline(runner=runner, options=PipelineOptions(self.job_options(stage, gpu)))

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        options = [f"--spark_master_url={self.spark_master}"] if self.spark_master else []
        return [*options, *super().job_options(stage, gpu)]
