"""Paraphrase similarity: how close an encoder places two sides of a pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
import pyarrow as pa

from ..base.bounds import Count, Numbers, Pairs
from ..base.paths import FilePath
from ..tokens.definition import EncoderTokens
from .score import Score, check_model_spec
from .text_columns import Texts, blocks, with_nulls


@runtime_checkable
class SimilarityEncoder(Protocol):
    """What paraphrase similarity needs of an encoder."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """The vectors of raw sentences; float32, (n, dimension)."""
        ...


def cosine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Cosine of each row of `one`, (n, d), with the same row of `other`, (n, d); float64, (n,) in [-1, 1].

    0 where either is the zero vector.

    >>> cosine(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[4.0, 3.0], [1.0, 0.0]])).tolist()
    [0.96, 0.0]
    """
    products = np.einsum("ij,ij->i", one, other, dtype=np.float64)
    squares = np.einsum("ij,ij->i", one, one, dtype=np.float64) * np.einsum(
        "ij,ij->i", other, other, dtype=np.float64
    )
    values = np.divide(products, np.sqrt(squares), out=np.zeros_like(products), where=squares > 0)
    return np.clip(values, -1.0, 1.0)


def paraphrase_similarity(one: Texts, other: Texts, model: SimilarityEncoder) -> pa.FloatArray:
    """Cosine of the vectors of two sides of pairs, in [-1, 1]; float32.

    0 where a side has the zero vector (it has no words, or none that the encoder knows); null where a side
    is null.
    """
    both = np.asarray(one.is_valid()) & np.asarray(other.is_valid())
    sides = [side.filter(pa.array(both)) for side in (one, other)]
    cosines = np.zeros(len(one))
    present = np.flatnonzero(both)
    for rows in blocks(len(present)):
        vectors = [model.encode(side[rows].to_pylist()) for side in sides]
        cosines[present[rows]] = cosine(*vectors)
    return with_nulls(cosines, pa.float32(), one, other)


@dataclass(frozen=True, kw_only=True)
class EncoderSpec(Numbers):
    """Where the encoder comes from: a folder of yours, or training on a sample of the corpus.

    In a recipe it also has the `type` of encoder that is trained, and the options of this type.
    """

    train_on: Pairs = 1_000_000
    """How many pairs to train on at most; they are scored like all others."""
    epochs: Count = 5
    """Passes over the pairs it is trained on."""
    path: FilePath | None = None
    """The folder of a trained encoder, or of a model of sentence-transformers; nothing is trained then, and
    the other keys must be left out."""

    def __post_init__(self) -> None:
        check_model_spec(self, "encoder")
        super().__post_init__()


PairSide = Literal["source", "reference", "translation"]
Spec = TypeVar("Spec", bound=EncoderSpec)


@dataclass(frozen=True)
class ParaphraseSimilarity(Score, Generic[Spec]):
    """Cosine similarity of the sentence vectors of reference and translation. A high value means that both
    say the same; a copy has 1, and a pair with a side without known words has 0. The paper's encoder averages
    PARAGRAM word vectors; the default one averages word vectors that are trained on the corpus itself.
    Wieting and Gimpel 2018, section 6.3.
    """

    score: Literal["paraphrase_similarity"] = "paraphrase_similarity"
    encoder: Spec | None = None
    """The folder of a trained encoder, or how to train one; by default one is trained."""
    vectors: FilePath | None = None
    """A file of word vectors to average, instead of an encoder."""
    tokens: EncoderTokens = "words"
    """`words` (words and punctuation of raw text), `whitespace` (text that is tokenised already) or `moses`
    (those of Moses's tokenizer), or one of these with `cased_` before it, which keeps the case: how the words
    of `vectors` were cut, or how an encoder that is trained cuts text. A trained encoder in a folder has its
    own setting."""

    sides: tuple[PairSide, PairSide] = ("reference", "translation")
    """The two sides that are compared. With `source`, the encoder or the vectors must be given, and must know
    both languages."""

    version = 1
    dtype = pa.float32()
    unit = "cosine, -1 to 1"
    higher_is_better = True
    model_kind: ClassVar[str | None] = "encoder"

    def __post_init__(self) -> None:
        if self.vectors is not None and self.encoder is not None:
            raise ValueError("expected either encoder or vectors, got both")
        if self.tokens != "words" and self.encoder is not None and self.encoder.path is not None:
            raise ValueError("the encoder at path has its own setting of tokens: leave tokens out")
        if len(set(self.sides)) < 2:
            raise ValueError(f"expected two different sides, got {self.sides[0]} twice")
        if "source" in self.sides and not self.files():
            raise ValueError(
                "an encoder that is trained on the corpus does not know the source's language: give encoder: "
                "{path: ...} of one that knows both languages, or vectors of both"
            )

    @property
    def reads(self) -> tuple[str, ...]:
        """The sides that are compared."""
        return self.sides

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `paraphrase_similarity`; `model` is a `SimilarityEncoder`."""
        if not isinstance(model, SimilarityEncoder):
            raise TypeError(f"paraphrase_similarity needs an encoder, got {model!r}")
        one, other = (pairs[side] for side in self.sides)
        return paraphrase_similarity(one, other, model)

    def files(self) -> tuple[str, ...]:
        """The encoder's folder or the file of word vectors, if one is given."""
        path = self.vectors if self.encoder is None else self.encoder.path
        return () if path is None else (path,)

    def trained_on(self) -> int | None:
        """Pairs to train the encoder on, unless one is given."""
        return None if self.files() else (self.encoder or EncoderSpec()).train_on
