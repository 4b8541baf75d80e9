"""The scores of the pairs of a role, by which systems choose their data.

Models that scores need are trained on a third of the pairs, by groups; these pairs then have no such score.
As in the paper on back-translated bitext (section 5), at most 40,000 references of them train a model.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..base.dataset_columns import DECILE_SUFFIX
from ..base.errors import InputError
from ..filters.ranks.decile_ranks import exact_deciles
from ..filters.reference_probability import ReferenceProbability
from ..filters.score import Score
from ..filters.where.condition import Where
from ..models.encoders.encoder_kinds import AveragingOptions
from ..models.training.pairs import PairList
from .encoders import AVG, P_EPOCHS
from .paper_data import Pair
from .paper_table import MEASURES, Classification, options
from .trainings import classify, train_in_turn

if TYPE_CHECKING:
    from ..models.encoders.vectors import WordVectors

COLUMNS: dict[str, pa.DataType] = {name: measure.dtype for name, measure in MEASURES.items()} | {
    name + DECILE_SUFFIX: pa.int8() for name in MEASURES
}
"""The scores and their deciles."""

_ONE_IN = 3
_MODEL_REFERENCES = 40_000
_SEED = 1
_CLASSIFIER_EPOCHS = 10


class PairScores:
    """The scores of some pairs, computed when they are needed; a label of a pair is not looked at.

    group: (pairs,), the number of each pair's group. vectors: a file that encoders and classifiers start
    from.
    """

    def __init__(self, pairs: Sequence[Pair], group: np.ndarray, vectors: str | None) -> None:
        sides = zip(*pairs, strict=True) if pairs else ((), ())
        self.pairs = pa.table(dict(zip(("reference", "translation"), map(_texts, sides), strict=False)))
        self.group, self.vectors = group, vectors
        self.column = cache(self._column)

    def fits(self, where: str) -> np.ndarray:
        """Which pairs an expression over scores selects, (pairs,) bool; RecipeError if it is not one."""
        if where == "true":
            return np.ones(len(self.pairs), bool)
        parsed = Where.parse(where, COLUMNS)
        table = pa.table({name: self.column(name) for name in parsed.columns})
        return np.asarray(parsed.evaluate(table).fill_null(False))

    def _column(self, name: str) -> pa.Array:
        plain = name.removesuffix(DECILE_SUFFIX)
        if plain != name:
            ids = (str(number) for number in range(len(self.pairs)))
            return exact_deciles(self.column(plain), ids, _SEED)
        score = MEASURES[name]
        if score.model_kind is None:
            return score.measure(self.pairs)
        held_out = self._held_out()
        with TemporaryDirectory(prefix="paranmt-") as folder:
            model = self._model(score, held_out, Path(folder))
            values = score.measure(self.pairs, model)
        return pa.array(values.to_numpy(zero_copy_only=False), values.type, mask=held_out)

    def _held_out(self) -> np.ndarray:
        """Which pairs the models of scores are trained on, (pairs,) bool."""
        groups = int(self.group.max(initial=-1)) + 1
        chosen = np.random.default_rng(_SEED).permutation(groups) < groups // _ONE_IN
        held_out: np.ndarray = chosen[self.group]
        return held_out

    def _model(self, score: Score, held_out: np.ndarray, folder: Path) -> object:
        pairs = self.pairs.filter(pa.array(held_out))
        if not len(pairs):
            raise InputError(
                f"there are too few pairs to train the model of {score.score} on one in {_ONE_IN}"
            )
        if isinstance(score, ReferenceProbability):
            return _classifier(pairs, self.group[held_out], self.vectors)
        if score.model_kind == "encoder":
            return _encoder(pairs, self.vectors)
        return _language_model(pairs, folder)


def _texts(side: Sequence[str]) -> pa.Array:
    return pa.array(side, pa.string())


def _language_model(pairs: pa.Table, folder: Path) -> object:
    from ..models import language_model  # these import KenLM, numba and torch, which lists do not need
    from ..tokens.columns import spaced_tokens

    references = pairs["reference"].combine_chunks().unique()
    used = references[:_MODEL_REFERENCES]
    sentences = spaced_tokens(used, "words").cast(pa.large_binary()).to_pylist()
    language_model.train(sentences, folder / "model.binary")
    return language_model.load(folder / "model.binary")


def _classifier(pairs: pa.Table, group: np.ndarray, vectors: str | None) -> object:
    from ..models.encoders.vectors import read_vectors
    from ..models.training.determinism import single_thread

    given = None if vectors is None else read_vectors(vectors)
    task = Classification()
    # A group for a reference with all its translations, the first of which train the classifier.
    groups = np.unique(group)[: round(_MODEL_REFERENCES / (1 - task.validation - task.test))]
    used = pairs.filter(pa.array(np.isin(group, groups)))
    sides = (used[side].to_pylist() for side in ("reference", "translation"))
    with single_thread():
        found = classify(PairList(*sides), _averaging(given), _CLASSIFIER_EPOCHS, _SEED, task, given)
    return found.classifier


def _encoder(pairs: pa.Table, vectors: str | None) -> object:
    from ..models.encoders.vectors import read_vectors

    given = None if vectors is None else read_vectors(vectors)
    training = options(_averaging(given), epochs=P_EPOCHS)
    sides = (pairs[side].to_pylist() for side in pairs.column_names)
    return train_in_turn(replace(training, vectors=vectors), given, [PairList(*sides)])


def _averaging(given: "WordVectors | None") -> AveragingOptions:
    """An average of the given vectors, or of vectors of its own."""
    return AVG if given is None else replace(AVG, dimension=given.dimension)
