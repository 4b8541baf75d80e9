"""A sentence encoder for users: sentences in, vectors out, stored as a folder of three files."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import safetensors
import safetensors.torch
import torch
import xxhash

from ...errors import ModelError, UserError
from ...tokens import Tokens
from .embedding import UnitEncoder
from .kinds import ENCODERS
from .options import EncoderOptions
from .row_index import RowIndex
from .vectors import WordVectors, read_vectors
from .vocabulary import UNITS, Vocabulary

_FORMAT = "paranmt-encoder-1"
_WEIGHTS, _VOCABULARY, _CONFIG = "model.safetensors", "vocabulary.txt", "config.json"


class SentenceEncoder:
    """An encoder with its vocabulary, ready to use; deterministic.

    Its folder holds config.json, model.safetensors and vocabulary.txt. The config says how text becomes ids:
    the kind of tokens, that they are lower-cased, and the units.
    """

    def __init__(self, encoder: UnitEncoder, vocabulary: Vocabulary, device: str = "cpu") -> None:
        self.encoder = encoder.to(device).eval()
        self.vocabulary = vocabulary
        self.device = device
        self._index = RowIndex(vocabulary)

    @property
    def dimension(self) -> int:
        """How many numbers a sentence's vector has."""
        return self.encoder.dimension

    def encode(self, sentences: Sequence[str], batch: int = 256) -> np.ndarray:
        """(n, dimension) float32, in the order of `sentences`; an empty sentence has the zero vector.

        Sentences of similar length go through the encoder together, `batch` at a time.
        """
        ids = self._index.token_ids(pa.array(sentences, pa.large_string()))
        vectors = np.zeros((len(sentences), self.dimension), dtype=np.float32)
        order = np.argsort(ids.lengths(), kind="stable")
        with torch.inference_mode():
            for start in range(0, len(order), batch):
                rows = order[start : start + batch]
                vectors[rows] = self.encoder(*ids.take(rows).padded(self.device)).cpu().numpy()
        return vectors

    def save(self, folder: Path) -> None:
        """Writes the folder, with config.json last. The same encoder always gives the same bytes."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.vocabulary.save(folder / _VOCABULARY)
        tensors = self.encoder.state_dict().items()
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors}
        _replace(folder / _WEIGHTS, safetensors.torch.save(weights))
        config = {
            "format": _FORMAT,
            "encoder": asdict(self.encoder.options),
            "text": {"units": self.vocabulary.units, "tokens": self.vocabulary.tokens, "lower_case": True},
            "rows": len(self.vocabulary),
            "xxh3": {name: _checksum(folder / name) for name in (_WEIGHTS, _VOCABULARY)},
        }
        _replace(folder / _CONFIG, (json.dumps(config, indent=2) + "\n").encode("utf-8"))

    @classmethod
    def load(cls, folder: Path | str, device: str = "cpu") -> "SentenceEncoder":
        """Reads a folder that `save` wrote; nothing in it is executed. ModelError if it is damaged."""
        folder = Path(folder)
        config = _read_config(folder)
        try:
            options = _encoder_options(config["encoder"])
            text, rows = config["text"], int(config["rows"])
            is_supported = (
                text["units"] in UNITS and text["tokens"] in get_args(Tokens) and text["lower_case"] is True
            )
            if not is_supported:
                raise ModelError(f"{folder / _CONFIG}: this version does not know the text options {text}")
            for name in (_WEIGHTS, _VOCABULARY):
                if _checksum(folder / name) != config["xxh3"][name]:
                    raise ModelError(f"{folder / name} is damaged: its checksum is not the one in {_CONFIG}")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{folder / _CONFIG} is not the config of a sentence encoder: {error}") from None
        vocabulary = Vocabulary.load(folder / _VOCABULARY, text["units"], text["tokens"])
        if len(vocabulary) != rows:
            raise ModelError(f"{folder}: the config has {rows} rows and the vocabulary {len(vocabulary)}")
        weights = _read_weights(folder / _WEIGHTS)
        with torch.device("meta"):  # no memory and no random numbers for weights that are overwritten
            encoder = ENCODERS[options.type](rows, options)
        _check_weights(folder / _WEIGHTS, weights, encoder.state_dict())
        encoder.load_state_dict(weights, assign=True)
        return cls(encoder, vocabulary, device)

    @classmethod
    def from_vectors(cls, path: str, tokens: Tokens = "words", device: str = "cpu") -> "SentenceEncoder":
        """The average of word vectors read from a GloVe or word2vec text file.

        Words are looked up lower-cased. Words that the file does not have share one row, which counts in the
        mean; `read_vectors` describes it.
        """
        vectors = read_vectors(path)
        options = EncoderOptions(type="avg", dimension=vectors.dimension)
        with torch.device("meta"):
            encoder = ENCODERS["avg"](len(vectors.words) + 1, options)
        encoder.load_state_dict({"embedding.weight": table_of(vectors)}, assign=True)
        return cls(encoder, Vocabulary(vectors.words, "words", tokens), device)


def table_of(vectors: WordVectors) -> torch.Tensor:
    """(words + 1, dimension) float32: row 0 is for unknown words, the rows of the file follow."""
    return torch.from_numpy(np.concatenate([vectors.unknown[None], vectors.matrix]))


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / _CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(f"{folder} is not the folder of an encoder: it has no {_CONFIG}") from None
    except ValueError as error:
        raise ModelError(f"{path} is not JSON: {error}") from None
    if not isinstance(config, dict) or config.get("format") != _FORMAT:
        value = config.get("format") if isinstance(config, dict) else type(config).__name__
        raise ModelError(f"{path}: expected the format {_FORMAT!r}, got {value!r}")
    return config


def _encoder_options(values: object) -> EncoderOptions:
    if not isinstance(values, dict) or values.get("type") not in ENCODERS:
        raise ModelError(f"expected an encoder of type {', '.join(ENCODERS)}, got {values!r}")
    options_class: type[EncoderOptions] = ENCODERS[values["type"]].options_class
    unknown = sorted(set(values) - {field.name for field in fields(options_class)})
    if unknown:
        raise ModelError(f"an encoder of type {values['type']!r} has no option {', '.join(unknown)}")
    try:
        return options_class(**values)
    except UserError as error:
        raise ModelError(f"the encoder's options are wrong: {error}") from None


def _read_weights(path: Path) -> dict[str, torch.Tensor]:
    try:
        return safetensors.torch.load_file(path)
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


def _checksum(path: Path) -> str:
    digest = xxhash.xxh3_64()
    try:
        with path.open("rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    except OSError:
        raise ModelError(
            f"{path.parent} has no readable {path.name}, which the folder of an encoder must have"
        ) from None
    return digest.hexdigest()


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(content)
    os.replace(temporary, path)
