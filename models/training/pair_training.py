"""A training on pairs in memory: the steps of an epoch, by margin loss or InfoNCE."""

import logging
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import torch

from ...base.hashing import derive_seed
from ..encoders.encoder import Encoder, embed
from ..encoders.token_ids import Streams
from .checkpoint import SAVE_SECONDS, TrainState, load_checkpoint, random_tensors, restore_random, state_of
from .dev_scores import DevScore, best_of, is_over
from .gradient_cache import backward_in_chunks
from .loss import MarginLossOfRows, info_nce, margin_loss, regularised
from .mixed_precision import autocast
from .negatives import choose_negatives
from .pairs import TokenCorpus
from .parallel import Processes
from .same_texts import MANY, Exclusions, linked_pairs, text_numbers
from .scratch import NotFiniteError
from .train_options import TrainOptions
from .updates import Updates

logger = logging.getLogger(__name__)

_BEST = "best/"  # tensors of a checkpoint
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
    step: int = 0  # mini-batches, of all epochs
    recent_loss: float | None = None  # mean of the last mega-batch
    dev: DevScore | None = None  # the last, where there are development sets
    best: DevScore | None = None

    def facts(self) -> dict[str, object]:
        """What a log says of it."""
        scores = {"dev": self.dev and self.dev.mean, "best": self.best and self.best.mean}
        return {**{name: value for name, value in vars(self).items() if name not in scores}, **scores}


