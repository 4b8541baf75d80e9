"""The parts of a network, whichever program trained it."""

import math
from dataclasses import dataclass

import torch

from ..fairseq_checkpoint import Architecture
from ..fairseq_files import PAD
from .text import Text


@dataclass(frozen=True)
class Symbols:
    """Ids of special symbols: decoding begins from `start`; `pad` is never produced.

    begin: what follows `start` before each translation, a language's token; it is no part of the translation.
    """

    start: int
    pad: int
    end: int
    begin: tuple[int, ...] = ()


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
    """The model of a folder: its vocabulary, and one network or several with equal weight."""

    members: tuple[Weights, ...]
    symbols: Symbols
    text: Text


def sinusoids(positions: int, dimension: int, first: int, frequencies: torch.Tensor) -> torch.Tensor:
    """Sinusoidal position vectors, (positions, dimension): all sines, then all cosines.

    The first token is at position `first`; frequencies: (dimension // 2,), in radians a token. Angles are
    computed in the type of `frequencies`, float32 or float64, which matters for late positions.
    """
    angles = torch.arange(first, first + positions).to(frequencies.dtype).unsqueeze(1) * frequencies
    return torch.cat([angles.sin(), angles.cos(), torch.zeros(positions, dimension % 2)], dim=1).float()


def fairseq_positions(positions: int, dimension: int) -> torch.Tensor:
    """Sinusoids as in fairseq, (positions, dimension): the first token is at the position after padding's."""
    half = dimension // 2
    frequencies = torch.exp(torch.arange(half).float() * -(math.log(10000) / (half - 1)))
    return sinusoids(positions, dimension, PAD + 1, frequencies)
