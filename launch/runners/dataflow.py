"""Runner `dataflow`: Google Cloud Dataflow. Machines come with each stage's job and go with it.

Only the stages that use a GPU ask for machines with one, and there each worker is one process, so that one
model has the GPU. Credentials are those of the environment (`gcloud auth application-default login`).
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import RunnerError
from ..options import option
from .profile import Profile, require, require_package

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True)
class DataflowRunner(Profile):
    """Submits each stage as one job to Dataflow."""

    name = "dataflow"

    project: str | None = option("--dataflow-project", "PROJECT", "The Google Cloud project.")
    region: str | None = option("--dataflow-region", "REGION", "The region, such as europe-west4.")
    temp_location: str | None = option(
        "--dataflow-temp-location", "gs://…", "A folder for Dataflow's own files."
    )
    image: str | None = option(
        "--dataflow-image", "IMAGE", "The project's image in a registry that the workers can read."
    )
    machine_type: str | None = option(
        "--dataflow-machine-type", "TYPE", "The workers' machines, such as n2-standard-8."
    )
    gpu_machine_type: str | None = option(
        "--dataflow-gpu-machine-type", "TYPE", "The machines of stages that use a GPU, such as g2-standard-8."
    )
    accelerator: str | None = option(
        "--dataflow-accelerator", "TYPE", "The GPU of those machines, such as nvidia-l4; one a machine."
    )
    max_workers: int | None = option("--dataflow-max-workers", "N", "Machines at the most.")

    def check(self, workspace: str) -> None:
        require_package("google.cloud.dataflow", self.name, "apache-beam[gcp]")
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
        if self.max_workers is not None and self.max_workers < 1:
            raise RunnerError(f"--dataflow-max-workers: expected 1 or more, got {self.max_workers}")

    def pipeline(self, stage: str, units: int, seconds: float, gpu: bool = False) -> "beam.Pipeline":
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions

        return beam.Pipeline("DataflowRunner", options=PipelineOptions(self.job_options(stage, gpu)))

    def job_options(self, stage: str, gpu: bool) -> list[str]:
        """The options of a stage's job, as Beam's command line has them."""
        name = f"paranmt-{re.sub('[^a-z0-9]+', '-', stage.lower())}"
        return [*as_flags({"job_name": name, **self.options(gpu)}), *self.beam_options]

    def options(self, gpu: bool) -> dict[str, object]:
        """Beam's options of every stage's job, or of every one that uses a GPU; the job's name apart."""
        experiments = ["use_runner_v2"]
        found: dict[str, object | None] = {
            "project": self.project,
            "region": self.region,
            "temp_location": self.temp_location,
            "sdk_container_image": self.image,
            "worker_machine_type": (self.gpu_machine_type if gpu else None) or self.machine_type,
            "max_num_workers": self.max_workers,
            "experiments": experiments,
        }
        if gpu:
            # One Python process a machine, and so one model a GPU.
            experiments.append("no_use_multiple_sdk_containers")
            if self.accelerator:
                driver = f"worker_accelerator=type:{self.accelerator};count:1;install-nvidia-driver"
                found["dataflow_service_options"] = [driver]
        return {name: value for name, value in found.items() if value is not None}


def as_flags(options: dict[str, object]) -> list[str]:
    """Beam's options as its command line has them.

    >>> as_flags({"num_workers": 4, "no_use_public_ips": True, "experiments": ["a", "b"]})
    ['--num_workers=4', '--no_use_public_ips', '--experiments=a', '--experiments=b']
    """
    words = []
    for name, value in options.items():
        for each in value if isinstance(value, list) else [value]:
            words.append(f"--{name}" if each is True else f"--{name}={each}")
    return words
