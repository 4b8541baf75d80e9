"""Stand-ins until the modules they stand for are there."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import pyarrow as pa


@dataclass(frozen=True)
class BitextInput:
    """One bitext. corpus: name. format: f. source: a path. reference: b. translation: c.
    source_language: l. domain: d. licence: e.
    """

    corpus: str
    source: str | tuple[str, ...]
    reference: str | tuple[str, ...] | None = None
    translation: str | tuple[str, ...] | None = None
    format: Literal["moses", "tsv", "czeng", "tmx", "parquet"] = "moses"
    source_language: str | None = None
    domain: str | None = None
    licence: str | None = None


@dataclass(frozen=True)
class _Lengthy:
    """A count."""

    model_kind: ClassVar[None] = None
    dtype: ClassVar[pa.DataType] = pa.int32()
    tokens: Literal["words", "whitespace"] = "words"


@dataclass(frozen=True)
class _Lm:
    """train_on: references. path: an ARPA file."""

    train_on: int = 40_000
    path: str | None = None


@dataclass(frozen=True)
class _Perplexity:
    """lm: the language model."""

    model_kind: ClassVar[str] = "language_model"
    dtype: ClassVar[pa.DataType] = pa.float32()
    lm: _Lm = field(default_factory=_Lm)


@dataclass(frozen=True)
class _Enc:
    """type: t. train_on: pairs. path: a folder."""

    type: Literal["avg"] = "avg"
    train_on: int = 1_000_000
    path: str | None = None


@dataclass(frozen=True)
class _Similarity:
    """encoder: e. vectors: v."""

    model_kind: ClassVar[str] = "encoder"
    dtype: ClassVar[pa.DataType] = pa.float32()
    encoder: _Enc | None = None
    vectors: str | None = None


SCORES: dict[str, type] = {
    "translation_cost": _Lengthy,
    "perplexity": _Perplexity,
    "reference_length": _Lengthy,
    "translation_length": _Lengthy,
    "unigram_overlap": _Lengthy,
    "bigram_overlap": _Lengthy,
    "trigram_overlap": _Lengthy,
    "sentence_bleu": _Lengthy,
    "paraphrase_similarity": _Similarity,
}


@dataclass(frozen=True)
class AvgOptions:
    """dimension: d."""

    dimension: int = 300


ENCODERS: dict[str, type] = {"avg": AvgOptions}


@dataclass(frozen=True)
class TrainOptions:
    """epochs: e. mega_batch: m. seed: s."""

    epochs: int = 5
    mega_batch: int = 40
    seed: int | None = None
