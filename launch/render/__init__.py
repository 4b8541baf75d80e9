"""Targets of `launch render`: the files that a real cluster needs to run a recipe.

Each target is one module with a frozen dataclass, whose fields are its options. To add a target, write a
module here and add it to `TARGETS`. No rendered file holds a secret: clusters have their own credentials.
"""

from .dataflow_target import Dataflow
from .kubernetes import Kubernetes
from .slurm import Slurm
from .target import Target

__all__ = ["TARGETS", "Target"]

TARGETS: dict[str, type[Target]] = {
    "kubernetes": Kubernetes,
    "slurm": Slurm,
    "dataflow": Dataflow,
}
