"""Training an encoder and a head together on labelled or scored examples, or the head alone."""

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
import xxhash

from ...base.errors import RecipeError
from ...base.hashing import derive_seed
from ..encoders.encodes import Encodes
from ..encoders.random_weights import draw_weights
from ..encoders.sentence_encoder import SentenceEncoder
from ..encoders.vectors import WordVectors
from ..encoders.vocabulary import UNITS, Tags, Units, Vocabulary, tagged, words
from .checkpoint import SAVE_SECONDS, load_state, random_tensors, restore_random, save_checkpoint
from .determinism import deterministic
from .examples import Examples, read_examples, shortened
from .head_options import HeadOptions
from .heads import Head, HeadShape, divergence
from .loss import regularised
from .options import ARITHMETIC, resolve_device
from .pairs import commonest
from .scratch import CHECKPOINT, NotFiniteError, own_folder, write_not_finite
from .sentence_vectors import AT_ONCE, Coded, FixedVectors, TrainedVectors
from .start import Start

_STEPS = 50  # mini-batches between two looks at their losses, for which a GPU has to be waited for
_OF_THE_ATTEMPT = ("seconds", "resumed_from_epoch")


@dataclass(frozen=True)
class FineTuningState:
    """Where a run stands: epochs done, the learning rate, and what the epochs gave.

    losses, dev: the mean loss and the quality on dev of each epoch. best: the best epoch, from 1; 0 before
    the first one. examples, batches, total: of the epoch that has begun, as in `TrainState`.
    """

    identity: str
    rate: float
    epoch: int = 0
    is_over: bool = False
    losses: tuple[float, ...] = ()
    dev: tuple[float | None, ...] = ()
    best: int = 0
    examples: int = 0
    batches: int = 0
    total: float = 0.0

    @property
    def best_dev(self) -> float | None:
        """The quality on dev of the best epoch."""
        return self.dev[self.best - 1] if self.best else None


@dataclass(frozen=True)
class FineTuningResult:
    """What was trained: examples, those left out (without a label, too long), rows, and what epochs gave.

    vocabulary: the rows of all streams' vocabularies. dev: the accuracy, or Pearson's r, on the dev examples
    after each epoch. best_epoch: the epoch whose encoder is kept, from 1.
    """

    examples: int
    dev_examples: int
    unlabelled: int
    too_long: int
    vocabulary: int
    losses: tuple[float, ...]
    dev: tuple[float | None, ...]
    best_epoch: int
    resumed_from_epoch: int
    seconds: float

    def write(self, folder: Path) -> None:
        """Writes `training.json`, with what does not differ between attempts at the same training."""
        values = {name: value for name, value in asdict(self).items() if name not in _OF_THE_ATTEMPT}
        (folder / "training.json").write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


