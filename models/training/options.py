"""How an encoder is trained, apart from the training itself."""

from dataclasses import dataclass, field
from typing import Literal

from ...errors import RecipeError
from ...paths import FilePath
from ...tokens import Tokens
from ..encoders.options import EncoderOptions
from ..encoders.vocabulary import Units
from ..gpu import has_gpu

LongPairs = Literal["drop", "cut"]
NegativeMode = Literal["max", "rand", "mix"]
NegativePool = Literal["all", "other_side"]


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How sentences become ids."""

    units: Units = "words"
    """`words`, or the character `trigrams` of ParaNMT's TRIGRAM."""
    tokens: Tokens = "words"
    """`words` (words and signs of raw text), or `whitespace` (text that is tokenised already)."""
    vocabulary_size: int = 200_000
    """How many of the commonest units have a vector of their own."""
    minimum_count: int = 1
    """Units that occur more rarely have no vector of their own."""
    max_tokens: int = 50
    """The longest that a side of a pair may be, in tokens, not trigrams."""
    long_pairs: LongPairs = "drop"
    """`drop` pairs with a longer side, or `cut` both sides."""


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """How an encoder is trained; the defaults are ParaNMT's (sections 4.2 and 5.1)."""

    seed: int = 1
    """Seed of the start, the order, the negatives and the dropout."""
    encoder: EncoderOptions = field(default_factory=EncoderOptions)
    """The encoder that is trained."""
    text: TextOptions = field(default_factory=TextOptions)
    """The units that it is trained on."""
    vectors: FilePath | None = None
    """A word-vector file to start from, whose words are the vocabulary; without it the start is random."""
    epochs: int = 5
    """Passes over the pairs."""
    batch: int = 100
    """Pairs of a mini-batch."""
    mega_batch: int = 40
    """How many mini-batches negatives are chosen from together."""
    anneal_every: int | None = None
    """The mega-batch begins at 1 and grows by 1 every so many mini-batches up to `mega_batch` (Wieting et al.
    2019: 150); by default it does not."""
    margin: float = 0.4
    """δ of the loss; wider, 0.6 to 0.8, is worth trying for averages that start at random."""
    negatives: NegativeMode = "max"
    """`max` takes the nearest sentence by cosine, `rand` any of another pair, `mix` tosses a coin."""
    negative_pool: NegativePool = "all"
    """Where negatives come from: `all` sentences of the mega-batch, or those of the `other_side` alone."""
    learning_rate: float = 1e-3
    """Adam's learning rate."""
    embedding_updates: Literal["rows", "dense"] = "rows"
    """`rows` moves only the vectors that a mini-batch holds (see `RowAdam`), `dense` the whole table in every
    step, as the papers' code."""
    scramble: float = 0.0
    """The share of pairs (or sentences, by `scramble_by`) whose tokens are shuffled, drawn anew for each
    mega-batch; no matter to an average."""
    scramble_by: Literal["pair", "sentence"] = "pair"
    """Whether a whole pair or a single sentence is drawn to be shuffled."""
    lambda_words: float = 0.0
    """Weight of ½‖W − W_start‖² over the table; needs `dense`."""
    lambda_encoder: float = 0.0
    """Weight of ½‖W‖² over all other parameters."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """`auto` is a GPU where there is one."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "mega_batch"):
            if getattr(self, name) < 1:
                raise RecipeError(f"{name} is at least 1, not {getattr(self, name)}")
        if self.anneal_every is not None and self.anneal_every < 1:
            raise RecipeError(f"anneal_every is a number of mini-batches from 1, not {self.anneal_every}")
        if not 0 <= self.scramble <= 1:
            raise RecipeError(f"scramble is a share from 0 to 1, not {self.scramble}")
        if self.lambda_words and self.embedding_updates == "rows":
            raise RecipeError("lambda_words draws on every row of the table: set embedding_updates to dense")
        if self.scramble and self.text.units == "trigrams":
            raise RecipeError("scrambled trigrams mean nothing: set scramble to 0, or units to words")
        if self.vectors is not None and self.text.units != "words":
            raise RecipeError("word vectors start a model of words: set units to words, or leave vectors out")


def resolve_device(wanted: str, gpu: bool | None = None) -> str:
    """cpu or cuda; RecipeError for cuda without a GPU.

    gpu: whether there is one where the work is done; by default whether this machine has one.
    """
    if gpu is None:
        gpu = has_gpu()
    if wanted == "cuda" and not gpu:
        raise RecipeError("device is cuda and there is no GPU that torch can use; set it to cpu or auto")
    return "cuda" if wanted != "cpu" and gpu else "cpu"
