"""Training a sentence encoder on pairs: from a stream to an encoder's folder, or in memory."""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ...base.errors import ModelError
from ..encoders.sentence_encoder import SentenceEncoder
from ..encoders.vectors import WordVectors
from ..sts.sts_data import StsDataset
from .checkpoint import SAVE_SECONDS, TrainState, save_checkpoint
from .clock import IDLE
from .determinism import deterministic, single_thread
from .dev_scores import DevScore, best_of, development_hashes, key_of, measure, read_dev_sets
from .pair_training import PairTraining, TrainProgress
from .pairs import PairStream, TokenCorpus, tokenise_pairs
from .parallel import Processes
from .same_texts import MANY
from .scratch import CHECKPOINT, TOKENS, NotFiniteError, own_folder, write_not_finite
from .start import Start
from .train_options import ARITHMETIC, TrainOptions, resolve_device
from .word_weights import weigh_words

logger = logging.getLogger(__name__)

_OWN_NEGATIVES = (
    "in a mega-batch, %.0f %% of the pairs share a text with another pair. With negatives_exclude: own_pair, "
    "the nearest negative of such a text is itself, and the encoder may learn only to pull sentences "
    "together: set it to equal_texts"
)


@dataclass(frozen=True)
class TrainResult:
    """What was trained: pairs used, pairs too long or with an empty side, rows, mean loss an epoch.

    vocabulary: the rows of all streams' vocabularies. recurring: the share of pairs of a mega-batch that
    share a text with another of its pairs. dev: the scores on the development sets, and which of them the
    encoder that was kept has. spent: the seconds of this attempt by activity.
    """

    pairs: int
    too_long: int
    empty: int
    vocabulary: int
    recurring: float
    losses: tuple[float, ...]
    resumed_from_epoch: int
    seconds: float
    dev: tuple[DevScore, ...] = ()
    best: int | None = None
    spent: Mapping[str, float] = field(default_factory=dict)

    @property
    def idle(self) -> float:
        """The share of the time since the pairs were read in which no vector and no gradient was computed."""
        total = sum(self.spent.values())
        return sum(self.spent.get(name, 0.0) for name in IDLE) / total if total else 0.0

    def write(self, folder: Path) -> None:
        """Writes `training.json`, with what does not differ between attempts at the same training."""
        names = ("pairs", "too_long", "empty", "vocabulary", "recurring", "losses")
        values: dict[str, object] = {name: getattr(self, name) for name in names}
        if self.dev:
            curve = [{**asdict(score), "mean": score.mean} for score in self.dev]
            values |= {"development_sets": list(self.dev[0].pearson), "dev": curve, "best": self.best}
        (folder / "training.json").write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def train_encoder(
    stream: PairStream,
    options: TrainOptions,
    out: Path,
    scratch: Path,
    progress: Callable[[TrainProgress], None] = lambda progress: None,
    aside: Path | None = None,
    vectors: WordVectors | None = None,
    start: SentenceEncoder | None = None,
    dev: Sequence[StsDataset] | None = None,
    processes: Processes | None = None,
) -> TrainResult:
    """Trains on the pairs of `stream` and writes an encoder folder to `out`.

    `scratch` holds the tokenised pairs and a checkpoint, which is written every ten minutes and at the end of
    an epoch: killed at any moment and called again with the same arguments, training goes on from there and
    ends in the same bytes. On a CPU the same pairs, options and number of threads always give the same bytes.
    The stream is read once. Memory: the tables three times (values and Adam's moments; four times with
    development sets, for the best values), 4 bytes a pair for an epoch's order, and one mega-batch.
    vectors, start, dev: what the options name, where the caller has read it.
    ModelError if a loss is not finite; the pairs of the mini-batch are then in a file of `scratch`.

    processes: that train together. The first alone reads `stream` and the files that the options name, and
    writes `out` and checkpoints, from which any number of processes can resume; the folders of each other one
    are its own, for temporary files. The same number of processes always ends in the same bytes on CPUs, and
    another one in the same numbers but for the rounding of sums, if there is no dropout, which every process
    draws for itself.

    Several attempts may share `scratch`, and one that has finished may remove it: the others go on.
    aside: an empty folder of this attempt's own on the file system of `scratch`, where its files are built;
    the caller removes it. By default a temporary folder in `scratch`.
    """
    began = time.monotonic()
    device = resolve_device(options.device)
    processes = processes or Processes()
    beginning = Start(options if processes.is_first else _of_others(options), vectors, start)
    sets = read_dev_sets(options) if dev is None and processes.is_first else dev or []

    def read(pairs: int) -> None:
        rate = pairs / (time.monotonic() - began)
        progress(TrainProgress(0, options.epochs, pairs, None, rate, None))

    with own_folder(scratch, aside) as own:
        key, stream_key = processes.json_from_first([beginning.key(), stream.key])

        def tokenised(stream: PairStream, folder: Path) -> TokenCorpus:
            given = beginning.vocabularies()
            return tokenise_pairs(stream, options.text, folder, own, options.streams, given, key, read)

        corpus = _shared_corpus(tokenised, stream, stream_key, scratch / TOKENS, own, processes)
        with deterministic():
            encoder = beginning.encoder(corpus.rows())
            if options.word_weights != "none":
                weigh_words(encoder, corpus, options.word_weights)
            encoder.to(device)
            for parameter in encoder.parameters():
                processes.from_first(parameter.data)
            known = {**beginning.development, **development_hashes(sets)}
            whole = SentenceEncoder(encoder, *corpus.vocabularies.values(), device=device, development=known)
            training = PairTraining(encoder, corpus, options, device, lambda: measure(whole, sets), processes)
            recurring = training.recurring()
            if options.negatives_exclude == "own_pair" and recurring > MANY and processes.is_first:
                logger.warning(_OWN_NEGATIVES, 100 * recurring)
            identity = f"{options!r} {stream_key} {key} {device} {ARITHMETIC}{key_of(sets)}"
            begun = training.restore(scratch / CHECKPOINT, TrainState(identity))
            state = _train(training, begun, scratch, own, progress)
    training.take_best()
    if processes.is_first:
        whole.save(out)
    processes.wait()  # until the others have removed their temporary files
    return TrainResult(
        **asdict(corpus.reading),
        vocabulary=sum(corpus.rows().values()),
        recurring=recurring,
        losses=state.losses,
        resumed_from_epoch=begun.epoch,
        seconds=time.monotonic() - began,
        dev=state.dev,
        best=best_of(state.dev),
        spent=training.clock.seconds,
    )


