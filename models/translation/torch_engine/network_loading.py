"""Load a folder's network, whichever program trained it."""

import math
from collections.abc import Sequence
from pathlib import Path

import torch

from ....base.errors import ModelError
from ..fairseq_checkpoint import FairseqCheckpoint, load_checkpoint
from ..fairseq_files import PAD
from ..model_folder import ModelFolder
from .marian import load_marian
from .text import FairseqText, MarianText
from .weights import Model, Symbols, Weights, sinusoids


def load_model(folder: ModelFolder, language: str | None = None) -> Model:
    """The model of a local folder; ModelError names what is missing, damaged or not supported.

    language: the target language, for a model that has a token for it (`check_target_language`).
    """
    if folder.kind == "marian":
        weights, symbols = load_marian(Path(folder.url) / folder.weights)
        source, target = (
            len(weights.tensors[f"{side}.embed_tokens.weight"]) for side in ("encoder", "decoder")
        )
        return Model((weights,), symbols, MarianText(Path(folder.url), source, target, language))
    checkpoint = load_checkpoint(folder)
    text = FairseqText(folder.subwords_path(), checkpoint.source_symbols, checkpoint.target_symbols)
    return Model((_fairseq_weights(checkpoint),), Symbols(start=2, pad=PAD, end=2), text)


def ensemble(models: Sequence[Model]) -> Model:
    """Several models as one, with averaged distributions; ModelError unless all have the same vocabulary."""
    first = models[0]
    for model in models[1:]:
        if not first.text.same_as(model.text) or model.symbols != first.symbols:
            raise ModelError("the models of an ensemble must have the same dictionaries and subwords")
    return Model(tuple(member for model in models for member in model.members), first.symbols, first.text)


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
