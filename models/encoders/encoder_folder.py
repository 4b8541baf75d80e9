"""The folder of an encoder: its config and its vocabularies, which are read without torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import xxhash

from ...base.bounds import COUNT
from ...base.documents import read_json
from ...base.errors import ModelError
from ...tokens.definition import EncoderTokens, cut_and_case
from .chosen_on import Development, from_json
from .encoder_kinds import read_options
from .encoder_options import EncoderOptions
from .subword_units import load_vocabulary
from .vocabulary import Tags, Units, Vocabulary

# The second format has several streams of units, each with a vocabulary.
FORMAT, FORMAT_OF_STREAMS = "paranmt-encoder-1", "paranmt-encoder-2"
WEIGHTS, _VOCABULARY, CONFIG = "model.safetensors", "vocabulary.txt", "config.json"
_SUBWORDS = "sentencepiece.model"


@dataclass(frozen=True)
class EncoderFolder:
    """What a folder says of an encoder but for its weights. rows: of the tables, by units."""

    options: EncoderOptions
    rows: Mapping[Units, int]
    vocabularies: Sequence[Vocabulary]
    development: Development


def read_folder(folder: Path) -> EncoderFolder:
    """Reads the config and the vocabularies, and compares all files with their checksums.

    ModelError if the folder is damaged. Nothing in it is executed.
    """
    config = _read_config(folder)
    try:
        options = _options(folder, config["encoder"])
        tokens, tags, rows = _text(folder, config)
        development = from_json(config["development"])
        files = vocabulary_files(list(rows))
        for name in (WEIGHTS, *files.values()):
            if checksum(folder / name) != config["xxh3"][name]:
                raise ModelError(f"{folder / name} is damaged: its checksum is not the one in {CONFIG}")
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"{folder / CONFIG} is not the config of a sentence encoder: {error}") from None
    vocabularies = [load_vocabulary(folder / file, units, tokens, tags) for units, file in files.items()]
    for vocabulary in vocabularies:
        expected = rows[vocabulary.units]
        if len(vocabulary) != expected:
            raise ModelError(f"{folder}: the config has {expected} rows and the vocabulary {len(vocabulary)}")
    return EncoderFolder(options, rows, vocabularies, development)


def vocabulary_files(streams: Sequence[Units]) -> dict[Units, str]:
    """The file of each stream's vocabulary."""
    if len(streams) == 1:
        return {streams[0]: _SUBWORDS if streams[0] == "subwords" else _VOCABULARY}
    return {units: _SUBWORDS if units == "subwords" else f"vocabulary.{units}.txt" for units in streams}


def checksum(path: Path) -> str:
    """The hash of a file; ModelError if there is none."""
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


def _options(folder: Path, values: object) -> EncoderOptions:
    """The options of the encoder; ModelError that names the folder if they are wrong."""
    try:
        return read_options(values)
    except ModelError as error:
        raise ModelError(f"{folder / CONFIG}: {error}") from None


def _text(folder: Path, config: Mapping[str, Any]) -> tuple[EncoderTokens, Tags, dict[Units, int]]:
    """What the config says of text: the kind of tokens, the tags, and the rows of each stream of units."""
    text, rows = dict(config["text"]), config["rows"]
    tags = text["tags"]
    alone = config["format"] == FORMAT
    streams, counts = ([text["units"]], [rows]) if alone else (text["units"], rows)
    if (
        any(units not in get_args(Units) for units in streams)
        or text["tokens"] not in get_args(EncoderTokens)
        or tags not in get_args(Tags)
        or text["lower_case"] is not cut_and_case(text["tokens"])[1]
    ):
        raise ModelError(f"{folder / CONFIG}: this version does not know the text options {text}")
    for count in counts:
        if problem := COUNT.problem(count):
            raise ModelError(f"{folder / CONFIG}: rows must be {problem}, not {str(count)[:60]}")
    return text["tokens"], tags, dict(zip(streams, counts, strict=True))


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config = read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(f"{folder} is not the folder of an encoder: it has no {CONFIG}") from None
    except ValueError as error:
        raise ModelError(f"{path} is not JSON: {error}") from None
    if not isinstance(config, dict) or config.get("format") not in (FORMAT, FORMAT_OF_STREAMS):
        value = config.get("format") if isinstance(config, dict) else type(config).__name__
        raise ModelError(f"{path}: expected the format {FORMAT!r} or {FORMAT_OF_STREAMS!r}, got {value!r}")
    return config
