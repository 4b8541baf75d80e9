"""Target `dataflow`: the command that runs the recipe on Google Cloud Dataflow, and the options of its jobs.

Each stage is one job with its own machines. A stage that uses GPUs gets machines with one GPU and one Python
process each; every other stage gets machines without GPUs.
"""

import shlex
from dataclasses import dataclass
from typing import Annotated

from ...base.bounds import MACHINES, Bounds
from ...base.errors import RecipeError
from ..options.field_options import AsOption
from ..runners.dataflow import DataflowRunner, as_flags
from .kubernetes_objects import to_yaml
from .target import MARK, RecipeSource, Target, check_places, device_overrides, frozen, is_local

# Google offers some GPUs only with certain machine families: https://cloud.google.com/compute/docs/gpus
_MACHINES = {
    "nvidia-l4": ("g2", "g2-standard-8"),
    "nvidia-tesla-t4": ("n1", "n1-standard-8"),
    "nvidia-tesla-p4": ("n1", "n1-standard-8"),
    "nvidia-tesla-p100": ("n1", "n1-standard-8"),
    "nvidia-tesla-v100": ("n1", "n1-standard-8"),
    "nvidia-tesla-a100": ("a2", "a2-highgpu-1g"),
    "nvidia-a100-80gb": ("a2", "a2-ultragpu-1g"),
    "nvidia-h100-80gb": ("a3", "a3-highgpu-1g"),
}
_DISK = Bounds(30, 65_536, is_whole=True)  # GB; Google Cloud has no larger ones
_FALLBACK = ("", "n1-standard-8")
_MACHINE = r"[a-z][a-z0-9]*(-[a-z0-9]+)+"


