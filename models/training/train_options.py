"""The options of training an encoder."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from ...base.bounds import Count, Finite, NoneOrMore, NotNegative, Numbers, Positive, Seed, Share, Swaps
from ...base.errors import RecipeError
from ...base.gpu import has_gpu
from ...base.paths import FilePath, PathMark
from ...tokens.definition import EncoderTokens
from ..encoders.encoder_kinds import AnyEncoder, AveragingOptions
from ..encoders.vocabulary import Tags, Units
from ..sts.set_lists import DevSets

LongPairs = Literal["drop", "cut"]
NegativeMode = Literal["max", "rand", "mix"]
NegativePool = Literal["all", "other_side"]
NegativesExclude = Literal["own_pair", "equal_texts"]
Objective = Literal["margin", "infonce"]
WordWeights = Literal["none", "sif", "idf"]
Precision = Literal["auto", "float32", "bfloat16", "float16"]

ARITHMETIC = 5
"""Raised when the same options train other weights, even by a last bit; it is in the keys of encoders."""


@dataclass(frozen=True, kw_only=True)
class TextOptions(Numbers):
    """How sentences become ids of units."""

    units: Units = "words"
    """`words`, the character `trigrams` of ParaNMT's TRIGRAM, or the `subwords` of a sentencepiece model. A
    `mixed` encoder has its own."""
    tokens: EncoderTokens = "words"
    """`words` (words and punctuation of raw text), `whitespace` (text that is tokenised already), or `moses`
    (those of Moses's English tokenizer, without escapes; needs the extra `moses`). All are lower-cased;
    `cased_words`, `cased_whitespace` and `cased_moses` keep their case."""
    vocabulary_size: Count = 200_000
    """How many of the most frequent units have a vector of their own."""
    minimum_count: Count = 1
    """Units that occur less often have no vector of their own."""
    max_tokens: Count = 50
    """How long a side of a pair may be, in tokens (also where the units are trigrams)."""
    tags: Tags = "none"
    """Whether the `start` or the `end` of a sentence, or `both`, are units with a vector of their own, before
    and behind its words (Revisiting recurrent networks, footnote 4)."""
    long_pairs: LongPairs = "drop"
    """What happens to pairs with a longer side: `drop` drops them, `cut` cuts both sides."""
    sentencepiece: FilePath | None = None
    """The sentencepiece model that cuts words into subwords; by default one is trained on the pairs. It gets
    the tokens with spaces between; for one of raw text set `tokens` to whitespace or cased_whitespace."""
    subword_size: Count = 50_000
    """How many pieces a sentencepiece model that is trained on the pairs has, at most (for subwords,
    `vocabulary_size` and `minimum_count` have no effect)."""


@dataclass(frozen=True, kw_only=True)
class EncoderTraining(Numbers):
    """What all trainings of encoders have: the start, the text, and the steps."""

    objective: str
    """What an encoder is trained for."""

    seed: Seed = 1
    """The seed of the initial weights, the order, the negatives and the dropout."""
    encoder: AnyEncoder = field(default_factory=AveragingOptions)
    """The encoder to train."""
    text: TextOptions = field(default_factory=TextOptions)
    """The units to train it on."""
    vectors: FilePath | None = None
    """A file of word vectors to start from; by default all vectors start at random. Its words are the
    vocabulary, with the tags of `text`, which start at random if the file does not have them."""
    start: Annotated[str | tuple[str, ...] | None, PathMark(may_be_entry=True)] = None
    """The folder of an encoder to start from, or another entry of `train` that trains it. It brings its
    vocabulary; `encoder` must have the same options, and `text` the same tokens and tags. So one corpus
    can be trained on after another (CSE, section 5.1). A list has an encoder for each part of a `mixed` one;
    with `epochs: 0` these parts stay as they were trained apart."""
    epochs: Count = 5
    """Passes over the pairs or examples, at most."""
    batch: Count = 100
    """Pairs or examples in a mini-batch."""
    learning_rate: NotNegative = 1e-3
    """The optimiser's learning rate, at the beginning."""
    clip_norm: Positive | None = None
    """Gradients are scaled down to this norm over all parameters; by default they are not."""
    scramble: Share = 0.0
    """The share of pairs (or of sentences, see `scramble_by`) whose tokens are shuffled. They are drawn again
    each time. It makes no difference to an average. In a `mixed` encoder only words are shuffled;
    trigrams and subwords keep their order."""
    lambda_words: NotNegative = 0.0
    """Weight of ‖W − W_start‖² over the embedding tables. Training on pairs needs `dense` for it."""
    lambda_encoder: NotNegative = 0.0
    """Weight of ‖W‖² over all other parameters of the encoder; of ‖W − W_start‖² if training starts from an
    encoder, the `universal` setting of Revisiting recurrent networks, section 4.3."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """`auto` is a GPU if there is one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "encoder", self.encoder.under(self.objective))
        if self.scramble and "words" not in self.streams:
            raise RecipeError(
                f"scramble does not work with {self.streams[0]}: set scramble to 0, or units to words"
            )
        if self.text.sentencepiece is not None and "subwords" not in self.streams:
            raise RecipeError("sentencepiece only works with subwords: set units to subwords")
        if self.vectors is not None and self.start is not None:
            raise RecipeError(
                "training starts from vectors or from an encoder (start): leave one of them out"
            )
        if isinstance(self.start, tuple) and len(parts := getattr(self.encoder, "parts", ())) != len(
            self.start
        ):
            raise RecipeError(
                f"start names {len(self.start)} encoders, one for each part of a mixed encoder, but encoder "
                f"has {len(parts)} parts: name as many"
            )
        if self.vectors is not None and "words" not in self.streams:
            raise RecipeError("word vectors only work with words: set units to words, or leave vectors out")

    @property
    def streams(self) -> tuple[Units, ...]:
        """The kinds of units that the encoder reads."""
        return self.encoder.streams(self.text.units)

    @property
    def starts(self) -> tuple[str, ...]:
        """The encoders to start from: one, or one for each part of a mixture; empty for a new encoder."""
        return (self.start,) if isinstance(self.start, str) else self.start or ()


