"""Runner `portable`: whatever runner has a Beam job endpoint (Prism, Flink's and Spark's job servers, …).

The workers' Python is found by the runner in one of three ways: `external`, a worker pool that already
runs beside each of its workers (Beam's boot binary with `--worker_pool`, as the project's image starts it);
`docker`, an image that each worker starts; `loopback`, the process that submits, for trials on one machine.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...errors import RunnerError
from ..options import option
from .profile import Profile, quiet, reach, require, require_shared

if TYPE_CHECKING:
    import apache_beam as beam

POOL = "localhost:50000"
KINDS = ("external", "docker", "loopback")


@dataclass(frozen=True)
class PortableRunner(Profile):
    """Submits each stage as one job to a job endpoint."""

    name = "portable"

    job_endpoint: str | None = option(
        "--job-endpoint", "HOST:PORT", "The job server that jobs are submitted to."
    )
    environment_type: Literal["external", "docker", "loopback"] = option(
        "--environment-type",
        "KIND",
        "A worker's Python: external (a worker pool), docker (an image), or loopback (this process).",
        "external",
    )
    environment_config: str | None = option(
        "--environment-config",
        "POOL|IMAGE",
        f"The address of the worker pool as a worker sees it ({POOL} by default), or the image.",
    )
    gpu_environment_config: str | None = option(
        "--gpu-environment-config",
        "POOL|IMAGE",
        "The same for stages that use a GPU, where those have workers of their own.",
    )
    parallelism: int | None = option(
        "--parallelism",
        "N",
        "Units worked on at the same time; by default the runner's choice, on Flink all slots.",
    )

    def check(self, workspace: str) -> None:
        self._check_environment(workspace)
        self._check_master()
        if self.job_endpoint:
            reach(self.job_endpoint, "--job-endpoint", "job server")

    def pipeline(self, stage: str, units: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions
        from apache_beam.runners.portability.portable_runner import PortableRunner as BeamsRunner

        quiet()
        runner = BeamsRunner() if self.job_endpoint else self._starting_runner()
        return beam.Pipeline(runner=runner, options=PipelineOptions(self.job_options(stage, gpu)))

    def _check_master(self) -> None:
        """RunnerError where there is nothing to submit jobs to."""
        require(self.job_endpoint, "--job-endpoint", self.name, "localhost:8099")

    def _starting_runner(self) -> "beam.runners.PipelineRunner":
        """Beam's runner that starts a job server by itself, for where none is given."""
        raise RunnerError(f"--runner {self.name} needs --job-endpoint")

    def _need_master(self, master: str | None, said: str) -> None:
        """RunnerError where neither a master nor a job server is given."""
        if not master and not self.job_endpoint:
            raise RunnerError(
                f"--runner {self.name} needs {said}, for which Beam starts a job server, "
                "or --job-endpoint HOST:PORT of one that runs"
            )

    def _check_environment(self, workspace: str) -> None:
        if self.environment_type not in KINDS:
            raise RunnerError(
                f"--environment-type: expected {', '.join(KINDS)}, got {self.environment_type!r}"
            )
        if self.environment_type == "docker" and not self.environment_config:
            raise RunnerError("--environment-type docker needs --environment-config, the name of an image")
        if self.parallelism is not None and self.parallelism < 1:
            raise RunnerError(f"--parallelism: expected 1 or more, got {self.parallelism}")
        if self.environment_type != "loopback":
            require_shared(workspace, self.name)

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        """The options of a stage's job, as Beam's command line has them."""
        options = [f"--job_endpoint={self.job_endpoint}"] if self.job_endpoint else []
        options.append(f"--job_name=paranmt-{stage.replace('/', '-').replace('_', '-').lower()}")
        options.append(f"--environment_type={self.environment_type.upper()}")
        if self.environment_type != "loopback":
            config = self.gpu_environment_config if gpu and self.gpu_environment_config else None
            options.append(f"--environment_config={config or self.environment_config or POOL}")
        if self.parallelism is not None:
            options.append(f"--parallelism={self.parallelism}")
        return [*options, *self.beam_options]
