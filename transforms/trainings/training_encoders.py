"""The `train/<name>` stages: an encoder trained on a selection, streamed from the workspace's parts."""

import logging
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.host_cache import cache_folder
from ...models.encoders.vectors import WordVectors, read_vectors
from ...models.sts.development_sets import development_files
from ...models.training.train_options import ARITHMETIC, TrainOptions, resolve_device
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
    """The hashes, in a training's key, of the files that are named for it; None where none are."""

    vectors: str | None = None
    start: str | None = None
    dev: str | None = None
    sentencepiece: str | None = None
    pairs: str | None = None


@dataclass(frozen=True)
class TrainEncoder(SingleJob):
    """Trains one encoder.

    parts: for each part, its files of `ingest`, `translate` and `select`. pairs: files to train on instead of
    a selection. hashes: of the files that the options and `pairs` name. logs: a folder for TensorBoard's
    logs. started_by: the folder in the workspace of the encoder to start from, if another entry trains it.

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
    started_by: str | None = None

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
            start = planned_start(self.options.start, hashes.start, workspace, self.started_by)
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
        start=hashes.start,
        dev=hashes.dev,
        precision=options.resolved_precision,
    )
    return {**asdict(named), "device": resolve_device(options.device, gpu), "arithmetic": ARITHMETIC}


def dev_files(options: TrainOptions) -> list[str]:
    """The files of the development sets that the options name."""
    return development_files(options.dev_folders, options.dev_sets)


def planned_start(
    path: str | None, digest: str | None, workspace: Workspace, built: str | None
) -> "SentenceEncoder | None":
    """Load the encoder that training starts from; InputError if it is not the one with this hash.

    built: its folder in the workspace, if another stage has trained it.
    """
    from ...models.encoders.sentence_encoder import SentenceEncoder  # imports torch

    if path is None:
        return None
    if built is not None:
        return SentenceEncoder.load(built_folder(workspace, built))
    local = fetch_path(path, cache_folder("models"))
    with as_planned([str(local)], digest):
        return SentenceEncoder.load(local)
