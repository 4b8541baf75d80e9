"""Training an encoder and a head together on labelled or scored examples, or the head alone."""

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import torch
import xxhash

from ...base.errors import RecipeError
from ...base.hashing import derive_seed
from ..encoders.chosen_on import pair_hashes
from ..encoders.encodes import Encodes
from ..encoders.random_weights import draw_weights
from ..encoders.sentence_encoder import SentenceEncoder
from ..encoders.vectors import WordVectors
from ..encoders.vocabulary import UNITS, Tags, Units, Vocabulary, tagged, words
from .checkpoint import load_state, save_checkpoint
from .determinism import deterministic
from .examples import Examples, read_examples, shortened
from .head_options import HeadOptions
from .head_training import HeadLoop, HeadState, Learner, Losses
from .heads import Head, HeadShape, divergence
from .loss import regularised
from .pairs import commonest
from .scratch import CHECKPOINT, NotFiniteError, own_folder, write_not_finite
from .sentence_vectors import AT_ONCE, Coded, FixedVectors, TrainedVectors
from .start import Start
from .train_options import ARITHMETIC, resolve_device
from .updates import Updates

_OF_THE_ATTEMPT = ("seconds", "resumed_from_epoch")


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


class FineTuning(Learner):
    """An encoder or fixed vectors with a head, and the examples that they learn from.

    sets: the examples to train on, those to choose on, if any, and others; they refer to the sentences of
    `vectors`. is_universal: whether `lambda_encoder` is the weight of the distance from the start, instead of
    the size. The head must be on the device of the vectors. Where tables are moved by rows, `lambda_words` is
    that of the size of the rows of a mini-batch.
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
        self.train, self.has_dev = sets[0], len(sets) > 1
        own, of_head = vectors.parameters(), {f"head.{name}": p for name, p in head.named_parameters()}
        by_rows = {name: own.pop(name) for name in vectors.by_rows}
        self.updates = Updates(
            {**own, **of_head, **by_rows}, vectors.by_rows, options.optimiser, options.clip_norm
        )
        self.buffers = {"scales": head.scales}
        self._start = {
            name: parameter.detach().clone()
            for name, parameter in own.items()
            if self._weight(name) and (name in vectors.tables or is_universal)
        }
        self._device = head.scales.device
        self.training = HeadLoop(self, options.course, self._device.type)

    def order(self, epoch: int, begins: bool) -> np.ndarray:
        """The train examples; the scales of the head are fitted first, if they are."""
        random = np.random.default_rng(derive_seed(self.options.seed, f"epoch {epoch}"))
        self.renew(random)
        rows = random.permutation(len(self.train))
        if begins:
            torch.manual_seed(derive_seed(self.options.seed, f"dropout {epoch}"))
            if self.options.scale_features:
                self._fit_scales()
        return rows

    def renew(self, random: np.random.Generator) -> None:
        """Called before each epoch, for those who train on other examples then."""

    def loss(self, rows: np.ndarray, epoch: int, number: int) -> Losses:
        """See `Learner`: the divergence of the predictions."""
        self.head.train()
        sides, shuffle = len(self.train.sides), None
        if self.options.scramble:
            random = np.random.default_rng(derive_seed(self.options.seed, f"scramble {epoch} {number}"))
            chosen = random.random(len(rows)) < self.options.scramble
            shuffle = np.tile(chosen, sides), random
        sentences = np.concatenate([side[rows] for side in self.train.sides])
        vectors, small = self.vectors.trained(sentences, self.updates, shuffle)
        targets = torch.from_numpy(self.train.targets[rows]).to(self._device)
        loss = divergence(self.head(*vectors.chunk(sides)), targets).mean()
        parameters = self.updates.parameters | small.tables
        return loss, regularised(loss, parameters.items(), self._weight, self._start), small

    def quality(self) -> float | None:
        """The accuracy, or Pearson's r, on the examples to choose on."""
        return self.head.shape.quality(self.probabilities(self.sets[1]), self.sets[1].targets)

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

    def _fit_scales(self) -> None:
        """Lets the scales of the head follow the vectors, which may grow a lot from a random start."""
        batches = np.split(np.arange(len(self.train)), range(AT_ONCE, len(self.train), AT_ONCE))
        self.head.fit_scales(
            [self.vectors.fixed(side[rows]) for side in self.train.sides] for rows in batches
        )

    def _weight(self, name: str) -> float:
        """How much the size of a parameter, or its distance from the start, counts."""
        if name.startswith("head."):
            return self.options.lambda_head
        return self.options.lambda_words if name in self.vectors.tables else self.options.lambda_encoder


def fine_tune(
    options: HeadOptions,
    out: Path,
    scratch: Path,
    progress: Callable[[HeadState, int, float], None] = lambda state, examples, seconds: None,
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
        if len(dev.sides) == 2:
            name = ", ".join(PurePosixPath(file).name for file in options.dev_files)
            encoder.development = {**encoder.development, name: pair_hashes(*dev.sides)}
        tuning = fine_tuning(encoder, [train, dev], options, device, options.start is not None)
        training = tuning.training
        state = HeadState(_identity(options, train, dev, begins_with, device), options.learning_rate)
        checkpoint = load_state(scratch / CHECKPOINT, state.identity, HeadState)
        if checkpoint is not None:
            tensors, state = checkpoint
            training.restore(tensors, state)
        resumed = state.epoch

        def save(state: HeadState) -> None:
            save_checkpoint(scratch / CHECKPOINT, training.tensors(), state, own)

        try:
            ended = training.run(
                state, save, lambda state: progress(state, len(train), time.monotonic() - began)
            )
        except NotFiniteError as error:
            batch = [
                [*(side[row] for side in train.sides), train.answers[row], train.places[row]]
                for row in error.batch
            ]
            write_not_finite(scratch, batch)
            raise error.with_file(scratch, "the examples of the mini-batch are") from None
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
        if options.scramble and words is None:
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
    start = Start(options, vectors, trained)
    given = {vocabulary.units: vocabulary for vocabulary in start.vocabularies()}
    vocabularies = []
    for units in options.streams:
        vocabularies.append(given.get(units) or _vocabulary(options, units, train))
    rows = {vocabulary.units: len(vocabulary) for vocabulary in vocabularies}
    encoder = start.encoder(rows)
    whole = SentenceEncoder(encoder, *vocabularies, device=device, development=start.development)
    return whole, start.key()


def _vocabulary(options: HeadOptions, units: Units, train: Examples) -> Vocabulary:
    """The most frequent units of the train examples, each occurrence counted."""
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
