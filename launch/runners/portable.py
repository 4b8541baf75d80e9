"""Runner `portable`: any runner with a Beam job endpoint (Prism, Flink's and Spark's job servers, …).

The Python side of a worker runs in one of three environments: `external`, a worker pool that already runs
beside each worker (Beam's boot program with `--worker_pool`, which the project's image starts); `docker`, an
image that each worker starts; or `loopback`, the process that submits the job, to try things on one machine.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ...base.bounds import MACHINES
from ...base.errors import RunnerError
from ..options.field_options import AsOption
from .profile import Profile, quiet, reach, require, require_shared

if TYPE_CHECKING:
    import apache_beam as beam

POOL = "localhost:50000"
KINDS = ("external", "docker", "loopback")


@dataclass(frozen=True)
class PortableRunner(Profile):
    """Submits each stage as one job to a job endpoint."""

    name = "portable"

    job_endpoint: Annotated[str | None, AsOption("HOST:PORT")] = None
    """The job server to submit jobs to."""
    environment_type: Annotated[Literal["external", "docker", "loopback"], AsOption("KIND")] = "external"
    """Where the Python of a worker runs: external (in a worker pool), docker (in an image), or loopback (in
    this process); by default external."""
    environment_config: Annotated[str | None, AsOption("POOL|IMAGE")] = None
    """The address at which a worker reaches the pool (by default localhost:50000), or the name of the
    image."""
    gpu_environment_config: Annotated[str | None, AsOption("POOL|IMAGE")] = None
    """The same for stages that use a GPU, if they have separate workers."""
    parallelism: Annotated[int | None, MACHINES] = None
    """How many parts to work on at a time; by default all slots of Flink, else the runner's choice."""

    def check(self, workspace: str) -> None:
        self._check_environment(workspace)
        self._check_master()
        if self.job_endpoint:
            reach(self.job_endpoint, "--job-endpoint", "job server")

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions
        from apache_beam.runners.portability.portable_runner import PortableRunner as BeamsRunner

        quiet()
        runner = BeamsRunner() if self.job_endpoint else self._starting_runner()
        return beam.Pipeline(runner=runner, options=PipelineOptions(self.job_options(stage, gpu)))

    def _check_master(self) -> None:
        """RunnerError if there is nothing to submit jobs to."""
        require(self.job_endpoint, "--job-endpoint", self.name, "localhost:8099")

    def _starting_runner(self) -> "beam.runners.PipelineRunner":
        """Beam's runner that starts its own job server, for use without --job-endpoint."""
        raise RunnerError(f"--runner {self.name} needs --job-endpoint")

    def _need_master(self, master: str | None, flag: str) -> None:
        """RunnerError if neither a master nor a job server is given."""
        if not master and not self.job_endpoint:
            raise RunnerError(
                f"--runner {self.name} needs {flag}, for which Beam starts a job server, "
                "or --job-endpoint HOST:PORT of a running one"
            )

    def _check_environment(self, workspace: str) -> None:
        if self.environment_type not in KINDS:
            raise RunnerError(
                f"--environment-type: expected {', '.join(KINDS)}, got {self.environment_type!r}"
            )
        if self.environment_type == "docker" and not self.environment_config:
            raise RunnerError("--environment-type docker needs --environment-config, the name of the image")
        if self.environment_type != "loopback":
            require_shared(workspace, self.name)

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        """The options of a stage's job, as Beam's command line expects them."""
        options = [f"--job_endpoint={self.job_endpoint}"] if self.job_endpoint else []
        options.append(f"--job_name=paranmt-{stage.replace('/', '-').replace('_', '-').lower()}")
        options.append(f"--environment_type={self.environment_type.upper()}")
        if self.environment_type != "loopback":
            config = self.gpu_environment_config if gpu and self.gpu_environment_config else None
            options.append(f"--environment_config={config or self.environment_config or POOL}")
        if self.parallelism is not None:
            options.append(f"--parallelism={self.parallelism}")
        return [*options, *self.beam_options]
