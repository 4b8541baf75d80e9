"""What a training starts from: random weights, word vectors, or an encoder that was trained before."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
import xxhash

from ...base.errors import RecipeError
from ...base.hashing import derive_seed
from ..encoders.chosen_on import NO_DEVELOPMENT, Development
from ..encoders.encoder import Encoder
from ..encoders.encoder_kinds import MixedOptions
from ..encoders.joined import joined
from ..encoders.random_weights import draw_weights
from ..encoders.sentence_encoder import SentenceEncoder, table_of
from ..encoders.subword_units import read_subwords
from ..encoders.vectors import WordVectors, read_vectors
from ..encoders.vocabulary import TAG_UNITS, Units, Vocabulary
from .train_options import EncoderTraining


class Start:
    """The start of a training with these options.

    vectors, trained: what the options name, where the caller has read it. RecipeError if the options do not
    fit the encoder that they name.
    """

    def __init__(
        self,
        options: EncoderTraining,
        vectors: WordVectors | None = None,
        trained: SentenceEncoder | None = None,
    ) -> None:
        if vectors is None and options.vectors is not None:
            vectors = read_vectors(options.vectors)
        if trained is None and options.start is not None:
            trained = begun_with(options, [SentenceEncoder.load(Path(path)) for path in options.starts])
        self._options, self._vectors, self._trained = options, vectors, trained
        path = options.text.sentencepiece
        self._subwords = None if path is None else read_subwords(path, options.text.tokens)
        if trained is not None:
            _check(options, trained)

    def vocabularies(self) -> list[Vocabulary]:
        """Those that training must have; other streams get vocabularies of their own.

        Tags have a row of their own, also where the words are those of vectors that do not have them.
        """
        if self._trained is not None:
            return [*self._trained.vocabularies.values()]
        text = self._options.text
        given: list[Vocabulary] = [] if self._subwords is None else [self._subwords]
        if self._vectors is not None:
            known = dict.fromkeys((*self._vectors.words, *TAG_UNITS[text.tags]))
            given.append(Vocabulary([*known], "words", text.tokens, text.tags))
        return given

    @property
    def development(self) -> Development:
        """The development sets that chose the encoder to start from."""
        return NO_DEVELOPMENT if self._trained is None else self._trained.development

    def key(self) -> str:
        """Another wherever the weights to start from, or a vocabulary, are others; empty if all are new."""
        subwords = "" if self._subwords is None else xxhash.xxh3_64_hexdigest(self._subwords.content)
        if self._vectors is not None:
            return subwords + xxhash.xxh3_64_hexdigest(table_of(self._vectors).numpy().tobytes())
        if self._trained is None:
            return subwords
        digest = xxhash.xxh3_64()
        for weights in self._trained.encoder.state_dict().values():
            digest.update(weights.cpu().contiguous().numpy().data)
        for vocabulary in self._trained.vocabularies.values():
            digest.update(vocabulary.content)
        return digest.hexdigest()

    def encoder(self, rows: Mapping[Units, int]) -> Encoder:
        """A new encoder. rows: of the tables of each stream of units."""
        options = self._options
        encoder = options.encoder.build(rows, options.text.units)
        if self._trained is not None:
            encoder.load_state_dict(self._trained.encoder.state_dict())
        else:
            draw_weights(encoder, derive_seed(options.seed, "start"))
        if self._vectors is not None:
            self._set_vectors(encoder, self._vectors)
        return encoder

    def _set_vectors(self, encoder: Encoder, vectors: WordVectors) -> None:
        for name, units in encoder.tables.items():
            if units != "words":
                continue
            parameter = encoder.get_parameter(name)
            if parameter.shape[1] != vectors.dimension:
                raise RecipeError(
                    f"the encoder's dimension is {parameter.shape[1]}, but that of "
                    f"{self._options.vectors} is {vectors.dimension}: set encoder.dimension to "
                    f"{vectors.dimension}"
                )
            with torch.no_grad():  # tags that the file does not have stay random, behind its words
                parameter[: len(vectors.words) + 1] = table_of(vectors)


def begun_with(options: EncoderTraining, encoders: Sequence[SentenceEncoder]) -> SentenceEncoder:
    """The encoder that training starts from. encoders: those that `starts` names."""
    if isinstance(options.start, str) or not isinstance(options.encoder, MixedOptions):
        return encoders[0]
    return joined(encoders, options.encoder.combine)


def _check(options: EncoderTraining, trained: SentenceEncoder) -> None:
    if trained.encoder.options != options.encoder:
        raise RecipeError(
            f"training starts from {', '.join(options.starts)}, whose options are "
            f"{trained.encoder.options}: give encoder the same ones"
        )
    for vocabulary in trained.vocabularies.values():
        tags = options.text.tags if vocabulary.units == "words" else "none"
        wanted = (vocabulary.units in options.streams, options.text.tokens, tags)
        if wanted != (True, vocabulary.tokens, vocabulary.tags):
            raise RecipeError(
                f"training starts from {', '.join(options.starts)}, whose text has the units "
                f"{vocabulary.units}, tokens {vocabulary.tokens} and tags {vocabulary.tags}: set these three "
                "keys of text to them"
            )
