"""Runner `flink`: an Apache Flink cluster, through a job server that already runs or that Beam starts.

Each task manager needs its own worker pool: if two share one, Flink gives their workers the same name, and
the pool stops the wrong one. If Flink is configured with a restart strategy, it restarts a stage's job when
it loses a worker; otherwise the job fails, and we submit it again. Either way, parts that are already
written are not computed again.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ...base.errors import RunnerError
from ..options.field_options import AsOption
from .portable import PortableRunner
from .profile import CONNECT_SECONDS, address, reach

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True)
class FlinkRunner(PortableRunner):
    """Submits each stage as one job to Flink."""

    name = "flink"

    flink_master: Annotated[str | None, AsOption("HOST:PORT")] = None
    """The address of Flink's REST API, such as jobmanager:8081."""

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
                # Otherwise Beam's job server would use its own default, which is 1.
                options.append(f"--parallelism={slots(self.flink_master)}")
        return [*options, *super().job_options(stage, gpu)]


def slots(flink_master: str) -> int:
    """The number of slots of a Flink cluster, from its REST API."""
    import urllib.request  # every command imports this module, for its options

    host, port = address(flink_master, "--flink-master", 8081)
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/overview", timeout=CONNECT_SECONDS) as answer:
            total = int(json.load(answer)["slots-total"])
    except (OSError, ValueError, KeyError) as error:
        raise RunnerError(f"--flink-master: {host}:{port} does not answer as Flink does: {error}") from None
    if not total:
        raise RunnerError(f"--flink-master: the cluster at {host}:{port} has no task managers; start some")
    return total
