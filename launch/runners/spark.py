"""Runner `spark`: an Apache Spark cluster, through a job server that already runs or that Beam starts.

Each Spark worker needs a worker pool beside it, or an image. Spark itself repeats failed tasks.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ...base.errors import RunnerError
from ..options.field_options import AsOption
from .portable import PortableRunner
from .profile import reach

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True)
class SparkRunner(PortableRunner):
    """Submits each stage as one job to Spark."""

    name = "spark"

    spark_master: Annotated[str | None, AsOption("URL")] = None
    """The address of Spark's master, such as spark://head:7077."""

    def is_busy(self, refusal: str) -> bool:
        # A job server has only one Spark context, and continues the job of a dead driver.
        return "Only one SparkContext" in refusal

    def _check_master(self) -> None:
        self._need_master(self.spark_master, "--spark-master spark://HOST:PORT")
        if self.spark_master and not re.fullmatch(
            r"local(\[.+\])?|yarn|k8s://.+|spark://.+", self.spark_master
        ):
            raise RunnerError(
                "--spark-master: expected spark://HOST:PORT, yarn, k8s://… or local[N], "
                f"got {self.spark_master!r}"
            )
        if self.spark_master and self.spark_master.startswith("spark://"):
            reach(self.spark_master, "--spark-master", "Spark master", 7077)

    def _starting_runner(self) -> "beam.runners.PipelineRunner":
        from apache_beam.runners.portability.spark_runner import SparkRunner as BeamsRunner

        return BeamsRunner()

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        options = [f"--spark_master_url={self.spark_master}"] if self.spark_master else []
        return [*options, *super().job_options(stage, gpu)]
