"""Averages of embeddings without torch, whose import takes longer than most uses of an average."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from safetensors import SafetensorError
from safetensors.numpy import load_file

from ...base.errors import ModelError
from ...tokens.definition import EncoderTokens
from .averaging_kernels import sums_of_rows
from .encoder_folder import WEIGHTS, read_folder
from .encoder_kinds import AveragingOptions, MixedOptions
from .encoder_options import EncoderOptions
from .row_index import RowIndex
from .token_ids import TokenIds
from .vectors import read_vectors
from .vocabulary import Units, Vocabulary

_TABLE = "embedding.weight"


class StaticEncoder:
    """An average, or a mixture of averages; it gives the vectors of `SentenceEncoder`.

    tables: by the names of its parameters, float32.
    """

    def __init__(
        self, options: EncoderOptions, tables: Mapping[str, np.ndarray], vocabularies: Sequence[Vocabulary]
    ) -> None:
        self.options = options
        self.tables = tables
        self.vocabularies = {vocabulary.units: vocabulary for vocabulary in vocabularies}
        self._indices = {units: RowIndex(vocabulary) for units, vocabulary in self.vocabularies.items()}

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """(n, dimension) float32, in the order of `sentences`; zeros for a sentence without units."""
        column = pa.array(sentences, pa.large_string())
        ids = {units: index.token_ids(column) for units, index in self._indices.items()}
        vectors = self._vectors(self.options, "", next(iter(ids)), ids)
        vectors[np.any([each.lengths() == 0 for each in ids.values()], axis=0)] = 0
        return vectors

    def _vectors(
        self, options: EncoderOptions, name: str, units: Units, ids: Mapping[Units, TokenIds]
    ) -> np.ndarray:
        """The vectors of the encoder whose parameters have this name before theirs."""
        if not isinstance(options, MixedOptions):
            table, found = self.tables[f"{name}{_TABLE}"], ids[units]
            sums = np.zeros((len(found), table.shape[1]), np.float32)
            sums_of_rows(table, found.ids, found.starts, sums)
            return sums / np.maximum(found.lengths(), 1).astype(np.float32)[:, None]
        parts = [
            self._vectors(part.encoder, f"{name}parts.{number}.", part.units, ids)
            for number, part in enumerate(options.parts)
        ]
        if options.combine == "concatenate_normalised":
            lengths = [np.linalg.norm(part, axis=1, keepdims=True) for part in parts]
            parts = [part / np.maximum(length, 1e-12) for part, length in zip(parts, lengths, strict=True)]
        return np.sum(parts, axis=0) if options.combine == "add" else np.concatenate(parts, axis=1)


def static_of_vectors(path: str, tokens: EncoderTokens) -> StaticEncoder:
    """The average of the word vectors of a file, as `SentenceEncoder.from_vectors` reads it."""
    vectors = read_vectors(path)
    table = np.concatenate([vectors.unknown[None], vectors.matrix])
    options = AveragingOptions(dimension=vectors.dimension)
    return StaticEncoder(options, {_TABLE: table}, [Vocabulary(vectors.words, "words", tokens)])


def read_static(folder: Path) -> StaticEncoder | None:
    """The encoder in a folder; None if it is no average or mixture of averages, or if anything is wrong.

    Then `SentenceEncoder.load` reads it, and says what is wrong.
    """
    try:
        content = read_folder(folder)
        shapes = _shapes(content.options, "", next(iter(content.rows)), content.rows)
        weights = load_file(folder / WEIGHTS) if shapes is not None else {}
    except (ModelError, SafetensorError, OSError, KeyError, TypeError, ValueError, RecursionError):
        return None
    if shapes is None or {name: array.shape for name, array in weights.items()} != shapes:
        return None
    if any(array.dtype != np.float32 or not np.isfinite(array).all() for array in weights.values()):
        return None
    return StaticEncoder(content.options, weights, content.vocabularies)


def _shapes(
    options: EncoderOptions, name: str, units: Units, rows: Mapping[Units, int]
) -> dict[str, tuple[int, ...]] | None:
    """The shape of each table; None if a part is no average."""
    if isinstance(options, AveragingOptions):
        return {f"{name}{_TABLE}": (rows[units], options.dimension)}
    if not isinstance(options, MixedOptions):
        return None
    shapes: dict[str, tuple[int, ...]] = {}
    for number, part in enumerate(options.parts):
        of_part = _shapes(part.encoder, f"{name}parts.{number}.", part.units, rows)
        if of_part is None:
            return None
        shapes |= of_part
    dimensions = {shape[1] for shape in shapes.values()}
    return None if options.combine == "add" and len(dimensions) > 1 else shapes
