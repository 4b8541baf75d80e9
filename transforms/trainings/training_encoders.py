"""The `train/<name>` stages: an encoder trained on a selection, streamed from the workspace's parts."""

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.host_cache import cache_folder
from ...models.encoders.vectors import WordVectors, read_vectors
from ...models.sts.development_sets import development_files
from ...models.training.train_options import ARITHMETIC, EncoderTraining, TrainOptions, resolve_device
from ...models.translation.model_folder import fetch_path
from ..beam.gpus import on_device
from ..beam.single_job import SingleJob, built_folder
from ..beam.task_work import Task
from ..pair_files import PairFileOptions, PairFiles
from ..storage.file_hashes import as_planned
from ..storage.heartbeat import note_progress
from ..storage.workspace import Workspace
from .pair_streams import PairParts

if TYPE_CHECKING:
    from ...models.encoders.sentence_encoder import SentenceEncoder
    from ...models.sts.sts_data import StsDataset
    from ...models.training.pair_training import TrainProgress
    from ...models.training.pairs import PairStream

_LOG_SECONDS = 60.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class InputHashes:
    """The hashes, in a training's key, of the files that are named for it; None where none are.

    start: for each encoder to start from its hash, or the name of the entry of `train` that trains it.
    """

    vectors: str | None = None
    start: tuple[str, ...] = ()
    dev: str | None = None
    sentencepiece: str | None = None
    pairs: str | None = None


@dataclass(frozen=True)
class TrainEncoder(SingleJob):
    """Trains one encoder.

    parts: for each part, its files of `ingest`, `translate` and `select`. pairs: files to train on instead of
    a selection. hashes: of the files that the options and `pairs` name. logs: a folder for TensorBoard's
    logs. started_by: the entries of `train` that train what it starts from, each with its folder in the
    workspace.

    If the options' device is `cuda`, training waits for a GPU of the machine that nobody else uses, and
    refuses to begin where there is none.
    """

    stage: str
    parts: tuple[tuple[tuple[str, str], ...], ...]
    selection: str | None
    options: TrainOptions
    hashes: InputHashes = InputHashes()
    pairs: PairFileOptions | None = None
    logs: str | None = None
    started_by: tuple[tuple[str, str], ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        from ...models.training.board import logged
        from ...models.training.trainer import train_encoder  # imports torch, which planning does not need

        hashes = self.hashes
        pairs: PairStream = PairParts(workspace, self.parts, selection=self.selection)
        device = resolve_device(self.options.device)
        with ExitStack() as stack:
            stack.enter_context(on_device(device))
            aside = stack.enter_context(workspace.temporary_folder())
            progress = stack.enter_context(logged(self.logs, TrainingShown()))
            if self.pairs is not None:
                files = PairFiles(self.pairs, hashes.pairs)
                pairs = files.sampled(self.options.text.tokens)
                stack.callback(files.log_left_out)
            if self.options.text.sentencepiece is not None:
                with as_planned([self.options.text.sentencepiece], hashes.sentencepiece):
                    pass  # training reads it first of all
            vectors = planned_vectors(self.options.vectors, hashes.vectors)
            start = planned_start(self.options, hashes.start, workspace, dict(self.started_by))
            dev = planned_dev(self.options, hashes.dev)
            result = train_encoder(
                pairs,
                self.options,
                folder,
                scratch,
                progress,
                aside=aside,
                vectors=vectors,
                start=start,
                dev=dev,
            )
        logger.info("trained", extra={"facts": {"idle": result.idle, "seconds": result.spent}})
        result.write(folder)
        return {"pairs": result.pairs}


class TrainingShown:
    """Logs how far a training is, once a minute, and shows it with the heartbeats."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, progress: "TrainProgress") -> None:
        if progress.epoch and progress.pairs_in_epoch:
            share = (progress.epoch - 1 + progress.pairs / progress.pairs_in_epoch) / progress.epochs
            note_progress(share, f"epoch {progress.epoch} of {progress.epochs}")
        if time.monotonic() - self._last > _LOG_SECONDS:
            self._last = time.monotonic()
            logger.info("training", extra={"facts": progress.facts()})


def planned_dev(options: TrainOptions, digest: str | None) -> "Sequence[StsDataset]":
    """Read the development sets of a training; InputError if they are not those with this hash."""
    from ...models.training.dev_scores import read_dev_sets  # imports what planning does not need

    with as_planned(dev_files(options), digest):
        return read_dev_sets(options)


def planned_vectors(path: str | None, digest: str | None) -> WordVectors | None:
    """Read the word vectors that training starts from; InputError if they are not those with this hash."""
    if path is None:
        return None
    local = str(fetch_path(path, cache_folder("models")))
    with as_planned([local], digest):
        return read_vectors(local)


def training_ingredients(
    options: TrainOptions,
    hashes: InputHashes,
    gpu: bool | None = None,
) -> dict[str, object]:
    """The ingredients of a training's key. They include the device, on which the results depend.

    gpu: whether there is a GPU where the encoder is trained; None asks this machine. hashes: of the files
    that the options name.
    """
    named = replace(
        options,
        text=replace(options.text, sentencepiece=hashes.sentencepiece),
        vectors=hashes.vectors,
        start=None,
        dev=hashes.dev,
        precision=options.resolved_precision,
    )
    where = {"device": resolve_device(options.device, gpu), "arithmetic": ARITHMETIC}
    return {**asdict(named), "start": hashes.start, **where}


def dev_files(options: TrainOptions) -> list[str]:
    """The files of the development sets that the options name."""
    return development_files(options.dev_folders, options.dev_sets)


def planned_start(
    options: EncoderTraining, digests: Sequence[str], workspace: Workspace, built: Mapping[str, str]
) -> "SentenceEncoder | None":
    """Load what training starts from; InputError if a folder is not the one with its hash.

    digests: of the encoders that the options name. built: the folders in the workspace of those that other
    entries have trained, by entry.
    """
    from ...models.encoders.sentence_encoder import SentenceEncoder  # imports torch
    from ...models.training.start import begun_with

    encoders = []
    for path, digest in zip(options.starts, digests, strict=True):
        if path in built:
            encoders.append(SentenceEncoder.load(built_folder(workspace, built[path])))
            continue
        local = fetch_path(path, cache_folder("models"))
        with as_planned([str(local)], digest):
            encoders.append(SentenceEncoder.load(local))
    return begun_with(options, encoders) if encoders else None