@dataclass(frozen=True)
class Dataflow(Target):
    """Google Cloud Dataflow."""

    name = "dataflow"
    summary = "The command and the job options for Google Cloud Dataflow."
    examples = (
        "paranmt launch render dataflow recipe.yaml --project my-project --region europe-west4"
        " --temp-location gs://my-bucket/temp --image europe-docker.pkg.dev/my-project/paranmt/paranmt:0.1"
        " --accelerator nvidia-l4 --workers 8",
    )

    project: str | None = None
    """The Google Cloud project."""
    region: str | None = None
    """The region, such as europe-west4."""
    temp_location: Annotated[str | None, AsOption("gs://…")] = None
    """A folder for Dataflow's own files."""
    image: str | None = None
    """The paranmt image, in a registry that the workers can read."""
    workers: Annotated[int, MACHINES] = 4
    """How many machines a stage gets."""
    machine_type: Annotated[str, AsOption("TYPE")] = "n2-standard-8"
    """The type of machines without a GPU."""
    accelerator: Annotated[str | None, AsOption("TYPE")] = None
    """The type of GPU, such as nvidia-l4; each GPU machine has one."""
    gpu_machine_type: Annotated[str | None, AsOption("TYPE")] = None
    """The type of machines with a GPU; by default a small one that fits."""
    disk_gb: Annotated[int, _DISK] = 100
    """GB of disk per machine; the CUDA image takes about 15."""
    service_account: Annotated[str | None, AsOption("EMAIL")] = None
    """The service account of the workers; by default the project's."""
    subnetwork: Annotated[str | None, AsOption("NAME")] = None
    """The subnetwork of the machines: regions/REGION/subnetworks/NAME, or its URL."""
    public_ips: Annotated[str, AsOption("yes|no")] = "yes"
    """Whether the machines get public IP addresses."""

    def render(self, source: RecipeSource) -> dict[str, str]:
        self._check()
        recipe = source.load()
        recipe = source.load(device_overrides(recipe, int(bool(self.accelerator)), "--accelerator"))
        check_places(recipe)
        if is_local(recipe.workspace):
            raise RecipeError(
                f"workspace is {recipe.workspace}, on this machine's disk, which Dataflow's machines cannot "
                "read; name an object store, such as gs://my-bucket/work"
            )
        self._check_inputs(source)
        options = _folded([*source.consent, *self.run_options()])
        files = {
            "run.sh": _SCRIPT.format(mark=MARK, options=options),
            "recipe.yaml": f"# {MARK} dataflow`.\n{frozen(recipe)}",
        }
        for kind in ("cpu", "gpu") if self.accelerator else ("cpu",):
            job = to_yaml(self.job_options(gpu=kind == "gpu"))
            files[f"{kind}-options.yaml"] = f"# {MARK} dataflow`: Beam's options of a job.\n{job}"
        return files

    def run_options(self) -> list[str]:
        """The options of `paranmt run`, then after `--` Beam's options of every job."""
        named = {
            "project": self.project,
            "region": self.region,
            "temp-location": self.temp_location,
            "image": self.image,
            "machine-type": self.machine_type,
            "gpu-machine-type": self._gpu_machine if self.accelerator else None,
            "accelerator": self.accelerator,
            "max-workers": str(self.workers),
        }
        words = ["--runner", "dataflow"]
        for name, value in named.items():
            words += [f"--dataflow-{name}", value] if value is not None else []
        return [*words, "--", *as_flags(self._of_every_job())]

    def job_options(self, gpu: bool) -> dict[str, object]:
        """Beam's options of a stage's job, without its name; `run` sets the same ones by its own options."""
        runner = DataflowRunner(
            project=self.project,
            region=self.region,
            temp_location=self.temp_location,
            image=self.image,
            machine_type=self.machine_type,
            gpu_machine_type=self._gpu_machine,
            accelerator=self.accelerator,
            max_workers=self.workers,
        )
        return {**runner.options(gpu), **self._of_every_job()}

    @property
    def _gpu_machine(self) -> str:
        return self.gpu_machine_type or _MACHINES.get(self.accelerator or "", _FALLBACK)[1]

    def _of_every_job(self) -> dict[str, object]:
        """Options for few long parts: all machines start at once, and a process has two parts at a time.

        By default Dataflow would start with one machine and give a worker a dozen parts. Of the two parts
        of a process, one is being worked on while the other is being read.
        """
        options: dict[str, object] = {
            "num_workers": self.workers,
            "number_of_worker_harness_threads": 2,
            "disk_size_gb": self.disk_gb,
            "service_account_email": self.service_account,
            "subnetwork": self.subnetwork,
            "no_use_public_ips": True if self.public_ips == "no" else None,
        }
        return {name: value for name, value in options.items() if value is not None}

    def _check(self) -> None:
        self.needed("my-project", "project")
        self.needed("europe-west4", "region")
        self.needed("gs://my-bucket/temp", "temp_location")
        self.needed("europe-docker.pkg.dev/my-project/paranmt/paranmt:0.1", "image")
        self.matching(
            r"([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]", "a project's id such as my-project", "project"
        )
        self.matching(r"[a-z]+-[a-z]+\d+", "a region such as europe-west4", "region")
        self.matching(r"gs://[a-z0-9][^\s]*", "gs://BUCKET/FOLDER", "temp_location")
        self.matching(
            r"[a-z0-9][^\s@]*(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})", "an image with its tag", "image"
        )
        self.matching(_MACHINE, "a machine type such as n2-standard-8", "machine_type", "gpu_machine_type")
        self.matching(r"[a-z0-9-]+", "a type such as nvidia-l4", "accelerator")
        self.matching(r"yes|no", "yes or no", "public_ips")
        self.matching(r"[^\s@]+@[^\s@]+", "an e-mail address", "service_account")
        self.matching(r"\S+", "regions/REGION/subnetworks/NAME", "subnetwork")
        if self.gpu_machine_type and not self.accelerator:
            raise RecipeError(
                "--gpu-machine-type needs --accelerator, the type of GPU of these machines, such as nvidia-l4"
            )
        family = _MACHINES.get(self.accelerator or "", _FALLBACK)[0]
        if family and not self._gpu_machine.startswith(family + "-"):
            raise RecipeError(
                f"--gpu-machine-type: expected a machine of the {family} family, which {self.accelerator} "
                f"needs, got {self.gpu_machine_type}"
            )

    def _check_inputs(self, source: RecipeSource) -> None:
        """RecipeError for inputs on this machine's disk, which workers cannot open."""
        from ...pipeline.recipe.recipe_paths import paths_of

        for key, path in paths_of(source.load()):
            if is_local(path):
                raise RecipeError(
                    f"{key} is {path}, on this machine's disk, which Dataflow's machines cannot read; copy "
                    "it to a bucket, and name it gs://my-bucket/…"
                )


def _folded(words: list[str]) -> str:
    """Options of a command, one per line."""
    return "".join((" \\\n    " if word.startswith("--") else " ") + shlex.quote(word) for word in words)


_SCRIPT = """\
#!/bin/sh
# {mark} dataflow`. It needs credentials: gcloud auth application-default login
set -eu
exec paranmt run "$(dirname "$0")/recipe.yaml"{options}
"""
