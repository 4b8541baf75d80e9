"""Runner `flink`: an Apache Flink cluster, through a job server that runs already or that Beam starts.

One worker pool beside each task manager, never one for two: Flink gives the workers of both the same name,
and the pool then stops the wrong one. With a restart strategy in its configuration Flink begins a stage's job
again when it loses a worker; without one the job fails, and is submitted again. Parts that are written are
found and not made again.
"""

import json
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import RunnerError
from ..options import option
from .portable import PortableRunner
from .profile import CONNECT_SECONDS, address, reach

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True)
class FlinkRunner(PortableRunner):
    """Submits each stage as one job to Flink."""

    name = "flink"

    flink_master: str | None = option(
        "--flink-master", "HOST:PORT", "Flink's REST address, such as jobmanager:8081."
    )

    def _check_master(self) -> None:
        self._need_master(self.flink_master, "--flink-master HOST:PORT")
        if self.flink_master:
            reach(self.flink_master, "--flink-master", "Flink job manager", 8081)
            slots(self.flink_master)

    def _starting_runner(self) -> "beam.runners.PipelineRunner":
        from apache_beam.runners.portability.flink_runner import FlinkRunner as BeamsRunner

        return BeamsRunner()

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        options = []
        if self.flink_master:
            options.append(f"--flink_master={self.flink_master}")
            if self.parallelism is None:
                # Beam's job server would take its own default, which is one.
                options.append(f"--parallelism={slots(self.flink_master)}")
        return [*options, *super().job_options(stage, gpu)]


def slots(flink_master: str) -> int:
    """The slots of a Flink cluster's task managers, as its REST address tells them."""
    host, port = address(flink_master, "--flink-master", 8081)
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/overview", timeout=CONNECT_SECONDS) as answer:
            found = int(json.load(answer)["slots-total"])
    except (OSError, ValueError, KeyError) as error:
        raise RunnerError(f"--flink-master: {host}:{port} does not answer as Flink does: {error}") from None
    if not found:
        raise RunnerError(f"--flink-master: the cluster at {host}:{port} has no task managers; start some")
    return found
