"""What a network is made of, whichever program trained it."""

from dataclasses import dataclass

import torch

from ..fairseq_checkpoint import Architecture
from .text import Text


@dataclass(frozen=True)
class Symbols:
    """Ids with a meaning: `start` is what decoding begins from, `pad` is never produced."""

    start: int
    pad: int
    end: int


@dataclass(frozen=True)
class Weights:
    """One trained network: tensors are float32 on the CPU, under fairseq 0.12's names.

    `source_positions` and `target_positions`: (positions, dimension), the vector of the first token, of
    the second, and so on. `output_bias`: (target types,) added to the logits, or None.
    """

    architecture: Architecture
    tensors: dict[str, torch.Tensor]
    source_positions: torch.Tensor
    target_positions: torch.Tensor
    output_bias: torch.Tensor | None


@dataclass(frozen=True)
class Model:
    """What a folder holds: one network, or several that vote with equal weight, and their text."""

    members: tuple[Weights, ...]
    symbols: Symbols
    text: Text


def sinusoids(positions: int, dimension: int, first: int, frequencies: torch.Tensor) -> torch.Tensor:
    """Sinusoidal position vectors, (positions, dimension): all sines, then all cosines.

    The first token stands at `first`; frequencies: (dimension // 2,), in radians a token. The arithmetic
    is theirs, float32 or float64: angles of late positions feel the difference.
    """
    angles = torch.arange(first, first + positions).to(frequencies.dtype).unsqueeze(1) * frequencies
    return torch.cat([angles.sin(), angles.cos(), torch.zeros(positions, dimension % 2)], dim=1).float()
