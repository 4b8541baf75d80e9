"""A training run's state at the end of an epoch: one safetensors file, there whole or not at all."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import safetensors
import safetensors.torch
import torch

from ..errors import ModelError


@dataclass(frozen=True)
class TrainState:
    """Where a run stands.

    identity: of the pairs and options; another run never goes on from here. epoch: epochs done.
    steps: mini-batches done. losses: the mean loss of each epoch. No state of random numbers: each
    epoch's follow from the seed and its number.
    """

    identity: str
    epoch: int = 0
    steps: int = 0
    losses: tuple[float, ...] = ()


def save_checkpoint(path: Path, tensors: Mapping[str, torch.Tensor], state: TrainState) -> None:
    """Writes tensors and state as one file; a crash leaves the former one."""
    temporary = path.with_name(path.name + ".tmp")
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    safetensors.torch.save_file(contiguous, temporary, metadata={"state": json.dumps(asdict(state))})
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(temporary, path)


def load_checkpoint(path: Path, identity: str) -> tuple[dict[str, torch.Tensor], TrainState] | None:
    """The last checkpoint of the run `identity`; None where there is none."""
    if not path.exists():
        return None
    try:
        with safetensors.safe_open(path, "pt") as file:
            values = json.loads(file.metadata()["state"])
            if values["identity"] != identity:
                return None
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    except (safetensors.SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ModelError(f"{path} is damaged ({error}): delete it to train from the beginning") from None
    return tensors, TrainState(**{**values, "losses": tuple(values["losses"])})
