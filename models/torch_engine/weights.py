"""What a network is made of, whichever program trained it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from ...errors import ModelError
from ..fairseq_checkpoint import Architecture, FairseqCheckpoint, load_checkpoint
from ..fairseq_files import PAD
from ..model_folder import ModelFolder
from .text import FairseqText, MarianText, Text


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


def load_model(folder: ModelFolder) -> Model:
    """The model of a local folder; ModelError names what is missing, damaged or not supported."""
    if folder.kind == "marian":
        from .marian import load_marian

        weights, symbols = load_marian(Path(folder.url))
        source, target = (
            len(weights.tensors[f"{side}.embed_tokens.weight"]) for side in ("encoder", "decoder")
        )
        return Model((weights,), symbols, MarianText(Path(folder.url), source, target))
    checkpoint = load_checkpoint(folder)
    text = FairseqText(folder.subwords_path(), checkpoint.source_symbols, checkpoint.target_symbols)
    return Model((_fairseq_weights(checkpoint),), Symbols(start=2, pad=PAD, end=2), text)


def ensemble(models: Sequence[Model]) -> Model:
    """Several models as one whose distributions are averaged; ModelError unless all share their text."""
    first = models[0]
    for model in models[1:]:
        if not first.text.same_as(model.text) or model.symbols != first.symbols:
            raise ModelError("the models of an ensemble must have the same dictionaries and subwords")
    return Model(tuple(member for model in models for member in model.members), first.symbols, first.text)


def sinusoids(positions: int, dimension: int, first: int, frequencies: torch.Tensor) -> torch.Tensor:
    """Sinusoidal position vectors, (positions, dimension): all sines, then all cosines.

    The first token stands at `first`; frequencies: (dimension // 2,), in radians a token. The arithmetic
    is theirs, float32 or float64: angles of late positions feel the difference.
    """
    angles = torch.arange(first, first + positions).to(frequencies.dtype).unsqueeze(1) * frequencies
    return torch.cat([angles.sin(), angles.cos(), torch.zeros(positions, dimension % 2)], dim=1).float()


def _fairseq_weights(checkpoint: FairseqCheckpoint) -> Weights:
    architecture, tensors = checkpoint.architecture, dict(checkpoint.tensors)
    positions = []
    for side, stack in (("encoder", architecture.encoder), ("decoder", architecture.decoder)):
        learned = tensors.pop(f"{side}.embed_positions.weight", None)
        if learned is not None:
            positions.append(learned[PAD + 1 :])
        else:
            half = stack.dimension // 2
            frequencies = torch.exp(torch.arange(half).float() * -(math.log(10000) / (half - 1)))
            positions.append(sinusoids(stack.positions, stack.dimension, PAD + 1, frequencies))
    return Weights(architecture, tensors, positions[0], positions[1], None)
