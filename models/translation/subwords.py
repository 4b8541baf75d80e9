"""Sentences to subword tokens and back, with a folder's sentencepiece model or by splitting at spaces."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import sentencepiece

from ...base.documents import read_document
from ...base.errors import ModelError

# These must not come from text, because a dictionary would take them for its own symbols.
_RESERVED = frozenset(("<s>", "<pad>", "<blank>", "</s>"))
_MARIAN_RESERVED = frozenset(("</s>", "<pad>"))


class Pieces(Protocol):
    """Text to a model's tokens and back. Tokens never include the end symbol."""

    def encode(self, sentences: Sequence[str]) -> list[list[str]]:
        """Source tokens of each sentence; none for an empty or blank one."""
        ...

    def encode_targets(self, sentences: Sequence[str]) -> list[list[str]]:
        """Target tokens of each sentence."""
        ...

    def decode(self, tokens: Iterable[str]) -> str:
        """The text of target tokens."""
        ...


class Subwords:
    """The tokens that a translation model reads and writes; without `model` they are split at spaces.

    begin: the token that begins each source, for a model that reads the source's language. model: its bytes.
    """

    def __init__(self, model: Path | None, begin: str | None = None) -> None:
        self._begin = [] if begin is None else [begin]
        self._processor = None if model is None else _processor(model)
        self.model = None if self._processor is None else self._processor.serialized_model_proto()

    def encode(self, sentences: Sequence[str]) -> list[list[str]]:
        """Source tokens of each sentence, without an end symbol; none for an empty or blank one."""
        return [[*self._begin, *row] if row else [] for row in self.encode_targets(sentences)]

    def encode_targets(self, sentences: Sequence[str]) -> list[list[str]]:
        """Tokens of each translation. Both sides share one model."""
        if self._processor is None:
            rows = [sentence.split() for sentence in sentences]
        else:
            rows = self._processor.encode(list(sentences), out_type=str)
        return [["<unk>" if token in _RESERVED else token for token in row] for row in rows]

    def decode(self, tokens: Iterable[str]) -> str:
        """The text of tokens that come without an end symbol; an unknown token becomes " ⁇ ".

        Models that read a language leave out symbols that are no pieces, as Hugging Face's tokenizers do.
        """
        if self._processor is None:
            return " ".join(tokens)
        if self._begin:
            unknown = self._processor.unk_id()
            words = [token for token in tokens if self._processor.piece_to_id(token) != unknown]
            return str(self._processor.decode(words)).strip()
        return self._processor.decode(list(tokens))


class MarianSubwords:
    """A Marian model's two sentencepiece models, `source.spm` and `target.spm` of a folder.

    begin: the token that begins each source, `>>fra<<`, for a model with several target languages.
    """

    def __init__(self, folder: Path, begin: str | None = None) -> None:
        self._begin = [] if begin is None else [begin]
        self._source, self._target = (_processor(folder / f"{side}.spm") for side in ("source", "target"))

    def encode(self, sentences: Sequence[str]) -> list[list[str]]:
        """Source tokens of each sentence, with the token of the language; none for an empty or blank one."""
        rows = [self._tokens(self._source, sentence) for sentence in sentences]
        return [[*self._begin, *row] if row else [] for row in rows]

    def encode_targets(self, sentences: Sequence[str]) -> list[list[str]]:
        """Target tokens of each sentence."""
        return [self._tokens(self._target, sentence) for sentence in sentences]

    def decode(self, tokens: Iterable[str]) -> str:
        """The text of target tokens; the model's own symbols are left out."""
        words = [token for token in tokens if token not in ("</s>", "<pad>", "<unk>")]
        return str(self._target.decode_pieces(words)).replace("\u2581", " ").strip()

    def same_as(self, other: "MarianSubwords") -> bool:
        """Whether both give every sentence the same tokens."""
        mine, theirs = (
            [model.serialized_model_proto() for model in (subwords._source, subwords._target)]
            for subwords in (self, other)
        )
        return mine == theirs

    @staticmethod
    def _tokens(processor: sentencepiece.SentencePieceProcessor, sentence: str) -> list[str]:
        tokens = processor.encode(sentence, out_type=str)
        return ["<unk>" if token in _MARIAN_RESERVED else token for token in tokens]


def pieces_of(model: Path) -> list[str]:
    """All pieces of a sentencepiece model, in the order of their ids."""
    processor = _processor(model)
    return [processor.id_to_piece(number) for number in range(processor.get_piece_size())]


def _processor(model: Path) -> sentencepiece.SentencePieceProcessor:
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=read_document(model))
    except (RuntimeError, OSError, ValueError) as error:
        raise ModelError(f"{model} is not a sentencepiece model: {error}") from error
