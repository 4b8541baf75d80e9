"""Predicting relatedness with an encoder that is trained for it, not only the network on its vectors."""

import copy
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...base.errors import ModelError, RecipeError
from ...base.hashing import derive_seed
from ..encoders.encodes import Encodes
from ..sts.correlation import comparable
from ..sts.sts_data import StsDataset
from ..training.head_options import RelatednessOptions
from .any_encoder import CountingEncoder

if TYPE_CHECKING:
    from ..encoders.sentence_encoder import SentenceEncoder
    from ..training.examples import Examples


@dataclass(frozen=True, eq=False)
class Tuned:
    """The predicted scores of each test part, (pairs,) each, and the choices made on the dev pairs."""

    scores: Sequence[np.ndarray]
    dev: float | None
    lambda_words: float
    lambda_encoder: float
    epochs: int


def trainable(encoder: Encodes) -> "SentenceEncoder":
    """The encoder of ours, or the table of word vectors; ModelError if it is no such one."""
    from ..encoders.sentence_encoder import SentenceEncoder  # imports torch, which planning does without

    if isinstance(encoder, CountingEncoder):
        encoder = encoder.encoder
    if not isinstance(encoder, SentenceEncoder):
        raise ModelError(
            "expected an encoder of ours or a file of word vectors, because models of sentence-transformers "
            "and Python functions cannot be fine-tuned: set `setting` to fixed"
        )
    return encoder


def tuned_scores(
    encoder: "SentenceEncoder",
    train: Sequence[StsDataset],
    dev: Sequence[StsDataset],
    tests: Sequence[StsDataset],
    options: RelatednessOptions,
    weights: Iterable[tuple[float, float]],
    is_universal: bool,
) -> Tuned:
    """The scores of the test pairs by the encoder and the head that are best on the dev pairs.

    All train parts are trained on together, and the dev parts choose together: among the `weights`
    (`lambda_words` and `lambda_encoder`) and the epochs those with the highest Pearson's r, between equals
    the first. is_universal: whether training starts from the encoder, with a penalty on the distance from it;
    otherwise at random or from the vectors of the options. The encoder itself is not changed.
    """
    from ..training.determinism import deterministic
    from ..training.fine_tuning import fine_tuning

    assert options.levels is not None
    sets = [_examples(train), _examples(dev), *(_examples([test]) for test in tests)]
    expected = np.arange(options.levels[0], options.levels[1] + 1)
    best: Tuned | None = None
    with deterministic():
        began = encoder if is_universal else _random(encoder, options)
        for lambda_words, lambda_encoder in weights:
            weighted = replace(options, lambda_words=lambda_words, lambda_encoder=lambda_encoder)
            copied = copy.copy(began)
            copied.encoder = copy.deepcopy(began.encoder)
            device = str(next(copied.encoder.parameters()).device)
            tuning = fine_tuning(copied, sets, weighted, device, is_universal)
            state = tuning.training.run()
            r = state.best_dev
            if best is None or comparable(r) > comparable(best.dev):
                scores = [(tuning.probabilities(part) @ expected).round(6) for part in tuning.sets[2:]]
                best = Tuned(scores, r, lambda_words, lambda_encoder, state.best)
    assert best is not None, "there is at least one value of each λ"
    return best


def _random(encoder: "SentenceEncoder", options: RelatednessOptions) -> "SentenceEncoder":
    """An encoder of the same type and vocabulary that starts at random, or from a file of word vectors."""
    import torch

    from ..encoders.random_weights import draw_weights
    from ..encoders.vectors import read_vectors

    rows = {units: len(vocabulary) for units, vocabulary in encoder.vocabularies.items()}
    seed = derive_seed(options.seed, "start")
    network = draw_weights(encoder.encoder.options.build(rows, next(iter(rows))), seed)
    device = next(encoder.encoder.parameters()).device
    fresh = copy.copy(encoder)
    fresh.encoder = network.to(device)
    if options.vectors is None:
        return fresh
    if "words" not in rows:
        raise RecipeError("word vectors only work with words, which this encoder does not read")
    vectors = read_vectors(options.vectors)
    place = {word: number for number, word in enumerate(vectors.words)}
    known = {
        row: place[word]
        for row, word in enumerate(encoder.vocabularies["words"].entries, start=1)
        if word in place
    }
    for name, units in fresh.encoder.tables.items():
        table = fresh.encoder.get_parameter(name)
        if units != "words":
            continue
        if table.shape[1] != vectors.dimension:
            raise RecipeError(
                f"the encoder's embeddings have {table.shape[1]} numbers, but those of {options.vectors} "
                f"{vectors.dimension}"
            )
        with torch.no_grad():
            matrix = torch.from_numpy(vectors.matrix[list(known.values())])
            table[list(known)] = matrix.to(device)
            table[0] = torch.from_numpy(vectors.unknown).to(device)
    return fresh


def _examples(parts: Sequence[StsDataset]) -> "Examples":
    from ..training.examples import Examples

    left, right, gold = (
        tuple(itertools.chain.from_iterable(getattr(part, name) for part in parts))
        for name in ("left", "right", "gold")
    )
    return Examples((left, right), tuple(map(str, gold)), ("",) * len(gold))
