"""Files for real clusters: what has to be handed to one so that it runs a recipe.

One module a target, each a frozen dataclass whose fields are its options. To add a target: one module here,
and one word in `TARGETS`. Nothing that is rendered holds a secret; credentials are the cluster's own.
"""

from .dataflow import Dataflow
from .kubernetes import Kubernetes
from .slurm import Slurm
from .target import Target

__all__ = ["TARGETS", "Target"]

TARGETS: dict[str, type[Target]] = {
    "kubernetes": Kubernetes,
    "slurm": Slurm,
    "dataflow": Dataflow,
}