def _of_others(options: TrainOptions) -> TrainOptions:
    """The options of the processes after the first, which gives them what they start from."""
    return replace(options, vectors=None, start=None, dev=None, patience=None)


def _train(
    training: PairTraining,
    state: TrainState,
    scratch: Path,
    own: Path,
    progress: Callable[[TrainProgress], None],
) -> TrainState:
    """The state after the epochs that are left, with checkpoints in `scratch`."""
    is_first, clock = training.processes.is_first, training.clock

    def save(state: TrainState) -> None:
        if is_first:
            with clock.spent("checkpoints"):
                save_checkpoint(scratch / CHECKPOINT, training.tensors(), state, own)

    try:
        with clock.spent("other"):
            while state.epoch < training.options.epochs and not state.stopped:
                state = training.epoch(state, progress, save)
                save(state)
    except NotFiniteError as error:
        if is_first:
            write_not_finite(scratch, error.batch)
        raise error.with_file(scratch, "its pairs are") from None
    return state


def _shared_corpus(
    tokenised: Callable[[PairStream, Path], TokenCorpus],
    stream: PairStream,
    stream_key: str,
    tokens: Path,
    aside: Path,
    processes: Processes,
) -> TokenCorpus:
    """The corpus that the first process makes of the stream and keeps in `tokens`; the others take it up."""
    if processes.is_first:
        corpus = tokenised(stream, tokens)
    kept = processes.folder_from_first(tokens, aside / "received")
    return corpus if processes.is_first else tokenised(_Elsewhere(stream_key), kept)


class _Elsewhere:
    """The stream that the first process has read, and with its key the tokens that it has kept."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __iter__(self) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        raise ModelError("the tokenised pairs of the first process did not arrive undamaged: train again")


def train_on(
    corpus: TokenCorpus,
    options: TrainOptions,
    vectors: WordVectors | None = None,
    scratch: Path | None = None,
    key: str = "",
    dev: Sequence[StsDataset] = (),
) -> SentenceEncoder:
    """The encoder that `train_encoder` makes from the same pairs with one thread, trained in memory.

    scratch: a folder for a checkpoint, which is written every ten minutes; key: of the pairs and vectors. By
    default there are no checkpoints. dev: development sets, as if `options` named their folder. One thread,
    because many such trainings share a machine.
    """
    device = resolve_device(options.device)
    with ExitStack() as stack:
        stack.enter_context(deterministic())
        stack.enter_context(single_thread())
        encoder = Start(options, vectors, None).encoder(corpus.rows())
        if options.word_weights != "none":
            weigh_words(encoder, corpus, options.word_weights)
        encoder.to(device)
        known = development_hashes(dev)
        whole = SentenceEncoder(encoder, *corpus.vocabularies.values(), device=device, development=known)
        training = PairTraining(encoder, corpus, options, device, lambda: measure(whole, dev))
        state = TrainState(f"{options!r} {key} {device} {ARITHMETIC}{key_of(dev)}")
        saved = time.monotonic()

        def save(state: TrainState) -> None:
            nonlocal saved
            if scratch is not None:
                save_checkpoint(scratch / CHECKPOINT, training.tensors(), state, own)
            saved = time.monotonic()

        if scratch is not None:
            own = stack.enter_context(own_folder(scratch, None))
            state = training.restore(scratch / CHECKPOINT, state)
        while state.epoch < options.epochs and not state.stopped:
            state = training.epoch(state, lambda progress: None, save)
            if time.monotonic() - saved > SAVE_SECONDS:
                save(state)
        training.take_best()
    encoder.eval()
    return whole
