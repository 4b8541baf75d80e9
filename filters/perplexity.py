"""Perplexity: how much a sentence surprises a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from ..base.bounds import Bounds, Numbers, Pairs
from ..base.paths import FilePath
from ..tokens.definition import Tokens
from .score import GroupBy, HeldOutShare, HoldOut, Score, Side, check_model_spec
from .text_columns import Texts, blocks, with_nulls

_LARGEST = float(np.finfo(np.float32).max)


@runtime_checkable
class LanguageModel(Protocol):
    """What perplexity needs of a language model."""

    def log10_prob(self, sentences: Sequence[bytes]) -> np.ndarray:
        """log10 of each sentence's probability, including its end; float64, (n,).

        sentences: tokens joined by single spaces, as UTF-8.
        """
        ...


def perplexity(texts: Texts, model: LanguageModel, tokens: Tokens = "words") -> pa.FloatArray:
    """10 ** (-log10 P / (tokens + 1)) of each sentence, as KenLM computes it; float32, at least 1.

    The end of the sentence is scored and counted. A word that the model does not know is scored as `<unk>`.
    The empty sentence has the perplexity of its end, null gives null. Values too large for float32 become
    its largest number, so that a column has no infinities.
    """
    from ..tokens.columns import count_spaced, spaced_tokens  # imports numba, which planning does not need

    exponents = np.empty(len(texts))
    for rows in blocks(len(texts)):
        sentences = spaced_tokens(texts[rows], tokens)
        log10_probs = model.log10_prob(sentences.cast(pa.large_binary()).to_pylist())
        exponents[rows] = -log10_probs / (count_spaced(sentences) + 1)
    values = np.minimum(10.0 ** np.minimum(exponents, 300.0), _LARGEST)
    return with_nulls(values, pa.float32(), texts)


@dataclass(frozen=True)
class LanguageModelSpec(Numbers):
    """Where the language model comes from: either a file of yours, or training on the corpus."""

    path: FilePath | None = None
    """A KenLM model, ARPA (plain or gz) or binary."""
    train_on: Pairs | None = None
    """How many held-out references to train on at most; their pairs get no perplexity."""
    order: Annotated[int, Bounds(2, 6, is_whole=True)] = 3
    """The n of the n-gram model to train, 2 to 6."""
    share: HeldOutShare = 0.1
    """The largest share of the pairs to hold out; the paper holds out a third."""
    group_by: GroupBy | None = None
    """`corpus`, `domain` or `source_language`: one model for the corpora with the same one, each trained on
    `train_on` references of theirs. By default one model for all corpora."""

    def __post_init__(self) -> None:
        if (self.path is None) == (self.train_on is None):
            raise ValueError("expected either path (a KenLM model) or train_on (a number of references)")
        check_model_spec(self, "language model")
        super().__post_init__()


@dataclass(frozen=True)
class Perplexity(Score):
    """Perplexity of the translation under an n-gram language model. A low value means fluent, ordinary
    English. Null for the pairs whose references the model was trained on. An empty translation has the
    perplexity of the end of a sentence. Wieting et al. 2017, section 5.6.
    """

    score: Literal["perplexity"] = "perplexity"
    lm: LanguageModelSpec = LanguageModelSpec(train_on=40_000)
    """The language model; by default a trigram model of 40,000 held-out references of the corpus."""
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already), both in
    training and in scoring."""
    side: Side = "translation"
    """The side that is scored, `translation` or `reference`."""

    version = 1
    dtype = pa.float32()
    unit = "equally likely choices per token"
    higher_is_better = False
    model_kind: ClassVar[str | None] = "language_model"

    @property
    def reads(self) -> tuple[str, ...]:
        """The side that is scored."""
        return (self.side,)

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `perplexity`; `model` is a `LanguageModel`."""
        if not isinstance(model, LanguageModel):
            raise TypeError(f"perplexity needs a language model, got {model!r}")
        return perplexity(pairs[self.side], model, self.tokens)

    def files(self) -> tuple[str, ...]:
        """The language model's file, if one is given."""
        return () if self.lm.path is None else (self.lm.path,)

    def trained_on(self) -> int | None:
        """References to train the language model on, unless a file is given."""
        return self.lm.train_on

    def holds_out(self) -> HoldOut | None:
        """The references that the language model is trained on."""
        train_on = self.lm.train_on
        return None if train_on is None else HoldOut(train_on, self.lm.share, self.lm.group_by)
