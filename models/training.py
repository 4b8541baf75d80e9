"""Training a sentence encoder on pairs: margin loss, negatives from mega-batches."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import xxhash

from ..errors import RecipeError
from ..hashing import derive_seed
from .adam import Adam
from .checkpoint import TrainState, load_checkpoint, save_checkpoint
from .encoders import ENCODERS, EncoderOptions, UnitEncoder
from .loss import margin_loss
from .negatives import NegativeMode, NegativePool, choose_negatives
from .pairs import PairStream, TextOptions, TokenCorpus, tokenise_pairs
from .sentence_encoder import SentenceEncoder, table_of
from .token_ids import TokenIds
from .vectors import WordVectors, read_vectors
from .vocabulary import Vocabulary

_TABLE = "embedding.weight"
_SELECTION_BATCH = 1024  # sentences embedded at once for the choice of negatives


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """How an encoder is trained; the defaults are ParaNMT's (sections 4.2 and 5.1).

    seed: of the start, the order, the negatives and the dropout. encoder, text: what is trained, on
    which units. vectors: a word-vector file to start from, whose words are the vocabulary; without it
    the start is random. epochs, batch: passes over the pairs, pairs a mini-batch. mega_batch: how many
    mini-batches negatives are chosen from together. anneal_every: the mega-batch begins at 1 and grows
    by 1 every so many mini-batches up to `mega_batch` (Wieting et al. 2019: 150); None: it does not.
    margin: δ of the loss; wider, 0.6 to 0.8, is worth trying for averages that start at random.
    negatives, negative_pool: see `choose_negatives`. learning_rate: Adam's. embedding_updates: `rows`
    moves only the vectors a mini-batch holds (see `Adam`), `dense` the whole table in every step, as the
    papers' code. scramble: the share of pairs (or sentences, by `scramble_by`) whose tokens are
    shuffled, drawn anew for each mega-batch; no matter to an average. lambda_words: weight of
    ½‖W − W_start‖² over the table; needs `dense`. lambda_encoder: weight of ½‖W‖² over all other
    parameters. device: `auto` is a GPU where there is one.
    """

    seed: int = 1
    encoder: EncoderOptions = field(default_factory=EncoderOptions)
    text: TextOptions = field(default_factory=TextOptions)
    vectors: str | None = None
    epochs: int = 5
    batch: int = 100
    mega_batch: int = 40
    anneal_every: int | None = None
    margin: float = 0.4
    negatives: NegativeMode = "max"
    negative_pool: NegativePool = "all"
    learning_rate: float = 1e-3
    embedding_updates: Literal["rows", "dense"] = "rows"
    scramble: float = 0.0
    scramble_by: Literal["pair", "sentence"] = "pair"
    lambda_words: float = 0.0
    lambda_encoder: float = 0.0
    device: Literal["auto", "cpu", "cuda"] = "auto"

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
        if self.encoder.type not in ENCODERS:
            raise RecipeError(f"no encoder {self.encoder.type!r}; there are: {', '.join(ENCODERS)}")


@dataclass(frozen=True)
class TrainProgress:
    """How far training is: called for each batch of the stream, then for each mega-batch."""

    epoch: int  # from 1; 0 while pairs are read and tokenised
    epochs: int
    pairs: int  # of this epoch, done
    pairs_in_epoch: int | None  # None while they are read
    pairs_per_second: float
    loss: float | None  # mean since the epoch began


@dataclass(frozen=True)
class TrainResult:
    """What was trained: pairs used, pairs too long or with an empty side, rows, mean loss an epoch."""

    pairs: int
    too_long: int
    empty: int
    vocabulary: int
    losses: tuple[float, ...]
    resumed_from_epoch: int
    seconds: float


def train_encoder(
    stream: PairStream,
    options: TrainOptions,
    out: Path,
    scratch: Path,
    progress: Callable[[TrainProgress], None] = lambda progress: None,
    vectors: WordVectors | None = None,
) -> TrainResult:
    """Trains on the pairs of `stream` and writes an encoder folder to `out`.

    `scratch` holds the tokenised pairs and a checkpoint of every epoch's end: killed at any moment and
    called again with the same arguments, training goes on from there and ends in the same bytes. On a
    CPU the same pairs, options and number of threads always give the same bytes. The stream is read
    once. Memory: the table three times (values and Adam's moments), 4 bytes a pair for an epoch's
    order, and one mega-batch. vectors: those that the options name, where the caller has read them.
    """
    began = time.monotonic()
    device = resolve_device(options.device)
    if vectors is None and options.vectors is not None:
        vectors = read_vectors(options.vectors)
    vocabulary = Vocabulary(vectors.words, "words", options.text.tokens) if vectors is not None else None
    key = xxhash.xxh3_64_hexdigest(table_of(vectors).numpy().tobytes()) if vectors is not None else ""

    def read(pairs: int) -> None:
        rate = pairs / (time.monotonic() - began)
        progress(TrainProgress(0, options.epochs, pairs, None, rate, None))

    corpus = tokenise_pairs(stream, options.text, Path(scratch) / "tokens", vocabulary, key, read)
    with _deterministic():
        encoder = _start(options, corpus.vocabulary, vectors).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        checkpoint = Path(scratch) / "checkpoint.safetensors"
        state = trainer.restore(checkpoint, TrainState(f"{options!r} {stream.key} {key} {device}"))
        resumed = state.epoch
        while state.epoch < options.epochs:
            loss = trainer.epoch(state.epoch, progress)
            state = TrainState(state.identity, state.epoch + 1, trainer.adam.steps, (*state.losses, loss))
            save_checkpoint(checkpoint, trainer.tensors(), state)
    SentenceEncoder(encoder, corpus.vocabulary, device).save(Path(out))
    reading = corpus.reading
    return TrainResult(
        reading.pairs,
        reading.too_long,
        reading.empty,
        len(corpus.vocabulary),
        state.losses,
        resumed,
        time.monotonic() - began,
    )


class _Trainer:
    """One run in memory: the encoder, its optimiser, and the steps of an epoch."""

    def __init__(self, encoder: UnitEncoder, corpus: TokenCorpus, options: TrainOptions, device: str) -> None:
        self.encoder, self.corpus, self.options, self.device = encoder, corpus, options, device
        self.parameters = dict(encoder.named_parameters())
        self.adam = Adam(self.parameters, options.learning_rate)
        self.start = self.parameters[_TABLE].detach().clone() if options.lambda_words else None

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that an epoch changes."""
        tensors: dict[str, torch.Tensor] = {}
        for name, parameter in self.parameters.items():
            tensors[f"parameter/{name}"] = parameter
            tensors[f"first/{name}"] = self.adam.first[name]
            tensors[f"second/{name}"] = self.adam.second[name]
        return tensors

    def restore(self, path: Path, fresh: TrainState) -> TrainState:
        """Takes up a checkpoint of the same run; `fresh` where there is none."""
        found = load_checkpoint(path, fresh.identity)
        if found is None:
            return fresh
        tensors, state = found
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                tensor.copy_(tensors[name])
        self.adam.steps = state.steps
        return state

    def epoch(self, number: int, progress: Callable[[TrainProgress], None]) -> float:
        """One pass over the pairs in a new order; the mean loss of its mini-batches."""
        options = self.options
        generator = np.random.default_rng(derive_seed(options.seed, f"epoch {number}"))
        torch.manual_seed(derive_seed(options.seed, f"dropout {number}"))
        order = np.arange(len(self.corpus), dtype=np.int32 if len(self.corpus) < 2**31 else np.int64)
        generator.shuffle(order)
        began, done, batches, total = time.monotonic(), 0, 0, 0.0
        while done < len(order):
            pairs = order[done : done + options.batch * self._mega_batch()].astype(np.int64)
            sentences = self._scrambled(self.corpus.take(pairs), generator)
            negatives = choose_negatives(
                self._embedded(sentences), options.negatives, options.negative_pool, generator
            )
            for batch in _cut(len(pairs), options.batch):
                total += self._step(sentences, batch, negatives)
                batches += 1
            done += len(pairs)
            rate = done / (time.monotonic() - began)
            progress(TrainProgress(number + 1, options.epochs, done, len(order), rate, total / batches))
        return total / batches

    def _mega_batch(self) -> int:
        if self.options.anneal_every is None:
            return self.options.mega_batch
        return min(self.options.mega_batch, 1 + self.adam.steps // self.options.anneal_every)

    def _scrambled(self, sentences: TokenIds, generator: np.random.Generator) -> TokenIds:
        options = self.options
        if not options.scramble:
            return sentences
        pairs = len(sentences) // 2
        draws = generator.random(pairs if options.scramble_by == "pair" else 2 * pairs) < options.scramble
        ids = sentences.ids.copy()
        for row in np.flatnonzero(np.resize(draws, 2 * pairs)):
            generator.shuffle(ids[sentences.starts[row] : sentences.starts[row + 1]])
        return TokenIds(ids, sentences.starts)

    def _embedded(self, sentences: TokenIds) -> torch.Tensor:
        # Without dropout, whose noise would choose the negatives.
        self.encoder.eval()
        with torch.no_grad():
            blocks = [
                self.encoder(*sentences.take(rows).padded(self.device))
                for rows in _cut(len(sentences), _SELECTION_BATCH)
            ]
        return torch.cat(blocks)

    def _step(self, sentences: TokenIds, batch: np.ndarray, negatives: np.ndarray) -> float:
        """One mini-batch: all four sentences of each pair embedded anew, one step of Adam."""
        self.encoder.train()
        pairs = len(sentences) // 2
        quads = sentences.take(
            np.concatenate([batch, batch + pairs, negatives[batch], negatives[batch + pairs]])
        )
        rows = None
        overrides: dict[str, torch.Tensor] = {}
        if self.options.embedding_updates == "rows":
            # The mini-batch sees a table of its own rows alone, so that its gradient is small.
            unique, local = np.unique(quads.ids, return_inverse=True)
            quads = TokenIds(local, quads.starts)
            rows = torch.from_numpy(unique.astype(np.int64)).to(self.device)
            overrides[_TABLE] = self.parameters[_TABLE].detach().index_select(0, rows).requires_grad_()
        vectors = torch.func.functional_call(self.encoder, overrides, quads.padded(self.device))
        s1, s2, t1, t2 = vectors.chunk(4)
        loss = margin_loss(s1, s2, t1, t2, self.options.margin)
        moved = {**self.parameters, **overrides}
        gradients = torch.autograd.grad(self._regularised(loss), list(moved.values()), allow_unused=True)
        self.adam.begin_step()
        with torch.no_grad():
            for name, gradient in zip(moved, gradients, strict=True):
                if gradient is not None and name in overrides and rows is not None:
                    self.adam.update_rows(name, rows, gradient)
                elif gradient is not None:
                    self.adam.update(name, gradient)
        return float(loss.detach())

    def _regularised(self, loss: torch.Tensor) -> torch.Tensor:
        options = self.options
        if self.start is not None:
            loss = loss + options.lambda_words / 2 * (self.parameters[_TABLE] - self.start).square().sum()
        if options.lambda_encoder:
            others = [parameter for name, parameter in self.parameters.items() if name != _TABLE]
            loss = loss + options.lambda_encoder / 2 * sum(parameter.square().sum() for parameter in others)
        return loss


def _cut(n: int, size: int) -> list[np.ndarray]:
    """0 … n − 1 in runs of `size`, the last as long as it is."""
    return np.split(np.arange(n), range(size, n, size))


def _start(options: TrainOptions, vocabulary: Vocabulary, vectors: WordVectors | None) -> UnitEncoder:
    encoder_options = options.encoder
    if vectors is not None and vectors.dimension != encoder_options.dimension:
        raise RecipeError(
            f"the encoder's dimension is {encoder_options.dimension} and that of {options.vectors} "
            f"{vectors.dimension}: set encoder.dimension to {vectors.dimension}"
        )
    torch.manual_seed(derive_seed(options.seed, "start"))
    encoder = ENCODERS[encoder_options.type](len(vocabulary), encoder_options)
    if vectors is not None:
        with torch.no_grad():
            encoder.embedding.weight.copy_(table_of(vectors))
    return encoder


def resolve_device(wanted: str, gpu: bool | None = None) -> str:
    """cpu or cuda; RecipeError for cuda without a GPU.

    gpu: whether there is one where the work is done; by default whether this machine has one.
    """
    there = torch.cuda.is_available() if gpu is None else gpu
    if wanted == "cuda" and not there:
        raise RecipeError("device is cuda and there is no GPU that torch can use; set it to cpu or auto")
    return "cuda" if wanted != "cpu" and there else "cpu"


@contextmanager
def _deterministic() -> Iterator[None]:
    """Deterministic algorithms and random numbers of our own, without a trace afterwards."""
    enabled = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    memory: Any = torch.utils.deterministic  # its one setting is a property that type checkers do not see
    filled = memory.fill_uninitialized_memory
    # On GPUs some gradients have no deterministic algorithm: there the same bytes are not promised.
    torch.use_deterministic_algorithms(True, warn_only=torch.cuda.is_available())
    memory.fill_uninitialized_memory = False  # nothing here reads what it did not write
    try:
        with torch.random.fork_rng():
            yield
    finally:
        torch.use_deterministic_algorithms(enabled, warn_only=warn_only)
        memory.fill_uninitialized_memory = filled
