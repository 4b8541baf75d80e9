"""Subwords as units: the pieces of a sentencepiece model, whose file is the vocabulary."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import sentencepiece

from ...base.documents import LARGEST
from ...base.errors import ModelError, RecipeError
from ...base.streams import open_raw, reading
from ...base.whole_files import written_whole
from ...tokens.definition import EncoderTokens
from .token_ids import TokenIds
from .vocabulary import UNKNOWN_ROW, Tags, Units, Vocabulary, words


class SubwordVocabulary(Vocabulary):
    """The pieces of a sentencepiece model; the one for unknown characters has the shared row 0.

    A sentence's words, joined by spaces, are what the model cuts. A sentence with words of which the model
    leaves nothing, such as invisible characters, has the unknown unit. unknown: the number of its piece.
    """

    def __init__(self, model: bytes, tokens: EncoderTokens = "words", place: str = "the model") -> None:
        try:
            self._processor = sentencepiece.SentencePieceProcessor()
            self._processor.LoadFromSerializedProto(model)
        except RuntimeError as error:
            raise ModelError(f"{place} is not a sentencepiece model: {error}") from None
        self.model = model
        ids = np.arange(self._processor.get_piece_size())
        self.unknown: int = self._processor.unk_id()
        known = ids != self.unknown
        super().__init__(
            [self._processor.id_to_piece(int(piece)) for piece in ids[known]], "subwords", tokens
        )
        self._rows = np.where(known, np.cumsum(known), UNKNOWN_ROW).astype(np.int32)

    @classmethod
    def train(
        cls, counts: Mapping[str, int], size: int, tokens: EncoderTokens = "words"
    ) -> "SubwordVocabulary":
        """A unigram model of `size` pieces, or of as many as there are, from how often each word occurs.

        The same counts give the same bytes. RecipeError if there are too few words, or more characters.
        """
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(f"{word}\t{counts[word]}" for word in ordered),
                input_format="tsv",
                model_writer=model,
                model_type="unigram",
                vocab_size=size,
                hard_vocab_limit=False,
                num_threads=1,  # with several, rounding depends on their number
                minloglevel=2,
            )
        except RuntimeError as error:
            raise RecipeError(
                f"no sentencepiece model of {size:,} pieces could be trained on {len(ordered):,} different "
                f"words: {error}"
            ) from None
        return cls(model.getvalue(), tokens)

    def ids(self, sentence: str) -> list[int]:
        """The row of each piece of the sentence; the empty sentence has none."""
        return self.rows([" ".join(words(sentence, self.tokens))]).ids.tolist()

    def rows(self, sentences: Sequence[str]) -> TokenIds:
        """The rows of the pieces of sentences that are cut into words and joined by spaces."""
        unknown = [self.unknown]
        pieces = self._processor.encode(list(sentences), num_threads=1)
        ids = TokenIds.of(
            [cut or (unknown if sentence else []) for cut, sentence in zip(pieces, sentences, strict=True)]
        )
        return TokenIds(self._rows[ids.ids], ids.starts)

    def save(self, path: Path) -> None:
        """Writes the sentencepiece model."""
        with written_whole(path) as file:
            file.write(self.model)

    @property
    def content(self) -> bytes:
        """The sentencepiece model."""
        return self.model


def read_subwords(path: str, tokens: EncoderTokens = "words") -> SubwordVocabulary:
    """The pieces of a model's file, which executes nothing. ModelError if it is not one."""
    with reading(path), open_raw(path) as file:
        model = file.read(LARGEST + 1)
    if len(model) > LARGEST:
        raise ModelError(f"{path} is not a sentencepiece model: it has more than {LARGEST:,} bytes")
    return SubwordVocabulary(model, tokens, path)


def load_vocabulary(path: Path, units: Units, tokens: EncoderTokens, tags: Tags = "none") -> Vocabulary:
    """Reads a file that the `save` of a vocabulary wrote; ModelError if it cannot be read."""
    if units != "subwords":
        return Vocabulary.load(path, units, tokens, tags)
    if not path.is_file():
        raise ModelError(f"{path.parent} has no {path.name}, which the folder of an encoder must have")
    return read_subwords(str(path), tokens)
