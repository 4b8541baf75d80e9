"""Sentences to subword tokens and back, by the sentencepiece model of a folder or at plain spaces."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

from ..errors import ModelError

# Text must not be able to name these: a dictionary would take them for its own symbols.
_RESERVED = frozenset(("<s>", "<pad>", "<blank>", "</s>"))


class Subwords:
    """The tokens a translation model reads and writes; `model` None splits at spaces."""

    def __init__(self, model: Path | None) -> None:
        self._processor: sentencepiece.SentencePieceProcessor | None = None
        if model is None:
            return
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
        except (RuntimeError, OSError) as error:
            raise ModelError(f"{model} is not a sentencepiece model: {error}") from error

    def encode(self, sentences: Sequence[str]) -> list[list[str]]:
        """Tokens of each sentence, without an end symbol; none for an empty or blank one."""
        if self._processor is None:
            rows = [sentence.split() for sentence in sentences]
        else:
            rows = self._processor.encode(list(sentences), out_type=str)
        return [["<unk>" if token in _RESERVED else token for token in row] for row in rows]

    def decode(self, tokens: Iterable[str]) -> str:
        """The text of tokens that come without an end symbol; an unknown token shows as " ⁇ "."""
        if self._processor is None:
            return " ".join(tokens)
        return self._processor.decode(list(tokens))
