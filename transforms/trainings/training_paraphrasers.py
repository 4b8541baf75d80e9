"""The `paraphraser/<name>` stages: sequence-to-sequence models, trained on the pairs of a selection."""

import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.checksums import write_checksums
from ...base.dataset_columns import decile_name
from ...models.paraphrasing.control import PARAPHRASER, all_tags, training_pairs
from ...models.training.train_options import resolve_device
from ...models.translation.nmt_options import CHECKPOINTS, NmtOptions
from ..beam.gpus import on_device
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..storage.heartbeat import note_progress
from ..storage.workspace import Workspace
from .pair_streams import PairParts

if TYPE_CHECKING:
    from ...models.translation.nmt_training import NmtProgress

_LOG_SECONDS = 60.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrainParaphraser(SingleJob):
    """Trains one paraphraser; the folder is that of a translation model, and says what controls it.

    parts: for each part, its files of `ingest`, `translate`, `select`, and of each controlling score's
    deciles, by the name of their column. directions: as in `training_pairs`. control: the controlling scores,
    each with whether swapping the sides of a pair reverses it.
    """

    stage: str
    parts: tuple[tuple[tuple[str, str], ...], ...]
    selection: str
    options: NmtOptions
    directions: tuple[bool, ...]
    control: tuple[tuple[str, bool], ...] = ()

    checkpoints = CHECKPOINTS

    @property
    def packages(self) -> tuple[str, ...]:
        return ("fairseq", "numpy", "sentencepiece", "torch")

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        from ...models.translation.nmt_training import REPORT, train_nmt  # imports torch

        columns = [column for column, _ in self.control]
        with on_device(resolve_device(self.options.device)), workspace.temporary_folder() as aside:
            result = train_nmt(
                self._pairs(workspace),
                aside / "model",
                self.options,
                _ProgressLog(),
                scratch,
                all_tags(columns),
            )
            for file in (aside / "model").iterdir():
                file.rename(folder / file.name)
        content = {"control": columns, "both_directions": len(self.directions) > 1}
        for model in (folder / "ctranslate2", folder):  # both are used by themselves
            (model / PARAPHRASER).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
            write_checksums(model, but_for=(REPORT,))
        return {"pairs": result.train_pairs}

    def _pairs(self, workspace: Workspace) -> Iterator[tuple[str, str]]:
        deciles = {column: decile_name(column) for column, _ in self.control}
        parts = PairParts(workspace, self.parts, selection=self.selection)
        for pairs in parts.tables({name: name for name in deciles.values()}):
            yield from training_pairs(
                pairs["reference"].to_pylist(),
                pairs["translation"].to_pylist(),
                {column: pairs[name].to_pylist() for column, name in deciles.items()},
                self.directions,
                dict(self.control),
                self.options.seed,
            )


class _ProgressLog:
    """Logs how far a training is, once a minute, and shows it with the heartbeats."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, progress: "NmtProgress") -> None:
        if progress.epoch:
            note_progress(progress.share, f"epoch {progress.epoch} of {progress.epochs}")
        if time.monotonic() - self._last > _LOG_SECONDS:
            self._last = time.monotonic()
            logger.info("training", extra={"facts": vars(progress)})
