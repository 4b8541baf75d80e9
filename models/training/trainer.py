"""Training a sentence encoder on pairs: margin loss, negatives from mega-batches."""

import json
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...errors import ModelError
from ...hashing import derive_seed
from ..encoders.encoder import Encoder, embed
from ..encoders.sentence_encoder import SentenceEncoder
from ..encoders.token_ids import Streams, TokenIds
from ..encoders.vectors import WordVectors
from .checkpoint import TrainState, load_checkpoint, save_checkpoint
from .gradient_cache import backward_in_chunks
from .loss import info_nce, margin_loss, same_sentences
from .negatives import choose_negatives
from .options import ARITHMETIC, TrainOptions, resolve_device
from .pairs import PairStream, TokenCorpus, tokenise_pairs
from .start import Start
from .updates import Updates

_TOKENS, _CHECKPOINT = "tokens", "checkpoint.safetensors"  # what a scratch folder holds
_NOT_FINITE = "not-finite.json"
_SAVE_SECONDS = 600.0
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
    start: SentenceEncoder | None = None,
) -> TrainResult:
    """Trains on the pairs of `stream` and writes an encoder folder to `out`.

    `scratch` holds the tokenised pairs and a checkpoint, which is written every ten minutes and at the end of
    an epoch: killed at any moment and called again with the same arguments, training goes on from there and
    ends in the same bytes. On a CPU the same pairs, options and number of threads always give the same bytes.
    The stream is read once. Memory: the tables three times (values and Adam's moments), 4 bytes a pair for an
    epoch's order, and one mega-batch. vectors, start: what the options name, where the caller has read it.
    ModelError if a loss is not finite; the pairs of the mini-batch are then in a file of `scratch`.

    Several attempts may share `scratch`, and one that has finished may remove it: the others go on.
    aside: an empty folder of this attempt's own on the file system of `scratch`, where its files are built;
    the caller removes it. By default a temporary folder in `scratch`.
    """
    began = time.monotonic()
    device = resolve_device(options.device)
    beginning = Start(options, vectors, start)
    given, key = beginning.vocabularies(), beginning.key()

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
        encoder = beginning.encoder(corpus.rows()).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        checkpoint = scratch / _CHECKPOINT
        identity = f"{options!r} {stream.key} {key} {device} {ARITHMETIC}{trainer.updates.optimiser}"
        state = trainer.restore(checkpoint, TrainState(identity))
        resumed = state.epoch

        def save(state: TrainState) -> None:
            save_checkpoint(checkpoint, trainer.tensors(), state, aside)

        try:
            while state.epoch < options.epochs:
                state = trainer.epoch(state, progress, save)
                save(state)
        except NotFiniteError as error:
            scratch.mkdir(parents=True, exist_ok=True)  # another attempt that has finished removes it
            file = scratch / _NOT_FINITE
            file.write_text(json.dumps(error.pairs, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            raise ModelError(
                f"{error}; its pairs are in {file}: set a lower learning_rate, or clip_norm"
            ) from None
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
        encoder = Start(options, vectors, None).encoder(corpus.rows()).to(device)
        trainer = _Trainer(encoder, corpus, options, device)
        state = TrainState("")
        while state.epoch < options.epochs:
            state = trainer.epoch(state, lambda progress: None, lambda state: None)
    return SentenceEncoder(encoder, *corpus.vocabularies.values(), device=device)


def clear_scratch(scratch: Path) -> None:
    """Removes what `train_encoder` keeps there, and the folder unless it holds other things."""
    shutil.rmtree(scratch / _TOKENS, ignore_errors=True)
    for name in (_CHECKPOINT, _NOT_FINITE):
        (scratch / name).unlink(missing_ok=True)
    with suppress(OSError):
        scratch.rmdir()


class NotFiniteError(Exception):
    """A loss that is not a number, or infinite. pairs: the units of the mini-batch's pairs."""

    def __init__(self, message: str, pairs: list[list[list[str]]]) -> None:
        super().__init__(message)
        self.pairs = pairs


class _Trainer:
    """One run in memory: the encoder, its optimisers, and the steps of an epoch."""

    def __init__(self, encoder: Encoder, corpus: TokenCorpus, options: TrainOptions, device: str) -> None:
        self.encoder, self.corpus, self.options, self.device = encoder, corpus, options, device
        self.updates = Updates(encoder, options, options.epochs * -(-len(corpus) // options.batch))
        self.drops = any(
            isinstance(share := getattr(module, name, None), float) and share > 0
            for module in encoder.modules()
            for name in ("dropout", "word_dropout", "p")  # of our tables, of torch's networks and layers
        )
        self.start = {
            name: parameter.detach().clone()
            for name, parameter in encoder.named_parameters()
            if self._weight(name) and (name in encoder.tables or options.start is not None)
        }

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that a mini-batch changes."""
        random = {"random/cpu": torch.get_rng_state()}
        if self.device == "cuda":
            random["random/cuda"] = torch.cuda.get_rng_state()
        return self.updates.tensors() | random

    def restore(self, path: Path, fresh: TrainState) -> TrainState:
        """Takes up a checkpoint of the same run; `fresh` where there is none."""
        checkpoint = load_checkpoint(path, fresh.identity)
        if checkpoint is None:
            return fresh
        tensors, state = checkpoint
        self.updates.restore(tensors, state.steps)
        torch.set_rng_state(tensors["random/cpu"])
        if self.device == "cuda":
            torch.cuda.set_rng_state(tensors["random/cuda"])
        return state

    def epoch(
        self,
        state: TrainState,
        progress: Callable[[TrainProgress], None],
        save: Callable[[TrainState], None],
    ) -> TrainState:
        """The rest of an epoch: all pairs once in a new order, and `save` called from time to time."""
        options, number = self.options, state.epoch
        generator = np.random.default_rng(derive_seed(options.seed, f"epoch {number}"))
        order = np.arange(len(self.corpus), dtype=np.int32 if len(self.corpus) < 2**31 else np.int64)
        generator.shuffle(order)
        if state.generator is None:
            torch.manual_seed(derive_seed(options.seed, f"dropout {number}"))
        else:
            generator.bit_generator.state = state.generator
        began, saved, before = time.monotonic(), time.monotonic(), state.pairs
        while state.pairs < len(order):
            pairs = order[state.pairs : state.pairs + options.batch * self._mega_batch()].astype(np.int64)
            losses = self._train_on(pairs, generator, state)
            state = replace(
                state,
                steps=self.updates.steps,
                pairs=state.pairs + len(pairs),
                batches=state.batches + len(losses),
                total=sum(losses, state.total),
                generator=dict(generator.bit_generator.state),
            )
            if time.monotonic() - saved > _SAVE_SECONDS and state.pairs < len(order):
                save(state)
                saved = time.monotonic()
            rate = (state.pairs - before) / (time.monotonic() - began)
            mean = state.total / state.batches
            progress(TrainProgress(number + 1, options.epochs, state.pairs, len(order), rate, mean))
        losses_of_epochs = (*state.losses, state.total / state.batches)
        return TrainState(state.identity, number + 1, self.updates.steps, losses_of_epochs)

    def _train_on(self, pairs: np.ndarray, generator: np.random.Generator, state: TrainState) -> list[float]:
        """The losses of one mega-batch's mini-batches."""
        options = self.options
        sentences = self._scrambled(self.corpus.take(pairs), generator)
        negatives = None
        if options.objective == "margin":
            vectors = self._embedded(sentences)
            negatives = choose_negatives(vectors, options.negatives, options.negative_pool, generator)
        batches = np.split(np.arange(len(pairs)), range(options.batch, len(pairs), options.batch))
        # On a GPU, asking for each loss as it comes would keep the next mini-batch waiting.
        losses = torch.stack([self._step(sentences, batch, negatives) for batch in batches]).tolist()
        for number, (batch, loss) in enumerate(zip(batches, losses, strict=True), state.batches + 1):
            if not math.isfinite(loss):
                raise NotFiniteError(
                    f"the loss of mini-batch {number:,} of epoch {state.epoch + 1} is {loss}",
                    self._written(sentences.take(np.concatenate([batch, batch + len(pairs)]))),
                )
        return losses

    def _written(self, sentences: Streams) -> list[list[list[str]]]:
        """The units of n references and their n translations, as n pairs."""
        units, ids = next(iter(sentences.items()))
        rows = ["<unknown>", *self.corpus.vocabularies[units].entries]
        texts = [[rows[row] for row in ids.ids[start:end]] for start, end in pairwise(ids.starts)]
        half = len(texts) // 2
        return [[reference, texts[half + i]] for i, reference in enumerate(texts[:half])]

    def _mega_batch(self) -> int:
        if self.options.anneal_every is None:
            return self.options.mega_batch
        return min(self.options.mega_batch, 1 + self.updates.steps // self.options.anneal_every)

    def _scrambled(self, sentences: Streams, generator: np.random.Generator) -> Streams:
        options = self.options
        if not options.scramble:
            return sentences
        words = sentences["words"]  # the options allow no other stream
        pairs = len(words) // 2
        draws = generator.random(pairs if options.scramble_by == "pair" else 2 * pairs) < options.scramble
        ids = words.ids.copy()
        start, end = (int(options.text.tags in (tags, "both")) for tags in ("start", "end"))
        for row in np.flatnonzero(np.resize(draws, 2 * pairs)):
            generator.shuffle(ids[words.starts[row] + start : words.starts[row + 1] - end])
        return Streams({"words": TokenIds(ids, words.starts)})

    def _embedded(self, sentences: Streams) -> torch.Tensor:
        self.encoder.eval()  # without dropout, whose noise would choose the negatives
        return embed(self.encoder, sentences, _SELECTION_BATCH)

    def _step(self, sentences: Streams, batch: np.ndarray, negatives: np.ndarray | None) -> torch.Tensor:
        """The loss of one mini-batch: its sentences embedded anew, one step of the optimisers."""
        self.encoder.train()
        pairs = sentences.count // 2
        rows = [batch, batch + pairs]
        if negatives is not None:
            rows += [negatives[batch], negatives[batch + pairs]]
        chosen, loss_of = self._distinct(sentences, np.concatenate(rows), negatives is not None)
        small = self.updates.small_tables(chosen)

        def encode(some: Streams) -> torch.Tensor:
            vectors: torch.Tensor = torch.func.functional_call(self.encoder, small.tables, (some,))
            return vectors

        at_once = self.options.encode_at_once
        if at_once is None:
            loss = loss_of(encode(small.sentences))
            self._regularised(loss).backward()
        else:
            cuts = np.split(np.arange(chosen.count), range(at_once, chosen.count, at_once))
            loss = backward_in_chunks(encode, [small.sentences.take(cut) for cut in cuts], loss_of)
            penalty = self._regularised(torch.zeros((), device=self.device))
            if penalty.requires_grad:
                penalty.backward()
        self.updates.step(small)
        return loss.detach()

    def _distinct(
        self, sentences: Streams, rows: np.ndarray, repeats: bool
    ) -> tuple[Streams, Callable[[torch.Tensor], torch.Tensor]]:
        """The sentences of `rows`, and the loss of their vectors.

        A sentence that stands there twice is computed once, unless dropout gives it another vector each time.
        """
        if not repeats or self.drops:
            chosen = sentences.take(rows)
            return chosen, self._objective(chosen)
        rows, places = np.unique(rows, return_inverse=True)
        chosen = sentences.take(rows)
        loss_of, index = self._objective(chosen), torch.from_numpy(places).to(self.device)
        return chosen, lambda vectors: loss_of(vectors.index_select(0, index))

    def _objective(self, sentences: Streams) -> Callable[[torch.Tensor], torch.Tensor]:
        """The loss as a function of the vectors of a mini-batch's sentences."""
        options = self.options
        if options.objective == "margin":

            def margin(vectors: torch.Tensor) -> torch.Tensor:
                s1, s2, t1, t2 = vectors.chunk(4)
                return margin_loss(s1, s2, t1, t2, options.margin)

            return margin
        equal = torch.from_numpy(same_sentences(sentences)).to(self.device)

        def contrast(vectors: torch.Tensor) -> torch.Tensor:
            s1, s2 = vectors.chunk(2)
            return info_nce(s1, s2, options.temperature, equal, options.mask_above)

        return contrast

    def _weight(self, name: str) -> float:
        """How much the size of a parameter, or its distance from the start, counts."""
        options = self.options
        return options.lambda_words if name in self.encoder.tables else options.lambda_encoder

    def _regularised(self, loss: torch.Tensor) -> torch.Tensor:
        for name, parameter in self.encoder.named_parameters():
            if weight := self._weight(name):
                change = parameter - self.start[name] if name in self.start else parameter
                loss = loss + weight / 2 * change.square().sum()
        return loss


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
