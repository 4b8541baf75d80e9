"""Weights as they lie in a file: whole, at half their size, or as whole numbers of a byte."""

from collections.abc import Collection, Mapping
from typing import Literal

import torch

from ...base.errors import ModelError

Precision = Literal["float32", "float16", "int8"]
"""How numbers are stored; an encoder computes in float32 with what it reads."""

_STEPS = 127


def stored(
    weights: Mapping[str, torch.Tensor], tables: Collection[str], precision: Precision
) -> dict[str, torch.Tensor]:
    """The tensors of a file for these float32 weights. tables: the names of the embedding tables.

    float16: all tensors are rounded. int8: a row of a table is stored as whole numbers from -127 to 127 that
    are multiplied by a number of its own, in the tensor `<name>.scale`, and all other tensors are rounded to
    float16. ModelError if float16 cannot hold a number.
    """
    found: dict[str, torch.Tensor] = {}
    for name, tensor in weights.items():
        if precision == "float32":
            found[name] = tensor
        elif precision == "int8" and name in tables:
            found[name], found[_scale(name)] = whole_numbers(tensor)
        else:
            found[name] = half(name, tensor)
    return found


def restored(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The float32 weights of the tensors that `stored` gave; other tensors stay as they are.

    >>> halves = stored({"a": torch.tensor([[1.0, -2.0]])}, [], "float16")
    >>> restored(halves)
    {'a': tensor([[ 1., -2.]])}
    """
    scaled = [
        name for name, tensor in weights.items() if tensor.dtype == torch.int8 and _scale(name) in weights
    ]
    scales = set(map(_scale, scaled))
    found: dict[str, torch.Tensor] = {}
    for name, tensor in weights.items():
        if name in scales:
            continue
        if name in scaled:
            tensor = tensor.float() * weights[_scale(name)]
        found[name] = tensor.float() if tensor.dtype == torch.float16 else tensor
    return found


def half(name: str, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor in float16. ModelError if it has larger numbers than float16."""
    rounded = tensor.half()
    if not torch.isfinite(rounded).all():
        raise ModelError(f"{name} has numbers above 65,504, which float16 cannot hold: take float32")
    return rounded


def whole_numbers(table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows of a table as int8, and the number that each is multiplied by, (rows, 1) float32.

    The largest number of a row becomes 127 or -127.

    >>> whole_numbers(torch.tensor([[1.0, -2.0], [0.0, 0.0]]))[0]
    tensor([[  64, -127],
            [   0,    0]], dtype=torch.int8)
    """
    scale = table.abs().amax(dim=1, keepdim=True) / _STEPS
    scale = torch.where(scale > 0, scale, 1.0)
    return torch.round(table / scale).to(torch.int8), scale


def _scale(name: str) -> str:
    return f"{name}.scale"