@dataclass(frozen=True, kw_only=True)
class TrainOptions(EncoderTraining):
    """How an encoder is trained on pairs; the defaults are ParaNMT's (sections 4.2 and 5.1)."""

    epochs: NoneOrMore = 5
    """Passes over the pairs, at most. With 0 the encoder is what it starts from."""
    mega_batch: Count = 40
    """How many mini-batches form a mega-batch, from which negatives are chosen."""
    anneal_every: Count | None = None
    """After this many mini-batches the mega-batch, which begins at 1, grows by 1, until it is `mega_batch`
    (Wieting et al. 2019: 150). By default it does not grow, and has its full size from the start."""
    objective: Objective = "margin"
    """`margin`, the papers' loss with one negative for each sentence, or `infonce`, in which all other pairs
    of the mini-batch are negatives."""
    margin: Finite = 0.4
    """δ of the loss. For averages that start at random, wider margins (0.6 to 0.8) are worth trying."""
    negatives: NegativeMode = "max"
    """`max` takes the nearest sentence by cosine, `rand` a random sentence of another pair, and `mix` either
    of the two at random."""
    negative_pool: NegativePool = "all"
    """Where negatives come from: `all` sentences of the mega-batch, or only those of the `other_side`."""
    negatives_exclude: NegativesExclude = "equal_texts"
    """Which sentences are never a negative: with `equal_texts` all that are equal to the sentence or to its
    partner, with `own_pair` (the papers' rule) only these two. Where most texts recur within a mega-batch,
    `own_pair` takes copies for negatives and only pulls sentences together. `infonce` leaves out all pairs
    that share a text."""
    negatives_below_partner: NotNegative | None = None
    """By how much a nearest negative's cosine must be lower than the partner's, so that other paraphrases are
    no negatives (ParaNMT, footnote 4, which found it worse, even with 0). Slower; by default, not asked."""
    temperature: Positive = 0.05
    """What `infonce` divides cosines by."""
    mask_above: Finite | None = None
    """For `infonce`, other sentences with a higher cosine are no negatives, because they may be paraphrases.
    By default only those that `negatives_exclude` names."""
    encode_at_once: Count | None = None
    """How many sentences are encoded at once: the gradients are the same, the memory is less, and the time is
    longer. By default all of a mini-batch."""
    schedule: Literal["constant", "linear"] = "constant"
    """Whether the learning rate stays the same, or falls in a straight line towards 0."""
    warmup_steps: NoneOrMore = 0
    """Mini-batches in which the learning rate rises from 0."""
    word_weights: WordWeights = "none"
    """What the vectors of an average are multiplied by before the first epoch: `sif`, weights of rare words
    without the common component (Arora et al. 2017), or `idf`. With `vectors`, `learning_rate: 0.0`
    and `epochs: 1`, these are baselines that are not trained."""
    embedding_updates: Literal["rows", "dense"] = "rows"
    """`rows` changes only the vectors of units in the mini-batch. `dense` changes the whole table in every
    step, as the papers' code does."""
    scramble_by: Literal["pair", "sentence"] = "pair"
    """Whether whole pairs or single sentences are drawn for shuffling."""
    scramble_swaps: Swaps | None = None
    """Scrambling exchanges two random tokens n times instead of shuffling all tokens; n comes from a Poisson
    distribution of this mean (Revisiting recurrent networks, footnote 5)."""
    scramble_after_negatives: bool = False
    """Whether negatives are chosen before sentences are scrambled (footnote 5 there), instead of after."""
    precision: Precision = "auto"
    """The format of matrix products: `bfloat16` and `float16` are for GPUs. Weights, losses and optimisers
    are always float32, which `auto` takes for everything."""
    dev: FilePath | tuple[FilePath, ...] | None = None
    """A folder, or several, with development sets. The encoder is evaluated on them after each quarter of an
    epoch (mean of Pearson's r), and the best is kept instead of the last; by default there are none."""
    dev_sets: DevSets = "standard"
    """Which sets these are: `standard`, the train part of STS 2012 and SICK's trial part, which are no test
    sets; or the papers' own, `sts2016` (Revisiting recurrent networks, CSE) or `sts2017` (ParaNMT), which are
    no tests of this encoder any more. Other files in the folders are never opened."""
    patience: Count | None = None
    """After how many evaluations without a better one training stops; by default it does not stop early."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patience is not None and not self.dev:
            raise RecipeError("patience counts evaluations on development sets: set dev to their folder")
        if self.word_weights != "none" and (self.encoder.type != "avg" or self.start is not None):
            raise RecipeError(
                f"word_weights: {self.word_weights} weighs the rows of a new average: set type to avg, "
                "and leave start out"
            )
        if self.scramble_swaps is not None and not self.scramble:
            raise RecipeError("scramble_swaps only works with scramble: set scramble to the share of pairs")
        if self.lambda_words and self.embedding_updates == "rows":
            raise RecipeError("lambda_words changes every row of the table: set embedding_updates to dense")

    @property
    def resolved_precision(self) -> Literal["float32", "bfloat16", "float16"]:
        """The format that `precision` stands for."""
        return "float32" if self.precision == "auto" else self.precision

    @property
    def dev_folders(self) -> tuple[str, ...]:
        """The folders of `dev`."""
        return (self.dev,) if isinstance(self.dev, str) else self.dev or ()

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step, from 1, of a training that has so many."""
        if step <= self.warmup_steps:
            return self.learning_rate * (step / (self.warmup_steps + 1))
        if self.schedule == "constant":
            return self.learning_rate
        return self.learning_rate * ((steps + 1 - step) / (steps - self.warmup_steps))


def resolve_device(wanted: str, gpu: bool | None = None) -> Literal["cpu", "cuda"]:
    """cpu or cuda; RecipeError for cuda without a GPU.

    gpu: whether the machine that does the work has a GPU; by default whether this machine has one.
    """
    if gpu is None:
        gpu = has_gpu()
    if wanted == "cuda" and not gpu:
        raise RecipeError("device is cuda, but torch finds no GPU; set it to cpu or auto")
    return "cuda" if wanted != "cpu" and gpu else "cpu"
