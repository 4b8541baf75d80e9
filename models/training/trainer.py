"""Training a sentence encoder on pairs: margin loss, negatives from mega-batches."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xxhash

from ...errors import RecipeError
from ...hashing import derive_seed
from ..encoders.embedding import UnitEncoder
from ..encoders.kinds import ENCODERS
from ..encoders.sentence_encoder import SentenceEncoder, table_of
from ..encoders.token_ids import TokenIds
from ..encoders.vectors import WordVectors, read_vectors
from ..encoders.vocabulary import Vocabulary
from .checkpoint import TrainState, load_checkpoint, save_checkpoint
from .loss import margin_loss
from .negatives import choose_negatives
from .options import TrainOptions, resolve_device
from .pairs import PairStream, TokenCorpus, tokenise_pairs
from .row_adam import RowAdam

_TABLE = "embedding.weight"
_TOKENS, _CHECKPOINT = "tokens", "checkpoint.safetensors"  # what a scratch folder holds
_SELECTION_BATCH = 1024  # sentences embedded at once for the choice of negatives


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
    aside: Path | None = None,
    vectors: WordVectors | None = None,
) -> TrainResult:
    """Trains on the pairs of `stream` and writes an encoder folder to `out`.

    `scratch` holds the tokenised pairs and a checkpoint of every epoch's end: killed at any moment and
    called again with the same arguments, training goes on from there and ends in the same bytes. On a
    CPU the same pairs, options and number of threads always give the same bytes. The stream is read
    once. Memory: the table three times (values and Adam's moments), 4 bytes a pair for an epoch's
    order, and one mega-batch. vectors: those that the options name, where the caller has read them.

    Several attempts may share `scratch`, and one that has finished may remove it: the others go on.
    aside: an empty folder of this attempt's own on the file system of `scratch`, where its files are built;
    the caller removes it. By default a temporary folder in `scratch`.
    """
    began = time.monotonic()
    if options.encoder.type not in ENCODERS:
        raise RecipeError(f"no encoder {options.encoder.type!r}; there are: {', '.join(ENCODERS)}")
    device = resolve_device(options.device)
    if vectors is None and options.vectors is not None:
        vectors = read_vectors(options.vectors)
    vocabulary = Vocabulary(vectors.words, "words", options.text.tokens) if vectors is not None else None
    key = xxhash.xxh3_64_hexdigest(table_of(vectors).numpy().tobytes()) if vectors is not None else ""

    def read(pairs: int) -> None:
        rate = pairs / (time.monotonic() - began)
        progress(TrainProgress(0, options.epochs, pairs, None, rate, None))

    with ExitStack() as stack:
        if aside is None:
            scratch.mkdir(parents=True, exist_ok=True)
            aside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attempt-", dir=scratch)))
        corpus = tokenise_pairs(stream, options.text, scratch / _TOKENS, aside, vocabulary, key, read)
        stack.enter_context(deterministic())
        encoder = _start(options, corpus.vocabulary, vectors).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        checkpoint = scratch / _CHECKPOINT
        identity = f"{options!r} {stream.key} {key} {device}{trainer.optimiser}"
        state = trainer.restore(checkpoint, TrainState(identity))
        resumed = state.epoch
        while state.epoch < options.epochs:
            loss = trainer.epoch(state.epoch, progress)
            state = TrainState(state.identity, state.epoch + 1, trainer.steps, (*state.losses, loss))
            save_checkpoint(checkpoint, trainer.tensors(), state, aside)
    SentenceEncoder(encoder, corpus.vocabulary, device).save(out)
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


def train_on(
    corpus: TokenCorpus, options: TrainOptions, vectors: WordVectors | None = None
) -> SentenceEncoder:
    """The encoder that `train_encoder` makes from the same pairs with one thread, trained in memory.

    There are no checkpoints. One thread, because many such trainings share a machine.
    """
    device = resolve_device(options.device)
    with deterministic(), _single_thread():
        encoder = _start(options, corpus.vocabulary, vectors).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        for epoch in range(options.epochs):
            trainer.epoch(epoch, lambda progress: None)
    return SentenceEncoder(encoder, corpus.vocabulary, device)


def clear_scratch(scratch: Path) -> None:
    """Removes what `train_encoder` keeps there, and the folder unless it holds other things."""
    shutil.rmtree(scratch / _TOKENS, ignore_errors=True)
    (scratch / _CHECKPOINT).unlink(missing_ok=True)
    with suppress(OSError):
        scratch.rmdir()


class _Trainer:
    """One run in memory: the encoder, its optimiser, and the steps of an epoch."""

    def __init__(self, encoder: UnitEncoder, corpus: TokenCorpus, options: TrainOptions, device: str) -> None:
        self.encoder, self.corpus, self.options, self.device = encoder, corpus, options, device
        self.parameters = dict(encoder.named_parameters())
        self.steps = 0
        by_rows = options.embedding_updates == "rows"
        self.rows = RowAdam(self.parameters[_TABLE], options.learning_rate) if by_rows else None
        self.whole = {name: value for name, value in self.parameters.items() if not by_rows or name != _TABLE}
        # In a group, because torch refuses a plain list that is empty. Fused: five times as fast on a CPU.
        group = {"params": list(self.whole.values())}
        self.adam = torch.optim.Adam([group], options.learning_rate, fused=True)
        self.start = self.parameters[_TABLE].detach().clone() if options.lambda_words else None

    @property
    def optimiser(self) -> str:
        """What a checkpoint's identity says of the optimisers: nothing where rows alone are moved."""
        return " torch.optim.Adam" if self.whole else ""

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that an epoch changes."""
        tensors: dict[str, torch.Tensor] = {}
        for name, parameter in self.parameters.items():
            tensors[f"parameter/{name}"] = parameter
        if self.rows is not None:
            tensors |= {f"first/{_TABLE}": self.rows.first, f"second/{_TABLE}": self.rows.second}
        for name, parameter in self.whole.items():
            for key, tensor in self.adam.state[parameter].items():
                tensors[f"adam/{name}/{key}"] = tensor
        return tensors

    def restore(self, path: Path, fresh: TrainState) -> TrainState:
        """Takes up a checkpoint of the same run; `fresh` where there is none."""
        checkpoint = load_checkpoint(path, fresh.identity)
        if checkpoint is None:
            return fresh
        tensors, state = checkpoint
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                tensor.copy_(tensors[name])
        # torch's Adam has no tensors before its first step, and none of a parameter that no gradient reached.
        for name, parameter in self.whole.items():
            prefix = f"adam/{name}/"
            self.adam.state[parameter] = {
                key.removeprefix(prefix): tensor.to(self.device, copy=True)
                for key, tensor in tensors.items()
                if key.startswith(prefix)
            }
        self.steps = state.steps
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
        return min(self.options.mega_batch, 1 + self.steps // self.options.anneal_every)

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
        rows, table = None, None
        if self.rows is not None:
            # The mini-batch sees a table of its own rows alone, so that its gradient is small.
            unique, local = np.unique(quads.ids, return_inverse=True)
            quads = TokenIds(local, quads.starts)
            rows = torch.from_numpy(unique.astype(np.int64)).to(self.device)
            table = self.parameters[_TABLE].detach().index_select(0, rows).requires_grad_()
        overrides = {} if table is None else {_TABLE: table}
        vectors = torch.func.functional_call(self.encoder, overrides, quads.padded(self.device))
        s1, s2, t1, t2 = vectors.chunk(4)
        loss = margin_loss(s1, s2, t1, t2, self.options.margin)
        self._regularised(loss).backward()
        self.steps += 1
        if self.rows is not None and rows is not None and table is not None and table.grad is not None:
            self.rows.update(rows, table.grad, self.steps)
        self.adam.step()
        self.adam.zero_grad()
        return float(loss.detach())

    def _regularised(self, loss: torch.Tensor) -> torch.Tensor:
        options = self.options
        if self.start is not None:
            loss = loss + options.lambda_words / 2 * (self.parameters[_TABLE] - self.start).square().sum()
        if options.lambda_encoder:
            weights = [parameter for name, parameter in self.parameters.items() if name != _TABLE]
            loss = loss + options.lambda_encoder / 2 * sum(parameter.square().sum() for parameter in weights)
        return loss


def _cut(n: int, size: int) -> list[np.ndarray]:
    """0 … n − 1 in runs of `size`, the last as long as it is."""
    return np.split(np.arange(n), range(size, n, size))


def _start(options: TrainOptions, vocabulary: Vocabulary, vectors: WordVectors | None) -> UnitEncoder:
    encoder_options = options.encoder
    if vectors is not None and vectors.dimension != encoder_options.dimension:
        raise RecipeError(
            f"the encoder's dimension is {encoder_options.dimension}, but that of {options.vectors} is "
            f"{vectors.dimension}: set encoder.dimension to {vectors.dimension}"
        )
    torch.manual_seed(derive_seed(options.seed, "start"))
    encoder = ENCODERS[encoder_options.type](len(vocabulary), encoder_options)
    if vectors is not None:
        with torch.no_grad():
            encoder.embedding.weight.copy_(table_of(vectors))
    return encoder


@contextmanager
def _single_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def deterministic() -> Iterator[None]:
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
