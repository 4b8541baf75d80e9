"""The files of a fairseq model, read without fairseq and without running any code that they contain."""

import argparse
import contextlib
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from ...base.documents import read_document
from ...base.errors import ModelError
from .torch_files import read_torch_file

PAD = 1
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")  # fairseq's own symbols, ids 0 to 3

# Buffers that fairseq computes again, and copies of parameters that its fast path keeps.
NO_PARAMETER = re.compile(
    r"(encoder|decoder)\.(version|embed_positions\.(_float_tensor|weights))$"
    r"|encoder\.layers\.\d+\.(in_proj|out_proj|fc1|fc2)_(weight|bias)$"
)


class Content(NamedTuple):
    """A checkpoint: tensors by name, flat settings of the model and of its task, and the content as read."""

    tensors: dict[str, torch.Tensor]
    model: dict[str, object]
    task: dict[str, object]
    raw: Mapping[str, object]


def read_checkpoint(path: Path) -> Content:
    """Read a checkpoint, which may hold only tensors, containers, numbers, strings and argparse's settings.

    ModelError if it asks for anything else, which is never run, or is damaged.
    """
    with allow_settings():
        raw = read_torch_file(path)
    if not isinstance(raw, Mapping) or not _mapping(raw.get("model")):
        raise ModelError(f"{path} is not a fairseq checkpoint: expected a dict with tensors under 'model'")
    tensors = {}
    for name, tensor in _mapping(raw["model"]).items():
        if not isinstance(tensor, torch.Tensor):
            raise ModelError(f"{path}: expected tensors under 'model', found {name}: {type(tensor).__name__}")
        tensors[str(name)] = tensor
    model, task = _settings(path, raw)
    return Content(tensors, model, task, raw)


_lock = threading.Lock()


@contextlib.contextmanager
def allow_settings() -> Iterator[None]:
    """Let `torch.load(weights_only=True)` read what fairseq 0.12 writes beside tensors.

    These are argparse's namespace and numpy's scalars and arrays; none of them can run code. torch's list
    belongs to the whole process, so only one thread at a time may extend it.
    """
    multiarray = np._core.multiarray  # type: ignore[attr-defined]
    allowed: list[object] = [argparse.Namespace, np.ndarray, np.dtype]
    allowed += [type(np.dtype(name)) for name in ("float64", "float32", "int64", "uint32")]
    for module in ("numpy._core.multiarray", "numpy.core.multiarray"):
        allowed += [
            (multiarray._reconstruct, f"{module}._reconstruct"),
            (multiarray.scalar, f"{module}.scalar"),
        ]
    with _lock, torch.serialization.safe_globals(allowed):  # type: ignore[arg-type]
        yield


def read_dictionary(path: Path) -> list[str]:
    """The symbols of a `dict.<language>.txt`, fairseq's own four first, in the order of their ids."""
    symbols = list(SPECIAL)
    try:
        lines = read_document(path).decode("utf-8").split("\n")
    except (OSError, ValueError) as error:
        raise ModelError(f"the dictionary {path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        symbol, _, count = line.rstrip().rpartition(" ")
        if not symbol or not count.isdigit():
            raise ModelError(f"{path}, line {number}: expected a symbol and a count, found {line!r}")
        symbols.append(symbol)
    seen: set[str] = set()
    for symbol in symbols:
        if symbol in seen:
            raise ModelError(
                f"{path} has the symbol {symbol!r} twice (fairseq's own are {', '.join(SPECIAL)}); "
                "a symbol may occur only once"
            )
        seen.add(symbol)
    return symbols


def average_checkpoints(paths: Sequence[Path], out: Path) -> int:
    """Write the mean of the tensors of checkpoints of one training; return its number of parameters.

    The settings are those of the last checkpoint, but settings that name folders of the training are emptied.
    """
    contents = [read_checkpoint(path) for path in paths]
    last = contents[-1]
    mean = {}
    parameters = {name: tensor for name, tensor in last.tensors.items() if not NO_PARAMETER.match(name)}
    for name, tensor in parameters.items():
        if tensor.is_floating_point():
            total = torch.zeros_like(tensor, dtype=torch.float64)
            for content in contents:
                total += content.tensors[name]
            mean[name] = (total / len(contents)).to(tensor.dtype)
        else:
            mean[name] = tensor
    settings = {name: _without_folders(last.raw[name]) for name in ("args", "cfg") if name in last.raw}
    # fairseq reads the last entry of the optimizer's history even if it only decodes.
    history = {
        "num_updates": 0,
        "optimizer_name": "",
        "lr_scheduler_state": {},
        "criterion_name": "",
        "best_loss": None,
    }
    torch.save({**settings, "model": mean, "optimizer_history": [history], "extra_state": {}}, out)
    # Shared parameters have several names but one storage.
    return sum({tensor.data_ptr(): tensor.numel() for tensor in parameters.values()}.values())


def _without_folders(settings: object) -> object:
    if isinstance(settings, argparse.Namespace):
        return argparse.Namespace(**_emptied(vars(settings)))
    return _emptied(settings) if isinstance(settings, Mapping) else settings


def _emptied(settings: Mapping[str, object]) -> dict[str, object]:
    folders = ("data", "save_dir", "tensorboard_logdir", "log_file")
    return {
        name: "" if name in folders and value else _without_folders(value) for name, value in settings.items()
    }


def _settings(path: Path, raw: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Flat settings of the model and of its task, from either of fairseq's two formats."""
    cfg = _mapping(raw.get("cfg"))
    model = _mapping(cfg.get("model")) or _mapping(raw.get("args"))
    if not model:
        raise ModelError(f"{path} has no settings of its model (neither 'cfg' nor 'args')")
    flat = dict(model)
    for side in ("encoder", "decoder"):
        for name, value in _mapping(model.get(side)).items():
            flat[f"{side}_{name}"] = value
    return flat, {**model, **_mapping(cfg.get("task"))}


def _mapping(value: object) -> dict[str, object]:
    if isinstance(value, argparse.Namespace):
        return vars(value)
    return dict(value) if isinstance(value, Mapping) else {}