class FineTuning:
    """One run in memory: an encoder or fixed vectors, a head, and the steps of an epoch.

    sets: the examples to train on, those to choose on, and any others; they refer to the sentences of
    `vectors`. is_universal: whether `lambda_encoder` is the weight of the distance from the start, instead of
    the size. The head must be on the device of the vectors.
    """

    def __init__(
        self,
        vectors: FixedVectors | TrainedVectors,
        head: Head,
        sets: Sequence[Coded],
        options: HeadOptions,
        is_universal: bool = False,
    ) -> None:
        self.vectors, self.head, self.sets, self.options = vectors, head, sets, options
        self.train, self.dev = sets[:2]
        modules = {"": vectors, "head.": head}
        self.parameters = {
            prefix + name: parameter
            for prefix, module in modules.items()
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        }
        self._tables = {f"encoder.{name}" for name in vectors.tables}
        self._start = {
            name: parameter.detach().clone()
            for name, parameter in self.parameters.items()
            if self._weight(name)
            and (name in self._tables or (is_universal and not name.startswith("head.")))
        }
        by_rows = isinstance(vectors, TrainedVectors) and vectors.by_rows
        moved = [p for name, p in self.parameters.items() if not (by_rows and name in self._tables)]
        self._optimiser: torch.optim.Optimizer
        if options.optimiser == "adam":
            self._optimiser = torch.optim.Adam(moved, options.learning_rate, fused=True)
        else:
            self._optimiser = torch.optim.SGD(moved, options.learning_rate)
        self._best: dict[str, torch.Tensor] = {}
        self._device = head.scales.device
        self._targets = torch.from_numpy(self.train.targets)

    def run(
        self,
        state: FineTuningState | None = None,
        save: Callable[[FineTuningState], None] = lambda state: None,
        progress: Callable[[FineTuningState], None] = lambda state: None,
    ) -> FineTuningState:
        """All epochs that are left; the encoder and the head are then those of the best one."""
        if state is None:
            state = FineTuningState("", self.options.learning_rate)
        while not state.is_over:
            state = self._epoch(state, save, progress)
            progress(state)
            save(state)
        with torch.no_grad():
            self.head.scales.copy_(self._best["scales"])
            for name, parameter in self.parameters.items():
                parameter.copy_(self._best[name])
        return state

    def probabilities(self, examples: Coded) -> np.ndarray:
        """The probability of each output, (examples, outputs) float64."""
        self.head.eval()
        rows, places = np.unique(np.concatenate(examples.sides), return_inverse=True)
        vectors = self.vectors.fixed(rows)
        sides = np.split(places, len(examples.sides))
        parts = [
            self.head.probabilities(*(vectors[torch.from_numpy(side[part])] for side in sides))
            for part in np.split(np.arange(len(examples)), range(AT_ONCE, len(examples), AT_ONCE))
        ]
        return np.concatenate(parts)

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that a step or an epoch changes, to be stored."""
        tensors: dict[str, torch.Tensor] = {}
        tensors |= {f"parameter/{name}": tensor for name, tensor in self.parameters.items()}
        tensors |= {f"best/{name}": tensor for name, tensor in self._best.items()}
        tensors |= {"scales": self.head.scales, **random_tensors(self._device.type)}
        for name, parameter in self.parameters.items():
            for key, tensor in self._optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser/{name}/{key}"] = tensor
        return tensors

    def restore(self, tensors: dict[str, torch.Tensor]) -> None:
        """Takes up what `tensors` gave."""
        with torch.no_grad():
            self.head.scales.copy_(tensors["scales"])
            for name, parameter in self.parameters.items():
                parameter.copy_(tensors[f"parameter/{name}"])
                prefix = f"optimiser/{name}/"
                kept = {key.removeprefix(prefix): t for key, t in tensors.items() if key.startswith(prefix)}
                if kept:
                    self._optimiser.state[parameter] = {
                        key: tensor.to(self._device, copy=True) for key, tensor in kept.items()
                    }
        self._best = {
            name.removeprefix("best/"): t for name, t in tensors.items() if name.startswith("best/")
        }
        restore_random(tensors, self._device.type)

    def _epoch(
        self,
        state: FineTuningState,
        save: Callable[[FineTuningState], None],
        progress: Callable[[FineTuningState], None],
    ) -> FineTuningState:
        """The rest of an epoch: all examples once in a new order, then the choice on dev."""
        options = self.options
        order = np.random.default_rng(derive_seed(options.seed, f"epoch {state.epoch}"))
        rows = order.permutation(len(self.train))
        if not state.batches:
            torch.manual_seed(derive_seed(options.seed, f"dropout {state.epoch}"))
            if options.scale_features:
                self._fit_scales()
        self._optimiser.param_groups[0]["lr"] = state.rate
        saved = time.monotonic()
        while state.examples < len(rows):
            some = rows[state.examples : state.examples + options.batch * _STEPS]
            batches = np.split(some, range(options.batch, len(some), options.batch))
            losses = torch.stack(
                [self._step(batch, state, number) for number, batch in enumerate(batches, state.batches)]
            ).tolist()
            for batch, loss in zip(batches, losses, strict=True):
                if not math.isfinite(loss):
                    raise NotFiniteError(f"a loss of epoch {state.epoch + 1} is {loss}", batch.tolist())
            state = replace(
                state,
                examples=state.examples + len(some),
                batches=state.batches + len(losses),
                total=sum(losses, state.total),
            )
            if time.monotonic() - saved > SAVE_SECONDS and state.examples < len(rows):
                save(state)
                saved = time.monotonic()
            progress(state)
        quality = self.head.shape.quality(self.probabilities(self.dev), self.dev.targets)
        ended = after_epoch(state, quality, options)
        if ended.best == ended.epoch:
            best = self.parameters | {"scales": self.head.scales}
            self._best = {name: tensor.detach().clone() for name, tensor in best.items()}
        return ended

    def _fit_scales(self) -> None:
        """Lets the scales of the head follow the vectors, which may grow a lot from a random start."""
        batches = np.split(np.arange(len(self.train)), range(AT_ONCE, len(self.train), AT_ONCE))
        self.head.fit_scales(
            [self.vectors.fixed(side[rows]) for side in self.train.sides] for rows in batches
        )

    def _step(self, rows: np.ndarray, state: FineTuningState, number: int) -> torch.Tensor:
        """The loss of one mini-batch, without the penalties, and a step of the optimiser.

        number: the mini-batch's in the epoch.
        """
        self.vectors.train()
        self.head.train()
        sides, shuffle = len(self.train.sides), None
        if self.options.scramble:
            random = np.random.default_rng(derive_seed(self.options.seed, f"scramble {state.epoch} {number}"))
            chosen = random.random(len(rows)) < self.options.scramble
            shuffle = np.tile(chosen, sides), random
        vectors = self.vectors(np.concatenate([side[rows] for side in self.train.sides]), shuffle)
        logits = self.head(*vectors.chunk(sides))
        loss = divergence(logits, self._targets[torch.from_numpy(rows)].to(self._device)).mean()
        self._regularised(loss).backward()
        small = self.vectors.small if isinstance(self.vectors, TrainedVectors) else {}
        if self.options.clip_norm is not None:
            moved = [*self.parameters.values(), *(table for _, table in small.values())]
            torch.nn.utils.clip_grad_norm_(moved, self.options.clip_norm)
        for name, (index, table) in small.items():
            if table.grad is not None:
                moved_rows = table.detach() - state.rate * table.grad
                self.parameters[f"encoder.{name}"].data.index_copy_(0, index, moved_rows)
        self._optimiser.step()
        self._optimiser.zero_grad()
        return loss.detach()

    def _regularised(self, loss: torch.Tensor) -> torch.Tensor:
        return regularised(loss, self.parameters.items(), self._weight, self._start)

    def _weight(self, name: str) -> float:
        """How much the size of a parameter, or its distance from the start, counts."""
        if name.startswith("head."):
            return self.options.lambda_head
        return self.options.lambda_words if name in self._tables else self.options.lambda_encoder


def after_epoch(state: FineTuningState, quality: float | None, options: HeadOptions) -> FineTuningState:
    """The state after an epoch with this quality on dev: the learning rate of the next one, or the end.

    An epoch that does not beat the best one before it divides the learning rate by `shrink`; training is over
    if that makes it less than `minimum_rate`. Each epoch multiplies it by `decay`. InferSent, section 3.3.
    """
    epoch, best = state.epoch + 1, state.best_dev
    worst = -2.0  # less than any correlation
    is_better = not state.best or (worst if quality is None else quality) > (worst if best is None else best)
    rate = state.rate if is_better else state.rate / options.shrink
    return FineTuningState(
        state.identity,
        rate * options.decay,
        epoch,
        epoch >= options.epochs or (not is_better and rate < options.minimum_rate),
        (*state.losses, state.total / max(1, state.batches)),
        (*state.dev, quality),
        epoch if is_better else state.best,
    )


def fine_tune(
    options: HeadOptions,
    out: Path,
    scratch: Path,
    progress: Callable[[FineTuningState, int, float], None] = lambda state, examples, seconds: None,
    aside: Path | None = None,
    vectors: WordVectors | None = None,
    start: SentenceEncoder | None = None,
) -> FineTuningResult:
    """Trains an encoder and a head on the examples of `options`, and writes the encoder's folder to `out`.

    The folder also holds the head (head.json, head.safetensors). `scratch`, `aside`, `vectors` and `start`
    are as for `train_encoder`, and so are checkpoints: a training that was killed ends in the same bytes.
    `progress` hears the state, how many examples an epoch has, and the seconds since the beginning.
    ModelError if a loss is not finite; the examples of the mini-batch are then in a file of `scratch`.
    """
    began = time.monotonic()
    device = resolve_device(options.device)
    train = shortened(read_examples(options.example_files, options.objective), options.text)
    dev = read_examples(options.dev_files, options.objective)
    with own_folder(scratch, aside) as own, deterministic():
        encoder, begins_with = _beginning(options, train, vectors, start, device)
        tuning = fine_tuning(encoder, [train, dev], options, device, options.start is not None)
        state = FineTuningState(_identity(options, train, dev, begins_with, device), options.learning_rate)
        checkpoint = load_state(scratch / CHECKPOINT, state.identity, FineTuningState)
        if checkpoint is not None:
            tensors, state = checkpoint
            tuning.restore(tensors)
        resumed = state.epoch

        def save(state: FineTuningState) -> None:
            save_checkpoint(scratch / CHECKPOINT, tuning.tensors(), state, own)

        try:
            ended = tuning.run(
                state, save, lambda state: progress(state, len(train), time.monotonic() - began)
            )
        except NotFiniteError as error:
            batch = [
                [*(side[row] for side in train.sides), train.answers[row], train.places[row]]
                for row in error.batch
            ]
            write_not_finite(scratch, batch)
            raise error.with_file(scratch, "the examples of the mini-batch are") from None
    if isinstance(tuning.vectors, TrainedVectors):
        tuning.vectors.whole_tables()
    encoder.save(out)
    tuning.head.save(out)
    rows = sum(len(vocabulary) for vocabulary in encoder.vocabularies.values())
    left_out = train.unlabelled + dev.unlabelled, train.too_long
    seconds = time.monotonic() - began
    return FineTuningResult(
        len(train), len(dev), *left_out, rows, ended.losses, ended.dev, ended.best, resumed, seconds
    )


def fine_tuning(
    encoder: Encodes,
    sets: Sequence[Examples],
    options: HeadOptions,
    device: str = "cpu",
    is_universal: bool = False,
) -> FineTuning:
    """A run that trains on the first of several sets, chooses on the second one, and can predict all.

    encoder: one of ours, on the device, whose tables have fewer rows until `TrainedVectors.whole_tables` is
    called; anything that encodes if it is frozen. is_universal: `FineTuning` has it.
    """
    rows: dict[str, int] = {}
    sides = [
        tuple(np.array([rows.setdefault(text, len(rows)) for text in side]) for side in examples.sides)
        for examples in sets
    ]
    vectors: FixedVectors | TrainedVectors
    if options.freeze == "encoder":
        vectors = FixedVectors(encoder.encode(list(rows)), device)
    elif isinstance(encoder, SentenceEncoder):
        by_rows = options.optimiser == "sgd" and not options.lambda_words
        sentences, words = encoder.token_ids(list(rows)), encoder.vocabularies.get("words")
        if options.scramble and (words is None or len(encoder.vocabularies) > 1):
            raise RecipeError("scramble does not work with trigrams or subwords: set scramble to 0")
        tags = "none" if words is None else words.tags
        vectors = TrainedVectors(encoder.encoder, sentences, tags, by_rows, options.freeze == "words")
    else:
        raise TypeError(f"{encoder} can only be frozen")
    shape = HeadShape.of(options, vectors.dimension, sets[0])
    head = draw_weights(Head(shape), derive_seed(options.seed, "head"))
    coded = [Coded(columns, shape.targets(examples)) for columns, examples in zip(sides, sets, strict=True)]
    return FineTuning(vectors, head.to(device), coded, options, is_universal)


def _beginning(
    options: HeadOptions,
    train: Examples,
    vectors: WordVectors | None,
    trained: SentenceEncoder | None,
    device: str,
) -> tuple[SentenceEncoder, str]:
    """The encoder to train, and a key of the weights that were read for it."""
    start = Start(options.beginning(), vectors, trained)
    given = {vocabulary.units: vocabulary for vocabulary in start.vocabularies()}
    vocabularies = []
    for units in options.beginning().streams:
        vocabularies.append(given.get(units) or _vocabulary(options, units, train))
    rows = {vocabulary.units: len(vocabulary) for vocabulary in vocabularies}
    return SentenceEncoder(start.encoder(rows), *vocabularies, device=device), start.key()


def _vocabulary(options: HeadOptions, units: Units, train: Examples) -> Vocabulary:
    """The commonest units of the train examples, each occurrence counted."""
    text, counts = options.text, Counter[str]()
    cut = words if units == "subwords" else UNITS[units]
    tags: Tags = text.tags if units == "words" else "none"
    for side in train.sides:
        for sentence in side:
            counts.update(tagged(cut(sentence, text.tokens), tags))
    return commonest(counts, units, text)


def _identity(options: HeadOptions, train: Examples, dev: Examples, start: str, device: str) -> str:
    digest = xxhash.xxh3_64()
    for examples in (train, dev):
        for column in (*examples.sides, examples.answers):
            digest.update(json.dumps(column).encode())
    return f"{options!r} {digest.hexdigest()} {start} {device} {ARITHMETIC}"
