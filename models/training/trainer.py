"""Training a sentence encoder on pairs: margin loss, negatives from mega-batches."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xxhash

from ...errors import RecipeError
from ...hashing import derive_seed
from ..encoders.encoder import Encoder, embed
from ..encoders.sentence_encoder import SentenceEncoder, table_of
from ..encoders.token_ids import Streams, TokenIds
from ..encoders.vectors import WordVectors, read_vectors
from ..encoders.vocabulary import Units, Vocabulary
from .checkpoint import TrainState, load_checkpoint, save_checkpoint
from .loss import margin_loss
from .negatives import choose_negatives
from .options import TrainOptions, resolve_device
from .pairs import PairStream, TokenCorpus, tokenise_pairs
from .row_adam import RowAdam

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
    """What was trained: pairs used, pairs too long or with an empty side, rows, mean loss an epoch.

    vocabulary: the rows of all streams' vocabularies.
    """

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
    once. Memory: the tables three times (values and Adam's moments), 4 bytes a pair for an epoch's
    order, and one mega-batch. vectors: those that the options name, where the caller has read them.

    Several attempts may share `scratch`, and one that has finished may remove it: the others go on.
    aside: an empty folder of this attempt's own on the file system of `scratch`, where its files are built;
    the caller removes it. By default a temporary folder in `scratch`.
    """
    began = time.monotonic()
    device = resolve_device(options.device)
    if vectors is None and options.vectors is not None:
        vectors = read_vectors(options.vectors)
    given = [] if vectors is None else [Vocabulary(vectors.words, "words", options.text.tokens)]
    key = xxhash.xxh3_64_hexdigest(table_of(vectors).numpy().tobytes()) if vectors is not None else ""

    def read(pairs: int) -> None:
        rate = pairs / (time.monotonic() - began)
        progress(TrainProgress(0, options.epochs, pairs, None, rate, None))

    with ExitStack() as stack:
        if aside is None:
            scratch.mkdir(parents=True, exist_ok=True)
            aside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attempt-", dir=scratch)))
        tokens = scratch / _TOKENS
        corpus = tokenise_pairs(stream, options.text, tokens, aside, options.streams, given, key, read)
        stack.enter_context(deterministic())
        encoder = _start(options, corpus.rows(), vectors).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        checkpoint = scratch / _CHECKPOINT
        identity = f"{options!r} {stream.key} {key} {device}{trainer.optimiser}"
        state = trainer.restore(checkpoint, TrainState(identity))
        resumed = state.epoch
        while state.epoch < options.epochs:
            loss = trainer.epoch(state.epoch, progress)
            state = TrainState(state.identity, state.epoch + 1, trainer.steps, (*state.losses, loss))
            save_checkpoint(checkpoint, trainer.tensors(), state, aside)
    SentenceEncoder(encoder, *corpus.vocabularies.values(), device=device).save(out)
    reading = corpus.reading
    return TrainResult(
        reading.pairs,
        reading.too_long,
        reading.empty,
        sum(corpus.rows().values()),
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
        encoder = _start(options, corpus.rows(), vectors).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        for epoch in range(options.epochs):
            trainer.epoch(epoch, lambda progress: None)
    return SentenceEncoder(encoder, *corpus.vocabularies.values(), device=device)


def clear_scratch(scratch: Path) -> None:
    """Removes what `train_encoder` keeps there, and the folder unless it holds other things."""
    shutil.rmtree(scratch / _TOKENS, ignore_errors=True)
    (scratch / _CHECKPOINT).unlink(missing_ok=True)
    with suppress(OSError):
        scratch.rmdir()


class _Trainer:
    """One run in memory: the encoder, its optimiser, and the steps of an epoch."""

    def __init__(self, encoder: Encoder, corpus: TokenCorpus, options: TrainOptions, device: str) -> None:
        self.encoder, self.corpus, self.options, self.device = encoder, corpus, options, device
        self.parameters = dict(encoder.named_parameters())
        self.steps = 0
        by_rows = encoder.tables if options.embedding_updates == "rows" else {}
        self.rows = {name: RowAdam(self.parameters[name], options.learning_rate) for name in by_rows}
        self.whole = {name: value for name, value in self.parameters.items() if name not in by_rows}
        # In a group, because torch refuses a plain list that is empty. Fused: five times as fast on a CPU.
        group = {"params": list(self.whole.values())}
        self.adam = torch.optim.Adam([group], options.learning_rate, fused=True)
        tables = encoder.tables if options.lambda_words else {}
        self.start = {name: self.parameters[name].detach().clone() for name in tables}

    @property
    def optimiser(self) -> str:
        """What a checkpoint's identity says of the optimisers: nothing where rows alone are moved."""
        return " torch.optim.Adam" if self.whole else ""

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that an epoch changes."""
        tensors: dict[str, torch.Tensor] = {}
        for name, parameter in self.parameters.items():
            tensors[f"parameter/{name}"] = parameter
        for name, rows in self.rows.items():
            tensors |= {f"first/{name}": rows.first, f"second/{name}": rows.second}
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
            for batch in np.split(np.arange(len(pairs)), range(options.batch, len(pairs), options.batch)):
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

    def _scrambled(self, sentences: Streams, generator: np.random.Generator) -> Streams:
        options = self.options
        if not options.scramble:
            return sentences
        words = sentences["words"]  # the options allow no other stream
        pairs = len(words) // 2
        draws = generator.random(pairs if options.scramble_by == "pair" else 2 * pairs) < options.scramble
        ids = words.ids.copy()
        for row in np.flatnonzero(np.resize(draws, 2 * pairs)):
            generator.shuffle(ids[words.starts[row] : words.starts[row + 1]])
        return Streams({"words": TokenIds(ids, words.starts)})

    def _embedded(self, sentences: Streams) -> torch.Tensor:
        self.encoder.eval()  # without dropout, whose noise would choose the negatives
        return embed(self.encoder, sentences, _SELECTION_BATCH)

    def _step(self, sentences: Streams, batch: np.ndarray, negatives: np.ndarray) -> float:
        """One mini-batch: all four sentences of each pair embedded anew, one step of Adam."""
        self.encoder.train()
        pairs = len(negatives) // 2
        quads = sentences.take(
            np.concatenate([batch, batch + pairs, negatives[batch], negatives[batch + pairs]])
        )
        quads, tables, rows = self._rows_of(quads)
        s1, s2, t1, t2 = torch.func.functional_call(self.encoder, tables, (quads,)).chunk(4)
        loss = margin_loss(s1, s2, t1, t2, self.options.margin)
        self._regularised(loss).backward()
        self.steps += 1
        for name, table in tables.items():
            if table.grad is not None:
                self.rows[name].update(rows[name], table.grad, self.steps)
        self.adam.step()
        self.adam.zero_grad()
        return float(loss.detach())

    def _rows_of(
        self, sentences: Streams
    ) -> tuple[Streams, dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """Tables of the rows of a mini-batch alone, so that their gradients are small.

        Also the sentences with ids of these tables, and the rows that each table has.
        """
        if not self.rows:
            return sentences, {}, {}
        renumbered, rows_of_stream = Streams(), {}
        for units, ids in sentences.items():
            unique, local = np.unique(ids.ids, return_inverse=True)
            renumbered[units] = TokenIds(local, ids.starts)
            rows_of_stream[units] = torch.from_numpy(unique.astype(np.int64)).to(self.device)
        rows = {name: rows_of_stream[self.encoder.tables[name]] for name in self.rows}
        tables = {
            name: self.parameters[name].detach().index_select(0, index).requires_grad_()
            for name, index in rows.items()
        }
        return renumbered, tables, rows

    def _regularised(self, loss: torch.Tensor) -> torch.Tensor:
        options = self.options
        for name, start in self.start.items():
            loss = loss + options.lambda_words / 2 * (self.parameters[name] - start).square().sum()
        if options.lambda_encoder:
            tables = self.encoder.tables
            weights = [parameter for name, parameter in self.parameters.items() if name not in tables]
            loss = loss + options.lambda_encoder / 2 * sum(parameter.square().sum() for parameter in weights)
        return loss


def _start(options: TrainOptions, rows: Mapping[Units, int], vectors: WordVectors | None) -> Encoder:
    torch.manual_seed(derive_seed(options.seed, "start"))
    encoder = options.encoder.build(rows, options.text.units)
    if vectors is None:
        return encoder
    table = table_of(vectors)
    for name, units in encoder.tables.items():
        if units != "words":
            continue
        parameter = encoder.get_parameter(name)
        if parameter.shape[1] != vectors.dimension:
            raise RecipeError(
                f"the encoder's dimension is {parameter.shape[1]}, but that of {options.vectors} is "
                f"{vectors.dimension}: set encoder.dimension to {vectors.dimension}"
            )
        with torch.no_grad():
            parameter.copy_(table)
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
