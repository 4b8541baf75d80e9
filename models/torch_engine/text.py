"""Sentences to a model's token ids and back."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import sentencepiece

from ...errors import ModelError
from ..subwords import Subwords

_FAIRSEQ_UNKNOWN = 3
# OPUS-MT models of several target languages are told the language by a first word such as >>fra<<.
_TARGET_LANGUAGE = re.compile(r"\s*(>>[^<>\s]+<<)")


class Text(Protocol):
    """Both sides of a model's vocabulary. Ids come and go without the end symbol."""

    def sources(self, sentences: Sequence[str]) -> list[list[int]]:
        """Source token ids of each sentence; none for an empty or blank one."""
        ...

    def targets(self, sentences: Sequence[str]) -> list[list[int]]:
        """Target token ids of each sentence."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of target token ids."""
        ...

    def same_as(self, other: "Text") -> bool:
        """Whether both give every sentence the same ids."""
        ...


class FairseqText:
    """fairseq's dictionaries, with one subword model for both sides or words between spaces."""

    def __init__(self, subwords: Path | None, source: Sequence[str], target: Sequence[str]) -> None:
        self._subwords = Subwords(subwords)
        self._model = None if subwords is None else subwords.read_bytes()
        self._source = {symbol: number for number, symbol in enumerate(source)}
        self._target = {symbol: number for number, symbol in enumerate(target)}
        self._symbols = target

    def sources(self, sentences: Sequence[str]) -> list[list[int]]:
        return self._ids(sentences, self._source)

    def targets(self, sentences: Sequence[str]) -> list[list[int]]:
        return self._ids(sentences, self._target)

    def decode(self, ids: Sequence[int]) -> str:
        return self._subwords.decode(self._symbols[number] for number in ids)

    def same_as(self, other: Text) -> bool:
        if not isinstance(other, FairseqText) or self._source != other._source:
            return False
        return self._symbols == other._symbols and self._model == other._model

    def _ids(self, sentences: Sequence[str], known: dict[str, int]) -> list[list[int]]:
        rows = self._subwords.encode(sentences)
        return [[known.get(token, _FAIRSEQ_UNKNOWN) for token in row] for row in rows]


class MarianText:
    """A Marian model's two sentencepiece models over its `vocab.json` (and `target_vocab.json`)."""

    def __init__(self, folder: Path) -> None:
        self._source = _vocabulary(folder / "vocab.json")
        other = folder / "target_vocab.json"
        self._target = _vocabulary(other) if other.is_file() else self._source
        self._symbols = {number: symbol for symbol, number in self._target.items()}
        self._pieces = {side: _pieces(folder / f"{side}.spm") for side in ("source", "target")}

    def sources(self, sentences: Sequence[str]) -> list[list[int]]:
        rows = []
        for sentence in sentences:
            language = _TARGET_LANGUAGE.match(sentence)
            told = [self._id(self._source, language[1])] if language else []
            rest = sentence[language.end() :] if language else sentence
            rows.append(told + self._encode("source", rest, self._source))
        return rows

    def targets(self, sentences: Sequence[str]) -> list[list[int]]:
        return [self._encode("target", sentence, self._target) for sentence in sentences]

    def decode(self, ids: Sequence[int]) -> str:
        special = ("</s>", "<pad>", "<unk>")
        symbols = (self._symbols.get(number, "<unk>") for number in ids)
        text = self._pieces["target"].decode_pieces([one for one in symbols if one not in special])
        return text.replace("\u2581", " ").strip()

    def same_as(self, other: Text) -> bool:
        if not isinstance(other, MarianText) or self._source != other._source:
            return False
        models = [
            text._pieces[side].serialized_model_proto() for text in (self, other) for side in text._pieces
        ]
        return self._target == other._target and models[:2] == models[2:]

    def _encode(self, side: str, sentence: str, known: dict[str, int]) -> list[int]:
        return [self._id(known, piece) for piece in self._pieces[side].encode(sentence, out_type=str)]

    @staticmethod
    def _id(known: dict[str, int], piece: str) -> int:
        # Text must not be able to name the model's own symbols.
        return known["<unk>"] if piece in ("</s>", "<pad>") else known.get(piece, known["<unk>"])


def _vocabulary(path: Path) -> dict[str, int]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"the vocabulary {path} cannot be read: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(number, int) for number in found.values()):
        raise ModelError(f"{path}: expected an object of pieces and their numbers")
    for symbol in ("</s>", "<unk>"):
        if symbol not in found:
            raise ModelError(f"{path} lacks the symbol {symbol}")
    return found


def _pieces(path: Path) -> sentencepiece.SentencePieceProcessor:
    try:
        return sentencepiece.SentencePieceProcessor(model_file=str(path))
    except (RuntimeError, OSError) as error:
        raise ModelError(f"{path} is not a sentencepiece model: {error}") from error
