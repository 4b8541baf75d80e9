"""Load a folder's network, whichever program trained it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ....base.errors import ModelError
from ..fairseq_checkpoint import FairseqCheckpoint, load_checkpoint
from ..fairseq_files import PAD
from ..languages import NO_TOKENS, LanguageTokens, model_languages
from ..model_folder import ModelFolder
from ..subwords import Subwords
from .hugging_face import load_hugging_face
from .text import FairseqText, MarianText, m2m_symbols
from .weights import Model, Symbols, Weights, fairseq_positions


def load_model(folder: ModelFolder, begin: LanguageTokens = NO_TOKENS) -> Model:
    """The model of a local folder; ModelError names what is missing, damaged or not supported.

    begin: the tokens of the languages, for a model that has some (`language_tokens`).
    """
    if folder.kind == "m2m100":
        return _m2m(folder, begin)
    if folder.kind == "marian":
        weights, symbols = load_hugging_face(Path(folder.url) / folder.weights)
        source, target = (
            len(weights.tensors[f"{side}.embed_tokens.weight"]) for side in ("encoder", "decoder")
        )
        return Model((weights,), symbols, MarianText(Path(folder.url), source, target, begin.source))
    checkpoint = load_checkpoint(folder)
    text = FairseqText(Subwords(folder.subwords_path()), checkpoint.source_symbols, checkpoint.target_symbols)
    return Model((_fairseq_weights(checkpoint),), Symbols(start=2, pad=PAD, end=2), text)


def _m2m(folder: ModelFolder, begin: LanguageTokens) -> Model:
    weights, symbols = load_hugging_face(Path(folder.url) / folder.weights)
    subwords = folder.subwords_path()
    assert subwords is not None
    types = len(weights.tensors["decoder.embed_tokens.weight"])
    languages = [*model_languages(folder).tokens.values()]
    both = m2m_symbols(Path(folder.url), subwords, types, languages)
    if begin.target is not None:
        symbols = replace(symbols, begin=(both.index(begin.target),))
    return Model((weights,), symbols, FairseqText(Subwords(subwords, begin.source), both, both))


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
            positions.append(fairseq_positions(stack.positions, stack.dimension))
    return Weights(architecture, tensors, positions[0], positions[1], None)
