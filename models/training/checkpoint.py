"""A training run's state between two mega-batches: one safetensors file, there whole or not at all."""

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import safetensors
import safetensors.torch
import torch
import xxhash

from ...base.whole_files import put
from .dev_scores import DevScore

SAVE_SECONDS = 600.0  # between two checkpoints within an epoch
logger = logging.getLogger(__name__)


class RunState(Protocol):
    """The state of a run of any kind: a dataclass of values that JSON has, and tuples.

    identity: of the data and options; another run never goes on from here.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def identity(self) -> str: ...


S = TypeVar("S", bound=RunState)


@dataclass(frozen=True)
class TrainState:
    """Where a run stands.

    identity: of the pairs and options; another run never goes on from here. epoch: epochs done.
    steps: mini-batches done. losses: the mean loss of each epoch. dev: the scores on the development sets.
    stopped: whether they ended the training early.

    The rest is about the epoch that has begun. pairs, batches: how many are done. total: the sum of the
    losses of these mini-batches. generator: the state of numpy's random numbers; None at the beginning of an
    epoch, when it follows from the seed and the epoch's number.
    """

    identity: str
    epoch: int = 0
    steps: int = 0
    losses: tuple[float, ...] = ()
    pairs: int = 0
    batches: int = 0
    total: float = 0.0
    generator: dict[str, Any] | None = None
    dev: tuple[DevScore, ...] = ()
    stopped: bool = False

    def __post_init__(self) -> None:
        # JSON holds the scores as dictionaries.
        scores = (DevScore(**score) if isinstance(score, dict) else score for score in self.dev)
        object.__setattr__(self, "dev", tuple(scores))


def save_checkpoint(path: Path, tensors: Mapping[str, torch.Tensor], state: RunState, aside: Path) -> None:
    """Writes tensors and state as one file; a crash leaves the former one.

    aside: a folder of this attempt's own on the same file system, where the file is built. Attempts that
    save to the same path replace each other's checkpoints whole.
    """
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    content = json.dumps(asdict(state))
    metadata = {"state": content, "xxh3": _checksum(contiguous, content)}
    aside.mkdir(parents=True, exist_ok=True)
    temporary = aside / path.name
    safetensors.torch.save_file(contiguous, temporary, metadata=metadata)
    put(temporary, path)


def load_checkpoint(path: Path, identity: str) -> tuple[dict[str, torch.Tensor], TrainState] | None:
    """The last checkpoint of the run `identity`; None where there is none."""
    return load_state(path, identity, TrainState)


def load_state(path: Path, identity: str, kind: type[S]) -> tuple[dict[str, torch.Tensor], S] | None:
    """The last checkpoint of the run `identity`, whose state is of this kind; None where there is none.

    A damaged checkpoint counts as none, with a warning.
    """
    try:
        with safetensors.safe_open(path, "pt") as file:
            metadata = file.metadata()
            content = metadata["state"]
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            intact = _checksum(tensors, content) == metadata["xxh3"]
    except FileNotFoundError:
        return None
    except (safetensors.SafetensorError, OSError, TypeError, KeyError, ValueError):
        intact = False
    if not intact:
        logger.warning("the checkpoint %s is damaged: training starts from the beginning", path)
        return None
    values = json.loads(content)
    if values["identity"] != identity:
        return None
    return tensors, state_of(kind, values)


def state_of(kind: type[S], values: Mapping[str, Any]) -> S:
    """The state that `dataclasses.asdict` gave, and JSON held, which has lists for tuples."""
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return kind(**{**values, **lists})


def _checksum(tensors: Mapping[str, torch.Tensor], state: str) -> str:
    digest = xxhash.xxh3_64(state.encode("utf-8"))
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def random_tensors(device: str) -> dict[str, torch.Tensor]:
    """The states of torch's random numbers, to be stored: on the CPU, and on `cuda` if that is the device."""
    tensors = {"random/cpu": torch.get_rng_state()}
    if device == "cuda":
        tensors["random/cuda"] = torch.cuda.get_rng_state()
    return tensors


def restore_random(tensors: Mapping[str, torch.Tensor], device: str) -> None:
    """Takes up what `random_tensors` gave for this device."""
    torch.set_rng_state(tensors["random/cpu"])
    if device == "cuda":
        torch.cuda.set_rng_state(tensors["random/cuda"])