class PairTraining:
    """One run in memory: the encoder, its optimisers, and the steps of an epoch.

    measure: gives the encoder's scores on the development sets; empty if there are none. best: the weights of
    the best score so far.
    """

    def __init__(
        self,
        encoder: Encoder,
        corpus: TokenCorpus,
        options: TrainOptions,
        device: str,
        measure: Callable[[], dict[str, float | None]] = dict,
        processes: Processes | None = None,
    ) -> None:
        self.encoder, self.corpus, self.options, self.device = encoder, corpus, options, device
        self.processes = processes or Processes()
        self.clock = self.processes.clock
        self.best: dict[str, torch.Tensor] = {}
        self._warned = False
        self._next_order: tuple[int, np.ndarray, np.random.Generator] | None = None
        self._measure = measure
        self._steps = options.epochs * -(-len(corpus) // options.batch)
        by_rows = encoder.tables if options.embedding_updates == "rows" else {}
        parameters = dict(encoder.named_parameters())
        parameters = {name: parameters[name] for name in by_rows} | parameters
        self.updates = Updates(
            parameters, by_rows, clip_norm=options.clip_norm, precision=options.resolved_precision
        )
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
        best = {f"{_BEST}{name}": tensor for name, tensor in self.best.items()}
        return self.updates.tensors() | random_tensors(self.device) | best

    def take_best(self) -> None:
        """Gives the encoder the weights of the best score, if there are scores."""
        if self.best:
            self.encoder.load_state_dict(self.best)

    def restore(self, path: Path, fresh: TrainState) -> TrainState:
        """Takes up a checkpoint of the same run; `fresh` where there is none."""
        checkpoint = load_checkpoint(path, fresh.identity) if self.processes.is_first else None
        tensors, state = ({}, fresh) if checkpoint is None else checkpoint
        state = state_of(TrainState, self.processes.json_from_first(asdict(state)))
        tensors = self.processes.tensors_from_first(tensors)
        if not tensors:
            return state
        self.updates.restore(tensors, state.steps)
        best = {name: tensor for name, tensor in tensors.items() if name.startswith(_BEST)}
        self.best = {name.removeprefix(_BEST): tensor for name, tensor in best.items()}
        restore_random(tensors, self.device)
        return state

    def epoch(
        self,
        state: TrainState,
        progress: Callable[[TrainProgress], None],
        save: Callable[[TrainState], None],
    ) -> TrainState:
        """The rest of an epoch: all pairs once in a new order, and `save` called from time to time."""
        options, number = self.options, state.epoch
        order, generator = self._order(number)
        if state.generator is None:
            torch.manual_seed(derive_seed(options.seed, f"dropout {number}"))
        else:
            generator.bit_generator.state = state.generator
        began, saved, before = time.monotonic(), time.monotonic(), state.pairs
        while state.pairs < len(order) and not state.stopped:
            pairs = order[state.pairs : state.pairs + options.batch * self._mega_batch()].astype(np.int64)
            losses = self._train_on(pairs, generator, state)
            quarters = 4 * state.pairs // len(order)
            state = replace(
                state,
                steps=self.updates.steps,
                pairs=state.pairs + len(pairs),
                batches=state.batches + len(losses),
                total=sum(losses, state.total),
                generator=dict(generator.bit_generator.state),
            )
            if 4 * state.pairs // len(order) > quarters:
                state = self._evaluated(state)
            if time.monotonic() - saved > SAVE_SECONDS and state.pairs < len(order) and not state.stopped:
                save(state)
                saved = time.monotonic()
            rate = (state.pairs - before) / (time.monotonic() - began)
            progress(self._progress(state, rate, sum(losses) / len(losses)))
        losses_of_epochs = (*state.losses, state.total / state.batches)
        done = number + 1 if state.pairs == len(order) else number
        return TrainState(
            state.identity, done, self.updates.steps, losses_of_epochs, dev=state.dev, stopped=state.stopped
        )

    def recurring(self) -> float:
        """The share of pairs of the first mega-batch of which a text stands in another of its pairs too."""
        order, generator = self._order(0)
        self._next_order = 0, order, generator
        first = order[: self.options.batch * self.options.mega_batch].astype(np.int64)
        return Exclusions(text_numbers(self.corpus.take(first)), self.options.negatives_exclude).recurring

    def _order(self, epoch: int) -> tuple[np.ndarray, np.random.Generator]:
        """The order of the pairs in an epoch, and the generator of the epoch's other random numbers."""
        kept, self._next_order = self._next_order, None
        if kept is not None and kept[0] == epoch:
            return kept[1:]
        generator = np.random.default_rng(derive_seed(self.options.seed, f"epoch {epoch}"))
        order = np.arange(len(self.corpus), dtype=np.int32 if len(self.corpus) < 2**31 else np.int64)
        generator.shuffle(order)
        return order, generator

    def _evaluated(self, state: TrainState) -> TrainState:
        """The state with a score of the encoder on the development sets, if there are any."""
        with self.clock.spent("dev"):
            self.encoder.eval()
            pearson = self.processes.json_from_first(self._measure() if self.processes.is_first else None)
            if not pearson:
                return state
            epoch = state.epoch + state.pairs / len(self.corpus)
            dev = (*state.dev, DevScore(epoch, state.steps, state.total / state.batches, pearson))
            if best_of(dev) == len(dev) - 1:
                weights = self.encoder.state_dict().items()
                self.best = {name: tensor.detach().cpu().clone() for name, tensor in weights}
            return replace(state, dev=dev, stopped=is_over(dev, self.options.patience))

    def _progress(self, state: TrainState, rate: float, recent_loss: float) -> TrainProgress:
        best = best_of(state.dev)
        return TrainProgress(
            state.epoch + 1,
            self.options.epochs,
            state.pairs,
            len(self.corpus),
            rate,
            state.total / state.batches,
            state.steps,
            recent_loss,
            state.dev[-1] if state.dev else None,
            None if best is None else state.dev[best],
        )

    def _train_on(self, pairs: np.ndarray, generator: np.random.Generator, state: TrainState) -> list[float]:
        """The losses of one mega-batch's mini-batches."""
        options, processes = self.options, self.processes
        if processes.count > 1:
            # Each drops out other numbers, whichever of them wrote the checkpoint that was taken up.
            mask = f"dropout {state.epoch} {state.batches} {processes.rank}"
            torch.manual_seed(derive_seed(options.seed, mask))
        with self.clock.spent("data"):
            sentences = self.corpus.take(pairs)
            # By the papers' rule nothing depends on equal texts.
            own_only = options.negatives_exclude == "own_pair"
            texts = np.arange(sentences.count) if own_only else text_numbers(sentences)
            if not options.scramble_after_negatives:
                sentences = self._scrambled(sentences, generator)
        negatives = None
        if options.objective == "margin":
            with self.clock.spent("negatives"):
                vectors = self._embedded(sentences)
                exclusions = Exclusions(texts, options.negatives_exclude)
                negatives = choose_negatives(
                    vectors,
                    options.negatives,
                    options.negative_pool,
                    exclusions,
                    generator,
                    options.negatives_below_partner,
                )
                negatives = processes.from_first(torch.from_numpy(negatives)).numpy()
            self._warn_of_missing((negatives < 0).mean())
        if options.scramble_after_negatives:
            with self.clock.spent("data"):
                sentences = self._scrambled(sentences, generator)
        batches = np.split(np.arange(len(pairs)), range(options.batch, len(pairs), options.batch))
        with self.clock.spent("steps"):
            # On a GPU, asking for each loss as it comes would keep the next mini-batch waiting.
            losses = torch.stack(
                [self._step(sentences, texts, batch, negatives) for batch in batches]
            ).tolist()
        for number, (batch, loss) in enumerate(zip(batches, losses, strict=True), state.batches + 1):
            if not math.isfinite(loss):
                raise NotFiniteError(
                    f"the loss of mini-batch {number:,} of epoch {state.epoch + 1} is {loss}",
                    self._written(sentences.take(np.concatenate([batch, batch + len(pairs)]))),
                )
        return losses

    def _warn_of_missing(self, share: float) -> None:
        """Logs once that many sentences have no negative."""
        if share <= MANY or self._warned or not self.processes.is_first:
            return
        self._warned = True
        logger.warning(
            "%.0f %% of the sentences of a mega-batch have no negative, because their texts stand in all "
            "of its pairs; they are not trained on. Increase mega_batch, or take more different texts",
            100 * share,
        )

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
        pairs = sentences.count // 2
        draws = generator.random(pairs if options.scramble_by == "pair" else 2 * pairs) < options.scramble
        change: Callable[[np.ndarray], None] = generator.shuffle
        if options.scramble_swaps is not None:
            change = partial(_swap, mean=options.scramble_swaps, generator=generator)
        return sentences.with_words(np.flatnonzero(np.resize(draws, 2 * pairs)), options.text.tags, change)

    def _embedded(self, sentences: Streams) -> torch.Tensor:
        self.encoder.eval()  # without dropout, whose noise would choose the negatives
        processes, own = self.processes, sentences
        if processes.count > 1:
            own = sentences.take(processes.share(sentences.count))
        with autocast(self.device, self.options.resolved_precision):
            vectors = embed(self.encoder, own, _SELECTION_BATCH)
        return processes.gathered(vectors, sentences.count)

    def _step(
        self, sentences: Streams, texts: np.ndarray, batch: np.ndarray, negatives: np.ndarray | None
    ) -> torch.Tensor:
        """The loss of one mini-batch: its sentences embedded anew, one step of the optimisers."""
        self.encoder.train()
        rows = np.concatenate([batch, batch + sentences.count // 2])
        if negatives is None:
            loss_of = self._contrast(texts[rows])
            chosen = sentences.take(rows)
        else:
            others = negatives[rows]
            rows = np.concatenate([rows, np.where(others < 0, rows, others)])
            chosen, places = self._distinct(sentences, rows)
            loss_of = self._margin(places, others >= 0)
        small = self.updates.small_tables(chosen)

        def encode(some: Streams) -> torch.Tensor:
            if not some.count:  # the share of a process where there are fewer sentences than processes
                return torch.zeros(0, self.encoder.dimension, device=self.device, requires_grad=True)
            with autocast(self.device, self.options.resolved_precision):
                vectors: torch.Tensor = torch.func.functional_call(self.encoder, small.tables, (some,))
            return vectors.float()

        scale = self.updates.scale.value

        def scaled_loss(vectors: torch.Tensor) -> torch.Tensor:
            return loss_of(vectors) * scale

        at_once, processes = self.options.encode_at_once, self.processes
        if at_once is None and processes.count == 1:
            loss = loss_of(encode(small.sentences))
            (self._regularised(loss) * scale).backward()
        else:
            share = processes.share(chosen.count)
            size = at_once or max(1, len(share))
            cuts = np.split(share, range(size, len(share), size))
            loss = backward_in_chunks(
                encode,
                [small.sentences.take(cut) for cut in cuts],
                scaled_loss,
                lambda own: processes.gathered(own, chosen.count),
                share,
            )
            if processes.count > 1:
                self.updates.add_up(small, processes)
            loss = loss / scale
            penalty = self._regularised(torch.zeros((), device=self.device))
            if penalty.requires_grad:
                (penalty * scale).backward()
        self.updates.step(small, self.options.rate(self.updates.steps + 1, self._steps))
        return loss.detach()

    def _distinct(self, sentences: Streams, rows: np.ndarray) -> tuple[Streams, np.ndarray]:
        """The sentences of `rows`, and where each row is among them.

        A sentence that stands there twice is computed once, unless dropout gives it another vector each time.
        """
        if self.drops:
            return sentences.take(rows), np.arange(len(rows))
        rows, places = np.unique(rows, return_inverse=True)
        return sentences.take(rows), places

    def _margin(self, places: np.ndarray, compared: np.ndarray) -> Callable[[torch.Tensor], torch.Tensor]:
        """The margin loss of sentences and their negatives.

        places: of the references, the translations and the negatives of both among the vectors. compared:
        which sentences have a negative.
        """
        sides, both = places.reshape(4, -1), compared.reshape(2, -1)
        margin = self.options.margin
        if self.device == "cpu":
            return lambda vectors: cast(torch.Tensor, MarginLossOfRows.apply(vectors, sides, both, margin))
        index, is_compared = (torch.from_numpy(array).to(self.device) for array in (places, both))

        def loss(vectors: torch.Tensor) -> torch.Tensor:
            s1, s2, t1, t2 = vectors.index_select(0, index).chunk(4)
            return margin_loss(s1, s2, t1, t2, margin, is_compared)

        return loss

    def _contrast(self, texts: np.ndarray) -> Callable[[torch.Tensor], torch.Tensor]:
        """InfoNCE of a mini-batch's sentences; texts: their numbers."""
        options = self.options
        own_only = options.negatives_exclude == "own_pair"
        excluded = None if own_only else torch.from_numpy(linked_pairs(texts)).to(self.device)

        def contrast(vectors: torch.Tensor) -> torch.Tensor:
            s1, s2 = vectors.chunk(2)
            return info_nce(s1, s2, options.temperature, excluded, options.mask_above)

        return contrast

    def _weight(self, name: str) -> float:
        """How much the size of a parameter, or its distance from the start, counts."""
        options = self.options
        return options.lambda_words if name in self.encoder.tables else options.lambda_encoder

    def _regularised(self, loss: torch.Tensor) -> torch.Tensor:
        return regularised(loss, self.encoder.named_parameters(), self._weight, self.start)


def _swap(tokens: np.ndarray, mean: float, generator: np.random.Generator) -> None:
    """Exchanges two random places n times, in place; n comes from a Poisson distribution."""
    if len(tokens):
        for places in generator.integers(len(tokens), size=(generator.poisson(mean), 2)):
            tokens[places] = tokens[places[::-1]]
