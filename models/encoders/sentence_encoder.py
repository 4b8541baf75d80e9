"""A sentence encoder for users: sentences in, vectors out, stored as a folder of a few files."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import safetensors
import safetensors.torch
import torch

from ...base.errors import ModelError
from ...base.finite import check_finite
from ...base.gpu import has_gpu
from ...base.whole_files import written_whole
from ...tokens.definition import EncoderTokens, cut_and_case
from .chosen_on import NO_DEVELOPMENT, Development, to_json
from .encoder import Encoder, embed
from .encoder_folder import (
    CONFIG,
    FORMAT,
    FORMAT_OF_STREAMS,
    WEIGHTS,
    checksum,
    read_folder,
    vocabulary_files,
)
from .encoder_kinds import AveragingOptions
from .row_index import RowIndex
from .stored_weights import Precision, restored, stored
from .token_ids import Streams
from .vectors import WordVectors, read_vectors
from .vocabulary import Vocabulary


class SentenceEncoder:
    """An encoder with a vocabulary for each of its streams of units, ready to use; deterministic.

    Its folder holds config.json, model.safetensors and vocabulary.txt, or a `vocabulary.<units>.txt` for each
    of several streams; subwords have sentencepiece.model instead. The config says how text becomes ids: the
    kind of tokens, whether they are lower-cased, and the units. development: the pairs of the
    development sets on which its training chose it, if any, as hashes.
    """

    def __init__(
        self,
        encoder: Encoder,
        *vocabularies: Vocabulary,
        device: str = "cpu",
        development: Development = NO_DEVELOPMENT,
    ) -> None:
        self.encoder = encoder.to(device).eval()
        self.development = development
        self.folder: Path | None = None  # where it was read from
        self.vocabularies = {vocabulary.units: vocabulary for vocabulary in vocabularies}
        self._indices = {units: RowIndex(vocabulary) for units, vocabulary in self.vocabularies.items()}

    def to(self, device: str) -> None:
        """Moves the encoder to `cpu` or `cuda`."""
        self.encoder.to(device)

    @property
    def dimension(self) -> int:
        """How many numbers a sentence's vector has."""
        return self.encoder.dimension

    def encode(self, sentences: Sequence[str], batch: int = 256) -> np.ndarray:
        """(n, dimension) float32, in the order of `sentences`; a sentence without units has the zero vector.

        Sentences of similar length go through the encoder together, `batch` at a time.
        """
        return embed(self.encoder, self.token_ids(sentences), batch).cpu().numpy()

    def token_ids(self, sentences: Sequence[str]) -> Streams:
        """What the encoder reads of sentences: the ids of their units."""
        column = pa.array(sentences, pa.large_string())
        return Streams({units: index.token_ids(column) for units, index in self._indices.items()})

    def save(self, folder: Path, precision: Precision = "float32") -> None:
        """Writes the folder, with config.json last. The same encoder always gives the same bytes.

        precision: as for `stored_weights.stored`; with less than float32 the encoder that is read is another.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = vocabulary_files(list(self.vocabularies))
        for units, file in files.items():
            self.vocabularies[units].save(folder / file)
        tensors = self.encoder.state_dict().items()
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors}
        with written_whole(folder / WEIGHTS) as out:
            out.write(safetensors.torch.save(stored(weights, self.encoder.tables, precision)))
        streams, rows = list(files), [len(vocabulary) for vocabulary in self.vocabularies.values()]
        alone = len(files) == 1
        (tokens,) = {vocabulary.tokens for vocabulary in self.vocabularies.values()}
        # Only words have tags.
        tags = next((v.tags for v in self.vocabularies.values() if v.tags != "none"), "none")
        config = {
            "format": FORMAT if alone else FORMAT_OF_STREAMS,
            "encoder": asdict(self.encoder.options),
            "text": {
                "units": streams[0] if alone else streams,
                "tokens": tokens,
                "lower_case": cut_and_case(tokens)[1],
                "tags": tags,
            },
            "rows": rows[0] if alone else rows,
            "development": to_json(self.development),
            "xxh3": {name: checksum(folder / name) for name in (WEIGHTS, *files.values())},
        }
        with written_whole(folder / CONFIG) as out:
            out.write((json.dumps(config, indent=2) + "\n").encode())

    @classmethod
    def load(cls, folder: Path | str, device: str = "cpu") -> "SentenceEncoder":
        """Reads a folder that `save` wrote; nothing in it is executed. ModelError if it is damaged.

        device: `cpu`, `cuda`, or `auto`, which is a GPU if there is one and the encoder gains from it.
        """
        folder = Path(folder)
        content = read_folder(folder)
        try:
            with torch.device("meta"):  # no memory and no random numbers for weights that are overwritten
                encoder = content.options.build(content.rows, next(iter(content.rows)))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ModelError(f"{folder / CONFIG} is not the config of a sentence encoder: {error}") from None
        weights = _read_weights(folder / WEIGHTS)
        _check_weights(folder / WEIGHTS, weights, encoder.state_dict())
        check_finite(folder / WEIGHTS, weights)
        encoder.load_state_dict(weights, assign=True)
        if device == "auto":
            device = "cuda" if content.options.wants_gpu and has_gpu() else "cpu"
        loaded = cls(encoder, *content.vocabularies, device=device, development=content.development)
        loaded.folder = folder
        return loaded

    @classmethod
    def from_vectors(
        cls, path: str, tokens: EncoderTokens = "words", device: str = "cpu"
    ) -> "SentenceEncoder":
        """The average of word vectors read from a GloVe or word2vec text file.

        Words are looked up lower-cased, unless `tokens` are cased ones. Words that the file does not have
        share one row, which counts in the mean; `read_vectors` describes it.
        """
        vectors = read_vectors(path)
        with torch.device("meta"):
            encoder = AveragingOptions(dimension=vectors.dimension).build(
                {"words": len(vectors.words) + 1}, "words"
            )
        encoder.load_state_dict({"embedding.weight": table_of(vectors)}, assign=True)
        return cls(encoder, Vocabulary(vectors.words, "words", tokens), device=device)


def table_of(vectors: WordVectors) -> torch.Tensor:
    """(words + 1, dimension) float32: row 0 is for unknown words, the rows of the file follow."""
    return torch.from_numpy(np.concatenate([vectors.unknown[None], vectors.matrix]))


def _read_weights(path: Path) -> dict[str, torch.Tensor]:
    try:
        return restored(safetensors.torch.load_file(path))
    except (safetensors.SafetensorError, OSError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from None


def _check_weights(path: Path, weights: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    """ModelError unless the tensors have the names, shapes and types of the config's encoder."""
    if weights.keys() != expected.keys():
        raise ModelError(
            f"{path} does not fit the config: expected the tensors {', '.join(sorted(expected))}, "
            f"got {', '.join(sorted(weights))[:300] or 'none'}"
        )
    for name, tensor in expected.items():
        given = weights[name]
        if (given.shape, given.dtype) != (tensor.shape, tensor.dtype):
            raise ModelError(
                f"{path} does not fit the config: {name} should be {tensor.dtype} of shape "
                f"{tuple(tensor.shape)}, but it is {given.dtype} of shape {tuple(given.shape)}"
            )
