"""Runner `dataflow`: Google Cloud Dataflow, which starts and stops machines with each stage's job.

Only stages that use a GPU get machines with one. Each worker is one process there, so only one model uses
the GPU. Credentials come from the environment (`gcloud auth application-default login`).
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ...base.bounds import MACHINES
from ...base.errors import RunnerError
from ..options.field_options import AsOption
from .profile import Profile, require, require_package

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True)
class DataflowRunner(Profile):
    """Submits each stage as one job to Dataflow."""

    name = "dataflow"

    project: Annotated[str | None, AsOption("PROJECT", "--dataflow-project")] = None
    """The Google Cloud project."""
    region: Annotated[str | None, AsOption("REGION", "--dataflow-region")] = None
    """The region, such as europe-west4."""
    temp_location: Annotated[str | None, AsOption("gs://…", "--dataflow-temp-location")] = None
    """A folder for Dataflow's own files."""
    image: Annotated[str | None, AsOption("IMAGE", "--dataflow-image")] = None
    """The paranmt image, in a registry that the workers can read."""
    machine_type: Annotated[str | None, AsOption("TYPE", "--dataflow-machine-type")] = None
    """The type of the workers' machines, such as n2-standard-8."""
    gpu_machine_type: Annotated[str | None, AsOption("TYPE", "--dataflow-gpu-machine-type")] = None
    """The type of machines for stages that use a GPU, such as g2-standard-8."""
    accelerator: Annotated[str | None, AsOption("TYPE", "--dataflow-accelerator")] = None
    """The type of GPU of those machines, such as nvidia-l4; each machine has one."""
    max_workers: Annotated[int | None, MACHINES, AsOption("N", "--dataflow-max-workers")] = None
    """The maximum number of machines."""

    def check(self, workspace: str) -> None:
        require_package("google.cloud.dataflow", self.name, "pip install 'apache-beam[gcp]'")
        require(self.project, "--dataflow-project", self.name, "my-project")
        require(self.region, "--dataflow-region", self.name, "europe-west4")
        require(
            self.image, "--dataflow-image", self.name, "europe-docker.pkg.dev/my-project/paranmt/paranmt:1"
        )
        place = require(self.temp_location, "--dataflow-temp-location", self.name, "gs://my-bucket/temp")
        if not place.startswith("gs://"):
            raise RunnerError(f"--dataflow-temp-location: expected gs://…, got {place!r}")
        if not re.match(r"(gs|s3|gcs|https?)://", workspace):
            raise RunnerError(
                f"--runner dataflow: its workers cannot read the workspace {workspace}; "
                "name one on an object store, such as gs://my-bucket/work"
            )
        if self.accelerator and not re.fullmatch(r"[a-z0-9-]+", self.accelerator):
            raise RunnerError(
                f"--dataflow-accelerator: expected a type such as nvidia-l4, got {self.accelerator!r}"
            )

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions

        return beam.Pipeline("DataflowRunner", options=PipelineOptions(self.job_options(stage, gpu)))

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        """The options of a stage's job, as Beam's command line expects them."""
        name = f"paranmt-{re.sub('[^a-z0-9]+', '-', stage.lower())}"
        return [*as_flags({"job_name": name, **self.options(gpu)}), *self.beam_options]

    def options(self, gpu: bool) -> dict[str, object]:
        """Beam's options of a stage's job, without its name. gpu: whether the stage uses a GPU."""
        experiments = ["use_runner_v2"]
        options: dict[str, object | None] = {
            "project": self.project,
            "region": self.region,
            "temp_location": self.temp_location,
            "sdk_container_image": self.image,
            "worker_machine_type": (self.gpu_machine_type if gpu else None) or self.machine_type,
            "max_num_workers": self.max_workers,
            "experiments": experiments,
        }
        if gpu:
            # One Python process per machine, and so one model per GPU.
            experiments.append("no_use_multiple_sdk_containers")
            if self.accelerator:
                driver = f"worker_accelerator=type:{self.accelerator};count:1;install-nvidia-driver"
                options["dataflow_service_options"] = [driver]
        return {name: value for name, value in options.items() if value is not None}


def as_flags(options: dict[str, object]) -> list[str]:
    """Options as Beam's command line expects them.

    >>> as_flags({"num_workers": 4, "no_use_public_ips": True, "experiments": ["a", "b"]})
    ['--num_workers=4', '--no_use_public_ips', '--experiments=a', '--experiments=b']
    """
    words = []
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            words.append(f"--{name}" if item is True else f"--{name}={item}")
    return words
